// SPDX-License-Identifier: Apache-2.0
// What the solvers of quadratic programs share; not installed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/qp/problem.hpp>

#include "buffer.hpp"
#include "end_infeasible.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::qp::detail {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class P>
double row_lower(const P& problem, Index i) {
  return problem.row_lower.size() ? problem.row_lower[i] : -infinity;
}
template <class P>
double row_upper(const P& problem, Index i) {
  return problem.row_upper.size() ? problem.row_upper[i] : infinity;
}
template <class P>
double lower(const P& problem, Index j) {
  return problem.lower.size() ? problem.lower[j] : -infinity;
}
template <class P>
double upper(const P& problem, Index j) {
  return problem.upper.size() ? problem.upper[j] : infinity;
}

/// The point of [low, high] that is nearest to value.
inline double clamp(double value, double low, double high) { return std::min(std::max(value, low), high); }

/// visit(row, entry) down column j.
template <class Visit>
void column(const Eigen::MatrixXd& matrix, Index j, Visit&& visit) {
  for (Index i = 0; i < matrix.rows(); ++i) visit(i, matrix(i, j));
}
template <class Visit>
void column(const Eigen::SparseMatrix<double>& matrix, Index j, Visit&& visit) {
  if (matrix.rows() == 0) return;  // of no shape, it has no columns either
  for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it) visit(it.row(), it.value());
}

/// Bounds of `size` entries each or none, that leave room. @throws InvalidArgument naming one of them; `why` as for
/// check::size.
void check_bounds(const char* low_name, const char* high_name, const Eigen::VectorXd& low, const Eigen::VectorXd& high,
                  Index size, std::string_view why);

/// Whether Q, symmetric, is positive semidefinite as Problem::validate asks for.
[[nodiscard]] bool is_convex(const Problem& problem);
[[nodiscard]] bool is_convex(const SparseProblem& problem);

/// The largest |Q_jj|, 0 for a linear program.
template <class P>
double largest_diagonal(const P& problem) {
  double largest = 0.0;
  for (Index j = 0; j < problem.num_unknowns(); ++j) largest = std::max(largest, std::abs(problem.Q.coeff(j, j)));
  return largest;
}

/// certify() with memory that is kept.
template <class P>
Certificate certify(const P& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s, Figures& figures,
                    nonsmooth::detail::Buffer& scratch);
/// The same by errors over the largest of their kind alone: of a linear program that stands for callables at x, where
/// bounds and slopes that are 0 but for rounding tell no size of their own.
Certificate certify_linearized(const SparseProblem& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s,
                               Figures& figures, nonsmooth::detail::Buffer& scratch);

/// Certifies result.x and result.y into result.
template <class P>
void certify_result(const P& problem, nonsmooth::detail::Buffer& scratch, Result& result) {
  result.s.resize(problem.num_unknowns());
  result.certificate = certify(problem, result.x, result.y, result.s, result.figures, scratch);
}

/// Certifies (x, y) and keeps it in result where its residual is smaller than the one there. True if it is.
template <class P>
bool keep_better(const P& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s, nonsmooth::detail::Buffer& scratch,
                 Result& result) {
  Figures figures;
  const Certificate certificate = certify(problem, x, y, s, figures, scratch);
  if (!(certificate.residual < result.certificate.residual) && !std::isnan(result.certificate.residual)) return false;
  result.x = x;
  result.y = y;
  result.s = s;
  result.figures = figures;
  result.certificate = certificate;
  return true;
}

/// True if a vector near y proves infeasibility, y is the proof then: y over its largest entry, also without its
/// entries of weight up to 1e-4 of the largest, and each of these refined by up to three relative changes of at most
/// 1e-3 of its entries. A refinement costs factors, and none begins after the deadline.
template <class P>
bool prove_infeasible(const P& problem, Eigen::VectorXd& y, const nonsmooth::detail::Deadline& deadline);
/// The same of a direction.
template <class P>
bool prove_unbounded(const P& problem, Eigen::VectorXd& d, const nonsmooth::detail::Deadline& deadline);

/// Ends the result by a direction that has been proven.
template <class R>
void end_unbounded(Eigen::VectorXd&& direction, R& result) {
  nonsmooth::detail::end_infeasible("the value falls without bound along `direction`", Eigen::VectorXd(), result);
  result.direction = std::move(direction);
}

/// The status of a solve that ended for `otherwise`: Solved where the certificate is at the tolerance.
template <class R>
void conclude(double tolerance, Status otherwise, std::string_view reason, R& result) {
  result.proof.resize(0);
  result.direction.resize(0);
  result.at_round_off = false;
  if (result.certificate.residual <= tolerance) {
    result.status = Status::Solved;
    result.reason = "the tolerance is met";
  } else {
    result.status = otherwise;
    result.reason = reason;
    nonsmooth::detail::note_round_off(false, result);
  }
}

}  // namespace nonsmooth::qp::detail
