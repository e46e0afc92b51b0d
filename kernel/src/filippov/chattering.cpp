// SPDX-License-Identifier: Apache-2.0
#include "chattering.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

namespace nonsmooth::filippov {
namespace {

const double kStepOfDifferences = std::cbrt(eps);

}  // namespace

Chattering::Chattering(const FilippovFields& fields, const SwitchingLag& lag)
    : fields_(&fields), lag_(lag), n_(fields.n()), A_(n_, n_), P_(n_, n_), S_(n_, n_), eigenvalues_(n_) {}

bool Chattering::look(double t, const Eigen::VectorXd& x) {
  look_at_sliding(*fields_, t, x, here_);
  if (!here_.slides()) return false;
  at_ = x;
  for (Index k = 0; k < n_; ++k) {
    const double h = kStepOfDifferences * std::max(1.0, std::abs(x[k]));
    at_[k] = x[k] + h;
    look_at_sliding(*fields_, t, at_, ahead_);
    at_[k] = x[k] - h;
    look_at_sliding(*fields_, t, at_, behind_);
    at_[k] = x[k];
    A_.col(k) = (ahead_.sliding - behind_.sliding) / (2.0 * h);
  }
  normal_ = here_.normal.normalized();
  find_growth(normal_);
  const double h = kStepOfDifferences * std::max(1.0, x.norm()) / std::max(1.0, here_.sliding.norm());
  at_ = x + h * here_.sliding;
  look_at_sliding(*fields_, t + h, at_, ahead_);
  at_ = x - h * here_.sliding;
  look_at_sliding(*fields_, t - h, at_, behind_);
  B_.noalias() = A_ * here_.G;
  B_ -= (ahead_.G - behind_.G) / (2.0 * h);
  const double along = normal_.dot(B_);
  B_ -= along * normal_;  // of a surface that is curved what eta has along the normal is of second order
  drive_ = B_.norm();
  return true;
}

/// The largest eigenvalue of P sym(A) P on the tangent plane: the normal's is put below all others.
void Chattering::find_growth(const Eigen::VectorXd& normal) {
  S_ = 0.5 * (A_ + A_.transpose());
  const double low = 2.0 * S_.norm() + 1.0;
  P_.setIdentity();
  P_.noalias() -= normal * normal.transpose();
  S_ = (P_ * S_ * P_ - low * normal * normal.transpose()).eval();
  growth_ = eigenvalues_.compute(S_, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
}

}  // namespace nonsmooth::filippov
