// SPDX-License-Identifier: Apache-2.0
// SparseFirstOrderSystem beside the same system as FirstOrderSystem, and 10^4 unknowns against closed forms: a front
// that travels, and a rod of a conductivity of its own temperature under stops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/travelling_front.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::sparse_first_order_test {
namespace {

using bad_input::expect_contains, bad_input::expect_refused, bad_input::kNaN;

using problems::of_line;

constexpr Index kCells = 12;

/// Cells in a row that exchange and react, of capacities 1 + 0.1 i that are coupled by 0.2; `drift` carries what is in
/// them along, so that df/dx is not symmetric.
struct Cells {
  double drift = 0.0;

  static double reaction(double x) { return x - x * x * x; }
  void f(double t, ConstVectorRef x, VectorRef value) const {
    for (Index i = 0; i < kCells; ++i) {
      value[i] += reaction(x[i]) + 0.3 * std::sin(3.0 * t + static_cast<double>(i));
      if (i > 0) value[i] += (4.0 + drift) * (x[i - 1] - x[i]);
      if (i + 1 < kCells) value[i] += (4.0 - drift) * (x[i + 1] - x[i]);
    }
  }
  template <class Add>
  void f_dx(ConstVectorRef x, Add&& add) const {
    for (Index i = 0; i < kCells; ++i) {
      add(i, i, 1.0 - 3.0 * x[i] * x[i]);
      if (i > 0) {
        add(i, i - 1, 4.0 + drift);
        add(i, i, -4.0 - drift);
      }
      if (i + 1 < kCells) {
        add(i, i + 1, 4.0 - drift);
        add(i, i, -4.0 + drift);
      }
    }
  }
  static Eigen::MatrixXd mass() {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(kCells, kCells);
    for (Index i = 0; i < kCells; ++i) {
      M(i, i) = 1.0 + 0.1 * static_cast<double>(i);
      if (i > 0) M(i, i - 1) = M(i - 1, i) = 0.2;
    }
    return M;
  }
  static Eigen::VectorXd x0() {
    return Eigen::VectorXd::NullaryExpr(kCells, [](Index i) { return std::sin(static_cast<double>(i)); });
  }

