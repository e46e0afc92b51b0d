// SPDX-License-Identifier: Apache-2.0
// What the projection and threshold methods can't do, shown, and what their variants are for.

#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "projection_methods.hpp"

namespace nonsmooth::first_order_test {
namespace {

using problems::Block;
using problems::Delassus;

/// `contacts` planar contacts under one body of unit mass and inertia, a unit apart: W = H H^T of rank 3, so that
/// D^-1 W has an eigenvalue near the number of contacts. The body falls with 1 and slides with 0.2.
friction::Problem one_body(Index contacts, double mu) {
  Eigen::MatrixXd H(2 * contacts, 3);
  Eigen::VectorXd q(2 * contacts);
  for (Index k = 0; k < contacts; ++k) {
    const double x = static_cast<double>(k) - 0.5 * static_cast<double>(contacts - 1);
    H.row(2 * k) << 0.0, 1.0, x;
    H.row(2 * k + 1) << 1.0, 0.0, 0.5;
    q.segment(2 * k, 2) << -1.0, 0.2;
  }
  const std::vector<Block> blocks(static_cast<std::size_t>(contacts), {{.kind = SetKind::Coulomb2D, .mu = mu}, 2});
  return problems::mixed_from_dense(H * H.transpose(), q, blocks);
}

/// One contact that slides: u_N = r_N + c r_T - 1, u_T = c r_N + r_T + 5, c = -0.9. With r_T = -theta the normal law is
/// r_N = max(0, 1 - 0.9 theta): from theta = 0 to mu = 2, where the contact opens, and back. The solution
/// theta = mu / (1 + 0.9 mu) = 2 / 2.8 repels the plain iteration.
friction::Problem threshold_cycle() {
  Eigen::Matrix2d W;
  W << 1.0, -0.9, -0.9, 1.0;
  return problems::mixed_from_dense(W, Eigen::Vector2d(-1.0, 5.0), {{{.kind = SetKind::Coulomb2D, .mu = 2.0}, 2}});
}

// With rho = 1, r - rho W r multiplies the mean reaction by 1 - 8: the iteration grows until numbers overflow.
TEST(FixedPoint, DivergesWithAFixedStepOfOne) {
  const friction::Problem problem = one_body(8, 0.3);
  for (const bool scaled : {false, true}) {
    const friction::FixedPoint fixed{
        .tolerance = 1e-6, .rule = friction::StepRule::Fixed, .step = 1.0, .scaled = scaled, .max_iterations = 2000};
    const friction::Result result = solve(problem, fixed);
    EXPECT_FALSE(result.ok()) << result.message();
    EXPECT_TRUE(result.r.allFinite());
    EXPECT_GT(result.certificate.residual, 1e-2);
  }
  EXPECT_TRUE(solve(problem, friction::FixedPoint{.tolerance = 1e-6}).ok());
  EXPECT_TRUE(solve(problem, friction::Extragradient{.tolerance = 1e-6}).ok());
  // Below 2 / 8 the fixed step contracts; friction takes a share.
  EXPECT_TRUE(
      solve(problem, friction::FixedPoint{.tolerance = 1e-6, .rule = friction::StepRule::Fixed, .step = 0.02}).ok());
}

TEST(Jacobi, DivergesUndampedUnderOneBody) {
  const friction::Problem problem = one_body(8, 0.3);
  const friction::Result undamped =
      solve(problem, friction::Jacobi{.tolerance = 1e-6, .damping = 1.0, .max_iterations = 2000});
  EXPECT_FALSE(undamped.ok()) << undamped.message();
  EXPECT_TRUE(undamped.r.allFinite());
  EXPECT_TRUE(solve(problem, friction::Jacobi{.tolerance = 1e-6}).ok());
  EXPECT_TRUE(solve(problem, friction::Jacobi{.tolerance = 1e-6, .damping = 0.1}).ok());
}

// A zero row: nothing local can close the gap.
TEST(Jacobi, TellsABlockWithoutALocalSolution) {
  const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Zero(3, 3), Eigen::Vector3d(-1.0, 0.0, 0.0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.3}, 3}});
  const auto result = solve(problem, friction::Jacobi{});
  EXPECT_EQ(result.status, Status::Stalled) << result.message();
  EXPECT_NE(result.reason.find("no local solution"), std::string_view::npos) << result.reason;
}

