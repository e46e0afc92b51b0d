// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stones of a barrel vault, and what is kept of a run (SI units).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

inline constexpr int kStones = 16;
inline constexpr double kRadius = 2.0, kDeep = 1.0, kDensity = 2000.0, kGravity = 9.81, kFriction = 0.6;
inline constexpr double kHalfAngle = 0.5 * std::numbers::pi / kStones;

// A stone and its corners from the centre of the vault, z along its middle: (+-slope height, height) at intrados and
// extrados.
struct Stone {
  double low, high, slope = std::tan(kHalfAngle);
  nonsmooth::MassProperties solid;

  explicit Stone(double thickness)
      : low((kRadius - 0.5 * thickness) * std::cos(kHalfAngle)),
        high((kRadius + 0.5 * thickness) * std::cos(kHalfAngle)) {
    solid = nonsmooth::MassProperties::of_density(shape(), kDensity);  // while its centre is that of the vault
  }
  [[nodiscard]] double centre() const { return solid.centre.z(); }
  [[nodiscard]] nonsmooth::RigidBody body(double angle) const {  // from the crown
    return {.mass = solid.mass,
            .inertia = solid.inertia,
            .position = {centre() * std::sin(angle), 0.0, centre() * std::cos(angle)},
            .orientation = {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0},
            .gravity = {0.0, 0.0, -kGravity},
            .gyroscopic = nonsmooth::GyroscopicTerm::Explicit};
  }
  // In the body, of one side of the vault.
  [[nodiscard]] std::vector<Eigen::Vector3d> outline(double y) const {
    const double a = slope * low, b = slope * high, down = low - centre(), up = high - centre();
    return {{-a, y, down}, {a, y, down}, {b, y, up}, {-b, y, up}};
  }
  [[nodiscard]] nonsmooth::Shape shape() const {
    std::vector<Eigen::Vector3d> corners = outline(-0.5 * kDeep);
    for (const Eigen::Vector3d& corner : outline(0.5 * kDeep)) corners.push_back(corner);
    return nonsmooth::ConvexPolyhedron(corners);
  }
};

// A vault let go at rest.
struct Run {
  Stone stone;
  std::vector<nonsmooth::SystemHandle> stones{};
  nonsmooth::State start{}, middle{}, end{};
  nonsmooth::Table table{"t", "crown"};
  bool completed = false;

  // How far a stone goes out on the right, and up [m].
  [[nodiscard]] double out(std::size_t i) const { return end.q(stones[i])[0] - start.q(stones[i])[0]; }
  [[nodiscard]] double up(std::size_t i) const { return end.q(stones[i])[2] - start.q(stones[i])[2]; }
};
