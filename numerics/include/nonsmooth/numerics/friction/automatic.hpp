// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// The automatic choice: tiers in this order, each from the best r so far unless it says otherwise, until the measure
/// is met. Every switch is on counted work, never on the clock; Result::decisions tells what each tier did.
///
/// 1. gauss-seidel: plain sweeps, for whatever is easy. Left where their rate promises no end for the cost of the next
///    tier. Where most contacts are Rolling, whose local problems are costly, each gets one projection instead, unless
///    they are very few.
/// 2. Presolve, at the cost of a few sweeps. Contacts that no reaction can close (q_N >= 0, and no other contact can
///    pull on the normal) are left open where they are many. Islands, parts that W does not couple, go each through all
///    that follows, from the swept r, with its share of the tolerance: that r is then the start of the solve. Dependent
///    rows of W are counted interface by interface. A decision of the presolve has in `iterations` how many it found.
/// 3. A proof that no reaction can open some contact: Infeasible.
/// 4. Few rows: planar modes (planar problems alone: active sets and pivoting, exact, with a proof where there is no
///    solution), then, for few Rolling contacts, some steps of proximal newton.
/// 5. Masonry, where most contacts have the neighbours of the one before (several points between the same two bodies)
///    or, few of them Rolling, many rows of W depend on others of their interface: a short try of admm from the start
///    of the solve, for redundant contacts, and one of interior point. Where most contacts are Rolling, and not very
///    many: interior point from 0, and proximal newton from what it leaves. Anything else of more than a few rows:
///    gauss-seidel along conjugate directions, for piles, granular flow and moderate tolerances, and ten times as many
///    of its sweeps where a tier so far came within 100 tolerances.
/// 6. Piles (no masonry, few Rolling): gauss-seidel schwarz from the best r; where contacts are very many, from the
///    start and from the best r once more, each with some steps of gauss-seidel newton where it came near.
/// 7. gauss-seidel newton from the start of the solve; on piles, then schwarz once more. But for very many contacts
///    interior point, for the few piles that have no use for sweeps; then gauss-seidel newton from the best r: walls at
///    rest, mass ratios, tight tolerances.
/// 8. The last resorts, each with its own limit: proximal newton, semismooth newton on the natural map, admm from the
///    start, gauss-seidel.
/// 9. The search for a proof that there is no solution; without one the best r, refined where it is near a solution and
///    the measure is the certificate (a decision "refinement": Newton steps on its modes, docs/solvers.md), with the
///    status of what ended it, and, but for large problems, what one factorization tells of W: not symmetric, not
///    positive semidefinite, or how many of its rows depend on others. The numbers are constants of
///    numerics/src/automatic/friction_tiers.cpp.
///
/// Two tiers whose error is at round-off end it: Solved, told so, where the errors are the rounding of their own terms,
/// else Stalled, or Infeasible with a proof. max_iterations bounds every tier's own count.
struct Automatic {
  double tolerance = 1e-8;                 ///< the measure <= tolerance; > 0. 1e-8: the field's tight figure
  Measure measure = Measure::Certificate;  ///< what is compared with the tolerance
  Index max_iterations = 0;                ///< of each tier, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; looked at in every tier
  bool hyperstaticity = false;  ///< fill Result::hyperstaticity: a factorization of the closed contacts
  Eigen::VectorXd start{};      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate, for a set that the family does not solve and a
/// start of another size than q.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options = {});

}  // namespace nonsmooth::friction
