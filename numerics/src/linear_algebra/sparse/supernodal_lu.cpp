// SPDX-License-Identifier: Apache-2.0
#include "supernodal_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <cblas.h>
#include <lapacke.h>

#include <internal/at.hpp>

namespace nonsmooth::detail {
namespace {

/// OpenBLAS on one thread while any of these lives; the last one gives back the number there was.
class OneBlasThread {
 public:
  OneBlasThread() {
    const std::lock_guard lock(mutex());
    if (users()++ == 0) {
      before() = openblas_get_num_threads();
      if (before() != 1) openblas_set_num_threads(1);
    }
  }
  ~OneBlasThread() {
    const std::lock_guard lock(mutex());
    if (--users() == 0 && before() != 1) openblas_set_num_threads(before());
  }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex value;
    return value;
  }
  static int& users() {
    static int value = 0;
    return value;
  }
  static int& before() {
    static int value = 1;
    return value;
  }
};

/// A child joins its parent where both are no wider than this or few of the entries of the joint front would be zeros.
constexpr Index small_width = 24;
constexpr double small_zeros = 0.5, large_zeros = 0.1;

}  // namespace

/// parent_ := the elimination tree of order_ (Liu).
void SupernodalLu::find_tree(const BlockMatrix& A) {
  const Index n = A.num_blocks();
  position_.resize(at(n));
  for (Index k = 0; k < n; ++k) position_[at(order_[at(k)])] = k;
  parent_.assign(at(n), -1);
  ancestor_.assign(at(n), -1);
  for (Index k = 0; k < n; ++k)
    for (Index e = A.begin[at(order_[at(k)])]; e < A.begin[at(order_[at(k)] + 1)]; ++e)
      for (Index i = position_[at(A.column[at(e)])]; i != -1 && i < k;) {
        const Index next = ancestor_[at(i)];
        ancestor_[at(i)] = k;
        if (next == -1) parent_[at(i)] = k;
        i = next;
      }
}

/// Renumbers the tree so that every subtree is contiguous.
void SupernodalLu::postorder() {
  const auto n = static_cast<Index>(order_.size());
  const std::vector<Index>& post = postorder_.of(parent_, Postorder::Roots::Descending);
  renumbered_.resize(at(n));
  for (Index k = 0; k < n; ++k) renumbered_[at(post[at(k)])] = k;
  swap_.resize(at(n));
  for (Index k = 0; k < n; ++k) swap_[at(k)] = order_[at(post[at(k)])];
  order_.swap(swap_);
  for (Index k = 0; k < n; ++k) {
    const Index above = parent_[at(post[at(k)])];
    swap_[at(k)] = above >= 0 ? renumbered_[at(above)] : -1;
  }
  parent_.swap(swap_);
  for (Index k = 0; k < n; ++k) position_[at(order_[at(k)])] = k;
}

void SupernodalLu::order(const BlockMatrix& A) {
  degree_.order(
      A.num_blocks(), [&](Index i) { return A.begin[at(i)]; }, [&](Index k) { return A.column[at(k)]; }, order_);
  find_tree(A);
  postorder();
}

void SupernodalLu::find_nodes(const BlockMatrix& A) {
  const Index n = A.num_blocks();
  start_.resize(at(n) + 1);
  start_[0] = 0;
  for (Index k = 0; k < n; ++k) start_[at(k + 1)] = start_[at(k)] + A.sizes[at(order_[at(k)])];
  count_below(A);
  draft_nodes();

  nodes_.assign(drafts_.size(), Node{});
  rows_.clear();
  mark_.assign(at(n), -1);
  Index factors = 0;
  flops_ = 0.0;
  for (Index s = 0; s < static_cast<Index>(drafts_.size()); ++s) {
    Node& node = nodes_[at(s)];
    node.first = drafts_[at(s)].first;
    node.last = drafts_[at(s)].last;
    list_rows(A, node, s);
    node.width = span(node.first, node.last);
    for (Index e = node.rows_begin; e < node.rows_end; ++e) node.height += span(rows_[at(e)], rows_[at(e)] + 1);
    node.pivots = factors;
    node.lower = node.pivots + node.width * node.width;
    node.upper = node.lower + node.width * node.height;
    factors = node.upper + node.width * node.height;
    const double p = static_cast<double>(node.width), m = static_cast<double>(node.height);
    flops_ += 2.0 / 3.0 * p * p * p + 2.0 * p * p * m + 2.0 * p * m * m;
    link(node, s);
  }
  factors_.resize(at(factors));
  swaps_.resize(at(start_.back()));
  lay_out_stack();
}

