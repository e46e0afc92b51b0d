// SPDX-License-Identifier: Apache-2.0
// Nonlinear mechanical systems in all their parts, prescribed velocities and impulses, feedback, and several schemes in
// one model.
#include <cmath>
#include <vector>

#include <Eigen/LU>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"
#include "kernel/mechanics_orders.hpp"

namespace nonsmooth::mechanics_systems_test {
namespace {

using namespace closed_forms;
using namespace mechanics;

/// A particle of mass 1 in polar coordinates (r, phi): M = diag(1, r^2), gyroscopic (-r w^2, 2 r r' w).
LagrangianSystem particle(double r, double phi, double r_dot, double phi_dot) {
  LagrangianSystem system;
  system.mass = [](ConstVectorRef q, MatrixRef M) {
    M(0, 0) = 1.0;
    M(1, 1) = q[0] * q[0];
  };
  system.gyroscopic = [](ConstVectorRef q, ConstVectorRef v, VectorRef F) {
    F[0] = -q[0] * v[1] * v[1];
    F[1] = 2.0 * q[0] * v[0] * v[1];
  };
  system.q0 = {r, phi};
  system.v0 = {r_dot, phi_dot};
  system.name = "particle";
  return system;
}

/// The same on a damped spring, driven by a torque.
LagrangianSystem driven_particle() {
  auto system = particle(1.0, 0.0, 0.3, 1.2);
  system.internal = [](double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) {
    F[0] = 4.0 * (1.0 + 0.1 * t) * (q[0] - 0.8) + 0.2 * v[0] * v[0] * v[0];
  };
  system.force = [](double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) {
    F[1] = std::sin(q[1]) - 0.3 * v[1] * std::cos(t);
  };
  system.external = [](double t, VectorRef F) { F[0] = 0.5 * std::sin(3.0 * t); };
  return system;
}

void give_gyroscopic_jacobians(LagrangianSystem& system) {
  system.gyroscopic_dq = [](ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
    (void)q;
    J(0, 0) = -v[1] * v[1];
    J(1, 0) = 2.0 * v[0] * v[1];
  };
  system.gyroscopic_dv = [](ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
    J(0, 1) = -2.0 * q[0] * v[1];
    J(1, 0) = 2.0 * q[0] * v[1];
    J(1, 1) = 2.0 * q[0] * v[0];
  };
}

void give_internal_jacobians(LagrangianSystem& system) {
  system.internal_dq = [](double t, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 4.0 * (1.0 + 0.1 * t); };
  system.internal_dv = [](double, ConstVectorRef, ConstVectorRef v, MatrixRef J) { J(0, 0) = 0.6 * v[0] * v[0]; };
}

void give_force_jacobians(LagrangianSystem& system) {
  system.force_dq = [](double, ConstVectorRef q, ConstVectorRef, MatrixRef J) { J(1, 1) = std::cos(q[1]); };
  system.force_dv = [](double t, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(1, 1) = -0.3 * std::cos(t); };
}

TEST(LagrangianParts, JacobiansOnlySteerNewton) {
  // Newton stops where a correction is below 1e-12 of |z| + |z_k| + |dz| <= 8; the error left is smaller still. The
  // motion's own growth over 2 s is below e^(2 * 3): its rates are sqrt(4), 2 w and the like, all below 3.
  const double h = 0.01, tolerance = 1e-12, bound = 200.0 * 8.0 * tolerance * std::exp(6.0);
  TimeSteppingOptions options = moreau_jean(h);
  options.newton.tolerance = tolerance;
  std::vector<TimeStepping> runs;
  for (const int given : {7, 0, 1, 2, 4}) {  // all, none, one kind of the three and the others by differences
    auto system = driven_particle();
    if (given & 1) give_gyroscopic_jacobians(system);
    if (given & 2) give_internal_jacobians(system);
    if (given & 4) give_force_jacobians(system);
    NonSmoothDynamicalSystem model;
    model.add(system);
    runs.emplace_back(model, options);
  }
  for (int k = 0; k < 200; ++k) {
    for (TimeStepping& run : runs) {
      const auto report = run.step();
      ASSERT_TRUE(report) << report.message();
      // A wrong sign or a missing part would make Newton linear: the correction shrinks by h |J| ~ 0.03 a time, and
      // eight iterations were needed where a quadratic one, and one with differences, takes four.
      EXPECT_LE(report.newton_iterations, 5);
      EXPECT_LE((run.state().unknowns - runs[0].state().unknowns).lpNorm<Eigen::Infinity>(), bound);
      EXPECT_LE((run.state().positions - runs[0].state().positions).lpNorm<Eigen::Infinity>(), bound);
    }
  }
}

TEST(LagrangianParts, EveryPartHasItsSign) {
  // M = 2, force 5, external 3 t, internal 4, gyroscopic 0.5 v: 2 v' = 1 + 3 t - v / 2. The trapezoidal rule on the
  // linear equation, step by step: v+ (2 + h/4) = v (2 - h/4) + h (1 + 3 (t + h/2)).
  LagrangianSystem system;
  system.mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = 2.0; };
  system.force = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = 5.0; };
  system.internal = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = 4.0; };
  system.gyroscopic = [](ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = 0.5 * v[0]; };
  system.external = [](double t, VectorRef F) { F[0] = 3.0 * t; };
  system.q0 = {0.0};
  system.v0 = {0.7};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  const double h = 0.05;
  TimeStepping run(model, moreau_jean(h));
  double v = 0.7;
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(run.step());
    v = (v * (2.0 - 0.25 * h) + h * (1.0 + 3.0 * h * (k + 0.5))) / (2.0 + 0.25 * h);
    // Newton on a linear equation with the Jacobian by differences (1e-8): what it leaves is 1e-9 * 1e-8.
    ASSERT_NEAR(run.state().v(body)[0], v, 1e-13 * (k + 1));
  }
}

