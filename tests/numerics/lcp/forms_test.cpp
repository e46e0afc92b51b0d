// SPDX-License-Identifier: Apache-2.0
// Horizontal and vertical problems, quadratic programs: there and back.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "../../problems/lcp.hpp"

namespace nonsmooth::forms_test {
namespace {

template <class Call>
void refused(Call call, std::string_view argument, std::string_view found = {}) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << argument;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), argument) << error.what();
    if (!found.empty()) {
      EXPECT_EQ(error.found(), found);
    }
  }
}

// ---- horizontal

TEST(HorizontalLcp, WithTheIdentityItIsTheLcp) {
  const problems::Lcp lcp = problems::interior();
  const lcp::horizontal::Problem problem{Eigen::MatrixXd::Identity(2, 2), lcp.problem.M, lcp.problem.q};
  const lcp::horizontal::Result result = lcp::horizontal::solve(problem);
  ASSERT_TRUE(result.ok()) << result.reason;
  EXPECT_LE((result.z - lcp.z).cwiseAbs().maxCoeff(), 1e-14);  // a few roundings of 7/3
  EXPECT_EQ(result.w, Eigen::VectorXd::Zero(2));
}

TEST(HorizontalLcp, PlantedProblems) {
  // N = B, M = B M_p with a P-matrix M_p: the solution of the LCP (M_p, q_p) with q = B q_p, for every B regular.
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Index n = 1 + Index(seed % 12);
    const problems::Lcp planted = problems::random_p(n, seed);
    std::mt19937_64 random(seed + 1000);
    Eigen::MatrixXd B = problems::normal_matrix(random, n, n);
    B.diagonal().array() += 3.0;
    lcp::horizontal::Problem problem{B, B * planted.problem.M, B * planted.problem.q};
    // Every other pair swapped: z and w change places, N becomes singular for none, the answer is known all the same.
    std::vector<bool> swapped(std::size_t(n), false);
    for (Index i = 0; i < n; i += 2) {
      const Eigen::VectorXd column = problem.N.col(i);
      problem.N.col(i) = -problem.M.col(i);
      problem.M.col(i) = -column;
      swapped[std::size_t(i)] = true;
    }
    const lcp::horizontal::Result result = lcp::horizontal::solve(problem);
    ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << result.reason;
    const Eigen::VectorXd w = planted.problem.M * planted.z + planted.problem.q;
    for (Index i = 0; i < n; ++i) {
      const bool swap = swapped[std::size_t(i)];
      // Residual 1e-10 times |q| (below 100) and the condition of B and M_p (below 1e3).
      EXPECT_NEAR(result.z[i], swap ? w[i] : planted.z[i], 1e-5);
      EXPECT_NEAR(result.w[i], swap ? planted.z[i] : w[i], 1e-5);
    }
  }
}

