// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/semismooth_newton.hpp>

#include "kept_memory.hpp"

namespace nonsmooth::friction::internal {

struct SemismoothNewtonMemory;

/// SemismoothNewton with memory that is kept: a problem of no more rows and blocks than one that it solved allocates
/// nothing but what sparse factors take, where sweeps come first.
class SemismoothNewtonWorkspace {
 public:
  /// friction::solve(problem, options) of canonical sets, from r in the place of options.start, bit for bit.
  /// @throws InvalidArgument likewise
  void solve(const Problem& problem, const SemismoothNewton& options, ConstVectorRef r, Result& result);

 private:
  KeptMemory<SemismoothNewtonMemory> memory_;
};

}  // namespace nonsmooth::friction::internal
