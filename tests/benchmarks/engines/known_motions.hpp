// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies of the scenes with known motions, and what is measured on them: positions, orientations and velocities alone,
// whatever an engine says of itself.

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <benchmarks/engines/engines.hpp>

namespace nonsmooth::benchmarks {

inline constexpr double kGravity = 9.81;

inline Eigen::Vector3d vector_of(const engines::Vector& x) { return {x[0], x[1], x[2]}; }
inline engines::Vector plain(const Eigen::Vector3d& x) { return {x[0], x[1], x[2]}; }

inline engines::Scene on_plane(double mu, double e, double h) {
  engines::Scene scene;
  scene.planes.emplace_back();
  scene.friction = mu;
  scene.restitution = e;
  scene.gravity = kGravity;
  scene.step = h;
  return scene;
}

inline engines::Body box(double mass, const Eigen::Vector3d& half, const Eigen::Vector3d& position, double tilt = 0.0) {
  engines::Body body;
  body.mass = mass;
  body.half_extents = plain(half);
  body.pose = {plain(position), {std::cos(0.5 * tilt), 0.0, std::sin(0.5 * tilt), 0.0}};
  return body;
}

inline engines::Body ball(double radius, double height) {
  engines::Body body;
  body.mass = 1.0;
  body.radius = radius;
  body.pose.position = {0.0, 0.0, height};
  return body;
}

inline Eigen::Vector3d place(const engines::Motion& motion) { return vector_of(motion.pose.position); }

inline Eigen::Matrix3d turn(const engines::Motion& motion) {
  const auto& q = motion.pose.orientation;
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

/// Of a box over n.x = 0: its lowest corner, and the highest one of the face that looks down.
struct Gaps {
  double lowest, highest;
};
inline Gaps gaps_over_plane(const engines::Motion& motion, const Eigen::Vector3d& half, const Eigen::Vector3d& n) {
  const Eigen::Vector3d ways = half.cwiseProduct((turn(motion).transpose() * n).cwiseAbs());
  Eigen::Index down = 0;
  ways.cwiseQuotient(half).maxCoeff(&down);
  const double centre = n.dot(place(motion)), lowest = centre - ways.sum();
  return {lowest, lowest + 2.0 * (ways.sum() - ways[down])};
}

/// The least distance of corners of either cube from the face of the other that looks at it.
inline double gap_between(const engines::Motion& below, const engines::Motion& above, double half) {
  const Eigen::Matrix3d lower = turn(below), upper = turn(above);
  const Eigen::Vector3d apart = place(above) - place(below);
  const double of_upper = lower.col(2).dot(apart) - half - half * (lower.col(2).transpose() * upper).cwiseAbs().sum();
  const double of_lower = upper.col(2).dot(apart) - half - half * (upper.col(2).transpose() * lower).cwiseAbs().sum();
  return std::min(of_upper, of_lower);
}

}  // namespace nonsmooth::benchmarks
