// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "message.hpp"
#include "relay/refinement.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::mlcp {
namespace {

/// Row by row of (left right): calls each(row, value at (u, v), value at (0, nearest v), sum of absolute values).
template <class Each>
void rows_of(const Problem& problem, const Eigen::MatrixXd& left, const Eigen::MatrixXd& right,
             const Eigen::VectorXd& constant, ConstVectorRef u, ConstVectorRef v, Each&& each) {
  constexpr Index block = 64;  // rows a pass: the sums stay on the stack
  std::array<double, block> sum, bound, reference;
  for (Index first = 0; first < constant.size(); first += block) {
    const Index count = std::min(block, constant.size() - first);
    for (Index i = 0; i < count; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      sum[k] = reference[k] = constant[first + i];
      bound[k] = std::abs(constant[first + i]);
    }
    const auto add = [&](const Eigen::MatrixXd& matrix, Index j, double factor, double nearest) {
      const double* const column = matrix.data() + j * matrix.rows() + first;
      if (factor != 0.0) {
        for (Index i = 0; i < count; ++i) {
          const double product = column[i] * factor;
          sum[static_cast<std::size_t>(i)] += product;
          bound[static_cast<std::size_t>(i)] += std::abs(product);
        }
      }
      if (nearest != 0.0) {
        for (Index i = 0; i < count; ++i) reference[static_cast<std::size_t>(i)] += column[i] * nearest;
      }
    };
    for (Index j = 0; j < u.size(); ++j) add(left, j, u[j], 0.0);
    for (Index j = 0; j < v.size(); ++j) {
      add(right, j, v[j], relay::detail::clamp(0.0, detail::lower(problem, j), detail::upper(problem, j)));
    }
    for (Index i = 0; i < count; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      each(first + i, sum[k], reference[k], bound[k]);
    }
  }
}

double scale_of_row(const Problem& problem, Index i) {
  if (problem.B(i, i) > 0.0) return problem.B(i, i);
  double largest = problem.B.row(i).cwiseAbs().maxCoeff();
  if (problem.D.cols() > 0) largest = std::max(largest, problem.D.row(i).cwiseAbs().maxCoeff());
  return largest > 0.0 ? largest : 1.0;
}

template <class P>
void check_bounds(const P& problem) {
  const Index m = problem.num_constrained();
  if (problem.lower.size()) check::size("mlcp::Problem::lower", problem.lower.size(), m, "one a row of B, or none");
  if (problem.upper.size()) check::size("mlcp::Problem::upper", problem.upper.size(), m, "one a row of B, or none");
  for (Index i = 0; i < m; ++i) {
    const double low = detail::lower(problem, i);
    const double high = detail::upper(problem, i);
    const auto found = [i](double value) {
      std::ostringstream out;
      out.precision(17);
      out << value << " in entry " << i;
      return out.str();
    };
    if (!(low < relay::detail::infinity)) {
      throw InvalidArgument("mlcp::Problem::lower", found(low), "numbers below infinity");
    }
    if (!(high > -relay::detail::infinity)) {
      throw InvalidArgument("mlcp::Problem::upper", found(high), "numbers above -infinity");
    }
    if (!(low <= high)) {
      throw InvalidArgument("mlcp::Problem::lower", found(low), "at most the upper bound " + found(high));
    }
  }
}

}  // namespace

namespace {

template <class P>
void validate_common(const P& problem) {
  const Index n = problem.num_free();
  const Index p = problem.num_equalities();
  const Index m = problem.num_constrained();
  if (p + m < 1 || n + m < 1) throw InvalidArgument("mlcp::Problem", "no rows or no unknowns", "at least one");
  // An empty block may have any empty shape.
  const auto block = [](std::string_view name, const auto& matrix, Index rows, Index cols) {
    if (rows * cols == 0 && matrix.rows() * matrix.cols() == 0) return;
    check::shape(name, matrix.rows(), matrix.cols(), rows, cols);
  };
  block("mlcp::Problem::A", problem.A, p, n);
  block("mlcp::Problem::C", problem.C, p, m);
  block("mlcp::Problem::D", problem.D, m, n);
  block("mlcp::Problem::B", problem.B, m, m);
  nonsmooth::detail::check_finite("mlcp::Problem::A", problem.A);
  nonsmooth::detail::check_finite("mlcp::Problem::B", problem.B);
  nonsmooth::detail::check_finite("mlcp::Problem::C", problem.C);
  nonsmooth::detail::check_finite("mlcp::Problem::D", problem.D);
  check::finite("mlcp::Problem::a", ConstVectorRef(problem.a));
  check::finite("mlcp::Problem::b", ConstVectorRef(problem.b));
  check_bounds(problem);
}

}  // namespace

