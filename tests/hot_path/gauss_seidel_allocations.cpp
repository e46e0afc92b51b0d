// SPDX-License-Identifier: Apache-2.0
// Warm calls of the mixed family's workspaces call neither malloc nor its kin.
#include <gtest/gtest.h>

#include <hot_path/mixed_allocations.hpp>

#include <nonsmooth/numerics/mixed.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth {
namespace {

const std::vector<SetKind> every_kind = {SetKind::Free, SetKind::Orthant, SetKind::Box, SetKind::Coulomb2D};

using test::allocations;

TEST(MixedAllocations, GaussSeidelWorkspace) {
  mixed::GaussSeidelWorkspace workspace;
  const auto solve = [&](const mixed::Problem& problem, mixed::Result& result) {
    workspace.solve(problem, {.tolerance = 1e-6, .max_sweeps = 100'000}, result);
  };
  EXPECT_EQ(allocations(problems::disk_pile(6, 4, 0.4), solve), 0);
  EXPECT_EQ(allocations(problems::planted_mixed(20, every_kind, 1).problem, solve), 0);
  EXPECT_EQ(allocations(problems::planted_mixed(20, {SetKind::Orthant}, 2).problem, solve), 0);
}

TEST(MixedAllocations, Workspace) {
  mixed::Workspace workspace;
  for (const bool same_matrix : {false, true}) {
    const auto solve = [&](const mixed::Problem& problem, mixed::Result& result) {
      workspace.solve(problem, {}, same_matrix && result.status != Status::NotRun, result);
    };
    EXPECT_EQ(allocations(problems::skew_relay(1.0, 0.5, -1.0, 0.7, 2.0), solve), 0);
    EXPECT_EQ(allocations(problems::planted_mixed(1, {SetKind::Coulomb2D}, 3).problem, solve), 0);
    EXPECT_EQ(allocations(problems::planted_mixed(8, every_kind, 4).problem, solve), 0);
    EXPECT_EQ(allocations(problems::planted_mixed(6, {SetKind::Orthant}, 5).problem, solve), 0);
    EXPECT_EQ(allocations(problems::mixed_from_dense(Eigen::MatrixXd::Ones(1, 1), Eigen::VectorXd::Constant(1, -1.0),
                                                     {{{}, 1}}),
                          solve),
              0);
  }
}

TEST(MixedAllocations, Certificate) {
  const auto problem = problems::planted_mixed(8, every_kind, 6).problem;
  const Eigen::VectorXd r = Eigen::VectorXd::Ones(problem.q.size());
  Eigen::VectorXd u(problem.q.size());
  const test::AllocationCount count;
  (void)mixed::certify(problem, r, u);
  (void)mixed::friction_figures(problem, r, u);
  EXPECT_EQ(count.now(), 0);
}

}  // namespace
}  // namespace nonsmooth
