// SPDX-License-Identifier: Apache-2.0
// One circuit written in several ways has one trajectory: a diode as LCP, inclusion and MLCP; a Zener diode as relay,
// as linear complementarity system with a skew D, as MLCP and by a formula. Source: Acary & Brogliato 2008, chapter 1
// [acarybrogliato2008].
//
// Series circuit, x = (charge, current):  x1' = x2,  L x2' = -R x2 - x1 / C + v, with v the voltage of the component:
//   diode   v = -lambda,  0 <= -x2 ⟂ lambda >= 0;
//   Zener   v in [0, Vz], -x2 in N_[0,Vz](v).
//
// Tolerances. Both components are monotone, so one implicit Euler step is nonexpansive in the energy norm
// |x|^2 = x1^2 / C + L x2^2: rounding of one step is never amplified by the next, and two formulations differ after n
// steps by at most n times what one step rounds. A step is a 2 x 2 solve and a problem of at most 4 rows, about 30
// operations on terms no larger than (1 + h w0 + h R / L) |x| <= 2 |x| (w0^2 = 1 / LC; here h w0 <= 0.1, h R / L <=
// 0.1): at most 64 eps |x|. The multiplier follows from a x2+ = z -+ h lambda / L with z = x2 - h w0^2 x1 and a = 1 + h
// R / L + (h w0)^2: its error is at most L / h (1 + h w0 + a) <= 4 L / h times the error of x2, and |x2| <= |x| /
// sqrt(L).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::equivalent_formulations_test {
namespace {

struct Circuit {
  double R = 0.1, L = 1.0, C = 1.0 / (4.0 * std::numbers::pi * std::numbers::pi), Vz = 20.0;
  double x1 = 1.0, x2 = 0.0;
  double h = 1e-3;
  int steps = 1000;
};

Circuit random_circuit(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto in = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  Circuit c;
  c.R = in(0.0, 5.0);
  c.L = in(0.5, 2.0);
  c.C = 1.0 / (c.L * in(10.0, 100.0));
  c.Vz = in(1.0, 40.0);
  c.x1 = in(-1.0, 1.0);
  c.x2 = in(-5.0, 5.0);
  c.h = std::pow(10.0, in(-4.0, -2.0));
  return c;
}

struct Point {
  double x1 = 0.0, x2 = 0.0, lambda = 0.0;
};
using Trajectory = std::vector<Point>;

FirstOrderLinearSystem system_of(const Circuit& c) {
  return {
      .mass = {}, .A = {{0.0, 1.0}, {-1.0 / (c.L * c.C), -c.R / c.L}}, .b = {}, .x0 = {c.x1, c.x2}, .name = "circuit"};
}

/// Row 0 of `component`'s multiplier is recorded.
Trajectory run(const Circuit& c, NonSmoothDynamicalSystem model, SystemHandle circuit, InteractionHandle component) {
  TimeSteppingOptions options;
  options.integrator = EulerMoreau{.theta = 1.0};
  options.step = c.h;
  TimeStepping simulation(std::move(model), options);
  Trajectory trajectory;
  for (int k = 0; k < c.steps; ++k) {
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    if (!report) break;
    const auto x = simulation.state().x(circuit);
    trajectory.push_back({x[0], x[1], simulation.state().lambda(component)[0]});
  }
  return trajectory;
}

/// The voltages of resistor and capacitor as free algebraic unknowns, 0 = v_R - R x2 and 0 = v_C - x1 / C: what is left
/// of the system is x1' = x2, L x2' = -v_R - v_C + v.
SystemHandle add_with_free_voltages(NonSmoothDynamicalSystem& model, const Circuit& c) {
  const auto circuit = model.add(
      FirstOrderLinearSystem{.mass = {}, .A = {{0.0, 1.0}, {0.0, 0.0}}, .b = {}, .x0 = {c.x1, c.x2}, .name = "coil"});
  model.link(circuit,
             FirstOrderLinearRelation{.C = {{0.0, -c.R}, {-1.0 / c.C, 0.0}},
                                      .D = {{1.0, 0.0}, {0.0, 1.0}},
                                      .B = {{0.0, 0.0}, {-1.0 / c.L, -1.0 / c.L}},
                                      .e = {}},
             EqualityLaw{});
  return circuit;
}

InteractionHandle link_diode(NonSmoothDynamicalSystem& model, SystemHandle circuit, const Circuit& c) {
  return model.link(circuit, FirstOrderLinearRelation{.C = {{0.0, -1.0}}, .D = {}, .B = {{0.0}, {-1.0 / c.L}}, .e = {}},
                    ComplementarityLaw{});
}

Trajectory diode_lcp(const Circuit& c) {
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(system_of(c));
  const auto diode = link_diode(model, circuit, c);
  return run(c, std::move(model), circuit, diode);
}

Trajectory diode_mlcp(const Circuit& c) {
  NonSmoothDynamicalSystem model;
  const auto circuit = add_with_free_voltages(model, c);
  const auto diode = link_diode(model, circuit, c);
  return run(c, std::move(model), circuit, diode);
}

/// x+ = (I - hA)^-1 (x + h B lambda) with -x2+ in N_{R-}: a x2+ - z in -N_{R-}(x2+), so x2+ = prox(z) / a.
Trajectory diode_inclusion(const Circuit& c) {
  const double a = 1.0 + c.h * c.R / c.L + c.h * c.h / (c.L * c.C);
  Trajectory trajectory;
  double x1 = c.x1, x2 = c.x2;
  for (int k = 0; k < c.steps; ++k) {
    const double z = x2 - c.h * x1 / (c.L * c.C);
    x2 = std::min(z, 0.0) / a;
    x1 += c.h * x2;
    trajectory.push_back({x1, x2, c.L * std::max(z, 0.0) / c.h});
  }
  return trajectory;
}

Trajectory zener_relay(const Circuit& c) {
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(system_of(c));
  const auto zener =
      model.link(circuit, FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .D = {}, .B = {{0.0}, {1.0 / c.L}}, .e = {}},
                 RelayLaw{0.0, c.Vz});
  return run(c, std::move(model), circuit, zener);
}

