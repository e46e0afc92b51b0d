// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/quasi.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/vi/quasi_registry.hpp>
#include <problems/random_matrices.hpp>
#include <problems/vi.hpp>

#include "expect_refused.hpp"

namespace nonsmooth::quasi_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using test::expect_refused;

TEST(Quasi, HarkersGame) {
  // Two firms whose sum is bounded by 15 beside 0 <= x_i <= 10: the solutions are (5, 9) and (t, 15 - t), 9 <= t <= 10
  // (Harker 1991 [harker1991]).
  const NonlinearMap F = problems::affine_map(MatrixXd{{2, 8.0 / 3.0}, {1.25, 2}}, VectorXd{{-34, -24.25}});
  const auto project = [](ConstVectorRef x, ConstVectorRef y, VectorRef z) {
    for (Index i = 0; i < 2; ++i) {
      const double most = std::max(0.0, std::min(10.0, 15.0 - x[1 - i]));
      z[i] = std::min(std::max(y[i], 0.0), most);
    }
  };
  const vi::QuasiProblem game{F, vi::UserMovingSet{.size = 2, .project = project}};
  const vi::QuasiProblem same{F, vi::MovingSet(2, [](ConstVectorRef x) -> vi::ConvexSet {
                                return vi::Box{VectorXd::Zero(2),
                                               VectorXd{{std::max(0.0, std::min(10.0, 15.0 - x[1])),
                                                         std::max(0.0, std::min(10.0, 15.0 - x[0]))}}};
                              })};
  VectorXd w(2);
  for (const vi::QuasiProblem& problem : {game, same}) {
    EXPECT_LE(vi::certify(problem, VectorXd{{5, 9}}, w).residual, 1e-15);
    EXPECT_LE(vi::certify(problem, VectorXd{{9, 6}}, w).residual, 1e-15);
    EXPECT_LE(vi::certify(problem, VectorXd{{9.5, 5.5}}, w).residual, 1e-15);
    EXPECT_GT(vi::certify(problem, VectorXd{{8.5, 6.5}}, w).residual, 1e-3);
    EXPECT_GT(vi::certify(problem, VectorXd{{5, 8}}, w).residual, 1e-3);
    for (const VectorXd& start : {VectorXd{{0, 0}}, VectorXd{{10, 5}}, VectorXd{{1, 10}}, VectorXd{{9.8, 4}}}) {
      vi::QuasiProjection projection;
      projection.start = start;
      vi::QuasiFixedPoint fixed_point;
      fixed_point.start = start;
      for (const vi::Result& result : {vi::solve(problem, projection), vi::solve(problem, fixed_point)}) {
        ASSERT_TRUE(result.ok()) << result.message();
        // On the isolated one M's inverse is below 10 in norm: |x - x*| <= 10 (1 + rho L) |e|, |e| <= 1e-10 * 34.
        const double isolated = (result.x - VectorXd{{5, 9}}).norm();
        const double segment = std::abs(result.x.sum() - 15.0) + std::max({0.0, 9.0 - result.x[0], result.x[0] - 10.0});
        EXPECT_LE(std::min(isolated, segment), 1e-6) << result.x.transpose();
      }
    }
    EXPECT_TRUE(vi::solve(problem).ok());
  }
}

TEST(Quasi, ValuesThatAreNotFiniteOnTheWayAreAnEnd) {
  // x = 1, then half of the way to 3: K(2) begins at 1.7, where F has no value.
  NonlinearMap F{.num_unknowns = 1, .num_values = 1};
  F.value = [](ConstVectorRef x, VectorRef f) { f[0] = x[0] > 1.5 && x[0] < 1.9 ? std::nan("") : x[0] - 5.0; };
  const vi::MovingSet K(1, [](ConstVectorRef x) -> vi::ConvexSet {
    return vi::Box{VectorXd{{x[0] <= 1.0 ? 1.0 : 1.7}}, VectorXd{{3}}};
  });
  const vi::Result result = vi::solve(vi::QuasiProblem{F, K}, vi::QuasiFixedPoint{});
  EXPECT_EQ(result.status, Status::NumericalFailure) << result.message();
  EXPECT_EQ(result.iterations, 1);
  EXPECT_NE(result.not_finite.find("nan in component 0"), std::string::npos) << result.message();
}

TEST(Quasi, IteratesThatGrowWithoutBoundAreAnEnd) {
  // K(x) = 3 x + 1 + [0, 1] runs away from every x but -1/2 to -1: each step adds at least half of 2 x + 1.
  const NonlinearMap m = problems::affine_map(MatrixXd{{3}}, VectorXd::Ones(1));
  const vi::QuasiProblem problem{problems::affine_map(MatrixXd{{1}}, VectorXd::Ones(1)),
                                 vi::Translated{vi::Box{VectorXd::Zero(1), VectorXd::Ones(1)}, m}};
  vi::QuasiProjection projection;
  projection.start = VectorXd{{1}};
  vi::QuasiFixedPoint fixed_point;
  fixed_point.start = projection.start;
  fixed_point.relaxation = 1.0;
  for (const vi::Result& result : {vi::solve(problem, projection), vi::solve(problem, fixed_point)}) {
    EXPECT_EQ(result.status, Status::Stalled) << result.message();
    EXPECT_TRUE(result.x.allFinite());
  }
  EXPECT_EQ(vi::solve(problem, projection).reason, "the iterates grow without bound");
  // The end at -1/2 of the fixed points, z = 0, where F = 1/2 pushes to: 3 (-1/2) + 1 = -1/2.
  VectorXd w(1);
  EXPECT_LE(vi::certify(problem, VectorXd{{-0.5}}, w).residual, 1e-15);
}

