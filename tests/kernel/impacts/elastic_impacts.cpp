// SPDX-License-Identifier: Apache-2.0
// A bar at a wall and a beam at a stop under every scheme: what they are pushed with is exact, and no impact law is in
// it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/elastic_impacts.hpp>

namespace nonsmooth::elastic_impacts_test {
namespace {

using problems::ElasticImpact;

struct Case {
  const char* name;
  Integrator integrator;
  double fades;  ///< waves of frequency w fade as exp(-fades h w^2 t); 0: they keep their energy, or nearly so
  double early;  ///< their frequency is w (1 + early (w h)^2) between contacts
};

/// GeneralisedAlpha{0.8}: beta = 0.3086 for the trapezoidal rule's 1/4, and gamma = 0.5556 with alpha_f - alpha_m
/// against it; of order 2, its frequencies are late by at most beta - 1/6 = 0.142 (w h)^2 (Chung & Hulbert 1993).
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"MoreauJean", MoreauJean{}, 0.0, -1.0 / 12.0},
      {"SchatzmanPaoli", SchatzmanPaoli{.theta = 0.5}, 0.25, 0.0},
      {"StewartTrinkle", StewartTrinkle{.theta = 1.0}, 0.5, 0.0},
      {"StewartTrinkleHalf", StewartTrinkle{.theta = 0.5}, 0.25, 0.0},
      {"D1MinusLinear", D1MinusLinear{}, 0.0, 1.0 / 24.0},
      {"GeneralisedAlpha", GeneralisedAlpha{0.8}, 0.0, -0.142},
      {"GeneralisedAlphaWithoutDamping", GeneralisedAlpha{1.0}, 0.0, -1.0 / 12.0},
      {"ExactLinear", ExactLinear{}, 0.0, 0.0},
  };
  return all;
}

class ElasticImpacts : public ::testing::TestWithParam<Case> {};

struct Push {
  double begins = -1.0, ends = 0.0, impulse = 0.0, middle = 0.0;
  std::vector<double> off{};  ///< impulse less the beam's, over it, at each step since the contact
};

Push push(ElasticImpact& impact, const Integrator& integrator, double h, double T,
          const std::function<void(double t, double p, Push&)>& look) {
  TimeStepping simulation(impact.model, {.integrator = integrator, .step = h});
  Push result;
  const RunReport report = simulation.advance_to(T, [&](const State& x) {
    const double p = x.impulse(impact.stop)[0];
    result.impulse += p;
    if (p > 0.0) result.ends = x.t;
    if (p > 0.0 && result.begins < 0.0) result.begins = x.t;
    look(x.t, p, result);
  });
  EXPECT_TRUE(report) << report.message();
  return result;
}

// The wall pushes with 1 for T_c = 2. What comes back from the free end at T_c is a front that the scheme has blurred,
// and the contact ends within its width:
// - where a wave of frequency w fades as exp(-f h w^2 t), a normal distribution's, s = sqrt(2 f h T_c) wide: in the
// mean
//   it takes s sqrt(2 / pi) off the impulse before T_c;
// - where nothing fades, but runs ahead by w (1 + e w^2) of elements (consistent mass: l^2 / 24) and steps, Airy's, of
//   the width a = (3 |e| T_c)^(1/3), and no more than that is missing or left over.
// The end node has the mass l / 2 at most, which its impact stops at once, early by that impulse, and one step of the
// scheme passes before and behind.
TEST_P(ElasticImpacts, TheBarIsPushedWithItsExactForce) {
  const Case& scheme = GetParam();
  for (const Index n : {100, 200}) {
    ElasticImpact impact = problems::bar_at_wall(n);
    const double l = impact.element, h = 0.5 * l, T_c = problems::bar_contact, t_1 = impact.begins;
    Index steps = 0;
    const Push x = push(impact, scheme.integrator, h, t_1 + T_c + 0.6, [&](double t, double p, Push& run) {
      if (t > t_1 + T_c / 3.0 && t <= t_1 + 2.0 * T_c / 3.0) run.middle += p / h, ++steps;
    });
    const double e = l * l / 24.0 + scheme.early * h * h;
    const double a = std::cbrt(3.0 * std::abs(e) * T_c), s = std::sqrt(2.0 * scheme.fades * h * T_c);
    const double width = std::max(a, s);
    RecordProperty("missing_" + std::to_string(n), std::to_string(1.0 - x.impulse / T_c));
    EXPECT_NEAR(x.begins, t_1, 2.0 * h) << n;
    EXPECT_NEAR(x.ends, t_1 + T_c, 1.5 * width + 2.0 * h) << n;
    EXPECT_NEAR(x.middle / static_cast<double>(steps), 1.0, (width + l) / (T_c / 3.0)) << n;
    EXPECT_NEAR(x.impulse, T_c, width + l) << n;
    if (scheme.fades > 0.0) {
      EXPECT_NEAR(T_c - x.impulse, s * std::sqrt(2.0 / std::numbers::pi), s * s + l) << n;
    }
  }
}

// p(t) = 4 sqrt(2 t / pi), known to 4 t / L^2 by echoes (two of each sign). A contact that a scheme begins up to a step
// early or late, and a middle that stops with the mass of up to one element at once, as if t were later by l^2: (h +
// l^2) / (2 t) of p. What fades does so to h w^2 t = h / t of the frequencies 1 / t that p(t) is made of.
TEST_P(ElasticImpacts, TheBeamIsPushedWithItsExactImpulse) {
  const Case& scheme = GetParam();
  ElasticImpact impact = problems::beam_at_stop(50);
  const double l = impact.element, h = 1.5 / impact.frequency;
  double worst = 0.0;
  Index looked = 0;
  const Push x = push(impact, scheme.integrator, h, impact.begins + 0.01, [&](double t, double, Push& run) {
    const double since = t - impact.begins;
    if (since < 5.0 * l * l) return;
    const double bound = 4.0 * since + (h + l * l) / (2.0 * since) + h / since;
    worst = std::max(worst, std::abs(run.impulse / problems::beam_impulse(since) - 1.0) / bound);
    ++looked;
  });
  EXPECT_GT(looked, 100);
  EXPECT_NEAR(x.begins, impact.begins, 2.0 * h);
  EXPECT_LE(worst, 1.0);
  RecordProperty("worst_over_bound", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(All, ElasticImpacts, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace nonsmooth::elastic_impacts_test
