// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "examine_start.hpp"

namespace nonsmooth::stages {

std::vector<State> other_ends(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h,
                              const State& before, const State& after, const std::vector<Index>& doubtful,
                              Workspace& workspace) {
  std::vector<State> others;
  std::vector<PossibleStep> all;
  try {
    all = possible_steps(model, options, h, before, workspace);
  } catch (const InvalidArgument&) {  // rows that it does not know beside the doubtful ones
    return others;
  }
  const auto distance = [&](const State& a, const State& b) {
    double sum = 0.0;
    for (const Index system : doubtful) {
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
