// SPDX-License-Identifier: Apache-2.0
#include "equations_of_motion.hpp"

#include <algorithm>
#include <array>

#include "model/differences.hpp"
#include "model/guarded.hpp"
#include "smooth/small_products.hpp"

namespace nonsmooth {
namespace {

/// Up to here loops with the inverse of a constant mass are faster than triangular solves.
constexpr Index kSmallSystem = 8;

/// y = A x of at most kSmallSystem rows; x and y may be one.
void small_product(const Eigen::MatrixXd& A, const double* x, double* y) {
  std::array<double, kSmallSystem> image{};
  smooth::add_product(A, x, image.data());
  std::copy_n(image.begin(), A.rows(), y);
}

}  // namespace

EquationsOfMotion::EquationsOfMotion(const NonSmoothDynamicalSystem::System& record, const Layout::System& place)
    : kept_(record.description),
      system_(record.mechanical),
      linear_(system_->linear()),
      plain_(record.moves_plainly),
      name_(place.name),
      F_(Eigen::VectorXd::Zero(place.n)) {
  if (linear_) {
    M_ = linear_->mass.to_dense(place.n, true);
    if (!linear_->damping.empty()) damping_ = linear_->damping.to_dense(place.n);
    if (!linear_->stiffness.empty()) stiffness_ = linear_->stiffness.to_dense(place.n);
  } else {
    M_ = Eigen::MatrixXd::Zero(place.n, place.n);
  }
}

bool EquationsOfMotion::is_forced() const noexcept { return linear_ && linear_->force.function() != nullptr; }

void EquationsOfMotion::retract(VectorRef q, const ConstVectorRef& w) const {
  if (!linear_) {
    guarded(name_, "retract(q, w)", [&] { system_->retract(q, w); });
  } else {
    q += w;
  }
}

bool EquationsOfMotion::normalise(VectorRef q) const {
  differences::Scratch scratch(q.size() + F_.size());
  auto before = scratch.vector(q.size()), rest = scratch.vector(F_.size());
  before = q;
  rest.setZero();
  retract(q, rest);
  return (q.array() != before.array()).any();
}

void EquationsOfMotion::position_rates(const ConstVectorRef& q, const ConstVectorRef& v, VectorRef qdot) const {
  guarded(name_, "position_rates(q, v)", [&] { system_->position_rates(q, v, qdot); });
}

void EquationsOfMotion::evaluate(double t, const ConstVectorRef& q, const ConstVectorRef& v) {
  if (linear_) {
    if (const auto* constant = linear_->force.constant()) {
      F_ = *constant;
    } else {
      F_.setZero();
      if (const auto* function = linear_->force.function()) guarded(name_, "force(t)", [&] { (*function)(t, F_); });
    }
    if (damping_.size() > 0) F_.noalias() -= damping_ * v;
    if (stiffness_.size() > 0) F_.noalias() -= stiffness_ * q;
  } else {
    F_.setZero();
    M_.setZero();
    guarded(name_, "mass(q)", [&] { system_->mass(q, M_); });
    guarded(name_, "force(t, q, v)", [&] { system_->force(t, q, v, F_); });
  }
}

void EquationsOfMotion::jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& v, MatrixRef F_q,
                                  MatrixRef F_v) const {
  F_q.setZero();
  F_v.setZero();
  if (linear_) {
    if (stiffness_.size() > 0) F_q = -stiffness_;
    if (damping_.size() > 0) F_v = -damping_;
  } else {
    guarded(name_, "force_dq", [&] { system_->force_dq(t, q, v, F_q); });
    guarded(name_, "force_dv", [&] { system_->force_dv(t, q, v, F_v); });
  }
}

bool EquationsOfMotion::factor() {
  if (linear_ && inverse_.size() > 0) return true;
  if (!linear_ && M_.rows() == 1) return !(M_(0, 0) <= 0.0);  // rates tell what is not a number
  factor_.compute(M_);
  if (!factor_.is_positive_definite()) return false;
  if (linear_) inverse_ = factor_.inverse();
  return true;
}

void EquationsOfMotion::accelerations(VectorRef a) const {
  if (!linear_) {
    a = F_;
    solve_mass(a);
  } else if (F_.size() <= kSmallSystem) {
    small_product(inverse_, F_.data(), a.data());
  } else {
    a.setZero();
    a.noalias() += inverse_ * F_;
  }
}

void EquationsOfMotion::solve_mass(VectorRef x) const {
  if (x.size() == 1) {
    x[0] /= M_(0, 0);
  } else if (linear_ && x.size() <= kSmallSystem) {
    small_product(inverse_, x.data(), x.data());
  } else {
    factor_.solve_in_place(x);
  }
}

}  // namespace nonsmooth
