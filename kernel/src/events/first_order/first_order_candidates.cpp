// SPDX-License-Identifier: Apache-2.0
// Time scales of the first-order subsystem, and the mode that an implicit Euler step of vanishing length takes.
#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include "first_order_part.hpp"
#include "model/equations/differences.hpp"
#include "smooth/small_products.hpp"

namespace nonsmooth::events {
namespace {

constexpr std::size_t max_snapshots = 16;

/// |D^-1 A D|_inf for the diagonal D that Osborne's balancing finds: a bound of the rates in A that units do not move.
/// Source: Osborne 1960 [osborne1960].
double balanced_norm(Eigen::MatrixXd A) {
  const Index n = A.rows();
  if (n == 0 || !A.allFinite()) return 0.0;
  for (int sweep = 0; sweep < 12; ++sweep) {
    for (Index i = 0; i < n; ++i) {
      const double diagonal = std::abs(A(i, i));
      const double row = A.row(i).lpNorm<1>() - diagonal, column = A.col(i).lpNorm<1>() - diagonal;
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double scale = std::sqrt(row / column);
      A.row(i) /= scale;
      A.col(i) *= scale;
    }
  }
  // A coordinate that only drives, or is only driven, cannot be balanced; its couplings make no rate.
  double norm = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double diagonal = std::abs(A(i, i));
    const double row = A.row(i).lpNorm<1>() - diagonal, column = A.col(i).lpNorm<1>() - diagonal;
    norm = std::max(norm, diagonal + std::min(row, column));
  }
  return norm;
}

}  // namespace

/// Modes are kept for the values of C, D and P that they were made for: those of a switch that opens and closes come
/// back.
void FirstOrderPart::choose_snapshot() {
  if (!data_.matrices_vary && !snapshots_.empty()) return;
  std::size_t at = 0;
  while (at < snapshots_.size() && !data_.is(snapshots_[at].values)) ++at;
  if (at == snapshots_.size()) {
    if (at == max_snapshots) {  // values that never come back
      at = 0;
      mode_ = nullptr;
      snapshots_[0] = {};
    } else {
      snapshots_.emplace_back();
    }
    snapshots_[at].values = {data_.C, data_.D, data_.P, ++last_stamp_};
  }
  snapshot_ = at;
  data_.remember(snapshots_[at].values);
}

FirstOrderMode& FirstOrderPart::mode_of(const std::vector<signed char>& status) {
  std::unique_ptr<FirstOrderMode>& mode = snapshots_[snapshot_].modes[status];
  if (!mode) mode = std::make_unique<FirstOrderMode>(data_, status);
  if (!mode->usable()) refusal_ = mode->detail();
  return *mode;
}

/// Of the values of time_rate(): absolute terms that rounding of each is relative to, where they are more than the
/// value: rates of stiff systems are small differences of large terms.
Eigen::VectorXd FirstOrderPart::terms_of_rates(Index size, bool with_drift, const Eigen::VectorXd& x) const {
  Eigen::VectorXd terms = Eigen::VectorXd::Zero(size);
  if (with_drift && data_.drift_linear) terms.tail(data_.n) = data_.G.cwiseAbs() * x.cwiseAbs();
  return terms;
}

