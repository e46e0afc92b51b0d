// SPDX-License-Identifier: Apache-2.0
#include "triangle_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nonsmooth::narrow_phase {

TriangleTree::TriangleTree(const std::vector<Eigen::Vector3d>& vertices,
                           const std::vector<std::array<std::int32_t, 3>>& triangles)
    : order_(triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (!triangles.empty()) build(vertices, triangles, 0, static_cast<std::int32_t>(triangles.size()));
}

void TriangleTree::build(const std::vector<Eigen::Vector3d>& vertices,
                         const std::vector<std::array<std::int32_t, 3>>& triangles, std::int32_t begin,
                         std::int32_t end) {
  const auto corner = [&](std::int32_t t, std::size_t k) -> const Eigen::Vector3d& {
    return vertices[static_cast<std::size_t>(triangles[static_cast<std::size_t>(t)][k])];
  };
  const std::size_t own = nodes_.size();
  nodes_.push_back({.low = corner(order_[static_cast<std::size_t>(begin)], 0),
                    .high = corner(order_[static_cast<std::size_t>(begin)], 0),
                    .begin = begin,
                    .count = end - begin});
  Node& node = nodes_.back();
  for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      node.low = node.low.cwiseMin(corner(order_[i], k));
      node.high = node.high.cwiseMax(corner(order_[i], k));
    }
  }
  if (end - begin <= kLeaf) return;
  Eigen::Index axis = 0;
  (node.high - node.low).maxCoeff(&axis);
  const auto key = [&](std::int32_t t) {
    return std::pair(corner(t, 0)[axis] + corner(t, 1)[axis] + corner(t, 2)[axis], t);
  };
  const std::int32_t half = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end,
                   [&](std::int32_t s, std::int32_t t) { return key(s) < key(t); });
  node.count = 0;
  build(vertices, triangles, begin, half);
  nodes_[own].begin = static_cast<std::int32_t>(nodes_.size());
  build(vertices, triangles, half, end);
}

}  // namespace nonsmooth::narrow_phase
