// SPDX-License-Identifier: Apache-2.0
#include "block_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <amd.h>

#include <internal/decompositions.hpp>

namespace nonsmooth::mixed::internal {
namespace {

using Panel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using ConstPanel = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// Neighbours of each block in the order of elimination, symmetrised.
std::vector<std::vector<Index>> graph(const BlockSparseMatrix& W, const std::vector<Index>& position) {
  std::vector<std::vector<Index>> neighbours(position.size());
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const Index a = position[static_cast<std::size_t>(i)], b = position[static_cast<std::size_t>(W.column(k))];
      if (a < b) neighbours[static_cast<std::size_t>(a)].push_back(b);
      if (b < a) neighbours[static_cast<std::size_t>(b)].push_back(a);
    }
  return neighbours;
}

/// The rows below the diagonal of each column of the factors, sorted, and the elimination tree.
std::vector<std::vector<Index>> factor_structure(std::vector<std::vector<Index>> neighbours,
                                                 std::vector<Index>& parent) {
  const std::size_t n = neighbours.size();
  std::vector<std::vector<Index>> structure(n), children(n);
  std::vector<Index> seen(n, -1);
  parent.assign(n, -1);
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = static_cast<Index>(j);
    std::vector<Index>& rows = structure[j];
    const auto add = [&](Index row) {
      if (row == column || seen[static_cast<std::size_t>(row)] == column) return;
      seen[static_cast<std::size_t>(row)] = column;
      rows.push_back(row);
    };
    for (const Index row : neighbours[j]) add(row);
    for (const Index child : children[j])
      for (const Index row : structure[static_cast<std::size_t>(child)]) add(row);
    std::sort(rows.begin(), rows.end());
    if (rows.empty()) continue;
    parent[j] = rows.front();
    children[static_cast<std::size_t>(rows.front())].push_back(column);
  }
  return structure;
}

/// Children before parents, each subtree in one run.
std::vector<Index> postorder(const std::vector<Index>& parent) {
  const std::size_t n = parent.size();
  std::vector<Index> head(n, -1), next(n, -1), result, pending;
  for (std::size_t k = n; k-- > 0;) {
    if (parent[k] < 0) continue;
    auto& first = head[static_cast<std::size_t>(parent[k])];
    next[k] = first;
    first = static_cast<Index>(k);
  }
  result.reserve(n);
  for (std::size_t root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    pending.push_back(static_cast<Index>(root));
    while (!pending.empty()) {
      const auto top = static_cast<std::size_t>(pending.back());
      if (head[top] >= 0) {
        pending.push_back(head[top]);
        head[top] = next[static_cast<std::size_t>(head[top])];
      } else {
        result.push_back(pending.back());
        pending.pop_back();
      }
    }
  }
  return result;
}

}  // namespace

BlockCholesky::BlockCholesky(const BlockSparseMatrix& W) : W_(W) {
  order();
  std::vector<Index> parent;
  std::vector<std::vector<Index>> structure = factor_structure(graph(W, position_), parent);
  const std::vector<Index> post = postorder(parent);
  std::vector<Index> reordered(order_.size());
  for (std::size_t k = 0; k < post.size(); ++k) reordered[k] = order_[static_cast<std::size_t>(post[k])];
  if (reordered != order_) {
    order_ = reordered;
    for (std::size_t k = 0; k < order_.size(); ++k)
      position_[static_cast<std::size_t>(order_[k])] = static_cast<Index>(k);
    structure = factor_structure(graph(W, position_), parent);
  }
  start_.assign(1, 0);
  for (const Index block : order_) start_.push_back(start_.back() + W.size(block));
  find_supernodes(structure, parent);
  place_sources();
  x_.resize(W.rows()), part_.resize(W.rows());
  diagonal_.resize(static_cast<std::size_t>(W.rows()));
}

void BlockCholesky::order() {
  const Index n = W_.num_block_rows();
  std::vector<int> begin = {0}, column, permutation(static_cast<std::size_t>(n));
  begin.reserve(static_cast<std::size_t>(n) + 1);
  column.reserve(static_cast<std::size_t>(W_.num_blocks()));
  for (Index i = 0; i < n; ++i) {
    for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) column.push_back(static_cast<int>(W_.column(k)));
    begin.push_back(static_cast<int>(column.size()));
  }
  order_.resize(static_cast<std::size_t>(n)), position_.resize(static_cast<std::size_t>(n));
  std::iota(order_.begin(), order_.end(), Index{0});
  // Without memory for the ordering the natural one serves.
  if (amd_order(static_cast<int>(n), begin.data(), column.data(), permutation.data(), nullptr, nullptr) >= AMD_OK)
    std::copy(permutation.begin(), permutation.end(), order_.begin());
  for (std::size_t k = 0; k < order_.size(); ++k)
    position_[static_cast<std::size_t>(order_[k])] = static_cast<Index>(k);
}

