// SPDX-License-Identifier: Apache-2.0
// Impulses at given instants, sampled feedback, and several schemes in one model.
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::mechanics_impulses_test {
namespace {

using namespace closed_forms;

constexpr double kStep = 0.1;

double largest(const Eigen::VectorXd& x) { return x.lpNorm<Eigen::Infinity>(); }

Eigen::SparseMatrix<double> tridiagonal_mass(Index n) {
  Eigen::SparseMatrix<double> M(n, n);
  for (Index i = 0; i < n; ++i) {
    M.insert(i, i) = 2.0 + 0.1 * static_cast<double>(i % 3);
    if (i > 0) M.insert(i, i - 1) = M.insert(i - 1, i) = 0.5;
  }
  return M;
}

/// At rest, kicked at 0.25 and 0.5: nothing until 0.2, M^-1 J1 after 0.3, M^-1 (J1 + J2) from 0.5 on (an instant that
/// is the end of a step belongs to it), q the integral by the trapezoidal rule.
template <class System>
void expect_jumps(System system, const Eigen::MatrixXd& M, double tolerance) {
  const Index n = M.rows();
  Eigen::VectorXd first(n), second(n);
  for (Index i = 0; i < n; ++i) {
    const auto x = static_cast<double>(i);
    first[i] = std::cos(x);
    second[i] = std::sin(1.0 + 0.3 * x);
  }
  system.q0 = Eigen::VectorXd::Zero(n);
  system.impulses = {{.instant = 0.25, .impulse = first}, {.instant = 5 * kStep, .impulse = second}};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  TimeStepping run(model, moreau_jean(kStep));
  const Eigen::VectorXd v1 = M.llt().solve(first), v2 = M.llt().solve(first + second);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n), before = q;
  for (int k = 1; k <= 8; ++k) {
    ASSERT_TRUE(run.step());
    const Eigen::VectorXd v = k < 3 ? Eigen::VectorXd::Zero(n).eval() : k < 5 ? v1 : v2;
    q += 0.5 * kStep * (before + v);
    before = v;
    ASSERT_LE(largest(run.state().v(body) - v), tolerance) << k;
    ASSERT_LE(largest(run.state().q(body) - q), tolerance) << k;
  }
}

// Solves of condition below 10, a few roundings each.
constexpr double kSolve = 100.0 * kEps;

TEST(PrescribedImpulse, JumpsByTheInverseMass) {
  const Eigen::Vector3d d{2.0, 0.5, 1.25};
  expect_jumps(LagrangianLinearSystem{.mass = d.asDiagonal()}, d.asDiagonal(), kSolve);
  const Eigen::Matrix3d M{{2.0, 0.3, 0.8}, {0.3, 1.5, -0.4}, {0.8, -0.4, 3.0}};
  expect_jumps(LagrangianLinearSystem{.mass = M}, M, kSolve);
  const auto sparse = tridiagonal_mass(50);
  expect_jumps(LagrangianLinearSystem{.mass = sparse}, sparse, kSolve);
  // Newton on M (v - v_k) = J is exact after one iteration.
  expect_jumps(LagrangianSystem{.mass = [M](ConstVectorRef, MatrixRef value) { value = M; }}, M, kSolve);
}

TEST(PrescribedImpulse, OfASystemWhoseMassVaries) {
  // M = 1 + q^2 without forces: M(q*) dv = J with q* = q+, the scheme's equation at the jump.
  LagrangianSystem system{.mass = [](ConstVectorRef q, MatrixRef M) { M(0, 0) = 1.0 + q[0] * q[0]; }};
  system.q0 = {2.0};
  system.impulses = {{.instant = 0.1, .impulse = {3.0}}};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  TimeStepping run(model, moreau_jean(kStep));
  ASSERT_TRUE(run.step());
  const double q = run.state().q(body)[0], v = run.state().v(body)[0];
  EXPECT_NEAR((1.0 + q * q) * v, 3.0, 1e-9);  // Newton's tolerance times |v|
  EXPECT_NEAR(v, 0.6, 0.05);                  // 3 / M(2), up to h v dM/dq / 2
}

TEST(PrescribedImpulse, ActsTogetherWithAContact) {
  // Resting on the floor, u- = 0: a blow downwards is answered whole in its step, whatever the restitution, one upwards
  // lifts off with J / m - g h.
  for (const double J : {-4.0, 4.0}) {
    auto block = mass_point(2.0, -2.0 * kGravity, 0.0, 0.0);
    block.impulses = {{.instant = 0.25, .impulse = {J}}};
    NonSmoothDynamicalSystem model;
    const auto body = model.add(block);
    const auto floor = model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.9});
    TimeStepping run(model, moreau_jean(kStep));
    for (int k = 1; k <= 3; ++k) {
      ASSERT_TRUE(run.step());
      const double weight = 2.0 * kGravity * kStep, v = run.state().v(body)[0], p = run.state().impulse(floor)[0];
      if (k < 3) {
        EXPECT_NEAR(p, weight, 1e-9);
        EXPECT_NEAR(v, 0.0, 1e-9);
      } else {
        EXPECT_NEAR(p, J < 0.0 ? weight - J : 0.0, 1e-9);
        EXPECT_NEAR(v, J < 0.0 ? 0.0 : 0.5 * J - kGravity * kStep, 1e-9);
      }
    }
  }
}

