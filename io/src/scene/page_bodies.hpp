// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/scene.hpp>

namespace nonsmooth::scene {

/// Parts of a run, the last one among them.
struct PartSpan {
  Index first = 0, last = 0;
};

/// The bodies of a page: those that are drawn in some part of the run. A body that lives on in a later part is the one
/// of its name there; among several of one name, the one of the same place among them.
struct PageBodies {
  Index dimension = 0;
  std::vector<std::string> names;
  std::vector<std::vector<Index>> of_system;  ///< by part and system; -1: not drawn
  std::vector<PartSpan> there;                ///< by body: the first part that draws it and the last
  Scene scene;                                ///< of all parts, SceneShape::body by number in `names`
  std::vector<PartSpan> spans;                ///< of each shape: in which parts it is there, and the same
  std::vector<double> sizes;                  ///< by body: no point is farther from its origin [m]
  std::vector<Index> turning;                 ///< bodies whose turns are seen: all but balls and disks among many
};

[[nodiscard]] PageBodies page_bodies(const RunFile& run);

/// A body at a step.
struct Placement {
  std::array<double, 3> position{};
  std::array<double, 4> turn{1.0, 0.0, 0.0, 0.0};  ///< (w, x, y, z)
  double angle = 0.0;                              ///< in the plane [rad]

  [[nodiscard]] bool is_somewhere() const {
    return std::isfinite(position[0]) && std::isfinite(position[1]) && std::isfinite(position[2]);
  }
};
/// q as the body's number of coordinates says what it is: (x), (x, y), (x, y, angle), (x, y, z, w, x, y, z).
[[nodiscard]] Placement placement_of(const double* q, Index nq);

/// How a body moves at a step, in the axes of space.
struct Motion {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< [m/s]
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();   ///< [rad/s]
};
/// The body's n unknowns as its nq coordinates say what they are: as many velocities as it has positions; behind them
/// of a PlanarBody its angular velocity, of a RigidBody that in its own axes, which `turn` of its placement turns.
[[nodiscard]] Motion motion_of(const double* z, Index n, Index nq, const Placement& place);

/// A speed in a byte, by its logarithm, so that slow ones are as exact as fast ones: code c = 1 to 255 is
/// largest 10^(5 (c - 255) / 254), to 2.3 %; 0 is what is slower than all of them, or not there.
inline constexpr double speed_decades = 5.0;
[[nodiscard]] std::uint8_t speed_code(double speed, double largest);

/// The box in which bodies move, by axis: of nearly all places at some frames, with a margin, so that one that falls
/// without end does not make all others small.
struct PageBox {
  std::array<double, 3> low{}, high{};
  std::vector<Index> outside{};  ///< bodies that leave it at some frame
  struct NowhereFrom {
    Index body, step;
  };
  std::vector<NowhereFrom> nowhere{};  ///< bodies without a finite position at some frame, and the first one's step
  /// 1 to 65535 from low to high, which is the nearest outside; 0 is left for bodies that are not there.
  [[nodiscard]] std::uint16_t place(double value, std::size_t axis) const;
};
[[nodiscard]] PageBox box_of(const RunFile& run, const PageBodies& bodies, const std::vector<Index>& steps);
/// Which leave it and which are nowhere, in words: how many, and the first three names; empty where there are none.
/// `times`: of all steps.
[[nodiscard]] std::string told_outside(const PageBox& box, const PageBodies& bodies, const std::vector<double>& times);

}  // namespace nonsmooth::scene