/// Columns whose rows nest join: where that costs no zeros, or few beside what is there.
void BlockCholesky::find_supernodes(const std::vector<std::vector<Index>>& structure,
                                    const std::vector<Index>& parent) {
  constexpr double share = 0.2;  // of explicit zeros in a panel
  const auto n = static_cast<Index>(structure.size());
  std::vector<Index> node_of(static_cast<std::size_t>(n));
  Index total = 0;
  double zeros = 0.0;
  for (Index j = 0; j < n; ++j) {
    const auto& rows = structure[static_cast<std::size_t>(j)];
    bool joins = false;
    if (j > 0 && parent[static_cast<std::size_t>(j - 1)] == j) {
      const Supernode& last = nodes_.back();
      const auto width = static_cast<double>(j - last.first);
      const auto added = static_cast<double>(rows.size() + 1 - structure[static_cast<std::size_t>(j - 1)].size());
      const double filled = (width + 1.0) * (0.5 * (width + 1.0) + static_cast<double>(rows.size()));
      joins = zeros + width * added <= share * filled;
      if (joins) zeros += width * added;
    }
    if (!joins) {
      nodes_.emplace_back();
      nodes_.back().first = j;
      zeros = 0.0;
    }
    nodes_.back().last = j + 1;
    node_of[static_cast<std::size_t>(j)] = static_cast<Index>(nodes_.size()) - 1;
  }
  for (Supernode& node : nodes_) {
    const auto& rows = structure[static_cast<std::size_t>(node.last - 1)];
    node.rows_begin = static_cast<Index>(rows_.size());
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    node.rows_end = static_cast<Index>(rows_.size());
    node.width = start_[static_cast<std::size_t>(node.last)] - start_[static_cast<std::size_t>(node.first)];
    node.height = node.width;
    for (const Index row : rows)
      node.height += start_[static_cast<std::size_t>(row + 1)] - start_[static_cast<std::size_t>(row)];
    node.parent = rows.empty() ? -1 : node_of[static_cast<std::size_t>(rows.front())];
    node.panel = total;
    total += node.width * node.height;
  }
  panels_.resize(static_cast<std::size_t>(total));
}

void BlockCholesky::place_sources() {
  local_.assign(order_.size(), 0);
  for (Supernode& node : nodes_) {
    Index at = 0;
    for (Index k = node.first; k < node.last; ++k) {
      local_[static_cast<std::size_t>(k)] = at;
      at += start_[static_cast<std::size_t>(k + 1)] - start_[static_cast<std::size_t>(k)];
    }
    for (Index r = node.rows_begin; r < node.rows_end; ++r) {
      const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      local_[k] = at;
      at += start_[k + 1] - start_[k];
    }
    node.sources_begin = static_cast<Index>(sources_.size());
    for (Index c = node.first; c < node.last; ++c) {
      const Index J = order_[static_cast<std::size_t>(c)];
      for (Index k = W_.row_begin(J); k < W_.row_begin(J + 1); ++k) {
        const Index I = W_.column(k), r = position_[static_cast<std::size_t>(I)];
        if (r < c) continue;  // assembled in that column
        // Block row J holds W_JI: below the diagonal where J > I, else its mirror W_IJ is.
        const bool transposed = J > I;
        const Index block = transposed || I == J ? k : W_.find(I, J);
        if (block < 0) continue;
        sources_.push_back({block, local_[static_cast<std::size_t>(r)], local_[static_cast<std::size_t>(c)], W_.size(I),
                            W_.size(J), transposed, I == J});
      }
    }
    node.sources_end = static_cast<Index>(sources_.size());
  }
}

/// Adds the child's update, lower triangle of its rows below, into the front (panel, next).
void BlockCholesky::extend_add(const Supernode& child, const double* update, const Supernode& node, double* panel,
                               double* next) {
  const Index size = child.height - child.width, below = node.height - node.width;
  Index column = 0;
  for (Index c = child.rows_begin; c < child.rows_end; ++c) {
    const auto J = static_cast<std::size_t>(rows_[static_cast<std::size_t>(c)]);
    const Index columns = start_[J + 1] - start_[J];
    for (Index j = 0; j < columns; ++j) {
      const Index to_column = local_[J] + j;
      const bool inside = to_column < node.width;
      double* target = inside ? panel + to_column * node.height : next + (to_column - node.width) * below;
      const Index above = inside ? 0 : node.width;  // rows of the front that `next` does not have
      const double* source = update + (column + j) * size;
      Index row = column;
      for (Index r = c; r < child.rows_end; ++r) {
        const auto I = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
        const Index rows = start_[I + 1] - start_[I];
        double* to = target + (local_[I] - above);
        for (Index i = 0; i < rows; ++i) to[i] += source[row + i];
        row += rows;
      }
    }
    column += columns;
  }
}