// Momentum pays where W has small eigenvalues: a chain of 40 equal bodies on their contacts, condition some 1600.
TEST(Nesterov, TakesFewerIterationsThanPlainDescent) {
  const Index n = 40;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  for (Index i = 0; i < n; ++i) {
    W(2 * i, 2 * i) = 2.0, W(2 * i + 1, 2 * i + 1) = 2.0;
    if (i + 1 < n) W(2 * i, 2 * i + 2) = W(2 * i + 2, 2 * i) = -1.0;
  }
  Eigen::VectorXd q(2 * n);
  for (Index i = 0; i < n; ++i) q.segment(2 * i, 2) << -0.01, 0.001;
  const std::vector<Block> blocks(static_cast<std::size_t>(n), {{.kind = SetKind::Coulomb2D, .mu = 0.3}, 2});
  const auto problem = problems::mixed_from_dense(W, q, blocks, false);
  const friction::Result plain = solve(problem, friction::FixedPoint{.tolerance = 1e-8});
  const friction::Result momentum = solve(problem, friction::Nesterov{.tolerance = 1e-8});
  const friction::Result spectral = solve(problem, friction::BarzilaiBorwein{.tolerance = 1e-8});
  ASSERT_TRUE(plain.ok() && momentum.ok() && spectral.ok());
  EXPECT_LT(3 * momentum.iterations, plain.iterations);
  EXPECT_LT(3 * spectral.iterations, plain.iterations);
}

// A block that slides at v: the relaxed law asks u_N = mu |u_T|, so that it lifts off the floor it slides on; with
// W = 1, q = (-g, v, 0): u_T = v - mu r_N, u_N = r_N - g = mu u_T, r_N = (g + mu v) / (1 + mu^2). Coulomb's has u_N =
// 0.
TEST(Nesterov, ConvexRelaxationDilatesAndIsNotCalledSolved) {
  const double g = 0.1, v = 1.0, mu = 0.5;
  const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Identity(3, 3), Eigen::Vector3d(-g, v, 0.0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = mu}, 3}});
  const friction::Result relaxed = solve(problem, friction::Nesterov{.tolerance = 1e-10, .cone_complementarity = true});
  EXPECT_EQ(relaxed.status, Status::Stalled) << relaxed.message();
  const double r_N = (g + mu * v) / (1.0 + mu * mu);
  EXPECT_NEAR(relaxed.r[0], r_N, 1e-8);
  EXPECT_NEAR(relaxed.u[0], mu * (v - mu * r_N), 1e-8);
  EXPECT_GT(relaxed.u[0], 0.2);
  EXPECT_GT(relaxed.certificate.residual, 0.1);
  for (const auto& method : problems::projection_methods()) {
    const friction::Result result = method.solve(problem, {.tolerance = 1e-10});
    ASSERT_TRUE(result.ok()) << method.name << ": " << result.message();
    EXPECT_NEAR(result.u[0], 0.0, 1e-9) << method.name;
    EXPECT_NEAR(result.u[1], v - mu * g, 1e-9) << method.name;
  }
}

TEST(Nesterov, ConvexRelaxationIsTheProblemWhereNothingSlides) {
  const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Identity(3, 3), Eigen::Vector3d(-1.0, 0.2, 0.1),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}});
  const friction::Result relaxed = solve(problem, friction::Nesterov{.tolerance = 1e-10, .cone_complementarity = true});
  EXPECT_TRUE(relaxed.ok()) << relaxed.message();
  EXPECT_NEAR(relaxed.r[0], 1.0, 1e-9);
}

TEST(Thresholds, PlainIterationsCycleAndExtrapolatedOnesDoNot) {
  const friction::Problem problem = threshold_cycle();
  EXPECT_FALSE(solve(problem, friction::Tresca{.relaxation = 1.0, .max_iterations = 200}).ok());
  EXPECT_FALSE(solve(problem, friction::Haslinger{.memory = 0, .max_iterations = 200}).ok());
  EXPECT_FALSE(solve(problem, friction::Panagiotopoulos{.memory = 0, .max_iterations = 200}).ok());
  for (const friction::Result& result : {solve(problem, friction::Tresca{}), solve(problem, friction::Haslinger{}),
                                         solve(problem, friction::Panagiotopoulos{})}) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_NEAR(result.r[0], 1.0 / 2.8, 1e-8);
    EXPECT_NEAR(result.r[1], -2.0 / 2.8, 1e-8);
  }
}

// W of rank 3 under 80 rows: the convex problems inside have many solutions, the motion one. The body brakes by
// mu = 0.1 times the momentum 1 of its fall, from 0.2; without friction's torque, which the normal reactions balance.
TEST(Thresholds, ProblemsInsideAreSingularUnderOneBody) {
  const friction::Problem problem = one_body(40, 0.1);
  for (const friction::Result& result : {solve(problem, friction::Tresca{}), solve(problem, friction::Haslinger{}),
                                         solve(problem, friction::Panagiotopoulos{})}) {
    ASSERT_TRUE(result.ok()) << result.message();
    double normal = 0.0, tangential = 0.0;
    for (Index k = 0; k < 40; ++k) {
      EXPECT_NEAR(result.u[2 * k], 0.0, 1e-8) << result.solver;
      EXPECT_NEAR(result.u[2 * k + 1], 0.1, 1e-8) << result.solver;
      normal += result.r[2 * k];
      tangential += result.r[2 * k + 1];
    }
    EXPECT_NEAR(normal, 1.0, 1e-8) << result.solver;
    EXPECT_NEAR(tangential, -0.1, 1e-8) << result.solver;
  }
}