  [[nodiscard]] SparseFirstOrderSystem sparse() const {
    const Cells cells = *this;
    return {
        .pattern = of_line(kCells),
        .mass = Eigen::SparseMatrix<double>(mass().sparseView()),
        .f = [=](double t, ConstVectorRef x, VectorRef value) { cells.f(t, x, value); },
        .f_dx = [=](double, ConstVectorRef x,
                    SparseEntries& J) { cells.f_dx(x, [&J](Index i, Index j, double value) { J.add(i, j, value); }); },
        .x0 = x0(),
        .name = "cells"};
  }
  [[nodiscard]] FirstOrderSystem dense() const {
    const Cells cells = *this;
    return {.mass = mass(),
            .f = [=](double t, ConstVectorRef x, VectorRef value) { cells.f(t, x, value); },
            .f_dx =
                [=](double, ConstVectorRef x, MatrixRef J) {
                  J.setZero();
                  cells.f_dx(x, [&J](Index i, Index j, double value) { J(i, j) += value; });
                },
            .x0 = x0(),
            .name = "cells"};
  }
};

/// What acts on the cells: a stop x_3 <= 0.1 and a relay on x_8, affine; with `nonlinear` a valve between cells 5 and 6
/// whose multiplier lets through in proportion to both, x_5 <= x_6 + 0.1.
std::vector<InteractionHandle> link_all(NonSmoothDynamicalSystem& model, SystemHandle cells, bool nonlinear) {
  Eigen::MatrixXd stop = Eigen::MatrixXd::Zero(1, kCells), relay = stop;
  stop(0, 3) = -1.0;
  relay(0, 8) = 1.0;
  std::vector<InteractionHandle> made{
      model.link(
          cells,
          FirstOrderLinearRelation{.C = stop, .B = Eigen::MatrixXd(stop.transpose()), .e = Eigen::VectorXd{{0.1}}},
          ComplementarityLaw{}, "stop"),
      model.link(cells, FirstOrderLinearRelation{.C = relay, .B = Eigen::MatrixXd(-relay.transpose())},
                 RelayLaw{.lower = -0.5, .upper = 0.5}, "relay")};
  if (!nonlinear) return made;
  made.push_back(model.link(
      cells,
      FirstOrderRelation{.h = [](double, ConstVectorRef x, ConstVectorRef, VectorRef y) { y[0] = x[6] + 0.1 - x[5]; },
                         .g =
                             [](double, ConstVectorRef x, ConstVectorRef lambda, VectorRef r) {
                               const double through = lambda[0] * (1.0 + 0.2 * x[5] + 0.1 * x[6]);
                               r[5] = -through;
                               r[6] = through;
                             }},
      ComplementarityLaw{}, "valve"));
  return made;
}

/// The largest difference of x and multipliers over 200 steps.
double difference(const Cells& cells, const TimeSteppingOptions& options, bool nonlinear = false) {
  NonSmoothDynamicalSystem first, second;
  const auto a = first.add(cells.sparse());
  const auto b = second.add(cells.dense());
  const auto on_a = link_all(first, a, nonlinear), on_b = link_all(second, b, nonlinear);
  TimeStepping sparse(first, options), dense(second, options);
  double worst = 0.0;
  std::vector<int> pushed(on_a.size(), 0);
  for (int k = 0; k < 200; ++k) {
    const StepReport one = sparse.step(), other = dense.step();
    EXPECT_TRUE(one) << one.message();
    EXPECT_TRUE(other) << other.message();
    // An iteration more or less, where rounding decides whether the last one moved.
    EXPECT_LE(std::abs(one.newton_iterations - other.newton_iterations), 1) << k;
    worst = std::max(worst, (sparse.state().x(a) - dense.state().x(b)).lpNorm<Eigen::Infinity>());
    for (std::size_t i = 0; i < on_a.size(); ++i) {
      const double lambda = sparse.state().lambda(on_a[i])[0];
      worst = std::max(worst, std::abs(lambda - dense.state().lambda(on_b[i])[0]));
      pushed[i] += std::abs(lambda) > 1e-3 ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < pushed.size(); ++i) EXPECT_GT(pushed[i], 10) << i;
  return worst;
}

/// Of two runs that round differently: some 10 eps of 1 a step, 200 steps, in multipliers over h = 10 ms; the cells
/// forget what came before.
constexpr double kRoundings = 200 * 10 * 2.2e-16 * 100;

TEST(SparseFirstOrderSystem, IsItsDenseTwinByCholesky) {
  EXPECT_LE(difference({}, {.step = 1e-2, .newton = {.tolerance = 1e-13}}), kRoundings);
}

TEST(SparseFirstOrderSystem, IsItsDenseTwinByLUUnderSchemesOfAllWeights) {
  for (const EulerMoreau& scheme : {EulerMoreau{.theta = 1.0}, EulerMoreau{.theta = 0.5}, EulerMoreau{.theta = 0.0},
                                    EulerMoreau{.theta = 0.5, .multiplier_weight = 0.5, .relation_weight = 0.75}}) {
    EXPECT_LE(difference({.drift = 1.5}, {.integrator = scheme, .step = 1e-2, .newton = {.tolerance = 1e-13}}),
              kRoundings)
        << scheme.theta;
  }
}

TEST(SparseFirstOrderSystem, IsItsDenseTwinUnderANonlinearInputOnItsPattern) {
  EXPECT_LE(difference({.drift = 1.5}, {.step = 1e-2, .newton = {.tolerance = 1e-13}}, true), kRoundings);
}

/// Jacobians that were given against coloured differences of some sqrt(eps): the same solution, to Newton's tolerance
/// of 1e-12 in each of 200 steps.
TEST(SparseFirstOrderSystem, DifferencesStandForTheJacobian) {
  int calls = 0;
  SparseFirstOrderSystem given = Cells{.drift = 1.5}.sparse(), without = given;
  without.f_dx = nullptr;
  without.f = [&calls, f = given.f](double t, ConstVectorRef x, VectorRef value) {
    ++calls;
    f(t, x, value);
  };
  NonSmoothDynamicalSystem first, second;
  const auto a = first.add(given), b = second.add(without);
  const TimeSteppingOptions options{.step = 1e-2, .newton = {.tolerance = 1e-12}};
  TimeStepping one(first, options), other(second, options);
  Index iterations = 0;
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(one.step());
    const StepReport report = other.step();
    ASSERT_TRUE(report) << report.message();
    iterations += report.newton_iterations;
    ASSERT_LE((one.state().x(a) - other.state().x(b)).lpNorm<Eigen::Infinity>(), 200 * 1e-12) << k;
  }
  // Three colours on a line: four calls of f for the Jacobian of an iteration, one for its residual, one a step at t_k.
  EXPECT_EQ(calls, 5 * iterations + 200);
}

TEST(SparseFirstOrderSystem, JacobiansAreComparedAndRatesAreThoseOfItsTwin) {
  SparseFirstOrderSystem cells = Cells{.drift = 1.5}.sparse();
  NonSmoothDynamicalSystem right, twin, wrong;
  const auto a = right.add(cells);
  const auto b = twin.add(Cells{.drift = 1.5}.dense());
  EXPECT_TRUE(compare_jacobians(right, right.initial_state(0.0)).empty());
  // M of condition 3, rates of some 10.
  EXPECT_LE((rates_of(right, right.initial_state(0.2), a) - rates_of(twin, twin.initial_state(0.2), b))
                .lpNorm<Eigen::Infinity>(),
            1e-13);
  cells.f_dx = [](double, ConstVectorRef x, SparseEntries& J) {
    Cells{.drift = 1.5}.f_dx(x, [&J](Index i, Index j, double value) { J.add(i, j, 1.05 * value); });
  };
  wrong.add(cells);
  const auto found = compare_jacobians(wrong, wrong.initial_state(0.0));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().function, "f_dx of cells");
}

