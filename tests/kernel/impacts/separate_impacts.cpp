// SPDX-License-Identifier: Apache-2.0
// Poisson's impacts in steps of time-stepping: against closed forms, against event-driven simulation, and at rest.
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "kernel/fitted_order.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::separate_impacts_test {
namespace {

using bad_input::expect_refused;
using closed_forms::kEps;
using closed_forms::kGravity;
using closed_forms::mass_point;

// Small dense problems of condition below 100, solved by pivoting: exact but for round-off.
constexpr double kExact = 1e3 * kEps;

TimeSteppingOptions steps(double h) { return {.integrator = MoreauJean{}, .step = h}; }

/// Unit masses on a line at one place, velocities v, without a force; contact i between ball i and i + 1.
template <class MakeLaw>
Eigen::VectorXd after_a_step(const std::vector<double>& v, const MakeLaw& law) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  for (const double speed : v) balls.push_back(model.add(mass_point(1.0, 0.0, 0.0, speed)));
  for (std::size_t i = 0; i + 1 < balls.size(); ++i)
    model.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, law(i));
  TimeStepping simulation(model, steps(1e-3));
  const StepReport report = simulation.step();
  EXPECT_TRUE(report) << report.message();
  Eigen::VectorXd result(static_cast<Index>(v.size()));
  for (std::size_t i = 0; i < balls.size(); ++i) result[static_cast<Index>(i)] = simulation.state().v(balls[i])[0];
  return result;
}

TEST(PoissonInSteps, GivesTheBallsOfACradleTheirClosedForms) {
  const auto elastic = [](std::size_t) { return PoissonImpactLaw{.restitution = 1.0}; };
  EXPECT_LT((after_a_step({1, 0, 0}, elastic) - Eigen::Vector3d(-1, 2, 2) / 3.0).norm(), kExact);
  const Eigen::VectorXd five = (Eigen::VectorXd(5) << -3, 2, 2, 2, 2).finished() / 5.0;
  EXPECT_LT((after_a_step({1, 0, 0, 0, 0}, elastic) - five).norm(), kExact);
  const auto putty = [](std::size_t i) { return PoissonImpactLaw{.restitution = i == 0 ? 0.0 : 1.0}; };
  const Eigen::VectorXd behind = (Eigen::VectorXd(5) << -1, -1, 4, 4, 4).finished() / 10.0;
  EXPECT_LT((after_a_step({1, 0, 0, 0, 0}, putty) - behind).norm(), kExact);
}

TEST(PoissonInSteps, OneContactIsNewtonsUntilItRests) {
  // v+ = e |v-| as Newton's, the weight of the step in the impulse; as slow as g h the ball comes to rest.
  const double h = 1e-3, e = 0.7;
  for (const double speed : {1.0, 1.01 * kGravity * h, 0.99 * kGravity * h}) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(mass_point(2.0, -2.0 * kGravity, 0.0, -speed));
    const auto floor =
        model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{.restitution = e}, "floor");
    TimeStepping simulation(model, steps(h));
    ASSERT_TRUE(simulation.step());
    const bool impact = speed > kGravity * h;
    const double expected = impact ? e * speed : 0.0;
    EXPECT_NEAR(simulation.state().v(ball)[0], expected, 16.0 * kEps) << speed;
    EXPECT_NEAR(simulation.state().impulse(floor)[0], 2.0 * (expected + speed + kGravity * h), 64.0 * kEps);
    if (impact) continue;
    for (int k = 0; k < 3000; ++k) ASSERT_TRUE(simulation.step());
    EXPECT_EQ(simulation.state().v(ball)[0], 0.0);
  }
}

/// A slender rod whose lower end touches: m = 1, length 2, J = 1/3, the end (1/2, -sqrt(3)/2) from the centre; rows N
/// and T, or N, T and a second tangent along which a fourth coordinate moves.
struct Corner {
  static constexpr double J = 1.0 / 3.0;
  const double rx = 0.5, ry = -std::sqrt(0.75);
  Eigen::Matrix2d W{{1.0 + rx * rx / J, -rx* ry / J}, {-rx * ry / J, 1.0 + ry* ry / J}};

