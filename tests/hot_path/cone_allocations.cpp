// SPDX-License-Identifier: Apache-2.0
// Warm sweeps over cones and cylinders call neither malloc nor its kin, whichever local solve a block has.
#include <gtest/gtest.h>

#include <hot_path/mixed_allocations.hpp>

#include <nonsmooth/numerics/mixed.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth {
namespace {

const std::vector<SetKind> every_kind = {SetKind::Free,      SetKind::Orthant,      SetKind::Box,
                                         SetKind::Coulomb2D, SetKind::Coulomb3D,    SetKind::SecondOrderCone,
                                         SetKind::VonMises,  SetKind::DruckerPrager};

using test::allocations;

TEST(ConeAllocations, GaussSeidelWorkspace) {
  for (const auto local : {mixed::GaussSeidel::Local::Exact, mixed::GaussSeidel::Local::Projection}) {
    mixed::GaussSeidelWorkspace workspace;
    const auto solve = [&](const mixed::Problem& problem, mixed::Result& result) {
      workspace.solve(problem, {.tolerance = 1e-6, .max_sweeps = 100'000, .local = local}, result);
    };
    EXPECT_EQ(allocations(problems::planted_mixed(20, every_kind, 1).problem, solve), 0);
    EXPECT_EQ(allocations(problems::planted_mixed(20, {SetKind::Coulomb3D}, 2).problem, solve), 0);
  }
}

TEST(ConeAllocations, WorkspaceWhereSweepsSettleIt) {
  mixed::Workspace workspace;
  const auto solve = [&](const mixed::Problem& problem, mixed::Result& result) {
    workspace.solve(problem, {.tolerance = 1e-6}, false, result);
  };
  EXPECT_EQ(allocations(problems::planted_mixed(8, {SetKind::Coulomb3D}, 3).problem, solve), 0);
  EXPECT_EQ(allocations(problems::planted_mixed(8, every_kind, 4).problem, solve), 0);
}

/// Blocks whose units are not the canonical ones: an ellipse, a cohesive contact and one that rolls, beside a free row.
mixed::Problem foreign_units() {
  const std::vector<problems::Block> blocks = {
      {{.kind = SetKind::Coulomb3D, .mu = 0.3, .mu_2 = 0.1}, 3},
      {{.kind = SetKind::Coulomb2D, .mu = 0.5, .cohesion = 0.2}, 2},
      {{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1, .spinning = 0.2, .cohesion = 0.1}, 6},
      {{.kind = SetKind::Free}, 1}};
  Eigen::MatrixXd W = Eigen::MatrixXd::Constant(12, 12, 0.05);
  W.diagonal().setOnes();
  Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(12, 0.5, -0.5);
  q[0] = q[3] = q[5] = -1.0;
  return problems::mixed_from_dense(W, q, blocks);
}

TEST(ConeAllocations, UnitsThatAreNotCanonical) {
  const auto problem = foreign_units();
  ASSERT_FALSE(problem.K.is_canonical());
  mixed::GaussSeidelWorkspace sweeps;
  const auto sweep = [&](const mixed::Problem& given, mixed::Result& result) {
    sweeps.solve(given, {.tolerance = 1e-6}, result);
  };
  EXPECT_EQ(allocations(problem, sweep), 0);
  for (const bool same_matrix : {false, true}) {
    mixed::Workspace workspace;
    const auto solve = [&](const mixed::Problem& given, mixed::Result& result) {
      workspace.solve(given, {.tolerance = 1e-6}, same_matrix && result.status != Status::NotRun, result);
    };
    EXPECT_EQ(allocations(problem, solve), 0);
  }
  // The certificate and the figures take the canonical form block by block.
  const Eigen::VectorXd r = Eigen::VectorXd::Ones(12);
  Eigen::VectorXd u(12);
  const test::AllocationCount count;
  (void)mixed::certify(problem, r, u);
  (void)mixed::friction_figures(problem, r, u);
  EXPECT_EQ(count.now(), 0);
}

}  // namespace
}  // namespace nonsmooth
