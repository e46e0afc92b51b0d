// SPDX-License-Identifier: Apache-2.0
// Pulses of e(t) and b(t) far narrower than a smooth step, and first-order rows that switch on their flanks.
#include <cmath>

#include "event_log.hpp"

namespace nonsmooth {
namespace {

using namespace event_log;

constexpr double kMiddle = 0.437;

/// exp(-((t - 0.437) / w)^2), half of it at 0.437 -+ w sqrt(log 2).
double pulse(double t, double w) { return std::exp(-std::pow((t - kMiddle) / w, 2)); }

/// Rises from 0 to 1 on [0, 1], twice continuously differentiable, 1/2 at 1/2.
double rise(double x) { return x <= 0.0 ? 0.0 : x >= 1.0 ? 1.0 : x * x * x * (10.0 + x * (6.0 * x - 15.0)); }

EventDrivenReport switches(const NonSmoothDynamicalSystem& model, double T, std::vector<double>& times) {
  EventDriven simulation(model);
  const auto report = simulation.advance_to(T);
  times = times_of(simulation, EventKind::Switch);
  return report;
}

// y = 1 + lambda - 2 pulse: lambda > 0 while the pulse is above a half. Nothing else moves.
TEST(NarrowPulse, OfAnOutputIsSeen) {
  for (const double w : {0.1, 0.03, 0.01, 0.003, 1e-4, 1e-5}) {
    NonSmoothDynamicalSystem model;
    const auto x = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
    model.link(x,
               FirstOrderLinearRelation{.C = {{0.0}},
                                        .D = {{1.0}},
                                        .B = {{1.0}},
                                        .e = [w](double t, VectorRef e) { e[0] = 1.0 - 2.0 * pulse(t, w); },
                                        .smallest_feature = w < 0.003 ? w : 0.0},
               ComplementarityLaw{});
    std::vector<double> times;
    const auto report = switches(model, 1.0, times);
    ASSERT_TRUE(report) << report.message();
    const double half = w * std::sqrt(std::log(2.0));
    expect_times(times, {kMiddle - half, kMiddle + half}, 1e-13);
  }
}

// x = 0 held by lambda = 1 - b(t), b = 2 pulse: the row opens where b = 1, x rises and has to come back to zero:
// integral of b - 1 from there, once.
TEST(NarrowPulse, OfADriveOpensARow) {
  for (const double w : {0.1, 0.03, 0.01, 0.003, 1e-4, 1e-5}) {
    NonSmoothDynamicalSystem model;
    const auto x = model.add(
        FirstOrderLinearSystem{.b = [w](double t, VectorRef b) { b[0] = 2.0 * pulse(t, w) - 1.0; }, .x0 = {0.0}});
    model.link(x, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}, .smallest_feature = w < 0.003 ? w : 0.0},
               ComplementarityLaw{});
    std::vector<double> times;
    const auto report = switches(model, 1.0, times);
    ASSERT_TRUE(report) << report.message();
    ASSERT_FALSE(times.empty()) << "w = " << w;
    EXPECT_NEAR(times.front(), kMiddle - w * std::sqrt(std::log(2.0)), 1e-13);
  }
}

// On a flank that takes 1e-2 to 1e-6 of the state's own time, in any phase of it: the row opens as lambda falls.
TEST(NarrowPulse, OpensARowOnItsFlank) {
  for (const double flank : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    for (const double height : {1.01, 1.2, 2.0, 5.0, 100.0}) {
      NonSmoothDynamicalSystem model;
      const auto x = model.add(FirstOrderLinearSystem{
          .A = {{0.3}},
          .b = [=](double t, VectorRef b) { b[0] = height * rise((t - kMiddle) / flank) - 1.0 - 0.3 * 2.0; },
          .x0 = {2.0}});
      model.link(x, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}, .e = {-2.0}}, ComplementarityLaw{});
      std::vector<double> times;
      const auto report = switches(model, 1.0, times);
      ASSERT_TRUE(report) << report.message() << ", flank " << flank << ", height " << height;
      ASSERT_EQ(times.size(), 1u) << "flank " << flank << ", height " << height;
      // lambda = 1 - height rise(s): s by halving.
      double low = 0.0, high = 1.0;
      for (int k = 0; k < 60; ++k) (height * rise(0.5 * (low + high)) < 1.0 ? low : high) = 0.5 * (low + high);
      EXPECT_NEAR(times.front(), kMiddle + low * flank, 1e-12);
    }
  }
}

// A relay on y = x + e(t), e on the plateau between two flanks: x decays onto y = 0 and slides there, e' = 0. A
// difference of e over the flanks says otherwise.
TEST(NarrowPulse, RelaySlidesOnAPlateau) {
  for (const double length : {1.0, 0.1, 0.03}) {
    for (const double flank : {0.3, 0.01}) {
      const double begin = kMiddle - 0.5 * length;
      NonSmoothDynamicalSystem model;
      const double decay = 0.2;
      const auto e_of = [=](double t) {
        return -1.0 - rise((t - begin) / (flank * length) + 1.0) + rise((t - begin - length) / (flank * length));
      };
      // x = 2 + d exp(-0.2 t) - 5 lambda-part by B = 1, lambda = -1 until y = 0 at 0.437 where x = 2.
      const double limit = -5.0, x0 = (2.0 - limit) * std::exp(decay * kMiddle) + limit;
      const auto x = model.add(FirstOrderLinearSystem{.A = {{-decay}}, .x0 = {x0}});
      model.link(
          x, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}, .e = [=](double t, VectorRef e) { e[0] = e_of(t); }},
          RelayLaw{});
      EventDriven simulation(model);
      const auto report = simulation.advance_to(kMiddle + 0.25 * length);
      ASSERT_TRUE(report) << report.message() << ", length " << length << ", flank " << flank;
      const auto found = events_of(simulation, EventKind::Switch);
      ASSERT_FALSE(found.empty());
      EXPECT_NEAR(found.front().t, kMiddle, 1e-10);
      EXPECT_EQ(found.front().value, 0.0);
      EXPECT_NEAR(simulation.state().x(x)[0], 2.0, 1e-10);
    }
  }
}

TEST(NarrowPulse, NegativeFeatureIsRefused) {
  NonSmoothDynamicalSystem model;
  const auto x = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
  EXPECT_THROW(model.link(x, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}, .smallest_feature = -1.0},
                          ComplementarityLaw{}),
               InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth
