// SPDX-License-Identifier: Apache-2.0
// What users hand over and what is wrong with it: projections that are none, values that are not finite, Jacobians of
// other functions, options out of range.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/vi.hpp>
#include <problems/vi.hpp>

#include "expect_refused.hpp"

namespace nonsmooth::misbehaving_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using problems::SetOf;
using test::expect_refused;

TEST(ViUserSet, ProjectionsThatDoNotProjectAreDetected) {
  const Index n = 3;
  const NonlinearMap F = problems::affine_map(MatrixXd::Identity(n, n), VectorXd{{-3, 1, 2}});
  const auto refused = [&](std::function<void(ConstVectorRef, VectorRef)> project, std::string_view words) {
    const vi::Problem problem{F, vi::UserSet{.size = n, .project = std::move(project)}};
    for (const vi::Entry& entry : vi::registry()) {
      if (entry.takes != vi::Takes::Every) continue;
      expect_refused([&] { static_cast<void>(entry.solver.solve(problem)); }, "vi::UserSet::project", words);
    }
    VectorXd w(n);
    expect_refused(
        [&] {
          static_cast<void>(vi::certify(problem, VectorXd{{0.5, 0.5, 0.5}}, w));
        },
        "vi::UserSet::project", words);
  };
  // Halfway to the unit ball: moves its own results.
  refused([](ConstVectorRef y, VectorRef x) { x = (y.norm() > 1.0 ? 0.5 + 0.5 / y.norm() : 1.0) * y; },
          "moves its own results");
  // Onto the sphere, which is not convex; and along the first axis onto the plane x_1 = x_2, which is not the nearest
  // point.
  refused(
      [](ConstVectorRef y, VectorRef x) {
        x = y;
        if (y.norm() == 0.0) x[0] = 1.0;
        x.normalize();
      },
      "(y - P(y))·(z - P(y))");
  refused(
      [](ConstVectorRef y, VectorRef x) {
        x = y;
        x[0] = y[1];
      },
      "(y - P(y))·(z - P(y))");
}

TEST(ViCallables, NotFiniteIsToldWithItsPlace) {
  // log x_0 on a box of which 0 is a corner: at the start, and in the middle.
  NonlinearMap F{.num_unknowns = 2, .num_values = 2};
  F.value = [](ConstVectorRef x, VectorRef f) { f << x[0] - 1.0, std::log(x[1]); };
  F.value_names = {"first", "second"};
  expect_refused(
      [&] {
        static_cast<void>(vi::solve({F, vi::Box{VectorXd{{0, 0}}, VectorXd{{2, 2}}}}));
      },
      "vi::Problem::F", "component 1 (second)");
  NonlinearMap broken = problems::affine_map(MatrixXd{{2}}, VectorXd{{-5}});
  broken.value = [](ConstVectorRef x, VectorRef f) { f[0] = x[0] > 2.0 ? std::nan("") : 2.0 * x[0] - 5.0; };
  const vi::Result result = vi::solve({broken, vi::Box{VectorXd{{0}}, VectorXd{{9}}}}, vi::SemismoothNewton{});
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.not_finite.find("nan in component 0"), std::string::npos) << result.message();
  EXPECT_NE(result.message().find(result.not_finite), std::string::npos);
}

TEST(ViOptions, AJacobianThatDoesNotMatchIsTold) {
  // F = 2 x - 5 in both rows, whose Jacobian says 3 for one entry.
  NonlinearMap F = problems::affine_map(MatrixXd{{2, 0}, {0, 2}}, VectorXd{{-5, -5}});
  const vi::Problem good{F, vi::Box{VectorXd{{0, 0}}, VectorXd{{9, 9}}}};
  F.jacobian = nullptr;
  F.dense_jacobian = [](ConstVectorRef, MatrixRef J) { J << 2, 0, 3, 2; };
  const vi::Problem bad{F, good.K};
  const auto told = [&](auto options) {
    options.check_jacobian = true;
    EXPECT_TRUE(vi::solve(good, options).ok());
    expect_refused([&] { static_cast<void>(vi::solve(bad, options)); }, "vi::Problem::F: the Jacobian",
                   "entry (1, 0) of the Jacobian of F is 3, differences give ");
  };
  told(vi::Automatic{});
  told(vi::SemismoothNewton{});
  told(vi::JosephyNewton{});
  told(vi::CaoFerris{});
}

TEST(ViOptions, RefuseTheirFieldsOneByOne) {
  const vi::Problem problem = problems::planted_vi(SetOf::Box, 2, 1, true).problem;
  const auto refused = [&](const auto& options, std::string_view argument) {
    expect_refused([&] { static_cast<void>(vi::solve(problem, options)); }, argument);
  };
  const VectorXd three = VectorXd::Zero(3), nan = VectorXd::Constant(2, std::nan(""));
  const auto forward = [&]<class Options>(Options good, const std::string& name) {
    const auto spoilt = [&](auto&& spoil, const std::string& field) {
      Options options = good;
      spoil(options);
      refused(options, name + "::" + field);
    };
    spoilt([](Options& o) { o.tolerance = 0; }, "tolerance");
    spoilt([](Options& o) { o.step = -1; }, "step");
    spoilt([](Options& o) { o.acceptance = 1; }, "acceptance");
    spoilt([](Options& o) { o.growth = 0.95; }, "growth");
    spoilt([](Options& o) { o.reduction = 1; }, "reduction");
    spoilt([](Options& o) { o.memory = -1; }, "memory");
    spoilt([](Options& o) { o.decrease = 0; }, "decrease");
    spoilt([](Options& o) { o.max_iterations = 0; }, "max_iterations");
    spoilt([](Options& o) { o.time_limit = 0; }, "time_limit");
    spoilt([&](Options& o) { o.start = three; }, "start");
    spoilt([&](Options& o) { o.start = nan; }, "start");
  };
  forward(vi::Projection{}, "vi::Projection");
  forward(vi::Extragradient{}, "vi::Extragradient");
  forward(vi::ForwardBackwardForward{}, "vi::ForwardBackwardForward");
  const auto newton = [&]<class Options>(Options good, const std::string& name) {
    const auto spoilt = [&](auto&& spoil, const std::string& field) {
      Options options = good;
      spoil(options);
      refused(options, name + "::" + field);
    };
    spoilt([](Options& o) { o.tolerance = 0; }, "tolerance");
    spoilt([](Options& o) { o.max_steps = 0; }, "max_steps");
    spoilt([](Options& o) { o.decrease = 0.6; }, "decrease");
    spoilt([](Options& o) { o.memory = 0; }, "memory");
    spoilt([](Options& o) { o.fallback_iterations = -1; }, "fallback_iterations");
    spoilt([](Options& o) { o.time_limit = -1; }, "time_limit");
    spoilt([&](Options& o) { o.start = three; }, "start");
  };
  newton(vi::SemismoothNewton{}, "vi::SemismoothNewton");
  newton(vi::JosephyNewton{}, "vi::JosephyNewton");
  refused(vi::HyperplaneProjection{.tolerance = 0}, "vi::HyperplaneProjection::tolerance");
  refused(vi::HyperplaneProjection{.step = -1}, "vi::HyperplaneProjection::step");
  refused(vi::HyperplaneProjection{.sigma = 1}, "vi::HyperplaneProjection::sigma");
  refused(vi::HyperplaneProjection{.reduction = 0}, "vi::HyperplaneProjection::reduction");
  refused(vi::HyperplaneProjection{.max_iterations = 0}, "vi::HyperplaneProjection::max_iterations");
  refused(vi::HyperplaneProjection{.time_limit = 0}, "vi::HyperplaneProjection::time_limit");
  refused(vi::HyperplaneProjection{.start = three}, "vi::HyperplaneProjection::start");
  refused(vi::Automatic{.tolerance = 0}, "vi::Automatic::tolerance");
  refused(vi::Automatic{.max_iterations = -1}, "vi::Automatic::max_iterations");
  refused(vi::Automatic{.time_limit = 0}, "vi::Automatic::time_limit");
  refused(vi::Automatic{.start = nan}, "vi::Automatic::start");
}

}  // namespace
}  // namespace nonsmooth::misbehaving_test