  [[nodiscard]] Eigen::Vector2d after(double slip, double e, double mu, Index dimension) const {
    NonSmoothDynamicalSystem model;
    Eigen::VectorXd mass = Eigen::VectorXd::Ones(dimension + 1), v0 = Eigen::VectorXd::Zero(dimension + 1);
    mass[2] = J;
    v0.head(2) << slip, -1.0;
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(dimension, dimension + 1);
    H.row(0).head(3) << 0.0, 1.0, rx;
    H.row(1).head(3) << 1.0, 0.0, -ry;
    if (dimension == 3) H(2, 3) = 1.0;
    const auto rod = model.add(LagrangianLinearSystem{
        .mass = Eigen::MatrixXd(mass.asDiagonal()), .q0 = Eigen::VectorXd::Zero(dimension + 1), .v0 = v0});
    model.link(rod, LagrangianLinearRelation{.H = H},
               PoissonImpactLaw{.restitution = e, .friction = mu, .dimension = dimension});
    TimeStepping simulation(model, steps(1e-3));
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    return (H * simulation.state().v(rod)).head(2);
  }
};

TEST(PoissonInSteps, KnowsFrictionInBothPhases) {
  const Corner corner;
  const Eigen::Matrix2d& W = corner.W;
  const double e = 0.7;
  for (const Index dimension : {2, 3}) {
    // In space by iterations to a residual of 1e-10 of speeds of 1 m/s, two problems.
    const double tolerance = dimension == 2 ? kExact : 1e-8;
    // Sticks in both phases: u_N+ = e (-u_N- + u_T- W_NT / W_TT), not Newton's -e u_N-.
    const Eigen::Vector2d stuck = corner.after(0.5, e, 0.6, dimension);
    EXPECT_NEAR(stuck[0], e * (1.0 + 0.5 * W(0, 1) / W(1, 1)), tolerance);
    EXPECT_NEAR(stuck[1], 0.0, tolerance);
    // Slides in both: p_N = (1 + e) / (W_NN - mu W_NT).
    const Eigen::Vector2d slid = corner.after(5.0, e, 0.6, dimension);
    const double p = (1.0 + e) / (W(0, 0) - 0.6 * W(0, 1));
    EXPECT_NEAR(slid[0], e, tolerance);
    EXPECT_NEAR(slid[1], 5.0 + p * (W(0, 1) - 0.6 * W(1, 1)), tolerance);
    // Slides while it is compressed and sticks while it expands: p_eN = e p_c, u_T+ = 0, mu = 0.45.
    const double mu = 0.45, p_c = 1.0 / (W(0, 0) - mu * W(0, 1)), left = 0.02;
    const double p_t = -(left + W(0, 1) * e * p_c) / W(1, 1);
    ASSERT_LT(std::abs(p_t), mu * e * p_c);
    const Eigen::Vector2d turned = corner.after(p_c * (mu * W(1, 1) - W(0, 1)) + left, e, mu, dimension);
    EXPECT_NEAR(turned[0], W(0, 0) * e * p_c + W(0, 1) * p_t, tolerance);
    EXPECT_NEAR(turned[1], 0.0, tolerance);
  }
}

TEST(PoissonInSteps, AJointHoldsInTheImpact) {
  // Two masses with one velocity: m1 + m2 rebounds with e, and the joint takes m2 of it.
  NonSmoothDynamicalSystem model;
  const auto lower = model.add(mass_point(1.0, 0.0, 0.0, -1.0)), upper = model.add(mass_point(3.0, 0.0, 1.0, -1.0));
  const auto floor = model.link(lower, LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{.restitution = 0.6});
  const auto joint =
      model.link({lower, upper}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-1.0}}, EqualityLaw{});
  TimeStepping simulation(model, steps(1e-3));
  ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(simulation.state().v(lower)[0], 0.6, kExact);
  EXPECT_NEAR(simulation.state().v(upper)[0], 0.6, kExact);
  EXPECT_NEAR(simulation.state().impulse(floor)[0], 4.0 * 1.6, kExact);
  EXPECT_NEAR(simulation.state().impulse(joint)[0], 3.0 * 1.6, kExact);
}

