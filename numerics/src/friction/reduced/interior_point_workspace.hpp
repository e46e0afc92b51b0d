// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/interior_point.hpp>

#include "kept_memory.hpp"

namespace nonsmooth::friction::internal {

struct InteriorPointMemory;

/// InteriorPoint with memory that is kept. With De Saxcé's term inside, where it solves: a problem of fewer than a
/// thousand blocks allocates nothing where it is no larger than one that was solved, nor where it has no more rows and
/// blocks than one that was reserved for, with blocks of the same kinds.
class InteriorPointWorkspace {
 public:
  /// Up to so many rows reserve() makes memory.
  static constexpr Index most_rows = 96;

  /// Memory for problems like this one, whatever the pattern of W; false where there was enough, or is none. Cost: as
  /// much as some sweeps.
  bool reserve(const Problem& problem);

  /// friction::solve(problem, options) of canonical sets, from r in the place of options.start, bit for bit.
  /// @throws InvalidArgument likewise
  void solve(const Problem& problem, const InteriorPoint& options, ConstVectorRef r, Result& result);

 private:
  KeptMemory<InteriorPointMemory> memory_;
  Index rows_ = 0, blocks_ = 0;  ///< the most that it has been reserved for
};

}  // namespace nonsmooth::friction::internal
