// SPDX-License-Identifier: Apache-2.0
// Parts that W does not couple, shared among threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth::islands_test {
namespace {

const std::vector<SetKind> all_kinds = {SetKind::Free,      SetKind::Orthant,         SetKind::Box,
                                        SetKind::Coulomb3D, SetKind::SecondOrderCone, SetKind::Coulomb2D};

/// Problems one behind the other, of 1 to 8 blocks each.
mixed::Problem side_by_side(const std::vector<SetKind>& kinds, std::uint64_t parts) {
  std::vector<mixed::Problem> problems;
  Index rows = 0;
  for (std::uint64_t seed = 1; seed <= parts; ++seed) {
    problems.push_back(problems::planted_mixed(1 + static_cast<Index>((5 * seed) % 8), kinds, seed).problem);
    rows += problems.back().W.rows();
  }
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows, rows);
  Eigen::VectorXd q(rows);
  std::vector<problems::Block> blocks;
  Index at = 0;
  for (const mixed::Problem& part : problems) {
    const Index n = part.W.rows();
    W.block(at, at, n, n) = Eigen::MatrixXd(part.W.to_sparse());
    q.segment(at, n) = part.q;
    for (Index b = 0; b < part.K.num_blocks(); ++b) blocks.push_back({part.K[b], part.K.size(b)});
    at += n;
  }
  return problems::mixed_from_dense(W, q, blocks, false);
}

void expect_same(const mixed::Result& one, const mixed::Result& other) {
  ASSERT_EQ(one.r.size(), other.r.size());
  EXPECT_TRUE((one.r.array() == other.r.array()).all());
  EXPECT_EQ(one.status, other.status);
  EXPECT_EQ(one.iterations, other.iterations);
  EXPECT_EQ(one.solver, other.solver);
  EXPECT_EQ(one.certificate.residual, other.certificate.residual);
}

TEST(IslandsByThreads, AutomaticHasTheSameBits) {
  const mixed::Problem problem = side_by_side(all_kinds, 30);
  mixed::Result alone;
  mixed::Workspace().solve(problem, {}, false, alone);
  ASSERT_TRUE(alone) << alone.message();
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    mixed::Workspace workspace;
    mixed::Result found;
    workspace.solve(problem, {}, false, found, &pool);
    expect_same(alone, found);
    found.r.setZero();
    workspace.solve(problem, {}, true, found, &pool);  // what a thread keeps changes nothing
    expect_same(alone, found);
  }
}

template <class Workspace, class Result, class Options>
void expect_same_sweeps(const mixed::Problem& problem, const Options& options) {
  Result expected;
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    Result found;
    Workspace().solve(problem, options, found, &pool);
    ASSERT_TRUE(found) << found.message();
    // Each island to its share of the tolerance: the whole meets it.
    Eigen::VectorXd u(problem.q.size());
    EXPECT_LE(mixed::certify(problem, found.r, u).residual, options.tolerance);
    if (threads == 1) expected = found;
    expect_same(expected, found);
  }
  Result whole;
  Workspace().solve(problem, options, whole);
  ASSERT_TRUE(whole) << whole.message();
  EXPECT_LE(expected.iterations, whole.iterations + 1);
}

TEST(IslandsByThreads, SweepsHaveTheSameBits) {
  const mixed::Problem problem = side_by_side({SetKind::Coulomb3D, SetKind::Orthant}, 30);
  expect_same_sweeps<mixed::GaussSeidelWorkspace, mixed::Result>(problem, mixed::GaussSeidel{.tolerance = 1e-9});
  expect_same_sweeps<friction::GaussSeidelWorkspace, friction::Result>(problem,
                                                                       friction::GaussSeidel{.tolerance = 1e-9});
}

TEST(IslandsByThreads, AnIslandWithoutASolutionIsProvedOfTheWhole) {
  // Two rows without diagonal that q closes, among islands that have solutions.
  const mixed::Problem sound = side_by_side({SetKind::Orthant}, 6);
  const Index n = sound.W.rows();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n + 2, n + 2);
  W.topLeftCorner(n, n) = Eigen::MatrixXd(sound.W.to_sparse());
  Eigen::VectorXd q(n + 2);
  q << sound.q, -1.0, -2.0;
  const std::vector<problems::Block> blocks(static_cast<std::size_t>(n) + 2, {{.kind = SetKind::Orthant}, 1});
  const mixed::Problem problem = problems::mixed_from_dense(W, q, blocks, false);
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    mixed::Result found;
    mixed::Workspace().solve(problem, {}, false, found, &pool);
    EXPECT_EQ(found.status, Status::Infeasible);
    ASSERT_EQ(found.proof.size(), n + 2);
    EXPECT_TRUE(mixed::proves_infeasible(problem, found.proof));
  }
}

}  // namespace
}  // namespace nonsmooth::islands_test