void Problem::validate() const { validate_common(*this); }
void SparseProblem::validate() const { validate_common(*this); }

std::string Result::message() const {
  return nonsmooth::detail::message(*this,
                                    {.stalled = "try mlcp::Automatic, or look at mlcp::diagnose",
                                     .infeasible = "the vector `proof` shows that the rows contradict each other",
                                     .numerical_failure = "look at mlcp::diagnose and at the scaling of the rows"});
}

namespace {

/// (u, v) with zeros between them up to `size`.
template <class P>
Eigen::VectorXd stacked(const P& problem, ConstVectorRef u, ConstVectorRef v, Index size) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(size);
  z.head(problem.num_free()) = u;
  z.tail(problem.num_constrained()) = v;
  return z;
}

template <class P>
bool proves_infeasible_any(const P& problem, ConstVectorRef y, double tolerance) {
  const Index p = problem.num_equalities();
  const Index m = problem.num_constrained();
  if (y.size() != p + m) return false;
  const auto form = detail::relay_form(problem);
  Eigen::VectorXd padded = Eigen::VectorXd::Zero(form.q.size());
  padded.head(p) = y.head(p);
  padded.tail(m) = y.tail(m);
  return relay::proves_infeasible(form, padded, tolerance);
}

}  // namespace

Certificate certify(const Problem& problem, ConstVectorRef u, ConstVectorRef v, VectorRef w, double floor) {
  const Index p = problem.num_equalities();
  check::size("mlcp::certify: u", u.size(), problem.num_free(), "one a column of A");
  check::size("mlcp::certify: v", v.size(), problem.num_constrained(), "one a row of B");
  check::size("mlcp::certify: w", w.size(), problem.num_constrained(), "one a row of B");
  relay::detail::Worst worst;
  rows_of(problem, problem.A, problem.C, problem.a, u, v, [&](Index i, double value, double reference, double bound) {
    worst.add(i, value, problem.a[i], reference, bound);
  });
  rows_of(problem, problem.D, problem.B, problem.b, u, v, [&](Index i, double value, double reference, double bound) {
    w[i] = value;
    const double error = relay::detail::row_error(scale_of_row(problem, i), v[i], value, detail::lower(problem, i),
                                                  detail::upper(problem, i));
    worst.add(p + i, error, problem.b[i], reference, bound);
  });
  return worst.finish(floor);
}

Certificate certify(const SparseProblem& problem, ConstVectorRef u, ConstVectorRef v, VectorRef w, double floor) {
  const Index m = problem.num_constrained();
  check::size("mlcp::certify: u", u.size(), problem.num_free(), "one a column of A");
  check::size("mlcp::certify: v", v.size(), m, "one a row of B");
  check::size("mlcp::certify: w", w.size(), m, "one a row of B");
  const relay::SparseProblem form = detail::relay_form(problem);
  Eigen::VectorXd all(form.q.size());
  Certificate certificate = relay::certify(form, stacked(problem, u, v, form.q.size()), all, floor);
  w = all.tail(m);
  detail::drop_padding(problem.num_equalities(), form.q.size() - m, certificate);
  return certificate;
}

bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance) {
  return proves_infeasible_any(problem, y, tolerance);
}
bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance) {
  return proves_infeasible_any(problem, y, tolerance);
}