/// Multipliers (v, x2^-), outputs (x2 + x2^-, Vz - v) = (x2^+, Vz - v): D = [0 1; -1 0].
InteractionHandle link_zener(NonSmoothDynamicalSystem& model, SystemHandle circuit, const Circuit& c) {
  return model.link(circuit,
                    FirstOrderLinearRelation{.C = {{0.0, 1.0}, {0.0, 0.0}},
                                             .D = {{0.0, 1.0}, {-1.0, 0.0}},
                                             .B = {{0.0, 0.0}, {1.0 / c.L, 0.0}},
                                             .e = {0.0, c.Vz}},
                    ComplementarityLaw{});
}

Trajectory zener_lcs(const Circuit& c) {
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(system_of(c));
  const auto zener = link_zener(model, circuit, c);
  return run(c, std::move(model), circuit, zener);
}

Trajectory zener_mlcp(const Circuit& c) {
  NonSmoothDynamicalSystem model;
  const auto circuit = add_with_free_voltages(model, c);
  const auto zener = link_zener(model, circuit, c);
  return run(c, std::move(model), circuit, zener);
}

/// The scalar inclusion a x2+ = z + h v / L, -x2+ in N_[0,Vz](v), solved: v is what would stop the current, clamped.
Trajectory zener_clamp(const Circuit& c) {
  const double a = 1.0 + c.h * c.R / c.L + c.h * c.h / (c.L * c.C);
  Trajectory trajectory;
  double x1 = c.x1, x2 = c.x2;
  for (int k = 0; k < c.steps; ++k) {
    const double z = x2 - c.h * x1 / (c.L * c.C);
    const double stop = -z * c.L / c.h, v = std::clamp(stop, 0.0, c.Vz);
    x2 = v == stop ? 0.0 : (z + c.h * v / c.L) / a;
    x1 += c.h * x2;
    trajectory.push_back({x1, x2, v});
  }
  return trajectory;
}

