// SPDX-License-Identifier: Apache-2.0
// What each algorithm of the family promises beyond the contract suite.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "../../problems/lcp.hpp"

namespace nonsmooth::algorithms_test {
namespace {

/// Murty's matrix with q_i = 2^(i+1) - 2^(n+1), i from 0: exponential for Lemke's algorithm too, where q = -1 is not.
problems::Lcp murty_for_lemke(Index n) {
  problems::Lcp lcp = problems::murty(n);
  for (Index i = 0; i < n; ++i) lcp.problem.q[i] = std::ldexp(1.0, int(i) + 1) - std::ldexp(1.0, int(n) + 1);
  return lcp;
}

/// min over x >= 0, A x >= b of a quadratic of rank below n: a positive semidefinite, unsymmetric LCP with a solution.
lcp::Problem planted_quadratic_program(Index n, Index m, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Eigen::MatrixXd G = problems::normal_matrix(random, n, n / 2 + 1);
  const Eigen::MatrixXd A = problems::normal_matrix(random, m, n);
  problems::Lcp lcp;
  lcp.problem.M = Eigen::MatrixXd::Zero(n + m, n + m);
  lcp.problem.M.topLeftCorner(n, n) = G * G.transpose();
  lcp.problem.M.topRightCorner(n, m) = -A.transpose();
  lcp.problem.M.bottomLeftCorner(m, n) = A;
  problems::plant(lcp, random, 0.2);
  return lcp.problem;
}

template <class Options, class Change>
void refused(Change change, std::string_view argument) {
  Options options;
  change(options);
  try {
    static_cast<void>(lcp::solve(problems::interior().problem, options));
    ADD_FAILURE() << "not refused: " << argument;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), argument);
  }
}

// ---- Murty, Keller: pivots

// From a = {} every complementary basis of Murty's problem is visited: 2^n - 1 pivots for the least-index rule and, as
// the driving variable is the least index here, for Keller's method. Fathi's problem is one pivot for both.
TEST(PrincipalPivoting, PivotCountsOfTheWorstCases) {
  for (Index n = 2; n <= 12; ++n) {
    for (const problems::Lcp& lcp : {problems::murty(n), murty_for_lemke(n)}) {
      const lcp::Result murty = lcp::solve(lcp.problem, lcp::Murty{.max_pivots = 10'000});
      ASSERT_TRUE(murty.ok()) << murty.message();
      EXPECT_EQ(murty.iterations, (Index{1} << n) - 1);
      const lcp::Result keller = lcp::solve(lcp.problem, lcp::Keller{.max_pivots = 10'000});
      ASSERT_TRUE(keller.ok()) << keller.message();
      EXPECT_EQ(keller.iterations, (Index{1} << n) - 1);
      EXPECT_EQ(murty.z, keller.z);  // the same basis, solved by the same factors
    }
    lcp::Lemke textbook;
    textbook.equilibrate = false;
    textbook.max_pivots = 10'000;
    const lcp::Result lemke = lcp::solve(murty_for_lemke(n).problem, textbook);
    ASSERT_TRUE(lemke.ok()) << lemke.message();
    EXPECT_EQ(lemke.iterations, Index{1} << n);
    const problems::Lcp fathi = problems::fathi(n);
    EXPECT_EQ(lcp::solve(fathi.problem, lcp::Murty{}).iterations, 1);
    EXPECT_EQ(lcp::solve(fathi.problem, lcp::Keller{}).iterations, 1);
  }
  const lcp::Result limited = lcp::solve(problems::murty(12).problem, lcp::Murty{.max_pivots = 2000});
  EXPECT_EQ(limited.status, Status::IterationLimit);
  EXPECT_EQ(limited.iterations, 2000);
}

TEST(PrincipalPivoting, SparseTakesTheSamePath) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Index n = 1 + static_cast<Index>(seed);
    const lcp::Problem problem = problems::random_p(n, seed).problem;
    const lcp::Result dense = lcp::solve(problem, lcp::Murty{});
    const lcp::Result sparse = lcp::solve(problems::sparse(problem), lcp::Murty{});
    ASSERT_TRUE(dense.ok()) << dense.message();
    ASSERT_TRUE(sparse.ok()) << sparse.message();
    EXPECT_EQ(dense.iterations, sparse.iterations) << "seed " << seed;
    const lcp::Result driven = lcp::solve(problem, lcp::Keller{});
    const lcp::Result driven_sparse = lcp::solve(problems::sparse(problem), lcp::Keller{});
    ASSERT_TRUE(driven.ok()) << driven.message();
    EXPECT_EQ(driven.iterations, driven_sparse.iterations) << "seed " << seed;
  }
}

TEST(Murty, DegenerateProblemsEnd) {
  // Half of the rows have z_i = w_i = 0; no basis may come back [murty1974].
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const lcp::Result result = lcp::solve(problems::random_p(20, seed, 0.5).problem, lcp::Murty{});
    EXPECT_TRUE(result.ok()) << "seed " << seed << ": " << result.message();
  }
}

TEST(Murty, StopsAtASingularBasis) {
  const lcp::Result result = lcp::solve({Eigen::MatrixXd{{0, 1}, {-1, 0}}, Eigen::VectorXd{{-1, 1}}}, lcp::Murty{});
  EXPECT_EQ(result.status, Status::NumericalFailure) << result.message();
}

TEST(Keller, SemidefiniteProblemsNeedExchangesOfPairs) {
  // A linear program: every diagonal of M is zero, so the first pivot is one of a pair. z as in Lemke's test.
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(4, 4);
  const Eigen::MatrixXd A{{1, 2}, {3, 1}};
  M.topRightCorner(2, 2) = -A.transpose();
  M.bottomLeftCorner(2, 2) = A;
  const lcp::Problem problem{M, Eigen::VectorXd{{1, 1, -4, -6}}};
  for (const lcp::Result& result :
       {lcp::solve(problem, lcp::Keller{}), lcp::solve(problems::sparse(problem), lcp::Keller{})}) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE((result.z - Eigen::VectorXd{{1.6, 1.2, 0.4, 0.2}}).cwiseAbs().maxCoeff(), 1e-14);  // a few roundings of 2
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const lcp::Problem program = planted_quadratic_program(3 + Index(seed % 30), 1 + Index(seed % 13), seed);
    const lcp::Result result = lcp::solve(program, lcp::Keller{});
    EXPECT_TRUE(result.ok()) << "seed " << seed << ": " << result.message();
  }
}

