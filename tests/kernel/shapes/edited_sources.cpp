// SPDX-License-Identifier: Apache-2.0
// Sources of contacts that are replaced and removed while a simulation runs: bodies come and go, the others keep what
// they pressed with.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/friction/gauss_seidel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::edited_sources_test {
namespace {

using bad_input::expect_refused;
using Eigen::Vector3d;

constexpr double kStep = 1e-3, kGravity = 9.81, kHalf = 0.1, kRadius = 0.08;

TimeSteppingOptions swept(int threads = 1) {
  return {.step = kStep, .solver = friction::GaussSeidel{.tolerance = 1e-12}, .threads = threads};
}

/// Boxes of mass 1 on one another, and balls of mass 1.
struct Stack {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  SourceHandle source;

  static RigidBody body_at(const Vector3d& position) {
    return {.inertia = 0.4 * kRadius * kRadius * Eigen::Matrix3d::Identity(),
            .position = position,
            .gravity = {0.0, 0.0, -kGravity}};
  }
  static BodyContacts source_of(const std::vector<BodyShapes>& bodies) {
    return {bodies, {{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}};
  }
  SystemHandle add_ball(const Vector3d& position) {
    bodies.push_back({model.add(body_at(position)), {{.shape = Sphere{kRadius}}}});
    return bodies.back().body;
  }
  void add_boxes(int count) {
    for (int k = 0; k < count; ++k) {
      const double height = kHalf * (2.0 * k + 1.0);
      bodies.push_back({model.add(body_at({0.0, 0.0, height})), {{.shape = Box{{kHalf, kHalf, kHalf}}}}});
    }
  }
  void detect() { source = model.detect(source_of(bodies)); }
};

/// A contact by what a source's numbers stand for.
using Named = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::array<double, 6>>;

/// Of a source of bodies; the ground is 2^32 - 1. `left_out`: contacts of this body are.
std::vector<Named> named(const State& state, const BodyContacts& source, SystemHandle left_out) {
  std::vector<Named> result;
  for (const ContactMemory& contact : state.contacts) {
    const auto [first, second] = source.shapes_of({.feature = contact.feature});
    const auto slot = [&](const ShapePlace& shape) {
      return shape.body < 0 ? ~std::uint32_t{0} : source.bodies()[static_cast<std::size_t>(shape.body)].slot;
    };
    if (slot(first) == left_out.slot || slot(second) == left_out.slot) continue;
    result.emplace_back(slot(first), slot(second), contact.feature & 0x3fffff, contact.impulse);
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(EditedSources, ABallIsTakenFromAStackAndTheOthersKeepTheirImpulses) {
  // The ball comes first in the list: the numbers of all others change.
  Stack scene;
  const SystemHandle ball = scene.add_ball({0.0, 0.0, 6.0 * kHalf + kRadius});
  scene.add_boxes(3);
  scene.detect();
  TimeStepping simulation(scene.model, swept());
  ASSERT_TRUE(simulation.advance_to(20 * kStep));
  const State before = std::as_const(simulation).state();
  const BodyContacts old = Stack::source_of(scene.bodies);
  scene.bodies.erase(scene.bodies.begin());
  const BodyContacts now = Stack::source_of(scene.bodies);
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.replace(scene.source, now);
    model.remove(ball);
  });
  const State after = std::as_const(simulation).state();
  const auto kept = named(after, now, ball);
  EXPECT_EQ(kept.size(), 12u);  // four corners of three boxes
  EXPECT_EQ(kept, named(before, old, ball));
  EXPECT_EQ(after.contacts.size(), 12u);

  // The next step starts from them.
  ASSERT_TRUE(simulation.step());
  const OneStepNSProblem& problem = simulation.problem();
  ASSERT_EQ(problem.blocks.size(), 12u);
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    EXPECT_EQ(problem.blocks[b].feature, after.contacts[b].feature);
    for (Index r = 0; r < 3; ++r)
      EXPECT_EQ(problem.start[problem.blocks[b].row + r], after.contacts[b].impulse[static_cast<std::size_t>(r)]);
  }
  // What is left weighs three boxes.
  double sum = 0.0;
  for (const ContactMemory& contact : std::as_const(simulation).state().contacts) sum += contact.impulse[0];
  EXPECT_NEAR(sum, (1.0 + 2.0 + 3.0) * kGravity * kStep, 1e-9 * kGravity * kStep);
}

TEST(EditedSources, BitsAreThoseOfAModelThatWasBuiltSo) {
  // A ball beside the stack comes to rest, goes, and another falls onto the stack: at each time the stack has the bits
  // of a model in which the rest never was, or always.
  constexpr Index kGone = 30, kComes = 60, kEnd = 400;
  const Vector3d beside(1.0, 0.0, kRadius), above(0.0, 0.0, 6.0 * kHalf + kRadius + 0.1);
  Stack alone, with_second;
  alone.add_boxes(3);
  alone.detect();
  with_second.add_boxes(3);
  const SystemHandle falls = with_second.add_ball(above);
  with_second.detect();
  for (const int threads : {1, 2, 4}) {
    TimeStepping expected(alone.model, swept()), falling(with_second.model, swept());
    Stack scene;
    scene.add_boxes(3);
    const SystemHandle first = scene.add_ball(beside);
    scene.detect();
    TimeStepping simulation(scene.model, swept(threads));
    SystemHandle second;
    for (Index k = 0; k < kEnd; ++k) {
      if (k == kGone) {
        simulation.edit([&](NonSmoothDynamicalSystem& model) {
          scene.bodies.pop_back();
          model.replace(scene.source, Stack::source_of(scene.bodies));
          model.remove(first);
        });
      }
      if (k == kComes) {
        const State& there = std::as_const(falling).state();
        second = simulation.edit([&](NonSmoothDynamicalSystem& model) {
          RigidBody ball = Stack::body_at(there.q(falls).head<3>());
          ball.velocity = there.v(falls).head<3>();
          const SystemHandle added = model.add(ball);
          scene.bodies.push_back({added, {{.shape = Sphere{kRadius}}}});
          model.replace(scene.source, Stack::source_of(scene.bodies));
          return added;
        });
      }
      ASSERT_TRUE(simulation.step());
      ASSERT_TRUE(expected.step());
      ASSERT_TRUE(falling.step());
      const State& state = std::as_const(simulation).state();
      if (k >= kGone && k < kComes) {
        ASSERT_EQ(hash_of(state), hash_of(std::as_const(expected).state())) << k;
        ASSERT_EQ(simulation.problem().result.iterations, expected.problem().result.iterations) << k;
      }
      if (k >= kComes) {
        ASSERT_EQ(state.positions, std::as_const(falling).state().positions) << k;
        ASSERT_EQ(state.unknowns, std::as_const(falling).state().unknowns) << k;
      }
    }
    // It fell 0.1 m in 0.143 s, and lies on the stack, in it by the way of the step in which it stopped at most.
    EXPECT_NEAR(std::as_const(simulation).state().q(second)[2], 6.0 * kHalf + kRadius,
                kStep * std::sqrt(2.0 * kGravity * 0.1));
    EXPECT_EQ(std::as_const(simulation).state().contacts.size(), 13u);
  }
}

TEST(EditedSources, WhoSleepsWakesAndFallsAsleepAgain) {
  // The stack sleeps; a ball comes, drops on it, and both sleep.
  Stack scene;
  scene.add_boxes(2);
  scene.detect();
  std::uint64_t bits = 0;
  for (const int threads : {1, 2, 4}) {
    TimeSteppingOptions options = swept(threads);
    options.sleep.rest = 0.5;
    TimeStepping simulation(scene.model, options);
    std::vector<BodyShapes> bodies = scene.bodies;
    ASSERT_TRUE(simulation.advance_to(0.2));
    ASSERT_TRUE(std::as_const(simulation).state().is_asleep(bodies[0].body));
    const std::vector<ContactMemory> pressed = std::as_const(simulation).state().contacts;
    simulation.edit([&](NonSmoothDynamicalSystem& model) {
      const SystemHandle ball = model.add(Stack::body_at({0.0, 0.0, 4.0 * kHalf + kRadius + 0.05}));
      bodies.push_back({ball, {{.shape = Sphere{kRadius}}}});
      model.replace(scene.source, Stack::source_of(bodies));
    });
    const State& state = std::as_const(simulation).state();
    EXPECT_FALSE(state.is_asleep(bodies[0].body));
    ASSERT_EQ(state.contacts.size(), pressed.size());
    for (std::size_t c = 0; c < pressed.size(); ++c) {
      EXPECT_EQ(state.contacts[c].impulse, pressed[c].impulse);
      EXPECT_EQ(state.contacts[c].sleeper, -1);
    }
    ASSERT_TRUE(simulation.advance_to(0.6));
    for (const BodyShapes& body : bodies) EXPECT_TRUE(state.is_asleep(body.body));
    double sum = 0.0;
    for (const ContactMemory& contact : state.contacts) sum += contact.impulse[0];
    EXPECT_NEAR(sum, (1.0 + 2.0 + 3.0) * kGravity * kStep, 1e-9 * kGravity * kStep);
    if (threads == 1) bits = hash_of(state);
    EXPECT_EQ(hash_of(state), bits) << threads << " threads";
  }
}

TEST(EditedSources, ASourceThatGoesLeavesTheImpulsesOfTheOthers) {
  // Two balls on the ground, a source each: without the first source its ball falls on.
  Stack scene;
  const SystemHandle one = scene.add_ball({0.0, 0.0, kRadius}), two = scene.add_ball({1.0, 0.0, kRadius});
  const SourceHandle first = scene.model.detect(Stack::source_of({scene.bodies[0]}));
  const SourceHandle second = scene.model.detect(Stack::source_of({scene.bodies[1]}));
  TimeStepping simulation(scene.model, swept());
  ASSERT_TRUE(simulation.advance_to(10 * kStep));
  const State before = std::as_const(simulation).state();
  ASSERT_EQ(before.contacts.size(), 2u);
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(first); });
  const State& state = std::as_const(simulation).state();
  ASSERT_EQ(state.contacts.size(), 1u);
  EXPECT_EQ(state.contacts[0].source, 0u);
  EXPECT_EQ(state.contacts[0].impulse, before.contacts[1].impulse);
  ASSERT_TRUE(simulation.advance_to(110 * kStep));
  // 100 steps of MoreauJean with theta = 1/2: the parabola, to rounding.
  EXPECT_NEAR(state.q(one)[2], kRadius - 0.5 * kGravity * 0.1 * 0.1, 1e-12);
  EXPECT_NEAR(state.q(two)[2], kRadius, 1e-12);
  EXPECT_EQ(simulation.model().source(second)->bodies(), std::vector<SystemHandle>{two});
  expect_refused([&] { (void)simulation.model().source(first); }, {"contact source handle", "stale"});
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.remove(one);
    model.remove(second);
  });
  EXPECT_TRUE(state.contacts.empty());
}

