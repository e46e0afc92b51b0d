// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "contact/narrow_phase/hull.hpp"
#include "round_on_shape.hpp"
#include "segment_pair.hpp"

namespace nonsmooth::shape_pairs {

/// An edge of a box or polyhedron on an edge of another, or of what is behind an edge of a surface (wedge_hull). With
/// edges a, b, closest points p_1, p_2, and the unit across both edges that looks out of the second body and into the
/// first,
///
///     n = +-(a x b) / |a x b|,     y = n . (p_1 - p_2),
///     n' = (1 - n n') (a' x b + a x b') / |a x b|.
///
/// y is signed where p_1 and p_2 are inside of both edges: below zero where n is among the normals of both edges and no
/// other direction separates the bodies more, -y the least way that does. Elsewhere y is the distance of the edges, and
/// n along it: of two that overlap elsewhere, and of edges that look away from one another. Where an end touches, or
/// edges that are parallel do, no rows follow: what is sharp has a normal that jumps there.
struct EdgePair {
  static constexpr Index kMost = 2;
  struct Edge {
    std::shared_ptr<const Hull> hull;
    Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of its middle, on the body
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  ///< shape to body
    Segment line{};                                      ///< on the body
    std::array<Eigen::Vector3d, 2> into{};               ///< both faces from the edge, across it, in the body's axes
    double width = 0.0;                                  ///< as of least_width(); kDepthUnknown of part of a surface

    Edge(std::shared_ptr<const Hull> own, const Eigen::Vector3d& at, const Eigen::Matrix3d& turned, std::size_t edge);
    [[nodiscard]] double arm() const { return std::max(line.from.norm(), (line.from + line.along).norm()); }
  };
  Edge first, second;

  [[nodiscard]] Nearest operator()(const SpaceBodies& bodies) const;
  [[noreturn]] static void refuse_several();
  [[nodiscard]] double arm() const { return std::max(first.arm(), second.arm()); }
  [[nodiscard]] static double smallest_feature() { return 0.0; }
  /// Half the way along which the thinnest of both go through one another.
  [[nodiscard]] double passage_depth() const { return 0.5 * (first.width + second.width); }
  /// The ground does not move: whatever lies there has no arm.
  [[nodiscard]] double steepness(Index systems) const { return steepness_of(systems > 1 ? arm() : first.arm()); }
};

}  // namespace nonsmooth::shape_pairs
