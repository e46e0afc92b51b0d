// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/gauss_seidel_schwarz.hpp>

#include "kept_memory.hpp"

namespace nonsmooth::friction::internal {

struct GaussSeidelSchwarzMemory;

/// GaussSeidelSchwarz with memory that is kept: a problem of no more rows and blocks than one that it solved allocates
/// nothing where its patches have no more either.
class GaussSeidelSchwarzWorkspace {
 public:
  /// friction::solve(problem, options) of canonical sets, from r in the place of options.start, bit for bit.
  /// @throws InvalidArgument likewise
  void solve(const Problem& problem, const GaussSeidelSchwarz& options, ConstVectorRef r, Result& result);

 private:
  KeptMemory<GaussSeidelSchwarzMemory> memory_;
};

}  // namespace nonsmooth::friction::internal
