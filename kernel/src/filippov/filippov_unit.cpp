// SPDX-License-Identifier: Apache-2.0
// A FilippovSystem in a mode: its values, weights and rates.
#include "filippov_unit.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "model/equations/central_differences.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::filippov {
FilippovUnit::FilippovUnit(std::shared_ptr<const FilippovFields> fields, std::string name, InteractionHandle handle,
                           Place place, const EventDrivenOptions& options)
    : fields_(std::move(fields)),
      name_(std::move(name)),
      handle_(handle),
      z_(place.z),
      place_(place),
      smallest_size_(options.absolute_tolerance / options.relative_tolerance),
      thresholds_(options.thresholds),
      on_ambiguity_(options.on_ambiguity),
      choose_(options.choose) {
  const Index n = fields_->n();
  for (const SwitchingFunction& surface : fields_->system().switches) differences_ = differences_ || !surface.gradient;
  F_ = Eigen::MatrixXd::Zero(n, fields_->num_regions());
  gradient_ = Eigen::VectorXd::Zero(n);
  known_.assign(static_cast<std::size_t>(fields_->num_regions()), 0);
  at_ = last_x_ = largest_ = Eigen::VectorXd::Zero(n);
}

double FilippovUnit::surface(Index j, double t, const Eigen::VectorXd& x) {
  double value = 0.0;
  guarded(name_, "a switching function", [&] { value = fields_->value(j, window_.inside(t), x); });
  if (!std::isfinite(value))
    throw CallableFailure{"switching function " + fields_->surface_name(j) + " of " + name_ +
                          " returned a number that is not finite"};
  return value;
}

double FilippovUnit::surface_terms(Index j, double t, const Eigen::VectorXd& x) {
  guarded(name_, "the gradient of a switching function",
          [&] { fields_->gradient(j, window_.inside(t), x, gradient_); });
  return gradient_.cwiseAbs().dot(largest_) + std::abs(surface(j, t, x));
}

void FilippovUnit::meet(const std::vector<signed char>& signs, Meeting& meeting) const {
  meeting.surfaces.clear();
  Index base = 0;
  for (std::size_t j = 0; j < signs.size(); ++j) {
    if (signs[j] == 0) meeting.surfaces.push_back(static_cast<Index>(j));
    if (signs[j] > 0) base |= Index{1} << j;
  }
  const std::size_t q = meeting.surfaces.size();
  meeting.pattern.assign(std::size_t{1} << q, base);
  for (std::size_t i = 0; i < meeting.pattern.size(); ++i)
    for (std::size_t k = 0; k < q; ++k)
      if (i >> k & 1) meeting.pattern[i] |= Index{1} << meeting.surfaces[k];
  meeting.N.setZero(fields_->n(), static_cast<Index>(q));
  meeting.w.setZero(static_cast<Index>(q), static_cast<Index>(meeting.pattern.size()));
  meeting.terms.setZero(static_cast<Index>(q));
  meeting.lengths.setZero(static_cast<Index>(q));
}

void FilippovUnit::evaluate(double t, const Eigen::VectorXd& x, Meeting& meeting) {
  t = window_.inside(t);
  std::fill(known_.begin(), known_.end(), 0);
  for (const Index pattern : meeting.pattern) {
    const Index region = fields_->region_of(pattern);
    if (std::exchange(known_[static_cast<std::size_t>(region)], 1)) continue;
    guarded(name_, "a field", [&] { fields_->field(region, t, x, F_.col(region)); });
    if (input_.size() > 0) F_.col(region) += input_;
  }
  const auto count = static_cast<Index>(meeting.pattern.size());
  for (std::size_t k = 0; k < meeting.surfaces.size(); ++k) {
    const Index j = meeting.surfaces[k];
    const auto row = static_cast<Index>(k);
    double rate = 0.0;
    guarded(name_, "a derivative of a switching function", [&] {
      fields_->gradient(j, t, x, meeting.N.col(row));
      rate = fields_->rate(j, t, x, window_.inside(window_.first), window_.inside(window_.last));
    });
    meeting.lengths[row] = meeting.N.col(row).norm();
    meeting.terms[row] = 0.0;
    for (Index i = 0; i < count; ++i) {
      const auto field = F_.col(fields_->region_of(meeting.pattern[static_cast<std::size_t>(i)]));
      meeting.w(row, i) = meeting.N.col(row).dot(field) + rate;
      meeting.terms[row] =
          std::max(meeting.terms[row], meeting.N.col(row).cwiseAbs().dot(field.cwiseAbs()) + std::abs(rate));
    }
  }
}

void FilippovUnit::combine(const Meeting& meeting, const Weights& theta, Eigen::VectorXd& rate) const {
  rate.setZero(fields_->n());
  for (Index i = 0; i < theta.size(); ++i)
    if (theta[i] != 0.0) rate += theta[i] * F_.col(fields_->region_of(meeting.pattern[static_cast<std::size_t>(i)]));
}

