// SPDX-License-Identifier: Apache-2.0
#include "active_factors.hpp"

#include <cmath>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::qp::detail {

bool ActiveFactors::factorize(ConstMatrixRef H, double smallest) {
  n_ = H.rows();
  q_ = 0;
  L_.resize(n_, n_);
  inverse_.resize(n_, n_);
  J_.resize(n_, n_);
  R_.resize(n_, n_);
  scratch_.resize(n_);
  unit_.resize(n_);
  for (Index j = 0; j < n_; ++j) {
    if (!(H(j, j) > 0.0)) return false;
    unit_[j] = 1.0 / std::sqrt(H(j, j));
  }
  for (Index j = 0; j < n_; ++j)
    L_.col(j).tail(n_ - j) = unit_[j] * unit_.tail(n_ - j).cwiseProduct(H.col(j).tail(n_ - j));
  if (!cholesky_in_place(L_)) return false;
  for (Index j = 0; j < n_; ++j) {
    if (!(L_(j, j) * L_(j, j) > smallest)) return false;
  }
  inverse_.setIdentity();
  L_.triangularView<Eigen::Lower>().transpose().solveInPlace(inverse_);
  inverse_ = unit_.asDiagonal() * inverse_;  // of D L with D_j = sqrt H_jj
  clear();
  return true;
}

void ActiveFactors::clear() {
  q_ = 0;
  J_ = inverse_;
}

void ActiveFactors::transform(ConstVectorRef normal, Eigen::VectorXd& d) const {
  d.noalias() = J_.transpose() * normal;
}

void ActiveFactors::transform_unit(Index j, double sign, Eigen::VectorXd& d) const { d = sign * J_.row(j).transpose(); }

void ActiveFactors::step(const Eigen::VectorXd& d, Eigen::VectorXd& z) const {
  z.noalias() = J_.rightCols(n_ - q_) * d.tail(n_ - q_);
}

void ActiveFactors::multiplier_step(const Eigen::VectorXd& d, Eigen::VectorXd& r) const {
  auto head = r.head(q_);
  head = d.head(q_);
  R_.topLeftCorner(q_, q_).triangularView<Eigen::Upper>().solveInPlace(head);
}

double ActiveFactors::free_part(const Eigen::VectorXd& d) const { return d.tail(n_ - q_).squaredNorm(); }

bool ActiveFactors::depends(const Eigen::VectorXd& d) const {
  // d is J^T n to about n eps |J||n|; a normal nearer than that to the others' span is rounding.
  const double part = 64.0 * static_cast<double>(n_) * eps;
  return q_ == n_ || free_part(d) <= part * part * d.squaredNorm();
}

void ActiveFactors::add(const Eigen::VectorXd& d) {
  // A reflection takes d_2 to its norm in front; J_2 is reflected alike.
  const Index rest = n_ - q_;
  const double norm = d.tail(rest).norm();
  const double front = d[q_] > 0.0 ? -norm : norm;
  R_.col(q_).head(q_) = d.head(q_);
  R_(q_, q_) = front;
  if (rest > 1) {
    auto v = unit_.tail(rest);
    v = d.tail(rest);
    v[0] -= front;
    const double size = v.squaredNorm();
    if (size > 0.0) {
      scratch_.noalias() = J_.rightCols(rest) * v;
      J_.rightCols(rest).noalias() -= (2.0 / size) * scratch_ * v.transpose();
    }
  } else if (d[q_] != front) {
    J_.col(q_) = -J_.col(q_);
  }
  ++q_;
}

void ActiveFactors::drop(Index place) {
  for (Index k = place; k + 1 < q_; ++k) R_.col(k).head(k + 2) = R_.col(k + 1).head(k + 2);
  --q_;
  for (Index k = place; k < q_; ++k) {
    const double a = R_(k, k), b = R_(k + 1, k), norm = std::hypot(a, b);
    if (norm == 0.0 || b == 0.0) continue;
    const double cosine = a / norm, sine = b / norm;
    for (Index j = k; j < q_; ++j) {
      const double above = R_(k, j), below = R_(k + 1, j);
      R_(k, j) = cosine * above + sine * below;
      R_(k + 1, j) = cosine * below - sine * above;
    }
    for (Index i = 0; i < n_; ++i) {
      const double left = J_(i, k), right = J_(i, k + 1);
      J_(i, k) = cosine * left + sine * right;
      J_(i, k + 1) = cosine * right - sine * left;
    }
  }
}

void ActiveFactors::correct(const Eigen::VectorXd& dual, const Eigen::VectorXd& primal, Eigen::VectorXd& dx,
                            Eigen::VectorXd& du) {
  // In t = J^-1 dx: t_1 = -R^-T primal, t_2 = -J_2^T dual, and R du = t_1 + J_1^T dual.
  scratch_.noalias() = J_.transpose() * dual;
  auto t = unit_.head(q_);
  t = -primal.head(q_);
  R_.topLeftCorner(q_, q_).triangularView<Eigen::Upper>().transpose().solveInPlace(t);
  auto multipliers = du.head(q_);
  multipliers = t + scratch_.head(q_);
  R_.topLeftCorner(q_, q_).triangularView<Eigen::Upper>().solveInPlace(multipliers);
  scratch_.head(q_) = t;
  scratch_.tail(n_ - q_) = -scratch_.tail(n_ - q_);
  dx.noalias() = J_ * scratch_;
}

}  // namespace nonsmooth::qp::detail
