// SPDX-License-Identifier: Apache-2.0
#include "first_order_part.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <internal/round_off.hpp>

#include "model/equations/time_differences.hpp"
#include "model/memory.hpp"
#include "smooth/small_products.hpp"

namespace nonsmooth::events {
namespace {

/// y += A x.
void add_product(const Eigen::MatrixXd& A, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  smooth::add_product(A, x.data(), y.data());
}

}  // namespace

FirstOrderPart::FirstOrderPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options)
    : data_(model),
      thresholds_(options.thresholds),
      on_ambiguity_(options.on_ambiguity),
      fixed_step_(options.step > 0.0) {
  last_lambda_ = Eigen::VectorXd::Zero(data_.m);
  suspects_.assign(static_cast<std::size_t>(data_.m), 0);
}

void FirstOrderPart::constraint_rate(FirstOrderMode& mode, double t, const Eigen::VectorXd& x) {
  const double s = std::min(difference_step_, (window_.last - window_.first) / 8.0);
  // The five nodes move inwards where the window ends.
  double shift = 0.0;
  if (t - 2.0 * s < window_.first) shift = std::min(2.0, (window_.first - t) / s + 2.0);
  if (t + 2.0 * s > window_.last) shift = std::max(-2.0, (window_.last - t) / s - 2.0);
  const std::array<double, 5> weights = differences::slope_weights(shift, s);
  rate_.setZero(mode.num_constraints());
  for (std::size_t k = 0; k < 5; ++k) {
    const double at = window_.inside(t + (static_cast<double>(k) - 2.0 + shift) * s);
    data_.evaluate(at);
    mode.update_null_space();
    mode.constraints(x, c_, nullptr);
    rate_ += weights[k] * c_;
  }
  data_.evaluate(t);
}

void FirstOrderPart::values(FirstOrderMode& mode, double t, const Eigen::VectorXd& x) {
  t = window_.inside(t);
  const bool with_rate = mode.needs_constraint_rate();
  if (with_rate) constraint_rate(mode, t, x);
  data_.evaluate(t);
  mode.update();
  if (data_.is_autonomous()) {
    s_ = mode.value_constant;
    add_product(mode.SX, x, s_);
    return;
  }
  s_ = mode.s0;
  if (data_.drift_linear) {
    data_.drive(t, beta_);
    add_product(mode.SX, x, s_);
    add_product(mode.Sg, beta_, s_);
  } else {
    data_.drift(t, x, g_);
    add_product(mode.Sx, x, s_);
    add_product(mode.Sg, g_, s_);
  }
  add_product(mode.Se, data_.e, s_);
  if (with_rate) add_product(mode.Sc, rate_, s_);
}

void FirstOrderPart::flow_rates(FirstOrderMode& mode, double t, const Eigen::VectorXd& x, Eigen::VectorXd& xdot) {
  values(mode, t, x);
  if (data_.is_autonomous()) {
    xdot = mode.rate_constant;
    add_product(mode.A, x, xdot);
    return;
  }
  if (data_.drift_linear) {
    // xdot = A x + T beta + P (Se e + Sc dc/dt + s0), so that what the mode holds at rest cancels in A itself.
    xdot.noalias() = mode.A * x;
    xdot.noalias() += mode.T * beta_;
    e_ = mode.s0.head(data_.m);
    e_.noalias() += mode.Se.topRows(data_.m) * data_.e;
    if (mode.needs_constraint_rate()) e_.noalias() += mode.Sc.topRows(data_.m) * rate_;
    xdot.noalias() += data_.P * e_;
    return;
  }
  xdot = g_;
  xdot.noalias() += data_.P * s_.head(data_.m);
}

std::vector<FirstOrderPart::Guard> FirstOrderPart::guards_of(const FirstOrderMode& mode, const FirstOrderData& data) {
  std::vector<Guard> result;
  for (Index i = 0; i < data.m; ++i) {
    const FirstOrderRow& row = data.rows[static_cast<std::size_t>(i)];
    const signed char s = mode.status()[static_cast<std::size_t>(i)];
    if (s != 0) {
      if (!row.is_fixed()) result.push_back({data.m + i, i, s < 0 ? 1.0 : -1.0, 0.0, 0, 0.0});
      continue;
    }
    if (mode.is_held(i)) continue;
    if (std::isfinite(row.lower)) result.push_back({i, i, 1.0, row.lower, 0, 0.0});
    if (std::isfinite(row.upper)) result.push_back({i, i, -1.0, -row.upper, 0, 0.0});
  }
  return result;
}

