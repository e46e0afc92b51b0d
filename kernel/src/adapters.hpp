// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/relation.hpp>

/// The aggregates of callables as the classes that the stages know.
namespace nonsmooth {

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
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override {
    if (description_.force) description_.force(t, q, v, F);
  }
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override {
    if (description_.force_dq) {
      description_.force_dq(t, q, v, J);
    } else if (description_.force) {
      DynamicalSystem::force_dq(t, q, v, J);
    }
  }
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override {
    if (description_.force_dv) {
      description_.force_dv(t, q, v, J);
    } else if (description_.force) {
      DynamicalSystem::force_dv(t, q, v, J);
    }
  }

 private:
  LagrangianSystem description_;
};

class LinearRelation final : public Relation {
 public:
  LinearRelation(Eigen::MatrixXd H, Eigen::VectorXd b) : H_(std::move(H)), b_(std::move(b)) {}

  [[nodiscard]] Index rows() const override { return H_.rows(); }
  void h(double, ConstVectorRef q, VectorRef y) const override { y.noalias() = b_ + H_ * q; }
  void H(double, ConstVectorRef, MatrixRef jacobian) const override { jacobian = H_; }
  void curvature(double, ConstVectorRef, ConstVectorRef, VectorRef value) const override { value.setZero(); }
  [[nodiscard]] const Eigen::MatrixXd* constant_jacobian() const override { return &H_; }
  [[nodiscard]] const Eigen::VectorXd& offset() const noexcept { return b_; }

 private:
  Eigen::MatrixXd H_;
  Eigen::VectorXd b_;
};

class CallableRelation final : public Relation {
 public:
  explicit CallableRelation(ScleronomousRelation description) : description_(std::move(description)) {}

  [[nodiscard]] Index rows() const override { return description_.rows; }
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
    } else {
      Relation::curvature(t, q, v, value);
    }
  }

 private:
  ScleronomousRelation description_;
};

}  // namespace nonsmooth
