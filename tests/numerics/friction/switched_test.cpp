// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/switched.hpp>
#include <nonsmooth/numerics/lcp/switched.hpp>

namespace nonsmooth::frictional_switch_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using friction::SwitchedProblem;
using friction::SwitchedResult;

/// n contacts that are closed whatever r is.
SwitchedProblem closed(Index d, const MatrixXd& V, const VectorXd& c, double mu) {
  const Index n = c.size() / d;
  return {.dimension = d,
          .A = MatrixXd::Zero(n, d * n),
          .b = -VectorXd::Ones(n),
          .V = V,
          .c = c,
          .mu = VectorXd::Constant(n, mu)};
}

/// The largest violation of a contact's law, from the data alone: r in K, v_N >= 0, r·(v + mu |v_T| n) = 0.
double law_violation(const SwitchedProblem& problem, const VectorXd& r) {
  const Index d = problem.dimension;
  const VectorXd y = problem.A * r + problem.b, v = problem.V * r + problem.c;
  double worst = 0.0;
  for (Index i = 0; i < problem.b.size(); ++i) {
    const auto force = r.segment(d * i, d), rate = v.segment(d * i, d);
    if (y[i] > 1e-12) {
      worst = std::max(worst, force.norm());
      continue;
    }
    const double slip = rate.tail(d - 1).norm(), mu = problem.mu[i];
    worst = std::max(
        {worst, force.tail(d - 1).norm() - mu * force[0], -rate[0], std::abs(force.dot(rate) + mu * slip * force[0])});
  }
  return worst;
}

bool has(const SwitchedResult& result, const VectorXd& r, double tolerance) {
  for (const VectorXd& found : result.solutions)
    if ((found - r).lpNorm<Eigen::Infinity>() <= tolerance) return true;
  return false;
}

// v = r + (-1, a): r_N = 1; it sticks with r_T = -a where |a| <= mu, else slides with r_T = -mu sign(a).
TEST(FrictionalSwitch, AMassThatSticksOrSlidesHasOneAnswer) {
  for (const Index d : {Index{2}, Index{3}}) {
    for (const double a : {-0.7, -0.2, 0.0, 0.3, 1.1}) {
      VectorXd c = VectorXd::Zero(d), r = VectorXd::Zero(d);
      c[0] = -1.0;
      c[d - 1] = a;  // in space along T2
      r[0] = 1.0;
      r[d - 1] = std::abs(a) <= 0.5 ? -a : std::copysign(0.5, -a);
      const SwitchedResult found = friction::solve(closed(d, MatrixXd::Identity(d, d), c, 0.5));
      ASSERT_EQ(found.solutions.size(), 1u) << d << ", " << a;
      EXPECT_TRUE(found.ok() && found.complete) << d << ", " << a << ": " << found.reason;
      EXPECT_LE((found.solutions[0] - r).norm(), 1e-14) << d << ", " << a;
    }
  }
}

// y = alpha r_N + beta, v = r + (-1, 1), mu = 1/2: off where y > 0, else r = (1, -1/2). The same three cases as without
// friction: one, two or no answer.
TEST(FrictionalSwitch, TheGapOfTheAnswerSwitches) {
  for (const Index d : {Index{2}, Index{3}}) {
    VectorXd c = VectorXd::Unit(d, 1) - VectorXd::Unit(d, 0);
    SwitchedProblem problem = closed(d, MatrixXd::Identity(d, d), c, 0.5);
    const VectorXd slides = VectorXd::Unit(d, 0) - 0.5 * VectorXd::Unit(d, 1);
    problem.A(0, 0) = -2.0;
    problem.b[0] = 1.0;
    SwitchedResult found = friction::solve(problem);
    EXPECT_EQ(found.solutions.size(), 2u);
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(has(found, VectorXd::Zero(d), 0.0) && has(found, slides, 1e-14));
    const SwitchedProblem two = problem;
    problem.A(0, 0) = 2.0;
    problem.b[0] = -1.0;
    found = friction::solve(problem);
    EXPECT_EQ(found.status, Status::Infeasible) << found.reason;
    EXPECT_TRUE(friction::proves_none(problem, found.proof));
    EXPECT_FALSE(friction::proves_none(two, found.proof));
    EXPECT_FALSE(friction::proves_none(problem, VectorXd::Zero(1)));
    // Opened by friction alone: y = -2 r_T - 1/2 is 1/2 as it slides, and -1/2 without r: none either.
    problem.A(0, 0) = 0.0;
    problem.A(0, 1) = -2.0;
    problem.b[0] = -0.5;
    found = friction::solve(problem);
    EXPECT_EQ(found.status, Status::Infeasible) << found.reason;
    EXPECT_TRUE(friction::proves_none(problem, found.proof));
  }
}

