// SPDX-License-Identifier: Apache-2.0
#include "sparse_path.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::relay::detail {
namespace {

// Data are near 1. A direction below path_zero of its column's largest entry is round-off of the updates, some 1e3 eps
// each over some 50 of them; what is closer than `path_tie` counts as equal for the same reason.
constexpr double path_zero = 1e-11;
constexpr double path_tie = 1e-13;
constexpr double small_pivot = 1e-6;  // beside its column: trusted from fresh factors alone

/// Numbers without pattern in [1, 2).
double without_pattern(Index i) { return 1.0 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0); }

}  // namespace

SparsePath::SparsePath(const SparseProblem& problem) : p_(problem), n_(problem.q.size()) {
  for (Eigen::VectorXd* vector : {&r_, &p0_, &x_, &perturbed_, &column_, &step_, &ray_}) vector->setZero(n_);
  basic_.resize(static_cast<std::size_t>(n_));
}

double SparsePath::lower(const Variable& variable) const {
  return variable.kind == Kind::Z ? p_.lower[variable.row] : 0.0;
}

double SparsePath::upper(const Variable& variable) const {
  if (variable.kind == Kind::T) return t_most_;
  return variable.kind == Kind::Z ? p_.upper[variable.row] : infinity;
}

double SparsePath::value_where_it_is(const Variable& variable) const {
  if (variable.kind == Kind::T) return t_;
  if (variable.kind != Kind::Z) return 0.0;
  return places_[static_cast<std::size_t>(variable.row)] == Place::Upper ? p_.upper[variable.row]
                                                                         : p_.lower[variable.row];
}

void SparsePath::add_column(const Variable& variable, double factor, VectorRef sum) const {
  switch (variable.kind) {
    case Kind::Z:
      for (Eigen::SparseMatrix<double>::InnerIterator it(p_.M, variable.row); it; ++it)
        sum[it.row()] += factor * it.value();
      return;
    case Kind::W:
      sum[variable.row] -= factor;
      return;
    case Kind::V:
      sum[variable.row] += factor;
      return;
    case Kind::T:
      sum -= factor * r_;
      return;
  }
}

bool SparsePath::start(const Places& places, ConstVectorRef z, ConstVectorRef lift, bool from_infinity) {
  places_ = places;
  pivots_ = 0;
  Eigen::VectorXd at = z;
  for (Index i = 0; i < n_; ++i) {
    const Place place = places_[static_cast<std::size_t>(i)];
    if (place == Place::Lower) at[i] = p_.lower[i];
    if (place == Place::Upper) at[i] = p_.upper[i];
    at[i] = clamp(at[i], p_.lower[i], p_.upper[i]);
  }
  r_ = p_.q;
  r_.noalias() += p_.M * at;
  Eigen::VectorXd signs = Eigen::VectorXd::Zero(n_);  // of what a perturbed basic variable is above its bound
  for (Index i = 0; i < n_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Place place = places_[k];
    basic_[k] = {place == Place::Lower ? Kind::W : (place == Place::Upper ? Kind::V : Kind::Z), i};
    if (place == Place::Between) {
      x_[i] = at[i];
      signs[i] = at[i] == p_.lower[i] ? 1.0 : (at[i] == p_.upper[i] ? -1.0 : 0.0);
    } else {
      const double side = place == Place::Lower ? 1.0 : -1.0;
      x_[i] = std::max(0.0, side * r_[i]) + (lift.size() > 0 ? lift[i] : 0.0);
      r_[i] -= side * x_[i];
      signs[i] = 1.0;
    }
  }
  t_ = r_.lpNorm<Eigen::Infinity>();
  if (t_ > 0.0) r_ /= t_;
  t_most_ = from_infinity ? infinity : t_;
  p0_.setZero();
  for (Index i = 0; i < n_; ++i) add_column(basic_[static_cast<std::size_t>(i)], signs[i] * without_pattern(i), p0_);
  const Eigen::VectorXd exact = x_;
  if (!refactor()) return false;
  x_ = exact;
  return true;
}

