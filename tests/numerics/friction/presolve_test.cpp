// SPDX-License-Identifier: Apache-2.0
// What the automatic choice looks for before its tiers: contacts that stay open, dependent rows, the kernel of W.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <Eigen/QR>

#include <nonsmooth/numerics/friction/automatic.hpp>
#include <problems/mixed.hpp>
#include <problems/pile_variants.hpp>
#include <problems/piles.hpp>

#include "friction/reduced/presolve.hpp"
#include "friction/reduced/symmetry.hpp"

namespace nonsmooth::presolve_test {
namespace {

using friction::internal::DependentRows;
using friction::internal::KernelProjection;
using problems::Rest;

const BlockSet planar{.kind = SetKind::Coulomb2D, .mu = 0.5};

std::vector<Index> find_open(const mixed::Problem& problem) { return friction::internal::OpenBlocks().find(problem); }

Index rank_of(const Eigen::MatrixXd& W) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors;
  factors.setThreshold(1e-10);
  return factors.compute(W).rank();
}

/// Contacts in the plane with W given row by row of normals; W_TT = 1, no coupling of tangents but `pull`, what the
/// tangent of the last contact does to the normal of the first.
friction::Problem normals(const Eigen::MatrixXd& W_NN, const Eigen::VectorXd& q_N, double pull = 0.0) {
  const Index n = q_N.size();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(2 * n);
  std::vector<problems::Block> sets;
  for (Index i = 0; i < n; ++i) {
    W(2 * i + 1, 2 * i + 1) = 1.0;
    q[2 * i] = q_N[i];
    for (Index j = 0; j < n; ++j) W(2 * i, 2 * j) = W_NN(i, j);
    sets.push_back({planar, 2});
  }
  W(0, 2 * n - 1) = W(2 * n - 1, 0) = pull;
  return problems::mixed_from_dense(W, q, sets);
}

TEST(Presolve, FindsContactsThatNothingCloses) {
  Eigen::Matrix3d W;
  W << 2.0, 0.5, 0.5, 0.5, 2.0, -0.5, 0.5, -0.5, 2.0;
  // 0 is pushed open by both; 1 could be closed by 2; 2 closes by itself.
  EXPECT_EQ(find_open(normals(W, Eigen::Vector3d(1.0, 1.0, -1.0))), (std::vector<Index>{0}));
  // Once 2 is known to stay open, nothing closes 1: in turns, whatever the order.
  Eigen::Matrix3d chain;
  chain << 2.0, -0.5, 0.0, 0.5, 2.0, -0.5, 0.0, 0.5, 2.0;
  EXPECT_EQ(find_open(normals(chain, Eigen::Vector3d(1.0, 1.0, 1.0))), (std::vector<Index>{0, 1, 2}));
  EXPECT_TRUE(find_open(normals(chain, Eigen::Vector3d(1.0, 1.0, -1.0))).empty());
}

TEST(Presolve, FrictionCanCloseAContact) {
  // w = (0.5, pull) is in the dual of the cone of slope 0.5 where 0.5 >= 0.5 |pull|.
  const Eigen::Matrix2d W = (Eigen::Matrix2d() << 2.0, 0.5, 0.5, 2.0).finished();
  EXPECT_EQ(find_open(normals(W, Eigen::Vector2d(0.0, -1.0), 1.0)), (std::vector<Index>{0}));
  EXPECT_TRUE(find_open(normals(W, Eigen::Vector2d(0.0, -1.0), 1.01)).empty());
}

TEST(Presolve, BilateralBlocksAndOrthantsRowByRow) {
  Eigen::Matrix3d W;
  W << 2.0, 0.1, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 1.0;
  const auto with = [&](const BlockSet& last, const Eigen::Vector3d& q) {
    return find_open(problems::mixed_from_dense(W, q, {{{.kind = SetKind::Orthant}, 2}, {last, 1}}));
  };
  const BlockSet free{.kind = SetKind::Free}, orthant{.kind = SetKind::Orthant};
  EXPECT_EQ(with(orthant, Eigen::Vector3d(1.0, 0.5, -1.0)), (std::vector<Index>{0}));
  EXPECT_EQ(with(orthant, Eigen::Vector3d(1.0, -0.5, -1.0)), (std::vector<Index>{}));
  EXPECT_EQ(with(free, Eigen::Vector3d(1.0, 0.5, 1.0)), (std::vector<Index>{0}));  // never the bilateral block itself
  W(0, 2) = W(2, 0) = 0.1;
  EXPECT_EQ(with(free, Eigen::Vector3d(1.0, 0.5, 1.0)), (std::vector<Index>{}));
  EXPECT_EQ(with(orthant, Eigen::Vector3d(1.0, 0.5, -1.0)), (std::vector<Index>{0}));
}

TEST(Presolve, AutomaticLeavesThemOpen) {
  const friction::Problem pile = problems::reduced_problem(problems::ball_pile(40, 3, Rest::Settled));
  const friction::Problem problem = problems::with_open_contacts(pile);
  const auto open = find_open(problem);
  ASSERT_GE(static_cast<Index>(open.size()), pile.K.num_blocks());
  for (const auto measure : {friction::Measure::Certificate, friction::Measure::NaturalMap}) {
    const auto result = friction::solve(problem, friction::Automatic{.tolerance = 1e-10, .measure = measure});
    ASSERT_TRUE(result) << result.message();
    const auto dropped = std::find_if(result.decisions.begin(), result.decisions.end(), [](const auto& d) {
      return d.tier == "presolve" && d.reason == "contacts that nothing closes: left open";
    });
    ASSERT_NE(dropped, result.decisions.end());
    EXPECT_EQ(dropped->iterations, static_cast<Index>(open.size()));
    for (const Index b : open) EXPECT_EQ(result.r.segment(problem.W.offset(b), 3).norm(), 0.0);
    Eigen::VectorXd u(problem.W.rows());
    EXPECT_LE(measure == friction::Measure::Certificate ? mixed::certify(problem, result.r, u).residual
                                                        : result.figures.natural_map,
              1e-10);
  }
}

TEST(Presolve, AProofForTheRestIsNoneForTheWhole) {
  // Alone, contact 1 has no solution, and a proof: u_1 = -r_1 - 1. That says nothing of both.
  Eigen::Matrix2d W;
  W << 1.0, 2.0, 2.0, -1.0;
  const auto problem = normals(W, Eigen::Vector2d(0.0, -1.0));
  ASSERT_EQ(find_open(problem), (std::vector<Index>{0}));
  // u_0 = r_0 + 2 r_1 >= 0 with r_0 u_0 = 0 leaves r_0 = 0, and u_1 = -r_1 - 1 < 0: no solution, and no proof either,
  // since r_0 >= 1 / 2 alone makes both gaps admissible.
  const auto result = friction::solve(problem);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.status, Status::Infeasible) << result.message();
  EXPECT_EQ(result.decisions.back().tier, "presolve");
  EXPECT_EQ(result.decisions.back().reason, "W is not positive semidefinite");
}