/// The rate at which the data change in time, and with it the step that a fourth-order difference of them takes: where
/// what truncation leaves and what round-off leaves are about the same.
double FirstOrderPart::time_rate(double t, const Eigen::VectorXd& x) {
  const bool drift_varies = !data_.drift_linear || data_.drive_varies;
  if (!drift_varies && !data_.offsets_vary && !data_.matrices_vary) return 0.0;
  const auto sample = [&](double at, Eigen::VectorXd& value) {
    at = window_.inside(at);
    data_.evaluate(at);
    const Index matrices = data_.matrices_vary ? data_.C.size() + data_.D.size() + data_.P.size() : 0;
    value.resize(data_.m + matrices + (drift_varies ? data_.n : 0));
    value.head(data_.m) = data_.e;
    if (matrices > 0) {
      value.segment(data_.m, data_.C.size()) = data_.C.reshaped();
      value.segment(data_.m + data_.C.size(), data_.D.size()) = data_.D.reshaped();
      value.segment(data_.m + data_.C.size() + data_.D.size(), data_.P.size()) = data_.P.reshaped();
    }
    if (drift_varies) {
      data_.drift(at, x, g_);
      value.tail(data_.n) = g_;
    }
  };
  // Forward differences of third order on t, t + s, ..., t + 3 s: the window may end just before t.
  Eigen::VectorXd value, difference, last, magnitude, first, terms;
  bool constant = true;
  double s =
      std::min(own_rate_ > 0.0 ? 1.0 / own_rate_ : std::max(1.0, std::abs(t)), (window_.last - window_.first) / 16.0);
  double best = std::numeric_limits<double>::infinity(), chosen = s, error_before = 0.0;
  constexpr double weights[4] = {-11.0 / 6.0, 3.0, -1.5, 1.0 / 3.0};
  // Errors fall by 64 from one level to the next, by 256 where the fourth derivative vanishes.
  constexpr double kJump = 4096.0, kInside = 1.0 / 16.0;
  constexpr double kRoundOff = 1e4;  // of round-off: what the arguments of functions lose is more than their last bits
  bool falls = false;                // errors of pulses that are narrower yet
  for (int level = 0; level < 14 || (falls && level < 30); ++level, s /= 4.0) {
    if (s < 256.0 * eps * std::abs(t)) break;
    for (int k = 0; k < 4; ++k) {
      sample(t + static_cast<double>(k) * s, value);
      if (level == 0 && k == 0) {
        first = value;
        terms = terms_of_rates(value.size(), drift_varies, x);
      }
      constant = constant && value == first;
      if (k == 0) {
        difference = weights[0] * value;
        magnitude = value.cwiseAbs();
      } else {
        difference += weights[k] * value;
        magnitude = magnitude.cwiseMax(value.cwiseAbs());
      }
    }
    if (constant && level == 1) break;  // a switch between two instants
    difference /= s;
    if (level > 0) {
      double error = 0.0, round_off = 0.0;  // of s 4, by entry relative to the entry's magnitude
      for (Index i = 0; i < difference.size(); ++i) {
        if (!(magnitude[i] > 0.0)) continue;
        const double own = eps * std::max(1.0, terms[i] / magnitude[i]) / s;
        error = std::max(error, std::abs(difference[i] - last[i]) / magnitude[i] + own);
        round_off = std::max(round_off, own);
      }
      if (error < best) {
        best = error;
        chosen = 4.0 * s;
        // Where a pulse begins or ends that near, the longer differences would reach beyond.
        if (error_before > kJump * error) chosen *= kInside;
      }
      falls = error < 0.25 * error_before;
      error_before = error;
      // Round-off from here on. Where the error is larger than that, a pulse shows that longer steps went beyond.
      if (error > 1e3 * best && error < kRoundOff * round_off) break;
    }
    last = difference;
  }
  data_.evaluate(t);
  difference_step_ = 8.0 * chosen;  // an order more than that of the difference above allows a longer step
  // With rate w, w^3 s^3 / 4 = eps / (w s): w s = 2e-4.
  return 2e-4 / chosen;
}

void FirstOrderPart::measure_rates(double t, const Eigen::VectorXd& x) {
  data_.drift(t, x, g_);
  if (data_.drift_linear) {
    jacobian_ = data_.G;
  } else {
    jacobian_.resize(data_.n, data_.n);
    Eigen::VectorXd at, value;
    differences::jacobian(x, jacobian_, [&](ConstVectorRef point, VectorRef out) {
      at = point;
      data_.drift(t, at, value);
      out = value;
    });
  }
  if (!data_.drift_linear || norm_of_G_ < 0.0) norm_of_G_ = balanced_norm(jacobian_);
  own_rate_ = norm_of_G_;
  // Where nothing decays by itself, inputs against the state's size tell how long a short time is.
  const double size = x.size() > 0 ? largest_.lpNorm<Eigen::Infinity>() : 0.0;
  if (size > 0.0) {
    Eigen::VectorXd rate = g_.cwiseAbs();
    for (Index i = 0; i < data_.m; ++i) {
      const FirstOrderRow& row = data_.rows[static_cast<std::size_t>(i)];
      const double lower = std::isfinite(row.lower) ? std::abs(row.lower) : 0.0;
      const double upper = std::isfinite(row.upper) ? std::abs(row.upper) : 0.0;
      rate += std::max(lower, upper) * data_.P.col(i).cwiseAbs();
    }
    // A Jacobian that varies says nothing where it vanishes, and its differences leave round-off there.
    if (own_rate_ == 0.0 || !data_.drift_linear) own_rate_ = std::max(own_rate_, rate.lpNorm<Eigen::Infinity>() / size);
  }
  if (own_rate_ == 0.0) own_rate_ = 1.0 / std::min(std::max(1.0, std::abs(t)), window_.last - window_.first);
  time_rate_ = time_rate(t, x);
}

