// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <nonsmooth/numerics/friction/problem.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth {

/// One block with W = 1: its answer is the local one.
inline friction::Problem single_block(const BlockSet& set, const Eigen::VectorXd& q) {
  return problems::mixed_from_dense(Eigen::MatrixXd::Identity(q.size(), q.size()), q, {{set, q.size()}});
}

/// What Solved promises, recomputed: the certificate and, within the velocity it allows, the law's inequalities.
inline void expect_solved(const friction::Problem& problem, const friction::Result& result, double tolerance) {
  EXPECT_EQ(result.status, Status::Solved) << result.message();
  Eigen::VectorXd u(result.r.size());
  const Certificate certificate = mixed::certify(problem, result.r, u);
  EXPECT_LE(certificate.residual, tolerance);
  EXPECT_LE(mixed::friction_figures(problem, result.r, u).penetration, tolerance * certificate.scale);
}

/// W = 1: each row's answer is the local one, of a contact that sticks, slides and takes off. The tolerance of velocity
/// is 1e-12; ten times as much for r.
template <class Options>
void expect_stick_slip_and_take_off(Options options) {
  options.tolerance = 1e-12;
  const BlockSet set{.kind = SetKind::Coulomb3D, .mu = 0.5};
  const auto r = [&](double n, double t1, double t2) {
    return solve(single_block(set, Eigen::Vector3d(n, t1, t2)), options).r;
  };
  EXPECT_LE((r(-1, 0.2, 0) - Eigen::Vector3d(1, -0.2, 0)).norm(), 1e-11);
  EXPECT_LE((r(-1, 1.2, 1.6) - Eigen::Vector3d(1, -0.3, -0.4)).norm(), 1e-11);
  EXPECT_EQ(r(1, 1, 0).norm(), 0.0);
}

/// The three groups of a rolling contact each find their own bound: 0.5, and 0.2 and 0.1 in metres.
template <class Options>
void expect_rolling_and_spinning(Options options) {
  options.tolerance = 1e-12;
  Eigen::VectorXd q(6), expected(6);
  q << -1, 0, 2, 0.5, 0, 0.05;
  expected << 1, 0, -0.5, -0.2, 0, -0.05;
  const BlockSet set{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.2, .spinning = 0.1};
  const auto result = solve(single_block(set, q), options);
  EXPECT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.r - expected).norm(), 1e-11);
}

}  // namespace nonsmooth
