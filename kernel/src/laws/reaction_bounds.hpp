// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A law that holds the first rows of a joint and bounds friction in those behind them by the multipliers of all:
/// |tau_g| <= bound_g(lambda), tau_g against u_g, of each group g of rows. What runs at forces rather than at impulses
/// asks it for these.
class ReactionBounds {
 public:
  virtual ~ReactionBounds() = default;
  [[nodiscard]] virtual Index num_held() const = 0;
  /// How many rows of those behind rub together, group by group; three groups at most.
  [[nodiscard]] virtual std::span<const Index> rubbing() const = 0;
  /// Of group g, of a block whose multipliers are `lambda`: of degree 1 in lambda and `preloads`, which is 1 of forces,
  /// the length of a step of its impulses, 0 of impulses at an instant.
  [[nodiscard]] virtual double bound(Index g, ConstVectorRef lambda, double preloads) const = 0;
};

}  // namespace nonsmooth
