// SPDX-License-Identifier: Apache-2.0
#include "exchange_sets.hpp"

#include <vector>

#include <internal/at.hpp>

namespace nonsmooth::qp::detail {
namespace {

// rho of the scaled program, and delta: beside squared singular values of 1e-9, which chains of 1e5 rows have.
constexpr double exchange_rho = 1e-9, exchange_delta = 1e-11, least_exchange_delta = 1e-14;
constexpr Index most_exchange_points = 6;

enum class Side : signed char { Free, Low, High, Equal };

/// Where a value belongs: at the bound that its multiplier holds it at, or that it left; to rounding of `terms`.
Side exchanged_side(Side now, double value, double multiplier, double low, double high) {
  if (low == high) return Side::Equal;
  if (now == Side::Low) return multiplier > 0.0 ? now : Side::Free;
  if (now == Side::High) return multiplier < 0.0 ? now : Side::Free;
  const double slack = 1e-12 * std::max(1.0, std::abs(value));
  return value < low - slack ? Side::Low : value > high + slack ? Side::High : Side::Free;
}

double bound_on(Side side, double low, double high) { return side == Side::High ? high : low; }

/// Whether the changes do not get few soon.
bool changes_stay_many(Index k, Index changes, Index last) {
  return k > 0 && double(changes) > (k == 1 ? 0.6 : 0.75) * double(last);
}

class Exchange {
 public:
  Exchange(const SparseProblem& problem, const Scaled<SparseProblem>& scaled, Quasidefinite<SparseProblem>& system)
      : problem_(problem),
        scaled_(scaled),
        own_(scaled.own),
        system_(system),
        n_(problem.num_unknowns()),
        m_(problem.num_rows()),
        x_(Eigen::VectorXd::Zero(n_)),
        y_(Eigen::VectorXd::Zero(m_)),
        Ax_(Eigen::VectorXd::Zero(m_)),
        slope_(Eigen::VectorXd::Zero(n_)),
        of_x_(static_cast<std::size_t>(n_), Side::Free),
        of_rows_(static_cast<std::size_t>(m_), Side::Free) {
    for (Index j = 0; j < n_; ++j) x_[j] = clamp(0.0, lower(own_, j), upper(own_, j));
    evaluate();
  }

  /// How many rows and bounds change sides.
  Index change() {
    Index changes = 0;
    for (Index j = 0; j < n_; ++j)
      changes += put(of_x_[at(j)], exchanged_side(of_x_[at(j)], x_[j], slope_[j], lower(own_, j), upper(own_, j)));
    for (Index i = 0; i < m_; ++i)
      changes +=
          put(of_rows_[at(i)], exchanged_side(of_rows_[at(i)], Ax_[i], y_[i], row_lower(own_, i), row_upper(own_, i)));
    return changes;
  }

  /// The point of these sides; false where it has none in doubles.
  bool solve(double delta) {
    Eigen::VectorXd p(n_), r(m_), target(m_);
    for (Index j = 0; j < n_; ++j) {
      const Side side = of_x_[at(j)];
      p[j] = side == Side::Free ? exchange_rho : infinity;
      if (side != Side::Free) x_[j] = bound_on(side, lower(own_, j), upper(own_, j));
    }
    for (Index i = 0; i < m_; ++i) {
      const Side side = of_rows_[at(i)];
      r[i] = side == Side::Free ? infinity : delta;
      target[i] = side == Side::Free ? 0.0 : bound_on(side, row_lower(own_, i), row_upper(own_, i));
      if (side == Side::Free) y_[i] = 0.0;
    }
    if (!system_.factorize(p, r)) return false;
    double last = infinity;
    for (Index k = 0; k < most_exchange_points; ++k) {
      evaluate();
      Eigen::VectorXd f = -slope_, g = target - Ax_;
      double left = 0.0;
      for (Index j = 0; j < n_; ++j)
        if (std::isfinite(p[j])) left = std::max(left, std::abs(f[j]));
      for (Index i = 0; i < m_; ++i)
        if (std::isfinite(r[i])) left = std::max(left, std::abs(g[i]));
      if (!(left < 0.5 * last)) break;
      last = left;
      system_.solve(f, g);
      x_ += f;
      y_ -= g;
      if (!x_.allFinite() || !y_.allFinite()) return false;
    }
    evaluate();
    return true;
  }

  /// The point with x within its bounds and multipliers of the right signs.
  void keep(nonsmooth::detail::Buffer& scratch, Result& result) const {
    Eigen::VectorXd x = scaled_.x(x_), y = y_, s(n_);
    for (Index j = 0; j < n_; ++j) x[j] = clamp(x[j], lower(problem_, j), upper(problem_, j));
    for (Index i = 0; i < m_; ++i) {
      if (of_rows_[at(i)] == Side::Low) y[i] = std::max(y[i], 0.0);
      if (of_rows_[at(i)] == Side::High) y[i] = std::min(y[i], 0.0);
    }
    keep_better(problem_, x, scaled_.y(y), s, scratch, result);
  }

 private:
  static Index put(Side& side, Side next) {
    const bool changes = side != next;
    side = next;
    return Index(changes);
  }
  void evaluate() {
    slope_ = own_.Q * x_ + own_.c;
    if (m_ == 0) return;
    slope_.noalias() -= own_.A.transpose() * y_;
    Ax_.noalias() = own_.A * x_;
  }

  const SparseProblem& problem_;
  const Scaled<SparseProblem>& scaled_;
  const SparseProblem& own_;
  Quasidefinite<SparseProblem>& system_;
  Index n_, m_;
  Eigen::VectorXd x_, y_, Ax_, slope_;  // slope_ = Q x + c - A^T y
  std::vector<Side> of_x_, of_rows_;
};

}  // namespace

bool exchange_sets(const SparseProblem& problem, const Scaled<SparseProblem>& scaled,
                   Quasidefinite<SparseProblem>& system, double tolerance, Index most,
                   const nonsmooth::detail::Deadline& deadline, nonsmooth::detail::Buffer& scratch, Result& result) {
  if (largest_diagonal(scaled.own) == 0.0) return false;
  Exchange exchange(problem, scaled, system);
  static_cast<void>(exchange.change());
  for (Index k = 0, changes = -1; k < most && !deadline.passed(); ++k) {
    ++result.iterations;
    if (!exchange.solve(changes == 0 ? least_exchange_delta : exchange_delta)) return false;
    exchange.keep(scratch, result);
    const Index last = changes;
    changes = exchange.change();
    if (result.certificate.residual <= tolerance) return true;
    if (changes == 0 ? last == 0 : changes_stay_many(k, changes, last)) return false;
  }
  return false;
}

}  // namespace nonsmooth::qp::detail
