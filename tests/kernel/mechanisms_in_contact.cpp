// SPDX-License-Identifier: Apache-2.0
// Rigid bodies on contacts that are relations of their corners, and on a hinge: closed forms, and the verdicts of the
// same models written with linear systems.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

namespace nonsmooth {
namespace {

constexpr double kPi = std::numbers::pi, kGravity = 9.81;

Eigen::Vector3d cross_of(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Q a Q* of a unit quaternion (w, x, y, z).
Eigen::Vector3d turned_by(const Eigen::Vector4d& Q, const Eigen::Vector3d& a) {
  const Eigen::Vector3d axis = Q.tail<3>();
  return a + 2.0 * cross_of(axis, cross_of(axis, a) + Q[0] * a);
}

Eigen::Vector4d conjugate(const Eigen::Vector4d& Q) { return {Q[0], -Q[1], -Q[2], -Q[3]}; }

/// A block of `mass`, half sides a, b, c, at rest with its centre at a height.
RigidBody block_at(double mass, const Eigen::Vector3d& half, double height) {
  const Eigen::Vector3d s = half.cwiseAbs2();
  return {.mass = mass,
          .inertia = (mass / 3.0 * Eigen::Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1])).asDiagonal(),
          .position = {0.0, 0.0, height},
          .gravity = {0.0, 0.0, -kGravity}};
}

/// Height of a point of one body: y = x_3 + (R p)_3, H = (e_3, p x R^T e_3).
ScleronomousRelation height_of(const Eigen::Vector3d& point) {
  return {.rows = 1,
          .h = [point](ConstVectorRef q, VectorRef y) { y[0] = q[2] + turned_by(q.tail<4>(), point)[2]; },
          .H =
              [point](ConstVectorRef q, MatrixRef H) {
                H(0, 2) = 1.0;
                H.row(0).tail<3>() =
                    cross_of(point, turned_by(conjugate(q.tail<4>()), Eigen::Vector3d::UnitZ())).transpose();
              },
          .curvature = {}};
}

constexpr double kA = 0.3, kB = 0.2, kC = 0.1;
std::array<Eigen::Vector3d, 4> feet_of_a_block() {
  return {Eigen::Vector3d(kA, kB, -kC), {kA, -kB, -kC}, {-kA, kB, -kC}, {-kA, -kB, -kC}};
}

struct BlockOnFeet {
  static constexpr double kMass = 8.0;
  NonSmoothDynamicalSystem model;
  SystemHandle block;
  std::array<InteractionHandle, 4> feet;
  explicit BlockOnFeet(const std::array<std::size_t, 4>& order) {
    block = model.add(block_at(kMass, {kA, kB, kC}, kC));
    for (const std::size_t i : order) {
      feet[i] = model.link(block, height_of(feet_of_a_block()[i]), NewtonImpactLaw{0.3}, "foot " + std::to_string(i));
    }
  }
  /// All reactions together carry the weight without a moment: what is unique of them.
  void expect_to_carry_the_weight(const State& state, double tolerance) const {
    double sum = 0.0, about_x = 0.0, about_y = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double force = state.force(feet[i])[0];
      EXPECT_GE(force, -tolerance);
      sum += force, about_x += force * feet_of_a_block()[i][1], about_y -= force * feet_of_a_block()[i][0];
    }
    EXPECT_NEAR(sum, kMass * kGravity, tolerance);
    EXPECT_NEAR(about_x, 0.0, tolerance * kB);
    EXPECT_NEAR(about_y, 0.0, tolerance * kA);
  }
};

TEST(FourFeet, CarryABodyWithAUniqueTotalHoweverTheyAreNumbered) {
  const BlockOnFeet counted({0, 1, 2, 3});
  const auto found = analysis::examine(counted.model);
  ASSERT_EQ(found.mechanical.size(), 1u);
  EXPECT_EQ(found.mechanical.front().closed, 4);
  EXPECT_EQ(found.mechanical.front().hyperstatic_contacts, 1);
  Eigen::VectorXd first;
  for (const auto& order : std::vector<std::array<std::size_t, 4>>{{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}}) {
    const BlockOnFeet table(order);
    const double h = 1e-2;
    TimeStepping simulation(table.model, {.step = h});
    const RunReport report = simulation.advance_to(
        1.0, [&](const State& state) {  // certified to 1e-9 or so of velocities g h: of forces m g
          table.expect_to_carry_the_weight(state, 1e-7 * BlockOnFeet::kMass * kGravity);
        });
    ASSERT_TRUE(report) << report.message();
    const Eigen::VectorXd q = simulation.state().q(table.block);
    if (first.size() == 0) first = q;
    EXPECT_LE((q - first).norm(), 1e-9);  // 100 steps of 1e-9 of g h, for h each
    EXPECT_NEAR(q[2], kC, 1e-9);
  }
}

