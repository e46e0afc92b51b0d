// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

#include "stepper.hpp"

namespace nonsmooth::smooth {

class Guards;

/// Places in the longest step so far; shorter ones are looked at in proportion.
inline constexpr double kPlacesOfLongest = 100.0;
/// The longest of steps, or of ways along them, as a measure of how closely the next is looked at.
struct LongestSoFar {
  double length = 0.0;
  /// In how many places of one as long: kPlacesOfLongest of the longest, as close where it goes `fastest`.
  [[nodiscard]] double places(double next, double fastest) {
    length = std::max(length, next);
    return kPlacesOfLongest * fastest / length;
  }
  template <class Memory>
  void remember(Memory& memory) {
    memory(length);
  }
};

/// Places on a step; the nodes of the search's own interpolants are as close as the least.
inline constexpr double kLeastPlaces = 5.0, kMostPlaces = 20'000.0;
/// Of a function's largest value: fourth differences below are those of a smooth function, or round-off.
inline constexpr double kSmooth = 1e-9;

/// Where on a step guards may dip that the motion does not feel: no integrator's step size resolves them.
///
/// They are looked at in N + 1 places s_j = j / N, N as Guards::probing() asks; where that is 5 or less the search's
/// own nodes do. A cell between two places is rough where a fourth difference there, 1e3 times, is more than the
/// guard's value and stands out, by 8 times the step's mean: an obstacle that is one cell wide shows in a place within,
/// one like exp(-(s / w)^2) in places up to 2.6 w from its top. The first cell in which a guard is negative is rough
/// too. Rough cells are to be looked at from near.
///
/// What is certain: a guard that is negative over two cells somewhere is negative in a place.
class GuardProbes {
 public:
  /// Looks at a step. Allocates nothing once as many guards and places were asked for.
  /// @throws InvalidArgument a value that is not finite.
  void look(Guards& guards, const DensePolynomial& dense);
  /// Nothing to look at from near.
  void forget() noexcept { num_rough_ = 0; }
  /// True where no cell is rough.
  [[nodiscard]] bool clear() const noexcept { return num_rough_ == 0; }
  /// True where [a, b] has no rough cell, or is 4 cells at most.
  [[nodiscard]] bool resolved(double a, double b) const;
  /// More places were asked for than a step is looked at in: the step has to be shorter.
  [[nodiscard]] bool too_few() const noexcept { return too_few_; }

 private:
  void mark(Index cell);

  Index places_ = 0, num_rough_ = 0;
  bool too_few_ = false;
  Eigen::VectorXd z_;
  Eigen::MatrixXd values_;         // guards x (places + 1), in a corner of the most of both so far
  std::vector<Index> rough_upto_;  // how many of the cells before each are rough
  std::vector<char> rough_;
};

}  // namespace nonsmooth::smooth
