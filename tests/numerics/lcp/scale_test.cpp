// SPDX-License-Identifier: Apache-2.0
// What large problems live on, at small sizes: coarse-to-fine starts, guesses of the basis, factors by tiles.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include <Eigen/LU>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "../../problems/lcp.hpp"
#include "linear_algebra/dense_kernels.hpp"

namespace nonsmooth::scale_test {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

/// -div(k grad u) + v . grad u (upwind) on an m x m x depth grid with k = kx, ky, kz along the axes, times h^2;
/// q = -8 h^2 on one half, +30 h^2 on the other. An M-matrix; not symmetric where v is not zero.
lcp::SparseProblem transport(Index m, Index depth, double kx, double ky, double kz, double v) {
  const Index n = m * m * depth;
  const double h = 1.0 / double(m + 1);
  lcp::SparseProblem problem{Eigen::SparseMatrix<double>(n, n), Eigen::VectorXd(n)};
  Triplets entries;
  const auto number = [&](Index i, Index j, Index k) { return int(i + m * (j + m * k)); };
  for (Index k = 0; k < depth; ++k) {
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < m; ++i) {
        const int row = number(i, j, k);
        entries.emplace_back(row, row, 2.0 * (kx + ky + (depth > 1 ? kz : 0.0)) + v * h);
        if (i > 0) entries.emplace_back(row, number(i - 1, j, k), -kx - v * h);
        if (i + 1 < m) entries.emplace_back(row, number(i + 1, j, k), -kx);
        if (j > 0) entries.emplace_back(row, number(i, j - 1, k), -ky);
        if (j + 1 < m) entries.emplace_back(row, number(i, j + 1, k), -ky);
        if (k > 0) entries.emplace_back(row, number(i, j, k - 1), -kz);
        if (k + 1 < depth) entries.emplace_back(row, number(i, j, k + 1), -kz);
        problem.q[row] = (2 * i < m ? -8.0 : 30.0) * h * h;
      }
    }
  }
  problem.M.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

/// An obstacle that is not zero at the ends, so that z = u - psi jumps there: 0.3 sin(3 pi x) - 0.25, load -2.
lcp::SparseProblem bent_obstacle(Index n) {
  lcp::SparseProblem problem = problems::obstacle_1d(n);
  const double h = 1.0 / double(n + 1);
  Eigen::VectorXd psi(n);
  for (Index i = 0; i < n; ++i) psi[i] = 0.3 * std::sin(3.0 * std::acos(-1.0) * double(i + 1) * h) - 0.25;
  problem.q = problem.M * psi + Eigen::VectorXd::Constant(n, 2.0 * h * h);
  return problem;
}

TEST(Multigrid, FindsTheSolutionOfFactorizations) {
  for (const Index m : {40, 90}) {
    const lcp::SparseProblem problem = problems::obstacle_2d(m);
    const lcp::Result fine = lcp::solve(problem, lcp::Multigrid{});
    ASSERT_TRUE(fine.ok()) << fine.message();
    const lcp::Result exact = lcp::solve(problem, lcp::PrimalDualActiveSet{});
    ASSERT_TRUE(exact.ok()) << exact.message();
    // |M^-1|_inf <= (m + 1)^2 / 8 of the Laplacian times an error of 1e-10 |q| in w, twice.
    const double bound = 2e-10 * double((m + 1) * (m + 1)) / 8.0 * problem.q.cwiseAbs().maxCoeff();
    EXPECT_LE((fine.z - exact.z).cwiseAbs().maxCoeff(), bound) << m;
  }
}

TEST(Multigrid, StepsHardlyGrowWithTheSize) {
  for (const Index m : {32, 64, 128, 200}) {
    const lcp::Result result = lcp::solve(problems::obstacle_2d(m), lcp::Multigrid{});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE(result.iterations, 12) << m;  // a cold start takes a number of order m
  }
  for (const Index n : {1000, 10'000, 50'000}) {
    const lcp::Result result = lcp::solve(bent_obstacle(n), lcp::Multigrid{});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE(result.iterations, 12) << n;
  }
}

TEST(Multigrid, DoesNotAskForAGridOrItsNumbering) {
  const lcp::SparseProblem ordered = problems::obstacle_2d(80);
  const Index n = ordered.q.size();
  Eigen::PermutationMatrix<Eigen::Dynamic> P(n);
  P.setIdentity();
  std::mt19937_64 random(3);
  for (Index i = n - 1; i > 0; --i) {
    std::swap(P.indices()[i], P.indices()[static_cast<Index>(random() % static_cast<std::uint64_t>(i + 1))]);
  }
  lcp::SparseProblem shuffled{Eigen::SparseMatrix<double>(n, n), P * ordered.q};
  shuffled.M = ordered.M.twistedBy(P);
  const lcp::Result a = lcp::solve(ordered, lcp::Multigrid{});
  const lcp::Result b = lcp::solve(shuffled, lcp::Multigrid{});
  ASSERT_TRUE(a.ok()) << a.message();
  ASSERT_TRUE(b.ok()) << b.message();
  EXPECT_LE(b.iterations, 15);
  // As above: 81^2 / 8 times twice the residual allowed.
  const double bound = 2e-10 * 81.0 * 81.0 / 8.0 * ordered.q.cwiseAbs().maxCoeff();
  EXPECT_LE((P.transpose() * Eigen::VectorXd(b.z) - a.z).cwiseAbs().maxCoeff(), bound);
}

