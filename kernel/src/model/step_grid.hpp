// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

/// The next step of length h goes on with the grid of the last ones: t = t_origin + k h was not written since.
[[nodiscard]] inline bool on_grid(const State& state, double h) {
  constexpr std::int64_t counted = std::int64_t{1} << 53;  // beyond, a double does not tell k from k + 1
  return state.grid_step == h && state.k < counted && state.t == state.t_origin + static_cast<double>(state.k) * h;
}
/// Where a step of length h from the state ends: t_origin + k h without accumulated rounding while the step stays.
[[nodiscard]] inline double end_of_step(const State& state, double h) {
  return on_grid(state, h) ? state.t_origin + static_cast<double>(state.k + 1) * h : state.t + h;
}
/// The instant of the state by another rounding; what its last step left for the next one stays.
inline void round_instant(State& state, double t) {
  if (state.has_differences()) state.differences_t = t;
  state.t = t;
}

}  // namespace nonsmooth
