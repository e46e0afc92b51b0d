// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <nonsmooth/numerics/nonlinear_map.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth::vi {

/// K(x) = m(x) + K.
struct Translated {
  ConvexSet K;
  NonlinearMap m;  ///< R^n -> R^n; its Jacobian is not asked
};

/// Any K(x) by its projection, which the caller writes: z := the point of K(x) nearest to y. What it returns is
/// compared with what projections do, as of UserSet.
struct UserMovingSet {
  Index size = 0;  ///< n, >= 1
  std::function<void(ConstVectorRef x, ConstVectorRef y, VectorRef z)> project;
  double accuracy = 1e-10;  ///< as of UserSet
};

/// Closed convex sets K(x) of R^n, one for each x of R^n; a value.
class MovingSet {
 public:
  MovingSet() = default;  ///< of no rows; a problem refuses it

  MovingSet(const ConvexSet& K);        // NOLINT: a set that stays
  MovingSet(const Translated& set);     // NOLINT
  MovingSet(const UserMovingSet& set);  // NOLINT
  /// Any other: at(x) is what the callable returns. @throws InvalidArgument size < 1, no callable.
  MovingSet(Index size, std::function<ConvexSet(ConstVectorRef x)> at);
  // Each throws InvalidArgument naming the field, as ConvexSet's.

  [[nodiscard]] Index size() const noexcept { return size_; }  ///< n
  /// K(x). @throws InvalidArgument x of another size or not finite, m(x) not finite, a set of another size.
  [[nodiscard]] ConvexSet at(ConstVectorRef x) const;

 private:
  Index size_ = 0;
  std::function<ConvexSet(ConstVectorRef x)> at_;
};

}  // namespace nonsmooth::vi
