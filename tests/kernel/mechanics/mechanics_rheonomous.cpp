// SPDX-License-Identifier: Apache-2.0
// Relations that depend on time: a ball on a vibrating table, and a point that is led.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"
#include "kernel/mechanics_orders.hpp"

namespace nonsmooth::mechanics_rheonomous_test {
namespace {

using namespace closed_forms;
using namespace mechanics;

/// y = q - A sin(w t), with or without its derivatives.
RheonomousRelation above_table(double A, double w, bool derivatives) {
  RheonomousRelation relation;
  relation.h = [A, w](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - A * std::sin(w * t); };
  if (derivatives) {
    relation.H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; };
    relation.h_t = [A, w](double t, ConstVectorRef, VectorRef value) { value[0] = -A * w * std::cos(w * t); };
  }
  return relation;
}

// The 1-periodic bounce, T = 1 s: at impacts the table moves with V = A w cos(phi) = (g T / 2) (1 - e) / (1 + e) and
// accelerates by a = -A w^2 sin(phi). Perturbations (dt, dv) of an impact's time and of the speed after it go over into
//     M = [1, k; (1 + e) a, (1 + e) a k + e^2],  k = (1 + e) / g,  det M = e^2,
// so that a = -g (1 + e^2) / (1 + e)^2 makes the trace zero and M^2 = -e^2: the most stable orbit there is.
struct Bounce {
  double e = 0.5, w = 2.0 * kPi, V = 0.5 * kGravity * (1.0 - e) / (1.0 + e);
  double a = -kGravity * (1.0 + e * e) / ((1.0 + e) * (1.0 + e));
  double A = std::hypot(V / w, a / (w * w)), phi = std::atan2(-a / (w * w), V / w);
  double impact = phi / w;            // + n
  double height = A * std::sin(phi);  // of the table there
  double launch = 0.5 * kGravity;     // speed after impacts
};

struct Impacts {
  std::vector<double> times, speeds;
};

Impacts bounce(const Bounce& b, double h, double T, bool derivatives, double launch) {
  // Starts at t = 0, before the first impact, on the orbit: falling since the impact at b.impact - 1.
  const double since = 1.0 - b.impact;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(
      mass_point(1.0, -kGravity, b.height + (launch - 0.5 * kGravity * since) * since, launch - kGravity * since));
  const auto table = model.link(ball, above_table(b.A, b.w, derivatives), NewtonImpactLaw{b.e});
  TimeStepping run(model, moreau_jean(h));
  Impacts result;
  double u = run.state().u(table)[0];
  EXPECT_NEAR(u, launch - kGravity * since - b.A * b.w, 1e-9);
  const auto report = run.advance_to(T, [&](const State& state) {
    if (state.percussion(table)[0] > 0.0) {
      result.times.push_back(state.t);
      result.speeds.push_back(state.v(ball)[0]);
      EXPECT_NEAR(state.u(table)[0], -b.e * u, 1e-8);
    }
    u = state.u(table)[0];
    EXPECT_NEAR(state.y(table)[0], state.q(ball)[0] - b.A * std::sin(b.w * state.t), 4.0 * kEps);
  });
  EXPECT_TRUE(report) << report.message();
  return result;
}

TEST(BallOnATable, StaysOnThePeriodicOrbit) {
  // An impact acts in the step where the gap closes, up to half a step early and seen at its end: dt <= 1.5 h, and
  // the speed after it differs by (g + (1 + e) |a| + e g) dt <= 23 dt. Summed over all bounces, with |M^(2n)| = e^(2n)
  // and M's first row (1, k = 0.153): the time is off by (2 + 0.153 * 23) 1.5 h / (1 - e^2) <= 12 h.
  const Bounce b;
  for (const double h : {2e-3, 5e-4}) {
    for (const double launch : {b.launch, 1.05 * b.launch}) {  // the second is off by 5 % and forgets it as e^n
      const Impacts run = bounce(b, h, 20.5, true, launch);
      ASSERT_GE(run.times.size(), 20U);
      for (std::size_t n = launch == b.launch ? 0 : 14; n < run.times.size(); ++n) {
        // 0.05 * 4.9 m/s * k e^13 = 5e-6 s of the perturbation is left by then.
        EXPECT_NEAR(run.times[n], b.impact + static_cast<double>(n), 12.0 * h + 1e-5) << n;
        EXPECT_NEAR(run.speeds[n], b.launch, 23.0 * 12.0 * h + 1e-4) << n;
      }
      EXPECT_EQ(run.times.size(), 21U);  // and no others
    }
  }
}

TEST(BallOnATable, DifferencesServeAsWell) {
  // h_t by centred differences of step s = cbrt(eps): A w^3 s^2 / 6 + eps A / s < 1e-9, and it enters at impacts alone,
  // H by forward differences of an affine h: eps / sqrt(eps). Five bounces, each amplified by |M| < 9 at most once.
  const Bounce b;
  const Impacts given = bounce(b, 1e-3, 5.0, true, b.launch), differences = bounce(b, 1e-3, 5.0, false, b.launch);
  ASSERT_EQ(given.times.size(), differences.times.size());
  for (std::size_t n = 0; n < given.times.size(); ++n) {
    EXPECT_EQ(given.times[n], differences.times[n]);
    EXPECT_NEAR(given.speeds[n], differences.speeds[n], 1e-6);
  }
}

TEST(RheonomousRelation, LeadsAPointByAnEquality) {
  // u+ = v - A w cos(w t) = 0 in each step; its impulse is m dv, its force tends to m q''.
  const double A = 0.3, w = 4.0, m = 2.0, h = 0.01;
  for (const bool derivatives : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto point = model.add(mass_point(m, 0.0, 0.0, A * w));
    const auto lead = model.link(point, above_table(A, w, derivatives), EqualityLaw{});
    TimeStepping run(model, moreau_jean(h));
    double before = A * w;
    ASSERT_TRUE(run.advance_to(3.0, [&](const State& state) {
      const double v = state.v(point)[0];
      EXPECT_NEAR(v, A * w * std::cos(w * state.t), 1e-8);
      EXPECT_NEAR(state.impulse(lead)[0], m * (v - before), 1e-8);
      EXPECT_EQ(state.percussion(lead)[0], 0.0);
      // The mean of -m A w^2 sin over a step differs from the middle's by m A w^4 h^2 / 24.
      EXPECT_NEAR(state.force(lead)[0], -m * A * w * w * std::sin(w * (state.t - 0.5 * h)),
                  m * A * std::pow(w, 4) * h * h / 24.0 + 1e-5);
      before = v;
      // The trapezoidal rule of a cosine: y = A sin(w t) ((w h / 2) / tan(w h / 2) - 1), below A (w h)^2 / 12.
      EXPECT_NEAR(state.y(lead)[0], 0.0, A * w * w * h * h / 12.0 + 1e-7);
    }));
  }
}

}  // namespace
}  // namespace nonsmooth::mechanics_rheonomous_test
