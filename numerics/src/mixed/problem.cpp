// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

#include "message.hpp"

namespace nonsmooth::mixed {

void Problem::validate() const {
  const Index blocks = W.num_block_rows();
  if (blocks == 0) throw InvalidArgument("mixed::Problem::W", "an empty matrix", "at least one block");
  if (K.num_blocks() != blocks)
    throw InvalidArgument("mixed::Problem::K", std::to_string(K.num_blocks()) + " blocks",
                          std::to_string(blocks) + " blocks, one a block row of W");
  for (Index b = 0; b < blocks; ++b)
    if (K.size(b) != W.size(b))
      throw InvalidArgument("mixed::Problem::K",
                            "block " + std::to_string(b) + " of " + std::to_string(K.size(b)) + " rows",
                            std::to_string(W.size(b)) + " rows, as block row " + std::to_string(b) + " of W");
  if (q.size() != W.rows())
    throw InvalidArgument("mixed::Problem::q", std::to_string(q.size()) + " entries",
                          std::to_string(W.rows()) + " entries, one a row of W");
  for (Index i = 0; i < q.size(); ++i)
    if (!std::isfinite(q[i]))
      throw InvalidArgument("mixed::Problem::q", std::to_string(q[i]) + " at entry " + std::to_string(i),
                            "a finite number");
  if (check::all_finite(W.entries())) return;
  for (Index b = 0; b < blocks; ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      if (const auto block = W.block(b, k); !block.allFinite())
        throw InvalidArgument(
            "mixed::Problem::W",
            "an entry that is not finite in block (" + std::to_string(b) + ", " + std::to_string(W.column(k)) + ")",
            "finite numbers");
}

std::string Result::message() const {
  return detail::message(
      *this, {.stalled = "look at the worst row: a redundant constraint, or a tolerance below round-off",
              .infeasible = "look at the constraints that the nonzero entries of `proof` name",
              .numerical_failure =
                  "look at the worst row: a zero diagonal, a singular bilateral block or data over many decades"});
}

}  // namespace nonsmooth::mixed
