// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nonsmooth/kernel/dynamical_system.hpp>

namespace nonsmooth {

/// Moreau's perturbed sweeping process: -xdot in N_C(t)(x) - f(t, x), the point x dragged by a moving convex set C(t),
/// by catching up:
///
///     x_{k+1} = P_{C(t_{k+1})}(x_k + h f(t_k, x_k)).
///
/// Order 1 for sets that move Lipschitz-continuously; a set that jumps is caught up with in that step. Such a system
/// takes no interactions: its set is its law. x0 may lie outside C(t_0): the first step brings it in.
/// Source: Moreau 1977, Evolution problem associated with a moving convex set [moreau1977].
struct SweepingProcess {
  std::function<void(double t, VectorRef x)> project{};                  ///< x := P_{C(t)}(x), required
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};  ///< n, comes in zeroed; none: zero
  ConstantVector x0{};                                                   ///< n
  std::string name{};
};

/// @throws InvalidArgument: no state, non-finite entries, no projection.
[[nodiscard]] std::shared_ptr<const DynamicalSystem> make_system(SweepingProcess system);

}  // namespace nonsmooth