/// With slice_ of what held_ has at the last evaluate().
bool FilippovUnit::weights(const Mode& mode, Weights& theta) {
  if (held_.surfaces.empty()) {
    theta.setOnes(1);
    return true;
  }
  if (held_.surfaces.size() == 1 && mode.rule != FilippovRule::Basis) {  // also where it is outside of [0, 1]
    theta.resize(2);
    const double fall = held_.w(0, 0) - held_.w(0, 1);
    if (std::abs(fall) > 1e-12 * held_.terms[0]) {
      theta[0] = -held_.w(0, 1) / fall;
      theta[1] = held_.w(0, 0) / fall;
      return true;
    }
    if (mode.rule == FilippovRule::Unique) return false;  // both fields are tangent: the others choose among all theta
  }
  slice_.set(held_.w, held_.terms);
  switch (mode.rule) {
    case FilippovRule::Unique:
      return std::isfinite(slice_.innermost(theta));
    case FilippovRule::Basis:
      return slice_.basis_weights(mode.basis, theta);
    case FilippovRule::Utkin:
      alpha_ = mode.alpha;
      return slice_.multi_affine(alpha_, theta);
    case FilippovRule::Moments:
      return slice_.moments(held_.lengths, theta);
    case FilippovRule::LeastNorm:
      break;
  }
  slice_.vertices(vertices_, masks_);
  const auto count = static_cast<Index>(vertices_.size());
  if (count == 0) return std::isfinite(slice_.innermost(theta));  // a little behind the end of the mode
  vertex_rates_.resize(fields_->n(), count);
  for (Index k = 0; k < count; ++k) {
    combine(held_, vertices_[static_cast<std::size_t>(k)], stage_);
    vertex_rates_.col(k) = stage_;
  }
  gram_.noalias() = vertex_rates_.transpose() * vertex_rates_;
  least_norm(gram_, mu_);
  theta.setZero(slice_.size());
  for (Index k = 0; k < count; ++k) theta += mu_[k] * vertices_[static_cast<std::size_t>(k)];
  return true;
}

/// held_ has to be that of the mode.
bool FilippovUnit::flow(const Mode& mode, double t, const Eigen::VectorXd& x, Eigen::VectorXd& rate) {
  evaluate(t, x, held_);
  if (!weights(mode, theta_)) return false;
  combine(held_, theta_, rate);
  return true;
}

void FilippovUnit::rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
  gather(z);
  if (!flow(mode_, t, x_, rate_)) rate_.setConstant(fields_->n(), std::numeric_limits<double>::quiet_NaN());
  zdot.segment(z_, fields_->n()) = rate_;
}

/// theta = (-w_1, w_0) / (w_0 - w_1) of one held surface by differences of w and the fields, which stay smooth where
/// theta turns fast.
bool FilippovUnit::sliding_dz(double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A) {
  gather(z);
  const Index n = fields_->n(), below = fields_->region_of(held_.pattern[0]),
              above = fields_->region_of(held_.pattern[1]);
  evaluate(t, x_, held_);
  const double w_0 = held_.w(0, 0), w_1 = held_.w(0, 1), fall = w_0 - w_1;
  if (!(std::abs(fall) > 1e-12 * held_.terms[0])) return false;
  rate_ = F_.col(below) - F_.col(above);
  moved_ = x_;
  const auto both = [&](const Eigen::VectorXd& x, Eigen::VectorXd& value) {  // (f_0, f_1, w_0, w_1)
    evaluate(t, x, held_);
    value.resize(2 * n + 2);
    value << F_.col(below), F_.col(above), held_.w(0, 0), held_.w(0, 1);
  };
  for (Index k = 0; k < n; ++k) {
    const double h = differences::kCentralStep * differences::size_of(x_[k], largest_[k], smallest_size_);
    differences::central(moved_, k, h, both, k1_, k2_);
    const double theta_0_by_x = (w_1 * k2_[2 * n] - w_0 * k2_[2 * n + 1]) / (fall * fall);
    A.col(k) = (w_0 * k2_.segment(n, n) - w_1 * k2_.head(n)) / fall + theta_0_by_x * rate_;
  }
  return true;
}

bool FilippovUnit::rates_dz(double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A) {
  if (held_.surfaces.size() == 1 && mode_.rule != FilippovRule::Basis) return sliding_dz(t, z, A);
  const Index region = fields_->region_of(held_.pattern.front());
  if (!held_.surfaces.empty() || !fields_->system().regions[static_cast<std::size_t>(region)].f_dx) return false;
  gather(z);
  guarded(name_, "the Jacobian of a field", [&] { fields_->field_dx(region, window_.inside(t), x_, A); });
  return true;
}

void FilippovUnit::activate(const Mode& mode) {
  mode_ = mode;
  meet(mode_.signs, held_);
  make_guards();
}

void FilippovUnit::reset() {
  mode_ = {};
  guards_.clear();
  num_surface_guards_ = 0;
  others_.clear();
  largest_.setZero();
  last_x_.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void FilippovUnit::forget_magnitudes() {
  largest_.setZero();
  steepest_.setZero();
}

}  // namespace nonsmooth::filippov
