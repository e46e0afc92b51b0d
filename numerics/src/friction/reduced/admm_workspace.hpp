// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/admm.hpp>

#include "kept_memory.hpp"

namespace nonsmooth::friction::internal {

struct FrictionAdmmMemory;

/// Admm with memory that is kept: a problem allocates nothing where it is no larger than one that was solved with
/// factors of the same kind: Cholesky's, or a full or sparse LU where W is far from symmetric. Where W is symmetric but
/// for a small part, nor does it where it has no more rows and blocks than one that was reserved for; Eigen's products
/// take buffers of their own where a front has more than some hundred rows.
class AdmmWorkspace {
 public:
  /// Memory for problems like this one, of few rows, whatever the patterns of W.
  void reserve(const Problem& problem);

  /// friction::solve(problem, options) of canonical sets, from r in the place of options.start, bit for bit.
  /// @throws InvalidArgument likewise
  void solve(const Problem& problem, const Admm& options, ConstVectorRef r, Result& result);

 private:
  KeptMemory<FrictionAdmmMemory> memory_;
};

}  // namespace nonsmooth::friction::internal