/// Contacts at the corners of blocks: W = sum over interfaces of G_i^T G_i, `points` contacts on each pair of bodies.
BlockSparseMatrix interfaces(Index pairs, Index points, Index rank, const std::vector<Index>& order) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const Index contacts = pairs * points;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * contacts, 3 * contacts);
  for (Index p = 0; p < pairs; ++p) {
    const Eigen::MatrixXd G =
        Eigen::MatrixXd::NullaryExpr(3 * points, rank, [&](Index, Index) { return normal(random); });
    const Eigen::MatrixXd block = G * G.transpose();
    for (Index i = 0; i < points; ++i)
      for (Index j = 0; j < points; ++j)
        dense.block(3 * order[static_cast<std::size_t>(p * points + i)],
                    3 * order[static_cast<std::size_t>(p * points + j)], 3, 3) = block.block(3 * i, 3 * j, 3, 3);
  }
  std::vector<problems::Block> sets(static_cast<std::size_t>(contacts), {{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3});
  return problems::mixed_from_dense(dense, Eigen::VectorXd::Zero(3 * contacts), sets, false).W;
}

TEST(Presolve, CountsDependentRowsOfInterfaces) {
  std::vector<Index> order(20);
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<Index> shuffled = order;
  std::mt19937_64 random(2);
  for (std::size_t i = shuffled.size() - 1; i > 0; --i) std::swap(shuffled[i], shuffled[random() % (i + 1)]);
  for (const auto& list : {order, shuffled}) {
    EXPECT_EQ(DependentRows().count(interfaces(5, 4, 6, list)), 5 * (12 - 6));  // rigid bodies in space
    EXPECT_EQ(DependentRows().count(interfaces(5, 4, 12, list)), 0);            // of full rank
    EXPECT_EQ(DependentRows().count(interfaces(1, 20, 12, list)), 60 - 12);
    EXPECT_EQ(DependentRows().count(interfaces(1, 20, 13, list)), 0);  // beyond what is looked for: nothing is said
  }
}

TEST(Presolve, CountsNoMoreThanThereAre) {
  for (const bool pushed : {false, true}) {
    const auto wall = problems::reduced_problem(problems::brick_wall(4, 3, 1, pushed));
    const Index rank = rank_of(wall.W.to_dense());
    const Index dependent = DependentRows().count(wall.W);
    EXPECT_LE(dependent, wall.W.rows() - rank);
    EXPECT_GE(3 * dependent, wall.W.rows());  // four contacts a pair of bricks: 6 rows of 12
    const auto result = friction::solve(wall, friction::Automatic{.tolerance = 1e-10});
    ASSERT_TRUE(result) << result.message();
  }
}

TEST(Presolve, KernelOfAWall) {
  const auto wall = problems::reduced_problem(problems::brick_wall(6, 5, 1, false));
  const Eigen::MatrixXd W = wall.W.to_dense();
  const Index dimension = W.rows() - rank_of(W);
  const KernelProjection kernel(wall.W);
  ASSERT_TRUE(kernel.valid());
  // Five standard deviations of the estimate, sqrt(dimension / 8) each.
  EXPECT_NEAR(static_cast<double>(kernel.estimate_dimension()), static_cast<double>(dimension),
              5.0 * std::sqrt(static_cast<double>(dimension) / 8.0));
  EXPECT_EQ(kernel.estimate_dimension(), KernelProjection(wall.W).estimate_dimension());
  Eigen::VectorXd z = Eigen::VectorXd::LinSpaced(W.rows(), -1.0, 1.0);
  const double before = (W * z).norm();
  kernel.project(z);
  // d / 4 |z| with d = 1e-10 of the largest diagonal entry, beside the round-off of W z.
  EXPECT_LE((W * z).norm(), 1e-9 * before);
  EXPECT_GT(z.norm(), 0.1);
}

TEST(Presolve, NoKernelOfWhatIsNotSemidefinite) {
  Eigen::Matrix2d W;
  W << 1.0, 2.0, 2.0, 1.0;
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector2d::Zero(), {{planar, 2}});
  EXPECT_FALSE(KernelProjection(problem.W).valid());
  EXPECT_TRUE(friction::internal::is_symmetric(problem.W));
  W(0, 1) = 1.9;
  EXPECT_FALSE(
      friction::internal::is_symmetric(problems::mixed_from_dense(W, Eigen::Vector2d::Zero(), {{planar, 2}}).W));
}

}  // namespace
}  // namespace nonsmooth::presolve_test
