// SPDX-License-Identifier: Apache-2.0
// Sources of contacts by events: every pair that they may find, as if it had been linked.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "event_log.hpp"
#include "hard_spheres.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::found_contacts_test {
namespace {

using namespace event_log;
using billiard::HardSpheres;
using Eigen::Vector2d;
using Eigen::Vector3d;
using shape_bodies::ball;

/// Elastic spheres in the unit cube, and their source.
struct Billiard {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  std::vector<ShapeOnBody> walls;

  explicit Billiard(const HardSpheres& spheres) {
    for (std::size_t i = 0; i < spheres.x.size(); ++i) {
      const auto body = model.add(ball(spheres.radius, 0.5, spheres.x[i], spheres.v[i]));
      bodies.push_back({body, {{.shape = Sphere{spheres.radius}}}});
    }
    for (Index wall = 0; wall < 6; ++wall)
      walls.push_back({.shape = HalfSpace{HardSpheres::inward(wall), wall % 2 == 0 ? 0.0 : -1.0}});
  }
  [[nodiscard]] BodyContacts source() const { return {bodies, walls, NewtonImpactLaw{.restitution = 1.0}}; }
  [[nodiscard]] double energy(const State& state) const {
    double energy = 0.0;
    for (const BodyShapes& body : bodies) energy += 0.25 * state.v(body.body).head<3>().squaredNorm();
    return energy;
  }
};

HardSpheres five_spheres() {
  return {.x = {{0.2, 0.2, 0.25}, {0.75, 0.25, 0.3}, {0.3, 0.75, 0.35}, {0.7, 0.7, 0.75}, {0.25, 0.3, 0.8}},
          .v = {{1.0, 0.3, 0.2}, {-0.7, 0.5, 0.1}, {0.4, -0.9, 0.6}, {-0.5, -0.2, -0.8}, {0.2, 0.7, -0.6}},
          .radius = 0.15};
}

TEST(FoundContactsByEvents, AreThoseThatAreLinkedBitByBit) {
  Billiard linked(five_spheres()), found(five_spheres());
  link_contacts(linked.model, linked.source());
  found.model.detect(found.source());
  EventDriven by_links(linked.model), by_source(found.model);
  EXPECT_EQ(by_source.model().num_interactions(), 10 + 30);
  EXPECT_TRUE(by_source.model().sources().empty());
  run_to(by_links, 3.0);
  run_to(by_source, 3.0);
  ASSERT_GE(by_links.events().size(), 30u);
  ASSERT_EQ(by_links.events().size(), by_source.events().size());
  for (std::size_t k = 0; k < by_links.events().size(); ++k) {
    const Event &one = by_links.events()[k], &other = by_source.events()[k];
    EXPECT_EQ(one.t, other.t);
    EXPECT_EQ(one.value, other.value);
    EXPECT_EQ(by_links.model().interactions()[one.interaction.slot].systems,
              by_source.model().interactions()[other.interaction.slot].systems);
    EXPECT_EQ(by_links.model().interactions()[one.interaction.slot].name,
              by_source.model().interactions()[other.interaction.slot].name);
  }
  EXPECT_EQ(by_links.state().positions, by_source.state().positions);
  EXPECT_EQ(by_links.state().unknowns, by_source.state().unknowns);
}

TEST(FoundContactsByEvents, ThirtySpheresAreThoseOfFreeFlightsByHand) {
  // 435 pairs and 180 walls. On a grid of 4 x 4 x 2 places 0.24 apart, with velocities of up to 1.
  HardSpheres exact{.x = {}, .v = {}, .radius = 0.08};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto any = [&] { return Vector3d(number(random), number(random), number(random)); };
  for (int k = 0; k < 30; ++k) {
    exact.x.push_back(Vector3d(0.14 + 0.24 * (k % 4), 0.14 + 0.24 * (k / 4 % 4), 0.25 + 0.5 * (k / 16)) + 0.03 * any());
    exact.v.push_back(any());
  }
  Billiard start(exact);
  start.model.detect(start.source());
  EventDriven simulation(start.model);
  const double energy = start.energy(simulation.state());
  std::vector<HardSpheres::Hit> expected;
  double t = 0.0;
  for (int k = 0; k < 80; ++k) {
    HardSpheres::Hit hit = exact.next();
    exact.advance(hit);
    hit.t = t += hit.t;
    expected.push_back(hit);
  }
  run_to(simulation, t + 1e-6);
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), expected.size());
  Index of_spheres = 0;
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    const auto& systems = simulation.model().interactions()[impacts[k].interaction.slot].systems;
    ASSERT_EQ(systems[0], static_cast<std::uint32_t>(expected[k].first)) << "impact " << k;
    ASSERT_EQ(systems.size(), expected[k].second >= 0 ? 2u : 1u) << "impact " << k;
    if (expected[k].second >= 0) {
      ASSERT_EQ(systems[1], static_cast<std::uint32_t>(expected[k].second)) << "impact " << k;
      ++of_spheres;
    }
    // As of five spheres (billiards.cpp): some 3 to 6 roundings' growth an impact of two, of which a sphere has no more
    // than six here: 6^6 roundings of 1e-16.
    EXPECT_NEAR(impacts[k].t, expected[k].t, 1e-11) << "impact " << k;
  }
  EXPECT_GE(of_spheres, 20);
  EXPECT_NEAR(start.energy(simulation.state()), energy, 80.0 * 1e-15 * energy);
}