// Painleve's rod, v = W r + q with W = (1, w; w, 2), sliding with v_T > 0: v_N = (1 - mu w) r_N + q_N. For mu w > 1 and
// q_N > 0 it goes on without r, or is thrown (r_N = q_N / (mu w - 1)), or jams (v = 0): three, where that sticks.
TEST(FrictionalSwitch, PainlevesRodHasThreeAnswers) {
  const double mu = 1.2, w = 1.0;
  const Eigen::Matrix2d W{{1.0, w}, {w, 2.0}};
  const Eigen::Vector2d q(0.1, 1.0);
  const SwitchedResult found = friction::solve(closed(2, W, q, mu));
  ASSERT_EQ(found.solutions.size(), 3u);
  EXPECT_TRUE(found.complete);
  const double thrown = q[0] / (mu * w - 1.0);
  const Eigen::Vector2d jams(0.8, -0.9);  // -W^-1 q
  ASSERT_LE((W * jams + q).norm(), 1e-15);
  ASSERT_LE(std::abs(jams[1]), mu * jams[0]);
  ASSERT_GE(w * thrown - 2.0 * mu * thrown + q[1], 0.0) << "slides on with v_T > 0";
  EXPECT_TRUE(has(found, VectorXd::Zero(2), 0.0));
  EXPECT_TRUE(has(found, Eigen::Vector2d(thrown, -mu * thrown), 1e-13));
  EXPECT_TRUE(has(found, jams, 1e-13));
  // The same in space, where the third direction is by itself: P = 0.9 sin (1 - 1.2 cos) and D = 1 - 1.2 cos, so that
  // there is no direction but those in the plane of the rod, and the same three.
  MatrixXd V = MatrixXd::Identity(3, 3);
  V.topLeftCorner(2, 2) = W;
  const SwitchedResult space = friction::solve(closed(3, V, Eigen::Vector3d(0.1, 1.0, 0.0), mu));
  EXPECT_TRUE(space.complete) << space.reason;
  ASSERT_EQ(space.solutions.size(), 3u);
  EXPECT_TRUE(has(space, Eigen::Vector3d(thrown, -mu * thrown, 0.0), 1e-10));
  EXPECT_TRUE(has(space, Eigen::Vector3d(jams[0], jams[1], 0.0), 1e-13));
}

/// W = G^T G of n contacts with random G, and q for which a random choice of modes is an answer.
SwitchedProblem planted(Index d, Index n, std::mt19937_64& random, VectorXd& r) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> of_three(0, 2);
  const Index rows = d * n;
  MatrixXd G(rows + 2, rows);
  for (Index j = 0; j < rows; ++j)
    for (Index i = 0; i < rows + 2; ++i) G(i, j) = normal(random);
  r = VectorXd::Zero(rows);
  VectorXd v = VectorXd::Zero(rows);
  SwitchedProblem problem = closed(d, G.transpose() * G, VectorXd::Zero(rows), 0.6);
  for (Index i = 0; i < n; ++i) {
    VectorXd t(d - 1);
    for (Index k = 0; k + 1 < d; ++k) t[k] = normal(random);
    t.normalize();
    const double size = 0.5 + std::abs(normal(random));
    switch (of_three(random)) {
      case 0:  // open, by its gap or by its velocity
        v.segment(d * i + 1, d - 1) = t;
        v[d * i] = i % 2 == 0 ? size : -size;
        if (v[d * i] < 0.0) problem.b[i] = 1.0;
        break;
      case 1:
        r[d * i] = size;
        r.segment(d * i + 1, d - 1) = 0.3 * size * t;
        break;
      default:
        r[d * i] = size;
        r.segment(d * i + 1, d - 1) = -0.6 * size * t;
        v.segment(d * i + 1, d - 1) = t;
    }
  }
  problem.c = v - problem.V * r;
  return problem;
}

