// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::problems {

/// A truss in the plane of square bays with both diagonals. Nodes (i, 0) and (i, 1), i = 0 to n: node 2 i + s. Rods of
/// a bay: its first post, below, above, both diagonals; at the end one post more. 5 n + 1 rods hold 4 n + 4 coordinates
/// but three: n depend on others, a state of stress of each bay.
struct Truss {
  struct Rod {
    int from, to;
  };
  int bays;
  std::vector<Rod> rods;

  explicit Truss(int n) : bays(n) {
    for (int i = 0; i <= n; ++i) {
      rods.push_back({2 * i, 2 * i + 1});
      if (i < n)
        rods.insert(rods.end(),
                    {{2 * i, 2 * i + 2}, {2 * i + 1, 2 * i + 3}, {2 * i, 2 * i + 3}, {2 * i + 1, 2 * i + 2}});
    }
  }
  [[nodiscard]] static Eigen::Vector2d place(int node) { return {node / 2, node % 2}; }
  [[nodiscard]] double length(const Rod& rod) const { return (place(rod.to) - place(rod.from)).norm(); }
  /// One of the four nodes at the ends.
  [[nodiscard]] bool at_end(int node) const { return node < 2 || node >= 2 * bays; }
  /// The rods between nodes of a model, in their order; where it is held none between two that are.
  std::vector<InteractionHandle> link(NonSmoothDynamicalSystem& model, const std::vector<SystemHandle>& nodes,
                                      bool held) const {
    std::vector<InteractionHandle> result;
    for (const Rod& rod : rods) {
      InteractionHandle& handle = result.emplace_back();
      if (held && at_end(rod.from) && at_end(rod.to)) continue;
      handle = link_joint(model, {nodes[static_cast<std::size_t>(rod.from)], nodes[static_cast<std::size_t>(rod.to)]},
                          DistanceJoint{.length = length(rod)});
    }
    return result;
  }
  /// At rest under gravity, nodes of mass 1, those at both ends held. It has three states of stress more: one from end
  /// to end below, one above, and a shear; 5 n - 1 rods.
  std::vector<InteractionHandle> hang(NonSmoothDynamicalSystem& model) const {
    std::vector<SystemHandle> nodes;
    for (int i = 0; i < 2 * (bays + 1); ++i) {
      PlanarBody node{.position = place(i), .gravity = {0.0, -9.81}};
      if (at_end(i)) {
        node.gravity.setZero();
        for (const Index component : {0, 1, 2}) node.prescribed.push_back({component, [](double) { return 0.0; }});
      }
      nodes.push_back(model.add(std::move(node)));
    }
    return link(model, nodes, true);
  }
};

}  // namespace nonsmooth::problems