TEST(HorizontalLcp, ASingularNIsExchanged) {
  const lcp::horizontal::Problem problem{Eigen::MatrixXd{{1, 0}, {0, 0}}, Eigen::MatrixXd{{1, 0}, {0, -2}},
                                         Eigen::VectorXd{{-3, 4}}};
  // w_1 = z_1 - 3 and 2 z_2 = 4: z = (3, 2), w_1 = 0, w_2 = 0 (z_2 > 0).
  const auto reduction = lcp::horizontal::reduce(problem);
  ASSERT_TRUE(reduction.has_value());
  EXPECT_TRUE(reduction->exchanged[1]);
  const lcp::horizontal::Result result = lcp::horizontal::solve(problem);
  ASSERT_TRUE(result.ok()) << result.reason;
  EXPECT_LE((result.z - Eigen::VectorXd{{3, 2}}).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(result.w, Eigen::VectorXd::Zero(2));
}

TEST(HorizontalLcp, NoRepresentativeAndNoPoint) {
  const lcp::horizontal::Problem neither{Eigen::MatrixXd{{1, 0}, {0, 0}}, Eigen::MatrixXd{{1, 1}, {0, 0}},
                                         Eigen::VectorXd{{1, 1}}};
  EXPECT_FALSE(lcp::horizontal::reduce(neither).has_value());
  EXPECT_EQ(lcp::horizontal::solve(neither).status, Status::Stalled);
  // 2 w + 0 z = -1 has no w >= 0: u = 1 with N^T u = 2, M^T u = 0, q u = -1.
  const lcp::horizontal::Problem infeasible{Eigen::MatrixXd{{2}}, Eigen::MatrixXd{{0}}, Eigen::VectorXd{{-1}}};
  const lcp::horizontal::Result result = lcp::horizontal::solve(infeasible);
  EXPECT_EQ(result.status, Status::Infeasible) << result.reason;
  EXPECT_TRUE(lcp::horizontal::proves_infeasible(infeasible, result.proof));
  EXPECT_FALSE(lcp::horizontal::proves_infeasible(infeasible, Eigen::VectorXd{{-1}}));
}

TEST(HorizontalLcp, CertificateByHandAndRefusals) {
  const lcp::horizontal::Problem problem{Eigen::MatrixXd{{2, 0}, {0, 1}}, Eigen::MatrixXd{{1, 0}, {0, 4}},
                                         Eigen::VectorXd{{1, -5}}};
  // Rows at z = (1, 1), w = (1, 0): 2 - 1 - 1 = 0 and 0 - 4 + 5 = 1; pairs min(1, 2) = 1 and min(4, 0) = 0.
  const Certificate c = lcp::horizontal::certify(problem, Eigen::VectorXd{{1, 1}}, Eigen::VectorXd{{1, 0}});
  EXPECT_EQ(c.error, 1.0);
  EXPECT_EQ(c.residual, 0.2);
  EXPECT_EQ(c.round_off, 64.0 * 0x1p-52 * 9.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lcp::horizontal::certify(problem, Eigen::VectorXd{{nan, 1}}, Eigen::VectorXd{{1, 0}}).residual <= 1e300);
  lcp::horizontal::Problem bad = problem;
  bad.M.resize(2, 3);
  refused([&] { bad.validate(); }, "lcp::horizontal::Problem::M");
  bad = problem;
  bad.q.resize(3);
  refused([&] { bad.validate(); }, "lcp::horizontal::Problem::q");
  bad = problem;
  bad.N(1, 0) = nan;
  refused([&] { bad.validate(); }, "lcp::horizontal::Problem::N");
  refused([&] { static_cast<void>(lcp::horizontal::solve(problem, Limits{.tolerance = 0.0})); }, "Limits::tolerance");
}

// ---- vertical

TEST(VerticalLcp, OneRowAGroupIsTheLcp) {
  const problems::Lcp lcp = problems::interior();
  const lcp::vertical::Problem problem{lcp.problem.M, lcp.problem.q, {0, 1, 2}};
  const lcp::Problem same = lcp::vertical::to_lcp(problem);
  EXPECT_EQ(same.M, lcp.problem.M);
  EXPECT_EQ(same.q, lcp.problem.q);
  EXPECT_LE((lcp::vertical::solve(problem).z - lcp.z).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(VerticalLcp, TheLeastOfSeveralRows) {
  // min(z, z - 1, 2 z - 6, z / 2 + 5) = 0: z = 3, where the second row is the one at zero.
  const lcp::vertical::Problem problem{Eigen::MatrixXd{{1}, {2}, {0.5}}, Eigen::VectorXd{{-1, -6, 5}}, {0, 3}};
  const lcp::vertical::SparseProblem sparse{problem.N.sparseView(), problem.q, problem.first};
  for (const lcp::vertical::Result& result : {lcp::vertical::solve(problem), lcp::vertical::solve(sparse)}) {
    ASSERT_TRUE(result.ok()) << result.reason;
    EXPECT_NEAR(result.z[0], 3.0, 1e-15);
    EXPECT_LE((result.w - Eigen::VectorXd{{2, 0, 6.5}}).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(VerticalLcp, TwoObstaclesOnADiscountedChain) {
  // Planted: groups of three rows, each choice of rows strictly diagonally dominant, so a P-matrix.
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Index n = 1 + Index(seed % 9);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    lcp::vertical::Problem problem{problems::normal_matrix(random, 3 * n, n), Eigen::VectorXd(3 * n), {}};
    Eigen::VectorXd z(n);
    for (Index j = 0; j < n; ++j) z[j] = uniform(random) < 0.4 ? 0.0 : 0.1 + uniform(random);
    for (Index j = 0; j <= n; ++j) problem.first.push_back(3 * j);
    for (Index i = 0; i < 3 * n; ++i) {
      const Index j = i / 3;
      problem.N(i, j) = 1.0 + problem.N.row(i).cwiseAbs().sum();
      // The rows at zero where z_j > 0: one of the three; elsewhere all are positive.
      const bool zero = z[j] > 0.0 && i % 3 == Index(seed % 3);
      problem.q[i] = (zero ? 0.0 : 0.1 + uniform(random)) - problem.N.row(i).dot(z);
    }
    const lcp::vertical::SparseProblem sparse{problem.N.sparseView(), problem.q, problem.first};
    EXPECT_EQ(Eigen::MatrixXd(lcp::vertical::to_lcp(sparse).M), lcp::vertical::to_lcp(problem).M);
    for (const lcp::vertical::Result& result : {lcp::vertical::solve(problem), lcp::vertical::solve(sparse)}) {
      ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << result.reason;
      // Dominance by 1: |z - z*| is at most the error, (1 + s) 1e-10 |q|, with s and |q| below 100.
      EXPECT_LE((result.z - z).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
}

TEST(VerticalLcp, InfeasibleWithAProofInItsOwnRows) {
  // z - 1 >= 0 and -z - 1 >= 0: y = (0, 1) has N^T y = -1, q y = -1.
  const lcp::vertical::Problem problem{Eigen::MatrixXd{{1}, {-1}}, Eigen::VectorXd{{-1, -1}}, {0, 2}};
  const lcp::vertical::Result result = lcp::vertical::solve(problem);
  EXPECT_FALSE(result.ok());
  if (result.status == Status::Infeasible) {
    EXPECT_TRUE(lcp::vertical::proves_infeasible(problem, result.proof));
  }
  EXPECT_TRUE(lcp::vertical::proves_infeasible(problem, Eigen::VectorXd{{0, 1}}));
  EXPECT_FALSE(lcp::vertical::proves_infeasible(problem, Eigen::VectorXd{{1, 0}}));
}

TEST(VerticalLcp, CertificateByHandAndRefusals) {
  const lcp::vertical::Problem problem{Eigen::MatrixXd{{2}, {3}}, Eigen::VectorXd{{-1, -4}}, {0, 2}};
  Eigen::VectorXd w(2);
  // z = 1: s = 3; min(3, 1, -1) = -1 against |q| = 4.
  const Certificate c = lcp::vertical::certify(problem, Eigen::VectorXd{{1}}, w);
  EXPECT_EQ(w, (Eigen::VectorXd{{1, -1}}));
  EXPECT_EQ(c.error, 1.0);
  EXPECT_EQ(c.residual, 0.25);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lcp::vertical::certify(problem, Eigen::VectorXd{{nan}}, w).residual <= 1e300);
  for (const std::vector<Index>& first : {std::vector<Index>{0, 1}, {0, 3}, {1, 2}, {0}, {0, 1, 2}}) {
    lcp::vertical::Problem bad = problem;
    bad.first = first;
    refused([&] { bad.validate(); }, "lcp::vertical::Problem::first");
  }
  lcp::vertical::Problem bad = problem;
  bad.q.resize(3);
  refused([&] { bad.validate(); }, "lcp::vertical::Problem::q");
  bad = problem;
  bad.N(0, 0) = nan;
  refused([&] { bad.validate(); }, "lcp::vertical::Problem::N");
}

// ---- quadratic programs

TEST(QuadraticProgram, ThereAndBack) {
  const problems::Lcp lcp = problems::interior();
  const lcp::Quadratic quadratic = lcp::to_quadratic(lcp.problem);
  EXPECT_EQ(lcp::to_lcp(quadratic).M, lcp.problem.M);
  // 1/2 q^T z at the unconstrained minimum z = (4/3, 7/3): (-5 * 4/3 - 6 * 7/3) / 2 = -31/3.
  EXPECT_NEAR(quadratic.value(lcp.z), -31.0 / 3.0, 1e-14);
  refused(
      [] {
        static_cast<void>(lcp::to_quadratic({Eigen::MatrixXd{{1, 2}, {3, 1}}, Eigen::VectorXd::Ones(2)}));
      },
      "lcp::Problem::M", "2 in entry (0, 1) and 3 in entry (1, 0)");
  refused(
      [] {
        static_cast<void>(lcp::to_lcp(lcp::Quadratic{Eigen::MatrixXd{{1, 2}, {3, 1}}, Eigen::VectorXd::Ones(2)}));
      },
      "lcp::Quadratic::H", "2 in entry (0, 1) and 3 in entry (1, 0)");
  // Rounding of an assembled matrix is no asymmetry, in any units.
  EXPECT_NO_THROW(static_cast<void>(
      lcp::to_quadratic({Eigen::MatrixXd{{1e-8, 1.0}, {1.0 + 0x1p-50, 1e8}}, Eigen::VectorXd::Ones(2)})));
}

TEST(QuadraticProgram, InequalitiesByHand) {
  // min x_1^2 + x_2^2 - 2 x_1 - 5 x_2 with -x_1 - x_2 >= -2, x >= 0: the free minimum (1, 5/2) moves along (1, 1) to
  // x = (1/4, 7/4), y = 2 - 2 x_1 = 3/2, value 1/16 + 49/16 - 1/2 - 35/4 = -49/8.
  lcp::InequalityQuadratic program{Eigen::MatrixXd{{2, 0}, {0, 2}}, Eigen::VectorXd{{-2, -5}},
                                   Eigen::MatrixXd{{-1, -1}}, Eigen::VectorXd{{-2}}};
  const lcp::Problem problem = lcp::to_lcp(program);
  for (const std::string_view name : {"automatic", "lemke", "keller", "interior point"}) {
    const lcp::Result result = lcp::find(name).solver.solve(problem);
    ASSERT_TRUE(result.ok()) << result.message();
    const lcp::QuadraticSolution solution = lcp::recover(program, result.z);
    EXPECT_LE((solution.x - Eigen::VectorXd{{0.25, 1.75}}).cwiseAbs().maxCoeff(), 1e-14) << name;
    EXPECT_NEAR(solution.y[0], 1.5, 1e-14);
    EXPECT_NEAR(solution.slack[0], 0.0, 1e-14);
    EXPECT_LE(solution.reduced_cost.cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_NEAR(solution.value, -49.0 / 8.0, 1e-13);
  }
  program.A = Eigen::MatrixXd{{1, 1}, {-1, -1}};
  program.b = Eigen::VectorXd{{3, -2}};  // x_1 + x_2 >= 3 and <= 2
  const lcp::Result none = lcp::solve(lcp::to_lcp(program), lcp::Keller{});
  EXPECT_EQ(none.status, Status::Infeasible) << none.message();
  program.A.resize(1, 3);
  refused([&] { program.validate(); }, "lcp::InequalityQuadratic::b");
  program.b.resize(1);
  refused([&] { program.validate(); }, "lcp::InequalityQuadratic::A");
}

TEST(QuadraticProgram, WithoutInequalities) {
  const lcp::InequalityQuadratic program{Eigen::MatrixXd{{2, 1}, {1, 2}}, Eigen::VectorXd{{-5, -6}},
                                         Eigen::MatrixXd(0, 2), Eigen::VectorXd(0)};
  const lcp::Result result = lcp::solve(lcp::to_lcp(program));
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(lcp::recover(program, result.z).value, -31.0 / 3.0, 1e-13);
  EXPECT_THROW(static_cast<void>(lcp::recover(program, Eigen::VectorXd::Ones(3))), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::forms_test
