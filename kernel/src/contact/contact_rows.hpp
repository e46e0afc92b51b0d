// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <Eigen/Geometry>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::contact_rows {

/// Normal and two tangents, as rows. They turn with the normal, except where it is within 26 degrees of -z, which is
/// why: 1 + z is far from zero otherwise. Source: Frisvad 2012.
inline Eigen::Matrix3d frame_of(const Eigen::Vector3d& n) {
  const double sign = n.z() < -0.9 ? -1.0 : 1.0;
  const double a = 1.0 / (1.0 + sign * n.z()), x = n.x(), y = n.y();
  Eigen::Matrix3d frame;
  frame.row(0) = n;
  frame.row(1) << 1.0 - x * x * a, -x * y * a, -sign * x;
  frame.row(2) << -sign * x * y * a, sign * (1.0 - y * y * a), -y;
  return frame;
}

/// Of a grain's length, what of it is along the surface where T1 follows it.
inline constexpr double kLeastGrain = 1e-3;

/// The same with T1 along the grain, where there is one that lies in the surface well enough.
inline Eigen::Matrix3d frame_of(const Eigen::Vector3d& n, const Eigen::Vector3d& grain) {
  const Eigen::Vector3d along = grain - n * n.dot(grain);
  const double length = along.norm();
  if (!(length > kLeastGrain * grain.norm())) return frame_of(n);
  const Eigen::Vector3d tangent = along / length;
  Eigen::Matrix3d frame;
  frame.row(0) = n;
  frame.row(1) = tangent;
  frame.row(2) = n.cross(tangent);
  return frame;
}

inline constexpr Index kSlidingRows = 3;  ///< (N, T1, T2), before those of angular velocities

/// Which row of the frame a row of u is along: (N, T1, T2), then (S), (R1, R2) or (R1, R2, S).
constexpr Index axis_of(Index row, Index rows) {
  if (row < kSlidingRows) return row;
  return rows == 4 || row == 5 ? 0 : row - 2;
}

/// Rows of u for a body with the contact point at `lever` from its centre: d . (v + (turn Omega) x lever) for each d of
/// sliding rows, d . (turn Omega) of the others.
inline void write_rows(const Eigen::Matrix3d& frame, Index rows, const Eigen::Vector3d& lever,
                       const Eigen::Matrix3d& turn, double sign, double* H) {
  for (Index r = 0; r < rows; ++r, H += 6) {
    const bool slides = r < kSlidingRows;
    const Eigen::Vector3d direction = frame.row(axis_of(r, rows));
    const Eigen::Vector3d moment = turn.transpose() * (slides ? lever.cross(direction) : direction);
    for (Index k = 0; k < 3; ++k) {
      H[k] = slides ? sign * direction[k] : 0.0;
      H[3 + k] = sign * moment[k];
    }
  }
}

/// What a surface that moves along itself adds to h_t of its contact, its velocity and spin times the sign of its body.
inline void add_surface_motion(const Eigen::Matrix3d& frame, const Eigen::Vector3d& velocity,
                               const Eigen::Vector3d& spin, std::span<double> h_t) {
  const auto rows = static_cast<Index>(h_t.size());
  for (Index r = 1; r < rows; ++r)
    h_t[static_cast<std::size_t>(r)] += frame.row(axis_of(r, rows)).dot(r < kSlidingRows ? velocity : spin);
}

}  // namespace nonsmooth::contact_rows
