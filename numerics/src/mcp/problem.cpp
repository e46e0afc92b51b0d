// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mcp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "checked_jacobian.hpp"
#include "internal.hpp"
#include "message.hpp"
#include "portfolio.hpp"
#include "relative_rows.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mcp {
namespace {

/// s (x - P(x - f/s)) of one row; lets a NaN of f through.
double row_error(double s, double x, double f, double lower, double upper) {
  return nonsmooth::detail::box_row({.function = nonsmooth::detail::BoxFunction::Minimum}, s, x, f, lower, upper).value;
}

std::string entry(double value, Index i) { return check::text(value) + " in entry " + std::to_string(i); }

}  // namespace

void Problem::validate() const {
  F.validate();
  const Index n = F.num_unknowns;
  if (F.num_values != n) {
    throw InvalidArgument("mcp::Problem::F",
                          std::to_string(F.num_values) + " values of " + std::to_string(n) + " unknowns",
                          "as many as unknowns");
  }
  check::size("mcp::Problem::lower", lower.size(), n, "one an unknown");
  check::size("mcp::Problem::upper", upper.size(), n, "one an unknown");
  for (Index i = 0; i < n; ++i) {
    if (!(lower[i] < detail::infinity))
      throw InvalidArgument("mcp::Problem::lower", entry(lower[i], i), "numbers below infinity");
    if (!(upper[i] > -detail::infinity))
      throw InvalidArgument("mcp::Problem::upper", entry(upper[i], i), "numbers above -infinity");
    if (!(lower[i] <= upper[i]))
      throw InvalidArgument("mcp::Problem::lower", entry(lower[i], i), "at most the upper bound " + entry(upper[i], i));
  }
  if (start.size() > 0) {
    check::size("mcp::Problem::start", start.size(), n, "one an unknown, or none");
    check::finite("mcp::Problem::start", ConstVectorRef(start));
  }
  for (const Index i : affine_rows) check::within("mcp::Problem::affine_rows: an entry", i, 0, n - 1);
  if (!affine_rows.empty() && !F.has_jacobian())
    throw InvalidArgument("mcp::Problem::affine_rows", "no Jacobian of F", "one, which says what the rows are");
  if (!(scale >= 0.0) || std::isinf(scale))
    throw InvalidArgument("mcp::Problem::scale", check::text(scale), "a positive finite number, or 0");
}

Problem complementarity(NonlinearMap F, Eigen::VectorXd start) {
  const Index n = std::max<Index>(0, F.num_unknowns);
  return {.F = std::move(F),
          .lower = Eigen::VectorXd::Zero(n),
          .upper = Eigen::VectorXd::Constant(n, detail::infinity),
          .start = std::move(start)};
}

Problem equations(NonlinearMap F, Eigen::VectorXd start) {
  const Index n = std::max<Index>(0, F.num_unknowns);
  return {.F = std::move(F),
          .lower = Eigen::VectorXd::Constant(n, -detail::infinity),
          .upper = Eigen::VectorXd::Constant(n, detail::infinity),
          .start = std::move(start)};
}

std::string Result::message() const {
  std::string text =
      nonsmooth::detail::message(*this, {.stalled = "try mcp::Automatic, another start, or compare_jacobian",
                                         .infeasible = "the vector `proof` shows it",
                                         .numerical_failure = "keep F finite within the bounds, or narrow them"});
  if (!not_finite.empty()) text += "; " + not_finite;
  return text;
}

Certificate certify(const Problem& problem, ConstVectorRef x, VectorRef w, double floor) {
  problem.validate();
  const Index n = problem.size();
  check::size("mcp::certify: x", x.size(), n, "one an unknown");
  check::size("mcp::certify: w", w.size(), n, "one an unknown");
  Index values = 0;
  const double scale = detail::data_scale(problem, values);
  Certificate certificate;
  detail::Jacobian jacobian(problem);
  std::optional<NotFinite> found = evaluate(problem.F, x, w);
  if (!found) found = jacobian.evaluate(problem, x, w);
  if (found) {
    certificate.worst_row = found->component;
    return certificate;
  }
  return detail::certify(problem, scale, x, w, jacobian, floor);
}

