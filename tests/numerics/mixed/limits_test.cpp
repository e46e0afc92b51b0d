// SPDX-License-Identifier: Apache-2.0
// Limits of whole solves, the name of whoever gave r, and answers whose sums cancel.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <random>

#include <nonsmooth/numerics/mixed.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth::limits_test {
namespace {

using problems::Block;

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One cone of n rows with a planted solution in the flow: neither apex nor stick is a short cut.
mixed::Problem large_cone(Index n, SetKind kind = SetKind::SecondOrderCone) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd W(n, n);
  for (double& entry : W.reshaped()) entry = normal(random) / std::sqrt(static_cast<double>(n));
  W += 3.0 * Eigen::MatrixXd::Identity(n, n);  // the random part has norm 2 at most in the limit: monotone
  Eigen::VectorXd direction(n - 1), r(n), u(n);
  for (double& entry : direction) entry = normal(random);
  direction.normalize();
  r << 1.0, 0.5 * direction;
  u << 0.2 * 0.5, -0.2 * direction;  // û = 0.2 (mu, -s) on the boundary of the dual cone
  return problems::mixed_from_dense(W, u - W * r, {{{.kind = kind, .mu = 0.5}, n}});
}

TEST(MixedLimits, ALargeConeEndsSoonAfterItsTimeLimit) {
  const auto problem = large_cone(700);
  for (const char* name : {"automatic", "block gauss-seidel", "fischer-burmeister"}) {
    mixed::Result result;
    const double time = seconds([&] { result = mixed::find(name).solver.solve(problem, {.time_limit = 1e-3}); });
    // Nobody solves it in a millisecond; what may run on is one factorization of 700 rows, 0.3 Gflop: below 0.3 s.
    // The local solve to its end takes tens of them.
    EXPECT_EQ(result.status, Status::TimeLimit) << result.message();
    EXPECT_LT(time, 1.5) << name;
  }
}

TEST(MixedLimits, LargeConesGoToNewtonAtOnce) {
  const auto result = solve(large_cone(150), mixed::Automatic{});
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(result.solver, "fischer-burmeister");
  EXPECT_LE(result.iterations, 60);
  const auto plastic = solve(large_cone(150, SetKind::DruckerPrager), mixed::Automatic{});
  ASSERT_TRUE(plastic) << plastic.message();
  EXPECT_EQ(plastic.solver, "proximal newton");
}

TEST(MixedLimits, MaxIterationsLimitsEveryTierOfCones) {
  // u_0 = -1 whatever r: every tier is tried, and none can end early with a solution.
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(6, 6);
  W(0, 0) = 0.0;
  const auto problem =
      problems::mixed_from_dense(W, Eigen::VectorXd::Unit(6, 0) * -1.0,
                                 {{{.kind = SetKind::SecondOrderCone, .mu = 0.5}, 3}, {{.kind = SetKind::Orthant}, 3}});
  for (const Index limit : {Index{1}, Index{3}, Index{20}}) {
    const auto result = mixed::find("automatic").solver.solve(problem, {.max_iterations = limit});
    EXPECT_FALSE(result.ok());
    EXPECT_LE(result.iterations, 6 * limit);  // sweeps, four tiers, sweeps again; each counts its own
  }
  // A problem that needs more than one step of everything says that the limit ended it.
  const auto planted = problems::planted_mixed(30, {SetKind::Coulomb3D, SetKind::SecondOrderCone}, 4);
  const auto stopped = mixed::find("automatic").solver.solve(planted.problem, {.max_iterations = 1});
  EXPECT_EQ(stopped.status, Status::IterationLimit) << stopped.message();
  EXPECT_LE(stopped.iterations, 6);
  EXPECT_TRUE(mixed::find("automatic").solver.solve(planted.problem));
}

TEST(MixedLimits, MaxIterationsLimitsPivoting) {
  // A skew network without any diagonal: neither steps nor sweeps do.
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const Index n = 24;
  Eigen::MatrixXd S(n, n);
  Eigen::VectorXd q(n);
  for (double& entry : S.reshaped()) entry = normal(random);
  for (double& entry : q) entry = normal(random);
  const std::vector<Block> blocks(static_cast<std::size_t>(n),
                                  Block{{.kind = SetKind::Box, .lower = -1, .upper = 1}, 1});
  const auto problem = problems::mixed_from_dense(S - S.transpose(), q, blocks);
  ASSERT_TRUE(solve(problem, mixed::Automatic{}));
  const auto stopped = solve(problem, mixed::Automatic{.max_iterations = 1});
  EXPECT_FALSE(stopped.ok());
  EXPECT_LE(stopped.iterations, 30);  // a step of each of the few algorithms behind it
}

