// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/error.hpp>

#include <support/parameter_name.hpp>

#include "projection_methods.hpp"

namespace nonsmooth::projection_methods_test {
namespace {

using problems::Delassus;
using problems::Method;
using problems::MethodOptions;

class ProjectionMethod : public ::testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(All, ProjectionMethod, ::testing::ValuesIn(problems::projection_methods()),
                         test::parameter_name);

/// Solved stands for a certificate that the test takes itself.
void expect_certified(const friction::Problem& problem, const friction::Result& result, double tolerance) {
  ASSERT_TRUE(result.ok()) << result.message();
  Eigen::VectorXd u(problem.W.rows());
  const Certificate certificate = mixed::certify(problem, result.r, u);
  EXPECT_LE(certificate.residual, tolerance);
  EXPECT_NEAR(certificate.residual, result.certificate.residual, 1e-13);  // round-off, where the units change
  EXPECT_TRUE(result.u.isApprox(u, 1e-14));
}

struct Family {
  Index dimension;
  double mu;
  Delassus matrix;
};

void expect_planted_solved(const Method& method, const Family& family, double tolerance) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto planted = problems::planted_contacts(6, family.dimension, family.mu, family.matrix, seed);
    SCOPED_TRACE("dimension " + std::to_string(family.dimension) + " mu " + std::to_string(family.mu) + " seed " +
                 std::to_string(seed));
    expect_certified(planted.problem, method.solve(planted.problem, {.tolerance = tolerance}), tolerance);
  }
}

TEST_P(ProjectionMethod, SolvesPlantedContacts) {
  for (const Index dimension : {2, 3})
    for (const double mu : {0.1, 0.5, 1.0})
      expect_planted_solved(GetParam(), {dimension, mu, Delassus::Symmetric}, 1e-9);
}

TEST_P(ProjectionMethod, SolvesLargeFriction) {
  // The longer steps of Solodov and Tseng's rule crawl here: 1e5 of them reach a penetration of 1.3e-5 on one of these.
  const double tolerance = GetParam().name == "FixedPointSolodovTseng" ? 2e-5 : 1e-8;
  for (const Index dimension : {2, 3})
    expect_planted_solved(GetParam(), {dimension, 10.0, Delassus::Separate}, tolerance);
}

TEST_P(ProjectionMethod, SolvesUnsymmetricProblems) {
  for (const Index dimension : {2, 3}) expect_planted_solved(GetParam(), {dimension, 0.4, Delassus::Unsymmetric}, 1e-9);
}

TEST_P(ProjectionMethod, SolvesSingularProblems) {
  for (const Index dimension : {2, 3})
    expect_planted_solved(GetParam(), {dimension, 0.4, Delassus::RankDeficient}, 1e-7);
}

// Without friction and with W >= 1/2 the law is strongly monotone: |r - r*| <= |error in u| / (1/2), the error in u at
// most (1 + 1/rho-terms of order one) residual |q|; 1e-8 leaves a factor ten over 2 sqrt(n) 1e-10 |q|.
TEST_P(ProjectionMethod, FindsTheOneReactionWithoutFriction) {
  for (const Index dimension : {2, 3}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const auto planted = problems::planted_contacts(6, dimension, 0.0, Delassus::Symmetric, seed);
      const friction::Result result = GetParam().solve(planted.problem, {.tolerance = 1e-10});
      expect_certified(planted.problem, result, 1e-10);
      EXPECT_LE((result.r - planted.r).lpNorm<Eigen::Infinity>(), 1e-8 * (1.0 + planted.r.norm()));
    }
  }
}

// Bilateral rows, a frictionless contact and Coulomb contacts in one problem.
TEST_P(ProjectionMethod, SolvesMixedBlocks) {
  const std::vector<problems::Block> blocks = {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3},
                                               {{.kind = SetKind::Free}, 2},
                                               {{.kind = SetKind::Orthant}, 1},
                                               {{.kind = SetKind::Coulomb2D, .mu = 0.3}, 2},
                                               {{.kind = SetKind::Orthant}, 2},
                                               {{.kind = SetKind::Coulomb3D, .mu = 0.2}, 3}};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 random(seed);
    const Eigen::MatrixXd W = problems::random_spd(13, 0.5, random);
    Eigen::VectorXd r(13), u(13);
    for (Index o = 0; const auto& block : blocks) {
      problems::plant(block, random, r.segment(o, block.size), u.segment(o, block.size));
      o += block.size;
    }
    const auto problem = problems::mixed_from_dense(W, u - W * r, blocks);
    expect_certified(problem, GetParam().solve(problem, {.tolerance = 1e-9}), 1e-9);
  }
}