double FirstOrderPart::guard_terms(const FirstOrderMode& mode, const Guard& guard, const Eigen::VectorXd& x) const {
  const Index r = guard.entry;
  double sum = std::abs(mode.s0[r]) + std::abs(guard.bound);
  for (Index j = 0; j < data_.n; ++j) sum += std::abs(mode.Sx(r, j) * x[j]) + std::abs(mode.Sg(r, j) * g_[j]);
  for (Index j = 0; j < data_.m; ++j) sum += std::abs(mode.Se(r, j) * data_.e[j]);
  return sum;
}

void FirstOrderPart::activate(FirstOrderMode& mode, std::vector<Guard> guards) {
  mode_ = &mode;
  guards_ = std::move(guards);
  constant_maps_ = has_constant_maps(mode);
  if (!constant_maps_) return;
  // What of e and beta does not change goes into the constants.
  if (data_.is_autonomous()) {
    drift_constant_ = mode.rate_constant;
    s_ = mode.value_constant;
  } else {
    s_ = mode.s0;
    if (!data_.offsets_vary) s_.noalias() += mode.Se * data_.e;
    beta_.setZero(data_.n);
    if (!data_.drive_varies) data_.drive(0.0, beta_);
    drift_constant_ = mode.T * beta_;
    drift_constant_.noalias() += data_.P * s_.head(data_.m);
    drift_of_offsets_.noalias() = data_.P * mode.Se.topRows(data_.m);
    s_.noalias() += mode.Sg * beta_;
  }
  guard_map_.resize(num_guards(), data_.n);
  guard_of_drive_.resize(num_guards(), data_.n);
  guard_of_offsets_.resize(num_guards(), data_.m);
  guard_constant_.resize(num_guards());
  for (Index i = 0; i < num_guards(); ++i) {
    const Guard& guard = guards_[static_cast<std::size_t>(i)];
    guard_map_.row(i) = guard.sign * mode.SX.row(guard.entry);
    guard_of_drive_.row(i) = guard.sign * mode.Sg.row(guard.entry);
    guard_of_offsets_.row(i) = guard.sign * mode.Se.row(guard.entry);
    guard_constant_[i] = guard.sign * s_[guard.entry] - guard.bound - guard.offset;
  }
}

void FirstOrderPart::save(std::vector<double>& numbers) {
  memory::Writer memory(numbers);
  remember(memory);
  std::size_t count = mode_ ? mode_->status().size() : 0;
  memory(count);
  if (!mode_) return;
  for (signed char branch : mode_->status()) memory(branch);
  lambda_.setZero(data_.m);
  mode_->write_held(lambda_);
  const std::optional<bool>& known = snapshots_[snapshot_].may_be_ambiguous;
  int ambiguous = known ? (*known ? 1 : 0) : -1;
  memory(lambda_, guards_, ambiguous);
}

void FirstOrderPart::resume(const std::vector<double>& numbers) {
  memory::Reader memory(numbers);
  remember(memory);
  std::vector<signed char> status;
  memory(status);
  if (empty()) return;
  Eigen::VectorXd held;
  int ambiguous = -1;
  data_.evaluate(resolved_at_);
  choose_snapshot();
  FirstOrderMode& mode = mode_of(status);
  std::vector<Guard> guards = guards_of(mode, data_);
  memory(held, guards, ambiguous);
  mode.hold(held);
  mode.update();
  activate(mode, std::move(guards));
  if (ambiguous >= 0) snapshots_[snapshot_].may_be_ambiguous = ambiguous > 0;
}

void FirstOrderPart::rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
  if (!constant_maps_) {
    data_.gather(z, x_);
    flow_rates(*mode_, t, x_, xdot_);
    data_.scatter(xdot_, zdot);
    return;
  }
  const bool together = data_.first_in_z() >= 0;
  if (!together) xdot_.resize(data_.n);
  double* const xdot = together ? zdot.data() + data_.first_in_z() : xdot_.data();
  smooth::affine_map(mode_->A, data_.packed(z, x_), drift_constant_.data(), xdot);
  if (data_.drive_varies) {
    data_.drive(window_.inside(t), beta_);
    smooth::add_product(mode_->T, beta_.data(), xdot);
  }
  if (data_.offsets_vary) {
    data_.evaluate(window_.inside(t));
    smooth::add_product(drift_of_offsets_, data_.e.data(), xdot);
  }
  if (!together) data_.scatter(xdot_, zdot);
}

