// SPDX-License-Identifier: Apache-2.0
#include "postorder.hpp"

#include <internal/at.hpp>

namespace nonsmooth::detail {

const std::vector<Index>& Postorder::of(const std::vector<Index>& parent, Roots roots) {
  const auto n = static_cast<Index>(parent.size());
  child_.assign(at(n), -1);
  sibling_.assign(at(n), -1);
  order_.clear();
  for (Index k = n; k-- > 0;) {
    if (parent[at(k)] < 0) continue;
    sibling_[at(k)] = child_[at(parent[at(k)])];
    child_[at(parent[at(k)])] = k;
  }
  for (Index k = 0; k < n; ++k) {
    const Index node = roots == Roots::Ascending ? k : n - 1 - k;
    if (parent[at(node)] < 0) go_through(node);
  }
  return order_;
}

void Postorder::go_through(Index root) {
  path_.assign(1, root);
  while (!path_.empty()) {
    const Index node = path_.back();
    if (const Index next = child_[at(node)]; next >= 0) {
      child_[at(node)] = sibling_[at(next)];
      path_.push_back(next);
    } else {
      order_.push_back(node);
      path_.pop_back();
    }
  }
}

void Postorder::reserve(std::size_t nodes) {
  for (std::vector<Index>* each : {&child_, &sibling_, &path_, &order_}) each->reserve(nodes);
}

}  // namespace nonsmooth::detail
