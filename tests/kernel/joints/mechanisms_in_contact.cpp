// SPDX-License-Identifier: Apache-2.0
// Rigid bodies with shapes, whose contacts are found or linked, and on a hinge: closed forms, and the verdicts of the
// same models written with linear systems.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/friction/hyperstaticity.hpp>
#include <problems/reference.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::mechanisms_in_contact_test {
namespace {

constexpr double kPi = std::numbers::pi, kGravity = 9.81;

/// A block of `mass`, half sides a, b, c, at rest with its centre at a height.
RigidBody block_at(double mass, const Eigen::Vector3d& half, double height) {
  return {.mass = mass,
          .inertia = MassProperties::of_mass(Box{half}, mass).inertia,
          .position = {0.0, 0.0, height},
          .gravity = {0.0, 0.0, -kGravity}};
}

constexpr double kA = 0.3, kB = 0.2, kC = 0.1;
std::array<Eigen::Vector3d, 4> feet_of_a_block() {
  return {Eigen::Vector3d(kA, kB, -kC), {kA, -kB, -kC}, {-kA, kB, -kC}, {-kA, -kB, -kC}};
}

/// Its feet are spheres, in any order; or it stands on the vertices of a box.
struct BlockOnFeet {
  static constexpr double kMass = 8.0, kFoot = 0.02;
  using Order = std::array<std::size_t, 4>;
  NonSmoothDynamicalSystem model;
  SystemHandle block;

  BlockOnFeet() : block(model.add(block_at(kMass, {kA, kB, kC}, kC))) {}

  [[nodiscard]] BodyContacts on_feet(const Order& order) const {
    BodyShapes feet{.body = block};
    for (const std::size_t i : order)
      feet.shapes.push_back(
          {.shape = Sphere{kFoot}, .position = feet_of_a_block()[i] + kFoot * Eigen::Vector3d::UnitZ()});
    return {{feet}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{0.3}};
  }
  [[nodiscard]] BodyContacts on_vertices() const {
    return {
        {{.body = block, .shapes = {{.shape = Box{{kA, kB, kC}}}}}}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{0.3}};
  }
  /// Of all forces that carry the weight without a moment, m g / 4 each: the least.
  static void expect_least(const Eigen::Vector4d& forces, double tolerance) {
    for (const double force : forces) EXPECT_NEAR(force, 0.25 * kMass * kGravity, tolerance);
  }
};

TEST(FourFeet, CarryABodyWithAUniqueTotalAndLeastForcesHoweverTheyAreNumbered) {
  Eigen::VectorXd first;
  for (const int shape : {0, 1, 2, 3}) {
    BlockOnFeet table;
    const BlockOnFeet::Order orders[]{{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}};
    table.model.detect(shape < 3 ? table.on_feet(orders[shape]) : table.on_vertices());
    const double h = 1e-2, weight = BlockOnFeet::kMass * kGravity;
    TimeStepping simulation(table.model, {.step = h});
    int all_feet = 0;
    const RunReport report = simulation.advance_to(1.0, [&](const State& state) {
      // Any of the forces that carry the block, at rest, so without a moment: their sum is unique. Feet without a force
      // may be lifted by rounding, and are back when they are not; where all are there the least forces are known.
      const OneStepNSProblem& problem = simulation.problem();
      EXPECT_NEAR(problem.result.r.sum() / h, weight, 1e-7 * weight);  // certified to 1e-9 or so of velocities g h
      EXPECT_LE(state.v(table.block).norm(), 1e-7 * kGravity * h);
      if (problem.num_rows() < 4) return;
      ++all_feet;
      const auto found = friction::hyperstaticity(problem.reduced, problem.result.r, problem.result.u);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->nullspace_dimension, 1);
      BlockOnFeet::expect_least(found->minimum_norm_r / h, 1e-7 * weight);
    });
    EXPECT_GE(all_feet, 1) << shape;
    ASSERT_TRUE(report) << report.message();
    const Eigen::VectorXd q = simulation.state().q(table.block);
    if (first.size() == 0) first = q;
    EXPECT_LE((q - first).norm(), 1e-9);  // 100 steps of 1e-9 of g h, for h each
    EXPECT_NEAR(q[2], kC, 1e-9);
  }
}

