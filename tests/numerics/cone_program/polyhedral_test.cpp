// SPDX-License-Identifier: Apache-2.0
// Cone programs whose cones are polyhedral, and rows that should be 0.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <nonsmooth/numerics/cone_program.hpp>
#include <nonsmooth/numerics/qp.hpp>

namespace nonsmooth::polyhedral_test {
namespace {

using cone_program::Problem, cone_program::Result;
using Eigen::MatrixXd, Eigen::VectorXd;

Eigen::SparseMatrix<double> sparse(const MatrixXd& matrix) { return matrix.sparseView(); }

/// Small integers, half of them 0. Cones of one and two rows.
Problem draw(std::mt19937_64& random, Index n, bool homogeneous) {
  const auto integer = [&random](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto entry = [&] { return double(integer(-2, 2) * integer(0, 1)); };
  const auto right = [&] { return homogeneous ? 0.0 : double(integer(-2, 2)); };
  const Index m = integer(0, 8), p = integer(0, static_cast<int>(n) - 1);
  Problem problem{.c = VectorXd::NullaryExpr(n, [&] { return double(integer(-2, 2)); }),
                  .A = sparse(MatrixXd::NullaryExpr(p, n, entry)),
                  .b = VectorXd::NullaryExpr(p, right),
                  .G = sparse(MatrixXd::NullaryExpr(m, n, entry)),
                  .h = VectorXd::NullaryExpr(m, right),
                  .orthant = m};
  while (problem.orthant >= 2 && integer(0, 1) == 1) {
    problem.cones.push_back(2);
    problem.orthant -= 2;
  }
  return problem;
}

/// The same with each cone written as its two rows.
qp::Problem as_rows(const Problem& problem) {
  const Index n = problem.num_unknowns(), p = problem.num_equations(), m = problem.num_rows();
  const MatrixXd G = problem.G;
  qp::Problem rows{.Q = MatrixXd::Zero(n, n), .c = problem.c, .A = MatrixXd(p + m, n)};
  rows.row_lower = VectorXd::Constant(p + m, -INFINITY);
  rows.row_upper = VectorXd(p + m);
  rows.A << MatrixXd(problem.A), G;
  rows.row_lower.head(p) = problem.b;
  rows.row_upper << problem.b, problem.h;
  for (Index i = problem.orthant; i < m; i += 2) {
    rows.A.row(p + i) = G.row(i) - G.row(i + 1);
    rows.A.row(p + i + 1) = G.row(i) + G.row(i + 1);
    rows.row_upper[p + i] = problem.h[i] - problem.h[i + 1];
    rows.row_upper[p + i + 1] = problem.h[i] + problem.h[i + 1];
  }
  return rows;
}

/// By the default, and by the interior point asked by name, which leaves some to the linear program of their rows.
void expect_verdicts_of_rows(const std::function<Result(const Problem&)>& solve) {
  std::mt19937_64 random(5);
  Index solved = 0, infeasible = 0, unbounded = 0;
  for (Index k = 0; k < 400; ++k) {
    const Problem problem = draw(random, 1 + k % 5, k % 3 == 0);
    const qp::Result rows = qp::solve(as_rows(problem));
    const Result result = solve(problem);
    SCOPED_TRACE(testing::Message() << "program " << k << ": " << result.message() << "; rows " << rows.message());
    if (rows.ok()) {
      ++solved;
      ASSERT_TRUE(result.ok());
      // Both values are certified, to 1e-10 and 1e-8 of terms that are at most some tens.
      EXPECT_NEAR(result.figures.value, rows.figures.value, 1e-6);
      continue;
    }
    ASSERT_EQ(rows.status, Status::Infeasible);
    ASSERT_EQ(result.status, Status::Infeasible);
    if (result.unbounded()) {
      ++unbounded;
      EXPECT_TRUE(cone_program::proves_unbounded(problem, result.direction));
    } else {
      ++infeasible;
      EXPECT_TRUE(cone_program::proves_infeasible(problem, result.proof));
    }
  }
  EXPECT_GT(solved, 50);
  EXPECT_GT(infeasible, 50);
  EXPECT_GT(unbounded, 50);
}

TEST(PolyhedralConePrograms, AllHaveVerdictsThatTheirRowsHave) {
  expect_verdicts_of_rows([](const Problem& problem) { return cone_program::solve(problem); });
}

TEST(PolyhedralConePrograms, SoTheyHaveByTheInteriorPoint) {
  Index by_rows = 0;
  expect_verdicts_of_rows([&](const Problem& problem) {
    Result result = cone_program::solve(problem, cone_program::InteriorPoint{});
    by_rows += result.solver == "interior point" ? 0 : 1;
    return result;
  });
  EXPECT_GT(by_rows, 0);  // else this shows nothing
}

/// Min t, t >= |(x - 3, y - 4)|, x = y = 0: what should be 0 comes to 1e-24, which is all of its terms.
TEST(ConeProgramsWithZeros, EquationsToZeroAreRightToRounding) {
  const Problem problem{.c = VectorXd{{1.0, 0.0, 0.0}},
                        .A = sparse(MatrixXd{{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}),
                        .b = VectorXd::Zero(2),
                        .G = sparse(-MatrixXd::Identity(3, 3)),
                        .h = VectorXd{{0.0, -3.0, -4.0}},
                        .cones = {3}};
  const Result result = cone_program::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_NEAR(result.figures.value, 5.0, 1e-6);  // a gap of 1e-8 of |c||x| + |h||z| = 10
  // Of what x and y could be, 3 and 4, 1e-17 is rounding and 1e-9 is not.
  VectorXd s(3);
  const VectorXd y{{0.6, 0.8}}, z{{1.0, 0.6, 0.8}};
  EXPECT_LE(cone_program::certify(problem, VectorXd{{5.0, 1e-17, 1e-17}}, y, z, s).residual, 1e-15);
  EXPECT_GT(cone_program::certify(problem, VectorXd{{5.0, 1e-7, 1e-7}}, y, z, s).residual, 1e-8);
}

}  // namespace
}  // namespace nonsmooth::polyhedral_test
