// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/global_automatic.hpp>

#include "kept_memory.hpp"

namespace nonsmooth::friction::internal {

struct GlobalAutomaticMemory;

/// GlobalAutomatic with memory that is kept: where the tiers of the reduced form that are asked allocate nothing
/// (friction_tiers.hpp), a problem of no more dofs, rows and entries than those before allocates nothing, but where
/// sparse factors of large bodies meet a new pattern.
class GlobalAutomaticWorkspace {
 public:
  /// friction::solve(problem, options) from `start` in the place of options.start, bit for bit.
  /// @throws InvalidArgument likewise
  void solve(const GlobalProblem& problem, const GlobalAutomatic& options, ConstVectorRef start, GlobalResult& result);

 private:
  KeptMemory<GlobalAutomaticMemory> memory_;
};

}  // namespace nonsmooth::friction::internal
