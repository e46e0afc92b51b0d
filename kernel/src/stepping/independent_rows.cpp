// SPDX-License-Identifier: Apache-2.0
#include "independent_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/properties.hpp>

#include <internal/at.hpp>

namespace nonsmooth {
namespace {

constexpr Index kMostNumbers = Index{1} << 22;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

double& IndependentRows::entry(Index row, Index column) {
  const EnvelopeRow& own = rows_[at(row)];
  return factor_[at(own.begin + column - own.first)];
}

void IndependentRows::number_blocks(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts) {
  part_of_.assign(at(W.num_block_rows()), -1);
  for (std::size_t p = 0; p < parts.size(); ++p) part_of_[at(parts[p].block)] = static_cast<Index>(p);
}

void IndependentRows::find_order(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts) {
  using Graph = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::undirectedS,
      boost::property<boost::vertex_color_t, boost::default_color_type, boost::property<boost::vertex_degree_t, int>>>;
  Graph graph(parts.size());
  const auto for_each_before = [&](std::size_t p, auto&& visit) {
    for (Index k = W.row_begin(parts[p].block); k < W.row_begin(parts[p].block + 1); ++k) {
      const Index other = part_of_[at(W.column(k))];
      if (other >= 0 && other != static_cast<Index>(p)) visit(at(other));
    }
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for_each_before(p, [&](std::size_t other) {
      if (other < p) boost::add_edge(p, other, graph);
    });
  }
  std::vector<std::size_t> order;
  boost::cuthill_mckee_ordering(graph, std::back_inserter(order), boost::get(boost::vertex_color, graph),
                                boost::make_degree_map(graph));
  std::reverse(order.begin(), order.end());

  place_of_.assign(parts.size(), 0);
  rows_.clear();
  Index place = 0, numbers = 0;
  for (const std::size_t p : order) {
    place_of_[p] = place;
    place += parts[p].rows;
  }
  width_ = 0;
  for (const std::size_t p : order) {
    Index first = place_of_[p];
    for_each_before(p, [&](std::size_t other) { first = std::min(first, place_of_[other]); });
    for (Index r = 0; r < parts[p].rows; ++r) {
      const Index before = place_of_[p] + r - first;
      rows_.push_back({first, numbers});
      numbers += before + 1;
      width_ = std::max(width_, before);
    }
  }
  too_large_ = numbers > kMostNumbers;
  scale_.resize(rows_.size());
  factor_.resize(too_large_ ? 0 : at(numbers));
}

bool IndependentRows::write(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                            const std::vector<char>& left_out, double dependent) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Index block = parts[p].block, row = W.offset(block);
    const auto own = W.block(block, W.diagonal(block));
    for (Index r = 0; r < parts[p].rows; ++r) {
      const bool counts = left_out[at(row + r)] == 0 && own(r, r) > 0.0;
      scale_[at(place_of_[p] + r)] = counts ? 1.0 / std::sqrt(own(r, r)) : 0.0;
    }
  }
  std::fill(factor_.begin(), factor_.end(), 0.0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Index block = parts[p].block;
    for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
      const Index other = part_of_[at(W.column(k))];
      if (other < 0) continue;
      const auto values = W.block(block, k);
      // (W + W^T) / 2, as the dense look takes it: each value counts half on either side of the diagonal.
      for (Index r = 0; r < parts[p].rows; ++r) {
        const Index row = place_of_[p] + r;
        for (Index c = 0; c < parts[at(other)].rows; ++c) {
          const Index column = place_of_[at(other)] + c, lower = std::max(row, column), left = std::min(row, column);
          if (left < rows_[at(lower)].first) return false;
          entry(lower, left) += 0.5 * scale_[at(row)] * values(r, c) * scale_[at(column)];
        }
      }
    }
  }
  const auto m = static_cast<double>(rows_.size()), b = static_cast<double>(width_ + 1);
  const double least = std::max(dependent * dependent, m * kEpsilon) + 2.0 * b * b * kEpsilon;
  for (Index row = 0; row < std::ssize(rows_); ++row) entry(row, row) = 1.0 - least;
  return true;
}

bool IndependentRows::factorize() {
  for (Index i = 0; i < std::ssize(rows_); ++i) {
    const Index first = rows_[at(i)].first;
    for (Index j = first; j <= i; ++j) {
      const Index from = std::max(first, rows_[at(j)].first);
      const double *one = &entry(i, from), *other = &entry(j, from);
      double rest = entry(i, j);
      for (Index k = from; k < j; ++k) rest -= *one++ * *other++;
      if (j < i) {
        entry(i, j) = rest / entry(j, j);
      } else if (rest > 0.0) {  // false of NaN
        entry(i, i) = std::sqrt(rest);
      } else {
        return false;
      }
    }
  }
  return true;
}

bool IndependentRows::prove(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                            const std::vector<char>& left_out, double dependent) {
  if (!(dependent > 0.0)) return false;  // no row is looked for
  number_blocks(W, parts);
  if (place_of_.size() != parts.size()) find_order(W, parts);
  if (too_large_) return false;
  if (!write(W, parts, left_out, dependent)) {
    find_order(W, parts);
    if (too_large_ || !write(W, parts, left_out, dependent)) return false;
  }
  return factorize();
}

}  // namespace nonsmooth
