// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the solvers' inner loops ask of one block's set: the forms of sets.hpp on pointers, and what they are made of.

#include <limits>

#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth {

/// The public project() on n entries.
void project(const BlockSet& set, double* z, Index n) noexcept;

/// The factor g of û = u + g |u_T| e_0 where all tangential rows share one: mu for Coulomb, lift for
/// Drucker-Prager, 0 for the kinds with û = u. NaN for Rolling and for elliptic contacts, whose û only velocity_lift()
/// gives.
[[nodiscard]] constexpr double lift_factor(const BlockSet& set) noexcept {
  switch (set.kind) {
    case SetKind::Coulomb2D:
      return set.mu;
    case SetKind::Coulomb3D:
      return set.mu_2 < 0.0 || set.mu_2 == set.mu ? set.mu : std::numeric_limits<double>::quiet_NaN();
    case SetKind::Rolling:
      return std::numeric_limits<double>::quiet_NaN();
    case SetKind::DruckerPrager:
      return set.lift;
    case SetKind::Free:
    case SetKind::Orthant:
    case SetKind::Box:
    case SetKind::SecondOrderCone:
    case SetKind::VonMises:
      break;
  }
  return 0.0;
}

/// û_0 - u_0 of n entries of u, of every kind: what the law adds to row 0.
[[nodiscard]] double velocity_lift(const BlockSet& set, const double* u, Index n) noexcept;

/// True for a set that solvers take as it is: no elliptic cone, no cohesion, Rolling with rows of one unit, Box of unit
/// 1 (see BlockSet).
[[nodiscard]] constexpr bool is_canonical(const BlockSet& set, Index size) noexcept {
  const auto other = [&](double bound) { return bound > 0.0 && set.mu > 0.0 && bound != set.mu; };
  if (set.kind == SetKind::Coulomb3D && set.mu_2 >= 0.0 && set.mu_2 != set.mu) return false;
  if (set.kind == SetKind::Rolling) {
    const bool rolls = size != 4, spins = size == 4 || size == 6;
    if ((rolls && other(set.rolling)) || (spins && other(set.spinning))) return false;
  }
  return !(set.cohesion > 0.0) && set.unit == 1.0;
}

/// The public natural_error() on n entries; error overlaps neither r nor u.
void natural_error(const BlockSet& set, double rho, const double* r, const double* u, double* error, Index n) noexcept;

}  // namespace nonsmooth
