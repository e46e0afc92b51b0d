// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hull.hpp"

namespace nonsmooth::narrow_phase {

/// The angle of patches, 0.2 rad. What faces each other within it touches with whole patches: faces, ends and edges
/// that rock by less keep their points from step to step, and gaps along one normal of theirs are distances to 2 %. A
/// cosine for normals that are alike; a sine for what rises from a plane across a normal.
constexpr double kPatchCosine = 0.98, kPatchSine = 0.2;

/// Which features of two hulls meet: 22 bits; surfaces take more, see num_features. A vertex keeps its name whatever it
/// meets.
[[nodiscard]] constexpr std::uint32_t vertex_of_first(Index v) { return static_cast<std::uint32_t>(v); }
[[nodiscard]] constexpr std::uint32_t vertex_of_second(Index v) {
  return (std::uint32_t{1} << 20) | static_cast<std::uint32_t>(v);
}
[[nodiscard]] constexpr std::uint32_t crossing_edges(Index of_first, Index of_second) {
  return (std::uint32_t{2} << 20) | (static_cast<std::uint32_t>(of_first) << 10) |
         static_cast<std::uint32_t>(of_second);
}

/// Where two shapes come near to each other.
struct PatchPoint {
  Eigen::Vector3d normal;               ///< unit, from the second shape to the first
  Eigen::Vector3d on_first, on_second;  ///< on the surfaces
  double gap = 0.0;                     ///< normal . (on_first - on_second)
  std::uint64_t feature = 0;
};

/// The points of a contact patch. One for each feature: the first that is added.
class Patch {
 public:
  static constexpr std::size_t most_points = 2 * most_vertices;

  void clear() { count_ = 0; }
  void add(const PatchPoint& point) {
    const auto same = [&point](const PatchPoint& other) { return other.feature == point.feature; };
    if (count_ < most_points && std::none_of(begin(), end(), same)) points_[count_++] = point;
  }
  /// Calls change(point) for each point from number `begin` on.
  template <class Change>
  void change_from(std::size_t begin, Change change) {
    for (std::size_t i = begin; i < count_; ++i) change(points_[i]);
  }
  void sort() {
    std::sort(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(count_),
              [](const PatchPoint& one, const PatchPoint& other) { return one.feature < other.feature; });
  }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const PatchPoint* begin() const { return points_.data(); }
  [[nodiscard]] const PatchPoint* end() const { return points_.data() + count_; }

 private:
  std::array<PatchPoint, most_points> points_;
  std::size_t count_ = 0;
};

/// The points of two shapes with gaps of at most `reach`, in ascending order of features.
///
/// Apart, the smallest gap is the distance of the shapes, and otherwise minus the least way that separates them, both
/// to some 1e-13 of the sizes, and to 2e-12 where shapes just touch: closest features are found by separating axes
/// (face normals, then products of edges) and, where the closest features are edges or vertices, among the
/// edges about a bracketed distance. Where a face separates the most, or one is within 0.2 rad of the normal, the whole
/// polygon in which faces overlap along the normal is added: its vertices are vertices of either face and crossings of
/// their edges, with gaps along this one normal, no smaller than the smallest. Cost: O(faces vertices), and O(edges^2)
/// where they overlap and no face separates them.
void find_contacts(const PlacedHull& first, const PlacedHull& second, double reach, Patch& patch);

/// With the half-space normal . x <= offset as the second shape: each vertex within reach.
void find_contacts(const PlacedHull& first, const Eigen::Vector3d& normal, double offset, double reach, Patch& patch);

}  // namespace nonsmooth::narrow_phase
