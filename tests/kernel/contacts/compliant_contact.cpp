// SPDX-License-Identifier: Apache-2.0
// Contact on a spring that only pushes, beside a rigid roof, against the closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/mechanics.hpp>

namespace nonsmooth::compliant_contact_test {
namespace {

/// The ball of ball_on_compliant_floor: free fall onto the spring at 0.1 m with velocity -w, half a swing about the
/// static compression g / omega^2 until x = 0 again (tan(omega s / 2) = -omega w / g), up to the roof at 0.7 m, back.
/// Nothing is lost, so it repeats from the first contact on.
double exact_height(double t) {
  constexpr double g = 9.81, omega = 10.0, floor = 0.1, room = 0.6;
  const double first = std::sqrt(2.0 * 0.9 / g), w = g * first;
  if (t <= first) return 1.0 - 0.5 * g * t * t;
  const double swing = 2.0 / omega * (std::numbers::pi - std::atan(omega * w / g));
  const double rise = (w - std::sqrt(w * w - 2.0 * g * room)) / g;
  const double s = std::fmod(t - first, swing + 2.0 * rise);
  if (s <= swing) return floor + g / (omega * omega) * (std::cos(omega * s) - 1.0) - w / omega * std::sin(omega * s);
  const double flight = std::min(s - swing, swing + 2.0 * rise - s);  // falling is rising backwards
  return floor + w * flight - 0.5 * g * flight * flight;
}

struct Run {
  double mean_error = 0.0;  ///< |q - exact| over [0, 4] s
  double height = 0.0;      ///< q(0.8)
};

Run run(double step) {
  problems::Model m = problems::ball_on_compliant_floor(step);
  TimeStepping simulation(m.system, m.options);
  Run result;
  const auto report = simulation.advance_to(4.0, [&](const State& s) {
    const double q = s.q(m.bodies[0])[0];
    result.mean_error += step * std::abs(q - exact_height(s.t)) / 4.0;
    if (std::abs(s.t - 0.8) < 0.5 * step) result.height = q;
  });
  EXPECT_TRUE(report) << report.message();
  return result;
}

// The closed form itself: where energy says that the ball turns, the spring's part and gravity's counted.
TEST(CompliantContact, ClosedFormTurnsWhereEnergySays) {
  constexpr double g = 9.81, k = 100.0;
  const double lowest = 0.1 - g / k - std::sqrt(g * g / (k * k) + 2.0 * g * 0.9 / k);  // k x^2 / 2 = g (0.9 - x)
  double reached = 1.0, highest = 0.0;
  for (double t = 0.5; t < 4.0; t += 1e-4) {
    reached = std::min(reached, exact_height(t));
    highest = std::max(highest, exact_height(t));
  }
  EXPECT_NEAR(reached, lowest, 1e-6);  // sampled: omega^2 x (1e-4)^2 / 8
  EXPECT_NEAR(highest, 0.7, 3e-4);     // sampled: 2.4 m/s times 1e-4 s
}

TEST(CompliantContact, Converges) {
  for (const auto& [step, published] : {std::pair{5e-4, 0.1474}, std::pair{1e-4, 0.1480}}) {
    const double height = run(step).height;
    EXPECT_NEAR(height, published, 5e-5);  // an independent run of the same equations, four digits
    // The implicit spring takes pi omega h w / 2 = 66 h of velocity, over 11.6 ms since take-off 0.8 h of height; both
    // ends of the contact are found within h / 2, w h / 2 = 2.1 h each.
    EXPECT_NEAR(height, exact_height(0.8), 5.0 * step);
  }

  // The force of a step is that at its end: an error of first order. Where contacts fall on the grid scatters single
  // ratios, so the order is the slope over four halvings.
  std::vector<double> errors;
  for (const double step : {8e-4, 4e-4, 2e-4, 1e-4, 5e-5}) errors.push_back(run(step).mean_error);
  const double order = std::log2(errors.front() / errors.back()) / 4.0;
  EXPECT_GT(order, 0.9);
  EXPECT_LT(order, 1.2);
}

}  // namespace
}  // namespace nonsmooth::compliant_contact_test
