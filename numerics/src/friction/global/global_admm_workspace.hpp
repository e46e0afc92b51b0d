// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/global_admm.hpp>

#include "kept_memory.hpp"

namespace nonsmooth::friction::internal {

struct GlobalAdmmMemory;
struct GlobalScales;

/// GlobalAdmm with memory that is kept: a problem of no more dofs, rows and entries than those before allocates nothing
/// but what sparse factors take.
class GlobalAdmmWorkspace {
 public:
  /// friction::solve(problem, options) of canonical sets and an H of as many columns as A, with the problem's scales at
  /// hand and from `start` in the place of options.start, bit for bit. @throws InvalidArgument likewise
  void solve(const GlobalProblem& problem, const GlobalAdmm& options, const GlobalScales& scales, ConstVectorRef start,
             GlobalResult& result);

 private:
  KeptMemory<GlobalAdmmMemory> memory_;
};

}  // namespace nonsmooth::friction::internal