double FirstOrderPart::flow_rate(FirstOrderMode& mode) const {
  const bool lasts = data_.is_autonomous();
  if (lasts && mode.flow_rate >= 0.0) return mode.flow_rate;
  Eigen::MatrixXd map = mode.Sx.topRows(data_.m);
  map.noalias() += mode.Sg.topRows(data_.m) * jacobian_;
  Eigen::MatrixXd A = jacobian_;
  A.noalias() += data_.P * map;
  const double rate = balanced_norm(A);
  if (lasts) mode.flow_rate = rate;
  return rate;
}

/// Matrix and bounds of an implicit step of length h.
void FirstOrderPart::scale_step(double h) {
  const Index m = data_.m;
  relay::Problem& problem = tried_.problem;
  tried_.length = h;
  problem.M = data_.D + h * (data_.C * data_.P);
  // Rows and columns by the same factors: definiteness stays, units go.
  Eigen::VectorXd& scale = tried_.scale;
  scale.setOnes(m);
  for (int sweep = 0; sweep < 8; ++sweep) {
    for (Index i = 0; i < m; ++i) {
      double largest = 0.0;
      for (Index j = 0; j < m; ++j)
        largest =
            std::max(largest, scale[i] * scale[j] * std::max(std::abs(problem.M(i, j)), std::abs(problem.M(j, i))));
      if (largest > 0.0) scale[i] /= std::sqrt(largest);
    }
  }
  problem.M = scale.asDiagonal() * problem.M * scale.asDiagonal();
  problem.lower.resize(m);
  problem.upper.resize(m);
  for (Index i = 0; i < m; ++i) {
    const FirstOrderRow& row = data_.rows[static_cast<std::size_t>(i)];
    problem.lower[i] = row.lower / scale[i];
    problem.upper[i] = row.upper / scale[i];
  }
}

std::optional<std::vector<signed char>> FirstOrderPart::implicit_step(double t, double h, const Eigen::VectorXd& x) {
  const Index m = data_.m;
  if (m == 0) return std::vector<signed char>{};
  const double at = window_.inside(t), next = window_.inside(t + h);
  data_.drift(at, x, g_);
  data_.evaluate(next);
  relay::Problem& problem = tried_.problem;
  if (data_.matrices_vary || h != tried_.length) scale_step(h);
  stage_ = x + h * g_;
  problem.q = data_.e;
  smooth::add_product(data_.C, stage_.data(), problem.q.data());
  for (Index i = 0; i < m; ++i)
    if (exact_[static_cast<std::size_t>(i)]) problem.q[i] -= exact_value_[i];
  data_.evaluate(at);
  problem.q.array() *= tried_.scale.array();
  if (!problem.M.allFinite() || !problem.q.allFinite()) return std::nullopt;
  const relay::Result result = relay::solve(problem);
  if (result.z.size() != m || !result.z.allFinite()) return std::nullopt;
  last_lambda_ = tried_.scale.cwiseProduct(result.z);
  tried_.status = result.status;
  tried_.solver = result.solver;
  std::swap(tried_, step_);  // a try that fails leaves what is shown
  mode_shown_.renew();
  std::vector<signed char> status(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double above = result.z[i] - step_.problem.lower[i], below = step_.problem.upper[i] - result.z[i],
                 w = result.w[i];
    if (data_.rows[k].is_fixed()) {
      status[k] = -1;
    } else if (above == 0.0 && w == 0.0) {
      status[k] = before_.empty() ? static_cast<signed char>(-1) : std::min<signed char>(before_[k], 0);
    } else if (above < w) {
      status[k] = -1;
    } else if (below < -w) {
      status[k] = 1;
    } else {
      status[k] = 0;
    }
  }
  return status;
}

}  // namespace nonsmooth::events
