// SPDX-License-Identifier: Apache-2.0
// Two bodies on one hinge, for what acts between them.
#pragma once

#include "joint_bodies.hpp"

namespace nonsmooth::jointed {

/// m_1 m_2 / (m_1 + m_2), of two masses or moments of inertia.
constexpr double reduced(double first, double second) { return first * second / (first + second); }

/// Two bodies on one hinge about z, free in space otherwise, turning as one.
struct Wheels {
  static constexpr double kFirst = 0.4, kSecond = 0.1;  // J
  NonSmoothDynamicalSystem model;
  SystemHandle first, second;
  JointFrames frames;

  Wheels() {
    first = model.add(RigidBody{.inertia = Eigen::Vector3d(0.3, 0.3, kFirst).asDiagonal(),
                                .angular_velocity = {0.0, 0.0, 0.5},
                                .name = "first"});
    second = model.add(RigidBody{.inertia = Eigen::Vector3d(0.08, 0.08, kSecond).asDiagonal(),
                                 .angular_velocity = {0.0, 0.0, 0.5},
                                 .name = "second"});
    frames = joint_between(place(Eigen::Vector3d::Zero()), place(Eigen::Vector3d::Zero()), Eigen::Vector3d::Zero());
    link_joint(model, {first, second}, HingeJoint{frames}, "hinge");
  }
  [[nodiscard]] double moment(const State& state) const {
    return kFirst * state.v(first)[5] + kSecond * state.v(second)[5];
  }
  [[nodiscard]] double relative(const State& state) const { return state.v(first)[5] - state.v(second)[5]; }
};

}  // namespace nonsmooth::jointed
