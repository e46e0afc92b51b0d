// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/relation.hpp>

/// The aggregates of callables as the classes that the stages know.
namespace nonsmooth {

/// M dv = F dt with F = force + external - internal - gyroscopic.
class CallableSystem final : public DynamicalSystem {
 public:
  explicit CallableSystem(LagrangianSystem description) : description_(std::move(description)) {}

  [[nodiscard]] std::string name() const override { return description_.name; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return description_.q0.value(); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return description_.v0.value(); }
  void mass(ConstVectorRef q, MatrixRef M) const override {
    if (description_.mass) {
      description_.mass(q, M);
    } else {
      M.setIdentity();
    }
  }
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override;
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  [[nodiscard]] double potential(ConstVectorRef q) const override {
    return description_.potential ? description_.potential(q) : DynamicalSystem::potential(q);
  }
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return description_.prescribed; }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return description_.impulses; }
  [[nodiscard]] const Feedback& feedback() const override { return description_.feedback; }
  /// True where the user gave some part of dF/dq (dF/dv).
  [[nodiscard]] bool gives_dq() const noexcept {
    return description_.force_dq || description_.internal_dq || description_.gyroscopic_dq;
  }
  [[nodiscard]] bool gives_dv() const noexcept {
    return description_.force_dv || description_.internal_dv || description_.gyroscopic_dv;
  }

 private:
  LagrangianSystem description_;
};

/// y = H q + b + D lambda.
class LinearRelation final : public Relation {
 public:
  /// D empty: zero.
  LinearRelation(Eigen::MatrixXd H, Eigen::VectorXd b, Eigen::MatrixXd D)
      : H_(std::move(H)), b_(std::move(b)), D_(std::move(D)) {}

  [[nodiscard]] Index rows() const override { return H_.rows(); }
  void h(double, ConstVectorRef q, VectorRef y) const override { y.noalias() = b_ + H_ * q; }
  void H(double, ConstVectorRef, MatrixRef jacobian) const override { jacobian = H_; }
  void curvature(double, ConstVectorRef, ConstVectorRef, VectorRef value) const override { value.setZero(); }
  void compliant_h(double, ConstVectorRef q, ConstVectorRef lambda, VectorRef y) const override {
    y.noalias() = b_ + H_ * q;
    if (D_.size() > 0) y.noalias() += D_ * lambda;
  }
  void compliance(double, ConstVectorRef, ConstVectorRef, MatrixRef D) const override {
    if (D_.size() > 0) D = D_;
  }
  [[nodiscard]] bool is_compliant() const override { return D_.size() > 0; }
  [[nodiscard]] const Eigen::MatrixXd* constant_jacobian() const override { return &H_; }
  [[nodiscard]] const Eigen::VectorXd& offset() const noexcept { return b_; }
  [[nodiscard]] const Eigen::MatrixXd& D() const noexcept { return D_; }

 private:
  Eigen::MatrixXd H_;
  Eigen::VectorXd b_;
  Eigen::MatrixXd D_;
};

class CallableScleronomous final : public Relation {
 public:
  explicit CallableScleronomous(ScleronomousRelation description) : description_(std::move(description)) {}

  [[nodiscard]] Index rows() const override { return description_.rows; }
  [[nodiscard]] double smallest_feature() const override { return description_.smallest_feature; }
  void h(double, ConstVectorRef q, VectorRef y) const override { description_.h(q, y); }
  void H(double t, ConstVectorRef q, MatrixRef jacobian) const override {
    if (description_.H) {
      description_.H(q, jacobian);
    } else {
      Relation::H(t, q, jacobian);
    }
  }
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override {
    if (description_.curvature) {
      description_.curvature(q, v, value);
    } else if (description_.H) {
      along_velocity(q, v, value);
    } else {
      Relation::curvature(t, q, v, value);
    }
  }

 private:
  /// (H(q + s v) - H(q - s v)) v / (2 s), with a step that balances its error s^2 against rounding eps / s.
  void along_velocity(ConstVectorRef q, ConstVectorRef v, VectorRef value) const;

  ScleronomousRelation description_;
};

class CallableRheonomous final : public Relation {
 public:
  explicit CallableRheonomous(RheonomousRelation description) : description_(std::move(description)) {}

  [[nodiscard]] Index rows() const override { return description_.rows; }
  [[nodiscard]] double smallest_feature() const override { return description_.smallest_feature; }
  void h(double t, ConstVectorRef q, VectorRef y) const override { description_.h(t, q, y); }
  void H(double t, ConstVectorRef q, MatrixRef jacobian) const override {
    if (description_.H) {
      description_.H(t, q, jacobian);
    } else {
      Relation::H(t, q, jacobian);
    }
  }
  void h_t(double t, ConstVectorRef q, VectorRef value) const override;
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override;

 private:
  RheonomousRelation description_;
};

class CallableCompliant final : public Relation {
 public:
  explicit CallableCompliant(CompliantRelation description) : description_(std::move(description)) {}

  [[nodiscard]] Index rows() const override { return description_.rows; }
  void h(double, ConstVectorRef q, VectorRef y) const override {
    description_.h(q, Eigen::VectorXd::Zero(description_.rows), y);
  }
  void compliant_h(double, ConstVectorRef q, ConstVectorRef lambda, VectorRef y) const override {
    description_.h(q, lambda, y);
  }
  void compliant_H(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef jacobian) const override;
  void compliance(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef D) const override {
    if (description_.D) {
      description_.D(q, lambda, D);
    } else {
      Relation::compliance(t, q, lambda, D);
    }
  }
  [[nodiscard]] bool is_compliant() const override { return true; }

 private:
  CompliantRelation description_;
};

}  // namespace nonsmooth
