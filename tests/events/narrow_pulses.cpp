// SPDX-License-Identifier: Apache-2.0
// Pulses of e(t) and b(t) far narrower than a smooth step, and first-order rows that switch on their flanks.
#include <cmath>
#include <limits>

#include <problems/reference.hpp>

#include "event_log.hpp"

namespace nonsmooth::narrow_pulses_test {
namespace {

using namespace event_log;

constexpr double kMiddle = 0.437, kEps = std::numeric_limits<double>::epsilon();

/// exp(-((t - 0.437) / w)^2), half of it at 0.437 -+ w sqrt(log 2).
double pulse(double t, double w) { return std::exp(-std::pow((t - kMiddle) / w, 2)); }

/// Rises from 0 to 1 on [0, 1], twice continuously differentiable, 1/2 at 1/2.
double rise(double x) { return x <= 0.0 ? 0.0 : x >= 1.0 ? 1.0 : x * x * x * (10.0 + x * (6.0 * x - 15.0)); }

RunReport switches(const NonSmoothDynamicalSystem& model, double T, std::vector<double>& times) {
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
      // lambda = 1 - height rise(s).
      const double s = problems::root_between([=](double at) { return 1.0 - height * rise(at); }, 0.0, 1.0);
      EXPECT_NEAR(times.front(), kMiddle + s * flank, 1e-12);
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

// Pulses of a hundredth of a step and less. What the interpolant says of a row's slope a hundredth of the step before
// its zero, where no pulse is, leads past it: of a row that crossed 1e-8 of its terms is left then, of which 1e-9 count
// as zero, and with the wrong sign no mode goes on. x' = -x + B lambda, y = x + D lambda + e(t), e with a pulse
// exp(-((t - place) / w)^2).
struct FlankRow {
  const char* name;
  bool relay;   ///< lambda in [-1, 1], at -1 before; else lambda >= 0
  bool closed;  ///< y = 0 before, and the pulse opens the row; else it closes an open one
  double B, D;
  double offset, height;      ///< e = offset + height pulse
  double limit, start, rate;  ///< x = limit + (start - limit) exp(-rate t) before
};
constexpr FlankRow kFlankRows[] = {
    {"an output, answered by D", false, false, 1.0, 1.0, 0.5, -5.0, 0.0, 2.0, 1.0},
    {"a relay's output", true, false, 0.3, 0.0, 0.5, -5.0, -0.3, 2.0, 1.0},
    {"a multiplier", false, true, 1.0, 1.0, -3.0, 5.0, 1.5, 2.0, 2.0},
};

TEST(NarrowPulse, ZerosOnFlanksAreFoundToRoundOff) {
  for (const FlankRow& row : kFlankRows) {
    for (const SmoothIntegrator& integrator : {SmoothIntegrator(DormandPrince{}), SmoothIntegrator(RadauIIA{})}) {
      for (const double place : {0.31, 1.9808, 2.5373, 2.6115, 2.7228, 3.1309, 4.652, 5.2456}) {
        for (const double w : {1e-2, 1e-3, 1e-4}) {
          const auto e_of = [&row, place, w](double t) {
            return row.offset + row.height * std::exp(-std::pow((t - place) / w, 2));
          };
          NonSmoothDynamicalSystem model;
          const auto x = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {row.start}});
          const FirstOrderLinearRelation relation{.C = {{1.0}},
                                                  .D = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, row.D)),
                                                  .B = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, row.B)),
                                                  .e = [=](double t, VectorRef e) { e[0] = e_of(t); },
                                                  .smallest_feature = w};
          if (row.relay) {
            model.link(x, relation, RelayLaw{});
          } else {
            model.link(x, relation, ComplementarityLaw{});
          }
          EventDriven simulation(model,
                                 {.integrator = integrator, .relative_tolerance = 1e-6, .absolute_tolerance = 1e-9});
          std::vector<double> left;  // of the output or multiplier that crossed
          const auto report =
              simulation.advance_to(place + 10.0 * w, EventDrivenObserver{.instant = [&](const Instant& at) {
                                      left.push_back(row.closed ? at.before.multipliers[0] : at.before.outputs[0]);
                                      return true;
                                    }});
          ASSERT_TRUE(report) << report.message() << ": " << row.name << ", pulse at " << place << " of width " << w;
          const auto times = times_of(simulation, EventKind::Switch);
          ASSERT_GE(times.size(), 2u) << row.name << ", pulse at " << place << " of width " << w;
          // Slopes of e are below |height| / w; 4 eps t is how exactly an instant is found, and e loses as much.
          EXPECT_LE(std::abs(left.front()), 16.0 * kEps * place * std::abs(row.height) / w)
              << row.name << ", pulse at " << place << " of width " << w;
          // Where x + e = 0, on the first flank, whose slope is more than 1 / w. x is wrong by some 1e-6
          // and, where the row is closed, by what the last stages of a step see of the pulse, whose width no step has:
          // a few hundredths.
          const auto value = [&](double t) {
            return row.limit + (row.start - row.limit) * std::exp(-row.rate * t) + e_of(t);
          };
          EXPECT_NEAR(times.front(), problems::root_between(value, place - 5.0 * w, place),
                      (row.closed ? 0.05 : 1e-5) * w)
              << row.name << ", pulse at " << place;
        }
      }
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
}  // namespace nonsmooth::narrow_pulses_test
