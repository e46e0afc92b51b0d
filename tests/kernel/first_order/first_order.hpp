// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of first-order models: options, laws over a state that stands still, measured orders.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/time_stepping.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::first_order {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline TimeSteppingOptions with(Integrator integrator, double h) {
  TimeSteppingOptions options;
  options.integrator = integrator;
  options.step = h;
  return options;
}

// Of smooth runs of six steps h: error = c h^p (1 + a h + ...), |a h| <= 0.1 at the largest. The logarithms deviate
// from a line by at most log 1.1 = 0.095, at the coarse end; the slope moves by at most 0.095 * 2.5 / (17.5 log 2) =
// 0.02. Twice that is taken.
constexpr double kSmooth = 0.04;

/// A law without dynamics: y = D lambda + e(t) over a state that stands still; lambda after each of `steps` steps.
inline std::vector<Eigen::VectorXd> static_multipliers(const Eigen::MatrixXd& D, const VectorData& e, const Law& law,
                                                       double h, int steps) {
  NonSmoothDynamicalSystem model;
  const auto still = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  const Index m = D.rows();
  const auto link = model.link(
      still,
      FirstOrderLinearRelation{.C = Eigen::MatrixXd::Zero(m, 1), .D = D, .B = Eigen::MatrixXd::Zero(1, m), .e = e},
      law);
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, h));
  std::vector<Eigen::VectorXd> result;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = run.step();
    EXPECT_TRUE(report) << report.message();
    result.emplace_back(run.state().lambda(link));
  }
  return result;
}

}  // namespace nonsmooth::first_order
