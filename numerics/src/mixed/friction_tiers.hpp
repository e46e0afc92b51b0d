// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "deadline.hpp"

namespace nonsmooth::mixed::internal {

/// The friction family's automatic choice, for islands that are frictional contact and nothing else. Defined in
/// src/friction, so that this family names nothing of that one. Keeps its memory.
class FrictionTiers {
 public:
  FrictionTiers();
  ~FrictionTiers();

  /// True for Coulomb and rolling blocks, alone or among orthants and free blocks.
  [[nodiscard]] static bool takes(const ProductSet& K) noexcept;

  /// From result.r, which has the right size; canonical sets. `modes_tried`: active sets and pivoting have failed.
  /// Allocates nothing where the sweeps solve it and the problem does not grow. Result::solver is a name of this
  /// family's registry for the sweeps, else of friction's.
  void solve(const Problem& problem, const Automatic& options, const detail::Deadline& deadline, bool modes_tried,
             Result& result);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;  // made by the first solve
};

}  // namespace nonsmooth::mixed::internal
