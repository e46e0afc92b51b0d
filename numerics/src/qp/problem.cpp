// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/problem.hpp>

#include <optional>
#include <sstream>
#include <string>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "internal.hpp"
#include "lcp/symmetry.hpp"
#include "message.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::qp {
namespace {

constexpr Index told_rows = 500;  // larger sparse matrices have no eigenvalue computed for a message
constexpr std::string_view convex = "a positive semidefinite matrix, as the program is to be convex";

std::string entry(double value, Index i, Index j) {
  return check::text(value) + " in entry (" + std::to_string(i) + ", " + std::to_string(j) + ")";
}

/// What a Q is refused for; nothing where it is positive semidefinite.
using Refusal = std::optional<std::string>;

std::string indefinite(const Eigen::MatrixXd& scaled) {
  const double least = symmetric_eigen(scaled).values[0];
  return "the eigenvalue " + check::text(least) + " of Q with rows and columns over sqrt Q_jj";
}

/// D^-1 Q D^-1 + shift I, with 1 + shift on the diagonal of empty rows.
Refusal look_at_factors(Eigen::MatrixXd scaled, double shift) {
  Eigen::MatrixXd factors = scaled;
  factors.diagonal().array() += shift;
  if (cholesky_in_place(factors)) return std::nullopt;
  return indefinite(scaled);
}
Refusal look_at_factors(Eigen::SparseMatrix<double> scaled, double shift) {
  Eigen::SparseMatrix<double> shifted(scaled.rows(), scaled.cols());
  shifted.setIdentity();
  shifted = scaled + shift * shifted;
  SparseFactorization factors(Structure::SymmetricPositiveDefinite);
  if (factors.factorize(shifted)) return std::nullopt;
  if (scaled.rows() <= told_rows) return indefinite(Eigen::MatrixXd(scaled));
  return "a pivot of Cholesky's factors that is not positive";
}

void scale_column(Eigen::MatrixXd& Q, Index j, const Eigen::VectorXd& unit) {
  Q.col(j).array() *= unit.array() * unit[j];
  if (Q(j, j) == 0.0) Q(j, j) = 1.0;
}
void scale_column(Eigen::SparseMatrix<double>& Q, Index j, const Eigen::VectorXd& unit) {
  for (Eigen::SparseMatrix<double>::InnerIterator it(Q, j); it; ++it) it.valueRef() *= unit[it.row()] * unit[j];
}

template <class P>
Refusal look_at_curvature(const P& problem) {
  const Index n = problem.num_unknowns();
  Eigen::VectorXd unit(n);
  bool is_diagonal = true, empty_row = false;
  for (Index j = 0; j < n; ++j) {
    const double diagonal = problem.Q.coeff(j, j);
    if (diagonal < 0.0) return entry(diagonal, j, j);
    unit[j] = diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 0.0;
    if (!(diagonal > 0.0)) empty_row = true;
    if (is_diagonal)
      detail::column(problem.Q, j,
                     [&](Index i, double value) { is_diagonal = is_diagonal && (i == j || value == 0.0); });
  }
  if (is_diagonal) return std::nullopt;
  if (empty_row) {
    Refusal refusal;
    for (Index j = 0; j < n && !refusal; ++j) {
      if (unit[j] != 0.0) continue;
      detail::column(problem.Q, j, [&](Index i, double value) {
        if (value == 0.0 || refusal) return;
        refusal = entry(value, i, j) + " beside 0 in entry (" + std::to_string(j) + ", " + std::to_string(j) +
                  "), a negative minor";
      });
    }
    if (refusal) return refusal;
  }
  auto scaled = problem.Q;
  for (Index j = 0; j < n; ++j) scale_column(scaled, j, unit);
  if constexpr (std::is_same_v<P, SparseProblem>) {
    if (empty_row) {
      Eigen::SparseMatrix<double> ones(n, n);
      for (Index j = 0; j < n; ++j) {
        if (unit[j] == 0.0) ones.insert(j, j) = 1.0;
      }
      scaled += ones;
    }
  }
  return look_at_factors(std::move(scaled), 64.0 * static_cast<double>(n) * eps);
}

template <class P>
void validate(const P& problem) {
  const Index n = problem.num_unknowns(), m = problem.num_rows();
  if (n < 1) throw InvalidArgument("qp::Problem::c", "no entries", "at least one");
  check::shape("qp::Problem::Q", problem.Q.rows(), problem.Q.cols(), n, n);
  if (m > 0 || problem.A.cols() > 0) check::shape("qp::Problem::A", problem.A.rows(), problem.A.cols(), m, n);
  nonsmooth::detail::check_finite("qp::Problem::Q", problem.Q);
  nonsmooth::detail::check_finite("qp::Problem::A", problem.A);
  check::finite("qp::Problem::c", ConstVectorRef(problem.c));
  detail::check_bounds("qp::Problem::row_lower", "qp::Problem::row_upper", problem.row_lower, problem.row_upper, m,
                       "one a row of A, or none");
  detail::check_bounds("qp::Problem::lower", "qp::Problem::upper", problem.lower, problem.upper, n,
                       "one an entry of c, or none");
  lcp::detail::require_symmetric("qp::Problem::Q", problem.Q, "as x^T Q x has no other part");
  if (const Refusal refusal = look_at_curvature(problem))
    throw InvalidArgument("qp::Problem::Q", *refusal, std::string(convex));
}

}  // namespace

void detail::check_bounds(const char* low_name, const char* high_name, const Eigen::VectorXd& low,
                          const Eigen::VectorXd& high, Index size, std::string_view why) {
  if (low.size()) check::size(low_name, low.size(), size, why);
  if (high.size()) check::size(high_name, high.size(), size, why);
  const auto found = [](double value, Index i) { return check::text(value) + " in entry " + std::to_string(i); };
  for (Index i = 0; i < size; ++i) {
    const double l = low.size() ? low[i] : -infinity, h = high.size() ? high[i] : infinity;
    if (!(l < infinity)) throw InvalidArgument(low_name, found(l, i), "numbers below infinity");
    if (!(h > -infinity)) throw InvalidArgument(high_name, found(h, i), "numbers above -infinity");
    if (!(l <= h)) throw InvalidArgument(low_name, found(l, i), "at most the upper bound " + found(h, i));
  }
}

bool detail::is_convex(const Problem& problem) { return !look_at_curvature(problem); }
bool detail::is_convex(const SparseProblem& problem) { return !look_at_curvature(problem); }

void Problem::validate() const { qp::validate(*this); }
void SparseProblem::validate() const { qp::validate(*this); }

std::string Result::message() const {
  return nonsmooth::detail::message(
      *this, {.stalled = "try qp::Automatic, or bring the units of the rows closer together",
              .infeasible = direction.size() > 0 ? "a bound on what `direction` moves is missing"
                                                 : "the rows where `proof` is not 0 contradict each other or bounds",
              .numerical_failure = "look at the scaling of the rows"});
}

}  // namespace nonsmooth::qp
