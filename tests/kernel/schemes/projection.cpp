// SPDX-License-Identifier: Apache-2.0
// Positions moved back to their constraints after each step: drift, penetration, orders, bits.
//
// The pendulum is a unit point mass in the plane at |q| = 1, y = |q| - 1. Under Moreau-Jean with H at q_{k+1} a step
// has q_{k+1} · v_{k+1} = 0, so that without a projection, from q_{k+1} = q_k + h (theta v_{k+1} + (1-theta) v_k),
//     theta = 1:    |q_{k+1}|^2 = |q_k|^2 - h^2 |v_{k+1}|^2,                 drift that grows with every step;
//     theta = 1/2:  |q_k|^2 + h^2 |v_k|^2 / 4 is constant,                   drift that stays of the order h^2.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <problems/reference.hpp>

#include "kernel/projection.hpp"

namespace nonsmooth::projection_test {
namespace {

using projecting::distance;
using projecting::kEps;
using projecting::kGravity;
using projecting::point;

struct Pendulum {
  NonSmoothDynamicalSystem model;
  SystemHandle mass;
  InteractionHandle rod;

  Pendulum() {
    mass = model.add(point({1.0, 0.0}));
    rod = model.link(mass, distance(1.0), EqualityLaw{});
  }
  [[nodiscard]] double energy(const State& state) const {
    return 0.5 * state.v(mass).squaredNorm() + kGravity * state.q(mass)[1];
  }
};

TEST(Projection, DriftGrowsWithoutAndStaysBelowItsToleranceWith) {
  const double h = 1e-3, tolerance = 1e-8;
  const int steps = 10'000;
  for (const auto kind : {Projection::None, Projection::Direct, Projection::Combined}) {
    const Pendulum pendulum;
    TimeStepping simulation(pendulum.model, projecting::options(kind, h, 1.0, tolerance));
    double squares = 0.0, worst = 0.0;
    for (int k = 0; k < steps; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      squares += simulation.state().v(pendulum.mass).squaredNorm();
      worst = std::max(worst, std::abs(simulation.state().y(pendulum.rod)[0]));
      // y is off by h^2 |v|^2 / 2 before: one iteration leaves the square of that times the curvature, below 1e-9.
      ASSERT_LE(report.projections, kind == Projection::None ? 0 : 1);
    }
    if (kind == Projection::None) {
      // Newton leaves q · v within 1e-12 (|v| + |v_k| + |change|), some 20e-12 a step.
      const double expected = 1.0 - h * h * squares;
      EXPECT_NEAR(simulation.state().q(pendulum.mass).squaredNorm(), expected, 20e-12 * steps);
      EXPECT_GT(worst, 1e-3);
    } else {
      EXPECT_LE(worst, tolerance);
    }
  }
}

TEST(Projection, TheMidpointPendulumKeepsItsInvariantWithoutAndItsLengthWith) {
  const double h = 2e-3;
  const Pendulum pendulum;
  TimeStepping free(pendulum.model, projecting::options(Projection::None, h));
  TimeStepping held(pendulum.model, projecting::options(Projection::Direct, h));
  for (int k = 0; k < 2'000; ++k) {
    ASSERT_TRUE(free.step());
    ASSERT_TRUE(held.step());
    const auto q = free.state().q(pendulum.mass), v = free.state().v(pendulum.mass);
    // As above; the invariant starts at 1, and each step's Newton adds 20e-12 h at most.
    ASSERT_NEAR(q.squaredNorm() + 0.25 * h * h * v.squaredNorm(), 1.0, 20e-12 * h * (k + 1) + 1e-14) << k;
    ASSERT_LE(std::abs(held.state().y(pendulum.rod)[0]), 1e-8);
  }
}

double slope(const std::vector<double>& h, const std::vector<double>& error) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]), y = std::log(error[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

TEST(Projection, OrderAndEnergyOfAPendulumStayWhatTheyAre) {
  // phi'' = -g sin phi from pi/2 at rest.
  const double T = 0.8;
  const auto swing = [](double, ConstVectorRef z, VectorRef slope) { slope << z[1], -kGravity * std::sin(z[0]); };
  const Eigen::VectorXd end = problems::solve_ode(swing, Eigen::Vector2d(std::acos(0.0), 0.0), 0.0, T);
  const double angle = end[0], rate = end[1];
  const Eigen::Vector2d q(std::sin(angle), -std::cos(angle)), v = rate * Eigen::Vector2d(-q[1], q[0]);
  // The reaction acts along H(q_{k+1}) and works against v_k: the scheme is of order 1 where H turns, whatever theta.
  // error = c h (1 + a h), |a h| <= 0.15 at the largest step; over five points (a spread of 4 log 2) the slope moves by
  // at most log(1.15) * 2 / (10 log 2) = 0.04, twice that is taken. A projection moves q by less than h^2 |v|^2 / 8 a
  // step, normal to the motion, which over all steps adds to the error less than itself.
  std::vector<double> last;
  for (const auto kind : {Projection::None, Projection::Direct, Projection::Combined}) {
    std::vector<double> steps, errors;
    for (double h = T / 160.0; h > T / 3'000.0; h *= 0.5) {
      const Pendulum pendulum;
      TimeStepping simulation(pendulum.model, projecting::options(kind, h, 0.5, 1e-11));
      double energy = 0.0;
      const auto report = simulation.advance_to(T, [&](const State& state) {
        // Only lost: by the reaction's work, p H v_k / 2 <= 0; what q is lifted by is of the order of h^3 a step.
        const double now = pendulum.energy(state);
        EXPECT_LE(now, energy + kGravity * h * h * h * 4.0 * kGravity);
        energy = now;
      });
      ASSERT_TRUE(report) << report.message();
      steps.push_back(h);
      errors.push_back((simulation.state().q(pendulum.mass) - q).norm() +
                       (simulation.state().v(pendulum.mass) - v).norm());
    }
    EXPECT_NEAR(slope(steps, errors), 1.0, 0.08);
    last.push_back(errors.back());
  }
  EXPECT_NEAR(last[1], last[0], 0.05 * last[0]);
  EXPECT_EQ(last[2], last[1]);  // no contact that could join
}

/// Three bars of unit mass and length, a closed loop over the ground: 9 coordinates, 4 joints, one degree of freedom.
struct FourBar {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bar;
  std::vector<InteractionHandle> joint;

  /// Ground pivots at (0, 0) and (span, 0), cranks leaning inwards by the same angle, coupler level.
  FourBar() {
    const double span = 1.6;
    const double lean = std::asin(0.5 * (span - 1.0));
    const double s = std::sin(lean), c = std::cos(lean), up = std::acos(0.0);
    add({0.5 * s, 0.5 * c, up - lean});
    add({s + 0.5, c, 0.0});
    add({span - 0.5 * s, 0.5 * c, up + lean});
    pin({bar[0]}, -0.5, 0.0, {0.0, 0.0});
    pin({bar[0], bar[1]}, 0.5, -0.5, {0.0, 0.0});
    pin({bar[1], bar[2]}, 0.5, 0.5, {0.0, 0.0});
    pin({bar[2]}, -0.5, 0.0, {span, 0.0});
  }
  void add(Eigen::Vector3d q0) {
    bar.push_back(model.add(LagrangianLinearSystem{
        .mass = Eigen::Vector3d(1.0, 1.0, 1.0 / 12.0).asDiagonal(), .force = {0.4, -kGravity, 0.0}, .q0 = q0}));
  }
  /// The points at `first` and `second` along two bars coincide, or that of one with `ground`.
  void pin(const std::vector<SystemHandle>& bodies, double first, double second, const Eigen::Vector2d& ground) {
    const bool pair = bodies.size() == 2;
    joint.push_back(model.link(
        bodies,
        ScleronomousRelation{.rows = 2,
                             .h =
                                 [=](ConstVectorRef q, VectorRef y) {
                                   y = q.head(2) + first * Eigen::Vector2d(std::cos(q[2]), std::sin(q[2])) - ground;
                                   if (pair)
                                     y -= q.segment(3, 2) + second * Eigen::Vector2d(std::cos(q[5]), std::sin(q[5]));
                                 },
                             .H =
                                 [=](ConstVectorRef q, MatrixRef H) {
                                   H.leftCols(2).setIdentity();
                                   H.col(2) = first * Eigen::Vector2d(-std::sin(q[2]), std::cos(q[2]));
                                   if (!pair) return;
                                   H.middleCols(3, 2) = -Eigen::Matrix2d::Identity();
                                   H.col(5) = -second * Eigen::Vector2d(-std::sin(q[5]), std::cos(q[5]));
                                 }},
        EqualityLaw{}));
  }
};

TEST(Projection, AFourBarLinkageStaysClosed) {
  // The linearly implicit scheme, theta = 1: drift of h^2 |v|^2 a step, a hundredth of a metre in a second.
  const FourBar linkage;
  for (const auto kind : {Projection::None, Projection::Direct}) {
    TimeSteppingOptions options = projecting::options(kind, 1e-3, 1.0, 1e-10);
    options.newton.max_iterations = 1;
    TimeStepping simulation(linkage.model, options);
    double worst = 0.0;
    for (int k = 0; k < 1'500; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << k << ": " << report.message();
      worst = std::max(worst, simulation.state().outputs.lpNorm<Eigen::Infinity>());
    }
    if (kind == Projection::None) {
      EXPECT_GT(worst, 1e-3);
    } else {
      EXPECT_LE(worst, 1e-10);
    }
  }
}

/// A planar body whose attitude is a unit vector (c, s): q = (x, y, c, s), v = (xdot, ydot, omega).
class Attitude final : public MechanicalSystem {
 public:
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::Vector4d(0.5, 0.0, 1.0, 0.0); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::Vector3d::Zero(); }
  void mass(ConstVectorRef, MatrixRef M) const override { M.diagonal() << 1.0, 1.0, 1.0 / 12.0; }
  void force(double, ConstVectorRef, ConstVectorRef, VectorRef F) const override { F[1] = -kGravity; }
  void retract(VectorRef q, ConstVectorRef w) const override {
    q.head(2) += w.head(2);
    const double c = std::cos(w[2]), s = std::sin(w[2]);
    q.tail(2) = Eigen::Vector2d(c * q[2] - s * q[3], s * q[2] + c * q[3]);
  }
};

TEST(Projection, MovesAlongTheManifold) {
  // A bar hung at its left end, half its length from its centre.
  NonSmoothDynamicalSystem model;
  const auto bar = model.add(std::make_shared<const Attitude>());
  const auto pivot =
      model.link(bar,
                 ScleronomousRelation{.rows = 2,
                                      .h = [](ConstVectorRef q, VectorRef y) { y = q.head(2) - 0.5 * q.tail(2); },
                                      .H =
                                          [](ConstVectorRef q, MatrixRef H) {
                                            H.leftCols(2).setIdentity();
                                            H.col(2) = -0.5 * Eigen::Vector2d(-q[3], q[2]);
                                          }},
                 EqualityLaw{});
  TimeStepping simulation(model, projecting::options(Projection::Direct, 1e-3, 1.0, 1e-10));
  bool projected = false;
  for (int k = 0; k < 1'000; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    projected = projected || report.projections > 0;
    ASSERT_LE(simulation.state().y(pivot).lpNorm<Eigen::Infinity>(), 1e-10);
    // Two rotations a step, each off by a rounding of the product.
    ASSERT_NEAR(simulation.state().q(bar).tail(2).norm(), 1.0, 8.0 * kEps * (k + 1));
  }
  EXPECT_TRUE(projected);
}

TEST(Projections, KeepABallOutOfTheFloorUnderEveryScheme) {
  // A ball on a spring lands on a floor, e = 0, at sqrt(2 g + 4) = 4.86 m/s, and its weight holds it there. All and
  // Combined end every step within the tolerance; Direct has the ball on the floor while it presses on it, so that it
  // goes in by the way of the step in which it lands, and comes back.
  constexpr double kLeft = 1e-9, h = 7e-3;
  for (const Integrator& integrator :
       {Integrator(MoreauJean{}), Integrator(SchatzmanPaoli{}), Integrator(StewartTrinkle{}),
        Integrator(D1MinusLinear{}), Integrator(GeneralisedAlpha{}), Integrator(ExactLinear{})}) {
    for (const Projection kind : {Projection::Direct, Projection::All, Projection::Combined}) {
      NonSmoothDynamicalSystem model;
      const auto ball =
          model.add(LagrangianLinearSystem{.mass = {{1.0}}, .stiffness = {{4.0}}, .force = {-kGravity}, .q0 = {1.0}});
      model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.0});
      TimeStepping run(
          model, {.integrator = integrator, .step = h, .projection = {.kind = kind, .unilateral_tolerance = kLeft}});
      double deepest = 0.0;
      const auto report =
          run.advance_to(2.0, [&](const State& state) { deepest = std::max(deepest, -state.q(ball)[0]); });
      ASSERT_TRUE(report) << report.message();
      EXPECT_LE(deepest, kind == Projection::Direct ? 4.87 * h : kLeft) << integrator->name();
      EXPECT_NEAR(run.state().q(ball)[0], 0.0, kLeft) << integrator->name();
    }
  }
}

