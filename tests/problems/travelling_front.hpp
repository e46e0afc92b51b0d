// SPDX-License-Identifier: Apache-2.0
// A field that reacts and diffuses, of any number of unknowns, with a closed form.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel/systems/sparse_first_order.hpp>

namespace nonsmooth::problems {

/// Of points on a line, each beside its neighbours.
inline SparsePattern of_line(Index n) {
  std::vector<std::vector<Index>> neighbours;
  for (Index i = 0; i + 1 < n; ++i) neighbours.push_back({i, i + 1});
  return SparsePattern::of_elements(n, neighbours);
}

/// u_t = u_xx + u (1 - u) (u - a) between x = -20 and 20, whose ends go with the front
///
///     u = 1 / (1 + exp((x - c t) / sqrt(2))),    c = sqrt(2) (1/2 - a),
///
/// as a user's class: n points between the ends. Source: Nagumo, Arimoto, Yoshizawa 1962; Murray 2002, 13.3.
class TravellingFront final : public SparseFirstOrderDynamicalSystem {
 public:
  explicit TravellingFront(Index n) : n_(n), pattern_(of_line(n)) {}

  static constexpr double kThreshold = 0.25, kEnd = 20.0;
  [[nodiscard]] double spacing() const { return 2.0 * kEnd / static_cast<double>(n_ + 1); }
  [[nodiscard]] double at(Index i, double t) const {
    const double x = -kEnd + spacing() * static_cast<double>(i + 1);
    const double speed = std::numbers::sqrt2 * (0.5 - kThreshold);
    return 1.0 / (1.0 + std::exp((x - speed * t) / std::numbers::sqrt2));
  }
  [[nodiscard]] Eigen::VectorXd at(double t) const {
    return Eigen::VectorXd::NullaryExpr(n_, [&](Index i) { return at(i, t); });
  }
  /// How far theta = 1/2 with steps of h is off at T at most. The third and fourth derivatives of the logistic function
  /// are at most 0.125 and 0.131, and x - c t goes over sqrt(2): truncations dx^2 / 12 u_xxxx and h^2 / 12 u_ttt, which
  /// f lets grow by exp((1 - a + a^2) / 3 T) at most.
  [[nodiscard]] double largest_error(double h, double T) const {
    constexpr double a = kThreshold;
    const double dx = spacing();
    const double truncation = dx * dx / 12.0 * 0.131 / 4.0 + h * h / 12.0 * std::pow(0.5 - a, 3) * 0.125;
    return T * std::exp((1.0 - a + a * a) / 3.0 * T) * truncation;
  }

  [[nodiscard]] Eigen::VectorXd initial_state() const override { return at(0.0); }
  [[nodiscard]] const SparsePattern& pattern() const override { return pattern_; }
  void f(double t, ConstVectorRef x, VectorRef value) const override {
    const double rate = 1.0 / (spacing() * spacing());
    for (Index i = 0; i < n_; ++i) {
      const double before = i > 0 ? x[i - 1] : at(-1, t), after = i + 1 < n_ ? x[i + 1] : at(n_, t);
      value[i] = rate * (before - 2.0 * x[i] + after) + x[i] * (1.0 - x[i]) * (x[i] - kThreshold);
    }
  }
  void f_dx_entries(double, ConstVectorRef x, SparseEntries& J) const override {
    const double rate = 1.0 / (spacing() * spacing());
    for (Index i = 0; i < n_; ++i) {
      J.add(i, i, -2.0 * rate - 3.0 * x[i] * x[i] + 2.0 * (1.0 + kThreshold) * x[i] - kThreshold);
      if (i == 0) continue;
      J.add(i, i - 1, rate);
      J.add(i - 1, i, rate);
    }
  }

 private:
  Index n_;
  SparsePattern pattern_;
};

}  // namespace nonsmooth::problems
