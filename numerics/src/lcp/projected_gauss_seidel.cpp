// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/projected_gauss_seidel.hpp>

#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::lcp {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

double row_times(const RowMatrix& M, Index i, const Eigen::VectorXd& z) { return M.row(i).dot(z); }

double row_times(const SparseRowMatrix& M, Index i, const Eigen::VectorXd& z) {
  double sum = 0.0;
  for (SparseRowMatrix::InnerIterator it(M, i); it; ++it) sum += it.value() * z[it.col()];
  return sum;
}

template <class P, class Rows>
Result run(const P& problem, const Rows& M, const Eigen::VectorXd& diagonal, const ProjectedGaussSeidel& options) {
  const Index n = problem.q.size();
  Result result;
  result.solver = "projected gauss-seidel";
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd scratch(n);
  detail::keep_better(problem, z, scratch, result);
  Status end = Status::IterationLimit;
  std::string_view reason = "max_sweeps reached";
  if (!(diagonal.minCoeff() > 0.0)) {
    end = Status::NumericalFailure;
    reason = "a diagonal entry of M is not positive";
  } else {
    while (!(result.certificate.residual <= options.tolerance) && result.iterations < options.max_sweeps) {
      for (Index i = 0; i < n; ++i) {
        z[i] = std::max(0.0, z[i] - options.relaxation * (row_times(M, i, z) + problem.q[i]) / diagonal[i]);
      }
      ++result.iterations;
      if (result.iterations % options.check_every != 0 && result.iterations != options.max_sweeps) continue;
      if (!z.allFinite()) {
        end = Status::NumericalFailure;
        reason = "the sweeps diverge";
        break;
      }
      detail::keep_better(problem, z, scratch, result);
    }
  }
  detail::conclude(problem, options.tolerance, result, end, reason);
  return result;
}

}  // namespace

void ProjectedGaussSeidel::validate() const {
  check::positive("lcp::ProjectedGaussSeidel::tolerance", tolerance);
  check::at_least("lcp::ProjectedGaussSeidel::max_sweeps", max_sweeps, 1);
  check::positive("lcp::ProjectedGaussSeidel::relaxation", relaxation);
  check::range("lcp::ProjectedGaussSeidel::relaxation", relaxation, 0.0, std::nextafter(2.0, 0.0));
  check::at_least("lcp::ProjectedGaussSeidel::check_every", check_every, 1);
}

Result solve(const Problem& problem, const ProjectedGaussSeidel& options) {
  problem.validate();
  options.validate();
  return run(detail::view(problem), RowMatrix(problem.M), problem.M.diagonal(), options);
}

Result solve(const SparseProblem& problem, const ProjectedGaussSeidel& options) {
  problem.validate();
  options.validate();
  return run(problem, SparseRowMatrix(problem.M), problem.M.diagonal(), options);
}

}  // namespace nonsmooth::lcp
