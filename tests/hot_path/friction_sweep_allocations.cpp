// SPDX-License-Identifier: Apache-2.0
// Warm calls of the friction family's Gauss-Seidel call neither malloc nor its kin.
#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>

#include <nonsmooth/numerics/friction/gauss_seidel.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth {
namespace {

/// Solves twice to size everything, then counts over calls with changed data.
long long allocations(friction::Problem problem, const friction::GaussSeidel& options) {
  friction::GaussSeidelWorkspace workspace;
  friction::Result result;
  workspace.solve(problem, options, result);
  workspace.solve(problem, options, result);
  const test::AllocationCount count;
  for (int k = 0; k < 10; ++k) {
    problem.q *= 0.99;
    problem.q[0] += 0.01;
    workspace.solve(problem, options, result);
  }
  const long long found = count.now();
  EXPECT_TRUE(result) << result.message();
  return found;
}

TEST(FrictionSweepAllocations, GaussSeidelWorkspace) {
  const friction::GaussSeidel plain{.tolerance = 1e-6};
  friction::GaussSeidel colored{.tolerance = 1e-6, .freeze = true, .colored = true, .num_threads = 2};
  colored.order = friction::GaussSeidel::Order::ReverseCuthillMcKee;
  for (const auto& options : {plain, colored}) {
    EXPECT_EQ(allocations(problems::disk_pile(6, 4, 0.4), options), 0);
    EXPECT_EQ(allocations(problems::planted_mixed(20, {SetKind::Coulomb3D}, 2).problem, options), 0);
    EXPECT_EQ(allocations(problems::planted_mixed(
                              20, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb2D, SetKind::Coulomb3D}, 1)
                              .problem,
                          options),
              0);
    EXPECT_EQ(allocations(problems::contacts_in_foreign_units(), options), 0);
  }
}

}  // namespace
}  // namespace nonsmooth
