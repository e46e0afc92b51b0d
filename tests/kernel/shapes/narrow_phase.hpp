// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests of hulls and of their contacts share.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <Eigen/Geometry>

#include <contact/narrow_phase/narrow_phase.hpp>

namespace nonsmooth::narrow_phase {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using HullPointer = std::shared_ptr<const Hull>;

/// Sizes are about 1 m and coordinates below 10 m: sums of some ten terms of them.
inline constexpr double kAgree = 1e-13;
inline constexpr double kFar = 100.0;

inline PlacedHull placed(const HullPointer& hull, double radius, const Vector3d& at,
                         const Matrix3d& turn = Matrix3d::Identity()) {
  PlacedHull result;
  result.place(*hull, radius, turn, at);
  return result;
}

inline Matrix3d turned(double angle, const Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

inline std::vector<PatchPoint> contacts(const PlacedHull& first, const PlacedHull& second, double reach = kFar) {
  Patch patch;
  find_contacts(first, second, reach, patch);
  return {patch.begin(), patch.end()};
}

inline const PatchPoint& nearest(const std::vector<PatchPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const PatchPoint& a, const PatchPoint& b) { return a.gap < b.gap; });
}

inline void expect_near(const Vector3d& found, const Vector3d& expected, double tolerance = kAgree) {
  EXPECT_LE((found - expected).norm(), tolerance) << found.transpose() << " instead of " << expected.transpose();
}

}  // namespace nonsmooth::narrow_phase