namespace detail {

namespace {

/// q and the bounds of the form, f rows and unknowns of whose are free.
template <class P, class Form>
void form_vectors(const P& problem, Index f, Form& form) {
  const Index m = problem.num_constrained();
  form.q.setZero(f + m);
  form.q.head(problem.num_equalities()) = problem.a;
  form.q.tail(m) = problem.b;
  form.lower.setConstant(f + m, -relay::detail::infinity);
  form.upper.setConstant(f + m, relay::detail::infinity);
  for (Index i = 0; i < m; ++i) {
    form.lower[f + i] = lower(problem, i);
    form.upper[f + i] = upper(problem, i);
  }
}

template <class P>
Result from_relay_any(const P& problem, relay::Result&& result) {
  const Index n = problem.num_free();
  const Index p = problem.num_equalities();
  const Index m = problem.num_constrained();
  Result out;
  out.u = result.z.head(n);
  out.v = result.z.tail(m);
  out.w = result.w.tail(m);
  out.status = result.status;
  out.at_round_off = result.at_round_off;
  out.certificate = result.certificate;
  drop_padding(p, result.z.size() - m, out.certificate);
  out.iterations = result.iterations;
  out.solver = result.solver;
  out.reason = result.reason;
  if (result.proof.size() > 0) {
    out.proof.resize(p + m);
    out.proof.head(p) = result.proof.head(p);
    out.proof.tail(m) = result.proof.tail(m);
  }
  return out;
}

}  // namespace

relay::Problem relay_form(const Problem& problem) {
  const Index n = problem.num_free();
  const Index p = problem.num_equalities();
  const Index m = problem.num_constrained();
  const Index f = std::max(n, p);
  relay::Problem form;
  form.M.resize(f + m, f + m);
  if (n != p) form.M.setZero();
  if (n > 0 && p > 0) form.M.topLeftCorner(p, n) = problem.A;
  if (m > 0 && p > 0) form.M.topRightCorner(p, m) = problem.C;
  if (m > 0 && n > 0) form.M.bottomLeftCorner(m, n) = problem.D;
  if (m > 0) form.M.bottomRightCorner(m, m) = problem.B;
  form_vectors(problem, f, form);
  return form;
}

relay::SparseProblem relay_form(const SparseProblem& problem) {
  const Index m = problem.num_constrained();
  const Index f = std::max(problem.num_free(), problem.num_equalities());
  relay::SparseProblem form;
  std::vector<Eigen::Triplet<double>> entries;
  const auto put = [&entries](const Eigen::SparseMatrix<double>& block, Index row, Index column) {
    nonsmooth::detail::for_each_entry(block, [&](Index i, Index j, double value) {
      entries.emplace_back(static_cast<int>(row + i), static_cast<int>(column + j), value);
    });
  };
  put(problem.A, 0, 0);
  put(problem.C, 0, f);
  put(problem.D, f, 0);
  put(problem.B, f, f);
  form.M.resize(f + m, f + m);
  form.M.setFromTriplets(entries.begin(), entries.end());
  form_vectors(problem, f, form);
  return form;
}

void drop_padding(Index p, Index f, Certificate& certificate) {
  for (Index* row : {&certificate.worst_row, &certificate.worst_relative_row}) {
    if (*row >= p) *row -= std::min(f - p, *row - p);
  }
}

Result from_relay(const Problem& problem, relay::Result&& result) { return from_relay_any(problem, std::move(result)); }
Result from_relay(const SparseProblem& problem, relay::Result&& result) {
  return from_relay_any(problem, std::move(result));
}

void refine(const Problem& problem, double tolerance, Index max_iterations, const nonsmooth::detail::Deadline& deadline,
            Result& result) {
  const Index m = problem.num_constrained(), size = std::max(problem.num_free(), problem.num_equalities()) + m;
  if (!nonsmooth::detail::ended_near(result, tolerance, max_iterations)) return;
  if (size > nonsmooth::detail::most_full_rows) return;
  const relay::Problem form = relay_form(problem);
  relay::Result same;
  same.z.setZero(size);
  same.z.head(result.u.size()) = result.u;
  same.z.tail(m) = result.v;
  same.w.setZero(size);
  same.certificate = relay::certify(form, same.z, same.w);
  same.status = result.status;
  same.iterations = result.iterations;
  same.solver = result.solver;
  same.reason = result.reason;
  const double before = same.certificate.residual;
  relay::detail::refine(relay::detail::view(form), tolerance, max_iterations, deadline, same);
  if (same.certificate.residual < before) result = from_relay(problem, std::move(same));
}

namespace {

template <class P>
bool within_any(const P& problem, double tolerance, ConstVectorRef u, ConstVectorRef v, Certificate& certificate) {
  if (!(certificate.residual <= tolerance)) return false;
  if (certificate.round_off <= 64.0 * tolerance * certificate.scale) return true;
  const auto form = relay_form(problem);
  return relay::detail::within(relay::detail::view(form), tolerance, stacked(problem, u, v, form.q.size()),
                               certificate);
}

}  // namespace

bool within(const Problem& problem, double tolerance, ConstVectorRef u, ConstVectorRef v, Certificate& certificate) {
  return within_any(problem, tolerance, u, v, certificate);
}
bool within(const SparseProblem& problem, double tolerance, ConstVectorRef u, ConstVectorRef v,
            Certificate& certificate) {
  return within_any(problem, tolerance, u, v, certificate);
}

}  // namespace detail
}  // namespace nonsmooth::mlcp