namespace detail {

double data_scale(const Problem& problem, Index& values) {
  if (problem.scale > 0.0) return problem.scale;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(problem.size()), f(problem.size());
  double smallest = infinity;
  const auto ask = [&] {
    clamp(problem, x);
    ++values;
    if (evaluate(problem.F, x, f)) return;
    const double size = f.cwiseAbs().maxCoeff();
    if (size > 0.0) smallest = std::min(smallest, size);
  };
  ask();
  if (problem.start.size() > 0) {
    x = problem.start;
    ask();
  }
  return smallest < infinity ? smallest : 0.0;
}

void finish_slopes(const Problem& problem, double scale, VectorRef s) {
  for (Index i = 0; i < s.size(); ++i) {
    s[i] = std::max(s[i], scale / (problem.F.sizes.size() > 0 ? problem.F.sizes[i] : 1.0));
    if (!(s[i] > 0.0)) s[i] = 1.0;
  }
}

Certificate certify(const Problem& problem, double data_scale, ConstVectorRef x, ConstVectorRef f,
                    const Jacobian& jacobian, double floor) {
  const Index n = problem.size();
  Eigen::VectorXd s(n), terms(n);
  jacobian.slopes(s);
  jacobian.terms(x, terms);
  terms += f.cwiseAbs();
  Certificate certificate;
  certificate.round_off = 64.0 * eps * terms.maxCoeff();
  certificate.scale = std::max(data_scale, floor < 0.0 ? certificate.round_off : floor);
  finish_slopes(problem, certificate.scale, s);
  certificate.error = 0.0;
  certificate.worst_row = 0;
  nonsmooth::detail::RelativeRows relative;
  for (Index i = 0; i < n; ++i) {
    const double error = std::abs(problem.lower[i] == problem.upper[i]
                                      ? s[i] * (x[i] - problem.lower[i])
                                      : row_error(s[i], x[i], f[i], problem.lower[i], problem.upper[i]));
    if (!(error <= certificate.error) && !std::isnan(certificate.error)) {
      certificate.error = error;
      certificate.worst_row = i;
    }
    relative.add(i, error, terms[i]);
  }
  certificate.residual = certificate.error == 0.0 ? 0.0 : certificate.error / certificate.scale;
  if (std::isinf(certificate.scale)) certificate.residual = std::numeric_limits<double>::quiet_NaN();
  relative.tell(certificate);
  return certificate;
}

bool within(const Certificate& certificate, double tolerance) noexcept {
  return certificate.residual <= tolerance && (certificate.error == 0.0 || certificate.scale > certificate.round_off);
}

bool Evaluator::value(ConstVectorRef x, VectorRef f) {
  ++result_.values;
  std::optional<NotFinite> found = evaluate(problem_.F, x, f);
  if (!found) return true;
  not_finite_ = std::move(found);
  return false;
}

bool Evaluator::jacobian_at(ConstVectorRef x, ConstVectorRef f) {
  ++result_.jacobians;
  std::optional<NotFinite> found = jacobian_.evaluate(problem_, x, f);
  if (!found) return true;
  not_finite_ = std::move(found);
  return false;
}

void check_jacobian_at(const Problem& problem, const Eigen::VectorXd& x) {
  nonsmooth::detail::check_jacobian("mcp::Problem::F", problem.F, x, problem.lower, problem.upper);
}

Eigen::VectorXd start_of(const Problem& problem, const std::string& argument, const Eigen::VectorXd& start,
                         bool check_jacobian) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(problem.size());
  if (start.size() > 0) {
    check::size(argument, start.size(), problem.size(), "one an unknown, or none");
    check::finite(argument, ConstVectorRef(start));
    x = start;
  } else if (problem.start.size() > 0) {
    x = problem.start;
  }
  clamp(problem, x);
  if (check_jacobian) check_jacobian_at(problem, x);
  return x;
}

void evaluate_start(const Problem& problem, Evaluator& evaluator, const Eigen::VectorXd& x, Eigen::VectorXd& f) {
  if (!evaluator.value(x, f) || !evaluator.jacobian_at(x, f))
    throw InvalidArgument("mcp::Problem::F", evaluator.not_finite()->message(problem.F), "finite numbers at the start");
}

namespace {

/// Whether a residual says anything: its scale is that of the data, not of terms that have run away.
bool vouches(const Certificate& certificate) {
  return certificate.error == 0.0 || certificate.scale > certificate.round_off;
}

bool is_better(const Certificate& found, const Certificate& best, double tolerance) {
  if (within(found, tolerance) != within(best, tolerance)) return within(found, tolerance);
  if (vouches(found) != vouches(best)) return vouches(found);
  return nonsmooth::detail::is_better(found.residual, best.residual);
}

}  // namespace

bool keep(ConstVectorRef x, ConstVectorRef f, const Certificate& certificate, double tolerance, Result& result) {
  if (result.x.size() == 0 || is_better(certificate, result.certificate, tolerance)) {
    result.x = x;
    result.w = f;
    result.certificate = certificate;
  }
  return within(result.certificate, tolerance);
}

void conclude(const Problem& problem, double tolerance, const Evaluator& evaluator, Result& result, Status otherwise,
              std::string_view reason) {
  const bool bounded = problem.lower.allFinite() && problem.upper.allFinite();
  result.proof.resize(0);
  result.not_finite.clear();
  if (within(result.certificate, tolerance)) {
    result.status = Status::Solved;
    result.reason = "the certificate is at or below the tolerance";
  } else if (nonsmooth::detail::solved_to_round_off(result.certificate, bounded)) {
    result.status = Status::Stalled;
    result.reason = nonsmooth::detail::solved_at_round_off;
  } else if (otherwise == Status::Stalled && evaluator.not_finite()) {
    result.status = Status::NumericalFailure;
    result.reason = "F is not finite where the steps lead";
    result.not_finite = evaluator.not_finite()->message(problem.F);
  } else if (otherwise == Status::Stalled && result.certificate.residual <= tolerance) {
    result.status = Status::Stalled;
    result.reason =
        "terms of F have outgrown its size at the start: a runaway, or a scale to be given in Problem::scale";
  } else {
    result.status = otherwise;
    result.reason = reason;
  }
  result.at_round_off = false;
  nonsmooth::detail::note_round_off(bounded, result);
}

}  // namespace detail
}  // namespace nonsmooth::mcp
