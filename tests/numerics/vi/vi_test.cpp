// SPDX-License-Identifier: Apache-2.0
// What the contract suite does not ask: each algorithm's own promises, and merit functions.
#include <nonsmooth/numerics/vi.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <problems/lcp.hpp>
#include <problems/random_matrices.hpp>
#include <problems/vi.hpp>

#include "../../../numerics/src/portfolio.hpp"
#include "expect_refused.hpp"

namespace nonsmooth::vi_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using problems::SetOf;
using test::expect_refused;

/// The field (x_2, -x_1) on the unit ball about 0, whose only solution is the centre.
vi::Problem turning() {
  return {problems::affine_map(MatrixXd{{0, 1}, {-1, 0}}, VectorXd::Zero(2)), vi::Ball{VectorXd{{0, 0}}, 1.0}};
}

TEST(ViAutomatic, CountsOfTheCallerReplaceThoseOfAttemptsAndOnlyCapShortTries) {
  const nonsmooth::detail::Deadline deadline(std::numeric_limits<double>::infinity());
  for (const Index most : {0, 10, 1'000'000}) {
    vi::Result best;
    const nonsmooth::detail::Portfolio<vi::Result> portfolio(vi::Automatic{.max_iterations = most}, deadline, best);
    const auto within = [&](Index usual) {
      return portfolio.within(vi::Extragradient{}, &vi::Extragradient::max_iterations, usual).max_iterations;
    };
    EXPECT_EQ(within(20'000), most > 0 ? most : 20'000);
    EXPECT_EQ(within(0), most > 0 ? most : vi::Extragradient{}.max_iterations);
    const auto briefly = [&](Index few) {
      return portfolio.briefly(vi::Extragradient{}, &vi::Extragradient::max_iterations, few).max_iterations;
    };
    EXPECT_EQ(briefly(40), most == 10 ? 10 : 40);
    EXPECT_EQ(briefly(0), within(0));  // no short try
  }
}

TEST(ViProjection, CirclesWhereTheExtragradientMethodConverges) {
  // |x - t F(x)| = sqrt(1 + t^2) |x| for the projection method, which stays on the sphere; |x - t F(x - t F(x))| =
  // sqrt((1 - t^2)^2 + t^2) |x| < |x| for t < 1.
  vi::Projection circling{.max_iterations = 20'000};
  circling.memory = 0;
  circling.start = VectorXd{{0.6, 0.0}};
  const vi::Result lost = vi::solve(turning(), circling);
  EXPECT_EQ(lost.status, Status::Stalled) << lost.message();
  for (const Index memory : {0, 5}) {
    vi::Extragradient extragradient;
    extragradient.memory = memory;
    extragradient.start = circling.start;
    const vi::Result found = vi::solve(turning(), extragradient);
    ASSERT_TRUE(found.ok()) << found.message();
    EXPECT_LE(found.x.norm(), 2e-10);  // |e| = |x| rho-wise: F is an isometry, rho = 1; scale 1
  }
}

TEST(ViExtragradient, RateOfTheRotation) {
  // A step t < 1 kept: each iteration multiplies |x| by sqrt((1 - t^2)^2 + t^2); t = 0.5: 0.9014.
  vi::Extragradient options{.step = 0.5, .growth = 0.1};
  options.memory = 0;
  options.start = VectorXd{{0.8, 0.0}};
  options.max_iterations = 100;
  const vi::Result result = vi::solve(turning(), options);
  EXPECT_EQ(result.status, Status::IterationLimit);
  EXPECT_NEAR(result.x.norm(), 0.8 * std::pow(0.8125, 50.0), 1e-15);
}

TEST(ViIterates, AreShownFromTheStartToTheAnswer) {
  // As above each iterate of the extragradient method is sqrt(0.8125) times as far from 0 as the one before.
  std::vector<VectorXd> path;
  const auto keep = [&path](ConstVectorRef x) { path.push_back(x); };
  vi::Extragradient options{.step = 0.5, .growth = 0.1, .memory = 0};
  options.start = VectorXd{{0.8, 0.0}};
  options.on_iterate = keep;
  vi::Result result = vi::solve(turning(), options);
  ASSERT_TRUE(result.ok()) << result.message();
  ASSERT_EQ(static_cast<Index>(path.size()), result.iterations + 1);
  for (std::size_t k = 0; k < path.size(); ++k)
    EXPECT_NEAR(path[k].norm(), 0.8 * std::pow(0.8125, 0.5 * double(k)), 1e-15) << k;
  EXPECT_EQ(path.back(), VectorXd(result.x));

  // Every other method shows its own, of which the last is the answer.
  const auto shown = [&](auto other, const vi::Problem& problem) {
    path.clear();
    other.start = options.start;
    other.on_iterate = keep;
    result = vi::solve(problem, other);
    ASSERT_TRUE(result.ok()) << result.message();
    ASSERT_EQ(static_cast<Index>(path.size()), result.iterations + 1) << result.solver;
    EXPECT_EQ(path.front(), options.start) << result.solver;
    EXPECT_EQ(path.back(), VectorXd(result.x)) << result.solver;
  };
  const vi::Problem inward{problems::affine_map(MatrixXd{{2, 1}, {-1, 2}}, VectorXd{{-1, 0}}), turning().K};
  shown(vi::Projection{.memory = 0}, inward);
  shown(vi::ForwardBackwardForward{.memory = 0}, inward);
  shown(vi::HyperplaneProjection{}, inward);
  shown(vi::SemismoothNewton{}, inward);
  shown(vi::JosephyNewton{}, {inward.F, vi::Box{VectorXd{{-1, -1}}, VectorXd{{1, 1}}}});
}

TEST(ViAcceleration, TakesFewerIterations) {
  // Condition 1000 and a step that stays: without memory a linear rate near 1 - 1e-3.
  const Index n = 30;
  problems::Random random(5);
  MatrixXd M = MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) M(i, i) = std::pow(1000.0, -static_cast<double>(i) / (n - 1));
  const VectorXd x = problems::entries(random, n, 1);
  const vi::Problem problem{problems::affine_map(M, -M * x), vi::Ball{VectorXd::Zero(n), 100.0}};
  vi::Extragradient accelerated{.step = 0.8, .growth = 1e-6}, plain = accelerated;
  plain.memory = 0;
  const vi::Result slow = vi::solve(problem, plain), fast = vi::solve(problem, accelerated);
  ASSERT_TRUE(slow.ok()) << slow.message();
  ASSERT_TRUE(fast.ok()) << fast.message();
  EXPECT_LT(2 * fast.iterations, slow.iterations);
}

TEST(ViHyperplane, NeedsNoLipschitzConstant) {
  // F(x) = sign(x) sqrt|x| is continuous and monotone, and steeper than every Lipschitz constant at its zero 0.
  NonlinearMap F{.num_unknowns = 1, .num_values = 1};
  F.value = [](ConstVectorRef x, VectorRef f) { f[0] = std::copysign(std::sqrt(std::abs(x[0])), x[0]); };
  vi::HyperplaneProjection options{.tolerance = 1e-6};
  options.start = VectorXd{{3.0}};
  const vi::Result result = vi::solve({F, vi::Box{VectorXd{{-1}}, VectorXd{{4}}}}, options);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(std::abs(result.x[0]), 2e-12);  // |F| <= 1e-6 F(1)
}

TEST(ViHyperplane, TellsNoValueFromNoContinuity) {
  // K = [1, 3], F(1) = -1, so that the way leads up; beyond 1 it has no value, or the other sign.
  const vi::ConvexSet K = vi::Box{VectorXd{{1}}, VectorXd{{3}}};
  for (const double beyond : {std::nan(""), 1.0}) {
    NonlinearMap F{.num_unknowns = 1, .num_values = 1};
    F.value = [beyond](ConstVectorRef x, VectorRef f) { f[0] = x[0] == 1.0 ? -1.0 : beyond; };
    const vi::Result result = vi::solve({F, K}, vi::HyperplaneProjection{});
    EXPECT_EQ(result.status, std::isnan(beyond) ? Status::NumericalFailure : Status::Stalled) << result.message();
    EXPECT_EQ(result.not_finite.empty(), !std::isnan(beyond));
  }
}

TEST(ViAcceleration, EndsNowhereThatItsAbsenceDoesNot) {
  // F has values within `margin` of K = [0, 2]^2 alone; Tseng's correction and the proposals leave K.
  const vi::ConvexSet K = vi::Box{VectorXd::Zero(2), VectorXd::Constant(2, 2.0)};
  const MatrixXd M{{0.3, 2}, {-2, 0.3}};
  for (const double margin : {0.0, 0.003, 0.03, 0.3}) {
    for (const VectorXd& zero :
         {VectorXd{{0.1, 1}}, VectorXd{{1, 1.9}}, VectorXd{{-0.2, 1.5}}, VectorXd{{2.1, -0.1}}}) {
      NonlinearMap F{.num_unknowns = 2, .num_values = 2};
      F.value = [&](ConstVectorRef x, VectorRef f) {
        f = M * (x - zero);
        if (x.minCoeff() < -margin || x.maxCoeff() > 2.0 + margin) f[0] = std::nan("");
      };
      for (double start = 0.0; start <= 2.0; start += 0.5) {
        vi::ForwardBackwardForward accelerated;
        accelerated.start = VectorXd{{start, 2.0}};
        vi::ForwardBackwardForward plain = accelerated;
        plain.memory = 0;
        EXPECT_TRUE(vi::solve({F, K}, plain).ok());
        const vi::Result result = vi::solve({F, K}, accelerated);
        EXPECT_TRUE(result.ok()) << margin << " " << zero.transpose() << " " << start << ": " << result.message();
      }
    }
  }
}

TEST(ViAcceleration, AStepOfTheProjectionMethodAsksFOnce) {
  // Proposals are judged by their residual: a value of F each. Others: x_0, x_1 and the last look of the certificate,
  // and one for each proposal that is refused and each step t that is.
  for (const bool symmetric : {true, false}) {
    vi::Problem problem = problems::planted_vi(problems::SetOf::Box, 40, 1, symmetric).problem;
    Index count = 0;
    problem.F.value = [&count, value = problem.F.value](ConstVectorRef x, VectorRef f) {
      ++count;
      value(x, f);
    };
    const vi::Result result = vi::solve(problem, vi::Projection{.memory = 10});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE(count, result.iterations + 10);
  }
}

TEST(ViAcceleration, TakesValuesThatAreNotFiniteOnTheWay) {
  // The gradient of a convex function on a part of K: F = M (x - c) where x_1 + x_2 < most, NaN beyond. Solution c,
  // in the part. Steps and proposals that leave the part are taken back.
  const vi::ConvexSet K = vi::Box{VectorXd::Zero(2), VectorXd::Constant(2, 2.0)};
  for (const double stiff : {1.0, 30.0}) {
    const MatrixXd M{{stiff, 0.3}, {0.3, 1}};
    const VectorXd c{{0.9, 1.0}};
    for (const double most : {1.91, 2.0, 2.5}) {
      NonlinearMap F{.num_unknowns = 2, .num_values = 2};
      F.value = [&](ConstVectorRef x, VectorRef f) {
        f = M * (x - c);
        if (x.sum() >= most) f[1] = std::nan("");
      };
      for (double start = 0.0; start <= 1.6; start += 0.2) {
        vi::Projection options;
        options.start = VectorXd{{start, 0.25}};
        const vi::Result result = vi::solve({F, K}, options);
        ASSERT_TRUE(result.ok()) << stiff << " " << most << " " << start << ": " << result.message();
        // |x - c| <= |F| / (least eigenvalue of M, >= 0.7), |F| <= tolerance * |F(0)| <= 1e-10 * 27.3 on each row.
        EXPECT_LE((result.x - c).norm(), 1e-10 * 28.0 * 1.5 / 0.7);
      }
    }
  }
}

TEST(ViAutomatic, TameProblemsNeedNoJacobianAndOthersLoseLittle) {
  // Where F is well conditioned the first try answers. Where it is not (condition 1e6), it ends after few values and
  // Newton's method answers: 40 iterations at the most.
  problems::Random random(3);
  const Index n = 40;
  for (const double decades : {0.0, 6.0}) {
    VectorXd diagonal(n);
    for (Index i = 0; i < n; ++i) diagonal[i] = std::pow(10.0, -decades * static_cast<double>(i) / (n - 1));
    const VectorXd x = problems::entries(random, n, 1);
    const MatrixXd M = MatrixXd(diagonal.asDiagonal()) + 0.1 * MatrixXd::Ones(n, n) / n;
    Index values = 0, jacobians = 0;
    vi::Problem problem{problems::affine_map(M, -M * x), vi::Ball{VectorXd::Zero(n), 100.0}};
    problem.F.value = [&values, value = problem.F.value](ConstVectorRef y, VectorRef f) {
      ++values;
      value(y, f);
    };
    problem.F.dense_jacobian = [&jacobians, J = problem.F.dense_jacobian](ConstVectorRef y, MatrixRef D) {
      ++jacobians;
      J(y, D);
    };
    const vi::Result result = vi::solve(problem);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(jacobians > 0, decades > 0.0) << result.solver;
    EXPECT_LE(values, 40);
  }
}

TEST(ViNewton, IsQuadraticNearASolution) {
  for (const auto equation : {vi::SemismoothNewton::Equation::Natural, vi::SemismoothNewton::Equation::Normal}) {
    for (const auto& [kind, name] : problems::kinds_of_sets()) {
      for (const Index n : {6, 20}) {  // more than 8 rows of one ball or half-space: products in rank one
        const problems::Vi vi = problems::planted_vi(kind, n, 4, false);
        if (!vi.problem.K.has_jacobian()) continue;
        vi::SemismoothNewton options{.equation = equation};
        options.fallback_iterations = 0;
        options.start = vi.x.array() + 1e-3;
        const vi::Result result = vi::solve(vi.problem, options);
        ASSERT_TRUE(result.ok()) << name << ": " << result.message();
        EXPECT_LE(result.iterations, 4) << name << ", " << n;  // errors 1e-3, some 1e-6, some 1e-12
      }
    }
  }
}

// F(x) = M x + q and x* = 0, all of it at the lower bound where q > 0: no row is left of the equation. With q_i < 0 and
// one row free, of the last unknown alone, x_n = -q_n / M_nn.
TEST(ViNewton, TakesBoxesThatLeaveNoRowOrOne) {
  const Index n = 12;
  std::mt19937_64 random(7);
  const Eigen::MatrixXd B = problems::normal_matrix(random, n, n);
  const Eigen::MatrixXd M = B * B.transpose() / double(n) + Eigen::MatrixXd::Identity(n, n);
  for (const double last : {5.0, -0.01}) {
    Eigen::VectorXd q = Eigen::VectorXd::Constant(n, 5.0);
    q[n - 1] = last;
    vi::Problem problem{problems::affine_map(M, q), vi::Box{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Ones(n)}};
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
    x[n - 1] = std::max(0.0, -last / M(n - 1, n - 1));
    for (const auto equation : {vi::SemismoothNewton::Equation::Natural, vi::SemismoothNewton::Equation::Normal}) {
      const vi::Result result = vi::solve(problem, vi::SemismoothNewton{.equation = equation});
      ASSERT_TRUE(result.ok()) << last << ": " << result.message();
      // |e| <= 1e-10 of 5 (rho of F's slope, within 1 and some 4), and F is strongly monotone with constant 1.
      EXPECT_LE((result.x - x).norm(), 1e-8) << last;
    }
  }
}

TEST(ViJosephy, TakesOneStepWhereFIsAffine) {
  problems::Random random(6);
  for (Index n = 2; n <= 10; n += 2) {
    const problems::Vi planted = problems::planted_vi(SetOf::Polyhedron, n, std::uint64_t(n), false);
    const MatrixXd M = problems::skew(random, n) + MatrixXd::Identity(n, n);
    VectorXd w(n);
    planted.problem.F.value(planted.x, w);  // minus a normal at x
    const vi::Problem problem{problems::affine_map(M, w - M * planted.x), planted.problem.K};
    const vi::Result result = vi::solve(problem, vi::JosephyNewton{});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.iterations, 1);
    EXPECT_LE((result.x - planted.x).norm(), 1e-8);
    const problems::Vi affine = problems::planted_affine_vi(n, std::uint64_t(n));
    const vi::Result again = vi::solve(affine.problem, vi::JosephyNewton{});
    ASSERT_TRUE(again.ok()) << again.message();
    EXPECT_EQ(again.iterations, 1);
    EXPECT_LE((again.x - affine.x).norm(), 1e-8);
  }
}

