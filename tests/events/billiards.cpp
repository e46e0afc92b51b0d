// SPDX-License-Identifier: Apache-2.0
// Billiards by events: spheres in a box, in a row and beside one another, a disk in a circle, against closed forms and
// a simulation of free flights by hand.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "event_log.hpp"
#include "hard_spheres.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::billiards_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::ball;

TEST(BilliardsByEvents, ABilliardOfSpheresIsThatOfFreeFlightsByHand) {
  const double r = 0.15;
  billiard::HardSpheres exact{
      .x = {{0.2, 0.2, 0.25}, {0.75, 0.25, 0.3}, {0.3, 0.75, 0.35}, {0.7, 0.7, 0.75}, {0.25, 0.3, 0.8}},
      .v = {{1.0, 0.3, 0.2}, {-0.7, 0.5, 0.1}, {0.4, -0.9, 0.6}, {-0.5, -0.2, -0.8}, {0.2, 0.7, -0.6}},
      .radius = r};
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  std::vector<ShapeOnBody> walls;
  for (std::size_t i = 0; i < 5; ++i)
    bodies.push_back({model.add(ball(r, 0.5, exact.x[i], exact.v[i])), {{.shape = Sphere{r}}}});
  for (Index wall = 0; wall < 6; ++wall)
    walls.push_back({.shape = HalfSpace{billiard::HardSpheres::inward(wall), wall % 2 == 0 ? 0.0 : -1.0}});
  const auto linked = link_contacts(model, BodyContacts(bodies, walls, NewtonImpactLaw{.restitution = 1.0}));
  ASSERT_EQ(linked.size(), 10u + 30u);

  std::vector<billiard::HardSpheres::Hit> expected;
  double t = 0.0, energy = 0.0;
  for (const Vector3d& v : exact.v) energy += 0.25 * v.squaredNorm();
  for (int k = 0; k < 50; ++k) {
    billiard::HardSpheres::Hit hit = exact.next();
    exact.advance(hit);
    hit.t = t += hit.t;
    expected.push_back(hit);
  }
  EventDriven simulation(model);
  double off_momentum = 0.0;
  const auto momentum = [&](const State& state) {
    Vector3d sum = Vector3d::Zero();
    for (const BodyShapes& body : bodies) sum += 0.5 * state.v(body.body).head<3>();
    return sum;
  };
  const auto report = simulation.advance_to(
      t + 1e-6, EventDrivenObserver{.instant = [&](const Instant& at) {
        for (const LinkedContact& contact : linked) {
          const bool hit = at.events.size() == 1 && at.events[0].interaction == contact.interaction;
          if (hit && contact.second >= 0)
            off_momentum = std::max(off_momentum, (momentum(at.after) - momentum(at.before)).norm());
        }
        return true;
      }});
  ASSERT_TRUE(report) << report.message();
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), expected.size());
  Index of_spheres = 0;
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    const auto contact = std::find_if(linked.begin(), linked.end(), [&](const LinkedContact& own) {
      return own.interaction == impacts[k].interaction;
    });
    ASSERT_NE(contact, linked.end());
    ASSERT_EQ(contact->first, expected[k].first) << "impact " << k;
    ASSERT_EQ(contact->second, std::max<Index>(expected[k].second, -1)) << "impact " << k;
    if (contact->second >= 0) ++of_spheres;
    // Each impact of two spheres spreads a round-off of 1e-16 by some 2 flight / (2 r) = 3, and no sphere has more than
    // ten of them: 3^10 roundings.
    EXPECT_NEAR(impacts[k].t, expected[k].t, 1e-10) << "impact " << k;
  }
  EXPECT_GE(of_spheres, 10);
  EXPECT_LE(off_momentum, 1e-14);
  double after = 0.0;
  for (const BodyShapes& body : bodies) after += 0.25 * simulation.state().v(body.body).head<3>().squaredNorm();
  EXPECT_NEAR(after, energy, 50.0 * 1e-15 * energy);
}

/// A relation that counts how often its y is asked for, and may keep to itself how steep it is.
class Counted final : public MechanicalRelation {
 public:
  Counted(std::shared_ptr<const MechanicalRelation> relation, bool known, Index& calls)
      : relation_(std::move(relation)), known_(known), calls_(calls) {}
  [[nodiscard]] Index rows() const override { return relation_->rows(); }
  [[nodiscard]] bool depends_on_time() const override { return false; }
  [[nodiscard]] double smallest_feature() const override { return relation_->smallest_feature(); }
  [[nodiscard]] double steepness(Index systems) const override { return known_ ? relation_->steepness(systems) : 0.0; }
  void h(double t, ConstVectorRef q, VectorRef y) const override {
    ++calls_;
    relation_->h(t, q, y);
  }
  void H(double t, ConstVectorRef q, MatrixRef jacobian) const override { relation_->H(t, q, jacobian); }
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override {
    relation_->curvature(t, q, v, value);
  }

 private:
  std::shared_ptr<const MechanicalRelation> relation_;
  bool known_;
  Index& calls_;
};

