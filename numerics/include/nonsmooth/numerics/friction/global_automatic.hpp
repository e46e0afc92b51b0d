// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/global_problem.hpp>

namespace nonsmooth::friction {

/// The automatic choice for the global form; every switch is on counted work, never on the clock.
///
/// No contact: A v = f. Else A falls into bodies, and W = H A^-1 H^T has at most the sum of (rows touched)^2 over the
/// bodies as entries: where that is less than `fill` times the entries of A and H, or than some dense matrix has, the
/// reduced form is built body by body and solved by friction::Automatic, v = A^-1 (f + H^T r) refined once, the whole
/// certified in the global form, and the reduced tolerance tightened where the two measures differ. Where a body is
/// large (a mesh), W costs one solve a row: half as many iterations of alternating directions on (A, H) come before.
/// Where contacts have more rows than their bodies have dofs, W is singular and its factors are larger than those of
/// (A, H): a few sweeps (not where most contacts are Rolling, whose local problems are costly) and alternating
/// directions come before. Where W would be larger, and where the reduced solve fails: the proximal Newton method and
/// alternating directions on (A, H), each from the best iterate before it.
struct GlobalAutomatic {
  double tolerance = 1e-8;                 ///< the measure <= tolerance; > 0. 1e-8: the field's tight figure
  Measure measure = Measure::Certificate;  ///< NaturalMap stops on max(natural_map, balance)
  double fill = 16.0;        ///< entries of W that one entry of A or H is worth, >= 0; infinity: always reduced
  Index max_iterations = 0;  ///< of each tier, of short tries at most; >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; looked at in every tier
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as GlobalProblem::validate and GlobalAutomatic::validate, for A singular to working
/// precision where it is factored, and for a start of another size than w.
[[nodiscard]] GlobalResult solve(const GlobalProblem& problem, const GlobalAutomatic& options = {});

}  // namespace nonsmooth::friction
