// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/admm.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>
#include <problems/mixed.hpp>
#include <problems/piles.hpp>

#include "mixed/block_cholesky.hpp"

namespace nonsmooth::admm_test {
namespace {

using friction::Admm;
using problems::Block;

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A symmetric positive semidefinite chain or lattice of blocks of several sizes: sum of J^T J over bonds of two
/// blocks.
BlockSparseMatrix bonded(const std::vector<Index>& sizes, Index reach, std::uint64_t seed) {
  const auto n = static_cast<Index>(sizes.size());
  BlockSparseMatrix W;
  W.begin_pattern(sizes);
  const auto near = [&](Index i, Index j) { return std::abs(i - j) == 1 || std::abs(i - j) == reach; };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j)
      if (i == j || near(i, j)) W.insert(j);
    W.next_row();
  }
  W.end_pattern();
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      if (!near(i, j)) continue;
      const Index a = sizes[static_cast<std::size_t>(i)], b = sizes[static_cast<std::size_t>(j)];
      Eigen::MatrixXd J(2, a + b);
      for (Index k = 0; k < J.size(); ++k) J.data()[k] = normal(random);
      const Eigen::MatrixXd part = J.transpose() * J;
      W.block(i, W.diagonal(i)) += part.topLeftCorner(a, a);
      W.block(j, W.diagonal(j)) += part.bottomRightCorner(b, b);
      W.block(i, W.find(i, j)) += part.topRightCorner(a, b);
      W.block(j, W.find(j, i)) += part.bottomLeftCorner(b, a);
    }
  return W;
}

std::vector<Index> drawn_sizes(Index count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<Index> size(1, 6);
  std::vector<Index> sizes;
  for (Index i = 0; i < count; ++i) sizes.push_back(size(random));
  return sizes;
}

TEST(BlockCholesky, SolvesLikeADenseMatrix) {
  for (const Index count : {1, 2, 17, 60, 150})
    for (const Index reach : {1, 12}) {
      const auto W = bonded(drawn_sizes(count, 3), reach, 5);
      const Index n = W.rows();
      mixed::internal::BlockCholesky factors(W);
      for (const double shift : {1e-3, 1.0}) {
        const Eigen::VectorXd d = Eigen::VectorXd::LinSpaced(n, shift, 2.0 * shift), b = Eigen::VectorXd::Ones(n);
        ASSERT_TRUE(factors.factorize(d)) << count;
        Eigen::VectorXd x = b;
        factors.solve_in_place(x);
        const Eigen::MatrixXd dense = W.to_dense();
        // The backward error of a Cholesky solve: a few n eps |A||x| (Higham 2002, theorem 10.4).
        const double size = dense.norm() + 2.0 * shift;
        EXPECT_LE((dense * x + d.cwiseProduct(x) - b).norm(), 4.0 * static_cast<double>(n) * eps * size * x.norm());
      }
    }
}

TEST(BlockCholesky, RefusesWhatIsNotPositiveDefinite) {
  const auto W = bonded(drawn_sizes(30, 1), 4, 2);
  mixed::internal::BlockCholesky factors(W);
  Eigen::VectorXd d = Eigen::VectorXd::Constant(W.rows(), 1.0);
  ASSERT_TRUE(factors.factorize(d));
  d[W.rows() / 2] = -1e3;
  EXPECT_FALSE(factors.factorize(d));
  d[W.rows() / 2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(factors.factorize(d));
  // One bond of two blocks of 6 rows has rank 2: singular without a shift.
  const auto singular = bonded({6, 6}, 1, 7);
  EXPECT_FALSE(mixed::internal::BlockCholesky(singular).factorize(Eigen::VectorXd::Zero(12)));
}

Block contact(double mu) { return {{.kind = SetKind::Coulomb3D, .mu = mu}, 3}; }

// W = I, q_N = -1: r_N = 1, r_T = -q_T cut to mu = 0.3.
TEST(FrictionAdmm, AnswersOneContact) {
  for (const double speed : {0.0, 0.2, 0.3, 4.0}) {
    const auto problem = problems::mixed_from_dense(Eigen::Matrix3d::Identity(),
                                                    Eigen::Vector3d(-1.0, 0.6 * speed, -0.8 * speed), {contact(0.3)});
    const auto result = friction::solve(problem, Admm{.tolerance = 1e-12});
    ASSERT_EQ(result.status, Status::Solved) << result.message();
    const double slip = std::min(speed, 0.3);
    // 1e-12 of |q| <= 4 in u, and W = I.
    EXPECT_LE((result.r - Eigen::Vector3d(1.0, -0.6 * slip, 0.8 * slip)).norm(), 2e-11);
  }
}

// W with eigenvalues of at least 2: the planted answer is the only one, the error at most the residual 1e-10 of
// |q| < 10 over 2, times 1 + mu.
TEST(FrictionAdmm, FindsPlantedAnswers) {
  for (const auto measure : {friction::Measure::Certificate, friction::Measure::NaturalMap})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto planted = problems::planted_mixed(
          12, {SetKind::Coulomb3D, SetKind::Coulomb2D, SetKind::Orthant, SetKind::Free}, seed, 2.0);
      const auto result = friction::solve(planted.problem, Admm{.measure = measure});
      ASSERT_EQ(result.status, Status::Solved) << seed << ": " << result.message();
      EXPECT_LE((result.r - planted.r).lpNorm<Eigen::Infinity>(), 1e-8) << seed;
      if (measure == friction::Measure::NaturalMap) {
        EXPECT_LE(result.figures.natural_map, 1e-10);
      }
    }
}