/// `after` calls each contact that `before` finds by the name of one that it finds at the same place itself, between
/// the same bodies and with the same gap; contacts of bodies that `after` does not have are not named. Returns how many
/// are.
Index expect_same_contacts(const State& state, const ContactSource& before, const ContactSource& after) {
  const auto body_of = [](const ContactSource& source, Index body) {
    return body < 0 ? SystemHandle{} : source.bodies()[static_cast<std::size_t>(body)];
  };
  const auto has = [&](SystemHandle body) {
    return body == SystemHandle{} ||
           std::find(after.bodies().begin(), after.bodies().end(), body) != after.bodies().end();
  };
  std::vector<DetectedContact> found;
  for (const ContactBatch& batch : contacts_at(state, after, 0.01))
    found.insert(found.end(), batch.contacts.begin(), batch.contacts.end());
  Index named = 0;
  for (const ContactBatch& batch : contacts_at(state, before, 0.01)) {
    for (const DetectedContact& contact : batch.contacts) {
      const auto name = after.features_after(before, std::vector{contact.feature})[0];
      const SystemHandle first = body_of(before, contact.first), second = body_of(before, contact.second);
      EXPECT_EQ(name.has_value(), has(first) && has(second));
      if (!name) continue;
      ++named;
      const auto own =
          std::find_if(found.begin(), found.end(), [&](const DetectedContact& one) { return one.feature == *name; });
      EXPECT_NE(own, found.end());
      if (own == found.end()) continue;
      EXPECT_EQ(body_of(after, own->first), first);
      EXPECT_EQ(body_of(after, own->second), second);
      EXPECT_EQ(own->gap, contact.gap);
      EXPECT_EQ(after.shapes_of(*own)[0].place, before.shapes_of(contact)[0].place);
      EXPECT_EQ(after.shapes_of(*own)[1].place, before.shapes_of(contact)[1].place);
    }
  }
  return named;
}