TEST(Multigrid, OtherMMatrices) {
  const struct {
    const char* name;
    lcp::SparseProblem problem;
  } cases[] = {
      {"three dimensions", transport(18, 18, 1.0, 1.0, 1.0, 0.0)},
      {"anisotropic", transport(70, 1, 1.0, 0.01, 0.0, 0.0)},
      {"upwind convection", transport(70, 1, 1.0, 1.0, 0.0, 40.0)},
  };
  for (const auto& [name, problem] : cases) {
    lcp::Multigrid options;
    const lcp::Result result = lcp::solve(problem, options);
    EXPECT_TRUE(result.ok()) << name << ": " << result.message();
    EXPECT_LE(result.iterations, 40) << name;
    const lcp::Result again = lcp::solve(problem, options);
    EXPECT_EQ(result.z, again.z) << name;
    EXPECT_GT(result.z.maxCoeff(), 0.0) << name;
    EXPECT_GT((result.z.array() == 0.0).count(), 0) << name;  // both kinds of rows occur
  }
}

TEST(Multigrid, SaysWhereItDoesNotApply) {
  lcp::SparseProblem problem = problems::obstacle_1d(20);
  problem.M.coeffRef(3, 3) = 0.0;
  EXPECT_EQ(lcp::solve(problem, lcp::Multigrid{}).status, Status::NumericalFailure);
}

TEST(Limits, StopByTime) {
  const lcp::SparseProblem problem = problems::obstacle_2d(100);
  constexpr double instant = 1e-9;  // s
  lcp::Multigrid multigrid;
  multigrid.time_limit = instant;
  EXPECT_EQ(lcp::solve(problem, multigrid).status, Status::TimeLimit);
  lcp::PrimalDualActiveSet active_set;
  active_set.time_limit = instant;
  EXPECT_EQ(lcp::solve(problem, active_set).status, Status::TimeLimit);
  lcp::BlockPrincipalPivoting pivoting;
  pivoting.time_limit = instant;
  pivoting.sweeps = 0;
  EXPECT_EQ(lcp::solve(problem, pivoting).status, Status::TimeLimit);
  lcp::Automatic automatic;
  automatic.time_limit = instant;
  const lcp::Result result = lcp::solve(problem, automatic);
  EXPECT_EQ(result.status, Status::TimeLimit);
  EXPECT_EQ(result.z.size(), problem.q.size());
}

TEST(Limits, RefuseBadValues) {
  const lcp::SparseProblem problem = problems::obstacle_1d(3);
  const auto refused = [&](auto options, std::string_view argument) {
    try {
      static_cast<void>(lcp::solve(problem, options));
      ADD_FAILURE() << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument);
    }
  };
  refused(lcp::Multigrid{.tolerance = 0.0}, "lcp::Multigrid::tolerance");
  refused(lcp::Multigrid{.max_steps = 0}, "lcp::Multigrid::max_steps");
  refused(lcp::Multigrid{.max_cycles = 0}, "lcp::Multigrid::max_cycles");
  refused(lcp::Multigrid{.coarsest = 0}, "lcp::Multigrid::coarsest");
  refused(lcp::Multigrid{.time_limit = 0.0}, "lcp::Multigrid::time_limit");
  refused(lcp::Automatic{.max_iterations = -1}, "lcp::Automatic::max_iterations");
  refused(lcp::Automatic{.time_limit = -1.0}, "lcp::Automatic::time_limit");
  refused(lcp::BlockPrincipalPivoting{.sweeps = -1}, "lcp::BlockPrincipalPivoting::sweeps");
  refused(lcp::BlockPrincipalPivoting{.time_limit = 0.0}, "lcp::BlockPrincipalPivoting::time_limit");
  refused(lcp::PrimalDualActiveSet{.time_limit = 0.0}, "lcp::PrimalDualActiveSet::time_limit");
}

