// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <internal/round_off.hpp>

#include "differences.hpp"

/// Differences of functions whose arguments have no known scale: multipliers of switches and junctions, whose currents
/// are 1e-12 where they block, and whose conductances are 1e-9 beside terms of 1.
namespace nonsmooth::differences {

/// out := value(x) at a place that nobody asked for but differences: what throws there is outside of the domain, not a
/// number.
template <class Value>
void ask_far(Value& value, const Eigen::Map<Eigen::VectorXd>& x, Eigen::Map<Eigen::VectorXd>& out) {
  out.setZero();
  try {
    value(ConstVectorRef(x), VectorRef(out));
  } catch (...) {
    out.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

/// The derivative of each row along one coordinate, by differences whose step is looked for: from the usual one up,
/// where small slopes rise above the round-off of the terms, and then down, where curvature falls behind. Steps go by
/// powers of four; the best is where three in a row differ least, relative to themselves.
template <class Value>
class StepSearch {
 public:
  static constexpr Index kVectors = 6;  ///< of the size of `base`, taken from `scratch`

  /// `state` is what value(x, out) is asked at; its entry j is moved and put back. `base` is value(state).
  StepSearch(Eigen::Map<Eigen::VectorXd>& state, const Eigen::Map<Eigen::VectorXd>& base, Value& value,
             Scratch& scratch)
      : state_(state),
        base_(base),
        value_(value),
        above_(scratch.vector(base.size())),
        below_(scratch.vector(base.size())),
        last_(scratch.vector(base.size())),
        change_(scratch.vector(base.size())),
        error_(scratch.vector(base.size())),
        slope_(scratch.vector(base.size())) {}

  /// Into `column`, where wanted[i] is not zero and some steps agree to kAgree; elsewhere it stays.
  template <class Wanted, class Column>
  void run(Index j, double step, const Wanted& wanted, Column column) {
    constexpr int kUp = 10, kDown = 24;
    constexpr double kAgree = 1e-2;
    error_.setConstant(std::numeric_limits<double>::infinity());
    const double least = 64.0 * eps * std::abs(state_[j]);
    begin();
    double longer = step, shorter = 4.0 * step;
    for (int k = 0; k <= kUp && !settled(wanted); ++k, longer *= 4.0) look(j, longer);
    begin();
    for (int k = 0; k <= kDown && shorter > least && !settled(wanted); ++k, shorter /= 4.0) look(j, shorter);
    for (Index i = 0; i < base_.size(); ++i) {
      if (wanted[i] != 0.0 && error_[i] <= kAgree) column[i] = slope_[i];
    }
  }

 private:
  static constexpr double kEnough = 1e-6;

  void begin() {
    last_.setZero();
    change_.setConstant(std::numeric_limits<double>::infinity());
  }
  template <class Wanted>
  [[nodiscard]] bool settled(const Wanted& wanted) const {
    for (Index i = 0; i < base_.size(); ++i) {
      if (wanted[i] != 0.0 && error_[i] > kEnough) return false;
    }
    return true;
  }
  void look(Index j, double step) {
    const double at = state_[j];
    state_[j] = at + step;
    ask_far(value_, state_, above_);
    state_[j] = at - step;
    ask_far(value_, state_, below_);
    state_[j] = at;
    for (Index i = 0; i < base_.size(); ++i) {
      double slope = (above_[i] - below_[i]) / (2.0 * step);
      if (!std::isfinite(below_[i])) slope = (above_[i] - base_[i]) / step;  // a domain that ends here
      if (!std::isfinite(above_[i])) slope = (base_[i] - below_[i]) / step;
      const double size = std::max(std::abs(slope), std::abs(last_[i]));
      double change = std::numeric_limits<double>::infinity();
      if (size > 0.0 && std::isfinite(slope)) change = std::abs(slope - last_[i]) / size;
      // Two in a row may agree by chance where differences are a few units of round-off.
      const double error = std::max(change, change_[i]);
      if (error < error_[i]) {
        error_[i] = error;
        slope_[i] = slope;
      }
      change_[i] = change;
      last_[i] = std::isfinite(slope) ? slope : 0.0;
    }
  }

  Eigen::Map<Eigen::VectorXd>& state_;
  const Eigen::Map<Eigen::VectorXd>& base_;
  Value& value_;
  Eigen::Map<Eigen::VectorXd> above_, below_, last_, change_, error_, slope_;
};

/// jacobian := d value(x) / dx, m x n; value(x, out) gets `out` zeroed. Forward differences as jacobian() takes them,
/// where one of four times the step agrees with them to 1e-3; entries where it does not, or where neither moves the
/// value and 65536 times the step does, by StepSearch. Cost: two calls a column, one more where some row does not feel
/// the coordinate; some seventy at most where steps are looked for.
template <class Value>
void searched_jacobian(ConstVectorRef x, MatrixRef result, Value&& value) {
  constexpr double kAgree = 1e-3, kFar = 65536.0;
  const Index m = result.rows(), n = x.size();
  Scratch scratch((5 + StepSearch<std::remove_reference_t<Value>>::kVectors) * m + n);
  auto base = scratch.vector(m), moved = scratch.vector(m), farther = scratch.vector(m), wanted = scratch.vector(m),
       silent = scratch.vector(m), at = scratch.vector(n);
  StepSearch search(at, base, value, scratch);
  at = x;
  base.setZero();
  value(ConstVectorRef(at), VectorRef(base));
  for (Index j = 0; j < n; ++j) {
    const double step = step_at(x[j]);
    at[j] = x[j] + step;
    moved.setZero();
    value(ConstVectorRef(at), VectorRef(moved));
    at[j] = x[j] + 4.0 * step;
    ask_far(value, at, farther);
    at[j] = x[j];
    result.col(j) = (moved - base) / step;
    for (Index i = 0; i < m; ++i) {
      const double near = result(i, j), far = (farther[i] - base[i]) / (4.0 * step);
      silent[i] = near == 0.0 && far == 0.0 ? 1.0 : 0.0;
      wanted[i] = std::abs(near - far) > kAgree * std::max(std::abs(near), std::abs(far)) ? 1.0 : 0.0;
    }
    if (m > 0 && silent.maxCoeff() > 0.0) {
      at[j] = x[j] + kFar * step;
      ask_far(value, at, farther);
      at[j] = x[j];
      for (Index i = 0; i < m; ++i) {
        if (silent[i] != 0.0 && std::isfinite(farther[i]) && farther[i] != base[i]) wanted[i] = 1.0;
      }
    }
    if (m > 0 && wanted.maxCoeff() > 0.0) search.run(j, step, wanted, result.col(j));
  }
}

}  // namespace nonsmooth::differences