// Gyroscopic terms: an unsymmetric part below a thousandth stays on the right-hand side, a larger one is factored. Both
// meet the same certificate; the planted answers are theirs.
TEST(FrictionAdmm, TakesUnsymmetricMatrices) {
  for (const double size : {1e-12, 1e-6, 1e-3, 0.1})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto planted = problems::planted_mixed(30, {SetKind::Coulomb3D, SetKind::Free}, seed, 2.0);
      Eigen::MatrixXd W = planted.problem.W.to_dense();
      std::mt19937_64 random(seed);
      const Eigen::MatrixXd G = problems::random_spd(W.rows(), 0.0, random).triangularView<Eigen::StrictlyUpper>();
      W += size * (G - G.transpose());
      std::vector<Block> blocks;
      for (Index b = 0; b < planted.problem.K.num_blocks(); ++b)
        blocks.push_back({planted.problem.K[b], planted.problem.K.size(b)});
      const auto problem = problems::mixed_from_dense(W, planted.u - W * planted.r, blocks);
      const auto result = friction::solve(problem, Admm{});
      ASSERT_EQ(result.status, Status::Solved) << size << " " << seed << ": " << result.message();
      EXPECT_LE((result.r - planted.r).lpNorm<Eigen::Infinity>(), 1e-8) << size << " " << seed;
    }
}

// Redundant contacts are what the method is for: 23 and 32 iterations at rest, 48 and 89 pushed, where sweeps take
// thousands; one factorization, for a solve that may not factor again takes the same steps.
TEST(FrictionAdmm, SolvesAWallInAFewDozenIterations) {
  for (const bool pushed : {false, true}) {
    const auto problem = problems::reduced_problem(problems::brick_wall(5, 4, 1, pushed));
    const auto loose = friction::solve(problem, Admm{.tolerance = 1e-4, .measure = friction::Measure::NaturalMap});
    const auto tight = friction::solve(problem, Admm{.tolerance = 1e-8, .measure = friction::Measure::NaturalMap});
    ASSERT_EQ(loose.status, Status::Solved) << loose.message();
    ASSERT_EQ(tight.status, Status::Solved) << tight.message();
    EXPECT_LE(tight.figures.natural_map, 1e-8);
    EXPECT_LE(loose.iterations, 60);
    EXPECT_LE(tight.iterations, 110);
    const auto once = friction::solve(
        problem, Admm{.tolerance = 1e-8, .measure = friction::Measure::NaturalMap, .max_refactorizations = 0});
    EXPECT_EQ(once.iterations, tight.iterations);
    EXPECT_EQ(once.r, tight.r);
    // u of a wall is unique for these mu: certified to 1e-10 by another method, it is the same to the tolerance times
    // what the stack amplifies, which is less than 1e3.
    const auto exact = mixed::solve(problem, mixed::ProximalNewton{.start = tight.r});
    ASSERT_TRUE(exact.ok());
    EXPECT_LE((tight.u - exact.u).lpNorm<Eigen::Infinity>(), 1e-5 * problem.q.lpNorm<Eigen::Infinity>());
  }
}