// An ellipse of semi-axes 0.6 and 0.3 and a contact that sticks with cohesion: both canonical in other units.
TEST_P(ProjectionMethod, SolvesEllipticAndCohesiveContacts) {
  const std::vector<problems::Block> blocks = {{{.kind = SetKind::Coulomb3D, .mu = 0.6, .mu_2 = 0.3}, 3},
                                               {{.kind = SetKind::Coulomb3D, .mu = 0.4, .cohesion = 0.5}, 3},
                                               {{.kind = SetKind::Coulomb2D, .mu = 0.4, .cohesion = 0.1}, 2}};
  std::mt19937_64 random(3);
  const Eigen::MatrixXd W = problems::random_spd(8, 0.5, random);
  Eigen::VectorXd q(8);
  q << -1.0, 0.8, 0.5, 0.1, 0.0, 0.0, -0.2, 1.0;
  const auto problem = problems::mixed_from_dense(W, q, blocks);
  expect_certified(problem, GetParam().solve(problem, {.tolerance = 1e-9}), 1e-9);
}

TEST_P(ProjectionMethod, StopsOnTheFieldsFigure) {
  const auto planted = problems::planted_contacts(6, 3, 0.4, Delassus::Symmetric, 7);
  const friction::Result result =
      GetParam().solve(planted.problem, {.tolerance = 1e-6, .measure = friction::Measure::NaturalMap});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(result.figures.natural_map, 1e-6);
  EXPECT_EQ(result.figures.natural_map, mixed::friction_figures(planted.problem, result.r, result.u).natural_map);
}

TEST_P(ProjectionMethod, LeavesASolutionAlone) {
  const auto planted = problems::planted_contacts(6, 3, 0.4, Delassus::Symmetric, 5);
  const friction::Result result = GetParam().solve(planted.problem, {.tolerance = 1e-12, .start = planted.r});
  EXPECT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.iterations, 0);
}

TEST_P(ProjectionMethod, AnswersZeroToNothing) {
  auto planted = problems::planted_contacts(3, 3, 0.4, Delassus::Symmetric, 5);
  planted.problem.q.setZero();
  const friction::Result result = GetParam().solve(planted.problem, {});
  EXPECT_TRUE(result.ok()) << result.message();
  EXPECT_TRUE(result.r.isZero(0.0));
}

// Masses times 2^20 and velocities times 2^10 change no bit but the exponents.
TEST_P(ProjectionMethod, DoesNotDependOnUnits) {
  const auto planted = problems::planted_contacts(6, 3, 0.6, Delassus::Symmetric, 11);
  auto scaled = planted.problem;
  for (Index b = 0; b < 6; ++b)
    for (Index k = scaled.W.row_begin(b); k < scaled.W.row_begin(b + 1); ++k) scaled.W.block(b, k) *= 0x1p-20;
  scaled.q *= 0x1p10;
  const friction::Result first = GetParam().solve(planted.problem, {.tolerance = 1e-9});
  const friction::Result second = GetParam().solve(scaled, {.tolerance = 1e-9});
  EXPECT_EQ(first.iterations, second.iterations);
  EXPECT_EQ(Eigen::VectorXd(0x1p30 * first.r), second.r);
}

TEST_P(ProjectionMethod, RepeatsBitForBit) {
  const auto planted = problems::planted_contacts(6, 3, 0.6, Delassus::Unsymmetric, 9);
  const friction::Result first = GetParam().solve(planted.problem, {.tolerance = 1e-9});
  const friction::Result second = GetParam().solve(planted.problem, {.tolerance = 1e-9});
  EXPECT_EQ(first.r, second.r);
  EXPECT_EQ(first.iterations, second.iterations);
}

// One iteration from 0 does not reach 1e-14 on six coupled contacts; the answer is no worse than the start.
TEST_P(ProjectionMethod, TellsItsIterationLimit) {
  const auto planted = problems::planted_contacts(6, 3, 0.6, Delassus::Symmetric, 3);
  Eigen::VectorXd u(18);
  const double start = mixed::certify(planted.problem, Eigen::VectorXd::Zero(18), u).residual;
  const friction::Result result = GetParam().solve(planted.problem, {.tolerance = 1e-14, .max_iterations = 1});
  EXPECT_EQ(result.status, Status::IterationLimit) << result.message();
  EXPECT_LE(result.certificate.residual, start);
  EXPECT_FALSE(result.reason.empty());
}

TEST_P(ProjectionMethod, TellsItsTimeLimit) {
  const auto planted = problems::planted_contacts(6, 3, 0.6, Delassus::Symmetric, 3);
  const friction::Result result = GetParam().solve(planted.problem, {.tolerance = 1e-14, .time_limit = 1e-9});
  EXPECT_EQ(result.status, Status::TimeLimit) << result.message();
  EXPECT_TRUE(result.r.allFinite());
}

