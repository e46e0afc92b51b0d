// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/polyhedral.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>

#include "conic_problems.hpp"

namespace nonsmooth::polyhedral_test {
namespace {

using mixed::Polyhedral;
using problems::Block;
using problems::Matrix;
using Side = mixed::Polyhedral::Side;

constexpr double pi = 3.14159265358979323846;

/// A random problem with blocks of three rows of one kind, W = G G^T + I.
mixed::Problem random_problem(Index count, const BlockSet& set, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd W = problems::random_spd(3 * count, 1.0, random);
  Eigen::VectorXd q(3 * count);
  for (double& value : q) value = normal(random) - 0.3;
  return problems::mixed_from_dense(W, q, std::vector<Block>(static_cast<std::size_t>(count), {set, 3}));
}

Eigen::VectorXd recovered(const mixed::Problem& problem, Index facets, Side side) {
  const auto polygon = mixed::polyhedral(problem, {.facets = facets, .side = side});
  const auto result = solve(polygon.problem, mixed::ProximalNewton{});
  EXPECT_TRUE(result) << facets << " facets: " << result.message();
  return polygon.recover(result.r);
}

double value(const mixed::Problem& problem, const Eigen::VectorXd& r) {
  return 0.5 * r.dot(problem.W.to_dense() * r) + r.dot(problem.q);
}

/// r with every tangential part shrunk by `factor`.
Eigen::VectorXd shrunk(Eigen::VectorXd r, double factor) {
  for (Index i = 0; i < r.size(); ++i)
    if (i % 3 != 0) r[i] *= factor;
  return r;
}

TEST(Polyhedral, LeastValuesBracketThatOfTheConeAndConvergeLikeOneOverFacetsSquared) {
  // û = u and W symmetric positive definite: r minimises f = r·W r / 2 + q·r over K. Inner polygons give more, outer
  // ones less; the other way round, shrinking the tangents by cos(pi / k) carries K into the inner polygon and the
  // outer one into K, which bounds f(k) - f from above by a computable O(1 - cos(pi / k)).
  const mixed::Problem problem = random_problem(4, {.kind = SetKind::SecondOrderCone, .mu = 0.8}, 5);
  const auto exact = solve(problem, mixed::ProximalNewton{.tolerance = 1e-13});
  ASSERT_TRUE(exact || exact.status == Status::Stalled) << exact.message();
  const double f = value(problem, exact.r);
  double inner_before = 0.0;
  for (const Index k : {4, 8, 16, 32, 64}) {
    const double c = std::cos(pi / static_cast<double>(k));
    const double inner = value(problem, recovered(problem, k, Side::Inner)) - f;
    EXPECT_GE(inner, -1e-9);
    EXPECT_LE(inner, value(problem, shrunk(exact.r, c)) - f + 1e-9);
    const Eigen::VectorXd outer = recovered(problem, k, Side::Outer);
    EXPECT_LE(value(problem, outer) - f, 1e-9);
    EXPECT_GE(value(problem, outer) - f, value(problem, outer) - value(problem, shrunk(outer, c)) - 1e-9);
    // The bound falls fourfold for twice the facets; single values scatter below it.
    EXPECT_LE(inner, 12.0 / static_cast<double>(k * k));
    if (k == 4) inner_before = inner;
    if (k == 64) {
      EXPECT_LE(inner, inner_before / 50.0);  // 16^2 = 256 fold in the mean
    }
  }
}

TEST(Polyhedral, ImpulsesConvergeForEveryKind) {
  // |r_k - r| = O(1 / k): the slip direction is one of k. W >= I and the sizes of r here are below 5.
  for (const BlockSet& set :
       {BlockSet{.kind = SetKind::SecondOrderCone, .mu = 0.8}, BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.2},
        BlockSet{.kind = SetKind::DruckerPrager, .mu = 0.3, .lift = 0.1},
        BlockSet{.kind = SetKind::VonMises, .radius = 0.4}}) {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(set.kind)));
    const mixed::Problem problem = random_problem(3, set, 7);
    const auto exact = solve(problem, mixed::ProximalNewton{});
    ASSERT_TRUE(exact) << exact.message();
    double moved = 0.0;
    for (const Side side : {Side::Inner, Side::Outer})
      for (const Index k : {8, 24, 48}) {
        const double error = (recovered(problem, k, side) - exact.r).cwiseAbs().maxCoeff();
        EXPECT_LE(error, 5.0 / static_cast<double>(k)) << k << " facets";
        moved = std::max(moved, error);
      }
    EXPECT_GT(moved, 1e-6);  // the polygons do bite
  }
}