TEST(FourFeet, CarryABodyByTheLeastForcesByEvents) {
  for (const bool vertices : {false, true}) {
    BlockOnFeet table;
    std::vector<InteractionHandle> feet;
    const BodyContacts source = vertices ? table.on_vertices() : table.on_feet({2, 0, 3, 1});
    for (const LinkedContact& contact : link_contacts(table.model, source)) feet.push_back(contact.interaction);
    const auto found = analysis::examine(table.model);
    ASSERT_EQ(found.mechanical.size(), 1u);
    EXPECT_EQ(found.mechanical.front().closed, 4);
    EXPECT_EQ(found.mechanical.front().hyperstatic_contacts, 1);
    EventDriven simulation(table.model, {});
    const RunReport report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    std::vector<double> forces;
    for (const InteractionHandle foot : feet) {
      if (simulation.state().y(foot)[0] < kC) forces.push_back(simulation.state().force(foot)[0]);  // not those above
    }
    ASSERT_EQ(forces.size(), 4u);
    // Forces as exact as factors of four rows of which one depends on the others to 1e-11 (its threshold):
    // accelerations, which forces make zero, integrate to as little over a second.
    BlockOnFeet::expect_least(Eigen::Vector4d::Map(forces.data()), 1e-10 * BlockOnFeet::kMass * kGravity);
    EXPECT_NEAR(simulation.state().q(table.block)[2], kC, 1e-12);
    EXPECT_LE(simulation.state().v(table.block).norm(), 1e-12);
  }
}

/// A slab on a hinge, let go at an angle: T = 4 K(sin(angle / 2)) / omega, omega^2 = m g l / (J + m l^2) (Landau &
/// Lifshitz 1976, section 11 [landau1976]).
struct CompoundPendulum {
  static constexpr double angle = 1.2, m = 2.0, l = 0.4, J = 0.05;
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  Eigen::VectorXd start;

  CompoundPendulum()
      : body(model.add(RigidBody{.mass = m,
                                 .inertia = Eigen::Vector3d(0.02, 0.06, J).asDiagonal(),
                                 .position = l * Eigen::Vector3d(std::sin(angle), -std::cos(angle), 0.0),
                                 .orientation = {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)},
                                 .gravity = {0.0, -kGravity, 0.0}})),
        start(model.initial_state().q(body)) {
    link_joint(model, {body}, HingeJoint{joint_to_ground(start, Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ())});
  }
  [[nodiscard]] static double period() {
    const double k = std::sin(0.5 * angle);
    const double K = problems::integral_between(
        [k](double x) { return 1.0 / std::sqrt(1.0 - std::pow(k * std::sin(x), 2)); }, 0.0, 0.5 * kPi);
    return 4.0 * K * std::sqrt((J + m * l * l) / (m * kGravity * l));
  }
};

TEST(CompoundPendulum, OfARigidBodyOnAHingeHasItsPeriod) {
  const CompoundPendulum pendulum;
  const double period = CompoundPendulum::period();
  EventDriven simulation(pendulum.model, {});
  // A relative error of 1e-10 a step, some hundred steps, at speeds below 4 rad/s.
  RunReport report = simulation.advance_to(0.25 * period);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().q(pendulum.body)[0], 0.0, 1e-8);
  EXPECT_NEAR(simulation.state().q(pendulum.body)[1], -CompoundPendulum::l, 1e-8);
  report = simulation.advance_to(period);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE((simulation.state().q(pendulum.body) - pendulum.start).norm(), 1e-7);
  EXPECT_LE(simulation.state().v(pendulum.body).norm(), 1e-7);
}