TEST(PrescribedImpulse, OfTheTwoStepScheme) {
  // q_{k+1} - 2 q_k + q_{k-1} = h M^-1 J in the step of the instant, then straight on; v lags by half a step.
  auto point = mass_point(2.0, 0.0, 0.0, 0.0);
  point.impulses = {{.instant = 0.25, .impulse = {3.0}}};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(point);
  TimeStepping run(model, {.integrator = SchatzmanPaoli{}, .step = kStep});
  const double q[] = {0.0, 0.0, 0.15, 0.3, 0.45}, v[] = {0.0, 0.0, 0.75, 1.5, 1.5};
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(run.step());
    EXPECT_NEAR(run.state().q(body)[0], q[k], 4.0 * kEps);
    EXPECT_NEAR(run.state().v(body)[0], v[k], 16.0 * kEps);
  }
}

// Gains that bring the sampled double integrator q+ = q + h v + h^2 a / 2, v+ = v + h a to rest in two steps: the
// scheme is that map exactly, for constant a and theta = 1/2.
template <class System>
void expect_dead_beat(System system, const Eigen::MatrixXd& M, double tolerance) {
  const Index n = M.rows();
  const double h = kStep;
  SystemHandle body;
  system.q0 = Eigen::VectorXd::LinSpaced(n, 1.0, 2.0);
  system.v0 = Eigen::VectorXd::LinSpaced(n, -3.0, 1.0);
  system.feedback = [&body, M, h](const State& state, VectorRef f) {
    f += -M * (state.q(body) / (h * h) + 1.5 / h * state.v(body));
  };
  NonSmoothDynamicalSystem model;
  body = model.add(system);
  TimeStepping run(model, moreau_jean(h));
  for (int k = 1; k <= 4; ++k) {
    ASSERT_TRUE(run.step());
    if (k == 1) {
      EXPECT_GT(run.state().v(body).norm(), 1.0);  // not yet
    } else {
      EXPECT_LE(largest(run.state().q(body)), tolerance) << k;
      EXPECT_LE(largest(run.state().v(body)), tolerance) << k;
    }
  }
}

TEST(Feedback, DeadBeatGainsStopAMassInTwoSamples) {
  // Accelerations of q / h^2 <= 250: v rounds by 25 eps a step; twenty times that covers a solve.
  const double tolerance = 500.0 * kEps;
  const Eigen::Vector2d d{2.0, 0.5};
  expect_dead_beat(LagrangianLinearSystem{.mass = d.asDiagonal()}, d.asDiagonal(), tolerance);
  const Eigen::Matrix2d M{{2.0, 0.3}, {0.3, 1.5}};
  expect_dead_beat(LagrangianLinearSystem{.mass = M}, M, tolerance);
  const auto sparse = tridiagonal_mass(40);
  expect_dead_beat(LagrangianLinearSystem{.mass = sparse}, sparse, tolerance);
  expect_dead_beat(LagrangianSystem{.mass = [M](ConstVectorRef, MatrixRef value) { value = M; }}, M, tolerance);
}