TEST(SparseFirstOrderSystem, ByEventsItIsADenseOne) {
  // Both integrate the same f, to a tolerance of 1e-9 a step.
  NonSmoothDynamicalSystem first, second;
  const auto a = first.add(Cells{.drift = 1.5}.sparse());
  const auto b = second.add(Cells{.drift = 1.5}.dense());
  link_all(first, a, false);
  link_all(second, b, false);
  EventDriven one(first, {.relative_tolerance = 1e-9, .absolute_tolerance = 1e-9});
  EventDriven other(second, {.relative_tolerance = 1e-9, .absolute_tolerance = 1e-9});
  ASSERT_TRUE(one.advance_to(2.0));
  ASSERT_TRUE(other.advance_to(2.0));
  EXPECT_LE((one.state().x(a) - other.state().x(b)).lpNorm<Eigen::Infinity>(), 1e-7);
}

TEST(SparseFirstOrderSystem, AFrontOfTenThousandUnknownsTravelsAsItsClosedForm) {
  const auto front = std::make_shared<const problems::TravellingFront>(10'001);
  NonSmoothDynamicalSystem model;
  const auto field = model.add(front);
  const double h = 0.1, T = 4.0;
  TimeStepping simulation(model, {.integrator = EulerMoreau{.theta = 0.5}, .step = h});
  const RunReport report = simulation.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE(report.newton_iterations, 4 * report.steps);
  // Of u <= 1, Newton's tolerance beside.
  const double error = (simulation.state().x(field) - front->at(T)).lpNorm<Eigen::Infinity>();
  EXPECT_LE(error, front->largest_error(h, T) + 40 * 1e-9);
  // It went c T = 1.41, by some 0.25 of u.
  EXPECT_GE((front->at(T) - front->at(0.0)).lpNorm<Eigen::Infinity>(), 0.2);
}

/// A rod of unit length, cold at both ends, with a source s everywhere and a conductivity 1 + u, whose temperature
/// stops hold to psi at three places: K(u) = u + u^2 / 2 is a parabola between them, and each stop takes the jump of K'
/// out.
TEST(SparseFirstOrderSystem, ARodOfTenThousandUnknownsRestsOnItsStopsAsItsClosedForm) {
  constexpr Index n = 11'999;
  constexpr double s = 40.0, psi = 1.0, K_stop = psi + 0.5 * psi * psi;
  const double dx = 1.0 / static_cast<double>(n + 1), rate = 1.0 / (dx * dx);
  const std::array<Index, 3> stops{2'999, 5'999, 7'199};  // at 0.25, 0.5 and 0.6
  SparseFirstOrderSystem rod{.pattern = of_line(n), .x0 = Eigen::VectorXd::Zero(n), .name = "rod"};
  const auto K = [](double u) { return u + 0.5 * u * u; };
  rod.f = [=](double, ConstVectorRef u, VectorRef value) {
    for (Index i = 0; i < n; ++i) {
      const double before = i > 0 ? K(u[i - 1]) : 0.0, after = i + 1 < n ? K(u[i + 1]) : 0.0;
      value[i] = rate * (before - 2.0 * K(u[i]) + after) + s;
    }
  };
  rod.f_dx = [=](double, ConstVectorRef u, SparseEntries& J) {
    for (Index i = 0; i < n; ++i) {
      J.add(i, i, -2.0 * rate * (1.0 + u[i]));
      if (i > 0) J.add(i - 1, i, rate * (1.0 + u[i]));
      if (i + 1 < n) J.add(i + 1, i, rate * (1.0 + u[i]));
    }
  };
  NonSmoothDynamicalSystem model;
  const auto body = model.add(rod);
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(3, n);
  for (Index j = 0; j < 3; ++j) C(j, stops[static_cast<std::size_t>(j)]) = -1.0;
  const auto held =
      model.link(body,
                 FirstOrderLinearRelation{
                     .C = C, .B = Eigen::MatrixXd(C.transpose() / dx), .e = Eigen::VectorXd::Constant(3, psi)},
                 ComplementarityLaw{}, "stops");
  // Implicit Euler forgets the start by 1 / (1 + pi^2 h) a step at least.
  TimeStepping simulation(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 0.2});
  const RunReport report = simulation.advance_to(6.0);
  ASSERT_TRUE(report) << report.message();
  const double forgotten = std::pow(1.0 + std::numbers::pi * std::numbers::pi * 0.2, -30);
  ASSERT_LE(forgotten, 1e-13);

  // Newton's tolerance of 1e-9, and rounding of terms of 2 rate, 3e8, solved back to some n^2 eps / 8 = 4e-9.
  const double tolerance = 1e-8;
  std::array<double, 5> places{0.0, 0.25, 0.5, 0.6, 1.0}, heights{0.0, K_stop, K_stop, K_stop, 0.0};
  const auto slope = [&](std::size_t part) {
    return (heights[part + 1] - heights[part]) / (places[part + 1] - places[part]);
  };
  const auto length = [&](std::size_t part) { return places[part + 1] - places[part]; };
  const auto u = simulation.state().x(body);
  for (std::size_t part = 0; part < 4; ++part) {
    for (const double share : {0.25, 0.5, 0.75}) {
      const double along = share * length(part);
      const auto i = static_cast<Index>(std::lround((places[part] + along) / dx)) - 1;
      const double expected = heights[part] + slope(part) * along + 0.5 * s * along * (length(part) - along);
      EXPECT_NEAR(K(u[i]), expected, tolerance * 10.0) << part << ' ' << share;
    }
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double jump = (slope(j + 1) + 0.5 * s * length(j + 1)) - (slope(j) - 0.5 * s * length(j));
    ASSERT_GT(jump, 0.0);
    EXPECT_NEAR(u[stops[j]], psi, tolerance);
    // A temperature's error over the spacing of two stops, 0.1.
    EXPECT_NEAR(simulation.state().lambda(held)[static_cast<Index>(j)], jump, 10.0 * tolerance / 0.1) << j;
  }
}

/// Three states, the third tied to nobody.
SparseFirstOrderSystem tied() {
  SparseFirstOrderSystem system{
      .pattern = SparsePattern::of_elements(3, {{0, 1}, {2}}), .x0 = Eigen::VectorXd::Ones(3), .name = "net"};
  system.f = [](double, ConstVectorRef x, VectorRef value) { value << x[1] - x[0], x[0] - x[1], -x[2] * x[2]; };
  system.f_dx = [](double, ConstVectorRef x, SparseEntries& J) {
    for (const Index i : {0, 1}) {
      J.add(i, i, -1.0);
      J.add(i, 1 - i, 1.0);
    }
    J.add(2, 2, -2.0 * x[2]);
  };
  return system;
}

void expect_not_made(const SparseFirstOrderSystem& system, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(system); }, parts);
}