bool FirstOrderPart::guards_along(const smooth::DensePolynomial& dense, Eigen::MatrixXd& coefficients) const {
  const Index first = data_.first_in_z(), count = num_guards();
  if (!constant_maps_ || data_.drive_varies || data_.offsets_vary || first < 0) return false;
  if (coefficients.rows() != count || coefficients.cols() <= dense.degree) coefficients.resize(count, dense.degree + 1);
  if (count == 0) return true;
  coefficients.setZero();
  coefficients.col(0) = guard_constant_;
  for (Index k = 0; k <= dense.degree; ++k)
    smooth::add_product(guard_map_, &dense.coefficients(first, k), &coefficients(0, k));
  return true;
}

void FirstOrderPart::guards(double t, const Eigen::VectorXd& z, double* result) {
  if (guards_.empty()) return;
  if (!constant_maps_) {
    data_.gather(z, x_);
    values(*mode_, t, x_);
    for (Index i = 0; i < num_guards(); ++i) {
      const Guard& guard = guards_[static_cast<std::size_t>(i)];
      result[i] = guard.sign * s_[guard.entry] - guard.bound - guard.offset;
    }
    return;
  }
  smooth::affine_map(guard_map_, data_.packed(z, x_), guard_constant_.data(), result);
  if (data_.drive_varies) {
    data_.drive(window_.inside(t), beta_);
    smooth::add_product(guard_of_drive_, beta_.data(), result);
  }
  if (data_.offsets_vary) {
    data_.evaluate(window_.inside(t));
    smooth::add_product(guard_of_offsets_, data_.e.data(), result);
  }
}

void FirstOrderPart::guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) {
  data_.gather(z, x_);
  const double at = window_.inside(t);
  data_.evaluate(at);
  data_.drift(at, x_, g_);
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    zeros[i] = fresh ? guards_[i].zeros : 0;
    dips[i] = 64.0 * eps * guard_terms(*mode_, guards_[i], x_);
  }
}

bool FirstOrderPart::remove_drift(double t, Eigen::VectorXd& z) {
  if (!mode_ || mode_->num_constraints() == 0) return false;
  data_.gather(z, x_);
  const double at = window_.inside(t);
  data_.evaluate(at);
  mode_->update();
  bool moved = false;
  for (int pass = 0; pass < 2; ++pass) {  // the second takes what the first leaves of a large one to cancellation
    mode_->constraints(x_, c_, &c_terms_);
    if ((c_.array().abs() <= 4.0 * eps * c_terms_.array()).all()) break;
    mode_->impulse(c_, impulse_);
    x_.noalias() += data_.P * impulse_;
    moved = true;
  }
  if (moved) data_.scatter(x_, z);
  return moved;
}

void FirstOrderPart::write(double t, const Eigen::VectorXd& z, State& state) {
  if (!mode_ || (data_.m == 0 && !data_.has_descriptors())) return;
  data_.gather(z, x_);
  data_.project(x_);
  values(*mode_, t, x_);
  lambda_ = s_.head(data_.m);
  data_.relation_outputs(x_, lambda_, y_);
  for (const FirstOrderData::Interaction& interaction : data_.interactions) {
    state.multipliers.segment(interaction.state_row, interaction.extended) =
        lambda_.segment(interaction.row, interaction.extended);
    state.outputs.segment(interaction.state_row, interaction.rows) = y_.segment(interaction.row, interaction.rows);
  }
  data_.complete(window_.inside(t), x_, lambda_, state.unknowns);
}

void FirstOrderPart::complete(double t, const Eigen::VectorXd& z, Eigen::VectorXd& unknowns) {
  if (!mode_ || !data_.has_descriptors()) return;
  data_.gather(z, x_);
  data_.project(x_);
  values(*mode_, t, x_);
  lambda_ = s_.head(data_.m);
  data_.complete(window_.inside(t), x_, lambda_, unknowns);
}

}  // namespace nonsmooth::events