TEST(FoundContactsByEvents, DisksKeepTheirEnergyAndSegmentsTheirImages) {
  // A disk between four segments, the sides of a square of width 2 with rounded edges: its centre is reflected at a
  // distance of 0.1 + 0.05 from them, so that coordinates unfold to straight lines in a box of width 1.7. And twelve
  // others far from it, whose energy stays.
  const double w = 1.7;
  NonSmoothDynamicalSystem model;
  std::vector<PlanarBodyShapes> bodies;
  const Vector2d start(0.3, -0.2), velocity(1.3, 0.9);
  const auto disk = model.add(PlanarBody{.position = start, .velocity = velocity});
  bodies.push_back({disk, {{.shape = Disk{0.1}, .groups = 2, .mask = 2}}});
  std::vector<PlanarShapeOnBody> sides;
  const Vector2d corners[]{{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
  for (int k = 0; k < 4; ++k)
    sides.push_back({.shape = PlanarSegment{corners[k], corners[(k + 1) % 4], 0.05}, .groups = 2, .mask = 2});
  for (int k = 0; k < 4; ++k) {
    const Vector2d inward = k % 2 == 0 ? Vector2d(k == 0 ? 1.0 : -1.0, 0.0) : Vector2d(0.0, k == 1 ? 1.0 : -1.0);
    sides.push_back({.shape = HalfPlane{inward, -3.0}});
  }
  for (int k = 0; k < 12; ++k) {
    const auto other = model.add(PlanarBody{.position = {-2.0 + 1.2 * (k % 4), -2.0 + 1.7 * (k / 4)},
                                            .velocity = {std::cos(2.0 * k), std::sin(3.0 * k)}});
    bodies.push_back({other, {{.shape = Disk{0.3}}}});
  }
  model.detect(PlanarContacts(bodies, sides, NewtonImpactLaw{.restitution = 1.0}));
  EventDriven simulation(model);
  const auto energy = [&] { return simulation.state().unknowns.squaredNorm(); };
  const double before = energy(), T = 12.0;
  run_to(simulation, T);
  const auto folded = [w](double x) {  // into [-w/2, w/2]
    const double turn = std::fmod(std::fmod(x + 0.5 * w, 2.0 * w) + 2.0 * w, 2.0 * w);
    return turn < w ? turn - 0.5 * w : 1.5 * w - turn;
  };
  // Times add up, a hundred roundings of 12 at a speed of 1.6.
  EXPECT_NEAR(simulation.state().q(disk)[0], folded(start[0] + T * velocity[0]), 1e-11);
  EXPECT_NEAR(simulation.state().q(disk)[1], folded(start[1] + T * velocity[1]), 1e-11);
  EXPECT_GE(events_of(simulation, EventKind::Impact).size(), 40u);
  EXPECT_NEAR(energy(), before, 1e-13 * before);
}

TEST(FoundContactsByEvents, APolygonLandsOnItsVertices) {
  // A square of side 2 a that turns by 45 degrees falls on its vertex: the first impact where the height of the vertex
  // is zero, of unit mass: p = -(1 + e) u / (1 + x^2 / J), x = 0 below the centre.
  const double a = 0.1, height = 0.4, diagonal = std::sqrt(2.0) * a;
  NonSmoothDynamicalSystem model;
  const auto square = model.add(PlanarBody{.inertia = 2.0 / 3.0 * a * a,
                                           .position = {0.0, diagonal + height},
                                           .angle = 0.25 * kPi,
                                           .gravity = {0.0, -kGravity}});
  const ConvexPolygon shape{.vertices = {{-a, -a}, {a, -a}, {a, a}, {-a, a}}};
  model.detect(
      PlanarContacts({{square, {{.shape = shape}}}}, {{.shape = HalfPlane{}}}, NewtonImpactLaw{.restitution = 0.5}));
  EventDriven simulation(model);
  const double t = std::sqrt(2.0 * height / kGravity), u = kGravity * t;
  run_to(simulation, t + 0.01);
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NEAR(impacts[0].t, t, 1e-13);
  EXPECT_NEAR(impacts[0].value, 1.5 * u, 1e-12);
}

TEST(FoundContactsByEvents, LawsGroupsAndExcludedBodiesAreRespected) {
  // Two balls of materials 0 and 1 fall on the floor, e = 0.5 and 0.8; a third passes through it, and through the
  // first, which stands in its way.
  NonSmoothDynamicalSystem model;
  const double r = 0.1;
  const auto first = model.add(ball(r, 1.0, {0.0, 0.0, r + 0.5}, Vector3d::Zero(), kGravity)),
             second = model.add(ball(r, 1.0, {1.0, 0.0, r + 0.5}, Vector3d::Zero(), kGravity)),
             third = model.add(ball(r, 1.0, {0.0, 0.0, 2.0}, {0.0, 0.0, -6.0}, kGravity));
  BodyContacts source({{first, {{.shape = Sphere{r}}}},
                       {second, {{.shape = Sphere{r}, .material = 1}}},
                       {third, {{.shape = Sphere{r}, .groups = 2, .mask = 1}}}},
                      {{.shape = HalfSpace{}, .mask = 1}},
                      {NewtonImpactLaw{.restitution = 0.5}, NewtonImpactLaw{.restitution = 0.8}},
                      ContactMaterials(2, 0).set_law(0, 1, 1));
  source.exclude(first, third);
  model.detect(source);
  EventDriven simulation(model);
  EXPECT_EQ(simulation.model().num_interactions(), 4);  // 0-1, 0-ground, 1-2, 1-ground
  const double t = std::sqrt(2.0 * 0.5 / kGravity);
  run_to(simulation, t + 0.05);
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 2u);
  EXPECT_NEAR(impacts[0].t, t, 1e-13);
  EXPECT_NEAR(simulation.state().v(first)[2], 0.5 * kGravity * t - 0.05 * kGravity, 1e-12);
  EXPECT_NEAR(simulation.state().v(second)[2], 0.8 * kGravity * t - 0.05 * kGravity, 1e-12);
  EXPECT_NEAR(simulation.state().v(third)[2], -6.0 - kGravity * (t + 0.05), 1e-12);
}

TEST(FoundContactsByEvents, EditsAddAndRemoveBodies) {
  // A ball flies at another that is removed before they meet; one that is added later, with a source of its own, is hit
  // instead: velocities are exchanged.
  NonSmoothDynamicalSystem model;
  const double r = 0.1;
  const auto flies = model.add(ball(r, 1.0, Vector3d::Zero(), {1.0, 0.0, 0.0})),
             stands = model.add(ball(r, 1.0, {1.0, 0.0, 0.0}));
  const NewtonImpactLaw elastic{.restitution = 1.0};
  const SourceHandle source =
      model.detect(BodyContacts({{flies, {{.shape = Sphere{r}}}}, {stands, {{.shape = Sphere{r}}}}}, {}, elastic));
  EventDriven simulation(model);
  run_to(simulation, 0.5);
  simulation.edit([&](NonSmoothDynamicalSystem& changed) {
    const Layout& layout = *changed.layout();
    ASSERT_EQ(layout.interactions.size(), 1u);
    const std::uint32_t slot = layout.interactions[0].slot;
    changed.remove(InteractionHandle{layout.model, slot, layout.interaction_generation[slot]});
    EXPECT_THROW(changed.remove(stands), InvalidArgument);  // the source lists it
    changed.replace(source, BodyContacts({{flies, {{.shape = Sphere{r}}}}}, {}, elastic));
    changed.remove(stands);
  });
  run_to(simulation, 1.5);
  EXPECT_TRUE(simulation.events().empty());
  const auto added = simulation.edit([&](NonSmoothDynamicalSystem& changed) {
    const auto body = changed.add(ball(r, 1.0, {2.0, 0.0, 0.0}));
    changed.detect(BodyContacts({{flies, {{.shape = Sphere{r}}}}, {body, {{.shape = Sphere{r}}}}}, {}, elastic));
    return body;
  });
  run_to(simulation, 2.0);
  ASSERT_EQ(simulation.events().size(), 1u);
  EXPECT_NEAR(simulation.events()[0].t, 1.8, 1e-13);
  EXPECT_NEAR(simulation.state().v(flies)[0], 0.0, 1e-14);
  EXPECT_NEAR(simulation.state().v(added)[0], 1.0, 1e-14);
}

TEST(FoundContactsByEvents, StatesOfTheModelAsItWasGivenAreTaken) {
  // By steps up to the impact, by events from there: a state of the revision with the source goes over.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball(0.1, 1.0, {0.0, 0.0, 1.1}, Vector3d::Zero(), kGravity));
  model.detect(
      BodyContacts({{body, {{.shape = Sphere{0.1}}}}}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{.restitution = 0.7}));
  TimeStepping steps(model, {.step = 0.01});
  ASSERT_TRUE(steps.advance_to(0.4));
  EventDriven events(model), others(model);
  events.set_state(steps.state());
  EXPECT_EQ(events.state().t, steps.state().t);
  run_to(events, 0.5);
  expect_times(times_of(events, EventKind::Impact), {std::sqrt(2.0 / kGravity)}, 1e-13);
  others.set_state(events.state());  // of one revision, each with the same links
  EXPECT_EQ(others.state().positions, events.state().positions);
  State foreign = others.state();
  others.edit([](NonSmoothDynamicalSystem& changed) { changed.add(RigidBody{}); });
  EXPECT_THROW(others.set_state(foreign), InvalidArgument);
  EXPECT_THROW(others.set_state(steps.state()), InvalidArgument);
}

/// The message with which a source is refused; empty: it is taken.
template <class Source>
std::string refusal_of(NonSmoothDynamicalSystem& model, Source source) {
  model.detect(std::move(source));
  try {
    const EventDriven simulation(model);
  } catch (const InvalidArgument& refusal) {
    return refusal.what();
  }
  return {};
}

TEST(FoundContactsByEvents, PairsThatAreNotSmoothAreRefusedByTheirShapes) {
  const auto names = [](const std::string& message, const std::string& one, const std::string& other) {
    EXPECT_NE(message.find(one + " on " + other), std::string::npos) << message;
  };
  const auto in_space = [](const Shape& shape, const Shape& ground) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.position = {0.0, 0.0, 5.0}, .name = "thing"});
    return refusal_of(model, BodyContacts({{body, {{.shape = shape}}}}, {{.shape = ground}}, NewtonImpactLaw{}));
  };
  const TriangleMesh angle(
      {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {2.0, 1.0, 0.0}, {1.0, 1.0, 0.0}, {1.0, 2.0, 0.0}, {0.0, 2.0, 0.0}},
      {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}});  // its rim turns inwards
  names(in_space(Sphere{0.1}, angle), "a sphere of thing", "a triangle mesh or height field of the ground");
  names(in_space(Capsule{0.1, 0.2}, angle), "a capsule of thing", "a triangle mesh or height field of the ground");
  EXPECT_EQ(in_space(Box{{0.1, 0.1, 0.1}}, angle), "");
  EXPECT_EQ(in_space(Cylinder{0.1, 0.2}, angle), "");
  const auto in_the_plane = [](const PlanarShape& shape, const PlanarShape& ground) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{.position = {0.0, 5.0}, .name = "thing"});
    return refusal_of(model, PlanarContacts({{body, {{.shape = shape}}}}, {{.shape = ground}}, NewtonImpactLaw{}));
  };
  const ConvexPolygon triangle{.vertices = {{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}};
  const PlanarSegment segment{{0.0, 0.0}, {1.0, 0.0}};
  names(in_the_plane(segment, triangle), "a segment of thing", "a polygon of the ground");
  names(in_the_plane(triangle, segment), "a polygon of thing", "a segment of the ground");
  names(in_the_plane(segment, segment), "a segment of thing", "a segment of the ground");
  names(in_the_plane(segment, HeightLine{{{0.0, 0.0}, {1.0, 0.0}}}), "a segment of thing",
        "a height line of the ground");
}

TEST(FoundContactsByEvents, SourcesWithoutPairsAreRefused) {
  NonSmoothDynamicalSystem filtered;
  const auto disk = filtered.add(PlanarBody{.position = {0.0, 5.0}});
  const PlanarContacts source({{disk, {{.shape = Disk{0.1}}}}}, {{.shape = HalfPlane{}}}, NewtonImpactLaw{});
  const FilteredContacts filter(std::make_shared<const PlanarContacts>(source),
                                [](const DetectedContact& contact, const BodyView&) { return contact.law; });
  EXPECT_NE(refusal_of(filtered, filter).find("a source that finds contacts at a state alone"), std::string::npos);
}

}  // namespace
}  // namespace nonsmooth::found_contacts_test