TEST(Keller, ProvesInfeasibility) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const lcp::Problem problem = problems::random_infeasible(1 + Index(seed), seed).problem;
    for (const lcp::Result& result :
         {lcp::solve(problem, lcp::Keller{}), lcp::solve(problems::sparse(problem), lcp::Keller{})}) {
      EXPECT_EQ(result.status, Status::Infeasible) << "seed " << seed << ": " << result.message();
      EXPECT_TRUE(lcp::proves_infeasible(problem, result.proof));
    }
  }
}

TEST(Keller, OutsideItsClass) {
  // M_11 < 0: w_1 falls while it is to be driven up, and nothing blocks; row 1 is no proof as M_12 > 0.
  const lcp::Result ray = lcp::solve({Eigen::MatrixXd{{-1, 2}, {2, 1}}, Eigen::VectorXd{{-1, -1}}}, lcp::Keller{});
  EXPECT_EQ(ray.status, Status::Stalled) << ray.message();
  EXPECT_EQ(ray.reason, "a column that never blocks, which proves nothing for this matrix");
  // w_2 blocks z_1 at 1/2, where M_22 < 0.
  const lcp::Result pivot = lcp::solve({Eigen::MatrixXd{{1, 0}, {-2, -1}}, Eigen::VectorXd{{-1, 1}}}, lcp::Keller{});
  EXPECT_EQ(pivot.status, Status::Stalled) << pivot.message();
  EXPECT_EQ(pivot.reason.substr(0, 19), "M is not sufficient");
  // Here the falling row is a proof all the same: w = -1 - z.
  const lcp::Problem none{-Eigen::MatrixXd::Ones(1, 1), -Eigen::VectorXd::Ones(1)};
  const lcp::Result proved = lcp::solve(none, lcp::Keller{});
  EXPECT_EQ(proved.status, Status::Infeasible) << proved.message();
  EXPECT_TRUE(lcp::proves_infeasible(none, proved.proof));
}

// ---- Newton