TEST(ViAutomatic, GoesOnWhereNewtonsMethodsCannot) {
  // First-order ones where P_K has no Jacobian, the projection method where F is a gradient.
  for (const auto& [kind, name] : problems::kinds_of_sets()) {
    for (const bool symmetric : {false, true}) {
      const problems::Vi vi = problems::planted_vi(kind, 5, 8, symmetric);
      const vi::Result result = vi::solve(vi.problem);
      ASSERT_TRUE(result.ok()) << name << ": " << result.message();
      const std::string_view other = symmetric ? "projection" : "extragradient";
      EXPECT_EQ(result.solver, vi.problem.K.has_jacobian() ? "semismooth newton on the normal map" : other) << name;
      EXPECT_LE((result.x - vi.x).norm(), 1e-8) << name;
    }
  }
  // Without a Jacobian, by differences.
  problems::Vi vi = problems::planted_vi(SetOf::Ball, 5, 8, false);
  vi.problem.F.dense_jacobian = {};
  EXPECT_TRUE(vi::solve(vi.problem).ok());
}

// F in other units: the same x by the same certificate, whose rho and scale go with them.
TEST(ViAutomatic, UnitsOfFAreNoMatter) {
  for (const double unit : {1e-12, 1e-6, 1e9}) {
    for (const auto& [kind, name] : problems::kinds_of_sets()) {
      const problems::Vi planted = problems::planted_vi(kind, 6, 3, false);
      vi::Problem problem = planted.problem;
      problem.F.value = [&](ConstVectorRef x, VectorRef f) {
        planted.problem.F.value(x, f);
        f *= unit;
      };
      problem.F.dense_jacobian = [&](ConstVectorRef x, MatrixRef J) {
        planted.problem.F.dense_jacobian(x, J);
        J *= unit;
      };
      const vi::Result result = vi::solve(problem);
      ASSERT_TRUE(result.ok()) << unit << ", " << name << ": " << result.message();
      EXPECT_LE((result.x - planted.x).norm(), 1e-8) << unit << ", " << name;
    }
  }
}

