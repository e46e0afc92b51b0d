// SPDX-License-Identifier: Apache-2.0
#include "relay/refinement.hpp"

#include "internal.hpp"

namespace nonsmooth::lcp::detail {
namespace {

template <class P, class Full>
void refine_any(const P& problem, double tolerance, Index max_iterations, const nonsmooth::detail::Deadline& deadline,
                Result& result, const Full& full) {
  const Index n = problem.q.size();
  if (!nonsmooth::detail::ended_near(result, tolerance, max_iterations)) return;
  if (n > nonsmooth::detail::most_full_rows || result.z.size() != n || result.w.size() != n) return;
  const Eigen::VectorXd lower = Eigen::VectorXd::Zero(n), upper = Eigen::VectorXd::Constant(n, relay::detail::infinity);
  relay::Result same;
  same.z = result.z;
  same.w = result.w;
  same.certificate = result.certificate;
  same.status = result.status;
  same.reason = result.reason;
  relay::detail::refine({full, problem.q, lower, upper}, tolerance, max_iterations, deadline, same);
  result.iterations += same.iterations;
  if (!(same.certificate.residual < result.certificate.residual)) return;
  result.z = same.z;
  conclude(problem, tolerance, result, result.status, result.reason);
  if (result.status == Status::Solved) result.reason = nonsmooth::detail::refined_reason;
}

}  // namespace

void refine(const View& problem, double tolerance, Index max_iterations, const nonsmooth::detail::Deadline& deadline,
            Result& result) {
  refine_any(problem, tolerance, max_iterations, deadline, result, problem.M);
}

void refine(const SparseProblem& problem, double tolerance, Index max_iterations,
            const nonsmooth::detail::Deadline& deadline, Result& result) {
  const bool small = problem.q.size() <= nonsmooth::detail::most_full_rows;
  if (!small || !nonsmooth::detail::ended_near(result, tolerance, max_iterations)) return;
  refine_any(problem, tolerance, max_iterations, deadline, result, Eigen::MatrixXd(problem.M));
}

}  // namespace nonsmooth::lcp::detail