/// Factors, x and its perturbation from the data; false where the basis is singular.
bool SparsePath::refactor() {
  entries_.clear();
  x_ = -p_.q;
  bool t_is_basic = false;
  for (Index k = 0; k < n_; ++k) {
    const Variable& variable = basic_[static_cast<std::size_t>(k)];
    const int column = static_cast<int>(k);
    const int row = static_cast<int>(variable.row);
    switch (variable.kind) {
      case Kind::Z:
        for (Eigen::SparseMatrix<double>::InnerIterator it(p_.M, variable.row); it; ++it)
          entries_.emplace_back(static_cast<int>(it.row()), column, it.value());
        break;
      case Kind::W:
        entries_.emplace_back(row, column, -1.0);
        break;
      case Kind::V:
        entries_.emplace_back(row, column, 1.0);
        break;
      case Kind::T:
        t_is_basic = true;
        for (Index i = 0; i < n_; ++i)
          if (r_[i] != 0.0) entries_.emplace_back(static_cast<int>(i), column, -r_[i]);
        break;
    }
  }
  for (Index i = 0; i < n_; ++i) {
    if (places_[static_cast<std::size_t>(i)] == Place::Between) continue;
    const Variable z{Kind::Z, i};
    const double value = value_where_it_is(z);
    if (value != 0.0) add_column(z, -value, x_);
  }
  if (!t_is_basic) x_ += t_ * r_;
  Eigen::SparseMatrix<double> matrix(n_, n_);
  matrix.setFromTriplets(entries_.begin(), entries_.end());
  if (!factors_.factorize(matrix)) return false;
  factors_.solve_in_place(x_);
  perturbed_ = p0_;
  factors_.solve_in_place(perturbed_);
  if (!x_.allFinite() || !perturbed_.allFinite()) return false;
  for (Index k = 0; k < n_; ++k) {  // round-off: the ratio test keeps every variable within its bounds
    const Variable& variable = basic_[static_cast<std::size_t>(k)];
    x_[k] = clamp(x_[k], lower(variable), upper(variable));
  }
  since_refactor_ = 0;
  fresh_ = true;
  return true;
}

/// What enters when this left the basis, or came from one bound to the other.
SparsePath::Entering SparsePath::complement_of(const Variable& left) {
  const Index i = left.row;
  const Place place = places_[static_cast<std::size_t>(i)];
  if (left.kind == Kind::Z) return {{place == Place::Lower ? Kind::W : Kind::V, i}, 1.0, infinity};
  return {{Kind::Z, i}, left.kind == Kind::W ? 1.0 : -1.0, p_.upper[i] - p_.lower[i]};
}

/// Of the variables that first come to a bound, the lexicographically first.
void SparsePath::ratio_test(const Entering& entering, double threshold, Leaving& leaving) {
  const auto ratio_of = [&](Index k) {
    const double d = step_[k];
    if (std::abs(d) <= threshold) return infinity;
    const Variable& variable = basic_[static_cast<std::size_t>(k)];
    const double bound = d > 0.0 ? lower(variable) : upper(variable);
    return std::isinf(bound) ? infinity : std::max(0.0, (x_[k] - bound) / d);
  };
  leaving = {-1, entering.room, 0.0};
  for (Index k = 0; k < n_; ++k) leaving.step = std::min(leaving.step, ratio_of(k));
  if (std::isinf(leaving.step)) return;
  tied_.clear();
  const double slack = path_tie * std::max(1.0, std::abs(leaving.step));
  const bool flips = entering.room <= leaving.step + slack;
  double least = flips ? 0.0 : infinity;
  for (Index k = 0; k < n_; ++k) {
    const double ratio = ratio_of(k);
    // Not at all where it does not move: path_tie / 0 is infinite too.
    if (std::isinf(ratio) || !(ratio <= leaving.step + slack + path_tie / std::abs(step_[k]))) continue;
    if (basic_[static_cast<std::size_t>(k)].kind == Kind::T) {  // t comes to 0: done; or back to where it began
      leaving = {k, ratio, 0.0};
      return;
    }
    tied_.push_back(k);
    least = std::min(least, perturbed_[k] / step_[k]);
  }
  // Of those that the perturbation does not tell apart, the largest pivot.
  const double same = 1e-9 * std::max(1.0, std::abs(least));
  double largest = 0.0;
  for (const Index k : tied_) {
    if (perturbed_[k] / step_[k] > least + same || !(std::abs(step_[k]) > largest)) continue;
    largest = std::abs(step_[k]);
    leaving = {k, ratio_of(k), perturbed_[k] / step_[k]};
  }
  if (leaving.position >= 0 && flips && 0.0 < leaving.perturbed) leaving = {-1, entering.room, 0.0};
}