TEST(ViFirms, NashCournotOfMurphySheraliSoyster) {
  // Five firms of output q_i at marginal cost c_i + (q_i / 5)^(1 / beta_i) for a price p = (5000 / Q)^(1 / 1.1):
  // F_i = cost - p - q_i p'(Q). Published answers have four decimals (Murphy, Sherali, Soyster 1982).
  NonlinearMap F{.num_unknowns = 5, .num_values = 5};
  F.value = [](ConstVectorRef q, VectorRef f) {
    const double Q = q.sum(), price = std::pow(5000.0 / Q, 1.0 / 1.1);
    for (Index i = 0; i < 5; ++i) {
      const double cost = 10.0 - 2.0 * double(i) + std::pow(q[i] / 5.0, 1.0 / (1.2 - 0.1 * double(i)));
      f[i] = cost - price * (1.0 - q[i] / (1.1 * Q));
    }
  };
  const VectorXd published{{36.9325, 41.8181, 43.7066, 42.6592, 39.1790}};
  const vi::Problem problem{F, vi::Box{VectorXd::Constant(5, 1.0), VectorXd::Constant(5, 150.0)}};
  for (const vi::Entry& entry : vi::registry()) {
    if (entry.takes == vi::Takes::AffineOnPolyhedra) continue;
    const vi::Result result = entry.solver.solve(problem, {.tolerance = 1e-9});
    ASSERT_TRUE(result.ok()) << entry.name << ": " << result.message();
    EXPECT_LE((result.x - published).cwiseAbs().maxCoeff(), 6e-5) << entry.name;
  }
}

