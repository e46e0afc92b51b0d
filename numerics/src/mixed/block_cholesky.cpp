// SPDX-License-Identifier: Apache-2.0
#include "block_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>

namespace nonsmooth::mixed::internal {
namespace {

using Panel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using ConstPanel = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

}  // namespace

BlockCholesky::BlockCholesky(const BlockSparseMatrix& W) { prepare(W); }

void BlockCholesky::prepare(const BlockSparseMatrix& W) {
  W_ = &W;
  degree_.order(
      W.num_block_rows(), [&](Index i) { return W.row_begin(i); }, [&](Index k) { return W.column(k); }, order_);
  find_structure();
  if (postorder()) find_structure();
  start_.assign(1, 0);
  for (const Index block : order_) start_.push_back(start_.back() + W.size(block));
  find_supernodes();
  place_sources();
  x_.resize(W.rows());
  part_.resize(W.rows());
  diagonal_.resize(at(W.rows()));
}

void BlockCholesky::reserve(Index blocks, Index rows) {
  const auto n = at(blocks), entries = at(blocks * blocks), scalars = at(rows);
  degree_.reserve(blocks);
  postorder_.reserve(n);
  for (std::vector<Index>* each :
       {&order_, &position_, &local_, &parent_, &child_, &sibling_, &seen_, &swap_, &node_of_})
    each->reserve(n);
  start_.reserve(n + 1);
  structure_begin_.reserve(n + 1);
  structure_.reserve(entries);
  rows_.reserve(entries);
  nodes_.reserve(n);
  sources_.reserve(entries);
  panels_.reserve(scalars * scalars);
  diagonal_.reserve(scalars);
  if (const auto most = at(detail::most_waiting_values(blocks, rows)); stack_.size() < most) stack_.resize(most);
  for (GrowingVector* vector : {&x_, &part_}) vector->resize(std::max(rows, vector->size()));
}

/// position_, structure_ and the elimination tree of order_: a column has the rows of its own entries and of its
/// children's.
void BlockCholesky::find_structure() {
  const Index n = W_->num_block_rows();
  position_.resize(at(n));
  for (Index k = 0; k < n; ++k) position_[at(order_[at(k)])] = k;
  parent_.assign(at(n), -1);
  child_.assign(at(n), -1);
  sibling_.assign(at(n), -1);
  seen_.assign(at(n), -1);
  structure_begin_.assign(1, 0);
  structure_.clear();
  for (Index column = 0; column < n; ++column) {
    const auto add = [&](Index row) {
      if (row <= column || seen_[at(row)] == column) return;
      seen_[at(row)] = column;
      structure_.push_back(row);
    };
    const Index block = order_[at(column)];
    for (Index k = W_->row_begin(block); k < W_->row_begin(block + 1); ++k) add(position_[at(W_->column(k))]);
    for (Index child = child_[at(column)]; child >= 0; child = sibling_[at(child)])
      for (Index e = structure_begin(child); e < structure_begin(child + 1); ++e) add(structure_[at(e)]);
    structure_begin_.push_back(static_cast<Index>(structure_.size()));
    if (structure_size(column) == 0) continue;
    std::sort(structure_.begin() + structure_begin(column), structure_.end());
    const Index parent = structure_[at(structure_begin(column))];
    parent_[at(column)] = parent;
    sibling_[at(column)] = child_[at(parent)];
    child_[at(parent)] = column;
  }
}

/// order_ with children before parents, each subtree in one run. True where that is another one.
bool BlockCholesky::postorder() {
  const auto n = static_cast<Index>(order_.size());
  const std::vector<Index>& post = postorder_.of(parent_, detail::Postorder::Roots::Ascending);
  swap_.resize(at(n));
  bool other = false;
  for (Index k = 0; k < n; ++k) {
    swap_[at(k)] = order_[at(post[at(k)])];
    other = other || post[at(k)] != k;
  }
  order_.swap(swap_);
  return other;
}

/// Columns whose rows nest join: where that costs no zeros, or few beside what is there.
void BlockCholesky::find_supernodes() {
  constexpr double share = 0.2;  // of explicit zeros in a panel
  const auto n = static_cast<Index>(order_.size());
  node_of_.resize(at(n));
  nodes_.clear();
  rows_.clear();
  Index total = 0;
  double zeros = 0.0;
  for (Index j = 0; j < n; ++j) {
    bool joins = false;
    if (j > 0 && parent_[at(j - 1)] == j) {
      const Supernode& last = nodes_.back();
      const auto width = static_cast<double>(j - last.first);
      const auto added = static_cast<double>(structure_size(j) + 1 - structure_size(j - 1));
      const double filled = (width + 1.0) * (0.5 * (width + 1.0) + static_cast<double>(structure_size(j)));
      joins = zeros + width * added <= share * filled;
      if (joins) zeros += width * added;
    }
    if (!joins) {
      nodes_.emplace_back();
      nodes_.back().first = j;
      zeros = 0.0;
    }
    nodes_.back().last = j + 1;
    node_of_[at(j)] = static_cast<Index>(nodes_.size()) - 1;
  }
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    Supernode& node = nodes_[number];
    const auto begin = structure_.begin() + structure_begin(node.last - 1);
    const auto end = structure_.begin() + structure_begin(node.last);
    node.rows_begin = static_cast<Index>(rows_.size());
    rows_.insert(rows_.end(), begin, end);
    node.rows_end = static_cast<Index>(rows_.size());
    node.width = start_[at(node.last)] - start_[at(node.first)];
    node.height = node.width;
    for (auto row = begin; row != end; ++row) node.height += start_[at(*row + 1)] - start_[at(*row)];
    if (begin != end) {
      Supernode& parent = nodes_[at(node_of_[at(*begin)])];
      if (parent.first_child < 0)
        parent.first_child = static_cast<Index>(number);
      else
        nodes_[at(parent.last_child)].sibling = static_cast<Index>(number);
      parent.last_child = static_cast<Index>(number);
    }
    node.panel = total;
    total += node.width * node.height;
  }
  panels_.resize(static_cast<std::size_t>(total));
}

