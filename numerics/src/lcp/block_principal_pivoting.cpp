// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/block_principal_pivoting.hpp>

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
  Eigen::VectorXd clipped(n);
  Eigen::VectorXd scratch(n);
  std::size_t fewest = static_cast<std::size_t>(n) + 1;
  Index patience = options.patience;
  Status end = Status::IterationLimit;
  std::string_view reason = "max_steps reached";
  for (result.iterations = 0;; ++result.iterations) {
    clipped = z.cwiseMax(0.0);
    detail::keep_better(problem, clipped, scratch, result);
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
  detail::conclude(problem, options.tolerance, result, end, reason);
}

}  // namespace

void BlockPrincipalPivoting::validate() const {
  check::positive("lcp::BlockPrincipalPivoting::tolerance", tolerance);
  check::at_least("lcp::BlockPrincipalPivoting::max_steps", max_steps, 0);
  check::at_least("lcp::BlockPrincipalPivoting::patience", patience, 0);
}

void detail::block_principal_pivoting(const View& problem, double tolerance, Result& result) {
  result = Result();
  BlockPrincipalPivoting options;
  options.tolerance = tolerance;
  run(problem, options, result);
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
