// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <nonsmooth/numerics/cone_program.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include <problems/cone_programs.hpp>
#include <problems/lcp.hpp>
#include <problems/qp.hpp>

namespace nonsmooth::cone_program_test {
namespace {

using cone_program::Problem;
using cone_program::Result;
using Vector = Eigen::VectorXd;

Eigen::SparseMatrix<double> sparse(const Eigen::MatrixXd& matrix) { return matrix.sparseView(); }

/// max a^T x, |x| <= radius: -radius |a| at radius a / |a|.
Problem ball(const Vector& a, double radius) {
  const Index n = a.size();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n + 1, n);
  G.bottomRows(n) = -Eigen::MatrixXd::Identity(n, n);
  Vector h = Vector::Zero(n + 1);
  h[0] = radius;
  return {.c = -a, .G = sparse(G), .h = h, .cones = {n + 1}};
}

TEST(ConeProgram, BallHasItsClosedForm) {
  std::mt19937_64 random(1);
  for (Index n = 1; n <= 12; ++n) {
    const Vector a = problems::normal_matrix(random, n, 1);
    const Result result = cone_program::solve(ball(a, 3.0));
    ASSERT_TRUE(result.ok()) << n << ": " << result.message();
    // A gap of 1e-8 |a| on a ball: the chord is sqrt(2 gap / |a|) = 1.4e-4,
    // times a few for the scale of the gap.
    EXPECT_NEAR(result.figures.value, -3.0 * a.norm(), 1e-6 * a.norm());
    EXPECT_LE((result.x - 3.0 * a / a.norm()).norm(), 2e-3);
  }
}

TEST(ConeProgram, NormsAgreeWithLeastSquares) {
  std::mt19937_64 random(2);
  for (Index n = 1; n <= 8; ++n) {
    const Index k = n + 3;
    const Eigen::MatrixXd F = problems::normal_matrix(random, k, n);
    const Vector f = problems::normal_matrix(random, k, 1);
    // min t, |F x - f| <= t, unknowns (x, t).
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(k + 1, n + 1);
    G(0, n) = -1.0;
    G.bottomLeftCorner(k, n) = F;
    Vector h = Vector::Zero(k + 1);
    h.tail(k) = f;
    Vector c = Vector::Zero(n + 1);
    c[n] = 1.0;
    const Result result = cone_program::solve(Problem{.c = c, .G = sparse(G), .h = h, .cones = {k + 1}});
    ASSERT_TRUE(result.ok()) << n << ": " << result.message();
    const qp::Result squares = qp::solve(qp::Problem{.Q = F.transpose() * F, .c = -F.transpose() * f});
    ASSERT_TRUE(squares.ok());
    const double least = (F * squares.x - f).norm();
    EXPECT_NEAR(result.figures.value, least, 1e-6 * least) << n;
  }
}

TEST(ConeProgram, PlantedOnes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Index n = 4 + Index(seed % 7);
    const problems::ConeProgram one =
        problems::planted_cone_program(n, Index(seed % 3), 3, {3, 4, 1 + Index(seed % 5), 5}, seed);
    Vector s(one.z.size());
    EXPECT_LE(cone_program::certify(one.problem, one.x, one.y, one.z, s).residual, 1e-13);
    const Result result = cone_program::solve(one.problem);
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    const double value = one.problem.c.dot(one.x);
    EXPECT_NEAR(result.figures.value, value, 1e-5 * std::max(1.0, std::abs(value))) << seed;
  }
}

/// The fingers of a grasp carry its weight and moment with what friction allows, none presses harder than t, and one
/// presses as hard: else t could be less.
TEST(ConeProgram, GraspsAreInBalanceAndNoneIsLooser) {
  for (const Index fingers : {4, 10, 50}) {
    const Problem problem = problems::grasp(fingers, 3);
    const Result result = cone_program::solve(problem);
    ASSERT_TRUE(result.ok()) << fingers << ": " << result.message();
    EXPECT_LE((problem.A * result.x - problem.b).norm(), 1e-7);
    double most = 0.0;
    for (Index i = 0; i < fingers; ++i) {
      const auto f = Vector(result.x.segment(1 + 3 * i, 3));
      most = std::max(most, f[0]);
      // A primal error of 1e-8 of terms of about 1.
      EXPECT_LE(f.tail(2).norm(), 0.5 * f[0] + 1e-7);
    }
    // A gap of 1e-8 relative to terms of up to the number of fingers.
    EXPECT_NEAR(most, result.x[0], 1e-6 * result.x[0] * static_cast<double>(fingers));
    EXPECT_GT(result.x[0], 0.0);
  }
}

TEST(ConeProgram, LinearProgramsAgreeWithTheFamilyOfQuadraticOnes) {
  // max x + 2 y under x + y <= 4, x + 3 y <= 6, x, y >= 0: 5 at (3, 1).
  const Problem problem{.c = Vector{{-1, -2}},
                        .G = sparse(Eigen::MatrixXd{{1, 1}, {1, 3}, {-1, 0}, {0, -1}}),
                        .h = Vector{{4, 6, 0, 0}},
                        .orthant = 4};
  const Result result = cone_program::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - Vector{{3, 1}}).norm(), 1e-6);
  EXPECT_LE((result.z.head(2) - Vector{{0.5, 0.5}}).norm(), 1e-6);
}

