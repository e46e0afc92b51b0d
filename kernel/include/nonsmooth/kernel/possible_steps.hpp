// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/workspace.hpp>

namespace nonsmooth {

/// One of the states in which a step may end.
struct PossibleStep {
  State state;
  /// False: one corner of a continuum of reactions; the motion may be the same along it (four feet of a table).
  bool isolated = true;
};

/// Every answer to the one-step problem of a step of length h from a state: none where the step has no solution,
/// several where friction makes it ambiguous (Painlevé: mu |W_NT| > W_NN), of which step() finds one and does not say
/// that there are others. For small problems, to be asked when a motion is in doubt:
///
///     u = W r + q,   -û_i in N_{K_i}(r_i),   as a linear complementarity problem, all of whose bases are tried.
///
/// Equalities are eliminated; a contact with friction in the plane takes three rows (one where mu = 0), a relay with
/// two bounds two, every other row one. Where something is nonlinear the problem is that of Newton's first iteration,
/// the linearly implicit step. Positions are not projected, options.form, solver and on_failure are not used. Answers
/// are certified to 1e-9 and differ by more than 1e-8 of the largest reaction; ordered by the size of their reactions.
/// Cost: 2^rows factorizations and more where W is singular: 9 rows take 20 ms, 12 some 0.3 s, 15 some 6 s. Source:
/// Klarbring 1986 [klarbring1986]; Génot, Brogliato 1999 [genot1999] for the rod.
/// @throws InvalidArgument as step(); for more than 15 rows; for cones in space, plasticity and users' other sets, with
/// the interaction's name; for PoissonImpactLaw and LiuZhaoBrogliatoImpactLaw; for equalities that depend on each
/// other; where a callable fails, with its message.
[[nodiscard]] std::vector<PossibleStep> possible_steps(const NonSmoothDynamicalSystem& model,
                                                       const TimeSteppingOptions& options, double h,
                                                       const State& state);

}  // namespace nonsmooth
