// SPDX-License-Identifier: Apache-2.0
// Places, turns and energies of bodies for the tests of joints, written as a user writes them.
#pragma once

#include <cmath>

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

/// q where it starts.
inline Eigen::VectorXd start_of(const RigidBody& body) { return place(body.position, body.orientation); }

inline double energy(const RigidBody& body, ConstVectorRef q, ConstVectorRef v) {
  const Eigen::Vector3d spin = v.tail<3>(), height = q.head<3>();
  return 0.5 * (body.mass * v.head<3>().squaredNorm() + spin.dot(body.inertia * spin)) -
         body.mass * body.gravity.dot(height);
}

}  // namespace nonsmooth::jointed
