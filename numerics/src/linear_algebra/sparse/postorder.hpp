// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the factors of block-sparse matrices share: the order in which a tree of elimination is gone through; not
// installed.

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// Nodes of a forest such that each follows its children and every subtree is one run, on memory that is kept.
class Postorder {
 public:
  enum class Roots { Ascending, Descending };

  /// parent[k] > k, or -1 where k is a root; children come in ascending order. Holds until the next call.
  const std::vector<Index>& of(const std::vector<Index>& parent, Roots roots);
  /// Memory for any forest of up to so many nodes.
  void reserve(std::size_t nodes);

 private:
  void go_through(Index root);

  std::vector<Index> child_, sibling_, path_, order_;
};

}  // namespace nonsmooth::detail
