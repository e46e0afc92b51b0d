// SPDX-License-Identifier: Apache-2.0
// Guards that are zero at an instant, along the flow of the mode that would go on.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "first_order_part.hpp"
#include "smooth/small_products.hpp"

namespace nonsmooth::events {

void FirstOrderPart::runge_kutta_step(FirstOrderMode& mode, double t, double h, Eigen::VectorXd& x) {
  flow_rates(mode, t, x, k1_);
  stage_ = x + 0.5 * h * k1_;
  flow_rates(mode, t + 0.5 * h, stage_, k2_);
  stage_ = x + 0.5 * h * k2_;
  flow_rates(mode, t + 0.5 * h, stage_, k3_);
  stage_ = x + h * k3_;
  flow_rates(mode, t + h, stage_, k4_);
  x += h / 6.0 * (k1_ + 2.0 * k2_ + 2.0 * k3_ + k4_);
}

/// Coefficients of the powers of (time - t) / h of guards along the mode's own flow, and the largest terms met. Where
/// no function of time is among the data, xdot = A x + a; otherwise from five points of the flow, h apart.
void FirstOrderPart::flow_of_guards(FirstOrderMode& mode, double t, double h, const Eigen::VectorXd& x,
                                    const std::vector<std::size_t>& at_zero) {
  const auto count = static_cast<Index>(at_zero.size());
  flow_powers_.resize(count, 5);
  flow_terms_.setZero(count);
  const auto take = [&](Index k, const Eigen::VectorXd& point) {
    for (Index i = 0; i < count; ++i) {
      const Guard& guard = candidate_guards_[at_zero[static_cast<std::size_t>(i)]];
      flow_powers_(i, k) = guard.sign * s_[guard.entry] - guard.bound;
      flow_terms_[i] = std::max(flow_terms_[i], guard_terms(mode, guard, point));
    }
  };
  stage_ = x;
  if (data_.is_autonomous()) {
    flow_rates(mode, t, x, k1_);  // k1_ h^k / k!: the k-th term of the flow
    data_.drift(t, x, g_);
    take(0, x);
    for (Index k = 1; k < 5; ++k) {
      if (k > 1) {
        k2_.setZero(data_.n);
        smooth::add_product(mode.A, k1_.data(), k2_.data());
        k1_.swap(k2_);
      }
      k1_ *= h / static_cast<double>(k);
      stage_ += std::pow(4.0, static_cast<double>(k)) * k1_;  // four steps on
      for (Index i = 0; i < count; ++i) {
        const Guard& guard = candidate_guards_[at_zero[static_cast<std::size_t>(i)]];
        flow_powers_(i, k) = guard.sign * mode.SX.row(guard.entry).dot(k1_);
      }
    }
    data_.drift(t, stage_, g_);
    for (Index i = 0; i < count; ++i) {
      const Guard& guard = candidate_guards_[at_zero[static_cast<std::size_t>(i)]];
      flow_terms_[i] = std::max(flow_terms_[i], guard_terms(mode, guard, stage_));
    }
    return;
  }
  Eigen::VectorXd point = x;
  for (Index k = 0; k < 5; ++k) {
    const double at = t + static_cast<double>(k) * h;
    if (k > 0) runge_kutta_step(mode, at - h, h, point);
    values(mode, at, point);
    if (data_.drift_linear) data_.drift(window_.inside(at), point, g_);
    take(k, point);
  }
  for (Index i = 0; i < count; ++i) {
    const double f[5] = {flow_powers_(i, 0), flow_powers_(i, 1), flow_powers_(i, 2), flow_powers_(i, 3),
                         flow_powers_(i, 4)};
    flow_powers_(i, 1) = (-25.0 * f[0] + 48.0 * f[1] - 36.0 * f[2] + 16.0 * f[3] - 3.0 * f[4]) / 12.0;
    flow_powers_(i, 2) = (35.0 * f[0] - 104.0 * f[1] + 114.0 * f[2] - 56.0 * f[3] + 11.0 * f[4]) / 24.0;
    flow_powers_(i, 3) = (-5.0 * f[0] + 18.0 * f[1] - 24.0 * f[2] + 14.0 * f[3] - 3.0 * f[4]) / 12.0;
    flow_powers_(i, 4) = (f[0] - 4.0 * f[1] + 6.0 * f[2] - 4.0 * f[3] + f[4]) / 24.0;
  }
}

/// The first derivative of flow_powers_' row i that is not zero: its order, 0 for none. `doubtful`: later ones
/// do not fall as they should, and what the degree leaves of them may be as large.
int FirstOrderPart::leading_order(Index i, bool& doubtful) const {
  const auto a = flow_powers_.row(i).tail<4>();
  const double noise = 256.0 * eps * flow_terms_[i];
  doubtful = false;
  for (int k = 0; k < 3; ++k) {
    // A coefficient below 1e-4 of a later one is what the degree leaves of it: (h rate)^2. Those of a matrix's powers
    // are exact: where switches accumulate, slopes fall and curvatures stay.
    double later = 0.0;
    for (int j = k + 1; j < 4 && !data_.is_autonomous(); ++j) later = std::max(later, std::abs(a[j]));
    if (!(std::abs(a[k]) > noise && std::abs(a[k]) >= 1e-4 * later)) continue;
    doubtful = std::abs(a[k]) < 20.0 * later;
    return k + 1;
  }
  return 0;
}

/// Guards that are zero at t: each has to rise along the mode's own flow, told by the first derivative that is not
/// zero. Five points of the flow, a hundredth of its time scale apart, give a polynomial of degree 4. Functions of time
/// may turn faster than their rate at t tells: what falls by little is seen from nearer, where a slope gains on a
/// curvature and what the degree leaves of it vanishes.
bool FirstOrderPart::derivatives_hold(FirstOrderMode& mode, double t, const Eigen::VectorXd& x,
                                      const std::vector<std::size_t>& at_zero) {
  constexpr int kLooks = 3;
  constexpr double kNearer = 1.0 / 16.0;
  double rate = std::max({flow_rate(mode), time_rate_, own_rate_});
  const double left = window_.last - t;
  double h = 1e-2 / rate;
  if (left > 0.0) h = std::min(h, left / 8.0);
  std::vector<int> orders(at_zero.size());
  std::vector<char> doubted(at_zero.size(), 0);
  for (int look = 0; look < kLooks; ++look, h *= kNearer) {
    flow_of_guards(mode, t, h, x, at_zero);
    data_.evaluate(window_.inside(t));
    mode.update();
    bool falls = false;
    for (std::size_t i = 0; i < at_zero.size(); ++i) {
      bool doubtful = false;
      const auto row = static_cast<Index>(i);
      orders[i] = leading_order(row, doubtful);
      const bool rises = orders[i] == 0 ? !doubted[i] : flow_powers_(row, orders[i]) > 0.0;
      if (rises) continue;
      if (!doubtful || look + 1 == kLooks) {
        violated_[static_cast<std::size_t>(candidate_guards_[at_zero[i]].row)] = 1;
        return false;
      }
      doubted[i] = 1;
      falls = true;
    }
    if (!falls) break;
  }
  for (std::size_t i = 0; i < at_zero.size(); ++i) {
    Guard& guard = candidate_guards_[at_zero[i]];
    const double value = flow_powers_(static_cast<Index>(i), 0);
    if (value < 0.0 || value <= 1e-12 * flow_terms_[static_cast<Index>(i)] || is_exact(mode, guard.row)) {
      guard.zeros = std::min(orders[i], 2);
      guard.offset = value;
    }
  }
  return true;
}

}  // namespace nonsmooth::events
