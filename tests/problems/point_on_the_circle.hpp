// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include <nonsmooth/kernel/dynamical_system.hpp>

namespace nonsmooth::problems {

/// A pendulum of length 1 as a point on the unit circle: q = (cos, sin), v the rate of the angle [rad/s], at rest at
/// first. The weight pulls the sine down. Time-stepping and event-driven runs are compared with the angle's.
class PointOnTheCircle final : public MechanicalSystem {
 public:
  PointOnTheCircle(double angle, double gravity) : angle_(angle), gravity_(gravity) {}
  [[nodiscard]] std::string name() const override { return "pendulum"; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override {
    return Eigen::Vector2d(std::cos(angle_), std::sin(angle_));
  }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::VectorXd::Zero(1); }
  void mass(ConstVectorRef, MatrixRef M) const override { M(0, 0) = 2.0; }
  void force(double, ConstVectorRef q, ConstVectorRef, VectorRef F) const override { F[0] = -2.0 * gravity_ * q[1]; }
  void retract(VectorRef q, ConstVectorRef w) const override {
    const double c = std::cos(w[0]), s = std::sin(w[0]), x = q[0], y = q[1];
    q[0] = c * x - s * y;
    q[1] = s * x + c * y;
  }

 private:
  double angle_, gravity_;
};

}  // namespace nonsmooth::problems
