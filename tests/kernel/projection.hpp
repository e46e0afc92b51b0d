// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::projecting {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kGravity = 9.81;

inline LagrangianLinearSystem point(Eigen::Vector2d q0, Eigen::Vector2d v0 = Eigen::Vector2d::Zero()) {
  return {.force = {0.0, -kGravity}, .q0 = q0, .v0 = v0};
}

/// y = sign (|q| - radius).
inline ScleronomousRelation distance(double radius, double sign = 1.0) {
  return {.rows = 1,
          .h = [=](ConstVectorRef q, VectorRef y) { y[0] = sign * (q.norm() - radius); },
          .H = [=](ConstVectorRef q, MatrixRef H) { H.row(0) = sign * q.transpose() / q.norm(); }};
}

/// theta of the scheme, one tolerance for gaps and drifts.
inline TimeSteppingOptions options(Projection kind, double h, double theta = 0.5, double tolerance = 1e-8) {
  return {.integrator = MoreauJean{.theta = theta},
          .step = h,
          .newton = {.tolerance = 1e-12},
          .projection = {.kind = kind, .unilateral_tolerance = tolerance, .bilateral_tolerance = tolerance}};
}

}  // namespace nonsmooth::projecting