// Without memory the iteration is the plain one: the same answers, later (255 iterations against 32 on the wall).
TEST(FrictionAdmm, GoesWithoutExtrapolation) {
  const auto wall = problems::reduced_problem(problems::brick_wall(5, 4, 1, false));
  const auto plain = friction::solve(wall, Admm{.tolerance = 1e-8, .memory = 0});
  const auto extrapolated = friction::solve(wall, Admm{.tolerance = 1e-8});
  ASSERT_EQ(plain.status, Status::Solved) << plain.message();
  EXPECT_LE(plain.certificate.residual, 1e-8);
  EXPECT_GT(plain.iterations, 3 * extrapolated.iterations);
  const auto planted =
      problems::planted_mixed(12, {SetKind::Coulomb3D, SetKind::Coulomb2D, SetKind::Orthant, SetKind::Free}, 1, 2.0);
  const auto result = friction::solve(planted.problem, Admm{.memory = 0});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_LE((result.r - planted.r).lpNorm<Eigen::Infinity>(), 1e-8);  // as in FindsPlantedAnswers
}

// A first penalty that is off by four decades costs a factorization or two where they are allowed, and iterations
// where they are not.
TEST(FrictionAdmm, BalancesItsPenaltyUnlessForbidden) {
  const auto problem = problems::reduced_problem(problems::brick_wall(5, 4, 1, true));
  for (const double penalty : {1e-5, 1e3}) {
    const auto balanced = friction::solve(problem, Admm{.tolerance = 1e-6, .penalty = penalty});
    const auto fixed = friction::solve(
        problem, Admm{.tolerance = 1e-6, .max_iterations = 2000, .penalty = penalty, .max_refactorizations = 0});
    ASSERT_EQ(balanced.status, Status::Solved) << balanced.message();
    EXPECT_GT(fixed.iterations, 2 * balanced.iterations) << penalty;
    EXPECT_EQ(fixed.ok(), fixed.certificate.residual <= 1e-6);
  }
}

TEST(FrictionAdmm, StartsWhereItIsTold) {
  const auto problem = problems::reduced_problem(problems::brick_wall(4, 3, 2, true));
  const auto first = friction::solve(problem, Admm{.tolerance = 1e-9});
  ASSERT_TRUE(first.ok());
  const auto again = friction::solve(problem, Admm{.tolerance = 1e-9, .start = first.r});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.iterations, 0);
}

TEST(FrictionAdmm, SolvesTheSameBitsTwice) {
  const auto problem = problems::reduced_problem(problems::ball_pile(27, 3, problems::Rest::Settled));
  const auto one = friction::solve(problem, Admm{.tolerance = 1e-6}),
             two = friction::solve(problem, Admm{.tolerance = 1e-6});
  EXPECT_EQ(one.status, Status::Solved) << one.message();
  EXPECT_EQ(one.r, two.r);
  EXPECT_EQ(one.iterations, two.iterations);
}

TEST(FrictionAdmm, TakesEveryFrictionSet) {
  const Block elliptic{{.kind = SetKind::Coulomb3D, .mu = 0.5, .mu_2 = 0.2, .cohesion = 0.1}, 3};
  const Block rolling{{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1, .spinning = 0.05}, 6};
  std::mt19937_64 random(4);
  const Eigen::MatrixXd W = problems::random_spd(9, 1.0, random);
  Eigen::VectorXd q(9);
  q << -1.0, 0.7, -0.9, -1.5, 0.4, 0.8, 0.3, -0.2, 0.1;
  const auto problem = problems::mixed_from_dense(W, q, {elliptic, rolling});
  const auto result = friction::solve(problem, Admm{});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  Eigen::VectorXd u(9);
  EXPECT_LE(mixed::certify(problem, result.r, u).residual, 1e-10);
}

TEST(FrictionAdmm, StopsAtItsLimits) {
  const auto problem = problems::reduced_problem(problems::ball_pile(27, 1, problems::Rest::Settled));
  auto result = friction::solve(problem, Admm{.max_iterations = 3});
  EXPECT_EQ(result.status, Status::IterationLimit);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_GT(result.certificate.residual, 1e-10);
  result = friction::solve(problem, Admm{.time_limit = 1e-9});
  EXPECT_EQ(result.status, Status::TimeLimit);
}

TEST(FrictionAdmm, RefusesBadInput) {
  const auto problem =
      problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 0.0, 0.0), {contact(0.5)});
  EXPECT_THROW((void)friction::solve(problem, Admm{.tolerance = 0.0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, Admm{.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, Admm{.penalty = -1.0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, Admm{.relaxation = 2.0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, Admm{.memory = -1}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, Admm{.start = Eigen::VectorXd::Zero(4)}), InvalidArgument);
  const auto box = problems::mixed_from_dense(Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Ones(1),
                                              {{{.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 1}});
  EXPECT_THROW((void)friction::solve(box, Admm{}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::admm_test
