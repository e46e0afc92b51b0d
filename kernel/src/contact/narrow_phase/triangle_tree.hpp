// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace nonsmooth::narrow_phase {

/// A binary tree of boxes along the axes about triangles, halved along the longest side of each box. Which triangles
/// come near to a box costs O(log n + those found).
class TriangleTree {
 public:
  TriangleTree() = default;
  TriangleTree(const std::vector<Eigen::Vector3d>& vertices, const std::vector<std::array<std::int32_t, 3>>& triangles);

  /// Calls visit(t) for each triangle whose box meets the one from `low` to `high`, in the order of the tree.
  template <class Visit>
  void for_each_near(const Eigen::Vector3d& low, const Eigen::Vector3d& high, Visit visit) const {
    std::array<std::int32_t, 64> open;  // halves of 2^31 triangles are 31 deep
    std::size_t count = 0;
    if (!nodes_.empty()) open[count++] = 0;
    while (count > 0) {
      const Node& node = nodes_[static_cast<std::size_t>(open[--count])];
      if (!meet(node, low, high)) continue;
      if (node.count > 0) {
        for (std::int32_t i = node.begin; i < node.begin + node.count; ++i) visit(order_[static_cast<std::size_t>(i)]);
      } else {
        open[count++] = node.begin;
        open[count++] = static_cast<std::int32_t>(&node - nodes_.data()) + 1;
      }
    }
  }

  /// Calls visit(t) for each triangle whose box is nearer to x than the root of `squared`, nearer boxes first; visit
  /// may lower `squared`.
  template <class Visit>
  void for_each_nearer(const Eigen::Vector3d& x, const double& squared, Visit visit) const {
    std::array<std::int32_t, 64> open;
    std::size_t count = 0;
    if (!nodes_.empty()) open[count++] = 0;
    const auto distance = [&](std::int32_t n) {
      const Node& node = nodes_[static_cast<std::size_t>(n)];
      return (x - x.cwiseMax(node.low).cwiseMin(node.high)).squaredNorm();
    };
    while (count > 0) {
      const std::int32_t number = open[--count];
      if (!(distance(number) < squared)) continue;
      const Node& node = nodes_[static_cast<std::size_t>(number)];
      if (node.count > 0) {
        for (std::int32_t i = node.begin; i < node.begin + node.count; ++i) visit(order_[static_cast<std::size_t>(i)]);
      } else {
        std::int32_t near = number + 1, far = node.begin;
        if (distance(far) < distance(near)) std::swap(near, far);
        open[count++] = far;
        open[count++] = near;
      }
    }
  }

 private:
  /// With triangles `begin` to `begin` + `count` - 1 of the order; or without, then one half is the next node and the
  /// other number `begin`.
  struct Node {
    Eigen::Vector3d low, high;
    std::int32_t begin = 0, count = 0;
  };
  static constexpr std::int32_t kLeaf = 4;

  [[nodiscard]] static bool meet(const Node& node, const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
    return node.low.x() <= high.x() && node.high.x() >= low.x() && node.low.y() <= high.y() &&
           node.high.y() >= low.y() && node.low.z() <= high.z() && node.high.z() >= low.z();
  }
  void build(const std::vector<Eigen::Vector3d>& vertices, const std::vector<std::array<std::int32_t, 3>>& triangles,
             std::int32_t begin, std::int32_t end);

  std::vector<Node> nodes_;
  std::vector<std::int32_t> order_;
};

}  // namespace nonsmooth::narrow_phase
