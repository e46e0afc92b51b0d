// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "possible_steps.hpp"

namespace nonsmooth::stages {

std::vector<State> other_ends(const std::vector<PossibleStep>& all, const State& before, const State& after,
                              const std::vector<Index>& doubtful) {
  std::vector<State> others;
  const auto distance = [&](const State& a, const State& b) {
    double sum = 0.0;
    for (const Index system : doubtful) {
      if (after.sleep.sleeps(system)) continue;  // possible ends are of all awake
      const Layout::System& place = before.layout()->systems[static_cast<std::size_t>(system)];
      sum += (a.unknowns.segment(place.z, place.n) - b.unknowns.segment(place.z, place.n)).squaredNorm();
    }
    return std::sqrt(sum);
  };
  const auto differ = [&](const State& a, const State& b) {
    return distance(a, b) > 1e-8 * (distance(a, before) + distance(b, before));
  };
  for (const PossibleStep& step : all) {
    const bool is_new = differ(step.state, after) && std::all_of(others.begin(), others.end(), [&](const State& other) {
                          return differ(step.state, other);
                        });
    if (is_new) others.push_back(step.state);
  }
  return others;
}

}  // namespace nonsmooth::stages