/// A mass of 1 kg arrives at 1 m/s along n, at the point p of a body of 1 kg and 1 kg m^2 that a joint holds at the
/// origin; another touches the body there on the other side. Speed of that one after the impact.
template <class Joint, class Friction>
double behind_a_joint(const Joint& joint, const Friction& friction, const Eigen::Vector3d& p,
                      const Eigen::Vector3d& n) {
  NonSmoothDynamicalSystem model;
  const auto arriving = model.add(mass_point(1.0, 0.0, 0.0, 1.0)), behind = model.add(mass_point(1.0, 0.0, 0.0, 0.0));
  const auto body = model.add(RigidBody{.name = "body"});
  model.link(body, joint, friction, "joint");
  const auto touch = [&](SystemHandle mass, double side, double restitution) {
    const auto h = [=](ConstVectorRef q, VectorRef y) {
      const Eigen::Vector3d point = q.segment<3>(1) + jointed::turned(q.tail<4>(), p);
      y[0] = side * (q[0] - n.dot(point));
    };
    const auto H = [=](ConstVectorRef, MatrixRef value) {
      value(0, 0) = side;
      value.block<1, 3>(0, 1) = -side * n.transpose();
      value.block<1, 3>(0, 4) = -side * jointed::cross(p, n).transpose();
    };
    model.link({mass, body}, ScleronomousRelation{.h = h, .H = H}, PoissonImpactLaw{.restitution = restitution});
  };
  touch(arriving, -1.0, 0.0);
  touch(behind, 1.0, 1.0);
  TimeStepping simulation(model, steps(1e-3));
  const StepReport report = simulation.step();
  EXPECT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().v(arriving)[0], 0.0, 1e-8) << "it hit";
  return simulation.state().v(behind)[0];
}

TEST(PoissonInSteps, JointsWithFrictionHoldInTheImpactInAllDirections) {
  // What is held moves nothing behind it: 0, by iterations to a residual of 1e-10 of speeds of 1 m/s.
  const Eigen::VectorXd start = jointed::place(Eigen::Vector3d::Zero());
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero(), x = Eigen::Vector3d::UnitX();
  for (Index k = 0; k < 3; ++k) {
    const Eigen::Vector3d n = Eigen::Vector3d::Unit(k);
    EXPECT_NEAR(behind_a_joint(FrictionalBall{joint_to_ground(start, origin)},
                               BallFrictionLaw{.friction = 0.1, .radius = 0.01}, origin, n),
                0.0, 1e-8)
        << k;
    if (k == 0) continue;
    // A shaft along x, hit beside its bushing: about both axes across it.
    EXPECT_NEAR(behind_a_joint(FrictionalCylindrical{joint_to_ground(start, origin, x), 0.05},
                               CylindricalFrictionLaw{.friction = 0.1}, 0.5 * x, n),
                0.0, 1e-8)
        << k;
  }
}

/// Two balls, the heavy one on the light one, fall from 1 m; contact 0 with the floor.
std::pair<NonSmoothDynamicalSystem, std::vector<SystemHandle>> two_balls(double height) {
  NonSmoothDynamicalSystem model;
  const std::vector<SystemHandle> balls{model.add(mass_point(1.0, -kGravity, height, 0.0)),
                                        model.add(mass_point(3.0, -3.0 * kGravity, height, 0.0))};
  model.link(balls[0], LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{.restitution = 0.8}, "floor");
  model.link(balls, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, PoissonImpactLaw{.restitution = 0.5}, "balls");
  return {model, balls};
}

TEST(PoissonInSteps, TendsToTheImpactsOfEvents) {
  const double t1 = std::sqrt(2.0 / kGravity), T = t1 + 0.1;
  const auto [model, balls] = two_balls(1.0);
  EventDriven reference(model, {.relative_tolerance = 1e-12, .absolute_tolerance = 1e-12});
  ASSERT_TRUE(reference.advance_to(T));
  // The impact falls into the middle of a step for every h, so that the error is one power of h and no saw.
  const double order = fitted_order(4e-3, 5, [&, &balls = balls](double h) {
    TimeStepping simulation(model, steps(t1 / (std::round(t1 / h) + 0.5)));
    EXPECT_TRUE(simulation.advance_to(T));
    double error = 0.0;
    for (const SystemHandle ball : balls) {
      error += std::abs(simulation.state().q(ball)[0] - reference.state().q(ball)[0]) +
               std::abs(simulation.state().v(ball)[0] - reference.state().v(ball)[0]);
    }
    return error;
  });
  EXPECT_NEAR(order, 1.0, 0.1);
}

