// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>

#include "growing_matrix.hpp"
#include "local.hpp"
#include "relay/phase_one.hpp"

namespace nonsmooth::mixed::internal {

/// What the looks of infeasibility.hpp keep from call to call, to allocate nothing where one before had as many
/// rows, but where a proof is found or made of what is nearly one, and as relay::detail::PhaseOne says.
struct ProofMemory {
  std::vector<long double> sums, terms;  ///< of W^T y
  GrowingVector y;
  /// Of find_proof_on_rows(): the rows, their blocks and bounds; the relay problem and its units.
  std::vector<Index> rows, blocks;
  std::vector<local::Interval> bounds;
  GrowingVector unit, q, lower, upper;
  GrowingMatrix<> M;
  relay::detail::PhaseOne phase_one;
  /// Of find_proof().
  GrowingVector rho, r, next, u, image, step, ahead, zero;
};

}  // namespace nonsmooth::mixed::internal
