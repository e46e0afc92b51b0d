// SPDX-License-Identifier: Apache-2.0
#include "linear_step.hpp"

#include <utility>

#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/relay.hpp>

namespace nonsmooth::mcp::detail {
namespace {

constexpr Index active_set_steps = 30;
constexpr Index least_rows = 50;
constexpr Index chain = 4;    // entries a row
constexpr double aim = 1e-2;  // of the accuracy asked for, so that a step of Newton's method still pays near its end
constexpr Index few = 500;    // rows whose factors cost no more than a multigrid cycle

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
  return problem.size() >= least_rows && !is_thin(jacobian) && looks_like_m_matrix(problem, jacobian);
}

bool is_thin(const Jacobian& jacobian) {
  const Eigen::SparseMatrix<double>& J = jacobian.sparse();
  return J.cols() > 0 && J.nonZeros() <= chain * J.cols();  // dense: no columns
}

bool looks_like_m_matrix(const Problem& problem, const Jacobian& jacobian) {
  return problem.F.is_sparse() && (problem.lower.allFinite() || problem.upper.allFinite()) && jacobian.has_signs_of_m();
}

std::optional<Eigen::VectorXd> MMatrixSteps::complementary(const Eigen::SparseMatrix<double>& M, Eigen::VectorXd q,
                                                           const Eigen::VectorXd& start,
                                                           const nonsmooth::detail::Deadline& deadline,
                                                           double accuracy) {
  if (!q.allFinite()) return {};
  const lcp::SparseProblem problem{M, std::move(q)};
  if (M.rows() <= few) {
    const lcp::Result found = lcp::solve(problem, lcp::PrimalDualActiveSet{.tolerance = aim * accuracy,
                                                                           .max_steps = active_set_steps,
                                                                           .time_limit = deadline.remaining(),
                                                                           .start = start.cwiseMax(0.0)});
    if (!(found.certificate.residual <= accuracy)) return {};
    return found.z;
  }
  const auto from = [&](const Eigen::VectorXd& where) {
    lcp::Result found = multigrid_.solve(
        problem, {.tolerance = aim * accuracy, .max_steps = active_set_steps, .time_limit = deadline.remaining()},
        where);
    begun_ = found.certificate.residual <= accuracy;
    return found;
  };
  if (begun_) {
    const lcp::Result found = from(start);
    if (begun_) return found.z;
  }
  const lcp::Result found = from({});
  if (!begun_) return {};
  return found.z;
}

std::optional<Eigen::VectorXd> MMatrixSteps::one_side(bool above, const Problem& problem, const Jacobian& jacobian,
                                                      const Eigen::VectorXd& x, const Eigen::VectorXd& value,
                                                      const nonsmooth::detail::Deadline& deadline, double accuracy) {
  // The unknown of the complementarity problem is z - l, or h - z.
  const Eigen::VectorXd& bound = above ? problem.upper : problem.lower;
  if (!bound.allFinite()) return {};
  const Eigen::SparseMatrix<double>& J = jacobian.sparse();
  const double sign = above ? -1.0 : 1.0;
  std::optional<Eigen::VectorXd> found =
      complementary(J, sign * (value + J * (bound - x)), sign * (x - bound), deadline, accuracy);
  if (!found) return {};
  *found = bound + sign * *found;
  const bool within =
      (found->array() >= problem.lower.array()).all() && (found->array() <= problem.upper.array()).all();
  if (!within) return {};
  from_above_ = above;
  return found;
}

std::optional<Eigen::VectorXd> MMatrixSteps::solve(const Problem& problem, const Jacobian& jacobian,
                                                   const Eigen::VectorXd& x, const Eigen::VectorXd& value,
                                                   const nonsmooth::detail::Deadline& deadline, double accuracy) {
  if (!looks_like_m_matrix(problem, jacobian)) return {};
  const bool first = from_above_;
  std::optional<Eigen::VectorXd> found = one_side(first, problem, jacobian, x, value, deadline, accuracy);
  if (!found) found = one_side(!first, problem, jacobian, x, value, deadline, accuracy);
  return found;
}

}  // namespace nonsmooth::mcp::detail
