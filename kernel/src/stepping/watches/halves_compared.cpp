// SPDX-License-Identifier: Apache-2.0
// A step beside the same step in two halves: TimeSteppingOptions::verify.
#include <algorithm>
#include <iterator>

#include "run_watch.hpp"

namespace nonsmooth::stages {
namespace {

constexpr double kHalvesNoise = 1e-9;    ///< of the values: the default tolerance of Newton's iteration
constexpr double kLeastMovement = 1e-3;  ///< of a state's size: multipliers that move less say nothing of impulses

/// |halves - after| / |after - before| of one segment of an array.
double part_that_differs(const Eigen::VectorXd& before, const Eigen::VectorXd& after, const Eigen::VectorXd& halves,
                         Index first, Index count) {
  const auto end = after.segment(first, count);
  const double apart = (halves.segment(first, count) - end).norm();
  if (!(apart > kHalvesNoise * end.norm())) return 0.0;
  const double way = (end - before.segment(first, count)).norm();
  return apart / std::max(way, kHalvesNoise * end.norm());
}

}  // namespace

double subdivision_difference(const State& before, const State& after, const State& halves) {
  double worst = 0.0;
  const auto& systems = after.layout()->systems;
  for (Index s = 0; s < std::ssize(systems); ++s) {
    if (after.sleep.sleeps(s) || halves.sleep.sleeps(s)) continue;  // SleepOptions bounds what is neglected
    const Layout::System& place = systems[static_cast<std::size_t>(s)];
    worst = std::max(worst, part_that_differs(before.unknowns, after.unknowns, halves.unknowns, place.z, place.n));
    worst = std::max(worst, part_that_differs(before.positions, after.positions, halves.positions, place.q, place.nq));
  }
  return worst;
}

double multiplier_growth(const State& before, const TakenStep& step, const State& middle, const State& halves,
                         const RunWatch& watch) {
  const State& after = step.state;
  double worst = 0.0;
  for (const RunWatch::Island& island : watch.islands) {
    for (const Index i : island.interactions) {
      const InteractionPlan& interaction = step.relations.interaction(i);
      bool moves = false;
      for (const JacobianBlock& jacobian : step.relations.jacobians.of(interaction)) {
        for (Index z = jacobian.z; z < jacobian.z + jacobian.n; ++z) {
          const double size = std::max(std::abs(before.unknowns[z]), std::abs(after.unknowns[z]));
          moves = moves || std::abs(after.unknowns[z] - step.solution.z_free[z]) > kLeastMovement * size;
        }
      }
      const auto largest = [&](const State& state) {
        return state.multipliers.segment(interaction.row, interaction.rows).lpNorm<Eigen::Infinity>();
      };
      if (!moves || !(largest(after) > 0.0)) continue;
      worst = std::max(worst, std::max(largest(middle), largest(halves)) / largest(after));
    }
  }
  return worst;
}

}  // namespace nonsmooth::stages
