// SPDX-License-Identifier: Apache-2.0
// Contacts of shapes by events: rolling, billiards, rows of spheres, edges and vertices, against closed forms and a
// simulation of free flights by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <problems/reference.hpp>

#include "event_log.hpp"

namespace nonsmooth {
namespace {

using namespace event_log;
using Eigen::Vector3d;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;

Eigen::Vector4d turned_by(const Vector3d& w) {
  const double half = 0.5 * w.norm();
  return (Eigen::Vector4d() << std::cos(half), std::sin(half) * w.normalized()).finished();
}
/// From the axes of a body to those of space, q of 7 numbers.
Vector3d in_space(ConstVectorRef q, const Vector3d& a) {
  const Vector3d axis = q.segment<3>(4);
  const auto cross = [](const Vector3d& x, const Vector3d& y) {
    return Vector3d(x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]);
  };
  return a + 2.0 * (q[3] * cross(axis, a) + cross(axis, cross(axis, a)));
}

RigidBody ball(double radius, double mass, const Vector3d& position, const Vector3d& velocity = Vector3d::Zero(),
               double gravity = 0.0) {
  return {.mass = mass,
          .inertia = 0.4 * mass * radius * radius * Eigen::Matrix3d::Identity(),
          .position = position,
          .orientation = turned_by({0.3, -0.5, 0.8}),
          .velocity = velocity,
          .gravity = {0.0, 0.0, -gravity}};
}

TEST(ShapesByEvents, ASphereSlidesThenRolls) {
  // Verification problem 16: at t = 2 v0 / (7 mu g) it rolls with 5/7 v0, after 12 v0^2 / (49 mu g).
  const double r = 0.1, m = 2.0, mu = 0.2, v0 = 1.5, t = 2.0 * v0 / (7.0 * mu * kGravity);
  const Vector3d along = Vector3d(0.6, 0.8, 0.0);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball(r, m, {0.0, 0.0, r}, v0 * along, kGravity));
  const auto contacts = link_contacts(model, BodyContacts({{body, {{.shape = Sphere{r}}}}}, {{.shape = HalfSpace{}}},
                                                          NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  ASSERT_EQ(contacts.size(), 1u);
  EventDriven simulation(model);
  run_to(simulation, 1.0);
  // The friction is constant: velocities are integrated without truncation, and the turn of the body does not act back.
  expect_times(times_of(simulation, EventKind::Stick), {t}, 1e-10);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
  const State& state = simulation.state();
  const Vector3d v = state.v(body).head<3>(), omega = in_space(state.q(body), state.v(body).tail<3>());
  const double v1 = 5.0 / 7.0 * v0, way = 12.0 * v0 * v0 / (49.0 * mu * kGravity) + v1 * (1.0 - t);
  EXPECT_LE((v - v1 * along).norm(), 1e-12);
  EXPECT_LE((r * omega - v1 * Vector3d(-0.8, 0.6, 0.0)).norm(), 1e-12);
  EXPECT_LE((state.q(body).head<3>() - Vector3d(0.6 * way, 0.8 * way, r)).norm(), 1e-10);
  EXPECT_NEAR(state.force(contacts[0].interaction)[0], m * kGravity, 1e-11);
}

/// Spheres of one radius and mass in the cube (0, 1)^3, elastic: flights and impacts by hand.
struct HardSpheres {
  std::vector<Vector3d> x, v;
  double radius;

  struct Hit {
    double t;
    Index first, second;  ///< second: -1 - k, of wall k
  };

  [[nodiscard]] static Vector3d inward(Index wall) { return (wall % 2 == 0 ? 1.0 : -1.0) * Vector3d::Unit(wall / 2); }

  Hit next() const {
    Hit soonest{1e300, -1, -1};
    const auto count = static_cast<Index>(x.size());
    for (Index i = 0; i < count; ++i) {
      const Vector3d &xi = x[static_cast<std::size_t>(i)], &vi = v[static_cast<std::size_t>(i)];
      for (Index wall = 0; wall < 6; ++wall) {
        const double speed = inward(wall).dot(vi);
        const double gap = inward(wall).dot(xi) + (wall % 2 == 0 ? 0.0 : 1.0) - radius;
        if (speed < 0.0 && -gap / speed < soonest.t) soonest = {-gap / speed, i, -1 - wall};
      }
      for (Index j = i + 1; j < count; ++j) {
        const Vector3d d = xi - x[static_cast<std::size_t>(j)], w = vi - v[static_cast<std::size_t>(j)];
        const double b = d.dot(w), a = w.squaredNorm(), c = d.squaredNorm() - 4.0 * radius * radius;
        if (b >= 0.0 || b * b < a * c) continue;
        const double t = c / (-b + std::sqrt(b * b - a * c));
        if (t < soonest.t) soonest = {t, i, j};
      }
    }
    return soonest;
  }
  void advance(const Hit& hit) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += hit.t * v[i];
    Vector3d& vi = v[static_cast<std::size_t>(hit.first)];
    if (hit.second < 0) {
      const Vector3d n = inward(-1 - hit.second);
      vi -= 2.0 * n.dot(vi) * n;
      return;
    }
    Vector3d& vj = v[static_cast<std::size_t>(hit.second)];
    const Vector3d n = (x[static_cast<std::size_t>(hit.first)] - x[static_cast<std::size_t>(hit.second)]).normalized();
    const double exchanged = n.dot(vi - vj);
    vi -= exchanged * n;
    vj += exchanged * n;
  }
};

TEST(ShapesByEvents, ABilliardOfSpheresIsThatOfFreeFlightsByHand) {
  const double r = 0.15;
  HardSpheres exact{.x = {{0.2, 0.2, 0.25}, {0.75, 0.25, 0.3}, {0.3, 0.75, 0.35}, {0.7, 0.7, 0.75}, {0.25, 0.3, 0.8}},
                    .v = {{1.0, 0.3, 0.2}, {-0.7, 0.5, 0.1}, {0.4, -0.9, 0.6}, {-0.5, -0.2, -0.8}, {0.2, 0.7, -0.6}},
                    .radius = r};
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  std::vector<ShapeOnBody> walls;
  for (std::size_t i = 0; i < 5; ++i)
    bodies.push_back({model.add(ball(r, 0.5, exact.x[i], exact.v[i])), {{.shape = Sphere{r}}}});
  for (Index wall = 0; wall < 6; ++wall)
    walls.push_back({.shape = HalfSpace{HardSpheres::inward(wall), wall % 2 == 0 ? 0.0 : -1.0}});
  const auto linked = link_contacts(model, BodyContacts(bodies, walls, NewtonImpactLaw{.restitution = 1.0}));
  ASSERT_EQ(linked.size(), 10u + 30u);

  std::vector<HardSpheres::Hit> expected;
  double t = 0.0, energy = 0.0;
  for (const Vector3d& v : exact.v) energy += 0.25 * v.squaredNorm();
  for (int k = 0; k < 50; ++k) {
    HardSpheres::Hit hit = exact.next();
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

TEST(ShapesByEvents, FarPairsAreLeftOutOfAStepAndNothingElseChanges) {
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

TEST(ShapesByEvents, ACircularBilliardKeepsItsAngle) {
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

TEST(ShapesByEvents, ARowOfSpheresTakesOneImpactOrOneAfterTheOther) {
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

TEST(ShapesByEvents, ADiskBouncesOnAFloorAndIsSpun) {
  // The first impact takes the slip away: v_x = 2/3 v0, omega = -2/3 v0 / r, as no impulse on the rim changes the
  // moment about it. Later ones have no slip left. Flights are those of the height.
  const double r = 0.1, m = 1.0, e = 0.8, v0 = 0.3, height = 0.5;
  NonSmoothDynamicalSystem model;
  const auto disk = model.add(PlanarBody{.mass = m,
                                         .inertia = 0.5 * m * r * r,
                                         .position = {0.0, r + height},
                                         .velocity = {v0, 0.0},
                                         .gravity = {0.0, -kGravity}});
  const FloorProfile flat{.height = [](double) { return 0.0; },
                          .slope = [](double) { return 0.0; },
                          .curvature = [](double) { return 0.0; },
                          .highest = 0.0};
  const auto linked =
      link_contacts(model, DiskContacts({disk}, {r}, NewtonImpactFrictionLaw{.restitution = e, .friction = 1.0}, flat));
  ASSERT_EQ(linked.size(), 1u);
  EventDriven simulation(model);
  const double first = std::sqrt(2.0 * height / kGravity);
  run_to(simulation, first * (1.0 + 2.0 * e + 2.0 * e * e) + 0.01);
  expect_times(times_of(simulation, EventKind::Impact),
               {first, first * (1.0 + 2.0 * e), first * (1.0 + 2.0 * e + 2.0 * e * e)}, 1e-13);
  EXPECT_NEAR(simulation.state().v(disk)[0], 2.0 / 3.0 * v0, 1e-13);
  EXPECT_NEAR(simulation.state().v(disk)[2], -2.0 / 3.0 * v0 / r, 1e-12);
}

TEST(ShapesByEvents, ADiskLeavesAHillThatBendsAwayFromIt) {
  // Without friction the height tells the speed. On height(x) = h cos(k x) a centre is at the distance r from the
  // curve, and leaves where speed^2 over the radius of curvature of its path, r more than the hill's, is g across.
  const double r = 0.05, h = 0.3, k = 2.0, start = -0.3, square = 10.2;
  const FloorProfile hill{.height = [=](double x) { return h * std::cos(k * x); },
                          .slope = [=](double x) { return -h * k * std::sin(k * x); },
                          .curvature = [=](double x) { return -h * k * k * std::cos(k * x); }};
  const auto length = [&](double s) { return std::hypot(1.0, hill.slope(s)); };
  const auto centre = [&](double s) {
    return Eigen::Vector2d(s - r * hill.slope(s) / length(s), hill.height(s) + r / length(s));
  };
  const auto margin = [&](double s) {
    const double rho = std::pow(length(s), 3) / -hill.curvature(s);
    return kGravity / length(s) - (square + 2.0 * kGravity * (centre(start)[1] - centre(s)[1])) / (rho + r);
  };
  const double leaves = problems::root_between(margin, start, 0.0);
  NonSmoothDynamicalSystem model;
  const Eigen::Vector2d along = Eigen::Vector2d(1.0, hill.slope(start)) / length(start);
  const auto disk = model.add(
      PlanarBody{.position = centre(start), .velocity = std::sqrt(square) * along, .gravity = {0.0, -kGravity}});
  model.link(disk, DiskOnFloor{{.radius = r}, hill}, NewtonImpactLaw{}, "hill");
  EventDriven simulation(model);
  Eigen::Vector2d left = Eigen::Vector2d::Zero();
  const auto report = simulation.advance_to(1.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                              left = at.after.q(disk).head<2>();
                                              return at.events[0].kind != EventKind::Opening;
                                            }});
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver) << report.message();
  EXPECT_LE((left - centre(leaves)).norm(), kIntegrated);
}

TEST(ShapesByEvents, ASphereSlidesOrRollsOffASphere) {
  // From rest at th0 on a sphere that is fixed, sliding off leaves it at cos(th) = 2/3 cos(th0). Rolling, v^2 = 10/7 g
  // (R + r) (cos(th0) - cos(th)) as long as it sticks: |F_T| / F_N = 2/7 sin(th) / (17/7 cos(th) - 10/7 cos(th0)).
  const double R = 0.5, r = 0.1, th0 = 0.3, m = 0.8;
  const Vector3d start = (R + r) * Vector3d(0.6 * std::sin(th0), 0.8 * std::sin(th0), std::cos(th0));
  for (const double mu : {0.0, 0.7}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(ball(r, m, start, Vector3d::Zero(), kGravity));
    const auto contact = model.link(
        body, SpherePair{{.radius = r}, {.radius = R}, mu > 0.0 ? 3 : 1},
        mu > 0.0 ? Law(NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}) : Law(NewtonImpactLaw{}), "sphere");
    EventDriven simulation(model);
    const EventKind end = mu > 0.0 ? EventKind::Slip : EventKind::Opening;
    Eigen::VectorXd q = Eigen::VectorXd::Zero(7), v = Eigen::VectorXd::Zero(6);
    double aside = 0.0;
    const auto report = simulation.advance_to(3.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                                if (at.events[0].kind != end) return true;
                                                q = at.before.q(body), v = at.before.v(body);
                                                aside =
                                                    at.before.u(contact).tail(at.before.u(contact).size() - 1).norm();
                                                return false;
                                              }});
    ASSERT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver) << report.message();
    const double c = q[2] / (R + r);
    EXPECT_NEAR(q.head<3>().norm(), R + r, 1e-10);
    EXPECT_NEAR(q[1] / q[0], 0.8 / 0.6, 1e-8);  // in the plane that it started in
    if (mu == 0.0) {
      EXPECT_NEAR(c, 2.0 / 3.0 * std::cos(th0), kIntegrated);
      EXPECT_LE(v.tail<3>().norm(), 1e-12);
      continue;
    }
    const double slips = problems::root_between(
        [&](double th) {
          return mu * (17.0 / 7.0 * std::cos(th) - 10.0 / 7.0 * std::cos(th0)) - 2.0 / 7.0 * std::sin(th);
        },
        th0, 0.9);
    EXPECT_NEAR(c, std::cos(slips), kIntegrated);
    EXPECT_NEAR(v.head<3>().squaredNorm(), 10.0 / 7.0 * kGravity * (R + r) * (std::cos(th0) - c), kIntegrated);
    EXPECT_LE(aside, 1e-9);
  }
}