TEST(Feedback, SeesTheWholeStateAtTheStartOfTheStep) {
  // The follower is pushed by the leader's velocity and by the contact force of the step before: m v' = v_l + p / h.
  SystemHandle leader, follower;
  InteractionHandle floor;
  NonSmoothDynamicalSystem model;
  leader = model.add(mass_point(1.0, -kGravity, 0.0, 0.0));
  floor = model.link(leader, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  auto pushed = mass_point(1.0, 0.0, 0.0, 0.0);
  pushed.feedback = [&](const State& state, VectorRef f) { f[0] = state.t + state.force(floor)[0]; };
  follower = model.add(pushed);
  TimeStepping run(model, moreau_jean(kStep));
  double v = 0.0;
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(run.step());
    v += kStep * (k * kStep + (k > 0 ? kGravity : 0.0));
    EXPECT_NEAR(run.state().v(follower)[0], v, 1e-9);
  }
}

TEST(Feedback, ThatThrowsEndsTheStep) {
  auto point = mass_point(1.0, 0.0, 0.0, 1.0);
  point.feedback = [](const State& state, VectorRef f) {
    if (state.t > 0.15) throw std::runtime_error("sensor lost");
    f[0] = 0.0;
  };
  NonSmoothDynamicalSystem model;
  model.add(point);
  TimeStepping run(model, moreau_jean(kStep));
  const auto report = run.advance_to(1.0);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("the feedback of point threw: sensor lost"), std::string::npos) << report.message();
  EXPECT_NEAR(run.state().t, 0.2, 1e-15);
}

LagrangianLinearSystem oscillator(double q0) {
  auto system = mass_point(1.5, -1.0, q0, 0.4);
  system.damping = {{0.3}};
  system.stiffness = {{7.0}};
  return system;
}

TEST(SeveralSchemes, EachSystemKeepsItsOwn) {
  // Four oscillators against a stop, in one model and each alone: to the bit, as nothing couples them.
  const std::vector<Integrator> schemes = {MoreauJean{.theta = 0.5}, MoreauJean{.theta = 1.0}, SchatzmanPaoli{},
                                           MoreauJean{.theta = 0.7, .forecast = 1.0}};
  NonSmoothDynamicalSystem together;
  std::vector<SystemHandle> bodies;
  TimeSteppingOptions options;
  options.step = 0.01;
  std::vector<TimeStepping> alone;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    const auto system = oscillator(0.1 + 0.2 * static_cast<double>(i));
    const LagrangianLinearRelation gap{.H = {{1.0}}, .b = {0.05}};
    bodies.push_back(together.add(system));
    together.link(bodies.back(), gap, NewtonImpactLaw{0.6});
    options.integrators.emplace_back(bodies.back(), schemes[i]);
    NonSmoothDynamicalSystem single;
    single.link(single.add(system), gap, NewtonImpactLaw{0.6});
    alone.emplace_back(single, TimeSteppingOptions{.integrator = schemes[i], .step = options.step});
  }
  TimeStepping run(together, options);
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(run.step());
    for (std::size_t i = 0; i < schemes.size(); ++i) {
      ASSERT_TRUE(alone[i].step());
      // Bits may differ by the solver's path only: 1e-9 relative at most an impact, of which there are fewer than ten.
      ASSERT_NEAR(run.state().q(bodies[i])[0], alone[i].state().positions[0], 1e-8) << i << ' ' << k;
      ASSERT_NEAR(run.state().v(bodies[i])[0], alone[i].state().unknowns[0], 1e-8) << i << ' ' << k;
    }
  }
}

TEST(SeveralSchemes, ImpactsBetweenThetasKeepMomentum) {
  // Elastic, equal masses: velocities are exchanged, under whatever theta each has.
  NonSmoothDynamicalSystem model;
  const auto left = model.add(mass_point(1.0, 0.0, 0.0, 1.0)), right = model.add(mass_point(1.0, 0.0, 0.5, -0.3));
  model.link({left, right}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{1.0});
  TimeSteppingOptions options = moreau_jean(0.01);
  options.integrators = {{left, MoreauJean{.theta = 1.0}}};
  TimeStepping run(model, options);
  ASSERT_TRUE(run.advance_to(1.0));
  EXPECT_NEAR(run.state().v(left)[0], -0.3, 1e-9);
  EXPECT_NEAR(run.state().v(right)[0], 1.0, 1e-9);
}

}  // namespace
}  // namespace nonsmooth::mechanics_impulses_test