/// Makes a node the last child of its parent, that of the first row below it.
void SupernodalLu::link(const Node& node, Index number) {
  if (node.rows_end == node.rows_begin) return;
  const Index above = rows_[at(node.rows_begin)];
  const auto draft =
      std::partition_point(drafts_.begin(), drafts_.end(), [&](const Draft& other) { return other.last <= above; });
  Node& parent = nodes_[at(draft - drafts_.begin())];
  if (parent.first_child < 0)
    parent.first_child = number;
  else
    nodes_[at(parent.last_child)].sibling = number;
  parent.last_child = number;
}

/// A node's update is made behind its children's, and moved to where those began.
void SupernodalLu::lay_out_stack() {
  Index top = 0, most = 0;
  for (Node& node : nodes_) {
    const Index entries = node.height * node.height;
    most = std::max(most, top + entries);
    node.update = node.first_child < 0 ? top : nodes_[at(node.first_child)].update;
    top = node.update + entries;
  }
  if (stack_.size() < at(most)) stack_.resize(at(most));
}

/// below_ := rows below each column, in scalars: row i reaches every column on the paths from its entries up to i.
void SupernodalLu::count_below(const BlockMatrix& A) {
  const Index n = A.num_blocks();
  below_.assign(at(n), 0);
  mark_.assign(at(n), -1);
  for (Index i = 0; i < n; ++i) {
    mark_[at(i)] = i;
    for (Index e = A.begin[at(order_[at(i)])]; e < A.begin[at(order_[at(i)] + 1)]; ++e)
      for (Index j = position_[at(A.column[at(e)])]; j < i && mark_[at(j)] != i; j = parent_[at(j)]) {
        mark_[at(j)] = i;
        below_[at(j)] += span(i, i + 1);
      }
  }
}

/// Bottom up: a node takes the one that ends just before it and is its child, while few zeros come of it.
void SupernodalLu::draft_nodes() {
  drafts_.clear();
  for (Index k = 0; k < static_cast<Index>(below_.size()); ++k) {
    Draft draft{k, k + 1, below_[at(k)], 0.0};
    while (!drafts_.empty()) {
      const Draft& child = drafts_.back();
      if (parent_[at(child.last - 1)] < draft.first || parent_[at(child.last - 1)] >= draft.last) break;
      const double width = static_cast<double>(span(child.first, child.last));
      const double joint = width + static_cast<double>(span(draft.first, draft.last));
      const double missing =
          static_cast<double>(span(draft.first, draft.last) + draft.height - child.height);  // rows the child lacks
      const double zeros = child.zeros + draft.zeros + width * missing;
      const double entries = joint * (0.5 * joint + static_cast<double>(draft.height));
      if (zeros > 0.0 && zeros > (joint <= small_width ? small_zeros : large_zeros) * entries) break;
      draft.first = child.first;
      draft.zeros = zeros;
      drafts_.pop_back();
    }
    drafts_.push_back(draft);
  }
}

/// The block rows below a node that comes next: those of its own entries and of its children. mark_[row] is the last
/// node that listed the row.
void SupernodalLu::list_rows(const BlockMatrix& A, Node& node, Index number) {
  node.rows_begin = static_cast<Index>(rows_.size());
  const auto add = [&](Index row) {
    if (row < node.last || mark_[at(row)] == number) return;
    mark_[at(row)] = number;
    rows_.push_back(row);
  };
  for (Index k = node.first; k < node.last; ++k)
    for (Index e = A.begin[at(order_[at(k)])]; e < A.begin[at(order_[at(k)] + 1)]; ++e)
      add(position_[at(A.column[at(e)])]);
  for (Index c = node.first_child; c >= 0; c = nodes_[at(c)].sibling)
    for (Index e = nodes_[at(c)].rows_begin; e < nodes_[at(c)].rows_end; ++e) add(rows_[at(e)]);
  std::sort(rows_.begin() + node.rows_begin, rows_.end());
  node.rows_end = static_cast<Index>(rows_.size());
}