TEST(PoissonInSteps, WhatRestsDoesNotJump) {
  const double h = 1e-3;
  const auto [model, balls] = two_balls(0.0);
  TimeStepping simulation(model, steps(h));
  ASSERT_TRUE(simulation.advance_to(0.5, [&, &balls = balls](const State& state) {
    for (const SystemHandle ball : balls) ASSERT_LT(std::abs(state.v(ball)[0]), 1e2 * kEps * kGravity) << state.t;
  }));
  // A third one falls on them: the three come to rest again, with the weights above them as impulses of a step.
  NonSmoothDynamicalSystem hit = model;
  const auto third = hit.add(mass_point(1.0, -kGravity, 0.01, 0.0));
  const auto last = hit.link({balls[1], third}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}},
                             PoissonImpactLaw{.restitution = 0.5}, "third");
  TimeStepping struck(hit, steps(h));
  double highest = 0.0;
  ASSERT_TRUE(struck.advance_to(
      3.0, [&, &balls = balls](const State& state) { highest = std::max(highest, state.v(balls[1])[0]); }));
  // All stop, then the floor gives 0.8 and the others 0.5 of the impulse back: the two lower balls leave as one of
  // mass 4. The speed of the third is known to g h.
  EXPECT_NEAR(highest, 0.3 / 4.0 * std::sqrt(2.0 * kGravity * 0.01), kGravity * h);
  EXPECT_NEAR(struck.state().impulse(last)[0], kGravity * h, 1e-9 * kGravity * h);
  for (const SystemHandle ball : {balls[0], balls[1], third}) EXPECT_LT(std::abs(struck.state().v(ball)[0]), 1e-12);
}

/// A box of 2 kg that is thrown on a plane, in throw k of many, under Poisson's law with friction.
struct ThrownBox {
  NonSmoothDynamicalSystem model;
  SystemHandle box;

  explicit ThrownBox(int k) {
    std::array<double, 8> s{};
    for (int i = 0; i < 8; ++i) {
      const int n = 9 * k + i;
      s[static_cast<std::size_t>(i)] = std::sin(1.0 + 7.0 * n * n);
    }
    box = model.add(RigidBody{.mass = 2.0,
                              .inertia = Eigen::Vector3d(0.02, 0.03, 0.025).asDiagonal(),
                              .position = {0.0, 0.0, 0.4},
                              .orientation = Eigen::Vector4d(1.0, s[0], s[1], s[2]).normalized(),
                              .velocity = {s[3], s[4], -1.0},
                              .angular_velocity = {2.0 * s[5], 2.0 * s[6], 2.0 * s[7]},
                              .gravity = {0.0, 0.0, -kGravity}});
    model.detect(BodyContacts({{box, {{.shape = Box{{0.2, 0.15, 0.1}}}}}}, {{.shape = HalfSpace{}}},
                              PoissonImpactLaw{.restitution = 0.5, .friction = 0.4, .dimension = 3}));
  }
};

TEST(PoissonInSteps, ThrownBoxesComeToRestAndGainNoEnergy) {
  // On four corners that share a face, rows of friction depend on one another, those of an expansion twice. What
  // friction does of the forces' own opposes the slip, also where the slip turned in the impact, so that p_I is inside
  // its cone. A step may give m g^2 h^2 / 8, where a contact stops what the step's forces alone send in (u- = g h / 2,
  // p = m g h / 2); what a spinning box pulls with is below a tenth of its weight when it lands for good.
  for (const auto& [h, k] : {std::pair{1e-3, 7}, {1e-3, 9}, {1e-3, 10}, {2.5e-4, 2}, {2.5e-4, 3}, {2.5e-4, 13}}) {
    const ThrownBox thrown(k);
    TimeStepping simulation(thrown.model, steps(h));
    Ledger ledger(simulation);
    double energy = ledger.last().energy(), most = 0.0;
    const RunReport report = simulation.advance_to(1.5, [&](const State& state) {
      const double now = ledger.record(state).energy();
      most = std::max(most, now - energy);
      energy = now;
    });
    EXPECT_TRUE(report) << k << ": " << report.message();
    EXPECT_TRUE(report.findings.empty()) << k << ": " << report.message();
    EXPECT_LT(most, 1.1 * 2.0 * kGravity * kGravity * h * h / 8.0) << k;
  }
}