double straight_line_error(double weight, double h) {
  // A free particle moves on x = 1, y = t: r = sqrt(1 + t^2), phi = atan t.
  NonSmoothDynamicalSystem model;
  auto system = particle(1.0, 0.0, 0.0, 1.0);
  give_gyroscopic_jacobians(system);
  const auto body = model.add(system);
  TimeSteppingOptions options;
  options.integrator = MoreauJean{.theta = 0.5, .configuration_weight = weight};
  options.step = h;
  options.newton.tolerance = 1e-12;
  TimeStepping run(model, options);
  EXPECT_TRUE(run.advance_to(1.6));
  const auto q = run.state().q(body);
  return std::hypot(q[0] - std::hypot(1.0, 1.6), q[1] - std::atan(1.6));
}

TEST(ConfigurationWeight, OneHalfKeepsTheSecondOrderOfAMassThatVaries) {
  const auto order = [](double weight) {
    return fitted_order(0.05, 4, [weight](double h) { return straight_line_error(weight, h); });
  };
  EXPECT_NEAR(order(0.5), 2.0, kSmooth);
  EXPECT_NEAR(order(1.0), 1.0, kSmooth);  // M at one end of the step: M dv is off by h dM/dt dv / 2
  EXPECT_NEAR(order(0.0), 1.0, kSmooth);
}

TEST(ConfigurationWeight, ZeroTakesTheMassAtTheStart) {
  // One step without Newton's help: M(q_k) (v+ - v) = h (F + F+) / 2 holds to Newton's tolerance with M at q_k.
  for (const double weight : {0.0, 0.25, 1.0}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(particle(1.0, 0.0, 0.4, 1.0));
    TimeSteppingOptions options;
    options.integrator = MoreauJean{.theta = 0.5, .configuration_weight = weight};
    options.step = 0.1;
    options.newton.tolerance = 1e-12;
    TimeStepping run(model, options);
    ASSERT_TRUE(run.step());
    const Eigen::Vector2d q = run.state().q(body), v = run.state().v(body);
    const double r = 1.0 + weight * (q[0] - 1.0);
    const double torque = -0.5 * (2.0 * 0.4 * 1.0 + 2.0 * q[0] * v[0] * v[1]);
    EXPECT_NEAR(r * r * (v[1] - 1.0), 0.1 * torque, 1e-11);
  }
}

TEST(PrescribedVelocity, BeadOnASpokeThatTurns) {
  // phi' = w prescribed: r'' = w^2 r, r = cosh(w t).
  const double w = 1.5, T = 1.6;
  const auto error = [&](double h) {
    auto system = particle(1.0, 0.0, 0.0, w);
    system.prescribed = {{.component = 1, .velocity = [w](double) { return w; }}};
    NonSmoothDynamicalSystem model;
    const auto bead = model.add(system);
    TimeStepping run(model, moreau_jean(h));
    EXPECT_TRUE(run.advance_to(T, [&](const State& state) {
      EXPECT_EQ(state.v(bead)[1], w);
      EXPECT_NEAR(state.q(bead)[1], w * state.t, 1e-13);
    }));
    return std::abs(run.state().q(bead)[0] - std::cosh(w * T));
  };
  EXPECT_NEAR(fitted_order(0.05, 4, error), 2.0, kSmooth);
}

TEST(PrescribedVelocity, DrivesANonlinearSystemAsALinearOne) {
  // M_ff dv_f = -M_fp dv_p, as LagrangianLinearSystem does it; and a stop that pushes on both answers with v_f alone.
  const Eigen::Matrix2d M{{2.0, 0.7}, {0.7, 1.5}};
  const auto velocity = [](double t) { return std::sin(4.0 * t); };
  LagrangianSystem system;
  system.mass = [M](ConstVectorRef, MatrixRef value) { value = M; };
  system.q0 = {0.0, 0.0};
  system.prescribed = {{.component = 1, .velocity = velocity}};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  const auto stop = model.link(body, LagrangianLinearRelation{.H = {{1.0, -0.5}}, .b = {0.1}}, NewtonImpactLaw{0.5});
  TimeStepping run(model, moreau_jean(0.01));
  Eigen::Vector2d before = Eigen::Vector2d::Zero();
  int impacts = 0;
  ASSERT_TRUE(run.advance_to(3.0, [&](const State& state) {
    const Eigen::Vector2d v = state.v(body);
    const double p = state.impulse(stop)[0];
    EXPECT_NEAR(v[1], velocity(state.t), 4.0 * kEps);
    EXPECT_NEAR(M(0, 0) * (v - before)[0] + M(0, 1) * (v - before)[1], p, 1e-9);
    if (p > 0.0) {
      ++impacts;
      EXPECT_NEAR(v[0] - 0.5 * v[1], -0.5 * (before[0] - 0.5 * before[1]), 1e-9);
    }
    before = v;
  }));
  EXPECT_GE(impacts, 1);
}

}  // namespace
}  // namespace nonsmooth::mechanics_systems_test