// u_N + u'_N = -1 whatever r: the bodies are driven apart and together at once.
TEST_P(ProjectionMethod, NeverSolvesWhatHasNoSolution) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(4, 4);
  W(0, 2) = W(2, 0) = -1.0;
  Eigen::VectorXd q(4);
  q << -0.5, 0.0, -0.5, 0.0;
  const problems::Block contact{{.kind = SetKind::Coulomb2D, .mu = 0.3}, 2};
  const auto problem = problems::mixed_from_dense(W, q, {contact, contact});
  const friction::Result result = GetParam().solve(problem, {.tolerance = 1e-8, .max_iterations = 300});
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.status, Status::NotRun);
  EXPECT_TRUE(result.r.allFinite());
  EXPECT_GT(result.certificate.error, 0.4);  // one of the two approaches at 1/2 at least
}

TEST_P(ProjectionMethod, RefusesWhatItIsNotFor) {
  const auto planted = problems::planted_contacts(2, 3, 0.4, Delassus::Symmetric, 1);
  EXPECT_THROW((void)GetParam().solve(planted.problem, {.start = Eigen::VectorXd::Zero(5)}), InvalidArgument);
  EXPECT_THROW((void)GetParam().solve(planted.problem, {.tolerance = 0.0}), InvalidArgument);
  EXPECT_THROW((void)GetParam().solve(planted.problem, {.max_iterations = -1}), InvalidArgument);
  EXPECT_THROW((void)GetParam().solve(planted.problem, {.time_limit = 0.0}), InvalidArgument);
  EXPECT_THROW((void)GetParam().solve(
                   planted.problem, {.start = Eigen::VectorXd::Constant(6, std::numeric_limits<double>::quiet_NaN())}),
               InvalidArgument);
  const auto box = problems::mixed_from_dense(Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Zero(1),
                                              {{{.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 1}});
  EXPECT_THROW((void)GetParam().solve(box, {}), InvalidArgument);
  auto broken = planted.problem;
  broken.q[2] = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)GetParam().solve(broken, {}), InvalidArgument);
}

// A block on an incline of slope a, W = 1/m: it sticks where tan a <= mu, r = -q m; beyond it slides down with
// u_T = h g (sin a - mu cos a), r_T = -mu r_N, u_N = 0. One block: the answer is exact to 1e-10 |q|.
TEST_P(ProjectionMethod, SticksAndSlidesOnAnIncline) {
  const double m = 2.5, g = 9.81, h = 1e-2, mu = 0.5;
  for (const double slope : {0.3, 0.46, 0.47, 0.9}) {
    const Eigen::Vector3d q(-h * g * std::cos(slope), h * g * std::sin(slope), 0.0);
    const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Identity(3, 3) / m, q,
                                                    {{{.kind = SetKind::Coulomb3D, .mu = mu}, 3}});
    const friction::Result result = GetParam().solve(problem, {.tolerance = 1e-11});
    ASSERT_TRUE(result.ok()) << result.message();
    const double speed = std::max(0.0, h * g * (std::sin(slope) - mu * std::cos(slope)));
    EXPECT_NEAR(result.r[0], -m * q[0], 1e-9 * m * h * g);
    EXPECT_NEAR(result.r[1], m * (speed - q[1]), 1e-9 * m * h * g);
    EXPECT_NEAR(result.u[1], speed, 1e-9 * h * g);
    EXPECT_NEAR(result.u[0], 0.0, 1e-9 * h * g);
  }
}

// A sphere (J = 2/5 m a^2) thrown flat on a floor at v: W_NN = 1/m, W_TT = 1/m + a^2/J = 7/(2 m). The contact point
// stops within the step where v <= 7/2 mu h g, else v decreases by 7/2 mu h g.
TEST_P(ProjectionMethod, StopsOrSlidesASphere) {
  const double m = 1.3, g = 9.81, h = 1e-2, mu = 0.3;
  Eigen::Matrix3d W = Eigen::Matrix3d::Identity() * (3.5 / m);
  W(0, 0) = 1.0 / m;
  for (const double v : {0.05, 0.2}) {
    const auto problem = problems::mixed_from_dense(W, Eigen::Vector3d(-h * g, 0.6 * v, 0.8 * v),
                                                    {{{.kind = SetKind::Coulomb3D, .mu = mu}, 3}});
    const friction::Result result = GetParam().solve(problem, {.tolerance = 1e-11});
    ASSERT_TRUE(result.ok()) << result.message();
    const double speed = std::max(0.0, v - 3.5 * mu * h * g);
    EXPECT_NEAR(result.r[0], m * h * g, 1e-9 * m * h * g);
    EXPECT_NEAR(result.u[1], 0.6 * speed, 1e-9 * v);
    EXPECT_NEAR(result.u[2], 0.8 * speed, 1e-9 * v);
  }
}

}  // namespace
}  // namespace nonsmooth::projection_methods_test
