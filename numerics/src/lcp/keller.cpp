// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/keller.hpp>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "principal.hpp"
#include "principal_transform.hpp"
#include "scaled.hpp"

namespace nonsmooth::lcp {
namespace {

enum class KellerEnd : unsigned char { Complementary, Ray, NotSufficient, Singular, Limit, TimeLimit };

/// The pivoting on the scaled problem. x basic, y nonbasic, x = T y + t; y_i is 0 or `bound` but for the row driven.
template <class P>
class Pivoting {
 public:
  Pivoting(const P& scaled, const Keller& options)
      : options_(options),
        n_(scaled.q.size()),
        max_pivots_(options.max_pivots > 0 ? options.max_pivots : 50 * n_ + 1000),
        deadline_(options.time_limit),
        transform_(detail::transform_of(scaled)),
        y_(Eigen::VectorXd::Zero(n_)),
        x_(scaled.q) {}

  KellerEnd run() {
    while (true) {
      Index r = 0;
      while (r < n_ && !(negative(y_[r]) || negative(x_[r]))) ++r;
      if (r == n_) {
        if (transform_.pivots_since_refresh() == 0) return KellerEnd::Complementary;
        if (!refresh()) return KellerEnd::Singular;  // the last word is that of a tableau without drift
        continue;
      }
      if (const KellerEnd end = drive(r); end != KellerEnd::Complementary) return end;
    }
  }

  [[nodiscard]] Index pivots() const { return pivots_; }
  [[nodiscard]] Index ray_row() const { return ray_row_; }
  [[nodiscard]] bool multipliers(Index r, Eigen::VectorXd& u) const { return transform_.multipliers(r, u); }
  [[nodiscard]] bool exchanged(Index i) const { return transform_.exchanged(i); }
  void z(Eigen::VectorXd& z) const {
    for (Index i = 0; i < n_; ++i) z[i] = std::max(0.0, exchanged(i) ? x_[i] : y_[i]);
  }

 private:
  static constexpr bool tableau = std::is_same_v<P, Problem>;
  static constexpr double bound_ = -4.0;          // below every entry of q, the largest of which is less than 2
  static constexpr double not_sufficient = 1e-8;  // a diagonal this far below zero, beside its column, is no round-off

  /// Below round-off of the largest value at hand, some 500 eps.
  [[nodiscard]] bool negative(double value) const { return value < -zero_; }

  bool refresh() {
    if (!transform_.refresh()) return false;
    recompute();
    return x_.allFinite();
  }

  void recompute() {
    x_ = transform_.constant();
    for (Index j = 0; j < n_; ++j) {
      if (y_[j] == 0.0) continue;
      transform_.column(j, column_);
      x_ += y_[j] * column_;
    }
    clear_round_off();
  }

  /// Values whose sign is round-off of the largest are zero.
  void clear_round_off() {
    zero_ = 1e-13 * std::max(1.0, x_.cwiseAbs().maxCoeff());
    for (Index i = 0; i < n_; ++i) {
      if (std::abs(x_[i]) <= zero_) x_[i] = 0.0;
    }
  }

  /// Increases y_r until neither x_r nor y_r is negative; Complementary when that is reached.
  KellerEnd drive(Index r) {
    while (true) {
      transform_.column(r, column_);
      const double largest = column_.cwiseAbs().maxCoeff();
      if (!std::isfinite(largest)) return KellerEnd::Singular;
      const double small = 1e-11 * largest;  // round-off of some 50 pivots, as in Lemke's loop
      double step = y_[r] < 0.0 ? -y_[r] : std::numeric_limits<double>::infinity();
      const bool own_zero = std::isfinite(step);
      for (Index i = 0; i < n_; ++i) step = std::min(step, room(i, r, small));
      const bool ray = std::isinf(step);
      if (ray || column_[r] < -not_sufficient * largest) {
        if (trusted()) {
          ray_row_ = r;
          return ray ? KellerEnd::Ray : KellerEnd::NotSufficient;
        }
        if (!refresh()) return KellerEnd::Singular;
        continue;
      }
      if (own_zero && -y_[r] <= step) {
        move(r, step, -1, 0.0);
        y_[r] = 0.0;
        if (!negative(x_[r])) return KellerEnd::Complementary;
        continue;
      }
      if (pivots_ >= max_pivots_) return KellerEnd::Limit;
      if (deadline_.passed()) return KellerEnd::TimeLimit;
      const Index s = blocking(r, step, small);
      transform_.column(s, pivot_column_);
      const double pivot_largest = pivot_column_.cwiseAbs().maxCoeff();
      const double pivot = pivot_column_[s];
      const bool pair = s != r && pivot <= 1e-10 * pivot_largest;
      const double determinant = column_[r] * pivot - column_[s] * pivot_column_[r];
      const bool impossible = pivot < -not_sufficient * pivot_largest ||
                              (pair && !(std::abs(determinant) > 1e-12 * std::abs(column_[s]) * pivot_largest));
      // A pivot that is small beside its column is trusted only from fresh numbers.
      if ((impossible || (!pair && pivot < 1e-6 * pivot_largest)) && !trusted()) {
        if (!refresh()) return KellerEnd::Singular;
        continue;
      }
      if (impossible) return KellerEnd::NotSufficient;
      move(r, step, s, limit_of(s, r));
      std::swap(x_[s], y_[s]);
      if (pair) {
        std::swap(x_[r], y_[r]);
        transform_.exchange(s, r);
      } else {
        transform_.exchange(s);
      }
      ++pivots_;
      if (!after_exchange()) return KellerEnd::Singular;
      if ((pair || s == r) && !negative(x_[r]) && std::abs(y_[r]) <= zero_) {
        y_[r] = 0.0;
        return KellerEnd::Complementary;
      }
    }
  }