TEST(Quasi, RefusesMalformedInput) {
  const NonlinearMap F = problems::affine_map(MatrixXd::Identity(2, 2), VectorXd::Ones(2));
  const vi::ConvexSet K = vi::Ball{VectorXd::Zero(2), 1.0};
  expect_refused([&] { static_cast<void>(vi::solve(vi::QuasiProblem{F, {}})); }, "vi::QuasiProblem::K");
  expect_refused(
      [&] {
        static_cast<void>(vi::solve(vi::QuasiProblem{F, vi::ConvexSet(vi::Ball{VectorXd::Zero(3)})}));
      },
      "vi::QuasiProblem::F: num_unknowns");
  expect_refused([&] { static_cast<void>(vi::MovingSet(vi::UserMovingSet{.size = 2, .project = {}})); },
                 "vi::UserMovingSet::project");
  for (const double accuracy : {0.0, 0.02}) {
    const auto stays = [](ConstVectorRef, ConstVectorRef y, VectorRef z) { z = y; };
    expect_refused(
        [&] { static_cast<void>(vi::MovingSet(vi::UserMovingSet{.size = 2, .project = stays, .accuracy = accuracy})); },
        "vi::UserMovingSet::accuracy");
  }
  expect_refused([&] { static_cast<void>(vi::MovingSet(0, [&](ConstVectorRef) { return K; })); },
                 "vi::MovingSet: size");
  expect_refused([&] { static_cast<void>(vi::MovingSet(vi::Translated{K, {}})); }, "NonlinearMap::num_unknowns");
  const vi::QuasiProblem other{F, vi::MovingSet(2, [](ConstVectorRef) { return vi::Ball{VectorXd::Zero(3)}; })};
  expect_refused([&] { static_cast<void>(vi::solve(other)); }, "vi::MovingSet::at: K(x)");
  const auto wrong = [](ConstVectorRef, ConstVectorRef y, VectorRef z) { z = 0.5 * y; };
  const vi::QuasiProblem shrinking{F, vi::UserMovingSet{.size = 2, .project = wrong}};
  expect_refused([&] { static_cast<void>(vi::solve(shrinking)); }, "vi::UserSet::project");
}

TEST(Quasi, RefusesOptionsFieldByField) {
  const vi::Problem problem = problems::planted_vi(problems::SetOf::Box, 2, 1, true).problem;
  const VectorXd three = VectorXd::Zero(3);
  const vi::QuasiProblem quasi{problem.F, problem.K};
  const auto quasi_refused = [&](const auto& options, std::string_view argument) {
    expect_refused([&] { static_cast<void>(vi::solve(quasi, options)); }, argument);
  };
  quasi_refused(vi::QuasiFixedPoint{.tolerance = 0}, "vi::QuasiFixedPoint::tolerance");
  quasi_refused(vi::QuasiFixedPoint{.relaxation = 0}, "vi::QuasiFixedPoint::relaxation");
  quasi_refused(vi::QuasiFixedPoint{.max_iterations = 0}, "vi::QuasiFixedPoint::max_iterations");
  quasi_refused(vi::QuasiFixedPoint{.time_limit = 0}, "vi::QuasiFixedPoint::time_limit");
  quasi_refused(vi::QuasiFixedPoint{.start = three}, "vi::QuasiFixedPoint::start");
  quasi_refused(vi::QuasiAutomatic{.tolerance = 0}, "vi::QuasiAutomatic::tolerance");
  quasi_refused(vi::QuasiAutomatic{.max_iterations = -1}, "vi::QuasiAutomatic::max_iterations");
  quasi_refused(vi::QuasiAutomatic{.time_limit = 0}, "vi::QuasiAutomatic::time_limit");
  quasi_refused(vi::QuasiAutomatic{.start = three}, "vi::QuasiAutomatic::start");
  quasi_refused(vi::QuasiProjection{.tolerance = 0}, "vi::QuasiProjection::tolerance");
  quasi_refused(vi::QuasiProjection{.step = -1}, "vi::QuasiProjection::step");
  quasi_refused(vi::QuasiProjection{.time_limit = 0}, "vi::QuasiProjection::time_limit");
  quasi_refused(vi::QuasiProjection{.acceptance = 1}, "vi::QuasiProjection::acceptance");
  quasi_refused(vi::QuasiProjection{.growth = 1}, "vi::QuasiProjection::growth");
  quasi_refused(vi::QuasiProjection{.reduction = 1}, "vi::QuasiProjection::reduction");
  quasi_refused(vi::QuasiProjection{.relaxation = 0}, "vi::QuasiProjection::relaxation");
  quasi_refused(vi::QuasiProjection{.max_iterations = 0}, "vi::QuasiProjection::max_iterations");
  quasi_refused(vi::QuasiProjection{.start = three}, "vi::QuasiProjection::start");
}

TEST(QuasiCallables, NotFiniteIsToldWithItsPlace) {
  // x = 5 is the solution, and F is none beyond 1: steps are cut, and end there.
  NonlinearMap F{.num_unknowns = 1, .num_values = 1};
  F.value = [](ConstVectorRef x, VectorRef f) { f[0] = x[0] > 1.0 ? std::nan("") : x[0] - 5.0; };
  const vi::QuasiProblem problem{F, vi::ConvexSet(vi::Box{VectorXd{{0}}, VectorXd{{9}}})};
  for (const vi::QuasiEntry& entry : vi::quasi_registry()) {
    const vi::Result result = entry.solver.solve(problem, {});
    EXPECT_FALSE(result.ok()) << entry.name;
    EXPECT_NE(result.message().find("nan in component 0 of F at x = ("), std::string::npos)
        << entry.name << ": " << result.message();
  }
}

}  // namespace
}  // namespace nonsmooth::quasi_test
