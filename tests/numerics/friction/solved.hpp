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

}  // namespace nonsmooth
