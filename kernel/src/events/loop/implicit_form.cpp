// SPDX-License-Identifier: Apache-2.0
// Modes with the multipliers of their closed rows among the unknowns, for integrators of implicit equations.
#include "event_loop.hpp"

namespace nonsmooth::events {

// --- Mechanics ------------------------------------------------------------------------------------------------------

void MechanicalModel::gather_rates(const Eigen::VectorXd& zdot, Eigen::VectorXd& vdot) const {
  double* own = vdot.data();
  for (const PackedVelocity& of : packed_) *own++ = zdot[of.z];
}

void MechanicalModel::balance(const Eigen::VectorXd& zdot, const Eigen::VectorXd& push, Eigen::VectorXd& r) {
  auto of_positions = r.head(layout_->num_positions);
  gather_rates(zdot, pushed_);
  for (const SystemBatch* batch : systems_.batches) {
    batch->position_rates(positions_, v, r);
    batch->mass_product(pushed_, inertia_);
  }
  of_positions = zdot.head(layout_->num_positions) - of_positions;
  inertia_ -= F_ + push;
  const double* own = inertia_.data();
  for (const PackedVelocity& of : packed_) r[of.z] = *own++;
}

// --- First order ----------------------------------------------------------------------------------------------------

void FirstOrderMode::spread(const double* lambda, Eigen::VectorXd& all) const {
  all = bounds_;
  for (std::size_t i = 0; i < between_.size(); ++i) all[between_[i]] = lambda[i];
}

void FirstOrderMode::closed_rows(const Eigen::VectorXd& x, const Eigen::VectorXd& xdot, const Eigen::VectorXd& lambda,
                                 const Eigen::VectorXd* constraint_rate, double* rows) const {
  // Scaled as the rows of K are where it is inverted, so that pivots of a larger system compare alike.
  for (Index i = 0; i < rank_; ++i) {
    const Index row = between_[static_cast<std::size_t>(in_D_.rows[static_cast<std::size_t>(i)])];
    rows[i] = (data_->C.row(row).dot(x) + data_->e[row] + data_->D.row(row).dot(lambda)) /
              K_.row(i).lpNorm<Eigen::Infinity>();
  }
  for (Index k = 0; k < null_; ++k) {
    const double rate = constraint_rate ? (*constraint_rate)[k] : 0.0;
    rows[rank_ + k] = (NC_.row(k).dot(xdot) + rate) / K_.row(rank_ + k).lpNorm<Eigen::Infinity>();
  }
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const auto redundant = static_cast<std::size_t>(in_K_.rank) + i;
    rows[in_K_.rows[redundant]] =
        lambda[between_[static_cast<std::size_t>(held_[i])]] - held_values_[static_cast<Index>(i)];
  }
}

void FirstOrderPart::multipliers(double t, const Eigen::VectorXd& z, double* lambda) {
  if (num_multipliers() == 0) return;
  data_.gather(z, x_);
  values(*mode_, t, x_);
  for (std::size_t i = 0; i < mode_->between().size(); ++i) lambda[i] = s_[mode_->between()[i]];
}

void FirstOrderPart::residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, const double* lambda,
                              Eigen::VectorXd& r, double* rows) {
  t = window_.inside(t);
  data_.gather(z, x_);
  data_.gather(zdot, xdot_);
  const bool with_rate = mode_->needs_constraint_rate();
  if (with_rate) constraint_rate(*mode_, t, x_);
  data_.evaluate(t);
  mode_->update();
  data_.drift(t, x_, g_);
  mode_->spread(lambda, e_);
  mode_->closed_rows(x_, xdot_, e_, with_rate ? &rate_ : nullptr, rows);
  xdot_ -= g_;
  xdot_.noalias() -= data_.P * e_;
  data_.scatter(xdot_, r);
}

// --- Both -----------------------------------------------------------------------------------------------------------

Index EventLoop::Flow::num_multipliers() const {
  return loop.mechanics_.num_multipliers() + loop.first_order_.num_multipliers();
}

void EventLoop::Flow::consistent_rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot,
                                       Eigen::VectorXd& lambda) {
  (*this)(t, z, zdot);
  lambda.resize(num_multipliers());
  const Index first = loop.mechanics_.num_multipliers();
  lambda.head(first) = loop.mechanics_.multipliers();
  loop.first_order_.multipliers(t, z, lambda.data() + first);
}

void EventLoop::Flow::residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot,
                               const Eigen::VectorXd& lambda, Eigen::VectorXd& r) {
  const Index n = size(), first = loop.mechanics_.num_multipliers();
  r.resize(n + lambda.size());
  loop.mechanics_.residual(t, z, zdot, lambda.data(), r, r.data() + n);
  if (!loop.first_order_.empty()) {
    loop.first_order_.residual(t, z, zdot, lambda.data() + first, r, r.data() + n + first);
  }
  loop.filippov_.residual(t, z, zdot, r);
}

}  // namespace nonsmooth::events
