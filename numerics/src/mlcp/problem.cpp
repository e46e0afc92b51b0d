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

void check_bounds(const Problem& problem) {
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

void Problem::validate() const {
  const Index n = num_free();
  const Index p = num_equalities();
  const Index m = num_constrained();
  if (p + m < 1 || n + m < 1) throw InvalidArgument("mlcp::Problem", "no rows or no unknowns", "at least one");
  // An empty block may have any empty shape.
  const auto block = [](std::string_view name, const Eigen::MatrixXd& matrix, Index rows, Index cols) {
    if (rows * cols == 0 && matrix.size() == 0) return;
    check::shape(name, matrix.rows(), matrix.cols(), rows, cols);
  };
  block("mlcp::Problem::A", A, p, n);
  block("mlcp::Problem::C", C, p, m);
  block("mlcp::Problem::D", D, m, n);
  block("mlcp::Problem::B", B, m, m);
  check::finite("mlcp::Problem::A", ConstMatrixRef(A));
  check::finite("mlcp::Problem::B", ConstMatrixRef(B));
  check::finite("mlcp::Problem::C", ConstMatrixRef(C));
  check::finite("mlcp::Problem::D", ConstMatrixRef(D));
  check::finite("mlcp::Problem::a", ConstVectorRef(a));
  check::finite("mlcp::Problem::b", ConstVectorRef(b));
  check_bounds(*this);
}

std::string Result::message() const {
  return nonsmooth::detail::message(*this,
                                    {.stalled = "try mlcp::Automatic, or look at mlcp::diagnose",
                                     .infeasible = "the vector `proof` shows that the rows contradict each other",
                                     .numerical_failure = "look at mlcp::diagnose and at the scaling of the rows"});
}

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

bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance) {
  const Index p = problem.num_equalities();
  const Index m = problem.num_constrained();
  if (y.size() != p + m) return false;
  const relay::Problem form = detail::relay_form(problem);
  Eigen::VectorXd padded = Eigen::VectorXd::Zero(form.q.size());
  padded.head(p) = y.head(p);
  padded.tail(m) = y.tail(m);
  return relay::proves_infeasible(form, padded, tolerance);
}

namespace detail {

relay::Problem relay_form(const Problem& problem) {
  const Index n = problem.num_free();
  const Index p = problem.num_equalities();
  const Index m = problem.num_constrained();
  const Index f = std::max(n, p);
  relay::Problem form;
  form.M.resize(f + m, f + m);
  form.q.resize(f + m);
  form.lower.resize(f + m);
  form.upper.resize(f + m);
  if (n != p) {
    form.M.setZero();
    form.q.setZero();
  }
  if (n > 0 && p > 0) form.M.topLeftCorner(p, n) = problem.A;
  if (m > 0 && p > 0) form.M.topRightCorner(p, m) = problem.C;
  if (m > 0 && n > 0) form.M.bottomLeftCorner(m, n) = problem.D;
  if (m > 0) form.M.bottomRightCorner(m, m) = problem.B;
  form.q.head(p) = problem.a;
  form.q.tail(m) = problem.b;
  form.lower.head(f).setConstant(-relay::detail::infinity);
  form.upper.head(f).setConstant(relay::detail::infinity);
  for (Index i = 0; i < m; ++i) {
    form.lower[f + i] = lower(problem, i);
    form.upper[f + i] = upper(problem, i);
  }
  return form;
}

Result from_relay(const Problem& problem, relay::Result&& result) {
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
  const Index f = result.z.size() - m;
  for (Index* row : {&out.certificate.worst_row, &out.certificate.worst_relative_row}) {
    if (*row >= p) *row -= std::min(f - p, *row - p);  // without the padding
  }
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

bool within(const Problem& problem, double tolerance, ConstVectorRef u, ConstVectorRef v, Certificate& certificate) {
  if (!(certificate.residual <= tolerance)) return false;
  if (certificate.round_off <= 64.0 * tolerance * certificate.scale) return true;
  const relay::Problem form = relay_form(problem);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(form.q.size());
  z.head(u.size()) = u;
  z.tail(v.size()) = v;
  return relay::detail::within(relay::detail::view(form), tolerance, z, certificate);
}

}  // namespace detail
}  // namespace nonsmooth::mlcp
