// SPDX-License-Identifier: Apache-2.0
// NewtonOptions::residual_tolerance: the equations of motion decide when an iterate is good enough.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <problems/mechanics.hpp>

namespace nonsmooth::newton_residual_test {
namespace {

using problems::SliderCrank;

/// |M(q) (v - v_k) - h (F + F_k) / 2| of a step of the mechanism without contact, from its own callables.
double residual(const LagrangianSystem& s, double h, const Eigen::VectorXd& q_k, const Eigen::VectorXd& v_k,
                const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(3, 3);
  s.mass(q, M);
  const auto force = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& rate) {
    Eigen::VectorXd gyroscopic = Eigen::VectorXd::Zero(3), internal = Eigen::VectorXd::Zero(3);
    s.gyroscopic(at, rate, gyroscopic);
    s.internal(0.0, at, rate, internal);
    return Eigen::VectorXd(-gyroscopic - internal);
  };
  return (M * (v - v_k) - 0.5 * h * (force(q, v) + force(q_k, v_k))).norm();
}

struct Outcome {
  Index iterations = 0;
  double worst = 0.0;  ///< residual
};

Outcome run(double tolerance, Index prescribed = -1) {
  constexpr double h = 1e-3;  // a radian of the crank in seven steps: three or four iterations to round-off
  LagrangianSystem description = SliderCrank::mechanism();
  if (prescribed >= 0) description.prescribed = {{.component = prescribed, .velocity = [](double) { return 150.0; }}};
  NonSmoothDynamicalSystem model;
  const SystemHandle mechanism = model.add(description);
  TimeStepping simulation{
      model, {.integrator = MoreauJean{.theta = 0.5}, .step = h, .newton = {.residual_tolerance = tolerance}}};
  Outcome outcome;
  for (int k = 0; k < 50; ++k) {
    const Eigen::VectorXd q = simulation.state().q(mechanism), v = simulation.state().v(mechanism);
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    outcome.iterations += report.newton_iterations;
    outcome.worst = std::max(outcome.worst, residual(description, h, q, v, simulation.state().q(mechanism),
                                                     simulation.state().v(mechanism)));
  }
  return outcome;
}

TEST(NewtonResidual, StopsWhereTheEquationsOfMotionHold) {
  const Outcome whole = run(0.0);
  EXPECT_LT(whole.worst, 1.4e-9);  // a last correction of 1e-9 (|v| + |v_k| + |dv|) <= 450 1/s, inertia 3e-3 kg m^2
  Index more = whole.iterations;
  for (const double tolerance : {1e-8, 1e-5, 1e-2}) {
    const Outcome outcome = run(tolerance);
    EXPECT_LE(outcome.worst, tolerance);
    EXPECT_LT(outcome.iterations, more) << tolerance;
    more = outcome.iterations;
  }
  EXPECT_GT(run(1e-2).worst, whole.worst);
  EXPECT_EQ(run(1e3).iterations, 50);  // one a step, whatever it leaves
}

// A dictated component has no equation of motion: what drives the crank is no residual.
TEST(NewtonResidual, LooksPastPrescribedVelocities) { EXPECT_LT(run(1e-8, 0).iterations, run(0.0, 0).iterations); }

// The steps in which corners strike hold to the tolerance as well: reactions are part of the residual.
TEST(NewtonResidual, CountsReactions) {
  problems::Model m = problems::slider_crank();
  m.steps = 1000;  // corner 2 strikes from 4 ms on
  const auto iterations = [&](double tolerance) {
    m.options.newton.residual_tolerance = tolerance;
    TimeStepping simulation(m.system, m.options);
    const auto report = simulation.advance_to(1e-2);
    EXPECT_TRUE(report) << report.message();
    double pushed = 0.0;
    for (const InteractionHandle corner : m.contacts) pushed += simulation.state().impulse(corner)[0];
    EXPECT_GT(pushed, 0.0);
    return report.newton_iterations;
  };
  EXPECT_LT(iterations(1e-10), iterations(0.0));
}

TEST(NewtonResidual, RefusesANegativeTolerance) {
  const problems::Model m = problems::slider_crank();
  for (const double wrong : {-1e-9, std::numeric_limits<double>::quiet_NaN()}) {
    TimeSteppingOptions options = m.options;
    options.newton.residual_tolerance = wrong;
    EXPECT_THROW(TimeStepping(m.system, options), InvalidArgument);
  }
}

TEST(NewtonResidual, DoesNotSpeakForFirstOrderSystems) {
  // A pendulum at rest beside x' = -1000 x^3: the pendulum's equation holds at once, the other's takes iterations, and
  // backward Euler's x + h 1000 x^3 = 1 has to hold to Newton's tolerance.
  NonSmoothDynamicalSystem model;
  LagrangianSystem pendulum;
  pendulum.force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -std::sin(q[0]); };
  pendulum.q0 = {0.0};
  model.add(pendulum);
  const auto decay = model.add(
      FirstOrderSystem{.f = [](double, ConstVectorRef x, VectorRef f) { f[0] = -1000.0 * x[0] * x[0] * x[0]; },
                       .f_dx = [](double, ConstVectorRef x, MatrixRef J) { J(0, 0) = -3000.0 * x[0] * x[0]; },
                       .x0 = {1.0}});
  TimeSteppingOptions options;
  options.integrator = EulerMoreau{.theta = 1.0};
  options.step = 1e-2;
  options.newton.residual_tolerance = 1e-10;
  TimeStepping simulation(model, options);
  ASSERT_TRUE(simulation.step());
  const double x = simulation.state().x(decay)[0];
  EXPECT_NEAR(x + 1e-2 * 1000.0 * x * x * x, 1.0, 1e-7);  // slope 31 at the root, times 1e-9 (|x| + |x_k|)
}

}  // namespace
}  // namespace nonsmooth::newton_residual_test
