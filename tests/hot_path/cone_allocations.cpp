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

}  // namespace
}  // namespace nonsmooth