TEST(CompoundPendulum, InStepsHasItsPeriodToFirstOrder) {
  // The hinge holds its rate with H at the end or in the middle of a step: order 1 either way, positions put back or
  // not. Three quarters of a period end where it passes its lowest place for the second time, between two steps.
  for (const auto kind : {Projection::None, Projection::Direct}) {
    for (const double weight : {1.0, 0.5}) {
      const auto off = [&](double h) {
        const CompoundPendulum pendulum;
        TimeStepping simulation(pendulum.model, {.integrator = MoreauJean{.configuration_weight = weight},
                                                 .step = h,
                                                 .newton = {.tolerance = 1e-12},
                                                 .projection = {.kind = kind, .bilateral_tolerance = 1e-10}});
        double passed = 0.0, x = 1.0, t = 0.0;
        int passages = 0;
        const RunReport report = simulation.advance_to(CompoundPendulum::period(), [&](const State& state) {
          const double next = state.q(pendulum.body)[0];
          if (x * next <= 0.0 && ++passages == 2) passed = t + (state.t - t) * x / (x - next);
          x = next, t = state.t;
        });
        EXPECT_TRUE(report) << report.message();
        return std::abs(passed / (0.75 * CompoundPendulum::period()) - 1.0);
      };
      // The next term is h sqrt(g / l), some 5 h, of the first: 1 % of the error, and of the order, at 2 ms.
      EXPECT_NEAR(fitted_order(2e-3, 2, off), 1.0, 0.05) << static_cast<int>(kind) << ' ' << weight;
      EXPECT_LT(off(5e-4), 5e-4) << static_cast<int>(kind) << ' ' << weight;
    }
  }
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
    const Law law =
        newton ? Law(NewtonImpactFrictionLaw{.friction = 2.0}) : Law(PoissonImpactLaw{.friction = 2.0, .dimension = 2});
    model.detect(PlanarContacts({{block, {{.shape = ConvexPolygon{{{-b, -a}, {b, -a}, {b, a}, {-b, a}}}}}}},
                                {{.shape = HalfPlane{}}}, law));
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

/// Painlevé's slender rod, length 2, mass 1, its lower tip slides towards -x: a body with a segment, its ends linked;
/// or a linear system with the tip's rows.
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
  const NewtonImpactFrictionLaw law{.friction = mu};
  if (body) {
    model.link(rod, DiskOnHalfPlane{.disk = {.center = {-1.0, 0.0}}, .rows = 2}, law, "tip");
  } else {
    model.link(rod, point_over_the_floor({-1.0, 0.0}), law, "tip");
  }
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

TEST(PainleveRod, OfASegmentSlidesBelowFourThirdsAndJamsAboveInSteps) {
  // At tan(phi) = 2, W = (1.6, -1.2; -1.2, 3.4): a slide towards -x asks for p_N = g h / (1.6 - 1.2 mu). Above 4/3 that
  // is negative, and the tip stops at once, by an impulse that does not vanish with h. H is that of the step's start.
  const double phi = std::atan(2.0), c = std::cos(phi), s = std::sin(phi), slip = 3.0;
  const Eigen::Matrix2d W{{1.6, -1.2}, {-1.2, 3.4}};
  for (const double mu : {0.5, 1.2, 1.4, 2.0}) {
    for (const double h : {1e-2, 1e-4}) {
      NonSmoothDynamicalSystem model;
      const SystemHandle rod = model.add(PlanarBody{.inertia = 1.0 / 3.0,
                                                    .position = {c, s},
                                                    .angle = phi,
                                                    .velocity = {-slip, 0.0},
                                                    .gravity = {0.0, -kGravity}});
      model.detect(PlanarContacts({{rod, {{.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}}}}}},
                                  {{.shape = HalfPlane{}}}, NewtonImpactFrictionLaw{.friction = mu}));
      TimeStepping run(model, {.step = h});
      const StepReport report = run.step();
      ASSERT_TRUE(report) << report.message();
      ASSERT_EQ(run.state().contacts.size(), 1u);
      const Eigen::Vector2d p(run.state().contacts[0].impulse[0], run.state().contacts[0].impulse[1]);
      // Certified to 1e-9 or so of speeds of 3 m/s, over the factor 0.1 of mu = 1.2 and 1.4.
      const double slides = kGravity * h / (1.6 - 1.2 * mu);
      const Eigen::Vector2d expected = mu < 4.0 / 3.0
                                           ? Eigen::Vector2d(slides, mu * slides)
                                           : Eigen::Vector2d(W.inverse() * Eigen::Vector2d(kGravity * h, slip));
      EXPECT_LE((p - expected).norm(), 1e-7) << mu << ' ' << h;
      const double u_T = run.state().v(rod)[0] + s * run.state().v(rod)[2];
      EXPECT_NEAR(u_T, mu < 4.0 / 3.0 ? (3.4 * mu - 1.2) * slides - slip : 0.0, 1e-7) << mu << ' ' << h;
    }
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
}  // namespace nonsmooth::mechanisms_in_contact_test