/// The column of the entering variable, and what leaves for it; the end where there is none.
std::optional<PivotEnd> SparsePath::find_leaving(const Entering& entering, Leaving& leaving) {
  while (true) {
    column_.setZero();
    add_column(entering.variable, 1.0, column_);
    factors_.solve_in_place(column_);
    const double largest = column_.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(largest)) return PivotEnd::Breakdown;
    step_ = entering.direction * column_;
    ratio_test(entering, path_zero * largest, leaving);
    if (std::isinf(leaving.step)) {
      if (fresh_) {
        set_ray(entering);
        return PivotEnd::Ray;
      }
    } else if (leaving.position < 0 || fresh_ || std::abs(step_[leaving.position]) >= small_pivot * largest) {
      return std::nullopt;
    }
    if (!refactor()) return PivotEnd::Breakdown;
  }
}

void SparsePath::move(const Entering& entering, const Leaving& leaving) {
  x_ -= leaving.step * step_;
  perturbed_ -= leaving.perturbed * step_;
  for (Index k = 0; k < n_; ++k) {
    const Variable& variable = basic_[static_cast<std::size_t>(k)];
    x_[k] = clamp(x_[k], lower(variable), upper(variable));
  }
  ++pivots_;
  const Variable& variable = entering.variable;
  if (leaving.position < 0) {  // to its other bound
    if (variable.kind == Kind::T) t_ = 0.0;
    if (variable.kind == Kind::Z)
      places_[static_cast<std::size_t>(variable.row)] = entering.direction > 0.0 ? Place::Upper : Place::Lower;
    return;
  }
  Variable& place = basic_[static_cast<std::size_t>(leaving.position)];
  if (place.kind == Kind::Z) {
    places_[static_cast<std::size_t>(place.row)] = step_[leaving.position] > 0.0 ? Place::Lower : Place::Upper;
  } else if (place.kind == Kind::T) {
    t_ = step_[leaving.position] > 0.0 ? 0.0 : t_most_;
  }
  x_[leaving.position] = value_where_it_is(variable) + entering.direction * leaving.step;
  perturbed_[leaving.position] = entering.direction * leaving.perturbed;
  if (variable.kind == Kind::Z) places_[static_cast<std::size_t>(variable.row)] = Place::Between;
  place = variable;
  factors_.exchange(leaving.position, column_);
  ++since_refactor_;
  fresh_ = false;
}

PivotEnd SparsePath::run(Index max_pivots, Index refactor_every, const nonsmooth::detail::Deadline& deadline) {
  if (t_ == 0.0) return PivotEnd::Complementary;
  Entering entering{{Kind::T, -1}, -1.0, t_};
  while (true) {
    if (pivots_ >= max_pivots) return PivotEnd::Limit;
    if (deadline.passed()) return PivotEnd::TimeLimit;
    if (since_refactor_ >= refactor_every && !refactor()) return PivotEnd::Breakdown;
    Leaving leaving;
    if (const std::optional<PivotEnd> end = find_leaving(entering, leaving)) return *end;
    const Variable left = leaving.position < 0 ? entering.variable : basic_[static_cast<std::size_t>(leaving.position)];
    move(entering, leaving);
    if (left.kind == Kind::T) return t_ == 0.0 ? PivotEnd::Complementary : PivotEnd::Breakdown;
    entering = complement_of(left);
  }
}

void SparsePath::set_ray(const Entering& entering) {
  ray_.setZero();
  for (Index k = 0; k < n_; ++k) {
    const Variable& variable = basic_[static_cast<std::size_t>(k)];
    if (variable.kind == Kind::Z) ray_[variable.row] = -step_[k];
  }
  if (entering.variable.kind == Kind::Z) ray_[entering.variable.row] = entering.direction;
  for (Index i = 0; i < n_; ++i) {  // what the threshold of the pivots let through
    if (p_.lower[i] > -infinity) ray_[i] = std::max(0.0, ray_[i]);
    if (p_.upper[i] < infinity) ray_[i] = std::min(0.0, ray_[i]);
  }
}

void SparsePath::extract(VectorRef z) const {
  for (Index i = 0; i < n_; ++i) z[i] = value_where_it_is({Kind::Z, i});
  for (Index k = 0; k < n_; ++k) {
    const Variable& variable = basic_[static_cast<std::size_t>(k)];
    if (variable.kind == Kind::Z) z[variable.row] = x_[k];
  }
}

}  // namespace nonsmooth::relay::detail
