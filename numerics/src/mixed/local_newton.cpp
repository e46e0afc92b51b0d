// SPDX-License-Identifier: Apache-2.0
#include "local_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/round_off.hpp>

#include "projection_jacobian.hpp"
#include "rolling_cone.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed::local {
namespace {

/// Beyond so many rows blocked products and factors are several times faster than plain loops; they allocate.
constexpr Index plain_limit = 32;

double plain_tangential_norm(const double* x, Index n) noexcept {
  double square = 0.0;
  for (Index i = 1; i < n; ++i) square += x[i] * x[i];
  return std::sqrt(square);
}

/// LU with partial pivoting of a column-major n x n matrix, in place. False where a pivot is round-off of its column.
bool factorize(double* a, Index* pivots, Index n) noexcept {
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    double size = 0.0;
    for (Index i = 0; i < n; ++i) size = std::max(size, std::abs(a[k * n + i]));
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(a[k * n + i]) > std::abs(a[k * n + pivot])) pivot = i;
    pivots[k] = pivot;
    if (!(std::abs(a[k * n + pivot]) > static_cast<double>(n) * eps * size)) return false;
    if (pivot != k)
      for (Index j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot]);
    for (Index i = k + 1; i < n; ++i) a[k * n + i] /= a[k * n + k];
    for (Index j = k + 1; j < n; ++j)
      for (Index i = k + 1; i < n; ++i) a[j * n + i] -= a[k * n + i] * a[j * n + k];
  }
  return true;
}

void solve_in_place(const double* a, const Index* pivots, Index n, double* x) noexcept {
  for (Index k = 0; k < n; ++k) std::swap(x[k], x[pivots[k]]);
  for (Index k = 0; k < n; ++k)
    for (Index i = k + 1; i < n; ++i) x[i] -= a[k * n + i] * x[k];
  for (Index k = n; k-- > 0;) {
    x[k] /= a[k * n + k];
    for (Index i = 0; i < k; ++i) x[i] -= a[k * n + i] * x[k];
  }
}

}  // namespace

bool BlockNewton::prepare(const double* W, const BlockSet& set, Index n) {
  W_ = W;
  set_ = set;
  n_ = n;
  const Index total = 5 * n * n + 3 * n + 6 * n;
  if (static_cast<Index>(memory_.size()) < total) memory_.resize(static_cast<std::size_t>(total));
  if (static_cast<Index>(pivots_.size()) < 2 * n) pivots_.resize(static_cast<std::size_t>(2 * n));
  if (static_cast<Index>(rho_rows_.size()) < n) rho_rows_.resize(static_cast<std::size_t>(n));
  factors_ = at(0), J_ = at(n * n), A_ = at(2 * n * n), C_ = at(3 * n * n), scratch_ = at(4 * n * n);
  u_ = scratch_ + n * n + 3 * n;
  e_ = u_ + n, step_ = e_ + n, trial_ = step_ + n, best_ = trial_ + n, slow_ = best_ + n;

  double trace = 0.0, square = 0.0;
  for (Index i = 0; i < n; ++i) trace += W[i * (n + 1)];
  for (Index k = 0; k < n * n; ++k) square += W[k] * W[k];
  if (!(square > 0.0)) return false;
  cautious_rho_ = 1.0 / std::sqrt(square);
  rho_ = trace > 0.0 ? static_cast<double>(n) / trace : cautious_rho_;
  std::fill_n(rho_rows_.begin(), n, rho_);
  factored_ = false;
  return true;
}

/// r = 0 solves it: û(b) is in the dual cone.
bool BlockNewton::apex(const double* b) const noexcept {
  if (set_.kind == SetKind::VonMises) return false;
  if (set_.kind == SetKind::Rolling) return b[0] >= 0.0;
  return b[0] + (lift_factor(set_) - set_.mu) * plain_tangential_norm(b, n_) >= 0.0;
}

/// u = 0 with r in K.
bool BlockNewton::stick(const double* b, double* r) {
  const bool wide = n_ > plain_limit;
  if (!factored_) {
    factored_ = true;
    if (wide) {
      regular_ = wide_factors_.factorize(Eigen::Map<const Eigen::MatrixXd>(W_, n_, n_));
    } else {
      std::copy_n(W_, n_ * n_, factors_);
      regular_ = factorize(factors_, pivots_.data(), n_);
    }
  }
  if (!regular_) return false;
  for (Index i = 0; i < n_; ++i) trial_[i] = -b[i];
  if (wide)
    wide_factors_.solve_in_place(Eigen::Map<Eigen::VectorXd>(trial_, n_));
  else
    solve_in_place(factors_, pivots_.data(), n_, trial_);
  if (set_.kind == SetKind::Rolling) {
    for (const detail::RollingGroup& group : detail::rolling_groups(set_, n_))
      if (!(plain_tangential_norm(trial_ + group.first - 1, group.size + 1) <= group.bound * trial_[0])) return false;
  } else {
    const double radius = set_.kind == SetKind::VonMises ? set_.radius : set_.mu * trial_[0];
    if (!(plain_tangential_norm(trial_, n_) <= radius)) return false;
  }
  std::copy_n(trial_, n_, r);
  return true;
}