TEST(FourFeet, CarryABodyAtRestByEvents) {
  const BlockOnFeet table({0, 1, 2, 3});
  EventDriven simulation(table.model, {});
  const RunReport report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  // Forces as exact as factors of four rows of which one depends on the others to 1e-11 (its threshold): accelerations,
  // which forces make zero, integrate to as little over a second.
  table.expect_to_carry_the_weight(simulation.state(), 1e-10 * BlockOnFeet::kMass * kGravity);
  EXPECT_NEAR(simulation.state().q(table.block)[2], kC, 1e-12);
  EXPECT_LE(simulation.state().v(table.block).norm(), 1e-12);
}

TEST(CompoundPendulum, OfARigidBodyOnAHingeHasItsPeriod) {
  // T = 4 K(sin(angle / 2)) / omega, omega^2 = m g l / (J + m l^2) (Landau & Lifshitz 1976, section 11 [landau1976]).
  const double angle = 1.2, m = 2.0, l = 0.4, J = 0.05, k = std::sin(0.5 * angle);
  const double K = problems::integral_between(
      [k](double x) { return 1.0 / std::sqrt(1.0 - std::pow(k * std::sin(x), 2)); }, 0.0, 0.5 * kPi);
  const double period = 4.0 * K * std::sqrt((J + m * l * l) / (m * kGravity * l));
  const RigidBody slab{.mass = m,
                       .inertia = Eigen::Vector3d(0.02, 0.06, J).asDiagonal(),
                       .position = l * Eigen::Vector3d(std::sin(angle), -std::cos(angle), 0.0),
                       .orientation = {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)},
                       .gravity = {0.0, -kGravity, 0.0}};
  NonSmoothDynamicalSystem model;
  const SystemHandle body = model.add(slab);
  const Eigen::VectorXd start = model.initial_state().q(body);
  link_joint(model, {body}, HingeJoint{joint_to_ground(start, Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ())});
  EventDriven simulation(model, {});
  // A relative error of 1e-10 a step, some hundred steps, at speeds below 4 rad/s.
  RunReport report = simulation.advance_to(0.25 * period);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().q(body)[0], 0.0, 1e-8);
  EXPECT_NEAR(simulation.state().q(body)[1], -l, 1e-8);
  report = simulation.advance_to(period);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE((simulation.state().q(body) - start).norm(), 1e-7);
  EXPECT_LE(simulation.state().v(body).norm(), 1e-7);
}

/// Rows (N, T) of a point of a body in the plane over the floor y = 0, with its curvature.
ScleronomousRelation point_over_the_floor(const Eigen::Vector2d& p) {
  return {.rows = 2,
          .h =
              [p](ConstVectorRef q, VectorRef y) {
                const double c = std::cos(q[2]), s = std::sin(q[2]);
                y << q[1] + s * p[0] + c * p[1], q[0] + c * p[0] - s * p[1];
              },
          .H =
              [p](ConstVectorRef q, MatrixRef H) {
                const double c = std::cos(q[2]), s = std::sin(q[2]);
                H(0, 1) = H(1, 0) = 1.0;
                H(0, 2) = c * p[0] - s * p[1];
                H(1, 2) = -s * p[0] - c * p[1];
              },
          .curvature =
              [p](ConstVectorRef q, ConstVectorRef v, VectorRef value) {
                const double c = std::cos(q[2]), s = std::sin(q[2]);
                value << -(s * p[0] + c * p[1]) * v[2] * v[2], -(c * p[0] - s * p[1]) * v[2] * v[2];
              }};
}