  /// Who blocks: x_r at zero before the least index.
  [[nodiscard]] Index blocking(Index r, double step, double small) const {
    const double tie = 1e-13 * std::max(1.0, x_.cwiseAbs().maxCoeff());
    Index s = -1;
    for (Index i = 0; i < n_; ++i) {
      const double own = room(i, r, small);
      if (!std::isfinite(own)) continue;
      const bool tied = (own - step) * std::abs(column_[i]) <= tie;
      if (tied && i == r) return r;
      if (tied && s < 0) s = i;
    }
    return s;
  }

  [[nodiscard]] bool trusted() const { return transform_.pivots_since_refresh() == 0; }

  /// The value at which x_i stops while it changes along column_: 0 for what is not negative and for x_r, else the
  /// bound.
  [[nodiscard]] double limit_of(Index i, Index r) const { return i == r || !negative(x_[i]) ? 0.0 : bound_; }

  [[nodiscard]] double room(Index i, Index r, double small) const {
    const double infinite = std::numeric_limits<double>::infinity();
    if (i == r) return negative(x_[r]) && column_[r] > small ? -x_[r] / column_[r] : infinite;
    if (!(column_[i] < -small)) return infinite;
    return std::max(0.0, x_[i] - limit_of(i, r)) / -column_[i];
  }

  /// y_r := y_r + step; x_s ends at `limit` exactly, and no row passes its limit by round-off.
  void move(Index r, double step, Index s, double limit) {
    for (Index i = 0; i < n_; ++i) {
      const double least = limit_of(i, r);
      x_[i] += step * column_[i];
      if (i != r && column_[i] < 0.0) x_[i] = std::max(x_[i], least);
    }
    y_[r] += step;
    if (s >= 0) x_[s] = limit;
    clear_round_off();
  }

  bool after_exchange() {
    if (!tableau || transform_.pivots_since_refresh() >= options_.refactor_every) return refresh();
    clear_round_off();
    return x_.allFinite();
  }

  const Keller& options_;
  Index n_;
  Index max_pivots_;
  nonsmooth::detail::Deadline deadline_;
  decltype(detail::transform_of(std::declval<const P&>())) transform_;
  Eigen::VectorXd y_, x_, column_, pivot_column_;
  double zero_ = 1e-13;
  Index pivots_ = 0;
  Index ray_row_ = -1;
};

std::string_view reason_of(KellerEnd end) {
  switch (end) {
    case KellerEnd::Ray:
      return "a column that never blocks, which proves nothing for this matrix";
    case KellerEnd::NotSufficient:
      return "M is not sufficient: a principal transform has a negative diagonal or a pair that cannot be exchanged";
    case KellerEnd::Singular:
      return "a basis became singular";
    case KellerEnd::Limit:
      return "max_pivots reached";
    case KellerEnd::TimeLimit:
      return "time_limit reached";
    default:
      return "the final basis is too ill-conditioned for the tolerance";
  }
}

Status status_of(KellerEnd end) {
  switch (end) {
    case KellerEnd::Singular:
      return Status::NumericalFailure;
    case KellerEnd::Limit:
      return Status::IterationLimit;
    case KellerEnd::TimeLimit:
      return Status::TimeLimit;
    default:
      return Status::Stalled;
  }
}

template <class P>
Result run(const P& problem, const Keller& options) {
  problem.validate();
  options.validate();
  const Index n = problem.q.size();
  const auto& data = detail::view(problem);
  Result result;
  result.solver = "keller";
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd w(n), scratch(n);
  detail::keep_better(data, z, scratch, result);
  const detail::Scaled<P> scaled(problem);
  if (!scaled.finite) {
    detail::conclude(data, options.tolerance, result, Status::NumericalFailure, "M and q leave the range of double");
    return result;
  }
  Pivoting<P> pivoting(scaled.own, options);
  const KellerEnd end = pivoting.run();
  result.iterations = pivoting.pivots();
  pivoting.z(scratch);
  scaled.unscale(scratch, z);
  detail::keep_better(data, z, scratch, result);
  if (end == KellerEnd::Complementary) {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) {
      if (pivoting.exchanged(i)) rows.push_back(i);
    }
    auto principal = detail::principal_of(data);
    if (principal.solve(rows, z, w)) detail::keep_better(data, z.cwiseMax(0.0), scratch, result);
  }
  detail::conclude(data, options.tolerance, result, status_of(end), reason_of(end));
  Eigen::VectorXd u;
  if (result.status == Status::Solved || end != KellerEnd::Ray || !pivoting.multipliers(pivoting.ray_row(), u))
    return result;
  // Entries at round-off of the largest are zeros of the exact row.
  const double zero = 1e-12 * u.cwiseAbs().maxCoeff();
  for (Index i = 0; i < n; ++i) {
    if (std::abs(u[i]) <= zero) u[i] = 0.0;
  }
  Eigen::VectorXd y = scaled.D.cwiseProduct(u);
  const double largest = y.maxCoeff();
  if (largest > 0.0) y /= largest;
  if (!detail::prove_infeasible(data, y)) return result;
  nonsmooth::detail::end_infeasible("a row of a principal transform proves that no point is feasible", y, result);
  return result;
}

}  // namespace

void Keller::validate() const {
  check::positive("lcp::Keller::tolerance", tolerance);
  check::at_least("lcp::Keller::max_pivots", max_pivots, 0);
  check::at_least("lcp::Keller::refactor_every", refactor_every, 1);
  nonsmooth::detail::check_time_limit("lcp::Keller::time_limit", time_limit);
}

Result solve(const Problem& problem, const Keller& options) { return run(problem, options); }
Result solve(const SparseProblem& problem, const Keller& options) { return run(problem, options); }

}  // namespace nonsmooth::lcp