TEST(BadSparseFirstOrderSystem, IsRefusedByName) {
  auto system = tied();
  system.pattern = {};
  expect_not_made(system, {"SparseFirstOrderSystem::pattern", "none", "3 rows"});
  system = tied();
  system.pattern = of_line(4);
  expect_not_made(system, {"SparseFirstOrderSystem::pattern", "4 rows", "3 rows"});
  system = tied();
  system.x0 = {};
  expect_not_made(system, {"SparseFirstOrderSystem::x0"});
  system.x0 = {1.0, kNaN, 0.0};
  expect_not_made(system, {"SparseFirstOrderSystem::x0", "finite"});
  system = tied();
  system.mass = Eigen::MatrixXd(Eigen::MatrixXd::Identity(2, 2));
  expect_not_made(system, {"SparseFirstOrderSystem::mass", "2 x 2"});
  system.mass = Eigen::MatrixXd(Eigen::MatrixXd::Ones(3, 3));
  expect_not_made(system, {"SparseFirstOrderSystem::mass", "(2, 0)", "pattern"});
  system = tied();
  system.f = nullptr;
  expect_not_made(system, {"SparseFirstOrderSystem::f_dx", "missing"});
}

TEST(BadSparseFirstOrderSystem, ASingularMassNeedsAnImplicitScheme) {
  auto system = tied();
  system.mass = Eigen::MatrixXd(Eigen::VectorXd{{1.0, 1.0, 0.0}}.asDiagonal());
  system.f = [](double, ConstVectorRef x, VectorRef value) { value << x[1] - x[0], x[0] - x[1], 0.25 - x[2] * x[2]; };
  NonSmoothDynamicalSystem model;
  model.add(system);
  expect_refused([&] { TimeStepping(model, {.integrator = EulerMoreau{.theta = 0.0}, .step = 0.1}); },
                 {"net", "theta = 0", "singular"});
  // x_2 is algebraic, x_2^2 = 1/4.
  TimeStepping simulation(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 0.1});
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().unknowns[2], 0.5, 1e-9);
}

