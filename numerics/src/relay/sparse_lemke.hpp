// SPDX-License-Identifier: Apache-2.0
// Pivoting on sparse data, as relay::Lemke and lcp::Lemke have it; not installed.
#pragma once

#include <nonsmooth/numerics/relay/lemke.hpp>

#include "dictionary.hpp"

namespace nonsmooth::relay::detail {

/// How it ended; the best z is the result's.
struct SparsePivoting {
  PivotEnd end = PivotEnd::Breakdown;
  bool proximal = false;  ///< problems near the given one were solved in its place
  Eigen::VectorXd
      ray{};  ///< of PivotEnd::Ray: z part, entries at round-off zero, the largest 1; a proof where it is one
};

/// Along the paths of relay::Lemke, keeping in `result` the best z, and counting crash steps and pivots. `covering` (d
/// > 0, n entries, of the scaled problem, whose box has a corner): at once from infinity along w = M z + q + t d;
/// empty: as relay::Lemke tells. Problem and options have been validated.
[[nodiscard]] SparsePivoting pivot(const SparseProblem& problem, const Lemke& options, ConstVectorRef covering,
                                   Result& result);

}  // namespace nonsmooth::relay::detail