TEST(FrictionalSwitch, FindsWhatWasPlantedAndEachAnswerHolds) {
  std::mt19937_64 random(7);
  int complete = 0, runs = 0;
  for (const auto& [d, most] : {std::pair<Index, Index>{2, 4}, {3, 3}}) {
    for (Index n = 1; n <= most; ++n) {
      for (int repeat = 0; repeat < 10; ++repeat, ++runs) {
        VectorXd r;
        const SwitchedProblem problem = planted(d, n, random, r);
        const SwitchedResult found = friction::solve(problem);
        ASSERT_TRUE(found) << found.reason;
        complete += found.complete ? 1 : 0;
        // 1e-9 of terms of size 10 to 100, by condition numbers of V up to 1e3.
        EXPECT_TRUE(has(found, r, 1e-7)) << d << " dimensions, " << n << " contacts";
        for (const VectorXd& one : found.solutions)
          EXPECT_LE(law_violation(problem, one), 1e-9 * (1.0 + (problem.V.cwiseAbs() * one.cwiseAbs()).maxCoeff()));
      }
    }
  }
  EXPECT_EQ(complete, runs);
}

// Contacts that do not act on each other have the products of their answers: two rods, nine in the plane; in space two
// masses that slide, each its own way, one.
TEST(FrictionalSwitch, ContactsThatDoNotMeetMultiply) {
  MatrixXd V = MatrixXd::Zero(4, 4);
  V.topLeftCorner(2, 2) = V.bottomRightCorner(2, 2) = Eigen::Matrix2d{{1.0, 1.0}, {1.0, 2.0}};
  EXPECT_EQ(friction::solve(closed(2, V, Eigen::Vector4d(0.1, 1.0, 0.1, 1.0), 1.2)).solutions.size(), 9u);
  VectorXd c(6), r(6);
  c << -1.0, 0.6, 0.8, -2.0, -3.0, 4.0;
  r << 1.0, -0.5 * 0.6, -0.5 * 0.8, 2.0, 0.6, -0.8;
  const SwitchedResult found = friction::solve(closed(3, MatrixXd::Identity(6, 6), c, 0.5));
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_TRUE(found.complete) << found.reason;
  EXPECT_LE((found.solutions[0] - r).norm(), 1e-12);
}

TEST(FrictionalSwitch, WithoutFrictionItIsTheSwitchedLcp) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int repeat = 0; repeat < 30; ++repeat) {
    SwitchedProblem problem = closed(2, MatrixXd::Identity(6, 6), VectorXd::Zero(6), 0.0);
    lcp::SwitchedProblem rows{.A = MatrixXd(3, 3), .b = VectorXd(3), .V = MatrixXd(3, 3), .c = VectorXd(3)};
    for (Index i = 0; i < 3; ++i) {
      problem.b[i] = rows.b[i] = normal(random);
      problem.c[2 * i] = rows.c[i] = normal(random);
      for (Index j = 0; j < 3; ++j) {
        problem.A(i, 2 * j) = rows.A(i, j) = normal(random);
        problem.V(2 * i, 2 * j) = rows.V(i, j) = normal(random);
      }
    }
    const SwitchedResult found = friction::solve(problem);
    const lcp::SwitchedResult expected = lcp::solve(rows);
    EXPECT_EQ(found.status, expected.status);
    EXPECT_EQ(found.solutions.size(), expected.solutions.size());
    for (const VectorXd& lambda : expected.solutions) {
      VectorXd r = VectorXd::Zero(6);
      for (Index i = 0; i < 3; ++i) r[2 * i] = lambda[i];
      EXPECT_TRUE(has(found, r, 1e-12 * (1.0 + lambda.norm())));
    }
  }
}

TEST(FrictionalSwitch, SaysWhereItDoesNotKnow) {
  // v = 0 whatever r: no equation for r at all.
  const SwitchedResult found = friction::solve(closed(2, MatrixXd::Zero(2, 2), Eigen::Vector2d(-1.0, 0.0), 0.5));
  EXPECT_EQ(found.status, Status::Stalled);
  EXPECT_FALSE(found.complete);
  EXPECT_TRUE(found.proof.size() == 0);
}

TEST(FrictionalSwitch, RefusesWhatIsNone) {
  SwitchedProblem problem = closed(3, MatrixXd::Identity(3, 3), VectorXd::Zero(3), 0.5);
  problem.dimension = 4;
  EXPECT_THROW((void)friction::solve(problem), InvalidArgument);
  problem.dimension = 3;
  problem.mu[0] = -0.1;
  EXPECT_THROW((void)friction::solve(problem), InvalidArgument);
  problem.mu[0] = std::nan("");
  EXPECT_THROW((void)friction::solve(problem), InvalidArgument);
  EXPECT_THROW((void)friction::solve(SwitchedProblem{}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(closed(3, MatrixXd::Identity(15, 15), VectorXd::Zero(15), 0.5)), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::frictional_switch_test