TEST(ConeProgram, LargeConesThatXIsFarFromHideNoError) {
  // min x, 1 <= x <= 1e11: at x = 0 the error is 1 of the h = -1 that is violated.
  const Problem problem{
      .c = Vector{{1}}, .G = sparse(Eigen::MatrixXd{{-1}, {1}}), .h = Vector{{-1, 1e11}}, .orthant = 2};
  Vector s(2);
  cone_program::Figures figures;
  static_cast<void>(cone_program::certify(problem, Vector{{0}}, Vector(), Vector{{1, 0}}, s, &figures));
  EXPECT_EQ(figures.primal, 1.0);
  static_cast<void>(cone_program::certify(problem, Vector{{0.5}}, Vector(), Vector{{1, 0}}, s, &figures));
  EXPECT_EQ(figures.primal, 0.5);
  const Result result = cone_program::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_NEAR(result.x[0], 1.0, 1e-6);
}

TEST(ConeProgram, InfeasibleIsProven) {
  std::mt19937_64 random(3);
  for (Index n = 1; n <= 8; ++n) {
    // |x| <= 1, a^T x >= 2 |a|.
    const Vector a = problems::normal_matrix(random, n, 1);
    Problem problem = ball(a, 1.0);
    Eigen::MatrixXd G(n + 2, n);
    G << -a.transpose(), Eigen::MatrixXd(problem.G);
    Vector h(n + 2);
    h << -2.0 * a.norm(), problem.h;
    problem.G = sparse(G);
    problem.h = h;
    problem.orthant = 1;
    const Result result = cone_program::solve(problem);
    ASSERT_EQ(result.status, Status::Infeasible) << n << ": " << result.message();
    EXPECT_FALSE(result.unbounded());
    EXPECT_TRUE(cone_program::proves_infeasible(problem, result.proof));
    EXPECT_FALSE(cone_program::proves_infeasible(problem, -result.proof));
    EXPECT_NE(result.message().find("1e9 of the data"), std::string::npos) << result.message();
    // The feasible one has no proof, this one least of all.
    problem.h[0] = -0.5 * a.norm();
    EXPECT_FALSE(cone_program::proves_infeasible(problem, result.proof));
  }
}

TEST(ConeProgram, UnboundedIsProven) {
  // min -t, |x| <= t: along (0, 1).
  const Problem problem{.c = Vector{{0, 0, -1}},
                        .G = sparse(Eigen::MatrixXd{{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}),
                        .h = Vector::Zero(3),
                        .cones = {3}};
  const Result result = cone_program::solve(problem);
  ASSERT_TRUE(result.unbounded()) << result.message();
  EXPECT_TRUE(cone_program::proves_unbounded(problem, result.direction));
  EXPECT_FALSE(cone_program::proves_unbounded(problem, -result.direction));
}

TEST(ConeProgram, HonoursItsLimits) {
  const problems::ConeProgram one = problems::planted_cone_program(6, 1, 3, {3, 4}, 5);
  EXPECT_EQ(cone_program::solve(one.problem, {.time_limit = 1e-9}).status, Status::TimeLimit);
  const Result early = cone_program::solve(one.problem, {.max_steps = 1});
  EXPECT_EQ(early.status, Status::IterationLimit);
  EXPECT_EQ(early.iterations, 1);
}

TEST(ConeProgram, TheSameTwice) {
  const problems::ConeProgram one = problems::planted_cone_program(6, 1, 3, {3, 4}, 5);
  const Result first = cone_program::solve(one.problem), second = cone_program::solve(one.problem);
  EXPECT_EQ(first.x, second.x);
  EXPECT_EQ(first.z, second.z);
}

TEST(ConeProgram, RefusesMalformedInput) {
  const Problem good = problems::planted_cone_program(4, 1, 2, {3}, 1).problem;
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    Problem problem = good;
    spoil(problem);
    try {
      static_cast<void>(cone_program::solve(problem));
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument) << error.what();
    }
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](Problem& p) { p = Problem(); }, "cone_program::Problem::c");
  refused([&](Problem& p) { p.c[0] = nan; }, "cone_program::Problem::c");
  refused([](Problem& p) { p.A.resize(2, 4); }, "cone_program::Problem::A");
  refused([&](Problem& p) { p.A.coeffRef(0, 1) = nan; }, "cone_program::Problem::A");
  refused([&](Problem& p) { p.b[0] = nan; }, "cone_program::Problem::b");
  refused([](Problem& p) { p.G.resize(5, 3); }, "cone_program::Problem::G");
  refused([&](Problem& p) { p.h[1] = nan; }, "cone_program::Problem::h");
  refused([](Problem& p) { p.orthant = 3; }, "cone_program::Problem::cones");
  refused([](Problem& p) { p.orthant = -1; }, "cone_program::Problem::orthant");
  refused([](Problem& p) { p.cones = {0, 3}; }, "cone_program::Problem::cones");
  EXPECT_THROW(static_cast<void>(cone_program::solve(good, {.tolerance = 0.0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(cone_program::solve(good, {.max_steps = 0})), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::cone_program_test