void SupernodalLu::analyze(const BlockMatrix& A) {
  const Index n = A.num_blocks();
  order(A);
  find_nodes(A);
  mirror_.resize(A.column.size());
  for (Index i = 0; i < n; ++i)
    for (Index e = A.begin[at(i)]; e < A.begin[at(i + 1)]; ++e) {
      const auto row = A.column.begin() + A.begin[at(A.column[at(e)])];
      const auto end = A.column.begin() + A.begin[at(A.column[at(e)] + 1)];
      mirror_[at(e)] = std::lower_bound(row, end, i) - A.column.begin();
    }
  offset_.resize(at(n) + 1);
  offset_[0] = 0;
  for (Index i = 0; i < n; ++i) offset_[at(i + 1)] = offset_[at(i)] + A.sizes[at(i)];
  local_.assign(at(n), 0);
  x_.resize(at(offset_.back()));
  Index highest = 0;
  for (const Node& node : nodes_) highest = std::max(highest, node.height);
  part_.resize(at(highest));
  relative_.reserve(at(highest));
}

void BlockMatrix::clear() {
  sizes.clear();
  begin.assign(1, 0);
  column.clear();
  value_begin.clear();
}

void BlockMatrix::reserve(Index blocks, Index rows) {
  sizes.reserve(at(blocks));
  begin.reserve(at(blocks) + 1);
  column.reserve(at(blocks * blocks));
  value_begin.reserve(at(blocks * blocks));
  values.reserve(at(rows * rows));
}

void SupernodalLu::reserve(Index blocks, Index rows) {
  const auto n = at(blocks), entries = at(blocks * blocks), scalars = at(rows);
  degree_.reserve(blocks);
  postorder_.reserve(n);
  for (std::vector<Index>* each :
       {&order_, &position_, &parent_, &ancestor_, &renumbered_, &swap_, &below_, &mark_, &local_})
    each->reserve(n);
  start_.reserve(n + 1);
  offset_.reserve(n + 1);
  nodes_.reserve(n);
  drafts_.reserve(n);
  mirror_.reserve(entries);
  rows_.reserve(entries);
  factors_.reserve(scalars * scalars);
  swaps_.reserve(scalars);
  relative_.reserve(scalars);
  x_.reserve(scalars);
  part_.reserve(scalars);
  const Index most = most_waiting_values(blocks, rows);
  if (stack_.size() < at(most)) stack_.resize(at(most));
}

void SupernodalLu::assemble(const BlockMatrix& A, const Node& node) {
  double* const pivots = factors_.data() + node.pivots;
  double* const lower = factors_.data() + node.lower;
  double* const upper = factors_.data() + node.upper;
  Index row = 0;
  for (Index k = node.first; k < node.last; ++k) {
    local_[at(k)] = row;
    row += start_[at(k + 1)] - start_[at(k)];
  }
  row = 0;
  for (Index e = node.rows_begin; e < node.rows_end; ++e) {
    local_[at(rows_[at(e)])] = row;
    row += start_[at(rows_[at(e)] + 1)] - start_[at(rows_[at(e)])];
  }
  std::fill(pivots, upper + node.width * node.height, 0.0);
  const auto copy = [&](Index k, Index rows, Index columns, double* target, Index stride) {
    const double* value = A.values.data() + A.value_begin[at(k)];
    for (Index j = 0; j < columns; ++j, target += stride)
      for (Index i = 0; i < rows; ++i) target[i] = *value++;
  };
  for (Index k = node.first; k < node.last; ++k) {
    const Index block = order_[at(k)], size = A.sizes[at(block)], own = local_[at(k)];
    for (Index e = A.begin[at(block)]; e < A.begin[at(block + 1)]; ++e) {
      const Index other = A.column[at(e)], place = position_[at(other)], columns = A.sizes[at(other)];
      if (place < node.first) continue;
      const Index there = local_[at(place)];
      if (place < node.last) {
        copy(e, size, columns, pivots + own + there * node.width, node.width);
      } else {
        copy(e, size, columns, upper + own + there * node.width, node.width);
        copy(mirror_[at(e)], columns, size, lower + there + own * node.height, node.height);
      }
    }
  }
}

void SupernodalLu::extend_add(const Node& child, const double* from, const Node& node, double* to) {
  relative_.clear();
  Index split = 0;  // rows of the child's update that are pivots of the node
  for (Index e = child.rows_begin; e < child.rows_end; ++e) {
    const Index k = rows_[at(e)], size = start_[at(k + 1)] - start_[at(k)];
    if (k < node.last) split += size;
    for (Index i = 0; i < size; ++i) relative_.push_back(local_[at(k)] + i);
  }
  const Index m = child.height;
  double* const pivots = factors_.data() + node.pivots;
  double* const lower = factors_.data() + node.lower;
  double* const upper = factors_.data() + node.upper;
  for (Index j = 0; j < m; ++j) {
    const double* source = from + j * m;
    const Index column = relative_[at(j)];
    double* top = j < split ? pivots + column * node.width : upper + column * node.width;
    double* bottom = j < split ? lower + column * node.height : to + column * node.height;
    for (Index i = 0; i < split; ++i) top[relative_[at(i)]] += source[i];
    for (Index i = split; i < m; ++i) bottom[relative_[at(i)]] += source[i];
  }
}

