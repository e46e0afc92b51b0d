// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>

#include "kept_memory.hpp"

namespace nonsmooth::friction::internal {

struct GaussSeidelNewtonMemory;

/// GaussSeidelNewton with memory that is kept: a problem of fewer than a thousand blocks allocates nothing where it is
/// no larger than one that was solved, nor where it has no more rows and blocks than one that was reserved for, with
/// blocks of the same kinds.
class GaussSeidelNewtonWorkspace {
 public:
  /// Memory for problems like this one, of few rows, whatever the patterns of W.
  void reserve(const Problem& problem);

  /// friction::solve(problem, options) of canonical sets, from r in the place of options.start, bit for bit.
  /// @throws InvalidArgument likewise
  void solve(const Problem& problem, const GaussSeidelNewton& options, ConstVectorRef r, Result& result);

 private:
  KeptMemory<GaussSeidelNewtonMemory> memory_;
};

}  // namespace nonsmooth::friction::internal