/// A loop of three bars and four hinges, L to a side, all of whose forces are those of L = 1 in other units of length.
struct LoopOfHinges {
  NonSmoothDynamicalSystem model;
  SystemHandle crank;
  std::vector<InteractionHandle> hinges;

  explicit LoopOfHinges(double L) {
    const auto bar = [&](double x, double y) {
      return model.add(RigidBody{.mass = 1.0,
                                 .inertia = L * L * Eigen::Vector3d(0.02, 0.03, 0.04).asDiagonal().toDenseMatrix(),
                                 .position = {L * x, L * y, 0.0},
                                 .gravity = {0.3 * kGravity * L, -kGravity * L, 0.0}});
    };
    crank = bar(0.0, 0.5);
    const SystemHandle coupler = bar(0.5, 1.0), rocker = bar(1.0, 0.5);
    const State start = model.initial_state();
    const auto q = [&](SystemHandle body) { return Eigen::VectorXd(start.q(body)); };
    const Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
    const auto hold = [&](SystemHandle body, double x) {
      hinges.push_back(model.link(body, HingeJoint{joint_to_ground(q(body), {L * x, 0.0, 0.0}, axis)}, EqualityLaw{}));
    };
    const auto tie = [&](SystemHandle one, SystemHandle other, double x) {
      hinges.push_back(
          model.link({one, other}, HingeJoint{joint_between(q(one), q(other), {L * x, L, 0.0}, axis)}, EqualityLaw{}));
    };
    hold(crank, 0.0);
    tie(crank, coupler, 0.0);
    tie(coupler, rocker, 1.0);
    hold(rocker, 1.0);
  }
};

