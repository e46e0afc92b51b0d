// SPDX-License-Identifier: Apache-2.0
// Flights and impacts against closed forms.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "closed_forms.hpp"

namespace nonsmooth {
namespace {

using namespace closed_forms;

struct Ball {
  std::vector<double> impacts, speeds;  // ends of the steps with an impulse, |v| before them
  double settled = 0.0;                 // end of the last step without the impulse m g h
};

Ball bounce(double restitution, double h, double T) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, -kGravity, 1.0, 0.0));
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}, .b = {}}, NewtonImpactLaw{restitution});
  TimeStepping run(model, moreau_jean(h));
  Ball result;
  double before = 0.0;
  const auto report = run.advance_to(T, [&](const State& state) {
    const double p = state.impulse(floor)[0];
    if (p > 0.0) {
      result.impacts.push_back(state.t);
      result.speeds.push_back(-before);
    }
    // A resting step solves v+ = v- - g h + p with v- of the size of round-off in q and v, so p = g h to some eps.
    if (std::abs(p - kGravity * h) > 1e-12) result.settled = state.t;
    before = state.v(ball)[0];
  });
  EXPECT_TRUE(report) << report.message();
  return result;
}

// With theta = 1/2 the flight is exact at the grid. A step is an impact where q + h v / 2 <= 0; the step before was
// none, so |q| <= h |v| / 2. It takes v to -e v and q to q + h (1 - e) v / 2. With V = sqrt(v^2 + 2 g q), the speed the
// flight has at the floor, that is V+^2 = e^2 V^2 + c g h |v| (1 - e), -(2 + e) <= c <= e; hence
//     |V_n - e^(n-1) V_1| <= s g h,  s = (2 + e) / (2 e),   and   ||v_n| - V_n| <= g h / 2 (first order in h).
// A flight from e |v_n| to |v_(n+1)| lasts (e |v_n| + |v_(n+1)|) / g, an impact h. So the n-th impact is late or early
// by at most n h (1 + (1 + e) (s + 1/2)). First order in g h / v: the factor 1.1 covers the rest while v > 10 g h.
double impact_time_bound(double e, double h, double n) {
  return 1.1 * n * h * (1.0 + (1.0 + e) * ((2.0 + e) / (2.0 * e) + 0.5));
}

TEST(BouncingBall, TimesAndSpeedsOfTheFirstImpacts) {
  const double e = 0.9, h = 1e-4, t1 = std::sqrt(2.0 / kGravity);
  const Ball ball = bounce(e, h, 5.0);
  ASSERT_GE(ball.impacts.size(), 6U);
  double exact = t1, flight = 2.0 * t1 * e, speed = kGravity * t1;
  for (std::size_t n = 0; n < 6; ++n) {
    EXPECT_NEAR(ball.impacts[n], exact, impact_time_bound(e, h, static_cast<double>(n + 1)));
    EXPECT_NEAR(ball.speeds[n], speed, 1.1 * kGravity * h * ((2.0 + e) / (2.0 * e) + 0.5));
    exact += flight;
    flight *= e;
    speed *= e;
  }
}

TEST(BouncingBall, AccumulatesAndRestsAfterwards) {
  // N bounces bring V_1 e^N down to g h; what is left of them in the limit lasts 2 V / (g (1 - e)) = 2 h / (1 - e) if
  // V = g h, and V is known to s g h only: (1 + s) times that. The scheme needs no longer to come to rest.
  for (const double e : {0.5, 0.9}) {
    for (const double h : {5e-3, 1e-3, 1e-4}) {
      const double t1 = std::sqrt(2.0 / kGravity), accumulation = t1 * (1.0 + e) / (1.0 - e);
      if (e == 0.9) {
        EXPECT_NEAR(accumulation, 8.5789491787, 1e-10);
      }
      const double bounces = std::ceil(std::log(h / t1) / std::log(e));
      const double bound = impact_time_bound(e, h, bounces) + (1.0 + (2.0 + e) / (2.0 * e)) * 2.0 * h / (1.0 - e);
      // The run goes on for half a second, so that `settled` proves p = m g h in 0.5 / h steps at least.
      // It ends on the grid: a shorter last step would carry a smaller impulse.
      const Ball ball = bounce(e, h, h * std::ceil((accumulation + bound + 0.5) / h));
      EXPECT_NEAR(ball.settled, accumulation, bound) << "e = " << e << ", h = " << h;
    }
  }
}

