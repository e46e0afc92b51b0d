// SPDX-License-Identifier: Apache-2.0
#include "row_envelope.hpp"

#include <cmath>
#include <iterator>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/properties.hpp>

namespace nonsmooth {

void RowEnvelope::find_order(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts) {
  using Graph = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::undirectedS,
      boost::property<boost::vertex_color_t, boost::default_color_type, boost::property<boost::vertex_degree_t, int>>>;
  Graph graph(parts.size());
  const auto for_each_beside = [&](std::size_t p, auto&& visit) {
    for (Index k = W.row_begin(parts[p].block); k < W.row_begin(parts[p].block + 1); ++k) {
      const Index other = part_of_[at(W.column(k))];
      if (other >= 0 && other != static_cast<Index>(p)) visit(at(other));
    }
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for_each_beside(p, [&](std::size_t other) {
      if (other < p) boost::add_edge(p, other, graph);
    });
  }
  std::vector<std::size_t> order;
  boost::cuthill_mckee_ordering(graph, std::back_inserter(order), boost::get(boost::vertex_color, graph),
                                boost::make_degree_map(graph));
  std::reverse(order.begin(), order.end());

  place_of_.assign(parts.size(), 0);
  values.clear();
  Index place = 0;
  for (const std::size_t p : order) {
    place_of_[p] = place;
    place += parts[p].rows;
  }
  width_ = 0;
  for (const std::size_t p : order) {
    Index first = place_of_[p];
    for_each_beside(p, [&](std::size_t other) { first = std::min(first, place_of_[other]); });
    for (Index r = 0; r < parts[p].rows; ++r) {
      values.add_row(first);
      width_ = std::max(width_, place_of_[p] + r - first);
    }
  }
  scale_.resize(at(values.size()));
  ++orders_;
}

bool RowEnvelope::couples_as_before(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts) {
  found_.clear();
  for (const EqualityRows& part : parts) {
    for (Index k = W.row_begin(part.block); k < W.row_begin(part.block + 1); ++k)
      if (const Index other = part_of_[at(W.column(k))]; other >= 0) found_.push_back(other);
    found_.push_back(-1);  // a row ends
  }
  const bool same = found_ == couplings_;
  std::swap(found_, couplings_);
  return same;
}

void RowEnvelope::write_values(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                               const std::vector<char>& left_out) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Index block = parts[p].block, row = W.offset(block);
    const auto own = W.block(block, W.diagonal(block));
    for (Index r = 0; r < parts[p].rows; ++r) {
      const bool counts = (left_out.empty() || left_out[at(row + r)] == 0) && own(r, r) > 0.0;
      scale_[at(place_of_[p] + r)] = counts ? 1.0 / std::sqrt(own(r, r)) : 0.0;
    }
  }
  values.set_zero();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Index block = parts[p].block;
    for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
      const Index other = part_of_[at(W.column(k))];
      if (other < 0) continue;
      const auto entries = W.block(block, k);
      // (W + W^T) / 2, as the dense look takes it: each value counts half on either side of the diagonal.
      for (Index r = 0; r < parts[p].rows; ++r) {
        const Index row = place_of_[p] + r;
        for (Index c = 0; c < parts[at(other)].rows; ++c) {
          const Index column = place_of_[at(other)] + c, lower = std::max(row, column), left = std::min(row, column);
          values.entry(lower, left) += 0.5 * scale_[at(row)] * entries(r, c) * scale_[at(column)];
        }
      }
    }
  }
  for (Index row = 0; row < size(); ++row) values.entry(row, row) = scale(row) > 0.0 ? 1.0 : 0.0;
}

bool RowEnvelope::write(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                        const std::vector<char>& left_out) {
  part_of_.assign(at(W.num_block_rows()), -1);
  for (std::size_t p = 0; p < parts.size(); ++p) part_of_[at(parts[p].block)] = static_cast<Index>(p);
  if (!couples_as_before(W, parts)) find_order(W, parts);
  if (values.numbers() > kMostNumbersOfRows) return false;
  write_values(W, parts, left_out);
  return true;
}

}  // namespace nonsmooth
