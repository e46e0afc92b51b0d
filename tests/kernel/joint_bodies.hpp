// SPDX-License-Identifier: Apache-2.0
// Bodies for the tests of joints, written as a user writes them.
#pragma once

#include <cmath>
#include <memory>
#include <utility>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::jointed {

inline Eigen::Vector3d cross(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// a b of quaternions, scalar first.
inline Eigen::Vector4d times(const Eigen::Vector4d& a, const Eigen::Vector4d& b) {
  Eigen::Vector4d result;
  result[0] = a[0] * b[0] - a.tail<3>().dot(b.tail<3>());
  result.tail<3>() = a[0] * b.tail<3>() + b[0] * a.tail<3>() + cross(a.tail<3>(), b.tail<3>());
  return result;
}

/// The rotation by |w| about w.
inline Eigen::Vector4d exponential(const Eigen::Vector3d& w) {
  const double half = 0.5 * w.norm();
  Eigen::Vector4d result;
  result[0] = std::cos(half);
  result.tail<3>() = (half == 0.0 ? 0.5 : 0.5 * std::sin(half) / half) * w;
  return result;
}

/// Q w Q*, from the body's axes to those of space.
inline Eigen::Vector3d turned(const Eigen::Vector4d& Q, const Eigen::Vector3d& w) {
  const Eigen::Vector3d v = Q.tail<3>();
  return w + 2.0 * cross(v, cross(v, w) + Q[0] * w);
}

inline Eigen::VectorXd place(const Eigen::Vector3d& centre, const Eigen::Vector4d& Q = {1.0, 0.0, 0.0, 0.0}) {
  return (Eigen::VectorXd(7) << centre, Q).finished();
}

/// p += the first three of w, Q := Q exp(the others / 2), of each body in q.
inline void move(VectorRef q, ConstVectorRef w) {
  for (Index i = 0; 7 * i < q.size(); ++i) {
    q.segment<3>(7 * i) += w.segment<3>(6 * i);
    const Eigen::Vector4d Q = q.segment<4>(7 * i + 3);
    q.segment<4>(7 * i + 3) = times(Q, exponential(w.segment<3>(6 * i + 3))).normalized();
  }
}

/// m xddot = m g,  J Omegadot + Omega x J Omega = 0 in the axes of the body, which are principal.
class Body final : public MechanicalSystem {
 public:
  double m = 1.0;
  Eigen::Vector3d J = Eigen::Vector3d::Ones();
  Eigen::VectorXd q0 = place(Eigen::Vector3d::Zero()), v0 = Eigen::VectorXd::Zero(6);
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();

  [[nodiscard]] Eigen::VectorXd initial_position() const override { return q0; }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return v0; }
  void mass(ConstVectorRef, MatrixRef M) const override {
    M.diagonal().head<3>().setConstant(m);
    M.diagonal().tail<3>() = J;
  }
  void force(double, ConstVectorRef, ConstVectorRef v, VectorRef F) const override {
    const Eigen::Vector3d spin = v.tail<3>();
    F.head<3>() = m * gravity;
    F.tail<3>() = -cross(spin, J.cwiseProduct(spin));
  }
  void retract(VectorRef q, ConstVectorRef w) const override { move(q, w); }
  void position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const override {
    const Eigen::Vector4d Q = q.tail<4>(), spin(0.0, v[3], v[4], v[5]);
    qdot.head<3>() = v.head<3>();
    qdot.tail<4>() = 0.5 * times(Q, spin);
  }
  [[nodiscard]] double potential(ConstVectorRef q) const override { return -m * gravity.dot(q.head<3>()); }
  [[nodiscard]] double energy(ConstVectorRef q, ConstVectorRef v) const {
    return 0.5 * (m * v.head<3>().squaredNorm() + J.dot(v.tail<3>().cwiseAbs2())) + potential(q);
  }
};

}  // namespace nonsmooth::jointed