TEST(MinNewton, OneStepFromTheRightBasisAndFallbacksElsewhere) {
  // z = 0 gives a = {0, 1}, the basis of the answer.
  EXPECT_EQ(lcp::solve(problems::interior().problem, lcp::MinNewton{}).iterations, 0);
  // M_aa = 0 at the first basis: only the fallback directions move.
  const lcp::Problem skew{Eigen::MatrixXd{{0, 1}, {-1, 0}}, Eigen::VectorXd{{-1, 1}}};
  const lcp::Result result = lcp::solve(skew, lcp::MinNewton{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_GT(result.iterations, 0);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const lcp::Problem program = planted_quadratic_program(3 + Index(seed % 30), 1 + Index(seed % 13), seed);
    EXPECT_TRUE(lcp::solve(program, lcp::MinNewton{}).ok()) << "seed " << seed;
    EXPECT_TRUE(lcp::solve(problems::sparse(program), lcp::MinNewton{}).ok()) << "seed " << seed;
  }
}

// ---- interior point

TEST(InteriorPoint, MonotoneProblemsOfEveryRank) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const lcp::Problem program = planted_quadratic_program(3 + Index(seed % 40), 1 + Index(seed % 17), seed);
    for (const lcp::Result& result :
         {lcp::solve(program, lcp::InteriorPoint{}), lcp::solve(problems::sparse(program), lcp::InteriorPoint{})}) {
      EXPECT_TRUE(result.ok()) << "seed " << seed << ": " << result.message();
      EXPECT_LE(result.iterations, 40);  // 10 to 30 is what the documentation promises
    }
  }
}

TEST(InteriorPoint, StepsDoNotGrowWithTheGrid) {
  for (const Index m : {16, 32, 64}) {
    const lcp::Result result = lcp::solve(problems::obstacle_2d(m), lcp::InteriorPoint{});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE(result.iterations, 30);
  }
}

TEST(InteriorPoint, ContinuumOfSolutionsAndNone) {
  // z_1 + z_2 = 1: M_aa is singular on the basis that the iterates point to; the proximal finish keeps their mean.
  const lcp::Problem line{Eigen::MatrixXd::Ones(2, 2), -Eigen::VectorXd::Ones(2)};
  const lcp::Result result = lcp::solve(line, lcp::InteriorPoint{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_NEAR(result.z[0], 0.5, 1e-10);
  EXPECT_NEAR(result.z[1], 0.5, 1e-10);
  const lcp::Result none = lcp::solve({-Eigen::MatrixXd::Ones(1, 1), -Eigen::VectorXd::Ones(1)}, lcp::InteriorPoint{});
  EXPECT_FALSE(none.ok());
}

// ---- splittings

TEST(Splitting, FirstSweepsByHand) {
  // M = (2 1; 1 2), q = (-5, -6). Gauss-Seidel from 0: z_1 = 5/2, z_2 = (6 - 5/2) / 2 = 7/4. Jacobi: (5/2, 3).
  const lcp::Problem problem = problems::interior().problem;
  lcp::Splitting options{.max_sweeps = 1};
  EXPECT_EQ(Eigen::VectorXd(lcp::solve(problem, options).z), (Eigen::VectorXd{{2.5, 1.75}}));
  options.kind = lcp::Splitting::Kind::Jacobi;
  // The better of 0 and one sweep is kept: min(2 z, w) = (3, 5/2) against (-5, -6) at 0.
  EXPECT_EQ(Eigen::VectorXd(lcp::solve(problem, options).z), (Eigen::VectorXd{{2.5, 3.0}}));
  options.kind = lcp::Splitting::Kind::SymmetricGaussSeidel;
  // Then backwards: row 2 stays, z_1 = (5 - 7/4) / 2 = 13/8.
  EXPECT_EQ(Eigen::VectorXd(lcp::solve(problem, options).z), (Eigen::VectorXd{{1.625, 1.75}}));
  options.kind = lcp::Splitting::Kind::GaussSeidel;
  options.relaxation = 0.5;
  // z_1 = 5/4, z_2 = (6 - 5/4) / 4 = 19/16.
  EXPECT_EQ(Eigen::VectorXd(lcp::solve(problem, options).z), (Eigen::VectorXd{{1.25, 1.1875}}));
  options.relaxation = 1.0;
  options.proximal = 1.0;  // M_ii + rho s_i = 4: the same numbers
  EXPECT_EQ(Eigen::VectorXd(lcp::solve(problem, options).z), (Eigen::VectorXd{{1.25, 1.1875}}));
}

TEST(Splitting, LineSearchMakesJacobiConverge) {
  // Eigenvalues of D^-1 M are 2.8 and 0.1 (twice): Jacobi alone diverges, omega = 1.
  const lcp::Problem problem{Eigen::MatrixXd{{1, 0.9, 0.9}, {0.9, 1, 0.9}, {0.9, 0.9, 1}},
                             Eigen::VectorXd{{-1, -2, -1.9}}};
  lcp::Splitting jacobi{.kind = lcp::Splitting::Kind::Jacobi};
  EXPECT_FALSE(lcp::solve(problem, jacobi).ok());
  jacobi.line_search = true;
  const lcp::Result dense = lcp::solve(problem, jacobi);
  EXPECT_TRUE(dense.ok()) << dense.message();
  EXPECT_TRUE(lcp::solve(problems::sparse(problem), jacobi).ok());
}

TEST(Splitting, LineSearchRefusesAnAsymmetricMatrixByName) {
  const lcp::Problem problem{Eigen::MatrixXd{{2, 0, 0}, {0, 2, 1}, {0, 0.5, 2}}, -Eigen::VectorXd::Ones(3)};
  const auto check = [](const auto& given) {
    try {
      static_cast<void>(lcp::solve(given, lcp::Splitting{.line_search = true}));
      ADD_FAILURE();
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), "lcp::Problem::M");
      EXPECT_EQ(error.found(), "1 in entry (1, 2) and 0.5 in entry (2, 1)");
    }
  };
  check(problem);
  check(problems::sparse(problem));
}

