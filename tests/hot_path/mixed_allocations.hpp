// SPDX-License-Identifier: Apache-2.0
// The allocations of warm solves of the mixed family; like allocation_guard.hpp for one source file of an executable.
#pragma once

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::test {

/// Solves twice to size everything, then counts over calls with changed data.
template <class Solve>
long long allocations(mixed::Problem problem, Solve solve) {
  mixed::Result result;
  solve(problem, result);
  solve(problem, result);
  const AllocationCount count;
  for (int k = 0; k < 10; ++k) {
    problem.q *= 0.99;
    problem.q[0] += 0.01;
    solve(problem, result);
  }
  const long long found = count.now();
  EXPECT_TRUE(result) << result.message();
  return found;
}

}  // namespace nonsmooth::test
