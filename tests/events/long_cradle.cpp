// SPDX-License-Identifier: Apache-2.0
// Newton's cradle by events over a thousand impacts: energy and momentum.
#include <algorithm>
#include <cmath>

#include "event_log.hpp"

namespace nonsmooth::long_cradle_test {
namespace {

using namespace event_log;

constexpr Index kBalls = 5;

/// Five balls of unit mass on threads of unit frequency in a row, the first let go from -1.
NonSmoothDynamicalSystem cradle(const LiuZhaoBrogliatoImpactLaw& law) {
  NonSmoothDynamicalSystem model;
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(kBalls, kBalls);
  const auto balls = model.add(LagrangianLinearSystem{.mass = one, .stiffness = one, .q0 = {-1.0, 0.0, 0.0, 0.0, 0.0}});
  for (Index i = 0; i + 1 < kBalls; ++i) {
    const Eigen::MatrixXd H = one.row(i + 1) - one.row(i);
    model.link(balls, LagrangianLinearRelation{.H = H}, law);
  }
  return model;
}

struct LongRun {
  Index impacts = 0;       ///< instants with some
  double most_gain = 0.0;  ///< of the energy in one instant, of that at the start
  double highest = 0.0;    ///< energy, of that at the start
  double last = 0.0;       ///< at the end
  double off_mean = 0.0;   ///< of the mean place from -cos(t) / 5
};

LongRun run(const NonSmoothDynamicalSystem& model, double T) {
  const auto energy = [](const State& state) {
    return state.unknowns.squaredNorm() + state.positions.squaredNorm();  // 1 at the start
  };
  LongRun result;
  EventDriven simulation(model, {.relative_tolerance = 1e-12});
  const auto report = simulation.advance_to(
      T, EventDrivenObserver{.instant = [&](const Instant& at) {
        if (std::any_of(at.events.begin(), at.events.end(), [](const Event& e) { return e.kind == EventKind::Impact; }))
          ++result.impacts;
        result.most_gain = std::max(result.most_gain, energy(at.after) - energy(at.before));
        result.highest = std::max(result.highest, energy(at.after));
        result.off_mean = std::max(result.off_mean, std::abs(at.after.positions.mean() + 0.2 * std::cos(at.after.t)));
        return true;
      }});
  EXPECT_TRUE(report) << report.message();
  result.last = energy(simulation.state());
  return result;
}

TEST(LongCradle, WavesGiveNoEnergyInAThousandImpacts) {
  // Each impact balances its energy to 1e-9 of it at most (multiple_impact.hpp), for e = 1 of either sign: 1e-6 of a
  // thousand. The smooth steps, some three a half period with 1e-12 of coordinates of one, add 1e-12 each at most.
  const LongRun elastic = run(cradle({.restitution = 1.0}), 1000.5 * kPi);
  EXPECT_GE(elastic.impacts, 1000);
  EXPECT_LE(elastic.most_gain, 1e-9);
  EXPECT_LE(elastic.highest, 1.0 + 1e-6);
  EXPECT_NEAR(elastic.last, 1.0, 1e-6);
  EXPECT_LE(elastic.off_mean, 1e-8);
}

}  // namespace
}  // namespace nonsmooth::long_cradle_test
