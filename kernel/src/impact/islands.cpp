// SPDX-License-Identifier: Apache-2.0
#include "islands.hpp"

#include <cmath>
#include <limits>

#include <internal/disjoint_sets.hpp>

namespace nonsmooth::impacts {
namespace {

constexpr double kUncoupled = 64.0 * std::numeric_limits<double>::epsilon();

Index end_of(std::size_t contact, const std::vector<Index>& first, Index num_rows) {
  return contact + 1 < first.size() ? first[contact + 1] : num_rows;
}

}  // namespace

std::vector<std::vector<Index>> find_islands(const Eigen::MatrixXd& W, const std::vector<Index>& first) {
  const std::size_t count = first.size();
  if (count == 1) return {{0}};
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
  DisjointSets sets(static_cast<Index>(count));
  for (std::size_t j = 1; j < count; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
      if (!sets.together(a, b) && coupled(i, j)) sets.join(a, b);
    }
  }
  return sets.lists();
}

std::vector<Index> rows_of_island(const std::vector<Index>& island, const std::vector<Index>& first, Index num_rows) {
  std::vector<Index> rows;
  for (const Index i : island) {
    const auto contact = static_cast<std::size_t>(i);
    for (Index r = first[contact]; r < end_of(contact, first, num_rows); ++r) rows.push_back(r);
  }
  return rows;
}

}  // namespace nonsmooth::impacts
