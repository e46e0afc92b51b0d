// SPDX-License-Identifier: Apache-2.0
#include "impact_map.hpp"

#include <internal/round_off.hpp>

namespace nonsmooth::events {

/// H, X = M^-1 H^T, W and its factors, u- of the contacts at (t, z).
void ImpactMap::solve(double t, const Eigen::VectorXd& z) {
  model_->evaluate_velocities(t, z);
  model_->evaluate_dynamics(t, z);
  const auto count = static_cast<Index>(pushed_.size());
  H_.resize(count, model_->num_velocities());
  u_.resize(count);
  for (Index k = 0; k < count; ++k) {
    const Index row = model_->contact(pushed_[static_cast<std::size_t>(k)].contact).row;
    H_.row(k) = model_->H.row(row);
    u_[k] = model_->u[row];
  }
  X_ = H_.transpose();
  for (Index k = 0; k < count; ++k) model_->solve_mass(X_.col(k));
  W_.noalias() = H_ * X_;
  factors_.compute(W_);
}

void ImpactMap::linearise(double t, const Eigen::VectorXd& z) {
  const std::vector<Pushed> all = std::exchange(pushed_, {});
  for (const Pushed& one : all) {
    pushed_.push_back(one);
    solve(t, z);
    if (!(factors_.rcond() > 1e3 * eps)) pushed_.pop_back();
  }
  solve(t, z);
  for (std::size_t k = 0; k < pushed_.size(); ++k) {
    Pushed& one = pushed_[k];
    if (one.u_after < -0.5 * one.restitution * u_[static_cast<Index>(k)]) one.restitution = 0.0;
  }
}

void ImpactMap::operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& after) {
  after = z;
  if (pushed_.empty()) return;
  solve(t, z);
  Eigen::VectorXd right = u_, p(u_.size());
  for (std::size_t k = 0; k < pushed_.size(); ++k) right[static_cast<Index>(k)] *= -(1.0 + pushed_[k].restitution);
  factors_.solve(right, p);
  model_->v.noalias() += X_ * p;
  model_->scatter_velocities(after);
}

void ImpactMap::by_restitution(std::size_t i, Eigen::VectorXd& change) {
  change.setZero(model_->num_velocities());
  for (std::size_t k = 0; k < pushed_.size(); ++k) {
    if (pushed_[k].contact != i || pushed_[k].restitution == 0.0) continue;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(u_.size()), p(u_.size());
    right[static_cast<Index>(k)] = -u_[static_cast<Index>(k)];
    factors_.solve(right, p);
    change.noalias() = X_ * p;
  }
}

}  // namespace nonsmooth::events
