// SPDX-License-Identifier: Apache-2.0
#include "islands.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace nonsmooth::events {
namespace {

constexpr double kUncoupled = 64.0 * std::numeric_limits<double>::epsilon();

Index end_of(std::size_t contact, const std::vector<Index>& first, Index num_rows) {
  return contact + 1 < first.size() ? first[contact + 1] : num_rows;
}

/// Disjoint sets of contacts; each is known by its first one.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) {
    for (std::size_t i = 0; i < count; ++i) parent_[i] = i;
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(std::size_t a, std::size_t b) {
    if (a > b) std::swap(a, b);
    parent_[b] = a;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<std::vector<Index>> find_islands(const Eigen::MatrixXd& W, const std::vector<Index>& first) {
  const std::size_t count = first.size();
  const Index n = W.rows();
  const Eigen::VectorXd unit = W.diagonal().cwiseAbs().cwiseSqrt();
  const auto coupled = [&](std::size_t i, std::size_t j) {
    for (Index b = first[j]; b < end_of(j, first, n); ++b) {
      for (Index a = first[i]; a < end_of(i, first, n); ++a) {
        const double none = kUncoupled * unit[a] * unit[b];
        if (std::abs(W(a, b)) > none || std::abs(W(b, a)) > none) return true;
      }
    }
    return false;
  };
  Groups groups(count);
  for (std::size_t j = 1; j < count; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const std::size_t a = groups.find(i), b = groups.find(j);
      if (a != b && coupled(i, j)) groups.unite(a, b);
    }
  }
  std::vector<std::vector<Index>> islands;
  std::vector<std::size_t> number(count);  // of the island that a contact begins
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t root = groups.find(i);
    if (root == i) {
      number[i] = islands.size();
      islands.emplace_back();
    }
    islands[number[root]].push_back(static_cast<Index>(i));
  }
  return islands;
}

std::vector<Index> rows_of_island(const std::vector<Index>& island, const std::vector<Index>& first, Index num_rows) {
  std::vector<Index> rows;
  for (const Index i : island) {
    const auto contact = static_cast<std::size_t>(i);
    for (Index r = first[contact]; r < end_of(contact, first, num_rows); ++r) rows.push_back(r);
  }
  return rows;
}

}  // namespace nonsmooth::events