TEST(EditedSources, FeaturesOfEachSourceGoByBodiesAndPlaces) {
  // Six bodies in a row, of two shapes each where bodies have shapes, overlapping; the second and the fifth go, one
  // comes first and one last. On the ground a line of several numbers, and another shape behind it.
  NonSmoothDynamicalSystem plane, space;
  std::vector<SystemHandle> flat, solid;
  for (int k = 0; k < 8; ++k) {
    flat.push_back(plane.add(PlanarBody{.position = {0.3 * k, 0.1}}));
    solid.push_back(space.add(RigidBody{.position = {0.3 * k, 0.0, 0.1}}));
  }
  const std::vector<std::size_t> before{1, 2, 3, 4, 5, 6}, after{0, 1, 3, 4, 6, 7};
  const NewtonImpactLaw law{};
  const State in_plane = plane.initial_state(), in_space = space.initial_state();
  const auto of_shapes = [&](const std::vector<std::size_t>& numbers) {
    std::vector<PlanarBodyShapes> bodies;
    for (const std::size_t i : numbers)
      bodies.push_back({flat[i], {{.shape = Disk{0.16}}, {.shape = Disk{0.1}, .position = {0.08, 0.0}}}});
    return PlanarContacts(bodies,
                          {{.shape = HeightLine{{{-1.0, 0.0}, {0.5, 0.0}, {1.2, 0.05}, {3.0, 0.0}}}},
                           {.shape = HalfPlane{.normal = {1.0, 0.0}, .offset = 0.25}}},
                          law);
  };
  EXPECT_GE(expect_same_contacts(in_plane, of_shapes(before), of_shapes(after)), 10);
  const auto of_solids = [&](const std::vector<std::size_t>& numbers) {
    std::vector<BodyShapes> bodies;
    for (const std::size_t i : numbers) {
      bodies.push_back({solid[i],
                        {{.shape = Box{{0.16, 0.1, 0.1}}, .position = {0.0, 0.0, 0.01 * static_cast<double>(i % 3)}},
                         {.shape = Sphere{0.1}, .position = {0.08, 0.0, 0.0}}}});
    }
    return BodyContacts(bodies, {{.shape = HalfSpace{}}, {.shape = Box{{3.0, 1.0, 0.01}}}}, law);
  };
  EXPECT_GE(expect_same_contacts(in_space, of_solids(before), of_solids(after)), 20);
  const auto of_disks = [&](const std::vector<std::size_t>& numbers) {
    std::vector<SystemHandle> disks;
    for (const std::size_t i : numbers) disks.push_back(flat[i]);
    const auto zero = [](double) { return 0.0; };
    return DiskContacts(disks, std::vector<double>(disks.size(), 0.16), law,
                        {.height = zero, .slope = zero, .curvature = zero, .highest = 0.0});
  };
  EXPECT_EQ(expect_same_contacts(in_plane, of_disks(before), of_disks(after)), 4 + 1);  // on the floor, and 3 with 4
  // A filter calls contacts as its source does, also after one that was not filtered.
  const auto filtered = [&](const std::vector<std::size_t>& numbers) {
    return FilteredContacts(std::make_shared<const DiskContacts>(of_disks(numbers)),
                            [](const DetectedContact& contact, const BodyView&) { return contact.law; });
  };
  EXPECT_EQ(expect_same_contacts(in_plane, filtered(before), filtered(after)), 5);
  EXPECT_EQ(expect_same_contacts(in_plane, of_disks(before), filtered(after)), 5);
  // What is of another kind, or whose bodies changed their order, begins anew.
  const std::vector<std::uint64_t> none{0};
  EXPECT_FALSE(of_disks(after).features_after(of_shapes(before), none)[0]);
  EXPECT_FALSE(of_shapes(after).features_after(of_disks(before), none)[0]);
  for (const auto& pair : contacts_at(in_plane, of_disks({3, 4}))) {
    for (const DetectedContact& contact : pair.contacts) {
      const auto name = of_disks({4, 3}).features_after(of_disks({3, 4}), std::vector{contact.feature})[0];
      EXPECT_EQ(name.has_value(), contact.second < 0);
    }
  }
}

