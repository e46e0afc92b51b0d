// SPDX-License-Identifier: Apache-2.0
#include "linear_step.hpp"

#include <utility>

#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/relay.hpp>

namespace nonsmooth::mcp::detail {
namespace {

constexpr Index active_set_steps = 30;
constexpr Index least_rows = 50;
constexpr Index chain = 4;    // entries a row of which factors cost about as little as products
constexpr double aim = 1e-2;  // of the accuracy asked for, so that a step of Newton's method still pays near its end
constexpr Index few = 500;    // rows whose factors cost no more than a multigrid cycle

/// z >= 0, w = M z + q >= 0, z^T w = 0; from `start`, where few rows allow it.
std::optional<Eigen::VectorXd> complementary(const Eigen::SparseMatrix<double>& M, Eigen::VectorXd q,
                                             const Eigen::VectorXd& start, double accuracy,
                                             const nonsmooth::detail::Deadline& deadline) {
  if (!q.allFinite()) return {};
  const lcp::SparseProblem problem{M, std::move(q)};
  const lcp::Result found = M.rows() <= few
                                ? lcp::solve(problem, lcp::PrimalDualActiveSet{.tolerance = aim * accuracy,
                                                                               .max_steps = active_set_steps,
                                                                               .time_limit = deadline.remaining(),
                                                                               .start = start.cwiseMax(0.0)})
                                : lcp::solve(problem, lcp::Multigrid{.tolerance = aim * accuracy,
                                                                     .max_steps = active_set_steps,
                                                                     .time_limit = deadline.remaining()});
  if (!(found.certificate.residual <= accuracy)) return {};
  return found.z;
}

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

bool has_cheap_linear_problems(const Problem& problem, const Jacobian& jacobian) {
  return problem.size() >= least_rows && looks_like_m_matrix(problem, jacobian) &&
         jacobian.sparse().nonZeros() > chain * problem.size();
}

bool looks_like_m_matrix(const Problem& problem, const Jacobian& jacobian) {
  return problem.F.is_sparse() && (problem.lower.allFinite() || problem.upper.allFinite()) && jacobian.has_signs_of_m();
}

std::optional<Eigen::VectorXd> solve_m_matrix(const Problem& problem, const Jacobian& jacobian,
                                              const Eigen::VectorXd& x, const Eigen::VectorXd& value,
                                              const nonsmooth::detail::Deadline& deadline, double accuracy,
                                              bool& from_above) {
  if (!looks_like_m_matrix(problem, jacobian)) return {};
  const Eigen::SparseMatrix<double>& J = jacobian.sparse();
  // The unknown of the complementarity problem is z - l, or h - z.
  const auto one_side = [&](bool above) -> std::optional<Eigen::VectorXd> {
    const Eigen::VectorXd& bound = above ? problem.upper : problem.lower;
    if (!bound.allFinite()) return {};
    const double sign = above ? -1.0 : 1.0;
    std::optional<Eigen::VectorXd> found =
        complementary(J, sign * (value + J * (bound - x)), sign * (x - bound), accuracy, deadline);
    if (!found) return {};
    *found = bound + sign * *found;
    const bool within =
        (found->array() >= problem.lower.array()).all() && (found->array() <= problem.upper.array()).all();
    if (!within) return {};
    from_above = above;
    return found;
  };
  const bool first = from_above;
  std::optional<Eigen::VectorXd> found = one_side(first);
  if (!found) found = one_side(!first);
  return found;
}

}  // namespace nonsmooth::mcp::detail