TEST(ShapesByEvents, ACapsuleFallsFlatAndComesToRest) {
  // Both ends at once, each with -e of its velocity: flights as of a ball, no turn. In the end half the weight an end.
  const double r = 0.1, half = 0.4, m = 1.5, e = 0.5, height = 0.3, first = std::sqrt(2.0 * height / kGravity);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = m,
                                        .inertia = Vector3d(0.09, 0.09, 0.0075).asDiagonal(),
                                        .position = {0.0, 0.0, r + height},
                                        .orientation = turned_by({0.5 * kPi, 0.0, 0.0}),  // along y
                                        .gravity = {0.0, 0.0, -kGravity}});
  const auto linked = link_contacts(model, BodyContacts({{body, {{.shape = Capsule{r, half}}}}},
                                                        {{.shape = HalfSpace{}}}, NewtonImpactLaw{.restitution = e}));
  ASSERT_EQ(linked.size(), 2u);
  EventDriven simulation(model);
  run_to(simulation, first * (1.0 + e) / (1.0 - e) + 0.2);
  const auto times = times_of(simulation, EventKind::Impact);
  ASSERT_GE(times.size(), 6u);
  for (std::size_t k = 0; k < 3; ++k) {  // an event an end
    const double at = first * (1.0 + 2.0 * (k > 0 ? e : 0.0) + 2.0 * (k > 1 ? e * e : 0.0));
    EXPECT_NEAR(times[2 * k], at, 1e-13) << k;
    EXPECT_NEAR(times[2 * k + 1], at, 1e-13) << k;
  }
  const State& state = simulation.state();
  EXPECT_NEAR(state.q(body)[2], r, 1e-11);
  EXPECT_LE(state.v(body).norm(), 1e-11);
  for (const LinkedContact& contact : linked)
    EXPECT_NEAR(state.force(contact.interaction)[0], 0.5 * m * kGravity, 1e-10);
}