/// One contact of each body with the ground, by its number.
class Points : public ContactSource {
 public:
  explicit Points(std::vector<SystemHandle> bodies) : bodies_(std::move(bodies)) {}
  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  void detect(const BodyView& bodies, double, std::vector<Index>&, ContactBatches& found) const override {
    ContactBatch& batch = found.of(1, 3, 0);
    for (Index b = 0; b < std::ssize(bodies_); ++b) {
      const double up[]{0.0, 1.0, 0.0};
      batch.add({.feature = static_cast<std::uint64_t>(b), .first = b, .gap = bodies.q[3 * b + 1]}, up);
    }
  }

 private:
  std::vector<SystemHandle> bodies_;
  std::vector<Law> laws_{NewtonImpactLaw{}};
};

TEST(EditedSources, ASourceOfAUserKeepsItsNamesWhileItsBodiesStay) {
  NonSmoothDynamicalSystem model;
  const auto one = model.add(PlanarBody{.gravity = {0.0, -kGravity}}),
             two = model.add(PlanarBody{.position = {1.0, 0.0}, .gravity = {0.0, -kGravity}});
  const SourceHandle source = model.detect(Points({one, two}));
  TimeStepping simulation(model, {.step = kStep});
  ASSERT_TRUE(simulation.step());
  const std::vector<ContactMemory> before = std::as_const(simulation).state().contacts;
  ASSERT_EQ(before.size(), 2u);
  simulation.edit([&](NonSmoothDynamicalSystem& changed) { changed.replace(source, Points({one, two})); });
  ASSERT_EQ(std::as_const(simulation).state().contacts.size(), 2u);
  EXPECT_EQ(std::as_const(simulation).state().contacts[1].impulse, before[1].impulse);
  simulation.edit([&](NonSmoothDynamicalSystem& changed) { changed.replace(source, Points({two})); });
  EXPECT_TRUE(std::as_const(simulation).state().contacts.empty());
  // Shapes of contacts whose source has no more than one a body.
  EXPECT_EQ(interpenetrations(std::as_const(simulation).state(), Points({one, two}), -1.0).size(), 2u);
}

