// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "coarse_principal.hpp"
#include "internal.hpp"
#include "multigrid_sequence.hpp"

namespace nonsmooth::lcp {
namespace {

using detail::RowMatrix;

/// Factors of a matrix of n rows and bandwidth b cost n b^2: below this, less than a handful of cycles.
constexpr double direct_limit = 2e7;
/// An inner solve that reduces its residual to this share finds the next set as well as an exact one.
constexpr double inner_reduction = 0.1;
/// Steps without a new least error after which there is nothing more to gain.
constexpr Index patience = 15;

double work_of_factors(const RowMatrix& A) {
  int bandwidth = 0;
  for (int i = 0; i < A.rows; ++i) {
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
      bandwidth = std::max(bandwidth, std::abs(A.column[at(k)] - i));
    }
  }
  return static_cast<double>(A.rows) * bandwidth * bandwidth;
}

/// One projected Gauss-Seidel sweep forward and one backward on 0 <= z, A z + q >= 0: they move the border of the set
/// where a Newton step, which releases a row only where its neighbour pulls, would take one row a step.
void relax(const RowMatrix& A, const Eigen::VectorXd& s, const Eigen::VectorXd& q, Eigen::VectorXd& z) {
  const auto row = [&](int i) {
    double w = q[i];
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) w += A.value[at(k)] * z[A.column[at(k)]];
    z[i] = std::max(0.0, z[i] - w / s[i]);
  };
  for (int i = 0; i < A.rows; ++i) row(i);
  for (int i = A.rows; i-- > 0;) row(i);
}

/// z_i := 0 outside `rows` (ascending).
void clear_others(const std::vector<int>& rows, Eigen::VectorXd& z) {
  std::size_t k = 0;
  for (Index i = 0; i < z.size(); ++i) {
    if (k < rows.size() && rows[k] == i) {
      ++k;
    } else {
      z[i] = 0.0;
    }
  }
}

class CoarseToFine {
 public:
  struct End {
    Status status = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    Index steps = 0;  // on the finest level
  };

  CoarseToFine(const Multigrid& options, const detail::CoarseHierarchy& hierarchy, bool symmetric)
      : options_(options),
        hierarchy_(hierarchy),
        deadline_(options.time_limit),
        multigrid_(hierarchy, symmetric),
        factors_(symmetric ? Structure::SymmetricPositiveDefinite : Structure::General) {}

  /// Until max_i |min(s_i z_i, w_i)| <= target. From `start` on the finest level, or where that is empty from the
  /// coarsest on.
  End solve(const Eigen::VectorXd& q, double target, const Eigen::VectorXd& start, Eigen::VectorXd& z) {
    if (start.size() > 0) {
      z = start.cwiseMax(0.0);
      return active_set(0, q, target, z);
    }
    std::vector<Eigen::VectorXd> loads(hierarchy_.size());
    loads.front() = q;
    for (std::size_t l = 0; l + 1 < hierarchy_.size(); ++l) {
      detail::multiply(hierarchy_.level(l).Pt, loads[l], loads[l + 1]);
    }
    z.setZero(loads.back().size());
    Eigen::VectorXd coarse;
    for (std::size_t l = hierarchy_.size() - 1; l > 0; --l) {
      // A coarse problem without an answer still gives a start; the finest level says what the end was.
      static_cast<void>(active_set(l, loads[l], target, z));
      coarse = z;
      detail::multiply(hierarchy_.level(l - 1).P, coarse, z);
    }
    return active_set(0, q, target, z);
  }