TEST(Polyhedral, InnerImpulsesAreAdmissibleAndOuterOnesNearlySo) {
  for (const BlockSet& set :
       {BlockSet{.kind = SetKind::SecondOrderCone, .mu = 0.8}, BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.4}}) {
    const mixed::Problem problem = random_problem(4, set, 9);
    for (const Index k : {3, 8, 15}) {
      const double slack = 1.0 / std::cos(pi / static_cast<double>(k));
      const Eigen::VectorXd inner = recovered(problem, k, Side::Inner), outer = recovered(problem, k, Side::Outer);
      for (Index b = 0; b < 4; ++b) {
        EXPECT_LE(inner.segment(3 * b + 1, 2).norm(), set.mu * inner[3 * b] + 1e-9);
        EXPECT_LE(outer.segment(3 * b + 1, 2).norm(), slack * set.mu * outer[3 * b] + 1e-9);
      }
    }
  }
}

TEST(Polyhedral, IsExactForPlanarSets) {
  // Two rows: a polygon with two corners is the interval itself.
  for (const BlockSet& set : {BlockSet{.kind = SetKind::SecondOrderCone, .mu = 0.8},
                              BlockSet{.kind = SetKind::DruckerPrager, .mu = 0.3, .lift = 0.1},
                              BlockSet{.kind = SetKind::VonMises, .radius = 0.4}}) {
    std::mt19937_64 random(3);
    const Eigen::MatrixXd W = problems::random_spd(6, 1.0, random);
    Eigen::VectorXd q(6);
    std::normal_distribution<double> normal;
    for (double& value : q) value = normal(random) - 0.3;
    const auto problem = problems::mixed_from_dense(W, q, std::vector<Block>(3, {set, 2}));
    const Eigen::VectorXd r = recovered(problem, 16, Side::Outer);
    Eigen::VectorXd u(6);
    EXPECT_LE(mixed::certify(problem, r, u).residual, 1e-9) << static_cast<int>(set.kind);
  }
}

TEST(Polyhedral, KeepsTheOtherBlocksAndTheApex) {
  const BlockSet cone{.kind = SetKind::SecondOrderCone, .mu = 0.0}, row{.kind = SetKind::SecondOrderCone, .mu = 0.7};
  const std::vector<Block> blocks = {{{.kind = SetKind::Free}, 2},
                                     {{.kind = SetKind::Box, .lower = -1.0, .upper = 0.5}, 1},
                                     {{.kind = SetKind::Coulomb2D, .mu = 0.2}, 2},
                                     {{}, 2},
                                     {cone, 3},
                                     {row, 1}};
  std::mt19937_64 random(6);
  const Eigen::MatrixXd W = problems::random_spd(11, 1.0, random);
  Eigen::VectorXd q(11);
  std::normal_distribution<double> normal;
  for (double& value : q) value = normal(random);
  const auto problem = problems::mixed_from_dense(W, q, blocks);
  const auto polygon = mixed::polyhedral(problem);
  EXPECT_EQ(polygon.problem.q.size(), 9);  // the ray of mu = 0 keeps one row of three
  const auto result = solve(polygon.problem, mixed::ProximalNewton{});
  ASSERT_TRUE(result) << result.message();
  Eigen::VectorXd u(11);
  EXPECT_LE(mixed::certify(problem, polygon.recover(result.r), u).residual, 1e-9);
}

TEST(Polyhedral, AllConesMakeALinearComplementarityProblem) {
  const auto polygon = mixed::polyhedral(random_problem(3, {.kind = SetKind::Coulomb3D, .mu = 0.4}, 2), {.facets = 6});
  EXPECT_TRUE(polygon.problem.K.all(SetKind::Orthant));
  EXPECT_EQ(polygon.problem.q.size(), 3 * 8);
  EXPECT_NO_THROW(polygon.problem.validate());
}

TEST(Polyhedral, RefusesBadInput) {
  const auto good = random_problem(2, {.kind = SetKind::Coulomb3D, .mu = 0.4}, 2);
  EXPECT_THROW((void)mixed::polyhedral(good, {.facets = 2}), InvalidArgument);
  EXPECT_THROW((void)mixed::polyhedral({}), InvalidArgument);
  const auto wide = problems::mixed_from_dense(Eigen::Matrix4d::Identity(), Eigen::Vector4d::Ones(),
                                               {{{.kind = SetKind::SecondOrderCone, .mu = 0.4}, 4}});
  EXPECT_THROW((void)mixed::polyhedral(wide), InvalidArgument);
  EXPECT_THROW((void)mixed::polyhedral(good).recover(Eigen::VectorXd::Zero(3)), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::polyhedral_test
