// SPDX-License-Identifier: Apache-2.0
// What the tests of published problems share.
#pragma once

#include <gtest/gtest.h>

#include <nonsmooth/numerics/lcp.hpp>

#include "../../problems/lcp.hpp"

namespace nonsmooth::published {

inline constexpr double tolerance = 1e-10;

inline double distance(const Eigen::VectorXd& a, const Eigen::VectorXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

/// Solves by the options given, expects Solved by independent arithmetic too, returns z.
template <class P, class Options>
Eigen::VectorXd solved(const P& problem, const Options& options) {
  const lcp::Result result = lcp::solve(problem, options);
  EXPECT_TRUE(result.ok()) << result.message();
  // Twice the tolerance: w in double against long double, see fuzz/complementarity.cpp.
  EXPECT_LE(problems::independent_residual(problem.M, problem.q, result.z), 2.0 * tolerance);
  return result.z;
}

}  // namespace nonsmooth::published
