// SPDX-License-Identifier: Apache-2.0
#include "dictionary.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::relay::detail {
namespace {

// Data are scaled to entries near 1. An entry below pivot_zero of its row's largest is round-off of the updates; only
// entries below pivot_small of their column's largest are looked at so closely. Slacks closer than tie are equal.
constexpr double pivot_zero = 1e-12;
constexpr double pivot_small = 1e-9;
constexpr double tie = 1e-13;

}  // namespace

void Dictionary::exchange(Index row, Index column) {
  const double pivot = T_(row, column);
  column_ = T_.col(column);
  const Index ld = T_.outerStride();
  double* const data = T_.data();
  const double* const entering = column_.data();
  for (Index j = 0; j <= n_; ++j) {
    if (j == column) continue;
    double* const target = data + j * ld;
    const double factor = -target[row] / pivot;
    if (factor == 0.0) continue;
    for (Index i = 0; i < n_; ++i) target[i] += factor * entering[i];
    target[row] = factor;
  }
  T_.col(column) = column_ / pivot;
  T_(row, column) = 1.0 / pivot;
  const Index leaving = basic_[at(row)];
  basic_[at(row)] = nonbasic_[at(column)];
  nonbasic_[at(column)] = leaving;
  where_[at(basic_[at(row)])] = row;
  where_[at(leaving)] = -1 - column;
}

bool Dictionary::refresh() {
  basis_.resize(n_, n_);
  basis_.setZero();
  rest_.resize(n_, n_ + 1);
  rest_.setZero();
  const auto fill = [this](Index variable, auto&& out, double sign) {
    if (variable < n_) {
      out = -sign * M_.col(variable);
    } else if (variable < 2 * n_) {
      out[variable - n_] = sign;
    } else {
      out = -sign * covering_;
    }
  };
  for (Index r = 0; r < n_; ++r) fill(basic_[at(r)], basis_.col(r), 1.0);
  x_ = q_;
  for (Index k = 0; k <= n_; ++k) {
    const Index variable = nonbasic_[at(k)];
    fill(variable, rest_.col(k), -1.0);
    if (variable < n_ && at_upper_[at(variable)]) x_ += h_[variable] * rest_.col(k);
  }
  factors_.compute(basis_);
  factors_.solve_columns(rest_, T_);
  column_ = x_;
  factors_.solve(column_, x_);
  return T_.allFinite() && x_.allFinite();
}

/// s' = s - 2 sigma t: the other end of a free row's range becomes its zero.
void Dictionary::flip(Index variable) {
  const std::size_t row = at(variable - n_);
  const double sigma = sigma_[row];
  sigma_[row] = -sigma;
  covering_[variable - n_] = -sigma;
  low_[at(variable)] = sigma > 0.0 ? -infinity : 0.0;
  high_[at(variable)] = sigma > 0.0 ? 0.0 : infinity;
}

/// Returns the largest entry of the column among the rows with bounds.
double Dictionary::stops(Index column, double delta, double t_rate, std::vector<Stop>& out, double& ratio) {
  out.clear();
  ratio = infinity;
  const double* const entries = T_.data() + column * T_.outerStride();
  double largest = 0.0;
  double value = 1.0;
  for (Index i = 0; i < n_; ++i) {
    const std::size_t variable = at(basic_[at(i)]);
    if (low_[variable] == -infinity && high_[variable] == infinity) continue;  // never leaves, in whatever unit
    largest = std::max(largest, std::abs(entries[i]));
    value = std::max(value, std::abs(x_[i]));
  }
  const double small = pivot_small * largest;
  const double least = 1e-18 * largest;
  const auto is_zero = [&](Index i) {
    const double entry = std::abs(entries[i]);
    if (entry > small) return false;
    return entry <= least || entry <= pivot_zero * T_.row(i).cwiseAbs().maxCoeff();
  };
  const auto add = [&](Index row, bool far, double slack, double rate) {
    if (!(rate > least)) return;
    slack = std::max(slack, 0.0);
    ratio = std::min(ratio, slack / rate);
    out.push_back({row, far, slack, rate});
  };
  for (Index i = 0; i < n_; ++i) {
    const double rate = delta * entries[i];
    const std::size_t variable = at(basic_[at(i)]);
    if (rate < 0.0) {
      if (low_[variable] > -infinity && !is_zero(i)) add(i, false, x_[i] - low_[variable], -rate);
    } else if (rate > 0.0) {
      if (high_[variable] < infinity && !is_zero(i)) add(i, high_[variable] != 0.0, high_[variable] - x_[i], rate);
    }
  }
  const Index t_row = where_[at(artificial())];
  const double t = t_row >= 0 ? x_[t_row] : t_;
  for (const Index variable : free_slacks_) {
    const Index i = where_[at(variable)];
    if (i < 0) continue;
    const double sigma = sigma_[at(variable - n_)];
    add(i, true, 2.0 * t - sigma * x_[i], sigma * delta * entries[i] - 2.0 * t_rate);
  }
  const Index entering = nonbasic_[at(column)];
  if (entering < n_ && partner_[at(entering)] >= 0 && kind_[at(entering)] == Kind::Bounded) {
    if (h_[entering] < infinity) add(-1, true, h_[entering], 1.0);
  } else if (is_free_slack(entering)) {
    add(-1, true, 2.0 * t, 1.0 - 2.0 * t_rate);
  } else if (entering == artificial()) {
    add(-1, false, t, 1.0);
  }
  const double slack = tie * value;
  std::erase_if(out, [&](const Stop& stop) { return stop.slack - ratio * stop.rate > slack; });
  return largest;
}

