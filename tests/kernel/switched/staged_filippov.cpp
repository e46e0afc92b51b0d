// SPDX-License-Identifier: Apache-2.0
// FilippovSystems by Radau's stages with located instants: the order of the smooth motion through crossings, into
// sliding and out of it.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::staged_filippov_test {
namespace {

/// The error at t = 2.
double error_of(FilippovSystem system, FilippovMeaning meaning, const Integrator& integrator, double h,
                const Eigen::Vector2d& exact, Index* instants = nullptr) {
  system.meaning = meaning;
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, std::move(system));
  TimeStepping simulation(model, {.integrator = integrator, .step = h, .newton = {.tolerance = 1e-13}});
  while (simulation.state().t < 2.0 - 1e-9) {
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    if (!report.taken) return 1.0;
    if (instants != nullptr) *instants += report.subdivisions;
  }
  return (Eigen::Vector2d(simulation.state().x(handles.system)) - exact).norm();
}

TEST(StagedFilippov, SlidesAndLeaves) {
  // x slides from 1 - 1 / sqrt(2) to 1, where l comes to its bound: one instant within a step, and another where t = 1
  // is not on the grid, as it is not for 15 steps.
  const Eigen::Vector2d exact(0.5, std::exp(-1.75));
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    Index instants = 0;
    const auto error = [&](Index stages, double h) {
      return error_of(filippov_systems::sliding_and_exit(), meaning, ImplicitRadau{stages, true}, h, exact, &instants);
    };
    EXPECT_NEAR(fitted_order(2.0 / 15.0, 3, [&](double h) { return error(2, h); }), 3.0, 0.3);
    EXPECT_LT(error(3, 2.0 / 15.0), 1e-6);
    EXPECT_LT(error(3, 2.0 / 60.0), 1e-9);
    EXPECT_EQ(instants, 6 + 2);
  }
}

TEST(StagedFilippov, CrossesACircle) {
  // A nonlinear surface that is crossed at t = 1, whose fields turn opposite ways.
  const Eigen::Vector2d exact(std::exp(1.0), 0.0);
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    Index instants = 0;
    const auto error = [&](Index stages, double h) {
      return error_of(filippov_systems::oscillator(), meaning, ImplicitRadau{stages, true}, h, exact, &instants);
    };
    EXPECT_NEAR(fitted_order(2.0 / 75.0, 3, [&](double h) { return error(2, h); }), 3.0, 0.2);
    EXPECT_EQ(instants, 4);
    EXPECT_NEAR(fitted_order(2.0 / 35.0, 2, [&](double h) { return error(3, h); }), 5.0, 0.4);
  }
}

}  // namespace
}  // namespace nonsmooth::staged_filippov_test