TEST(Splitting, ProximalTermServesAZeroDiagonal) {
  // min z_1^2 / 2 - z_1 + 0 z_2, written with a free z_2: M = diag(1, 0), q = (-1, 0).
  const lcp::Problem problem{Eigen::MatrixXd{{1, 0}, {0, 0}}, Eigen::VectorXd{{-1, 0}}};
  EXPECT_EQ(lcp::solve(problem, lcp::Splitting{}).status, Status::NumericalFailure);
  const lcp::Result result = lcp::solve(problem, lcp::Splitting{.proximal = 0.1});
  EXPECT_TRUE(result.ok()) << result.message();
}

TEST(Splitting, ADirectionWithoutEndIsAProof) {
  // M = (1 -1; -1 1), q = (-1, 0): along (1, 1) the quadratic falls by 1 a unit, and y = (1, 1) has M y = 0.
  const lcp::Problem problem{Eigen::MatrixXd{{1, -1}, {-1, 1}}, Eigen::VectorXd{{-1, 0}}};
  const lcp::Result result = lcp::solve(problem, lcp::Splitting{.line_search = true});
  EXPECT_FALSE(result.ok());
  if (result.status == Status::Infeasible) {
    EXPECT_TRUE(lcp::proves_infeasible(problem, result.proof));
  }
}

// ---- limits and refusals

TEST(Algorithms, TimeLimitKeepsTheBestIterate) {
  const lcp::SparseProblem problem = problems::obstacle_1d(2000);
  constexpr double short_time = 1e-3;
  for (const lcp::Result& result : {lcp::solve(problem, lcp::Lemke{.time_limit = short_time}),
                                    lcp::solve(problem, lcp::Keller{.time_limit = short_time}),
                                    lcp::solve(problem, lcp::Splitting{.time_limit = short_time}),
                                    lcp::solve(problem, lcp::InteriorPoint{.time_limit = short_time}),
                                    lcp::solve(problem, lcp::MinNewton{.time_limit = short_time}),
                                    lcp::solve(problem, lcp::FischerBurmeister{.time_limit = short_time})}) {
    EXPECT_EQ(result.status, Status::TimeLimit) << result.message();
    EXPECT_EQ(result.z.size(), 2000);
    EXPECT_TRUE(std::isfinite(result.certificate.residual));
  }
  const lcp::Result murty =
      lcp::solve(problems::murty(20).problem, lcp::Murty{.max_pivots = 1 << 21, .time_limit = 1e-3});
  EXPECT_EQ(murty.status, Status::TimeLimit) << murty.message();
}

