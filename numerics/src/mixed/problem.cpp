// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

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
  for (Index b = 0; b < blocks; ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      if (const auto block = W.block(b, k); !block.allFinite())
        throw InvalidArgument(
            "mixed::Problem::W",
            "an entry that is not finite in block (" + std::to_string(b) + ", " + std::to_string(W.column(k)) + ")",
            "finite numbers");
}

std::string Result::message() const {
  if (status == Status::NotRun) return "not run: nothing has been solved yet";
  char figures[128];
  std::snprintf(figures, sizeof figures, ", residual %.3g (error %.3g, scale %.3g, worst row %lld)",
                certificate.residual, certificate.error, certificate.scale,
                static_cast<long long>(certificate.worst_row));
  std::string text{to_string(status)};
  text += " by ";
  text += solver.empty() ? std::string_view{"no solver"} : solver;
  text += " after " + std::to_string(iterations) + " iterations" + figures;
  if (!reason.empty()) {
    text += ": ";
    text += reason;
  }
  switch (status) {
    case Status::IterationLimit:
      text +=
          "; look at the rate of the residual: raise the limit if it still falls, else try mixed::Automatic or look "
          "for redundant contacts";
      break;
    case Status::Stalled:
      text += "; look at the worst row: a redundant constraint, or a tolerance below round-off";
      break;
    case Status::NumericalFailure:
      text += "; look at the worst row: a zero diagonal, a singular bilateral block or data over many decades";
      break;
    case Status::Infeasible:
      text += "; look at the constraints that the proof's nonzero entries name";
      break;
    default:
      break;
  }
  return text;
}

}  // namespace nonsmooth::mixed
