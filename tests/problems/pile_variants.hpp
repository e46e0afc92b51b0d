// SPDX-License-Identifier: Apache-2.0
// Piles with other masses and other laws of contact: what a solver meets beside balls of one density with Coulomb's
// cone. SI units. Every random number comes from an explicit seed.
#pragma once

#include <cstdint>

#include <nonsmooth/numerics/friction/global_problem.hpp>

#include <problems/piles.hpp>

namespace nonsmooth::problems {

/// Each body 10^x times as heavy, x drawn between -decades / 2 and decades / 2.
Pile with_masses_apart(Pile pile, double decades, std::uint64_t seed);

/// mu drawn between low > 0 and high, all decades alike; every eighth is 0.
Pile with_friction(Pile pile, double low, double high, std::uint64_t seed);

/// The same contacts with other sets: `change(set)` gets and alters each.
template <class Change>
ProductSet with_sets(const ProductSet& K, const Change& change) {
  ProductSet changed;
  for (Index i = 0; i < K.num_blocks(); ++i) {
    BlockSet set = K[i];
    change(set);
    changed.push_back(set, K.size(i));
  }
  return changed;
}

/// Elliptic friction: mu_2 between 0.3 and 3 times mu.
friction::Problem with_elliptic_friction(friction::Problem problem, std::uint64_t seed);

/// Cohesion between 0 and `most` [N s] in every other contact.
friction::Problem with_cohesion(friction::Problem problem, double most, std::uint64_t seed);

/// A pile, and beside each of its contacts another that only opens as the pile pushes: W = (W, c; c^T, 1) with c >= 0
/// in the normal rows, so small that the pile's own answer is what counts.
friction::Problem with_open_contacts(const friction::Problem& pile);

/// The global form with rolling friction of length between 0 and 0.02 m, and spinning friction of half that length:
/// rows (N, T1, T2, R1, R2, S), those of relative angular velocity about the axes T1, T2 and N.
friction::GlobalProblem global_rolling_problem(const Pile& pile, std::uint64_t seed);

/// Disks of radius 0.1 m +- 3 %, 1000 kg/m^2, in `layers` staggered rows of `width`, on a floor between walls that the
/// outer ones of each row touch, mu in [0.3, 0.8]; at rest under gravity, or flowing at 0.2 m/s and 0.2 rad/s.
friction::Problem disk_packing(Index width, Index layers, std::uint64_t seed, bool flowing);

}  // namespace nonsmooth::problems