TEST(ViGap, ClosedForms) {
  // F = x - 2 on [0, 1], solution 1: max (x - 2)(x - y) over y in [0, 1] is (x - 2)(x - 1), at y = 1.
  const vi::Problem problem{problems::affine_map(MatrixXd{{1}}, VectorXd{{-2}}), vi::Box{VectorXd{{0}}, VectorXd{{1}}}};
  const vi::Gap gap = vi::gap(problem, VectorXd{{0.5}});
  EXPECT_DOUBLE_EQ(gap.value, 0.75);
  EXPECT_EQ(gap.y[0], 1.0);
  EXPECT_EQ(vi::gap(problem, VectorXd{{1}}).value, 0.0);
  // With alpha = 2: y = P(0.5 + 1.5 / 2) = 1, value 0.75 - 0.25.
  EXPECT_DOUBLE_EQ(vi::regularised_gap(problem, VectorXd{{0.5}}, 2.0).value, 0.5);
  EXPECT_EQ(vi::regularised_gap(problem, VectorXd{{1}}).value, 0.0);
  // On every set with a support function: nonnegative at points of K, 0 at x*, and no less than the regularised one.
  problems::Random random(9);
  for (const auto& [kind, name] : problems::kinds_of_sets()) {
    const problems::Vi vi = problems::planted_vi(kind, 4, 3, false);
    VectorXd x(vi.x.size());
    static_cast<void>(vi.problem.K.project(problems::entries(random, x.size(), 1), x));
    const double regularised = vi::regularised_gap(vi.problem, x).value;
    EXPECT_GT(regularised, 1e-6) << name;
    EXPECT_NEAR(vi::regularised_gap(vi.problem, vi.x).value, 0.0, 1e-12) << name;
    if (!vi.problem.K.has_support()) continue;
    EXPECT_GE(vi::gap(vi.problem, x).value, regularised) << name;
    EXPECT_NEAR(vi::gap(vi.problem, vi.x).value, 0.0, 1e-8) << name;  // linear programs to 1e-10 of entries near 10
  }
  expect_refused([&] { static_cast<void>(vi::regularised_gap(problem, VectorXd{{1}}, 0.0)); },
                 "vi::regularised_gap: alpha");
  expect_refused([&] { static_cast<void>(vi::gap(problem, VectorXd{{1, 2}})); }, "vi::gap: x");
  // Balls without a common point, which is proven; that miss each other by 1e-10, which is not: no value.
  const vi::ConvexSet apart =
      vi::Intersection{{vi::Ball{VectorXd{{0, 0}}, 1.0}, vi::Ball{VectorXd{{3, 0}}, 1.0}}, 1e-14, 50};
  const vi::Problem none{problems::affine_map(MatrixXd::Identity(2, 2), VectorXd::Ones(2)), apart};
  expect_refused(
      [&] {
        static_cast<void>(vi::regularised_gap(none, VectorXd{{0, 0}}));
      },
      "vi::regularised_gap: problem");
  const vi::ConvexSet nearly =
      vi::Intersection{{vi::Ball{VectorXd{{0, 0}}, 1.0}, vi::Ball{VectorXd{{2.0 + 1e-10, 0}}, 1.0}}, 1e-14, 50};
  EXPECT_TRUE(std::isnan(vi::regularised_gap({none.F, nearly}, VectorXd{{0, 0}}).value));
}

}  // namespace
}  // namespace nonsmooth::vi_test