TEST(Algorithms, RefuseBadOptions) {
  refused<lcp::Murty>([](auto& o) { o.tolerance = 0.0; }, "lcp::Murty::tolerance");
  refused<lcp::Murty>([](auto& o) { o.max_pivots = -1; }, "lcp::Murty::max_pivots");
  refused<lcp::Murty>([](auto& o) { o.refactor_every = 0; }, "lcp::Murty::refactor_every");
  refused<lcp::Murty>([](auto& o) { o.time_limit = 0.0; }, "lcp::Murty::time_limit");
  refused<lcp::Keller>([](auto& o) { o.tolerance = -1.0; }, "lcp::Keller::tolerance");
  refused<lcp::Keller>([](auto& o) { o.max_pivots = -1; }, "lcp::Keller::max_pivots");
  refused<lcp::Keller>([](auto& o) { o.refactor_every = 0; }, "lcp::Keller::refactor_every");
  refused<lcp::Keller>([](auto& o) { o.time_limit = -1.0; }, "lcp::Keller::time_limit");
  refused<lcp::MinNewton>([](auto& o) { o.tolerance = 0.0; }, "lcp::MinNewton::tolerance");
  refused<lcp::MinNewton>([](auto& o) { o.max_steps = 0; }, "lcp::MinNewton::max_steps");
  refused<lcp::MinNewton>([](auto& o) { o.decrease = 0.6; }, "lcp::MinNewton::decrease");
  refused<lcp::MinNewton>([](auto& o) { o.memory = 0; }, "lcp::MinNewton::memory");
  refused<lcp::MinNewton>([](auto& o) { o.time_limit = 0.0; }, "lcp::MinNewton::time_limit");
  refused<lcp::InteriorPoint>([](auto& o) { o.tolerance = 0.0; }, "lcp::InteriorPoint::tolerance");
  refused<lcp::InteriorPoint>([](auto& o) { o.max_steps = 0; }, "lcp::InteriorPoint::max_steps");
  refused<lcp::InteriorPoint>([](auto& o) { o.boundary = 1.0; }, "lcp::InteriorPoint::boundary");
  refused<lcp::InteriorPoint>([](auto& o) { o.boundary = 0.0; }, "lcp::InteriorPoint::boundary");
  refused<lcp::InteriorPoint>([](auto& o) { o.time_limit = 0.0; }, "lcp::InteriorPoint::time_limit");
  refused<lcp::Splitting>([](auto& o) { o.tolerance = 0.0; }, "lcp::Splitting::tolerance");
  refused<lcp::Splitting>([](auto& o) { o.max_sweeps = 0; }, "lcp::Splitting::max_sweeps");
  refused<lcp::Splitting>([](auto& o) { o.relaxation = 2.0; }, "lcp::Splitting::relaxation");
  refused<lcp::Splitting>([](auto& o) { o.proximal = -0.1; }, "lcp::Splitting::proximal");
  refused<lcp::Splitting>([](auto& o) { o.check_every = 0; }, "lcp::Splitting::check_every");
  refused<lcp::Splitting>([](auto& o) { o.kind = static_cast<lcp::Splitting::Kind>(9); }, "lcp::Splitting::kind");
  refused<lcp::Splitting>([](auto& o) { o.time_limit = 0.0; }, "lcp::Splitting::time_limit");
  refused<lcp::Enumeration>([](auto& o) { o.max_bases = -1; }, "lcp::Enumeration::max_bases");
  refused<lcp::Enumeration>([](auto& o) { o.time_limit = 0.0; }, "lcp::Enumeration::time_limit");
  refused<lcp::Lemke>([](auto& o) { o.time_limit = 0.0; }, "lcp::Lemke::time_limit");
  refused<lcp::FischerBurmeister>([](auto& o) { o.time_limit = 0.0; }, "lcp::FischerBurmeister::time_limit");
}

// ---- several solutions

const lcp::Solution* solution_at(const std::vector<lcp::Solution>& all, const Eigen::VectorXd& z) {
  for (const lcp::Solution& solution : all) {
    if ((solution.result.z - z).cwiseAbs().maxCoeff() <= 1e-12) return &solution;
  }
  return nullptr;
}

