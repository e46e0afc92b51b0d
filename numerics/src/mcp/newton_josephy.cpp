// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mcp/newton_josephy.hpp>

#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "descent.hpp"
#include "moving_part.hpp"

namespace nonsmooth::mcp {

void NewtonJosephy::validate() const {
  check::positive("mcp::NewtonJosephy::tolerance", tolerance);
  check::at_least("mcp::NewtonJosephy::max_steps", max_steps, 1);
  check::positive("mcp::NewtonJosephy::decrease", decrease);
  check::range("mcp::NewtonJosephy::decrease", decrease, 0.0, 0.5);
  check::within("mcp::NewtonJosephy::memory", memory, 1, check::most_iterates);
  check::at_least("mcp::NewtonJosephy::max_rows", max_rows, 1);
  nonsmooth::detail::check_time_limit("mcp::NewtonJosephy::time_limit", time_limit);
}

Result solve(const Problem& problem, const NewtonJosephy& options) {
  problem.validate();
  options.validate();
  if (detail::may_shrink(problem)) return detail::solve_moving_part(problem, options, "mcp::NewtonJosephy::start");
  if (!problem.F.is_sparse() && problem.size() > options.max_rows) {
    throw InvalidArgument("mcp::NewtonJosephy::max_rows", std::to_string(problem.size()) + " unknowns",
                          "at most " + std::to_string(options.max_rows) + ": F has no sparse Jacobian");
  }
  return detail::descend_by(problem, options, "mcp::NewtonJosephy::start", "newton-josephy",
                            {.josephy = true, .only_m_matrices = options.only_m_matrices});
}

}  // namespace nonsmooth::mcp