/// From L = 1e6 m on, whose terms are some 4 L, the tolerance, 1e-8 m, is below 16 eps of the terms of a gap, which is
/// what rounding of positions makes of it. Rates are those of L = 1 to the rounding of some hundred steps.
TEST(Projections, CloseALoopOfHingesOfAnyLength) {
  const auto rate = [](double L, const TimeSteppingOptions& options) {
    const LoopOfHinges loop(L);
    TimeStepping run(loop.model, options);
    const auto report = run.advance_to(0.1);
    EXPECT_TRUE(report) << L << ": " << report.message();
    for (const InteractionHandle hinge : loop.hinges)
      EXPECT_LE(run.state().y(hinge).lpNorm<Eigen::Infinity>(), std::max(1e-8, 64.0 * kEps * L)) << L;
    return run.state().v(loop.crank)[5];
  };
  for (const bool within : {false, true}) {
    TimeSteppingOptions options{.step = 1e-3};
    options.projection.kind = within ? Projection::WithinStep : Projection::All;
    if (within) options.integrator = GeneralisedAlpha{};
    const double wanted = rate(1.0, options);
    EXPECT_LT(wanted, -0.3);
    for (const double L : {1e-3, 1e3, 1e6, 1e8, 1e9, 1e12}) EXPECT_NEAR(rate(L, options), wanted, 1e-8) << L;
  }
}

}  // namespace
}  // namespace nonsmooth::projection_test