bool SupernodalLu::eliminate(const Node& node, double* update) {
  const int p = static_cast<int>(node.width), m = static_cast<int>(node.height);
  double* const pivots = factors_.data() + node.pivots;
  double* const lower = factors_.data() + node.lower;
  double* const upper = factors_.data() + node.upper;
  int* const swaps = swaps_.data() + start_[at(node.first)];
  double largest = 0.0;
  for (Index i = 0; i < node.width * node.width; ++i) {
    if (!std::isfinite(pivots[i])) return false;
    largest = std::max(largest, std::abs(pivots[i]));
  }
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, p, p, pivots, p, swaps) != 0) return false;
  for (int i = 0; i < p; ++i)
    if (!(std::abs(pivots[i * (p + 1)]) > std::numeric_limits<double>::min() * (1.0 + largest))) return false;
  if (m == 0) return true;
  LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, m, upper, p, 1, p, swaps, 1);
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, p, m, 1.0, pivots, p, upper, p);
  cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, m, p, 1.0, pivots, p, lower, m);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, m, p, -1.0, lower, m, upper, p, 1.0, update, m);
  return true;
}

bool SupernodalLu::factorize(const BlockMatrix& A) {
  const OneBlasThread one_thread;
  for (const Node& node : nodes_) {
    const Node* const last = node.last_child < 0 ? nullptr : &nodes_[at(node.last_child)];
    double* const final_place = stack_.data() + node.update;
    double* const update = last == nullptr ? final_place : stack_.data() + last->update + last->height * last->height;
    const Index entries = node.height * node.height;
    std::fill(update, update + entries, 0.0);
    assemble(A, node);
    for (Index c = node.first_child; c >= 0; c = nodes_[at(c)].sibling)
      extend_add(nodes_[at(c)], stack_.data() + nodes_[at(c)].update, node, update);
    if (!eliminate(node, update)) return false;
    if (update != final_place) std::copy(update, update + entries, final_place);  // downwards
  }
  return true;
}

void SupernodalLu::solve_in_place(double* x) const {
  const OneBlasThread one_thread;
  for (std::size_t k = 0; k < order_.size(); ++k)
    std::copy(x + offset_[at(order_[k])], x + offset_[at(order_[k] + 1)], x_.data() + start_[k]);
  for (const Node& node : nodes_) {
    const int p = static_cast<int>(node.width), m = static_cast<int>(node.height);
    double* const own = x_.data() + start_[at(node.first)];
    const int* const swaps = swaps_.data() + start_[at(node.first)];
    for (int i = 0; i < p; ++i) std::swap(own[i], own[swaps[i] - 1]);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, p, factors_.data() + node.pivots, p, own, 1);
    if (m == 0) continue;
    cblas_dgemv(CblasColMajor, CblasNoTrans, m, p, 1.0, factors_.data() + node.lower, m, own, 1, 0.0, part_.data(), 1);
    const double* part = part_.data();
    for (Index e = node.rows_begin; e < node.rows_end; ++e)
      for (Index i = start_[at(rows_[at(e)])]; i < start_[at(rows_[at(e)] + 1)]; ++i) x_[at(i)] -= *part++;
  }
  for (std::size_t s = nodes_.size(); s-- > 0;) {
    const Node& node = nodes_[s];
    const int p = static_cast<int>(node.width), m = static_cast<int>(node.height);
    double* const own = x_.data() + start_[at(node.first)];
    double* part = part_.data();
    for (Index e = node.rows_begin; e < node.rows_end; ++e)
      for (Index i = start_[at(rows_[at(e)])]; i < start_[at(rows_[at(e)] + 1)]; ++i) *part++ = x_[at(i)];
    if (m > 0)
      cblas_dgemv(CblasColMajor, CblasNoTrans, p, m, -1.0, factors_.data() + node.upper, p, part_.data(), 1, 1.0, own,
                  1);
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, p, factors_.data() + node.pivots, p, own, 1);
  }
  for (std::size_t k = 0; k < order_.size(); ++k)
    std::copy(x_.data() + start_[k], x_.data() + start_[k + 1], x + offset_[at(order_[k])]);
}

}  // namespace nonsmooth::detail
