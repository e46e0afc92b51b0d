// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "model/joints/joint_motion.hpp"

namespace nonsmooth::shape_pairs {

/// A place or a direction in space, and its rate.
struct Moving {
  Eigen::Vector3d value = Eigen::Vector3d::Zero(), rate = Eigen::Vector3d::Zero();
};
inline Moving moving(const joints::Vector& a) { return {a.value, a.rate}; }
/// a / |a|, and |a|. Of a zero a the second axis, at rest.
inline Moving unit_of(const Moving& a, double& length) {
  length = a.value.norm();
  if (length == 0.0) return {Eigen::Vector3d::UnitY(), Eigen::Vector3d::Zero()};
  const Eigen::Vector3d n = a.value / length;
  return {n, (a.rate - n.dot(a.rate) * n) / length};
}
/// a + s n.
inline Moving shifted(const Moving& a, double s, const Moving& n) {
  return {a.value + s * n.value, a.rate + s * n.rate};
}

/// The tangent k of a normal that turns, by the least turn from (2, 3, 6) / 7 to it: t_k = e_k - e_k . n / (1 + e . n)
/// (e + n).
inline Moving turned_tangent(const Moving& n, int k) {
  static const Eigen::Vector3d pole = Eigen::Vector3d(2.0, 3.0, 6.0) / 7.0;
  static const Eigen::Vector3d tangents[2] = {Eigen::Vector3d(3.0, -6.0, 2.0) / 7.0,
                                              Eigen::Vector3d(6.0, 2.0, -3.0) / 7.0};
  const Eigen::Vector3d &e = tangents[k], sum = pole + n.value;
  const double a = 1.0 / std::max(1.0 + pole.dot(n.value), 1e-12), along = e.dot(n.value);
  const double turn = a * (e.dot(n.rate) - along * a * pole.dot(n.rate));
  return {e - along * a * sum, -turn * sum - along * a * n.rate};
}

}  // namespace nonsmooth::shape_pairs
