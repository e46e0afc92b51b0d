// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <Eigen/Core>

/// Rotations as unit quaternions Q = (w, x, y, z): R(Q) turns the coordinates of a body into those of space. Plain
/// numbers of fixed size, no memory from the heap.
namespace nonsmooth::rotation {

/// How far from 1 the length of a quaternion that a user gives may be: ten digits leave 1e-10 at most. Its length is
/// divided out where it is taken.
inline constexpr double kUnitTolerance = 1e-9;

/// The same of a state that somebody wrote: one that an observer copied within a step of event-driven simulation has
/// the error of the polynomial there.
inline constexpr double kUnitToleranceOfStates = 1e-6;

[[nodiscard]] inline Eigen::Vector3d cross(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// [a]x: [a]x b = a x b.
[[nodiscard]] inline Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d result;
  result << 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0;
  return result;
}

[[nodiscard]] inline Eigen::Vector4d conjugate(const Eigen::Vector4d& Q) { return {Q[0], -Q[1], -Q[2], -Q[3]}; }

/// P Q, which turns by Q first.
[[nodiscard]] inline Eigen::Vector4d product(const Eigen::Vector4d& P, const Eigen::Vector4d& Q) {
  return {P[0] * Q[0] - P[1] * Q[1] - P[2] * Q[2] - P[3] * Q[3], P[0] * Q[1] + P[1] * Q[0] + P[2] * Q[3] - P[3] * Q[2],
          P[0] * Q[2] - P[1] * Q[3] + P[2] * Q[0] + P[3] * Q[1], P[0] * Q[3] + P[1] * Q[2] - P[2] * Q[1] + P[3] * Q[0]};
}

/// R(Q) a: body coordinates into those of space.
[[nodiscard]] inline Eigen::Vector3d rotate(const Eigen::Vector4d& Q, const Eigen::Vector3d& a) {
  const Eigen::Vector3d axis(Q[1], Q[2], Q[3]);
  const Eigen::Vector3d turned = 2.0 * cross(axis, a);
  return a + Q[0] * turned + cross(axis, turned);
}

/// R(Q)^T a: coordinates of space into those of the body.
[[nodiscard]] inline Eigen::Vector3d rotate_back(const Eigen::Vector4d& Q, const Eigen::Vector3d& a) {
  return rotate(conjugate(Q), a);
}

[[nodiscard]] inline Eigen::Matrix3d matrix(const Eigen::Vector4d& Q) {
  const double w = Q[0], x = Q[1], y = Q[2], z = Q[3];
  Eigen::Matrix3d R;
  R << 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),  //
      2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),   //
      2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y);
  return R;
}

/// R(Q / |Q|) of a Q of any length but zero: what is asked between steps has a unit to an integrator's error alone.
[[nodiscard]] inline Eigen::Matrix3d matrix_of_any_length(const Eigen::Vector4d& Q) {
  const double w = Q[0], x = Q[1], y = Q[2], z = Q[3];
  Eigen::Matrix3d R;
  R << w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),  //
      2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x),   //
      2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return R / Q.squaredNorm();
}

/// One of the two Q of a rotation matrix, by the largest of the four components: its square is 1/4 at least. Source:
/// Shepperd 1978.
[[nodiscard]] inline Eigen::Vector4d quaternion(const Eigen::Matrix3d& R) {
  const Eigen::Vector4d squares(R.trace(), R(0, 0), R(1, 1), R(2, 2));
  Eigen::Index largest = 0;
  squares.maxCoeff(&largest);
  Eigen::Vector4d result;
  if (largest == 0) {
    result << 1.0 + R.trace(), R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1);
  } else {
    const Eigen::Index i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    result[0] = R(k, j) - R(j, k);
    result[1 + i] = 1.0 + R(i, i) - R(j, j) - R(k, k);
    result[1 + j] = R(i, j) + R(j, i);
    result[1 + k] = R(i, k) + R(k, i);
  }
  return result.normalized();
}

/// exp(w / 2): the turn about w by |w|.
[[nodiscard]] inline Eigen::Vector4d exponential(const Eigen::Vector3d& w) {
  const double angle = w.norm(), scale = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
  return {std::cos(0.5 * angle), scale * w[0], scale * w[1], scale * w[2]};
}

/// The w of least length, at most pi, whose exponential is Q or -Q.
[[nodiscard]] inline Eigen::Vector3d logarithm(const Eigen::Vector4d& Q) {
  const Eigen::Vector3d axis(Q[1], Q[2], Q[3]);
  const double sine = axis.norm();
  if (sine == 0.0) return Eigen::Vector3d::Zero();
  const double half = std::atan2(sine, std::abs(Q[0]));
  return ((Q[0] < 0.0 ? -2.0 : 2.0) * half / sine) * axis;
}

/// Q exp(w / 2), a unit to round-off whatever it was: turns do not add up what they round.
[[nodiscard]] inline Eigen::Vector4d turned(const Eigen::Vector4d& Q, const Eigen::Vector3d& w) {
  const Eigen::Vector4d result = product(Q, exponential(w));
  return result / result.norm();
}

/// 1/2 Q (0, Omega): the rate of Q at the angular velocity Omega, in axes of the body.
[[nodiscard]] inline Eigen::Vector4d rate(const Eigen::Vector4d& Q, const Eigen::Vector3d& Omega) {
  return product(Q, {0.0, 0.5 * Omega[0], 0.5 * Omega[1], 0.5 * Omega[2]});
}

}  // namespace nonsmooth::rotation