// Where the plain outer iteration cycles between sliding directions, the second-order one goes through.
TEST(ConeRelaxation, NewtonConvergesWhereTheFixedPointCycles) {
  using Outer = friction::ConeRelaxation::Outer;
  const auto planted = problems::planted_contacts(6, 3, 0.4, Delassus::RankDeficient, 4);
  EXPECT_FALSE(solve(planted.problem, friction::ConeRelaxation{.tolerance = 1e-7, .outer = Outer::FixedPoint}).ok());
  EXPECT_TRUE(solve(planted.problem, friction::ConeRelaxation{.tolerance = 1e-7, .outer = Outer::Newton}).ok());
  EXPECT_TRUE(solve(planted.problem, friction::ConeRelaxation{.tolerance = 1e-7, .outer = Outer::Anderson}).ok());
}

// Each outer step is one more of max_iterations; inner problems are solved to a tenth of the error, which bounds what
// a quadratic step can gain.
TEST(ConeRelaxation, GainsADecimalAStepNearASolution) {
  const auto planted = problems::planted_contacts(6, 3, 0.5, Delassus::Symmetric, 3);
  double before = 1.0;
  bool seen = false;
  for (Index k = 1; k <= 12; ++k) {
    const friction::Result result = solve(
        planted.problem, friction::ConeRelaxation{
                             .tolerance = 1e-13, .inner = friction::InnerSolver::ProximalNewton, .max_iterations = k});
    const double error = result.certificate.residual;
    if (before < 1e-3 && before > 1e-7) {
      EXPECT_LT(error, 0.11 * before);
      seen = true;
    }
    before = error;
  }
  EXPECT_TRUE(seen);
  EXPECT_LT(before, 1e-12);
}

TEST(ConeRelaxation, RefusesRollingBlocks) {
  const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Identity(3, 3), Eigen::Vector3d(-1.0, 0.2, 0.1),
                                                  {{{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.5}, 3}});
  EXPECT_THROW((void)solve(problem, friction::ConeRelaxation{}), InvalidArgument);
  EXPECT_THROW((void)solve(problem, friction::Nesterov{.cone_complementarity = true}), InvalidArgument);
}

// Rolling friction of all sizes, canonical and not, on problems that stick, slide, roll or take off as W and q have it.
TEST(Rolling, IsSolvedByTheOthers) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (const double rolling : {0.4, 0.05}) {
    for (const Index size : {3, 4, 5, 6}) {
      BlockSet set{.kind = SetKind::Rolling, .mu = 0.4};
      if (size != 4) set.rolling = rolling;
      if (size == 4 || size == 6) set.spinning = rolling;
      const std::vector<Block> blocks(3, {set, size});
      Eigen::VectorXd q(3 * size);
      for (double& value : q) value = 0.3 * normal(random);
      for (Index k = 0; k < 3; ++k) q[k * size] = k == 2 ? 0.5 : -1.0;
      const auto problem = problems::mixed_from_dense(problems::random_spd(3 * size, 1.0, random), q, blocks);
      for (const auto& method : problems::projection_methods()) {
        if (method.name.starts_with("ConeRelaxation")) continue;
        const friction::Result result = method.solve(problem, {.tolerance = 1e-8});
        EXPECT_TRUE(result.ok()) << method.name << " rolling " << rolling << " size " << size << ": "
                                 << result.message();
      }
    }
  }
}

template <class Options>
void expect_refused(Options options) {
  EXPECT_THROW(options.validate(), InvalidArgument);
}

TEST(FirstOrder, RefusesOptionsOutOfRange) {
  using namespace friction;
  expect_refused(FixedPoint{.step = 0.0});
  expect_refused(FixedPoint{.acceptance = 1.0});
  expect_refused(FixedPoint{.growth = 0.95});
  expect_refused(FixedPoint{.reduction = 1.0});
  expect_refused(Extragradient{.step = -1.0});
  expect_refused(Extragradient{.acceptance = 0.0});
  expect_refused(Nesterov{.curvature = 0.0});
  expect_refused(Nesterov{.decay = 1.5});
  expect_refused(BarzilaiBorwein{.memory = 0});
  expect_refused(BarzilaiBorwein{.descent = 0.5});
  expect_refused(Jacobi{.damping = 1.1});
  expect_refused(Tresca{.relaxation = 0.0});
  expect_refused(Haslinger{.memory = -1});
  expect_refused(Panagiotopoulos{.memory = -1});
  expect_refused(ConeRelaxation{.memory = 0});
}

}  // namespace
}  // namespace nonsmooth::first_order_test