bool BlockCholesky::factorize(const Eigen::VectorXd& d) {
  const double round_off = static_cast<double>(W_.rows()) * std::numeric_limits<double>::epsilon();
  std::vector<std::vector<Index>> children(nodes_.size());
  for (std::size_t s = 0; s < nodes_.size(); ++s)
    if (nodes_[s].parent >= 0) children[static_cast<std::size_t>(nodes_[s].parent)].push_back(static_cast<Index>(s));
  std::vector<Index> update_begin(nodes_.size());
  Index top = 0;
  std::fill(panels_.begin(), panels_.end(), 0.0);
  for (std::size_t s = 0; s < nodes_.size(); ++s) {
    const Supernode& node = nodes_[s];
    const Index below = node.height - node.width, first = start_[static_cast<std::size_t>(node.first)];
    double* panel = panels_.data() + node.panel;
    if (static_cast<Index>(stack_.size()) < top + below * below)
      stack_.resize(static_cast<std::size_t>(top + below * below));
    double* next = stack_.data() + top;
    std::fill(next, next + below * below, 0.0);
    Index at = 0;
    for (Index k = node.first; k < node.last; ++k) {
      local_[static_cast<std::size_t>(k)] = at;
      at += start_[static_cast<std::size_t>(k + 1)] - start_[static_cast<std::size_t>(k)];
    }
    for (Index r = node.rows_begin; r < node.rows_end; ++r) {
      const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      local_[k] = at;
      at += start_[k + 1] - start_[k];
    }
    for (Index k = node.sources_begin; k < node.sources_end; ++k) {
      const Source& source = sources_[static_cast<std::size_t>(k)];
      const double* w = W_.values(source.block);
      for (Index j = 0; j < source.columns; ++j) {
        double* to = panel + (source.column + j) * node.height + source.row;
        for (Index i = source.diagonal ? j : 0; i < source.rows; ++i)
          to[i] += source.transposed ? w[i * source.columns + j] : w[j * source.rows + i];
      }
    }
    for (Index k = node.first, local = 0; k < node.last; ++k) {
      const Index block = order_[static_cast<std::size_t>(k)];
      for (Index i = 0; i < W_.size(block); ++i, ++local) {
        double& entry = panel[local * (node.height + 1)];
        entry += d[W_.offset(block) + i];
        diagonal_[static_cast<std::size_t>(first + local)] = entry;
      }
    }
    // The children's updates lie on top of the stack, for elimination is in postorder.
    Index bottom = top;
    for (const Index child : children[s]) {
      extend_add(nodes_[static_cast<std::size_t>(child)], stack_.data() + update_begin[static_cast<std::size_t>(child)],
                 node, panel, next);
      bottom = std::min(bottom, update_begin[static_cast<std::size_t>(child)]);
    }
    Panel L11(panel, node.width, node.width, Eigen::OuterStride<>(node.height));
    if (!cholesky_in_place(L11)) return false;
    for (Index i = 0; i < node.width; ++i) {
      const double pivot = L11(i, i);
      if (!(pivot * pivot > round_off * diagonal_[static_cast<std::size_t>(first + i)]) || !std::isfinite(pivot))
        return false;
    }
    if (below > 0) {
      Panel L21(panel + node.width, below, node.width, Eigen::OuterStride<>(node.height));
      L11.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(L21);
      Eigen::Map<Eigen::MatrixXd> update(next, below, below);
      update.selfadjointView<Eigen::Lower>().rankUpdate(L21, -1.0);
    }
    if (bottom < top) std::copy(next, next + below * below, stack_.data() + bottom);
    update_begin[s] = bottom;
    top = bottom + below * below;
  }
  return true;
}

void BlockCholesky::solve_in_place(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < order_.size(); ++k)
    x_.segment(start_[k], W_.size(order_[k])) = x.segment(W_.offset(order_[k]), W_.size(order_[k]));
  for (const Supernode& node : nodes_) {
    const Index below = node.height - node.width;
    const double* panel = panels_.data() + node.panel;
    auto own = x_.segment(start_[static_cast<std::size_t>(node.first)], node.width);
    ConstPanel(panel, node.width, node.width, Eigen::OuterStride<>(node.height))
        .triangularView<Eigen::Lower>()
        .solveInPlace(own);
    if (below == 0) continue;
    part_.head(below).noalias() =
        ConstPanel(panel + node.width, below, node.width, Eigen::OuterStride<>(node.height)) * own;
    Index at = 0;
    for (Index r = node.rows_begin; r < node.rows_end; ++r) {
      const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      for (Index i = start_[k]; i < start_[k + 1]; ++i) x_[i] -= part_[at++];
    }
  }
  for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) {
    const Supernode& node = *it;
    const Index below = node.height - node.width;
    const double* panel = panels_.data() + node.panel;
    auto own = x_.segment(start_[static_cast<std::size_t>(node.first)], node.width);
    Index at = 0;
    for (Index r = node.rows_begin; r < node.rows_end; ++r) {
      const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      for (Index i = start_[k]; i < start_[k + 1]; ++i) part_[at++] = x_[i];
    }
    if (below > 0)
      own.noalias() -=
          ConstPanel(panel + node.width, below, node.width, Eigen::OuterStride<>(node.height)).transpose() *
          part_.head(below);
    ConstPanel(panel, node.width, node.width, Eigen::OuterStride<>(node.height))
        .transpose()
        .triangularView<Eigen::Upper>()
        .solveInPlace(own);
  }
  for (std::size_t k = 0; k < order_.size(); ++k)
    x.segment(W_.offset(order_[k]), W_.size(order_[k])) = x_.segment(start_[k], W_.size(order_[k]));
}

}  // namespace nonsmooth::mixed::internal