TEST(PoissonInSteps, KnowsContactsThatAreFound) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (int i = 0; i < 3; ++i) {
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(Eigen::Vector3d(1, 1, 0.5).asDiagonal()),
                                                     .q0 = {2.0 * i, 0.0, 0.0},
                                                     .v0 = {i == 0 ? 1.0 : 0.0, 0.0, 0.0}}));
  }
  model.detect(DiskContacts(disks, {1.0, 1.0, 1.0}, PoissonImpactLaw{.restitution = 1.0, .dimension = 2}));
  TimeStepping simulation(model, steps(1e-3));
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  const double expected[] = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(simulation.state().v(disks[i])[0], expected[i], kExact);
  // Works of the impact: p (u+ + u-) / 2 of both, which add to 0.
  double work = 0.0;
  for (const ContactMemory& contact : simulation.state().contacts) work += contact.work_normal;
  EXPECT_NEAR(work, 0.0, kExact);
}

TEST(PoissonInSteps, HasTheSameBitsInAFreshWorkspaceAndForAnyThreads) {
  const auto [model, balls] = two_balls(0.3);
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    TimeSteppingOptions options = steps(1e-3);
    options.threads = threads;
    TimeStepping simulation(model, options);
    ASSERT_TRUE(simulation.advance_to(0.2));
    TimeStepping copy(model, options);
    copy.set_state(simulation.state());
    ASSERT_TRUE(simulation.advance_to(1.0));
    ASSERT_TRUE(copy.advance_to(1.0));
    if (threads == 1) expected = hash_of(simulation.state());
    EXPECT_EQ(hash_of(simulation.state()), expected) << threads;
    EXPECT_EQ(hash_of(copy.state()), expected) << threads;
  }
}

TEST(PoissonInSteps, WhatDoesNotFitIsTold) {
  const auto refused = [](const std::function<void(NonSmoothDynamicalSystem&, SystemHandle)>& link,
                          const TimeSteppingOptions& options, const std::vector<std::string>& parts) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(mass_point(1.0, 0.0, 0.0, -1.0));
    model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{.restitution = 0.5}, "floor");
    link(model, ball);
    expect_refused([&] { TimeStepping(model, options); }, parts);
  };
  const auto nothing = [](NonSmoothDynamicalSystem&, SystemHandle) {};
  refused(nothing, {.integrator = SchatzmanPaoli{}, .step = 1e-3}, {"floor", "level of positions", "MoreauJean"});
  refused(nothing, {.step = 1e-3, .form = Form::Global}, {"floor", "Form::Global", "Form::Reduced"});
  // Bodies that share no contact may have other laws.
  NonSmoothDynamicalSystem apart;
  for (const bool poisson : {true, false}) {
    apart.link(apart.add(mass_point(1.0, 0.0, 0.0, -1.0)), LagrangianLinearRelation{.H = {{1.0}}},
               poisson ? Law(PoissonImpactLaw{.restitution = 0.5}) : Law(NewtonImpactLaw{0.5}));
  }
  TimeStepping simulation(apart, steps(1e-3));
  ASSERT_TRUE(simulation.step());
  EXPECT_NEAR((simulation.state().unknowns.array() - 0.5).abs().maxCoeff(), 0.0, kExact);
  const State start = apart.initial_state();
  expect_refused([&] { (void)possible_steps(apart, steps(1e-3), 1e-3, start); }, {"PoissonImpactLaw"});
}

