// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/analysis/matrix_classes.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "matrix_tests.hpp"

namespace nonsmooth::analysis {
namespace detail {

Finding holds(std::string_view reason) {
  Finding finding;
  finding.verdict = Verdict::Holds;
  finding.reason = reason;
  return finding;
}

Finding fails(std::string_view reason) {
  Finding finding;
  finding.verdict = Verdict::Fails;
  finding.reason = reason;
  return finding;
}

Finding not_known(std::string_view reason) {
  Finding finding;
  finding.reason = reason;
  return finding;
}

double power_of_two(double size) {
  if (!(size > 0.0) || !std::isfinite(size)) return 1.0;
  return std::ldexp(1.0, std::clamp(std::ilogb(size), -500, 500));
}

Equilibrated equilibrate(const BallMatrix& M) {
  Equilibrated scaled{.M = M, .row = Eigen::VectorXd(M.rows()), .column = Eigen::VectorXd(M.cols())};
  for (Index i = 0; i < M.rows(); ++i) scaled.row[i] = 1.0 / power_of_two(M.mid.row(i).cwiseAbs().maxCoeff());
  scaled.M.mid = scaled.row.asDiagonal() * M.mid;
  for (Index j = 0; j < M.cols(); ++j) {
    scaled.column[j] = 1.0 / power_of_two(scaled.M.mid.col(j).cwiseAbs().maxCoeff());
  }
  scaled.M.mid = scaled.M.mid * scaled.column.asDiagonal();
  scaled.M.rad = scaled.row.asDiagonal() * M.rad * scaled.column.asDiagonal();
  return scaled;
}

Eigen::VectorXd without_noise(const Eigen::VectorXd& v) {
  const double noise = 1e-13 * v.cwiseAbs().maxCoeff();
  return v.unaryExpr([noise](double entry) { return std::abs(entry) <= noise ? 0.0 : entry; });
}

namespace {

/// Whether test(i, j) is true, false or not known for every pair; the first pair for which it is false.
template <class Test>
Finding every_entry(Index n, bool diagonal, std::string_view reason, Test&& test) {
  Finding result = holds(reason);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      if (i == j && !diagonal) continue;
      const Verdict verdict = test(i, j);
      if (verdict == Verdict::Fails) {
        result = fails("an entry does not agree");
        result.rows = {i, j};
        return result;
      }
      if (verdict == Verdict::NotKnown) result = not_known("an entry is known only to its error");
    }
  }
  return result;
}

Verdict is_zero(const Ball& entry) {
  if (entry.zero()) return Verdict::Holds;
  return entry.positive() || entry.negative() ? Verdict::Fails : Verdict::NotKnown;
}

Verdict is_nonnegative(const Ball& entry) {
  if (entry.nonnegative()) return Verdict::Holds;
  return entry.negative() ? Verdict::Fails : Verdict::NotKnown;
}

}  // namespace

void examine_entries(const BallMatrix& M, MatrixClasses& classes) {
  const Index n = M.rows();
  classes.symmetric =
      every_entry(n, false, "entry by entry", [&](Index i, Index j) { return is_zero(M(i, j) - M(j, i)); });
  classes.skew_symmetric =
      every_entry(n, true, "entry by entry", [&](Index i, Index j) { return is_zero(M(i, j) + M(j, i)); });
  classes.zero = every_entry(n, true, "entry by entry", [&](Index i, Index j) { return is_zero(M(i, j)); });
  classes.nonnegative =
      every_entry(n, true, "entry by entry", [&](Index i, Index j) { return is_nonnegative(M(i, j)); });
  classes.z = every_entry(n, false, "entry by entry", [&](Index i, Index j) { return is_nonnegative(-M(i, j)); });
}

}  // namespace detail

void MatrixOptions::validate() const {
  check::range("analysis::MatrixOptions::max_exact", static_cast<double>(max_exact), 1.0, 24.0);
  if (entry_error.size() == 0) return;
  check::finite("analysis::MatrixOptions::entry_error", ConstMatrixRef(entry_error));
  if (entry_error.minCoeff() < 0.0) {
    throw InvalidArgument("analysis::MatrixOptions::entry_error", "a negative entry", "entries >= 0");
  }
}

MatrixClasses classify(ConstMatrixRef M, const MatrixOptions& options) {
  if (M.rows() == 0 || M.rows() != M.cols()) {
    throw InvalidArgument("analysis::classify: M", std::to_string(M.rows()) + " x " + std::to_string(M.cols()),
                          "a square matrix with at least one row");
  }
  check::finite("analysis::classify: M", M);
  options.validate();
  detail::BallMatrix ball{.mid = M, .rad = options.entry_error};
  if (options.entry_error.size() == 0) {
    ball.rad = Eigen::MatrixXd::Zero(M.rows(), M.cols());
  } else {
    check::shape("analysis::MatrixOptions::entry_error", options.entry_error.rows(), options.entry_error.cols(),
                 M.rows(), M.cols());
  }
  MatrixClasses classes;
  detail::examine_entries(ball, classes);
  classes.singular = detail::examine_singularity(ball);
  detail::examine_definiteness(ball, classes);
  classes.h_plus = detail::examine_h_plus(ball);
  detail::examine_minors(ball, options.max_exact, classes);
  detail::examine_copositivity(ball, options.max_exact, classes);
  detail::examine_game(ball, classes);
  detail::examine_derived(ball, classes);
  return classes;
}

}  // namespace nonsmooth::analysis