TEST(EditedSources, FiltersAreTakenOffAndPutOnAndContactsStay) {
  using Pointer = std::shared_ptr<const ContactSource>;
  Stack scene;
  scene.add_boxes(3);
  const auto plain = [&]() -> Pointer { return std::make_shared<const BodyContacts>(Stack::source_of(scene.bodies)); };
  const auto filtered = [](const Pointer& source) -> Pointer {
    return std::make_shared<const FilteredContacts>(
        source, [](const DetectedContact& contact, const BodyView&) { return contact.law; });
  };
  const Pointer own = plain();
  scene.source = scene.model.detect(filtered(filtered(own)));
  TimeStepping simulation(scene.model, swept());
  ASSERT_TRUE(simulation.advance_to(20 * kStep));
  const std::vector<ContactMemory> before = std::as_const(simulation).state().contacts;
  ASSERT_EQ(before.size(), 12u);  // four corners of each box
  for (const Pointer& next : {filtered(own), own, filtered(filtered(plain())), plain(), filtered(plain()), plain()}) {
    simulation.edit([&](NonSmoothDynamicalSystem& model) { model.replace(scene.source, next); });
    const std::vector<ContactMemory>& after = std::as_const(simulation).state().contacts;
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].feature, before[i].feature);
      EXPECT_EQ(after[i].impulse, before[i].impulse);
    }
  }
}

