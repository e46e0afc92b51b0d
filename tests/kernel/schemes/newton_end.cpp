// SPDX-License-Identifier: Apache-2.0
// Where Newton's iteration of a step ends: at rounding, and nowhere else.
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::newton_end {
namespace {

TEST(NewtonEnd, AStructureUnderTensionRests) {
  // Three rods stand on one another's springs: what is left of their forces is rounding, and so are velocities. An
  // iterate is the last where it moves no place by more than its own rounding, (h w)^2 / (1 + (h w)^2) eps |q| at most.
  const double third = 2.0 * std::numbers::pi / 3.0, circle = 0.35, half = 0.5, k = 2000.0, q_v = 40.0;
  const double rho = circle * std::cos(0.625 * third), s = circle * std::sin(0.625 * third), lean = std::asin(s / half);
  for (const double h : {1e-2, 1e-3}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> rods;
    for (int i = 0; i < 3; ++i) {
      const Eigen::Quaterniond turn(Eigen::AngleAxisd(i * third, Eigen::Vector3d::UnitZ()));
      const Eigen::Quaterniond Q = turn * Eigen::AngleAxisd(-lean, Eigen::Vector3d::UnitX());
      rods.push_back(model.add(RigidBody{.mass = 0.3,
                                         .inertia = Eigen::Vector3d(0.026, 0.026, 2e-5).asDiagonal(),
                                         .position = turn * Eigen::Vector3d(rho, 0.0, half * std::cos(lean)),
                                         .orientation = {Q.w(), Q.x(), Q.y(), Q.z()}}));
    }
    const double l_v = std::sqrt(1.0 + 3.0 * rho * rho - 3.0 * s * s - 2.0 * std::sqrt(3.0) * rho * s);
    const double l_h = std::sqrt(3.0) * circle;
    const auto pull = [&](int first, double from, int second, double to, double l, double q) {
      model.link(
          {rods[static_cast<std::size_t>(first % 3)], rods[static_cast<std::size_t>(second % 3)]},
          DistanceJoint{.first_point = {0.0, 0.0, from}, .second_point = {0.0, 0.0, to}, .length = l * (1.0 - q / k)},
          SpringDamperLaw{.stiffness = k, .upper = 0.0});
    };
    for (int i = 0; i < 3; ++i) {
      pull(i, -half, i + 1, -half, l_h, q_v / std::sqrt(3.0));
      pull(i, half, i + 1, half, l_h, q_v / std::sqrt(3.0));
      pull(i + 1, -half, i, half, l_v, q_v);
    }
    TimeStepping run(model,
                     {.integrator = MoreauJean{.configuration_weight = 0.5}, .step = h, .newton = {.tolerance = 1e-9}});
    const RunReport report = run.advance_to(1.0);
    EXPECT_TRUE(report) << h << ": " << report.message();
    // Roundings of places of 1 m, one a step, all to one side.
    EXPECT_NEAR(run.state().q(rods[0])[0], rho, std::numeric_limits<double>::epsilon() / h) << h;
  }
}

TEST(NewtonEnd, FarFromTheOriginVelocitiesCountAsAnywhere) {
  // v' = -c v^2 with c h = 1: v_1 + v_1^2 = 1. At 1e9 m a step of 1 us moves nothing below 0.1 m/s.
  for (const double far : {0.0, 1.0, 1e9}) {
    NonSmoothDynamicalSystem model;
    const double c = 1e6;
    const auto body = model.add(LagrangianSystem{
        .mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = 1.0; },
        .internal = [c](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = c * v[0] * v[0]; },
        .internal_dv = [c](double, ConstVectorRef, ConstVectorRef v, MatrixRef J) { J(0, 0) = 2.0 * c * v[0]; },
        .q0 = Eigen::VectorXd::Constant(1, far),
        .v0 = Eigen::VectorXd::Constant(1, 1.0)});
    TimeStepping run(model, {.integrator = MoreauJean{.theta = 1.0}, .step = 1e-6});
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    // Newton is quadratic: behind a change of 1e-9, the tolerance, 1e-18 is left.
    EXPECT_NEAR(run.state().v(body)[0], 0.5 * (std::sqrt(5.0) - 1.0), 1e-14) << far;
  }
}

}  // namespace
}  // namespace nonsmooth::newton_end
