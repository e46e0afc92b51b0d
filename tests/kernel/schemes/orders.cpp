// SPDX-License-Identifier: Apache-2.0

// Orders of convergence, measured: errors at steps h, h/2, h/4, ... and the slope of their logarithms by least squares.

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::orders_test {
namespace {

// Tolerance of the smooth runs: error = c h^p (1 + a h + ...), |a h| <= 0.1 at the largest step with the time scales of
// order one below. The logarithms deviate from a line by at most log 1.1 = 0.095, at the coarse end; over six points
// (a spread of 5 log 2) the slope moves by at most 0.095 * 2.5 / (17.5 log 2) = 0.02. Twice that is taken.
constexpr double kSmooth = 0.04;

TEST(Order, MoreauJeanOnADampedForcedOscillator) {
  // q = (sin 2t, cos t) by construction: f = M q'' + C q' + K q, with matrices that couple.
  const Eigen::Matrix2d M{{2.0, 0.5}, {0.5, 1.0}}, C{{0.3, -0.1}, {-0.1, 0.2}}, K{{5.0, -1.0}, {-1.0, 3.0}};
  const auto q = [](double t) { return Eigen::Vector2d{std::sin(2.0 * t), std::cos(t)}; };
  const auto v = [](double t) { return Eigen::Vector2d{2.0 * std::cos(2.0 * t), -std::sin(t)}; };
  const auto a = [](double t) { return Eigen::Vector2d{-4.0 * std::sin(2.0 * t), -std::cos(t)}; };
  const double T = 2.0;
  const auto error = [&](double theta, double h) {
    NonSmoothDynamicalSystem model;
    const auto system =
        model.add(LagrangianLinearSystem{.mass = M,
                                         .damping = C,
                                         .stiffness = K,
                                         .force = [&](double t, VectorRef f) { f = M * a(t) + C * v(t) + K * q(t); },
                                         .q0 = q(0.0),
                                         .v0 = v(0.0),
                                         .prescribed = {},
                                         .name = {}});
    TimeSteppingOptions options;
    options.integrator = MoreauJean{.theta = theta, .forecast = 0.5};
    options.step = h;
    TimeStepping run(model, options);
    EXPECT_TRUE(run.advance_to(T));
    return (run.state().q(system) - q(T)).norm() + (run.state().v(system) - v(T)).norm();
  };
  EXPECT_NEAR(fitted_order(0.02, 5, [&](double h) { return error(0.5, h); }), 2.0, kSmooth);
  EXPECT_NEAR(fitted_order(0.02, 5, [&](double h) { return error(1.0, h); }), 1.0, kSmooth);
}

TEST(Order, MoreauJeanWithImpacts) {
  // Bouncing ball, four impacts by t = 2.9; L1 in time of v on the grid. An impact that is off by up to a step
  // contributes (1 + e) |v| times its shift, which depends on where it falls in its step: the error is c h with a c
  // that scatters. Averaged over 16 heights of release the scatter of the mean is about a quarter of one run's: taking
  // 50 % for one run, 0.12 in a logarithm. Over eight points of spacing log 2 (variance of the slope
  // 0.12^2 / (42 log^2 2)) the slope scatters by 0.03, so that 0.9 is three times that below 1.
  const double g = 9.81, e = 0.8, T = 2.9;
  const auto error = [&](double h) {
    double sum = 0.0;
    for (int i = 0; i < 16; ++i) {
      const double q0 = 1.0 + 0.013 * i;
      NonSmoothDynamicalSystem model;
      const auto ball = model.add(LagrangianLinearSystem{.mass = {},
                                                         .damping = {},
                                                         .stiffness = {},
                                                         .force = {-g},
                                                         .q0 = {q0},
                                                         .v0 = {},
                                                         .prescribed = {},
                                                         .name = {}});
      model.link(ball, LagrangianLinearRelation{.H = {{1.0}}, .b = {}}, NewtonImpactLaw{e});
      TimeSteppingOptions options;
      options.integrator = MoreauJean{.theta = 0.5, .forecast = 0.5};
      options.step = h;
      TimeStepping run(model, options);
      double start = 0.0, up = 0.0, end = std::sqrt(2.0 * q0 / g);  // the present flight: launched at start with up
      EXPECT_TRUE(run.advance_to(T, [&](const State& state) {
        while (state.t > end) {
          up = e * (g * (end - start) - up);
          start = end;
          end = start + 2.0 * up / g;
        }
        sum += h * std::abs(state.v(ball)[0] - (up - g * (state.t - start)));
      }));
    }
    return sum;
  };
  const double order = fitted_order(0.01, 7, error);
  EXPECT_GE(order, 0.9);
  EXPECT_LE(order, 1.1);
}

TEST(Order, EulerMoreauOnATimeVaryingSystemWithMass) {
  // x = (sin t, e^-t) by construction: b = M x' - A(t) x.
  const Eigen::Matrix2d M{{2.0, 0.5}, {-0.3, 1.0}};
  const auto A = [](double t) { return Eigen::Matrix2d{{-1.0 - 0.5 * std::sin(t), 1.0}, {-std::cos(2.0 * t), -2.0}}; };
  const auto x = [](double t) { return Eigen::Vector2d{std::sin(t), std::exp(-t)}; };
  const auto dx = [](double t) { return Eigen::Vector2d{std::cos(t), -std::exp(-t)}; };
  const double T = 1.5;
  const auto error = [&](double theta, double h) {
    NonSmoothDynamicalSystem model;
    const auto system =
        model.add(FirstOrderLinearSystem{.mass = M,
                                         .A = [&](double t, MatrixRef value) { value = A(t); },
                                         .b = [&](double t, VectorRef b) { b = M * dx(t) - A(t) * x(t); },
                                         .x0 = x(0.0),
                                         .name = {}});
    TimeSteppingOptions options;
    options.integrator = EulerMoreau{.theta = theta};
    options.step = h;
    TimeStepping run(model, options);
    EXPECT_TRUE(run.advance_to(T));
    return (run.state().x(system) - x(T)).norm();
  };
  EXPECT_NEAR(fitted_order(0.05, 5, [&](double h) { return error(0.5, h); }), 2.0, kSmooth);
  EXPECT_NEAR(fitted_order(0.05, 5, [&](double h) { return error(1.0, h); }), 1.0, kSmooth);
}

TEST(Order, EulerMoreauAcrossASwitch) {
  // A diode in series with L = 1, C = 1/(2 pi)^2, R = 0.1 from (1, 0): half a swing, then x = (-e^(-R pi / (2 wd)), 0).
  // x1 stops where its speed vanishes, so the step in which the diode blocks counts with h^2 only; what is left is the
  // damping of the implicit Euler method, error = c h (1 + O(w0 h)) with w0 h <= 0.016: kSmooth is ample.
  const double w0 = 2.0 * std::numbers::pi, R = 0.1;
  const double exact = -std::exp(-0.5 * R * std::numbers::pi / std::sqrt(w0 * w0 - 0.25 * R * R));
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(
        FirstOrderLinearSystem{.mass = {}, .A = {{0.0, 1.0}, {-w0 * w0, -R}}, .b = {}, .x0 = {1.0, 0.0}, .name = {}});
    model.link(system, FirstOrderLinearRelation{.C = {{0.0, -1.0}}, .D = {}, .B = {{0.0}, {-1.0}}, .e = {}},
               ComplementarityLaw{});
    TimeSteppingOptions options;
    options.integrator = EulerMoreau{.theta = 1.0};
    options.step = h;
    TimeStepping run(model, options);
    EXPECT_TRUE(run.advance_to(1.0));
    return std::abs(run.state().x(system)[0] - exact);
  };
  EXPECT_NEAR(fitted_order(2.5e-3, 6, error), 1.0, kSmooth);
}

}  // namespace
}  // namespace nonsmooth::orders_test
