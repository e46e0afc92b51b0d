// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/splitting.hpp>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "symmetry.hpp"

namespace nonsmooth::lcp {
namespace {

using DenseRowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

double row_times(const DenseRowMatrix& M, Index i, const Eigen::VectorXd& z) { return M.row(i).dot(z); }

double row_times(const SparseRowMatrix& M, Index i, const Eigen::VectorXd& z) {
  double sum = 0.0;
  for (SparseRowMatrix::InnerIterator it(M, i); it; ++it) sum += it.value() * z[it.col()];
  return sum;
}

std::string_view name_of(const Splitting& options) {
  switch (options.kind) {
    case Splitting::Kind::Jacobi:
      return "projected jacobi";
    case Splitting::Kind::SymmetricGaussSeidel:
      return "projected symmetric sor";
    default:
      return options.relaxation == 1.0 ? "projected gauss-seidel" : "projected sor";
  }
}

/// One sweep from z into z; `w` is scratch.
template <class Rows>
void sweep(const Rows& M, const Eigen::VectorXd& q, const Eigen::VectorXd& step, Splitting::Kind kind,
           Eigen::VectorXd& z, Eigen::VectorXd& w) {
  const Index n = q.size();
  if (kind == Splitting::Kind::Jacobi) {
    w = q;
    w.noalias() += M * z;
    z = (z - step.cwiseProduct(w)).cwiseMax(0.0);
    return;
  }
  for (Index i = 0; i < n; ++i) z[i] = std::max(0.0, z[i] - step[i] * (row_times(M, i, z) + q[i]));
  if (kind != Splitting::Kind::SymmetricGaussSeidel) return;
  for (Index i = n - 1; i >= 0; --i) z[i] = std::max(0.0, z[i] - step[i] * (row_times(M, i, z) + q[i]));
}

template <class P, class Rows>
Result run(const P& problem, const Rows& M, const Eigen::VectorXd& diagonal, const Splitting& options) {
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  const Index n = problem.q.size();
  Result result;
  result.solver = name_of(options);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd scratch(n), s(n), before(n), ray;
  detail::keep_better(problem, z, scratch, result);
  detail::row_scales(problem, s);
  const Eigen::VectorXd weight = diagonal + options.proximal * s;
  const Eigen::VectorXd step = options.relaxation * weight.cwiseInverse();
  Status end = Status::IterationLimit;
  std::string_view reason = "max_sweeps reached";
  if (!(weight.minCoeff() > 0.0)) {
    end = Status::NumericalFailure;
    reason = "a diagonal entry of M, with the proximal term, is not positive";
  }
  while (end == Status::IterationLimit && !(result.certificate.residual <= options.tolerance) &&
         result.iterations < options.max_sweeps) {
    if (deadline.passed()) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    if (options.line_search) before = z;
    sweep(M, problem.q, step, options.kind, z, scratch);
    ++result.iterations;
    if (options.line_search) {
      // 1/2 z^T M z + q^T z along d: slope at `before`, curvature, and the longest step that keeps z >= 0 (1 or more).
      const Eigen::VectorXd d = z - before;
      scratch.noalias() = M * d;
      const double curvature = d.dot(scratch);
      const double slope = d.dot(problem.q) + before.dot(scratch);
      double longest = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < n; ++i) {
        if (d[i] < 0.0) longest = std::min(longest, before[i] / -d[i]);
      }
      double t = curvature > 0.0 ? std::min(longest, -slope / curvature) : longest;
      if (slope < 0.0 && std::isinf(longest) && !(curvature > 1e-14 * d.squaredNorm() * s.maxCoeff())) ray = d;
      if (!std::isfinite(t) || !(t > 0.0)) t = 1.0;
      z = (before + t * d).cwiseMax(0.0);
    }
    if (result.iterations % options.check_every != 0 && result.iterations != options.max_sweeps) continue;
    if (!z.allFinite()) {
      end = Status::NumericalFailure;
      reason = "the sweeps diverge";
      break;
    }
    detail::keep_better(problem, z, scratch, result);
    if (ray.size() == n && ray.maxCoeff() > 0.0) {
      ray /= ray.maxCoeff();
      if (detail::prove_infeasible(problem, ray)) {
        end = Status::Stalled;
        reason = "a direction along which the quadratic falls without end";
        break;
      }
      ray.resize(0);
    }
  }
  detail::conclude(problem, options.tolerance, result, end, reason);
  if (result.status == Status::Stalled && ray.size() == n && proves_infeasible(problem, ray)) {
    nonsmooth::detail::end_infeasible(result.reason, ray, result);
  }
  return result;
}

}  // namespace

void Splitting::validate() const {
  if (kind != Kind::Jacobi && kind != Kind::GaussSeidel && kind != Kind::SymmetricGaussSeidel) {
    throw InvalidArgument("lcp::Splitting::kind", std::to_string(static_cast<int>(kind)), "a value of the enumeration");
  }
  check::positive("lcp::Splitting::tolerance", tolerance);
  check::at_least("lcp::Splitting::max_sweeps", max_sweeps, 1);
  check::positive("lcp::Splitting::relaxation", relaxation);
  check::range("lcp::Splitting::relaxation", relaxation, 0.0, std::nextafter(2.0, 0.0));
  check::range("lcp::Splitting::proximal", proximal, 0.0, std::numeric_limits<double>::max());
  check::at_least("lcp::Splitting::check_every", check_every, 1);
  nonsmooth::detail::check_time_limit("lcp::Splitting::time_limit", time_limit);
}

Result solve(const Problem& problem, const Splitting& options) {
  problem.validate();
  options.validate();
  if (options.line_search) {
    detail::require_symmetric("lcp::Problem::M", ConstMatrixRef(problem.M), "which Splitting::line_search needs");
  }
  return run(detail::view(problem), DenseRowMatrix(problem.M), problem.M.diagonal(), options);
}

Result solve(const SparseProblem& problem, const Splitting& options) {
  problem.validate();
  options.validate();
  if (options.line_search) {
    detail::require_symmetric("lcp::Problem::M", problem.M, "which Splitting::line_search needs");
  }
  return run(problem, SparseRowMatrix(problem.M), problem.M.diagonal(), options);
}

}  // namespace nonsmooth::lcp
