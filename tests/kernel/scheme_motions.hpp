// SPDX-License-Identifier: Apache-2.0
// Motions with exact ends, on which orders of mechanical schemes are measured.
#pragma once

#include <cmath>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

#include "closed_forms.hpp"

namespace nonsmooth::scheme_motions {

/// A body that turns freely for 1 s, J = diag(1, 2, 3): error of its quaternion and angular velocity against Euler's
/// equations.
inline double error_of_free_top(const TimeSteppingOptions& options) {
  const Eigen::Vector3d J(1.0, 2.0, 3.0), w0(1.0, 2.0, 0.5);
  const auto rate = [&](double, ConstVectorRef z, VectorRef dz) {
    const Eigen::Vector3d w = z.tail<3>(), L = J.cwiseProduct(w);
    dz[0] = -0.5 * z.segment<3>(1).dot(w);
    dz.segment<3>(1) = 0.5 * (z[0] * w + Eigen::Vector3d(z.segment<3>(1)).cross(w));
    dz.tail<3>() = L.cross(w).cwiseQuotient(J);
  };
  Eigen::VectorXd z(7);
  z << 1.0, 0.0, 0.0, 0.0, w0;
  const Eigen::VectorXd exact = problems::solve_ode(rate, z, 0.0, 1.0);
  NonSmoothDynamicalSystem model;
  const auto top =
      model.add(RigidBody{.inertia = Eigen::Matrix3d(J.asDiagonal()), .angular_velocity = w0, .name = "top"});
  TimeStepping run(model, options);
  EXPECT_TRUE(run.advance_to(1.0));
  Eigen::VectorXd found(7);
  found << run.state().q(top).tail<4>(), run.state().v(top).tail<3>();
  return (found - exact).norm();
}

/// A ball dropped from 1 m, e = 0.8: error of its height at 1.5 s, after two bounces at 0.45 s and 1.17 s.
inline double error_after_two_bounces(const TimeSteppingOptions& options) {
  using closed_forms::kGravity;
  const double e = 0.8, t = 1.5, fall = std::sqrt(2.0 / kGravity), u = kGravity * fall;
  const double second = fall * (1.0 + 2.0 * e), since = t - second;
  const double exact = since * e * e * u - 0.5 * kGravity * since * since;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(closed_forms::mass_point(1.0, -kGravity, 1.0, 0.0));
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e});
  TimeStepping run(model, options);
  EXPECT_TRUE(run.advance_to(t));
  return std::abs(run.state().q(ball)[0] - exact);
}

}  // namespace nonsmooth::scheme_motions
