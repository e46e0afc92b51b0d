// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/proximal_newton.hpp>

#include "interfaces.hpp"
#include "kept_memory.hpp"

namespace nonsmooth::friction::internal {

struct ProximalNewtonMemory;

/// ProximalNewton with memory that is kept: a problem of no more rows and blocks than one that it solved, with blocks
/// of the same kinds, allocates nothing, with interfaces as Interfaces says; up to most_rows rows from the first solve
/// on, after reserve(). Sparse factors allocate.
class ProximalNewtonWorkspace {
 public:
  /// Behind sweeps up to so many rows come here next.
  static constexpr Index most_rows = 200;

  /// Memory for problems like this one; false where there was enough, or is none. Cost: as much as some sweeps.
  bool reserve(const Problem& problem);

  /// friction::solve(problem, options) of canonical sets, from r in the place of options.start, bit for bit.
  /// @throws InvalidArgument likewise
  void solve(const Problem& problem, const ProximalNewton& options, ConstVectorRef r, Result& result);

 private:
  KeptMemory<ProximalNewtonMemory> memory_;
  Index rows_ = 0, blocks_ = 0;  ///< the most that it has been reserved for
};

}  // namespace nonsmooth::friction::internal