void expect_same(const Circuit& c, const Trajectory& one, const Trajectory& other, const char* what) {
  ASSERT_EQ(one.size(), other.size());
  const auto energy_norm = [&c](double x1, double x2) { return std::sqrt(x1 * x1 / c.C + c.L * x2 * x2); };
  double size = energy_norm(c.x1, c.x2);
  for (const Point& p : one) size = std::max(size, energy_norm(p.x1, p.x2));
  double worst = 0.0, worst_lambda = 0.0;
  for (std::size_t k = 0; k < one.size(); ++k) {
    const double tolerance = static_cast<double>(k + 1) * 64.0 * std::numeric_limits<double>::epsilon() * size;
    worst = std::max(worst, energy_norm(one[k].x1 - other[k].x1, one[k].x2 - other[k].x2) / tolerance);
    worst_lambda =
        std::max(worst_lambda, std::abs(one[k].lambda - other[k].lambda) / (4.0 * std::sqrt(c.L) / c.h * tolerance));
  }
  EXPECT_LE(worst, 1.0) << what;
  EXPECT_LE(worst_lambda, 1.0) << what;
}

TEST(EquivalentFormulations, DiodeAsComplementarityInclusionAndMixedProblem) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const Circuit c = seed == 0 ? Circuit{} : random_circuit(seed);
    const Trajectory lcp = diode_lcp(c);
    expect_same(c, lcp, diode_inclusion(c), "LCP and inclusion");
    expect_same(c, lcp, diode_mlcp(c), "LCP and MLCP");
  }
}

TEST(EquivalentFormulations, ZenerAsRelayComplementaritySystemMixedProblemAndFormula) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Circuit c = seed == 0 ? Circuit{} : random_circuit(seed);
    if (seed == 0) {
      c.x2 = 1.0;
      c.h = 5e-3;
    }
    const Trajectory relay = zener_relay(c);
    expect_same(c, relay, zener_clamp(c), "relay and formula");
    expect_same(c, relay, zener_lcs(c), "relay and LCS");
    expect_same(c, relay, zener_mlcp(c), "relay and MLCP");
  }
}

// The exact diode circuit swings half a period, to x1 = -exp(-R t / 2L) at t = pi / wd = 0.500015832, and stays there
// with lambda = -x1 / C. Implicit Euler is short of it by 9.58e-3 at h = 1e-3, and by half of that at half the step.
TEST(EquivalentFormulations, TheDiodeStopsWhereTheCircuitDoes) {
  const double exact = -0.97530913996;
  double error[2];
  for (const int level : {0, 1}) {
    Circuit c;
    c.h = level == 0 ? 1e-3 : 5e-4;
    c.steps = level == 0 ? 1000 : 2000;
    const Trajectory trajectory = diode_lcp(c);
    const Point& last = trajectory.back();
    EXPECT_EQ(last.x2, 0.0);
    EXPECT_NEAR(last.lambda, -last.x1 / c.C, 1e-9);  // 40 in size, from x2+ = 0: round-off L / h eps of x2 terms
    error[level] = last.x1 - exact;
  }
  EXPECT_NEAR(error[0], 9.58e-3, 5e-6);        // three digits are known
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.1);  // order 1; the next term is of relative size h w0
}

// Vz = 20, h = 5e-3: one half cycle, then at rest; the charge where implicit Euler stops is known to six digits. At
// rest the current is zero without chattering and the Zener's voltage is the capacitor's.
TEST(EquivalentFormulations, TheZenerSticksWithoutChattering) {
  Circuit c;
  c.x2 = 1.0;
  c.h = 5e-3;
  for (const Trajectory& trajectory : {zener_relay(c), zener_lcs(c), zener_mlcp(c), zener_clamp(c)}) {
    EXPECT_NEAR(trajectory.back().x1, 0.039198, 5e-7);
    EXPECT_NEAR(trajectory.back().lambda, trajectory.back().x1 / c.C, 1e-9);  // as above
    for (std::size_t k = 120; k < trajectory.size(); ++k) {
      // Zero up to what one step rounds: 64 eps |x|, |x| <= sqrt(1 / C) + 1 < 8.
      ASSERT_NEAR(trajectory[k].x2, 0.0, 64.0 * 8.0 * std::numeric_limits<double>::epsilon());
    }
  }
}

}  // namespace
}  // namespace nonsmooth::equivalent_formulations_test
