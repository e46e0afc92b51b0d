// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nonsmooth/kernel/convex_set_data.hpp>
#include <nonsmooth/kernel/dynamical_system.hpp>

namespace nonsmooth {

/// Moreau's perturbed sweeping process: -x' in N_C(t)(x) - f(t, x), the point x dragged by a moving convex set C(t). By
/// catching up (theta = 0), and implicitly in f,
///
///     x_{k+1} = P_{C(t_{k+1})}(x_k + h f(t_k, x_k)),
///     x_{k+1} - x_k - h f(t_k + theta h, theta x_{k+1} + (1-theta) x_k) in -N_{C(t_{k+1})}(x_{k+1}):
///
/// the second is a variational inequality, solved to 1e-10 (certified) by vi::Automatic, with one solution where
/// h theta L < 1, L the Lipschitz constant of f, or where -f is monotone (stiff f: theta = 1).
///
/// The same system under other names: C constant: the projected dynamical system x' = P_{T_C(x)}(f(t, x)); also the
/// evolution variational inequality (x' - f)·(y - x) >= 0 for all y in C; -(x' + f + g) in N_C(x), a unilateral
/// differential inclusion, has -f - g here.
///
/// Order 1 for sets that move Lipschitz-continuously; a set that jumps is caught up with in that step. Such a system
/// takes no interactions: its set is its law. x0 may lie outside C(t_0): the first step brings it in.
///
/// A step with a C(t) that has no point ends SolverFailed, Infeasible, where the set's projection proves it (the proof
/// is verified by ConvexSet::proves_empty, and told), else with the status of the projection. A user's projection for
/// which P(P(y)) is not P(y), to 1e-6 of the way and of the point, ends it CallableFailed.
///
/// Cost of a step with theta = 0: f and a projection, two of a user's; no allocation with a constant box, ball or
/// half-space. Source: Moreau 1977, Evolution problem associated with a moving convex set [moreau1977].
struct SweepingProcess {
  std::function<void(double t, VectorRef x)> project{};                  ///< x := P_{C(t)}(x); this or `set`
  ConvexSetData set{};                                                   ///< C(t), n rows
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};  ///< n, comes in zeroed; none: zero
  /// n x n, comes in zeroed; none: differences. Asked where theta > 0.
  std::function<void(double t, ConstVectorRef x, MatrixRef jacobian)> f_dx{};
  ConstantVector x0{};  ///< n
  double theta = 0.0;   ///< in [0, 1]
  std::string name{};
};

/// @throws InvalidArgument: no state, non-finite entries, no projection or two, theta; of `set` at t = 0: what the
/// function throws, another number of rows.
[[nodiscard]] std::shared_ptr<const DynamicalSystem> make_system(SweepingProcess system);

}  // namespace nonsmooth