TEST(SeparateImpacts, OtherLawsMayActBesideThemWhereTheyMeetInNoImpact) {
  // Three masses over each other and a floor; all may touch their neighbours. In the first step the lowest bounces by
  // Poisson's law, 1 m above it the upper ones share their speed by Newton's, (1 +- 0.25) / 2 of it.
  NonSmoothDynamicalSystem model;
  const std::vector<SystemHandle> masses{model.add(mass_point(1.0, 0.0, 0.4e-3, -1.0)),
                                         model.add(mass_point(1.0, 0.0, 1.0, 0.0)),
                                         model.add(mass_point(1.0, 0.0, 1.0004, -1.0))};
  model.link(masses[0], LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{.restitution = 0.5}, "floor");
  for (const std::size_t i : {0u, 1u})
    model.link({masses[i], masses[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{0.25});
  TimeStepping simulation(model, steps(1e-3));
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  const auto expect_speeds = [&](const std::array<double, 3>& expected) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(simulation.state().v(masses[i])[0], expected[i], kExact) << i;
  };
  expect_speeds({0.5, -0.625, -0.375});
  // At 0.89 s the lowest meets the next, far from the floor: an impact of Newton's law alone.
  const RunReport run = simulation.advance_to(1.0);
  ASSERT_TRUE(run) << run.message();
  const double mean = -0.0625, half = 0.5 * 0.25 * 1.125;
  expect_speeds({mean - half, mean + half, -0.375});
}

TEST(SeparateImpacts, WhereLawsMeetInAnImpactTheStepThrows) {
  // The lowest two are one island with the floor: it is hit, or the one above is.
  for (const bool above : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto lower = model.add(mass_point(1.0, 0.0, 0.0, above ? 0.0 : -1.0));
    const auto upper = model.add(mass_point(1.0, 0.0, 1.0, -1.0));
    model.link(lower, LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{.restitution = 0.5}, "floor");
    model.link({lower, upper}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-1.0}}, NewtonImpactLaw{0.5},
               "upper");
    for (const OnFailure on_failure : {OnFailure::Stop, OnFailure::Accept, OnFailure::Subdivide}) {
      TimeSteppingOptions options = steps(1e-3);
      options.on_failure = on_failure;
      TimeStepping simulation(model, options);
      const std::uint64_t before = hash_of(simulation.state());
      expect_refused([&] { (void)simulation.step(); }, {"floor", "upper", "one impact law"});
      EXPECT_EQ(hash_of(simulation.state()), before);
    }
  }
}

TEST(SeparateImpacts, OtherLawsMayRestBesideThem) {
  // A mass rests on another on the floor, by Newton's law and Poisson's: no impact, no jump.
  NonSmoothDynamicalSystem model;
  const auto lower = model.add(mass_point(1.0, -kGravity, 0.0, 0.0));
  const auto upper = model.add(mass_point(1.0, -kGravity, 1.0, 0.0));
  model.link(lower, LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{.restitution = 0.5}, "floor");
  const auto on =
      model.link({lower, upper}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-1.0}}, NewtonImpactLaw{0.5});
  TimeStepping simulation(model, steps(1e-3));
  const RunReport run = simulation.advance_to(0.1);
  ASSERT_TRUE(run) << run.message();
  EXPECT_NEAR(simulation.state().impulse(on)[0], kGravity * 1e-3, 1e-12);
  EXPECT_LT(simulation.state().unknowns.lpNorm<Eigen::Infinity>(), 1e-12);
}

TEST(SeparateImpacts, MaterialsOfOneSourceMayHaveEitherLaw) {
  // Two disks and a floor, rubber and steel: rubber obeys Poisson's law, steel Newton's, and they never meet. Each ends
  // as it does alone.
  const auto disk_at = [](double x) {
    return PlanarBody{.inertia = 0.004, .position = {x, 0.1 + 0.5e-3}, .velocity = {0.0, -1.0}};
  };
  const auto shape = [](SystemHandle body, Index material) {
    return PlanarBodyShapes{.body = body, .shapes = {{.shape = Disk{0.1}, .material = material}}};
  };
  ContactMaterials materials(2, 0);
  materials.set_law(1, 1, 1).set_law(0, 1, 1);
  NonSmoothDynamicalSystem model;
  const std::vector<SystemHandle> disks{model.add(disk_at(0.0)), model.add(disk_at(1.0))};
  model.detect(PlanarContacts({shape(disks[0], 0), shape(disks[1], 1)}, {{.shape = HalfPlane{}, .material = 0}},
                              {PoissonImpactLaw{.restitution = 0.5}, NewtonImpactLaw{0.25}}, materials));
  TimeStepping simulation(model, steps(1e-3));
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().v(disks[0])[1], 0.5, kExact);
  EXPECT_NEAR(simulation.state().v(disks[1])[1], 0.25, kExact);
}

}  // namespace
}  // namespace nonsmooth::separate_impacts_test
