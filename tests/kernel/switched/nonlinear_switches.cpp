// SPDX-License-Identifier: Apache-2.0
// Nonlinear switches in circuits whose Jacobians come from differences, beside the same with Jacobians given: the same
// steps, and the same states.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::nonlinear_switches_test {
namespace {

/// A branch y = h(t, x, lambda) with r = g(lambda) and its derivatives.
struct Branch {
  std::string name;
  std::function<double(double t, double x, double l)> h, h_dlambda;
  std::function<double(double x)> h_dx = [](double) { return 1.0; };
  double g = -1.0;  ///< r = g lambda
  double x0 = 1.0, b = 0.0;
};

NonSmoothDynamicalSystem model_of(const Branch& branch, const Law& law, bool given) {
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(FirstOrderLinearSystem{.b = {branch.b}, .x0 = {branch.x0}, .name = "circuit"});
  FirstOrderRelation relation{
      .rows = 1,
      .h = [branch](double t, ConstVectorRef x, ConstVectorRef l, VectorRef y) { y[0] = branch.h(t, x[0], l[0]); },
      .g = [branch](double, ConstVectorRef, ConstVectorRef l, VectorRef r) { r[0] = branch.g * l[0]; }};
  if (given) {
    relation.h_dx = [branch](double, ConstVectorRef x, ConstVectorRef, MatrixRef J) { J(0, 0) = branch.h_dx(x[0]); };
    relation.h_dlambda = [branch](double t, ConstVectorRef x, ConstVectorRef l, MatrixRef J) {
      J(0, 0) = branch.h_dlambda(t, x[0], l[0]);
    };
    relation.g_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
    relation.g_dlambda = [branch](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = branch.g; };
  }
  model.link(circuit, relation, law);
  return model;
}

/// Steps of both, in lockstep; what differs is a failure.
void expect_the_same_steps(const Branch& branch, const Law& law, double h, int steps) {
  SCOPED_TRACE(branch.name + ", h = " + std::to_string(h));
  const TimeSteppingOptions options{.integrator = EulerMoreau{.theta = 1.0}, .step = h};
  TimeStepping given(model_of(branch, law, true), options), differences(model_of(branch, law, false), options);
  for (int k = 0; k < steps; ++k) {
    const StepReport expected = given.step(), found = differences.step();
    ASSERT_TRUE(expected) << expected.message();
    ASSERT_TRUE(found) << found.message();
    const double x = given.state().unknowns[0], l = given.state().multipliers[0];
    ASSERT_NEAR(differences.state().unknowns[0], x, 1e-7 * (std::abs(branch.x0) + std::abs(x)));
    ASSERT_NEAR(differences.state().multipliers[0], l, 1e-7 * (1.0 + std::abs(l)));
  }
}

/// A coil's current x through a switch of conductance G, 0 where it is off: L x' = E - u, x = G(t) u (1 + u^2 / 10 /
/// (1 + u^2)). The voltage u is the multiplier.
Branch switched_conductance(double off, double on) {
  Branch branch;
  branch.name = "conductances 1e" + std::to_string(std::log10(off)) + ", 1e" + std::to_string(std::log10(on));
  const auto G = [=](double t) { return std::fmod(t, 0.02) < 0.01 ? off : on; };
  const auto bend = [](double u) { return u * (1.0 + 0.1 * u * u / (1.0 + u * u)); };
  branch.h = [=](double t, double x, double u) { return x - G(t) * bend(u); };
  branch.h_dlambda = [=](double t, double, double u) {
    const double s = 1.0 + u * u;
    return -G(t) * (1.0 + 0.1 * u * u / s + 0.2 * u * u / (s * s));
  };
  branch.b = 1.0;
  return branch;
}

/// The same switch fed by a source of current 1 + sin(5 t) / 2, which no state sees: x' = -u. dh/dlambda = -G is all
/// that determines u.
Branch fed_switch(double off, double on) {
  Branch branch = switched_conductance(off, on);
  branch.name += ", fed";
  branch.h_dx = [](double) { return 0.0; };
  branch.h = [h = branch.h](double t, double, double u) { return h(t, 1.0 + 0.5 * std::sin(5.0 * t), u); };
  return branch;
}

/// A capacitor's voltage x behind a junction, C x' = i: x + V_T asinh(i / I_s) + R i = E sin(5 t). The current i is the
/// multiplier, in units of I_s where it blocks.
Branch junction(double saturation) {
  Branch branch;
  branch.name = "saturation 1e" + std::to_string(std::log10(saturation));
  const double thermal = 0.026, R = 10.0, C = 1e-3;
  branch.h = [=](double t, double x, double i) {
    return x + thermal * std::asinh(i / saturation) + R * i - std::sin(5.0 * t);
  };
  branch.h_dlambda = [=](double, double, double i) { return thermal / std::hypot(i, saturation) + R; };
  branch.g = 1.0 / C;
  branch.x0 = 0.0;
  return branch;
}

/// A charge x of picocoulombs on a capacitor that bends at `unit` C: x / C + tanh(x / unit) / 10 + R i = sin(5 t), x' =
/// i.
Branch varactor(double unit) {
  Branch branch;
  branch.name = "charge 1e" + std::to_string(std::log10(unit));
  const double C = 10.0 * unit, R = 1e-2 / unit;
  branch.h = [=](double t, double x, double i) {
    return x / C + 0.1 * std::tanh(x / unit) + R * i - std::sin(5.0 * t);
  };
  branch.h_dx = [=](double x) {
    const double bend = std::tanh(x / unit);
    return 1.0 / C + 0.1 / unit * (1.0 - bend * bend);
  };
  branch.h_dlambda = [=](double, double, double) { return R; };
  branch.g = -1.0;
  branch.x0 = unit;
  return branch;
}

TEST(NonlinearSwitches, ConductancesOfTwelveDecadesByDifferences) {
  for (const double off : {1e-9, 1e-6, 1e-3}) {
    for (const double on : {1.0, 1e3}) {
      for (const double h : {1e-2, 1e-3, 1e-5}) {
        expect_the_same_steps(switched_conductance(off, on), EqualityLaw{}, h, 50);
        expect_the_same_steps(fed_switch(off, on), EqualityLaw{}, h, 50);
      }
    }
  }
}

TEST(NonlinearSwitches, JunctionsByDifferences) {
  for (const double saturation : {1e-3, 1e-6, 1e-9, 1e-12}) {
    for (const double h : {1e-2, 1e-3, 1e-4}) expect_the_same_steps(junction(saturation), EqualityLaw{}, h, 200);
  }
}

TEST(NonlinearSwitches, ChargesOfAnyUnitByDifferences) {
  for (const double unit : {1.0, 1e-6, 1e-9, 1e-12}) {
    for (const double h : {1e-2, 1e-3}) expect_the_same_steps(varactor(unit), EqualityLaw{}, h, 200);
  }
}

TEST(NonlinearSwitches, FunctionsThatEndAtZeroByDifferences) {
  // h = x + i + sqrt(i + 1e-12) - sin(5 t), which throws below i = 0: no difference asks there, or what it throws is no
  // failure.
  Branch branch;
  branch.name = "root";
  branch.h = [](double t, double x, double i) {
    if (i < 0.0) throw std::domain_error("below zero");
    return x + i + std::sqrt(i + 1e-12) - std::sin(5.0 * t);
  };
  branch.h_dlambda = [](double, double, double i) { return 1.0 + 0.5 / std::sqrt(i + 1e-12); };
  branch.g = 1.0;
  branch.x0 = 0.0;
  for (const double h : {1e-2, 1e-3}) expect_the_same_steps(branch, ComplementarityLaw{}, h, 20);
}

TEST(NonlinearSwitches, JunctionsOfIdealDiodesByDifferences) {
  // The same with an ideal diode: 0 <= i ⟂ y >= 0.
  for (const double saturation : {1e-3, 1e-6, 1e-9, 1e-12}) {
    for (const double h : {1e-2, 1e-3, 1e-4}) expect_the_same_steps(junction(saturation), ComplementarityLaw{}, h, 200);
  }
}

}  // namespace
}  // namespace nonsmooth::nonlinear_switches_test