double BlockNewton::evaluate(const double* b, const double* r) noexcept {
  std::copy_n(b, n_, u_);
  for (Index j = 0; j < n_; ++j)
    for (Index i = 0; i < n_; ++i) u_[i] += W_[j * n_ + i] * r[j];
  natural_error(set_, rho_, r, u_, e_, n_);
  double square = 0.0;
  for (Index i = 0; i < n_; ++i) square += e_[i] * e_[i];
  return square;
}

bool BlockNewton::wide_newton_step() {
  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  Matrix J(J_, n_, n_);
  J = Matrix(A_, n_, n_);
  J.noalias() += Matrix(C_, n_, n_) * Eigen::Map<const Eigen::MatrixXd>(W_, n_, n_);
  if (!J.allFinite() || !wide_J_.factorize(J)) return false;
  for (Index i = 0; i < n_; ++i) step_[i] = -e_[i];
  wide_J_.solve_in_place(Eigen::Map<Eigen::VectorXd>(step_, n_));
  return true;
}

bool BlockNewton::newton_step(const double* r) {
  internal::linearize_natural_map(set_, internal::Form::Natural, rho_rows_.data(), r, u_, n_, e_, A_, C_, scratch_);
  if (n_ > plain_limit) return wide_newton_step();
  for (Index j = 0; j < n_; ++j)
    for (Index i = 0; i < n_; ++i) {
      double sum = A_[j * n_ + i];
      for (Index k = 0; k < n_; ++k) sum += C_[k * n_ + i] * W_[j * n_ + k];
      J_[j * n_ + i] = sum;
    }
  if (!factorize(J_, pivots_.data() + n_, n_)) return false;
  for (Index i = 0; i < n_; ++i) step_[i] = -e_[i];
  solve_in_place(J_, pivots_.data() + n_, n_, step_);
  return true;
}

double BlockNewton::newton(const double* b, double* r, double value, const detail::Deadline& deadline) {
  constexpr int max_steps = 25, max_halvings = 5;
  for (int k = 0; k < max_steps; ++k) {
    keep(r, value);
    if (converged(b, 4.0) || deadline.passed() || !newton_step(r)) break;
    double t = 1.0, trial = 0.0;
    std::copy_n(r, n_, trial_);
    for (int halving = 0; halving <= max_halvings; ++halving, t *= 0.5) {
      for (Index i = 0; i < n_; ++i) r[i] = trial_[i] + t * step_[i];
      trial = evaluate(b, r);
      if (trial < (1.0 - 1e-4 * t) * value) break;
    }
    if (!(trial < 0.98 * value)) break;  // crawls, or no descent
    value = trial;
  }
  return value;
}

/// r := P(r - rho û).
void BlockNewton::projected_step(double rho, const double* from, double* r) noexcept {
  if (const double lift = velocity_lift(set_, u_, n_); lift > 0.0) u_[0] += lift;
  for (Index i = 0; i < n_; ++i) r[i] = from[i] - rho * u_[i];
  project(set_, r, n_);
}

void BlockNewton::keep(const double* r, double value) noexcept {
  if (!(value < best_value_)) return;
  best_value_ = value;
  std::copy_n(r, n_, best_);
}

/// True if the best error is the round-off of u.
bool BlockNewton::converged(const double* b, double factor) const noexcept {
  double terms = 0.0;
  for (Index i = 0; i < n_; ++i) terms = std::max(terms, std::abs(b[i]) + std::abs(best_[i]) / cautious_rho_);
  return std::sqrt(best_value_) <= factor * eps * terms;
}

void BlockNewton::solve(const double* b, double* r, const detail::Deadline& deadline) {
  constexpr int max_rounds = 7;
  if (apex(b)) {
    std::fill_n(r, n_, 0.0);
    return;
  }
  if (deadline.passed() || stick(b, r)) return;
  best_value_ = std::numeric_limits<double>::infinity();
  std::copy_n(r, n_, best_);  // what stands where no iterate is finite
  std::copy_n(r, n_, slow_);
  (void)newton(b, r, evaluate(b, r), deadline);
  // Extragradient steps, which converge for every monotone law, carry on from where they were; now and then Newton is
  // tried from there.
  int steps = 5;
  for (int round = 0; round < max_rounds && !converged(b, 64.0) && !deadline.passed(); ++round, steps *= 2) {
    for (int k = 0; k < steps && !deadline.passed(); ++k) {
      (void)evaluate(b, slow_);
      projected_step(0.9 * cautious_rho_, slow_, r);
      (void)evaluate(b, r);
      projected_step(0.9 * cautious_rho_, slow_, r);
      std::copy_n(r, n_, slow_);
    }
    (void)newton(b, r, evaluate(b, r), deadline);
  }
  std::copy_n(best_, n_, r);
}

}  // namespace nonsmooth::mixed::local