/// d(ratio)/dq_j of a stop, for all j in the order of the rows: the perturbation of the lexicographic rule.
void Dictionary::gradient(const Stop& stop, Index column, double delta) {
  row_b_.assign(at(n_), 0.0);
  const auto add = [&](Index row, double factor) {
    if (row < 0) return;
    for (Index j = 0; j < n_; ++j) {
      const Index position = where_[at(n_ + j)];
      const double value = position >= 0 ? (position == row ? 1.0 : 0.0) : -T_(row, -1 - position);
      row_b_[at(j)] += factor * value;
    }
  };
  const Index t_row = where_[at(artificial())];
  const Index variable = stop.row >= 0 ? basic_[at(stop.row)] : nonbasic_[at(column)];
  const double inverse = 1.0 / stop.rate;
  if (stop.far && is_free_slack(variable)) {
    add(t_row, 2.0 * inverse);
    add(stop.row, -sigma_[at(variable - n_)] * inverse);
  } else if (stop.row >= 0) {
    const double rate = delta * T_(stop.row, column);
    add(stop.row, rate < 0.0 ? inverse : -inverse);
  }
}

bool Dictionary::smaller(const std::vector<double>& a, const std::vector<double>& b) const {
  double largest = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) largest = std::max({largest, std::abs(a[j]), std::abs(b[j])});
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double difference = a[j] - b[j];
    if (std::abs(difference) > 1e-11 * largest) return difference < 0.0;  // closer is their round-off
  }
  return false;
}

bool Dictionary::cover() {
  t_ = 0.0;
  for (Index i = 0; i < n_; ++i) {
    const Index variable = basic_[at(i)];
    if (is_free_slack(variable)) {
      t_ = std::max(t_, std::abs(x_[i]));
    } else if (variable >= n_ && low_[at(variable)] == 0.0) {
      t_ = std::max(t_, -x_[i]);
    }
  }
  if (t_ > 0.0 && std::isfinite(t_)) x_ += t_ * T_.col(n_);
  return t_ > 0.0;
}

const Dictionary::Stop& Dictionary::first_stop(Index column, double delta) {
  for (const Stop& one : stops_) {
    const Index variable = one.row >= 0 ? basic_[at(one.row)] : nonbasic_[at(column)];
    if (variable == artificial()) return one;  // t reaches 0: done
  }
  const Stop* stop = &stops_.front();
  if (stops_.size() == 1) return *stop;
  gradient(*stop, column, delta);
  row_a_.swap(row_b_);
  for (std::size_t k = 1; k < stops_.size(); ++k) {
    gradient(stops_[k], column, delta);
    if (!smaller(row_b_, row_a_)) continue;
    stop = &stops_[k];
    row_a_.swap(row_b_);
  }
  return *stop;
}

bool Dictionary::leave_at(const Stop& stop, Index column, double value) {
  const Index entering = nonbasic_[at(column)], leaving = stop.row >= 0 ? basic_[at(stop.row)] : entering;
  const Index t_row = where_[at(artificial())];
  const bool free_far = stop.far && is_free_slack(leaving);
  if (stop.row >= 0) {
    if (free_far) {
      const double factor = 2.0 * sigma_[at(leaving - n_)];
      if (t_row >= 0) {
        T_.row(stop.row) -= factor * T_.row(t_row);
      } else {
        T_(stop.row, column) -= factor;
      }
      flip(leaving);
    }
    x_[stop.row] = value;
    if (leaving < n_) at_upper_[at(leaving)] = kind_[at(leaving)] == Kind::Bounded && stop.far;
    if (entering < n_) at_upper_[at(entering)] = 0;
    if (!(T_(stop.row, column) != 0.0)) return false;
    exchange(stop.row, column);
  } else if (free_far) {
    const double factor = 2.0 * sigma_[at(leaving - n_)];
    T_.row(t_row) /= 1.0 - factor * T_(t_row, column);
    column_ = T_.col(column);
    row_ = T_.row(t_row).transpose();
    for (Index i = 0; i < n_; ++i) {
      if (i != t_row && column_[i] != 0.0) T_.row(i) += factor * column_[i] * row_.transpose();
    }
    flip(leaving);
  } else {
    at_upper_[at(leaving)] = leaving < n_ && at_upper_[at(leaving)] ? 0 : 1;
  }
  return true;
}