TEST(EditedSources, WhatDoesNotFitIsRefusedAndLeavesTheModelAsItWas) {
  Stack scene;
  const SystemHandle ball = scene.add_ball({0.0, 0.0, kRadius});
  scene.detect();
  expect_refused([&] { scene.model.remove(ball); },
                 {"remove", "in 1 contact source", "replace(source, one without it)"});
  expect_refused([&] { scene.model.remove(SourceHandle{}); }, {"contact source handle", "another model"});
  const SourceHandle newer{scene.source.model, scene.source.number + 1000000};
  expect_refused([&] { scene.model.replace(newer, Stack::source_of({})); }, {"contact source handle", "newer"});
  expect_refused([&] { scene.model.replace(scene.source, std::shared_ptr<const ContactSource>()); },
                 {"ContactSource", "null"});
  NonSmoothDynamicalSystem other;
  const SystemHandle stranger = other.add(RigidBody{});
  TimeStepping simulation(scene.model, swept());
  expect_refused(
      [&] {
        simulation.edit([&](NonSmoothDynamicalSystem& model) {
          model.replace(scene.source, Stack::source_of({{stranger, {{.shape = Sphere{kRadius}}}}}));
        });
      },
      {"system handle", "another model"});
  EXPECT_EQ(simulation.model().source(scene.source)->bodies(), std::vector<SystemHandle>{ball});
  ASSERT_TRUE(simulation.advance_to(10 * kStep));
  EXPECT_EQ(std::as_const(simulation).state().contacts.size(), 1u);

  /// Names fewer contacts than it is asked for.
  class Forgetful final : public Points {
   public:
    using Points::Points;
    [[nodiscard]] std::vector<std::optional<std::uint64_t>> features_after(
        const ContactSource&, std::span<const std::uint64_t>) const override {
      return {};
    }
  };
  NonSmoothDynamicalSystem plane;
  const auto point = plane.add(PlanarBody{.gravity = {0.0, -kGravity}});
  const SourceHandle points = plane.detect(Points({point}));
  TimeStepping motion(plane, {.step = kStep});
  ASSERT_TRUE(motion.step());
  expect_refused([&] { motion.edit([&](NonSmoothDynamicalSystem& m) { m.replace(points, Forgetful({point})); }); },
                 {"ContactSource::features_after", "0 entries", "1 entry"});
}

TEST(EditedSources, ASourceThatWasRemovedIsFreedAtOnce) {
  // Workspaces of the simulation forget it with the edit: also those of possible ends, of verified and of projected
  // steps.
  Stack stack;
  stack.add_boxes(1);
  auto source = std::make_shared<const BodyContacts>(Stack::source_of(stack.bodies));
  const std::weak_ptr<const BodyContacts> watched = source;
  const SourceHandle handle = stack.model.detect(std::move(source));
  TimeSteppingOptions options = swept();
  options.projection.kind = Projection::Combined;
  options.verify = 1;
  TimeStepping simulation(std::move(stack.model), options);
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(simulation.step());
  ASSERT_FALSE(watched.expired());
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(handle); });
  EXPECT_TRUE(watched.expired());
  ASSERT_TRUE(simulation.step());
  EXPECT_EQ(simulation.problem().num_rows(), 0);
}

/// Of no bodies, and of a body without shapes: nothing touches, and no input is wrong, as shapes may come.
TEST(EditedSources, BodiesAndShapesComeToAnEmptySource) {
  const ShapeOnBody ground{.shape = HalfSpace{}}, ball{.shape = Sphere{kRadius}};
  const NewtonImpactFrictionLaw law{.friction = 0.5, .dimension = 3};
  for (const bool listed : {false, true}) {
    NonSmoothDynamicalSystem model;
    const SystemHandle body = model.add(Stack::body_at({0.0, 0.0, kRadius}));
    std::vector<BodyShapes> bodies;
    if (listed) bodies.push_back({body});
    const SourceHandle source = model.detect(BodyContacts(bodies, {ground}, law));
    TimeStepping simulation(model, swept());
    ASSERT_TRUE(simulation.step());
    EXPECT_EQ(simulation.problem().reduced.q.size(), 0);
    EXPECT_NEAR(simulation.state().v(body)[2], -kGravity * kStep, 1e-15);
    simulation.edit([&](NonSmoothDynamicalSystem& edited) {
      edited.replace(source, BodyContacts({{body, {ball}}}, {ground}, law));
    });
    ASSERT_TRUE(simulation.step());
    EXPECT_EQ(simulation.problem().reduced.q.size(), 3);
    EXPECT_NEAR(simulation.state().v(body)[2], 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace nonsmooth::edited_sources_test