TEST(AllSolutions, ASegment) {
  // The solutions are z_1 + z_2 = 1 [cottle1992, remark 4.1.14]: two vertices, each pointing at the other.
  const lcp::Problem problem{Eigen::MatrixXd::Ones(2, 2), -Eigen::VectorXd::Ones(2)};
  const std::vector<lcp::Solution> all = lcp::all_solutions(problem);
  ASSERT_EQ(all.size(), 2U);
  for (const lcp::Solution& solution : all) {
    ASSERT_FALSE(solution.isolated());
    EXPECT_FALSE(solution.unbounded);
    for (const double t : {0.25, 0.5, 1.0}) {
      EXPECT_LE(problems::independent_residual(problem.M, problem.q, solution.result.z + t * solution.direction),
                1e-15);
    }
  }
  EXPECT_NE(solution_at(all, Eigen::VectorXd{{1, 0}}), nullptr);
}

TEST(AllSolutions, AVertexThatOnlyASingularBasisSupports) {
  // w = (0, z_1 - 1): solutions are z_1 >= 1 with z_2 = 0, and z_1 = 1 with any z_2 >= 0. Every nonempty basis is
  // singular; from the one vertex (1, 0) two rays leave.
  const lcp::Problem problem{Eigen::MatrixXd{{0, 0}, {1, 0}}, Eigen::VectorXd{{0, -1}}};
  const std::vector<lcp::Solution> all = lcp::all_solutions(problem);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(Eigen::VectorXd(all[0].result.z), (Eigen::VectorXd{{1, 0}}));
  ASSERT_FALSE(all[0].isolated());
  EXPECT_TRUE(all[0].unbounded);
  // Exact; the judge adds what its own sums may lose, n 2^-64 of terms of 1001.
  EXPECT_LE(problems::independent_residual(problem.M, problem.q, all[0].result.z + 1000.0 * all[0].direction), 1e-15);
  EXPECT_TRUE(lcp::solve(problem, lcp::Enumeration{}).ok());
}

TEST(AllSolutions, IsolatedOnes) {
  const std::vector<lcp::Solution> all =
      lcp::all_solutions({-Eigen::MatrixXd::Identity(3, 3), Eigen::VectorXd::Ones(3)});
  ASSERT_EQ(all.size(), 8U);
  for (const lcp::Solution& solution : all) EXPECT_TRUE(solution.isolated());
  // One solution of a P-matrix, whatever the units of its rows and however degenerate.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const problems::Lcp lcp = problems::rescaled(problems::random_spd(6, seed, 0.5), seed, 12.0);
    const std::vector<lcp::Solution> one = lcp::all_solutions(lcp.problem);
    ASSERT_EQ(one.size(), 1U) << "seed " << seed;
    EXPECT_TRUE(one[0].isolated());
  }
}

TEST(AllSolutions, SemidefiniteProblemsHaveOneConvexSet) {
  // For positive semidefinite M the set of solutions is a polyhedron: every pair of vertices is joined by solutions.
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const lcp::Problem problem = problems::random_psd(1 + Index(seed % 7), seed).problem;
    const std::vector<lcp::Solution> all = lcp::all_solutions(problem);
    ASSERT_FALSE(all.empty()) << "seed " << seed;
    for (const lcp::Solution& a : all) {
      EXPECT_EQ(a.isolated(), all.size() == 1 && a.direction.size() == 0) << "seed " << seed;
      for (const lcp::Solution& b : all) {
        const Eigen::VectorXd middle = 0.5 * (a.result.z + b.result.z);
        EXPECT_LE(problems::independent_residual(problem.M, problem.q, middle), 1e-9) << "seed " << seed;
      }
    }
  }
}

TEST(AllSolutions, LimitsCutTheSearch) {
  const lcp::Problem problem{-Eigen::MatrixXd::Identity(3, 3), Eigen::VectorXd::Ones(3)};
  lcp::Enumeration options;
  options.max_bases = 4;  // rows 0 and 1 only
  EXPECT_EQ(lcp::all_solutions(problem, options).size(), 4U);
  const lcp::Result result = lcp::solve({Eigen::MatrixXd::Identity(3, 3), -Eigen::VectorXd::Ones(3)}, options);
  EXPECT_EQ(result.status, Status::IterationLimit);
  EXPECT_EQ(result.iterations, 4);
}

}  // namespace
}  // namespace nonsmooth::algorithms_test
