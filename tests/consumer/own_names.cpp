// SPDX-License-Identifier: Apache-2.0
// A user's own names at file scope, beside the directive that README's driver has: this file must compile.
#include <cmath>
#include <cstdint>

#include <nonsmooth/kernel.hpp>

using namespace nonsmooth;

namespace detail {
double twice(double value) { return 2.0 * value; }
}  // namespace detail

int num_rows = 1;
bool check(double value) { return std::isfinite(value); }
std::uint64_t hash(const State& state) { return static_cast<std::uint64_t>(num_rows) + hash_of(state); }

bool own_names() {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0}, .v0 = {0.0}});
  const State state = model.initial_state();
  return hash(state) != hash_of(state) && check(detail::twice(state.t));
}
