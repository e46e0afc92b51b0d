// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Sweeps over the contacts, and over patches of contacts where sweeps do not converge.
///
/// On large piles nine tenths of what sweeps leave lies in a few hundred contacts: groups around a wedged body whose
/// solution repels sweeps, so that they circle about it for thousands of sweeps and disturb all that rests on it. A
/// round takes `sweeps` sweeps, then one patch after the other around the contact with the largest error that no patch
/// of this round has: the contacts nearest to it in W's graph. Each patch is a problem of its own, the other reactions
/// held, which GaussSeidelNewton solves from the present reactions, in some five steps; its answer is taken where it is
/// solved or its error a tenth of the one before. After a failure the next patch around that contact is of half the
/// size with twice the steps, then of a quarter with four times as many, then of twice the size, then as at first: none
/// costs much more than another, and what one size cannot do another often can. All patches grow by half, at most to
/// four times `patch`, where 60 rounds did not halve the measure. Factors are those of patches, so that a round costs
/// about as much as a few hundred sweeps, whatever the size of the problem.
///
/// Near a solution the modes are right but for a few, and sweeps would still disturb what patches mend: below a measure
/// of 2e-5, each time it is 0.3 of what it was at the last attempt since it fell below, a round ends with five steps of
/// GaussSeidelNewton on the whole, without sweeps and hardly regularised, and, where they don't lower it as much,
/// five with the regularisation of a patch; an answer that does is taken. Only where the whole is up to 100 patches, so
/// that a step costs about as much as a round: factors grow faster than patches do.
///
/// What the method is for: piles of 10^4 contacts and more, where one factorization of the whole costs some hundred
/// sweeps (28,000 contacts at rest: 1e-4 of the natural map in 8 to 45 s). Long waves are left to the sweeps. Coulomb,
/// Rolling, Orthant and Free blocks, any W; no proof that it converges: a problem without a solution ends
/// IterationLimit. Source: Schwarz's alternation over overlapping parts that the residual chooses, for problems whose
/// nonlinearity is local: Lanzkron, Rose, Wilkes 1996 [lanzkron1996], Cai, Keyes 2002 [cai2002].
struct GaussSeidelSchwarz {
  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  Index max_rounds = 1000;                 ///< >= 1; Result::iterations; static piles take 20 to 100
  Index first_sweeps = 1000;               ///< before the first patch, >= 0: until the error is local
  Index sweeps = 100;                      ///< of a round, >= 1
  Index patch = 600;       ///< contacts of a patch, >= 1: enough to hold a wedge; a step takes some 1 ms
  Index patch_steps = 25;  ///< Newton steps of a patch, >= 1; one that takes more rarely succeeds
  double coverage = 0.99;  ///< the share of the squared error that a round's patches hold, in (0, 1)
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and GaussSeidelSchwarz::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const GaussSeidelSchwarz& options);

}  // namespace nonsmooth::friction