bool Dictionary::enter_complement(Index leaving, Index& column, double& delta) {
  const Index next = partner_[at(leaving)];
  if (next < 0) return false;
  if (leaving < n_) {
    if (kind_[at(leaving)] == Kind::Free) {
      delta = sigma_[at(next - n_)];
    } else {
      delta = at_upper_[at(leaving)] ? -1.0 : 1.0;
      low_[at(next)] = at_upper_[at(leaving)] ? -infinity : 0.0;
      high_[at(next)] = at_upper_[at(leaving)] ? 0.0 : infinity;
    }
  } else if (kind_[at(leaving - n_)] == Kind::Free) {
    delta = sigma_[at(leaving - n_)];
    low_[at(next)] = delta > 0.0 ? 0.0 : -infinity;
    high_[at(next)] = delta > 0.0 ? infinity : 0.0;
  } else {
    delta = at_upper_[at(next)] ? -1.0 : 1.0;
  }
  column = -1 - where_[at(next)];
  return column >= 0;
}

PivotEnd Dictionary::run(Index max_pivots, Index refactor_every, const nonsmooth::detail::Deadline& deadline) {
  if (!cover()) return PivotEnd::Complementary;
  if (!std::isfinite(t_)) return PivotEnd::Breakdown;
  Index column = n_;
  double delta = -1.0;
  Index since = 0;
  bool fresh = true;
  const auto renew = [&] {
    since = 0;
    fresh = true;
    return refresh();
  };
  while (true) {
    const Index entering = nonbasic_[at(column)];
    const Index t_row = where_[at(artificial())];
    const double t_rate = entering == artificial() ? delta : (t_row >= 0 ? delta * T_(t_row, column) : 0.0);
    double ratio = 0.0;  // of the first to stop: among equals up to round-off, none overshoots
    const double largest = stops(column, delta, t_rate, stops_, ratio);
    if (stops_.empty()) {
      if (fresh) return PivotEnd::Ray;
      if (!renew()) return PivotEnd::Breakdown;
      continue;
    }
    const Stop stop = first_stop(column, delta);
    // A pivot that is small beside its column is trusted only in a fresh dictionary.
    if (stop.row >= 0 && !fresh && std::abs(T_(stop.row, column)) < 1e-6 * largest) {
      if (!renew()) return PivotEnd::Breakdown;
      continue;
    }
    const bool upper_start = entering < n_ && at_upper_[at(entering)];
    const double value =
        (upper_start ? h_[entering] : (entering == artificial() ? t_ : 0.0)) + delta * ratio;  // of the entering one
    x_ += (delta * ratio) * T_.col(column);
    if (!std::isfinite(value)) return PivotEnd::Breakdown;
    ++pivots_;
    const Index leaving = stop.row >= 0 ? basic_[at(stop.row)] : entering;
    if (leaving == artificial()) {
      if (stop.row >= 0) {
        x_[stop.row] = value;
        exchange(stop.row, column);
      }
      t_ = 0.0;
      return PivotEnd::Complementary;
    }
    ++since;
    fresh = false;
    if (!leave_at(stop, column, value) || !enter_complement(leaving, column, delta)) return PivotEnd::Breakdown;
    if (pivots_ >= max_pivots) return PivotEnd::Limit;
    if (deadline.passed()) return PivotEnd::TimeLimit;
    if (since >= refactor_every && !renew()) return PivotEnd::Breakdown;
  }
}

void Dictionary::extract(const View& problem, VectorRef z) const {
  for (Index j = 0; j < n_; ++j) {
    const Index position = where_[at(j)];
    if (position >= 0) {
      z[j] = start_[j] + columns_[j] * (x_[position] * q_scale_);
    } else if (at_upper_[at(j)]) {
      z[j] = start_[j] == problem.upper[j] ? problem.lower[j] : problem.upper[j];
    } else {
      z[j] = start_[j];
    }
    z[j] = clamp(z[j], problem.lower[j], problem.upper[j]);
  }
}

void Dictionary::places(Places& out) const {
  out.resize(at(n_));
  for (Index j = 0; j < n_; ++j) {
    if (kind_[at(j)] == Kind::Free || where_[at(j)] >= 0) {
      out[at(j)] = Place::Between;
    } else {
      const bool mirrored = columns_[j] < 0.0;
      out[at(j)] = (at_upper_[at(j)] != 0) != mirrored && kind_[at(j)] == Kind::Bounded ? Place::Upper : Place::Lower;
    }
  }
}

}  // namespace nonsmooth::relay::detail