 private:
  End active_set(std::size_t l, const Eigen::VectorXd& q, double target, Eigen::VectorXd& z) {
    const RowMatrix& A = hierarchy_.level(l).A;
    const bool direct = A.rows <= hierarchy_.coarsest() || work_of_factors(A) <= direct_limit;
    const Eigen::VectorXd s = A.diagonal();
    Eigen::VectorXd w, best = z, b, x;
    double least = std::numeric_limits<double>::infinity();
    Index since = 0;
    std::vector<int> rows, before;
    const auto ends = [&](Status status, std::string_view reason, Index steps) {
      z = best;
      return End{status, reason, steps};
    };
    for (Index step = 0;; ++step) {
      detail::multiply_add(A, z, q, w);
      double error = 0.0;
      rows.clear();
      for (int i = 0; i < A.rows; ++i) {
        const double scaled = s[i] * z[i];
        error = std::max(error, std::abs(std::min(scaled, w[i])));
        if (scaled > w[i]) rows.push_back(i);
      }
      if (!z.allFinite() || !std::isfinite(error)) return ends(Status::NumericalFailure, "a number overflowed", step);
      if (error < least) {
        least = error;
        best = z;
        since = 0;
      } else if (++since > patience) {
        return ends(Status::Stalled, "the error no longer falls: round-off, or M is far from an M-matrix", step);
      }
      if (error <= target || rows.empty()) {
        return ends(Status::Stalled, "the final active set is too ill-conditioned for the tolerance", step);
      }
      if (step >= options_.max_steps) return ends(Status::IterationLimit, "max_steps reached", step);
      if (deadline_.passed()) return ends(Status::TimeLimit, "time_limit reached", step);
      const bool same = rows == before;
      // The same set again with an error that no longer falls: what is left is round-off.
      if (same && direct && error > least) {
        return ends(Status::Stalled, "the final active set is too ill-conditioned for the tolerance", step);
      }
      clear_others(rows, z);
      detail::multiply_add(A, z, q, w);
      b.resize(static_cast<Index>(rows.size()));
      for (std::size_t k = 0; k < rows.size(); ++k) b[static_cast<Index>(k)] = -w[rows[k]];
      if (!solve_principal(l, rows, same, direct, target, b, x)) {
        return ends(Status::NumericalFailure, "a principal matrix is singular: M is no M-matrix, or badly scaled",
                    step);
      }
      for (std::size_t k = 0; k < rows.size(); ++k) z[rows[k]] += x[static_cast<Index>(k)];
      z = z.cwiseMax(0.0);
      relax(A, s, q, z);
      before.swap(rows);
    }
  }

  /// A(rows, rows) x = b; `same` rows as in the call before.
  bool solve_principal(std::size_t l, const std::vector<int>& rows, bool same, bool direct, double target,
                       const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    if (direct) {
      if (!same && !factors_.factorize(detail::principal_submatrix(hierarchy_.level(l).A, rows).to_eigen())) {
        return false;
      }
      x = b;
      factors_.solve_in_place(x);
      return true;
    }
    if (!same && !multigrid_.prepare(l, rows)) return false;
    const double given = b.cwiseAbs().maxCoeff();
    multigrid_.solve(b, std::max(0.3 * target, inner_reduction * given), options_.max_cycles, x);
    return true;
  }

  const Multigrid& options_;
  const detail::CoarseHierarchy& hierarchy_;
  nonsmooth::detail::Deadline deadline_;
  detail::CoarsePrincipal multigrid_;
  SparseFactorization factors_;
};

/// Equal arrays by rows and by columns; a symmetric matrix stored otherwise passes for one that is not.
bool is_symmetric(const RowMatrix& A, const Eigen::SparseMatrix<double>& M) {
  return M.isCompressed() && std::equal(A.begin.begin(), A.begin.end(), M.outerIndexPtr()) &&
         std::equal(A.column.begin(), A.column.end(), M.innerIndexPtr()) &&
         std::equal(A.value.begin(), A.value.end(), M.valuePtr());
}

}  // namespace

void Multigrid::validate() const {
  check::positive("lcp::Multigrid::tolerance", tolerance);
  check::at_least("lcp::Multigrid::max_steps", max_steps, 1);
  check::at_least("lcp::Multigrid::max_cycles", max_cycles, 1);
  check::at_least("lcp::Multigrid::coarsest", coarsest, 1);
  nonsmooth::detail::check_time_limit("lcp::Multigrid::time_limit", time_limit);
}

Result solve(const SparseProblem& problem, const Multigrid& options) {
  return detail::MultigridSequence().solve(problem, options, {});
}

detail::MultigridSequence::MultigridSequence() = default;
detail::MultigridSequence::~MultigridSequence() = default;

Result detail::MultigridSequence::solve(const SparseProblem& problem, const Multigrid& options,
                                        const Eigen::VectorXd& start) {
  problem.validate();
  options.validate();
  Result result;
  result.solver = "multigrid";
  const Index n = problem.q.size();
  if (!(problem.M.diagonal().minCoeff() > 0.0)) {
    result.z.setZero(n);
    detail::conclude(problem, options.tolerance, result, Status::NumericalFailure, "M has no positive diagonal");
    return result;
  }
  if (start.size() > 0 && hierarchy_ && hierarchy_->level(0).A.rows == n) {
    hierarchy_->replace_finest(problem.M);
  } else {
    hierarchy_ = std::make_unique<CoarseHierarchy>(problem.M, options.coarsest);
  }
  CoarseToFine algorithm(options, *hierarchy_, is_symmetric(hierarchy_->level(0).A, problem.M));
  Eigen::VectorXd z;
  // Half of what the certificate allows: its w is summed in another order.
  const CoarseToFine::End end =
      algorithm.solve(problem.q, 0.5 * options.tolerance * problem.q.cwiseAbs().maxCoeff(), start, z);
  result.iterations = end.steps;
  result.z = z;
  detail::conclude(problem, options.tolerance, result, end.status, end.reason);
  return result;
}

}  // namespace nonsmooth::lcp
