// SPDX-License-Identifier: Apache-2.0
#include "switched_field.hpp"

#include <internal/round_off.hpp>

namespace nonsmooth::finite_elements {

ModeField::ModeField(SwitchedField& field) : field_(&field) {
  const Index n = field.size();
  f_.resize(n);
  jacobian_.resize(n, n);
}

void ModeField::set_mode(const SwitchedMode& mode) { mode_ = mode; }

void ModeField::evaluate(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& alpha, Eigen::VectorXd& F,
                         Eigen::MatrixXd* F_dx, Eigen::MatrixXd* F_dalpha) {
  const Index n = field_->size(), k = num_sliding();
  F.setZero(n);
  if (F_dx != nullptr) F_dx->setZero(n, n);
  if (F_dalpha != nullptr) F_dalpha->setZero(n, k);
  for (unsigned corner = 0; corner < 1U << static_cast<unsigned>(k); ++corner) {
    unsigned pattern = mode_.pattern;
    double weight = 1.0;
    for (Index j = 0; j < k; ++j) {
      const bool above = (corner >> static_cast<unsigned>(j) & 1U) != 0;
      if (above) pattern |= 1U << static_cast<unsigned>(mode_.sliding[static_cast<std::size_t>(j)]);
      weight *= above ? alpha[j] : 1.0 - alpha[j];
    }
    field_->field(t, x, pattern, f_);
    F.noalias() += weight * f_;
    if (F_dx != nullptr) {
      field_->jacobian(t, x, pattern, jacobian_);
      F_dx->noalias() += weight * jacobian_;
    }
    if (F_dalpha == nullptr) continue;
    for (Index i = 0; i < k; ++i) {
      double slope = (corner >> static_cast<unsigned>(i) & 1U) != 0 ? 1.0 : -1.0;
      for (Index j = 0; j < k; ++j)
        if (j != i) slope *= (corner >> static_cast<unsigned>(j) & 1U) != 0 ? alpha[j] : 1.0 - alpha[j];
      F_dalpha->col(i).noalias() += slope * f_;
    }
  }
}

bool ModeField::equivalent_control(double t, const Eigen::VectorXd& x, Eigen::VectorXd& alpha) {
  const Index k = num_sliding();
  if (k == 0) return true;
  constexpr int kMostSteps = 30;  // of Newton's: quadratic, from within [0, 1]
  field_->gradients(t, x, G_);
  field_->switch_rates(t, x, c_t_);
  G_sliding_.resize(k, field_->size());
  for (Index j = 0; j < k; ++j) G_sliding_.row(j) = G_.row(mode_.sliding[static_cast<std::size_t>(j)]);
  for (int i = 0; i < kMostSteps; ++i) {
    evaluate(t, x, alpha, F_, nullptr, &F_dalpha_);
    residual_.noalias() = G_sliding_ * F_;
    for (Index j = 0; j < k; ++j) residual_[j] += c_t_[mode_.sliding[static_cast<std::size_t>(j)]];
    slopes_.noalias() = G_sliding_ * F_dalpha_;
    factors_.compute(slopes_);
    if (!(factors_.rcond() > static_cast<double>(k) * eps)) return false;
    step_.resize(k);
    factors_.solve(residual_, step_);
    alpha -= step_;
    if (!alpha.allFinite()) return false;
    if (k == 1 || step_.lpNorm<Eigen::Infinity>() <= 4.0 * eps * (1.0 + alpha.lpNorm<Eigen::Infinity>())) return true;
  }
  return false;
}

}  // namespace nonsmooth::finite_elements