TEST(RockingBlock, OfABodyInThePlaneHasItsQuarterPeriodsAndRatioByBothLaws) {
  // Housner 1963: a block of half height a and half width b tilted by theta about a corner, phi = alpha - theta,
  // phi'' = p^2 sin(phi), p^2 = 3 g / (4 R); an impact leaves 1 - 3/2 sin^2(alpha) of the rate. A restitution of 0 is
  // the same by Newton's law and by Poisson's.
  const double a = 0.5, b = 0.1, tilt = 0.1, m = 3.0, R = std::hypot(a, b), alpha = std::atan2(b, a);
  const double p = std::sqrt(0.75 * kGravity / R), ratio = 1.0 - 1.5 * std::pow(std::sin(alpha), 2);
  const auto quarter = [&](double from) {  // phi = alpha - from + from s^2 makes the integrand regular
    return problems::integral_between(
        [&](double s) {
          const double half = 0.5 * from * s * s;
          return from * s / (p * std::sqrt(std::sin(half) * std::sin(alpha - from + half)));
        },
        0.0, 1.0);
  };
  const double rate = p * std::sqrt(2.0 * (std::cos(alpha - tilt) - std::cos(alpha)));
  std::vector<double> expected{quarter(tilt)};
  for (int n = 1; n < 4; ++n) {
    const double after = rate * std::pow(ratio, n);
    const double highest = alpha - std::acos(std::cos(alpha) + 0.5 * after * after / (p * p));
    expected.push_back(expected.back() + 2.0 * quarter(highest));
  }
  for (const bool newton : {true, false}) {
    NonSmoothDynamicalSystem model;
    const double c = std::cos(tilt), s = std::sin(tilt);
    const SystemHandle block = model.add(PlanarBody{.mass = m,
                                                    .inertia = m * (a * a + b * b) / 3.0,
                                                    .position = {c * b - s * a, s * b + c * a},
                                                    .angle = tilt,
                                                    .gravity = {0.0, -kGravity}});
    for (const double side : {-b, b}) {
      const Law law = newton ? Law(NewtonImpactFrictionLaw{.friction = 2.0})
                             : Law(PoissonImpactLaw{.friction = 2.0, .dimension = 2});
      model.link(block, point_over_the_floor({side, -a}), law, side < 0.0 ? "left" : "right");
    }
    EventDriven simulation(model, {});
    std::vector<double> times, ratios;
    const RunReport report = simulation.advance_to(
        expected.back() + 0.05, EventDrivenObserver{.instant = [&](const Instant& at) {
          const bool impact = std::any_of(at.events.begin(), at.events.end(),
                                          [](const Event& event) { return event.kind == EventKind::Impact; });
          if (impact) {
            times.push_back(at.after.t);
            ratios.push_back(at.after.v(block)[2] / at.before.v(block)[2]);
          }
          return true;
        }});
    ASSERT_TRUE(report) << newton << ": " << report.message();
    ASSERT_EQ(times.size(), expected.size()) << newton;
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(times[i], expected[i], 1e-8) << newton << ' ' << i;  // 1e-10 a step, a hundred steps
      EXPECT_NEAR(ratios[i], ratio, 1e-12) << newton << ' ' << i;      // corners on the floor to round-off
    }
  }
}

/// Painlevé's slender rod, length 2, mass 1, its lower tip slides towards -x: as a body, or as a linear system.
NonSmoothDynamicalSystem painleve_rod_of(bool body, double mu, double phi, double spin, double lift = 0.0) {
  NonSmoothDynamicalSystem model;
  const double c = std::cos(phi), s = std::sin(phi), vertical = lift - kGravity;
  const SystemHandle rod =
      body ? model.add(PlanarBody{.mass = 1.0,
                                  .inertia = 1.0 / 3.0,
                                  .position = {c, s},
                                  .angle = phi,
                                  .velocity = {-3.0 - s * spin, c * spin},
                                  .angular_velocity = spin,
                                  .gravity = {0.0, vertical}})
           : model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 1.0 / 3.0).asDiagonal(),
                                              .force = {0.0, vertical, 0.0},
                                              .q0 = {c, s, phi},
                                              .v0 = {-3.0 - s * spin, c * spin, spin}});
  model.link(rod, point_over_the_floor({-1.0, 0.0}), NewtonImpactFrictionLaw{.friction = mu}, "tip");
  return model;
}

