// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <nonsmooth/numerics/friction/global_problem.hpp>

namespace nonsmooth::friction {

inline constexpr double mass = 2.0, step = 0.01, gravity = 9.81;

/// A block of three translations on an incline, contact frame (N, T1 downhill, T2).
inline GlobalProblem incline(double angle, double mu) {
  GlobalProblem problem;
  problem.A.resize(3, 3);
  problem.A.setIdentity();
  problem.A *= mass;
  problem.H.resize(3, 3);
  problem.H.setIdentity();
  problem.f = step * mass * gravity * Eigen::Vector3d(-std::cos(angle), std::sin(angle), 0.0);
  problem.w.setZero(3);
  problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = mu}, 3);
  return problem;
}

}  // namespace nonsmooth::friction
