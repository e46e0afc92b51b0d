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
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Result result;
  result.solver = "newton-josephy";
  Eigen::VectorXd x = detail::start_of(problem, "mcp::NewtonJosephy::start", options.start, options.check_jacobian);
  Eigen::VectorXd f(problem.size());
  const double scale = detail::data_scale(problem, result.values);
  detail::Evaluator evaluator(problem, result);
  detail::evaluate_start(problem, evaluator, x, f);
  detail::descend(problem,
                  {.tolerance = options.tolerance,
                   .max_steps = options.max_steps,
                   .decrease = options.decrease,
                   .memory = options.memory,
                   .josephy = true,
                   .only_m_matrices = options.only_m_matrices},
                  scale, deadline, evaluator, x, f, result);
  return result;
}

}  // namespace nonsmooth::mcp