TEST(MixedSolverName, IsTheTiersThatGaveTheAnswer) {
  const auto contact = problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 0.3, 0.0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}});
  EXPECT_EQ(solve(contact, mixed::Automatic{}).solver, "block gauss-seidel");
  // Two islands of the same tier carry its name, an island of pivoting beside them that of the whole.
  const std::vector<Block> cones(2, Block{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3});
  Eigen::VectorXd q(6);
  q << -1.0, 0.3, 0.0, -2.0, 0.0, 5.0;
  const auto two =
      solve(problems::mixed_from_dense(Eigen::MatrixXd::Identity(6, 6), q, cones, false), mixed::Automatic{});
  EXPECT_EQ(two.solver, "block gauss-seidel");
  EXPECT_EQ(two.reason, "island by island");
  Eigen::VectorXd longer(7);
  longer << q, -1.0;
  const auto mixture =
      solve(problems::mixed_from_dense(Eigen::MatrixXd::Identity(7, 7), longer, {cones[0], cones[1], {{}, 1}}, false),
            mixed::Automatic{});
  EXPECT_EQ(mixture.solver, "automatic");
  EXPECT_TRUE(mixture);
}

/// The registry certifies what it is handed; here an r that nobody else would find.
mixed::Result handed(const mixed::Problem& problem, const Eigen::VectorXd& r) {
  const mixed::Solver claim("claim", [&](const mixed::Problem&, const Limits&) {
    mixed::Result result;
    result.r = r;
    result.status = Status::Solved;
    return result;
  });
  return claim.solve(problem);
}

TEST(MixedConfirmation, AnOrthantWithoutSolutionWhoseTermsCancelIsNotSolved) {
  // u_0 = r_0 - r_1 - 1 and u_1 = -u_0 - 2 are not both >= 0. At r = (a, a) double sums lose the -1 beside a >= 2^54,
  // long double ones beside 2^65; u = (-1, -1) in truth. The scale is the round-off floor 64 eps (2 a + 1) = 2^-45 a.
  const Eigen::Matrix2d W{{1.0, -1.0}, {-1.0, 1.0}};
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector2d(-1.0, -1.0), {{{}, 2}});
  for (const double a : {0x1p55, 0x1p60, 0x1p67}) {
    Eigen::VectorXd u(2);
    const Eigen::VectorXd r = Eigen::Vector2d(a, a);
    EXPECT_EQ(mixed::certify(problem, r, u).residual, 0.0);  // nothing to see in double precision
    const auto result = handed(problem, r);
    EXPECT_EQ(result.status, Status::Stalled) << result.message();
    EXPECT_NEAR(result.certificate.error, 1.0, 1e-15);
    EXPECT_GT(result.certificate.residual, 1e-10);
  }
}

TEST(MixedConfirmation, AConeWithoutSolutionWhoseTermsCancelIsNotSolved) {
  // The same pair as the axes of two cones, r inside of them: e = u = (-1, 0, 0 | -1, 0, 0).
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(6, 6);
  W.diagonal().setOnes();
  W(0, 3) = W(3, 0) = -1.0;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(6), r = Eigen::VectorXd::Zero(6);
  q[0] = q[3] = -1.0;
  for (const SetKind kind : {SetKind::SecondOrderCone, SetKind::Coulomb3D, SetKind::DruckerPrager, SetKind::VonMises}) {
    const BlockSet set{.kind = kind, .mu = 0.5, .radius = 1.0};
    const auto problem = problems::mixed_from_dense(W, q, {{set, 3}, {set, 3}});
    for (const double a : {0x1p55, 0x1p60, 0x1p67}) {
      r[0] = r[3] = a;
      const auto result = handed(problem, r);
      EXPECT_EQ(result.status, Status::Stalled) << static_cast<int>(kind) << ": " << result.message();
    }
  }
}

TEST(MixedConfirmation, ALargeAnswerThatHoldsStaysSolved) {
  // r = (2^60, 2^60 - 1) solves u_0 = r_0 - r_1 - 1 = 0 exactly; 2^60 - 1 is no double, 2^60 - 2^8 is: q_0 = -2^8.
  const Eigen::Matrix2d W{{1.0, -1.0}, {-1.0, 1.0}};
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector2d(-256.0, 256.0), {{{}, 2}});
  const auto result = handed(problem, Eigen::Vector2d(0x1p60, 0x1p60 - 256.0));
  EXPECT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_EQ(result.certificate.error, 0.0);
}

TEST(MixedConfirmation, AnInfiniteScaleIsANumericalFailure) {
  // The terms of u, 1e308 (1 + 1) each, add up to infinity although u itself is finite.
  const double huge = 1e308;
  const Eigen::Matrix2d W{{huge, -huge}, {-huge, huge}};
  const auto problem = problems::mixed_from_dense(W, Eigen::Vector2d(-1.0, -1.0), {{{}, 2}});
  const auto result = handed(problem, Eigen::Vector2d(1.0, 1.0));
  EXPECT_EQ(result.status, Status::NumericalFailure) << result.message();
  EXPECT_TRUE(std::isnan(result.certificate.residual));
  // One row in closed form: W r overflows at the bound.
  const BlockSet far{.kind = SetKind::Box, .lower = 1e10, .upper = 1e20};
  const auto row =
      solve(problems::mixed_from_dense(Eigen::MatrixXd::Constant(1, 1, 1e305), Eigen::VectorXd::Ones(1), {{far, 1}}),
            mixed::Automatic{});
  EXPECT_FALSE(row.ok());
  EXPECT_TRUE(std::isnan(row.certificate.residual));
}

}  // namespace
}  // namespace nonsmooth::limits_test