TEST(PainleveRod, OfABodyIsExaminedAsTheLinearSystem) {
  // At tan(phi) = 2 the bound (1 + 3 cos^2) / (3 sin cos) is at its least, 4/3; H is exact: some eps.
  const double phi = std::atan(2.0);
  for (const double mu : {1.0, 1.2, 1.4, 2.0}) {
    const auto by_body = analysis::examine(painleve_rod_of(true, mu, phi, 0.0)).mechanical;
    const auto by_system = analysis::examine(painleve_rod_of(false, mu, phi, 0.0)).mechanical;
    ASSERT_EQ(by_body.size(), 1u);
    ASSERT_EQ(by_system.size(), 1u);
    ASSERT_EQ(by_body[0].friction.size(), 1u);
    ASSERT_EQ(by_system[0].friction.size(), 1u);
    EXPECT_NEAR(by_body[0].friction[0].bound, 4.0 / 3.0, 1e-14) << mu;
    EXPECT_NEAR(by_body[0].friction[0].bound, by_system[0].friction[0].bound, 1e-14) << mu;
    EXPECT_EQ(by_body[0].friction[0].above(), mu > 4.0 / 3.0) << mu;
    EXPECT_EQ(by_body[0].unique_step, by_system[0].unique_step) << mu;
    EXPECT_EQ(by_body[0].unique_step, mu > 4.0 / 3.0 ? analysis::Verdict::Fails : analysis::Verdict::Holds) << mu;
    EXPECT_EQ(by_body[0].solutions.existence, by_system[0].solutions.existence) << mu;
    EXPECT_EQ(by_body[0].solutions.uniqueness, by_system[0].solutions.uniqueness) << mu;
  }
}

TEST(PainleveRod, OfABodyHasThePossibleStepsOfTheLinearSystem) {
  // Pulled off the floor by 2.5 m/s^2: take-off, sliding on and sticking above the bound, take-off alone below it.
  const double phi = std::atan(2.0), h = 1e-2, lift = kGravity + 2.5;
  for (const double mu : {0.5, 1.2, 2.0}) {
    std::vector<std::vector<PossibleStep>> steps;
    for (const bool body : {true, false}) {
      const NonSmoothDynamicalSystem model = painleve_rod_of(body, mu, phi, 0.0, lift);
      steps.push_back(possible_steps(model, {.step = h}, h, model.initial_state()));
    }
    EXPECT_EQ(steps[0].size(), mu > 4.0 / 3.0 ? 3u : 1u) << mu;
    ASSERT_EQ(steps[0].size(), steps[1].size()) << mu;
    for (std::size_t i = 0; i < steps[0].size(); ++i) {
      // Each certified to 1e-9 of velocities of 3 m/s.
      EXPECT_LE((steps[0][i].state.unknowns - steps[1][i].state.unknowns).norm(), 1e-8) << mu << ' ' << i;
      EXPECT_EQ(steps[0][i].isolated, steps[1][i].isolated) << mu << ' ' << i;
    }
  }
}

TEST(PainleveRod, OfABodyIsTakenByEventsAsTheLinearSystem) {
  // Inconsistent above 4/3 where it slides; ambiguous where its spin lifts the tip, -g + spin^2 sin(phi) > 0.
  const double phi = std::atan(2.0);
  for (const bool body : {true, false}) {
    EventDriven below(painleve_rod_of(body, 4.0 / 3.0 - 0.1, phi, 0.0), {});
    const RunReport slides = below.advance_to(1e-3);
    EXPECT_TRUE(slides) << body << ": " << slides.message();
    EventDriven above(painleve_rod_of(body, 4.0 / 3.0 + 0.1, phi, 0.0), {});
    EXPECT_EQ(above.advance_to(1e-3).outcome, RunReport::Outcome::NoMode) << body;
    const EventDriven ambiguous(painleve_rod_of(body, 2.0, phi, 5.0), {});
    ASSERT_EQ(ambiguous.alternatives().size(), 1u) << body;
    // tan(phi) = 2: W_NN - mu W_NT is 1 + 3 / 5 - 3 2 2 / 5 = -0.8, so that the force that holds the tip down is the
    // tip's acceleration over 0.8; ten operations.
    const double c = 1.0 / std::sqrt(5.0), s = 2.0 * c, force = (25.0 * s - kGravity) / 0.8;
    const Eigen::Vector3d rates(2.0 * force, force - kGravity, 3.0 * (2.0 * s - c) * force);
    EXPECT_LE((ambiguous.alternatives().front().rates - rates).norm(), 1e-12 * rates.norm()) << body;
  }
}

}  // namespace
}  // namespace nonsmooth
