// SPDX-License-Identifier: Apache-2.0
#include "linear_step.hpp"

#include <utility>

#include <nonsmooth/numerics/relay.hpp>

namespace nonsmooth::mcp::detail {
namespace {

constexpr Index active_set_steps = 30;

}  // namespace

std::optional<relay::Result> solve_linear(const Problem& problem, const Jacobian& jacobian, const Eigen::VectorXd& x,
                                          const Eigen::VectorXd& value, const Eigen::VectorXd& added,
                                          const nonsmooth::detail::Deadline& deadline) {
  const auto holds = [](const relay::Result& found) { return found.ok() || found.at_round_off; };
  if (problem.F.is_sparse()) {
    relay::SparseProblem linear{jacobian.sparse(added), value, problem.lower, problem.upper};
    linear.q.noalias() -= linear.M * x;
    if (!linear.q.allFinite() ||
        !Eigen::Map<const Eigen::VectorXd>(linear.M.valuePtr(), linear.M.nonZeros()).allFinite())
      return {};
    relay::Result found = relay::solve(linear, relay::Lemke{.start = x, .time_limit = deadline.remaining()});
    if (!holds(found)) return {};
    return found;
  }
  relay::Problem linear{jacobian.dense(), value, problem.lower, problem.upper};
  linear.M.diagonal() += added;
  linear.q.noalias() -= linear.M * x;
  if (!linear.q.allFinite() || !linear.M.allFinite()) return {};
  relay::Result found = relay::solve(
      linear, relay::ActiveSet{.max_steps = active_set_steps, .start = x, .time_limit = deadline.remaining()});
  if (!holds(found)) found = relay::solve(linear, relay::Lemke{.time_limit = deadline.remaining()});
  if (!holds(found)) return {};
  return found;
}

}  // namespace nonsmooth::mcp::detail