TEST(FreeFlight, KeepsTheEnergyForThetaOneHalf) {
  // dv = -g h and dq = h (v + v+)/2 give v+^2 - v^2 + 2 g dq = 0 identically. Each step rounds v and q: at most
  // 3 eps (v^2 + g |q|) with |v| <= 20, |q| <= 30, 3 eps 700 a step.
  const double h = 5e-3;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, -kGravity, 1.0, 12.0));
  TimeStepping run(model, moreau_jean(h));
  const auto energy = [&](const State& s) { return 0.5 * s.v(ball)[0] * s.v(ball)[0] + kGravity * s.q(ball)[0]; };
  const double start = energy(run.state());
  int steps = 0;
  ASSERT_TRUE(run.advance_to(3.0, [&](const State& state) {
    ++steps;
    ASSERT_NEAR(energy(state), start, steps * 3.0 * kEps * 700.0);
  }));
  EXPECT_EQ(steps, 600);
}

TEST(FreeFlight, LosesHalfTheSquareOfTheSpeedGainForThetaOne) {
  // dq = h v+ instead: the energy changes by -(g h)^2 / 2 a step; round-off as above.
  const double h = 5e-3, loss = 0.5 * kGravity * kGravity * h * h;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, -kGravity, 1.0, 12.0));
  TimeStepping run(model, moreau_jean(h, 1.0));
  const double start = 0.5 * 144.0 + kGravity;
  ASSERT_TRUE(run.advance_to(3.0));
  const State& s = run.state();
  EXPECT_NEAR(0.5 * s.v(ball)[0] * s.v(ball)[0] + kGravity * s.q(ball)[0], start - 600.0 * loss, 1800.0 * kEps * 700.0);
}

TEST(MultipleImpact, ThreeEqualBallsInContact) {
  // W = [2 -1; -1 2], (1 + e) u- = (-2, 0): p = (4/3, 2/3), both positive. A 2 x 2 problem: 1e-9 at most by tolerance.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  for (int i = 0; i < 3; ++i) balls.push_back(model.add(mass_point(1.0, 0.0, i, i == 0 ? 1.0 : 0.0)));
  std::vector<InteractionHandle> contacts;
  for (std::size_t i = 0; i < 2; ++i) {
    contacts.push_back(model.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-1.0}},
                                  NewtonImpactLaw{1.0}));
  }
  TimeStepping run(model, moreau_jean(1e-3));
  ASSERT_TRUE(run.step());
  const State& state = run.state();
  EXPECT_NEAR(state.v(balls[0])[0], -1.0 / 3.0, 1e-9);
  EXPECT_NEAR(state.v(balls[1])[0], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(state.v(balls[2])[0], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(state.impulse(contacts[0])[0], 4.0 / 3.0, 1e-9);
  EXPECT_NEAR(state.impulse(contacts[1])[0], 2.0 / 3.0, 1e-9);
}

TEST(Oscillator, OnAStopBouncesEachHalfPeriod) {
  // theta = 1/2 keeps V^2 = v^2 + w^2 q^2 in flight and turns by 2 atan(w h / 2) a step, w h to (w h)^2 / 12. At an
  // impact |q| <= h |v| / 2 (as for the ball, to w^2 h^2), then v+ = -e v + O(h^2 w^2 v), |q+| <= h |v|. So
  //   each impact changes V / (e V) by a relative (1 + 1/4 + e) w^2 h^2 / e^2 at most,
  //   each flight is longer or shorter than pi / w by h for the impact, h / 2 for its end, h / e for its start, and
  //   (w h)^2 / 12 relatively for the phase: less than h / 10 here.
  const double w = 3.0, e = 0.8, h = 1e-4, v0 = 1.5;
  NonSmoothDynamicalSystem model;
  auto oscillator = mass_point(1.0, 0.0, 0.0, v0);
  oscillator.stiffness = {{w * w}};
  const auto mass = model.add(oscillator);
  const auto stop = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {}}, NewtonImpactLaw{e});
  TimeStepping run(model, moreau_jean(h));
  int n = 0;
  double before = v0;
  ASSERT_TRUE(run.advance_to(10.5 * kPi / w, [&](const State& state) {
    const double v = state.v(mass)[0];
    if (state.impulse(stop)[0] > 0.0) {
      ++n;
      EXPECT_NEAR(state.t, n * kPi / w, n * h * (1.6 + 1.0 / e)) << n;
      EXPECT_NEAR(v / (std::pow(e, n) * v0), 1.0, n * (1.25 + e) * w * w * h * h / (e * e)) << n;
      EXPECT_NEAR(v, -e * before, 1e-9 * v0);  // Newton's law itself, to the solver's tolerance
    }
    before = v;
  }));
  EXPECT_EQ(n, 10);
}

}  // namespace
}  // namespace nonsmooth