void BlockCholesky::place_sources() {
  local_.assign(order_.size(), 0);
  sources_.clear();
  for (Supernode& node : nodes_) {
    Index place = 0;
    for (Index k = node.first; k < node.last; ++k) {
      local_[static_cast<std::size_t>(k)] = place;
      place += start_[static_cast<std::size_t>(k + 1)] - start_[static_cast<std::size_t>(k)];
    }
    for (Index r = node.rows_begin; r < node.rows_end; ++r) {
      const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      local_[k] = place;
      place += start_[k + 1] - start_[k];
    }
    node.sources_begin = static_cast<Index>(sources_.size());
    for (Index c = node.first; c < node.last; ++c) {
      const Index J = order_[static_cast<std::size_t>(c)];
      for (Index k = W_->row_begin(J); k < W_->row_begin(J + 1); ++k) {
        const Index I = W_->column(k), r = position_[static_cast<std::size_t>(I)];
        if (r < c) continue;  // assembled in that column
        // Block row J holds W_JI: below the diagonal where J > I, else its mirror W_IJ is.
        const bool transposed = J > I;
        const Index block = transposed || I == J ? k : W_->find(I, J);
        if (block < 0) continue;
        sources_.push_back({block, local_[static_cast<std::size_t>(r)], local_[static_cast<std::size_t>(c)],
                            W_->size(I), W_->size(J), transposed, I == J});
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

bool BlockCholesky::factorize(ConstVectorRef d) {
  const double round_off = static_cast<double>(W_->rows()) * std::numeric_limits<double>::epsilon();
  Index top = 0;
  std::fill(panels_.begin(), panels_.end(), 0.0);
  for (Supernode& node : nodes_) {
    const Index below = node.height - node.width, first = start_[static_cast<std::size_t>(node.first)];
    double* panel = panels_.data() + node.panel;
    if (static_cast<Index>(stack_.size()) < top + below * below)
      stack_.resize(static_cast<std::size_t>(top + below * below));
    double* next = stack_.data() + top;
    std::fill(next, next + below * below, 0.0);
    Index place = 0;
    for (Index k = node.first; k < node.last; ++k) {
      local_[static_cast<std::size_t>(k)] = place;
      place += start_[static_cast<std::size_t>(k + 1)] - start_[static_cast<std::size_t>(k)];
    }
    for (Index r = node.rows_begin; r < node.rows_end; ++r) {
      const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      local_[k] = place;
      place += start_[k + 1] - start_[k];
    }
    for (Index k = node.sources_begin; k < node.sources_end; ++k) {
      const Source& source = sources_[static_cast<std::size_t>(k)];
      const double* w = W_->values(source.block);
      for (Index j = 0; j < source.columns; ++j) {
        double* to = panel + (source.column + j) * node.height + source.row;
        for (Index i = source.diagonal ? j : 0; i < source.rows; ++i)
          to[i] += source.transposed ? w[i * source.columns + j] : w[j * source.rows + i];
      }
    }
    for (Index k = node.first, local = 0; k < node.last; ++k) {
      const Index block = order_[static_cast<std::size_t>(k)];
      for (Index i = 0; i < W_->size(block); ++i, ++local) {
        double& entry = panel[local * (node.height + 1)];
        entry += d[W_->offset(block) + i];
        diagonal_[static_cast<std::size_t>(first + local)] = entry;
      }
    }
    // The children's updates lie on top of the stack, for elimination is in postorder.
    Index bottom = top;
    for (Index c = node.first_child; c >= 0; c = nodes_[at(c)].sibling) {
      const Supernode& child = nodes_[at(c)];
      extend_add(child, stack_.data() + child.update, node, panel, next);
      bottom = std::min(bottom, child.update);
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
    node.update = bottom;
    top = bottom + below * below;
  }
  return true;
}

void BlockCholesky::solve_in_place(VectorRef x) const {
  for (std::size_t k = 0; k < order_.size(); ++k)
    x_.segment(start_[k], W_->size(order_[k])) = x.segment(W_->offset(order_[k]), W_->size(order_[k]));
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
    Index place = 0;
    for (Index r = node.rows_begin; r < node.rows_end; ++r) {
      const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      for (Index i = start_[k]; i < start_[k + 1]; ++i) x_[i] -= part_[place++];
    }
  }
  for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) {
    const Supernode& node = *it;
    const Index below = node.height - node.width;
    const double* panel = panels_.data() + node.panel;
    auto own = x_.segment(start_[static_cast<std::size_t>(node.first)], node.width);
    Index place = 0;
    for (Index r = node.rows_begin; r < node.rows_end; ++r) {
      const auto k = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      for (Index i = start_[k]; i < start_[k + 1]; ++i) part_[place++] = x_[i];
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
    x.segment(W_->offset(order_[k]), W_->size(order_[k])) = x_.segment(start_[k], W_->size(order_[k]));
}

}  // namespace nonsmooth::mixed::internal
