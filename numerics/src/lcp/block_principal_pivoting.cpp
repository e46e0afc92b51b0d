// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/block_principal_pivoting.hpp>

#include <limits>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "principal.hpp"

namespace nonsmooth::lcp {
namespace {

template <class P>
void run(const P& problem, const BlockPrincipalPivoting& options, Result& result) {
  const Index n = problem.q.size();
  const Index max_steps = options.max_steps > 0 ? options.max_steps : 10 * n + 100;
  result.solver = "block principal pivoting";
  auto principal = detail::principal_of(problem);
  Eigen::VectorXd s(n);
  detail::row_scales(problem, s);
  std::vector<char> basic(static_cast<std::size_t>(n), 0);
  std::vector<Index> rows;
  std::vector<Index> wrong;
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd w = problem.q;
  Eigen::VectorXd best = z;
  double least = std::numeric_limits<double>::infinity();
  std::size_t fewest = static_cast<std::size_t>(n) + 1;
  Index patience = options.patience;
  Status end = Status::IterationLimit;
  std::string_view reason = "max_steps reached";
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  GrowingVector guess_z, guess_w;
  if (options.sweeps > 0 && detail::guess_basis(problem, options.sweeps, guess_z, guess_w, rows) && !rows.empty() &&
      principal.solve(rows, z, w)) {
    for (const Index i : rows) basic[static_cast<std::size_t>(i)] = 1;
    result.iterations = 1;
  } else {
    z.setZero();
    w = problem.q;
  }
  for (;; ++result.iterations) {
    double error = 0.0;  // of z, before it is clipped: negative entries count as they are
    for (Index i = 0; i < n; ++i) error = std::max(error, std::abs(std::min(s[i] * z[i], w[i])));
    if (error < least) {
      least = error;
      best = z;
    }
    const double zero = -detail::sign_floor(problem.q, w);
    wrong.clear();
    for (Index i = 0; i < n; ++i) {
      if ((basic[static_cast<std::size_t>(i)] != 0 ? s[i] * z[i] : w[i]) < zero) wrong.push_back(i);
    }
    if (wrong.empty()) {
      end = Status::Stalled;
      reason = "the final basis is too ill-conditioned for the tolerance";
      break;
    }
    if (result.iterations >= max_steps) break;
    if (deadline.passed()) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    if (wrong.size() < fewest) {
      fewest = wrong.size();
      patience = options.patience;
    } else if (patience > 0) {
      --patience;
    } else {
      wrong.resize(1);  // Murty: the least index
    }
    for (const Index i : wrong) basic[static_cast<std::size_t>(i)] ^= 1;
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if (basic[static_cast<std::size_t>(i)] != 0) rows.push_back(i);
    }
    if (!principal.solve(rows, z, w)) {
      end = Status::NumericalFailure;
      reason = "a principal submatrix is singular: M is no P-matrix, or badly scaled";
      break;
    }
  }
  result.z = best.cwiseMax(0.0);
  detail::conclude(problem, options.tolerance, result, end, reason);
}

}  // namespace

void BlockPrincipalPivoting::validate() const {
  check::positive("lcp::BlockPrincipalPivoting::tolerance", tolerance);
  check::at_least("lcp::BlockPrincipalPivoting::max_steps", max_steps, 0);
  check::at_least("lcp::BlockPrincipalPivoting::patience", patience, 0);
  check::at_least("lcp::BlockPrincipalPivoting::sweeps", sweeps, 0);
  nonsmooth::detail::check_time_limit("lcp::BlockPrincipalPivoting::time_limit", time_limit);
}

Result solve(const Problem& problem, const BlockPrincipalPivoting& options) {
  problem.validate();
  options.validate();
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

Result solve(const SparseProblem& problem, const BlockPrincipalPivoting& options) {
  problem.validate();
  options.validate();
  Result result;
  run(problem, options, result);
  return result;
}

}  // namespace nonsmooth::lcp