TEST(BilliardsByEvents, FarPairsAreLeftOutOfAStepAndNothingElseChanges) {
  // A ball goes to and fro between two walls 1 m apart; 60 others 10 m away and more do not move.
  const double r = 0.1;
  std::vector<std::vector<double>> times;
  Index calls[2]{0, 0};
  for (const bool known : {false, true}) {
    NonSmoothDynamicalSystem model;
    const NewtonImpactLaw elastic{.restitution = 1.0};
    const auto moving = model.add(ball(r, 1.0, {0.3, 0.0, 0.0}, {0.8, 0.0, 0.0}));
    model.link(moving, SphereOnHalfSpace{{.radius = r}, {.normal = Vector3d::UnitX()}}, elastic, "left");
    model.link(moving, SphereOnHalfSpace{{.radius = r}, {.normal = -Vector3d::UnitX(), .offset = -1.0}}, elastic,
               "right");
    for (int i = 0; i < 60; ++i) {
      const auto other = model.add(ball(r, 1.0, {0.5, 10.0 + i, 0.0}));
      const auto pair = make_relation(SpherePair{{.radius = r}, {.radius = r}});
      model.link({moving, other}, std::make_shared<const Counted>(pair, known, calls[known ? 1 : 0]), elastic);
    }
    EventDriven simulation(model);
    run_to(simulation, 20.0);
    times.push_back(times_of(simulation, EventKind::Impact));
  }
  std::vector<double> expected;
  for (int k = 0; k < 20; ++k) {
    if (const double t = (0.6 + 0.8 * k) / 0.8; t < 20.0) expected.push_back(t);
  }
  for (const auto& found : times) expect_times(found, expected, 1e-12);
  // The six next ones are looked at beside the walls, in a hundred places a step; 54 once, and a few times an impact.
  EXPECT_LT(4 * calls[1], calls[0]);
}

TEST(BilliardsByEvents, ACircularBilliardKeepsItsAngle) {
  // Verification problem 6: a centre within the circle of radius rho = R - r, each chord 2 rho cos(a) at the angle a.
  const double R = 1.0, r = 0.1, rho = R - r, a = 0.6, v = 1.3;
  NonSmoothDynamicalSystem model;
  const auto disk = model.add(PlanarBody{
      .mass = 2.0, .inertia = 0.01, .position = {rho, 0.0}, .velocity = {-v * std::cos(a), v * std::sin(a)}});
  model.link(disk, DiskInCircle{{.radius = r}, {.radius = R}}, NewtonImpactLaw{.restitution = 1.0}, "circle");
  EventDriven simulation(model);
  const double chord = 2.0 * rho * std::cos(a) / v;
  std::vector<double> angular;
  const auto report = simulation.advance_to(40.5 * chord, EventDrivenObserver{.instant = [&](const Instant& at) {
                                              const auto q = at.after.q(disk), u = at.after.v(disk);
                                              angular.push_back(q[0] * u[1] - q[1] * u[0]);
                                              return true;
                                            }});
  ASSERT_TRUE(report) << report.message();
  std::vector<double> expected;
  for (int k = 1; k <= 40; ++k) expected.push_back(k * chord);
  // Angles are kept by the map, times add up: a hundred roundings.
  expect_times(times_of(simulation, EventKind::Impact), expected, 1e-12);
  for (const double moment : angular) EXPECT_NEAR(moment, rho * v * std::sin(a), 1e-13);
  EXPECT_NEAR(simulation.state().v(disk).head<2>().norm(), v, 1e-13);
}

TEST(BilliardsByEvents, ARowOfSpheresTakesOneImpactOrOneAfterTheOther) {
  // Verification problem 4: equal spheres that touch, hit by one: (-1, 2, 2) / 3 by Newton's law; apart: (0, 0, 1).
  const double r = 0.1;
  for (const double gap : {0.0, 0.05}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> balls;
    for (int i = 0; i < 3; ++i) {
      const double x = (2.0 * r + gap) * i - (i == 0 ? 0.3 : 0.0);
      balls.push_back(model.add(ball(r, 0.7, {x, 0.0, 0.0}, {i == 0 ? 1.0 : 0.0, 0.0, 0.0})));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      model.link({balls[i], balls[i + 1]}, SpherePair{{.radius = r}, {.radius = r}},
                 NewtonImpactLaw{.restitution = 1.0});
    }
    EventDriven simulation(model);
    run_to(simulation, 1.0);
    const std::vector<double> expected =
        gap == 0.0 ? std::vector<double>{-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0} : std::vector<double>{0.0, 0.0, 1.0};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(simulation.state().v(balls[i])[0], expected[i], 1e-13) << gap << ", ball " << i;
      EXPECT_NEAR(simulation.state().v(balls[i]).tail<5>().norm(), 0.0, 1e-15);
    }
    expect_times(times_of(simulation, EventKind::Impact),
                 gap == 0.0 ? std::vector<double>{0.3, 0.3} : std::vector<double>{0.35, 0.4}, 1e-13);
  }
}

TEST(BilliardsByEvents, ARunThatIsResumedHasTheSameBits) {
  // Nine balls that bounce and roll into one another: more pairs than are searched at once.
  for (const bool found : {false, true}) {
    const double r = 0.1;
    NonSmoothDynamicalSystem model;
    std::vector<BodyShapes> bodies;
    for (int i = 0; i < 9; ++i) {
      const Vector3d position(0.3 * (i % 3), 0.3 * (i / 3), r + 0.02 * i), velocity(0.3 - 0.1 * (i % 3), 0.05 * i, 0.0);
      bodies.push_back({model.add(ball(r, 1.0, position, velocity, kGravity)), {{.shape = Sphere{r}}}});
    }
    const BodyContacts source(bodies, {{.shape = HalfSpace{}}},
                              NewtonImpactFrictionLaw{.restitution = 0.6, .friction = 0.3, .dimension = 3});
    if (found) {
      model.detect(source);
    } else {
      link_contacts(model, source);
    }
    EventDriven whole(model), resumed(model);
    run_to(whole, 0.31);
    const State between = whole.state();
    run_to(whole, 0.5);
    resumed.set_state(between);
    run_to(resumed, 0.5);
    EXPECT_GE(events_of(whole, EventKind::Impact).size(), 10u);
    EXPECT_EQ(whole.state().positions, resumed.state().positions);
    EXPECT_EQ(whole.state().unknowns, resumed.state().unknowns);
  }
}

}  // namespace
}  // namespace nonsmooth::billiards_test