TEST(BadSparseFirstOrderSystem, SchemesOfLinearSystemsAreRefused) {
  NonSmoothDynamicalSystem model;
  model.add(tied());
  expect_refused([&] { TimeStepping(model, {.integrator = ZeroOrderHold{}, .step = 0.1}); }, {"net"});
}

/// The first step fails and its message holds `parts`; the state stays.
void expect_failed(const NonSmoothDynamicalSystem& model, const std::vector<std::string>& parts) {
  TimeStepping simulation(model, {.step = 0.1});
  const std::uint64_t before = hash_of(simulation.state());
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_FALSE(report.taken);
  expect_contains(report.message(), parts);
  EXPECT_EQ(hash_of(simulation.state()), before);
}
void expect_failed(const SparseFirstOrderSystem& system, const std::vector<std::string>& parts) {
  NonSmoothDynamicalSystem model;
  model.add(system);
  expect_failed(model, parts);
}

TEST(BadSparseFirstOrderCallable, EndsTheStepWithItsName) {
  auto system = tied();
  system.f_dx = [](double, ConstVectorRef, SparseEntries& J) { J.add(0, 2, 1.0); };
  expect_failed(system, {"f_dx of net", "(0, 2)", "pattern"});
  system.f_dx = [](double, ConstVectorRef, SparseEntries& J) { J.add(1, 0, kNaN); };
  expect_failed(system, {"f_dx of net", "not finite", "(1, 0)"});
  system.f_dx = [](double, ConstVectorRef, SparseEntries&) { throw std::runtime_error("a pipe burst"); };
  expect_failed(system, {"f_dx of net", "pipe burst"});
  system.f_dx = [](double, ConstVectorRef, SparseEntries& J) {  // A = I - h J / 2: rows 0 and 1 are (1, 1)
    for (const Index i : {0, 1}) J.add(i, 1 - i, -20.0);
  };
  expect_failed(system, {"iteration matrix", "net", "singular"});
  system = tied();
  system.f = [](double, ConstVectorRef, VectorRef value) { value[1] = kNaN; };
  expect_failed(system, {"f(t, x) of net", "not finite"});
  system = tied();
  system.f_dx = nullptr;
  system.f = [calls = 0](double, ConstVectorRef x, VectorRef value) mutable {
    value = -x;
    if (++calls > 2) throw std::runtime_error("a pipe burst");
  };
  expect_failed(system, {"f(t, x) of net", "pipe burst"});
}

TEST(BadSparseFirstOrderCallable, AnInputOutsideOfThePatternEndsTheStep) {
  NonSmoothDynamicalSystem model;
  const auto net = model.add(tied());
  model.link(net,
             FirstOrderRelation{
                 .h = [](double, ConstVectorRef x, ConstVectorRef, VectorRef y) { y[0] = x[0]; },
                 .g = [](double, ConstVectorRef x, ConstVectorRef lambda, VectorRef r) { r[0] = lambda[0] + x[2]; }},
             ComplementarityLaw{}, "pump");
  expect_failed(model, {"g_dx of pump", "(0, 2)", "net", "pattern"});
}

}  // namespace
}  // namespace nonsmooth::sparse_first_order_test