TEST(Automatic, PlantedDenseProblemsTakeFewFactorizations) {
  for (const Index n : {9, 30, 100, 250}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const problems::Lcp lcp = problems::random_p(n, seed);
      const lcp::Result result = lcp::solve(lcp.problem);
      ASSERT_TRUE(result.ok()) << result.message();
      EXPECT_EQ(result.solver, "block principal pivoting");
      EXPECT_LE(result.iterations, 6) << n;  // five from z = 0 alone
      // |z - z*| <= |M^-1| |dw| over the symmetric part's least eigenvalue 1/2, in the 2-norm: sqrt(n) 1e-10 |q| / 0.5.
      const double bound = 2e-10 * std::sqrt(double(n)) * lcp.problem.q.cwiseAbs().maxCoeff();
      EXPECT_LE((result.z - lcp.z).norm(), bound * std::sqrt(double(n))) << n;
    }
  }
}

TEST(Automatic, ExponentialFamiliesAreNoTrap) {
  for (const Index n : {20, 100}) {
    for (const problems::Lcp& lcp : {problems::murty(n), problems::fathi(n)}) {
      const lcp::Result result = lcp::solve(lcp.problem);
      ASSERT_TRUE(result.ok()) << lcp.name << ": " << result.message();
      EXPECT_LE(result.iterations, 20) << lcp.name;  // Lemke takes 2^n
      EXPECT_EQ(result.z, lcp.z) << lcp.name;        // one row in the basis, M_ii = 1
    }
    lcp::Problem lower{problems::murty(n).problem.M.transpose(), Eigen::VectorXd(n)};
    for (Index i = 0; i < n; ++i) lower.q[i] = std::ldexp(1.0, int(i) + 1) - std::ldexp(1.0, int(n) + 1);
    for (const lcp::Problem& problem : {lower, lcp::Problem{lower.M.transpose(), lower.q}}) {
      const lcp::Result result = lcp::solve(problem);
      EXPECT_TRUE(result.ok()) << result.message();
      EXPECT_LE(result.iterations, 20);
    }
  }
}

TEST(BlockPrincipalPivoting, SweepsChangeTheStartNotTheAnswer) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const problems::Lcp lcp = problems::random_spd(60, seed);
    lcp::BlockPrincipalPivoting plain;
    plain.sweeps = 0;
    const lcp::Result a = lcp::solve(lcp.problem, plain);
    const lcp::Result b = lcp::solve(lcp.problem, lcp::BlockPrincipalPivoting{});
    ASSERT_TRUE(a.ok()) << a.message();
    ASSERT_TRUE(b.ok()) << b.message();
    EXPECT_EQ(a.z, b.z);  // the same basis, the same operations
    const lcp::Result c = lcp::solve(problems::sparse(lcp.problem), lcp::BlockPrincipalPivoting{});
    ASSERT_TRUE(c.ok()) << c.message();
  }
}

TEST(DenseKernels, FactorsMultiplyToTheMatrix) {
  std::mt19937_64 random(5);
  std::vector<double> packed;
  for (const Index n : {1, 2, 7, 8, 15, 16, 17, 31, 33, 48, 65, 129, 150, 300}) {
    const Eigen::MatrixXd A = problems::normal_matrix(random, n, n);
    const Eigen::VectorXd x = problems::normal_matrix(random, n, 1);
    Eigen::MatrixXd factors = A;
    const std::vector<double> smallest(static_cast<std::size_t>(n), 0.0);
    std::vector<Index> swaps(static_cast<std::size_t>(n));
    ASSERT_TRUE(detail::lu_in_place(n, factors.data(), smallest.data(), swaps.data(), packed));
    Eigen::MatrixXd permuted = A;
    for (Index k = 0; k < n; ++k) permuted.row(k).swap(permuted.row(swaps[static_cast<std::size_t>(k)]));
    const Eigen::MatrixXd L = factors.triangularView<Eigen::UnitLower>();
    const Eigen::MatrixXd U = factors.triangularView<Eigen::Upper>();
    EXPECT_LE(L.cwiseAbs().maxCoeff(), 1.0) << n;
    // Higham 2002, theorem 9.3: |P A - L U| <= gamma_n |L||U|, entry by entry; the product here rounds as much again.
    const double unit = 2.0 * double(n) * 0x1p-53;
    EXPECT_LE(((permuted - L * U).cwiseAbs() - unit * (L.cwiseAbs() * U.cwiseAbs())).maxCoeff(), 0.0) << n;
    Eigen::VectorXd b = A * x;
    detail::lu_solve(n, factors.data(), swaps.data(), b.data());
    const double condition = A.norm() * A.inverse().norm();
    EXPECT_LE((b - x).norm(), 8.0 * double(n) * 0x1p-53 * condition * x.norm()) << n;
  }
}

TEST(DenseKernels, SingularIsRefused) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Ones(40, 40);
  const std::vector<double> smallest(40, 1e-14);
  std::vector<Index> swaps(40);
  std::vector<double> packed;
  EXPECT_FALSE(detail::lu_in_place(40, A.data(), smallest.data(), swaps.data(), packed));
}

}  // namespace
}  // namespace nonsmooth::scale_test