TEST(ShapesByEvents, ABoxDroppedOnAnEdgeRocks) {
  // A box of half widths (b, c) and half height a, tilted by `tilt` about y, falls from `height` on its lower edge,
  // which sticks: phi = alpha - tilt is the angle of the diagonal to the vertical, I = 4/3 m R^2 about the edge, so
  // that phi' = 3 v sin(phi) / (4 R) after it; then phi'' = p^2 sin(phi), p^2 = 3 g / (4 R), to phi = alpha, where the
  // other edge hits and leaves 1 - 3/2 sin^2(alpha) of the rate (Housner 1963), verification problem 7.
  const double a = 0.5, b = 0.1, c = 0.15, tilt = 0.1, m = 3.0, height = 0.02;
  const double R = std::hypot(a, b), alpha = std::atan2(b, a), p2 = 0.75 * kGravity / R, phi0 = alpha - tilt;
  NonSmoothDynamicalSystem model;
  const auto block = model.add(
      RigidBody{.mass = m,
                .inertia = m / 3.0 * Vector3d(a * a + c * c, a * a + b * b, b * b + c * c).asDiagonal().toDenseMatrix(),
                .position = {0.0, 0.0, b * std::sin(tilt) + a * std::cos(tilt) + height},
                .orientation = turned_by({0.0, tilt, 0.0}),
                .gravity = {0.0, 0.0, -kGravity}});
  const auto linked =
      link_contacts(model, BodyContacts({{block, {{.shape = Box{{b, c, a}}}}}}, {{.shape = HalfSpace{}}},
                                        NewtonImpactFrictionLaw{.friction = 2.0, .dimension = 3}));
  ASSERT_EQ(linked.size(), 8u);
  const double dropped = std::sqrt(2.0 * height / kGravity);
  const double start = 0.75 * kGravity * dropped * std::sin(phi0) / R;
  const auto rate = [&](double phi) { return std::sqrt(start * start + 2.0 * p2 * (std::cos(phi0) - std::cos(phi))); };
  const double ratio = 1.0 - 1.5 * std::sin(alpha) * std::sin(alpha), after = ratio * rate(alpha);
  // Then up to phi_1, where the rate is zero, and back: phi = phi_1 + (alpha - phi_1) s^2 makes the integrand regular.
  const double phi1 = std::acos(std::cos(alpha) + 0.5 * after * after / p2);
  const double quarter = problems::integral_between(
      [&](double s) {
        const double half = 0.5 * (alpha - phi1) * s * s;
        return (alpha - phi1) * s / std::sqrt(p2 * std::sin(half) * std::sin(phi1 + half));
      },
      0.0, 1.0);
  const double landed = dropped + problems::integral_between([&](double phi) { return 1.0 / rate(phi); }, phi0, alpha);
  EventDriven simulation(model);
  std::vector<double> times, ratios;
  const auto report = simulation.advance_to(
      landed + 2.0 * quarter + 0.05, EventDrivenObserver{.instant = [&](const Instant& at) {
        const bool impact = std::any_of(at.events.begin(), at.events.end(),
                                        [](const Event& event) { return event.kind == EventKind::Impact; });
        if (!impact) return true;
        times.push_back(at.after.t);
        ratios.push_back(at.after.v(block)[4] / at.before.v(block)[4]);
        return true;
      }});
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(times.size(), 3u);
  EXPECT_NEAR(times[0], dropped, 1e-12);  // a parabola
  EXPECT_NEAR(times[1], landed, kIntegrated);
  EXPECT_NEAR(times[2], landed + 2.0 * quarter, kIntegrated);
  EXPECT_NEAR(ratios[1], ratio, 1e-10);  // all vertices on the floor to what is integrated, 1e-10
  EXPECT_NEAR(ratios[2], ratio, 1e-10);
  EXPECT_LE(std::abs(simulation.state().v(block)[1]) + std::abs(simulation.state().v(block)[3]), 1e-9);
}

TEST(ShapesByEvents, ASourceItselfIsRefusedWithTheWayOut) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball(0.1, 1.0, {0.0, 0.0, 1.0}));
  model.detect(BodyContacts({{body, {{.shape = Sphere{0.1}}}}}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{}));
  try {
    const EventDriven simulation(model);
    ADD_FAILURE() << "nothing was refused";
  } catch (const InvalidArgument& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("link_contacts"), std::string::npos) << refusal.what();
  }
}

}  // namespace
}  // namespace nonsmooth
