// SPDX-License-Identifier: Apache-2.0
#include "supernodal_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include <amd.h>
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

void SupernodalLu::order(const BlockMatrix& A) {
  const Index n = A.num_blocks();
  order_.resize(at(n));
  std::iota(order_.begin(), order_.end(), Index{0});
  std::vector<int> begin(at(n) + 1), column(A.column.begin(), A.column.end()), found(at(n));
  for (Index i = 0; i <= n; ++i) begin[at(i)] = static_cast<int>(A.begin[at(i)]);
  if (n > 0 && amd_order(static_cast<int>(n), begin.data(), column.data(), found.data(), nullptr, nullptr) >= AMD_OK)
    std::copy(found.begin(), found.end(), order_.begin());

  // The elimination tree (Liu), then its postorder, in which every subtree is contiguous.
  position_.resize(at(n));
  const auto place = [&] {
    for (Index k = 0; k < n; ++k) position_[at(order_[at(k)])] = k;
  };
  place();
  parent_.assign(at(n), -1);
  std::vector<Index> ancestor(at(n), -1);
  for (Index k = 0; k < n; ++k)
    for (Index e = A.begin[at(order_[at(k)])]; e < A.begin[at(order_[at(k)] + 1)]; ++e)
      for (Index i = position_[at(A.column[at(e)])]; i != -1 && i < k;) {
        const Index next = ancestor[at(i)];
        ancestor[at(i)] = k;
        if (next == -1) parent_[at(i)] = k;
        i = next;
      }
  std::vector<Index> child(at(n), -1), sibling(at(n), -1), post, stack;
  std::vector<Index> roots;
  for (Index k = n; k-- > 0;) {
    if (parent_[at(k)] < 0) {
      roots.push_back(k);
      continue;
    }
    sibling[at(k)] = child[at(parent_[at(k)])];
    child[at(parent_[at(k)])] = k;
  }
  post.reserve(at(n));
  for (const Index root : roots) {
    stack.push_back(root);
    while (!stack.empty()) {
      const Index k = stack.back();
      if (const Index next = child[at(k)]; next >= 0) {
        child[at(k)] = sibling[at(next)];
        stack.push_back(next);
      } else {
        post.push_back(k);
        stack.pop_back();
      }
    }
  }
  std::vector<Index> renumbered(at(n)), order(at(n)), parent(at(n), -1);
  for (Index k = 0; k < n; ++k) renumbered[at(post[at(k)])] = k;
  for (Index k = 0; k < n; ++k) {
    order[at(k)] = order_[at(post[at(k)])];
    if (const Index above = parent_[at(post[at(k)])]; above >= 0) parent[at(k)] = renumbered[at(above)];
  }
  order_.swap(order);
  parent_.swap(parent);
  place();
}

void SupernodalLu::find_nodes(const BlockMatrix& A) {
  const Index n = A.num_blocks();
  start_.resize(at(n) + 1);
  start_[0] = 0;
  for (Index k = 0; k < n; ++k) start_[at(k + 1)] = start_[at(k)] + A.sizes[at(order_[at(k)])];
  const std::vector<Draft> drafts = draft_nodes(count_below(A));

  nodes_.clear();
  rows_.clear();
  children_.assign(drafts.size(), {});
  std::vector<Index> mark(at(n), -1);
  Index factors = 0;
  flops_ = 0.0;
  for (const Draft& draft : drafts) {
    Node node;
    node.first = draft.first;
    node.last = draft.last;
    list_rows(A, node, mark);
    node.width = span(node.first, node.last);
    for (Index e = node.rows_begin; e < node.rows_end; ++e) node.height += span(rows_[at(e)], rows_[at(e)] + 1);
    node.pivots = factors;
    node.lower = node.pivots + node.width * node.width;
    node.upper = node.lower + node.width * node.height;
    factors = node.upper + node.width * node.height;
    const double p = static_cast<double>(node.width), m = static_cast<double>(node.height);
    flops_ += 2.0 / 3.0 * p * p * p + 2.0 * p * p * m + 2.0 * p * m * m;
    if (node.rows_end > node.rows_begin) {
      // The parent's node is drafted later: find it by its first column.
      const Index above = rows_[at(node.rows_begin)];
      const auto parent =
          std::partition_point(drafts.begin(), drafts.end(), [&](const Draft& other) { return other.last <= above; });
      node.parent = parent - drafts.begin();
      children_[at(node.parent)].push_back(static_cast<Index>(nodes_.size()));
    }
    nodes_.push_back(node);
  }
  factors_.resize(at(factors));
  swaps_.resize(at(start_.back()));
}

/// Rows below each column, in scalars: row i reaches every column on the paths from its entries up to i.
std::vector<Index> SupernodalLu::count_below(const BlockMatrix& A) const {
  const Index n = A.num_blocks();
  std::vector<Index> below(at(n), 0), mark(at(n), -1);
  for (Index i = 0; i < n; ++i) {
    mark[at(i)] = i;
    for (Index e = A.begin[at(order_[at(i)])]; e < A.begin[at(order_[at(i)] + 1)]; ++e)
      for (Index j = position_[at(A.column[at(e)])]; j < i && mark[at(j)] != i; j = parent_[at(j)]) {
        mark[at(j)] = i;
        below[at(j)] += span(i, i + 1);
      }
  }
  return below;
}

/// Bottom up: a node takes the one that ends just before it and is its child, while few zeros come of it.
std::vector<SupernodalLu::Draft> SupernodalLu::draft_nodes(const std::vector<Index>& below) const {
  std::vector<Draft> drafts;
  for (Index k = 0; k < static_cast<Index>(below.size()); ++k) {
    Draft draft{k, k + 1, below[at(k)], 0.0};
    while (!drafts.empty()) {
      const Draft& child = drafts.back();
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
      drafts.pop_back();
    }
    drafts.push_back(draft);
  }
  return drafts;
}

/// The block rows below a node that comes next: those of its own entries and of its children. mark[row] is the last
/// node that listed the row.
void SupernodalLu::list_rows(const BlockMatrix& A, Node& node, std::vector<Index>& mark) {
  const Index s = static_cast<Index>(nodes_.size());
  node.rows_begin = static_cast<Index>(rows_.size());
  const auto add = [&](Index row) {
    if (row < node.last || mark[at(row)] == s) return;
    mark[at(row)] = s;
    rows_.push_back(row);
  };
  for (Index k = node.first; k < node.last; ++k)
    for (Index e = A.begin[at(order_[at(k)])]; e < A.begin[at(order_[at(k)] + 1)]; ++e)
      add(position_[at(A.column[at(e)])]);
  for (const Index c : children_[at(s)])
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

void SupernodalLu::extend_add(const Node& child, const std::vector<double>& from, const Node& node,
                              std::vector<double>& to) {
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
    const double* source = from.data() + j * m;
    const Index column = relative_[at(j)];
    double* top = j < split ? pivots + column * node.width : upper + column * node.width;
    double* bottom = j < split ? lower + column * node.height : to.data() + column * node.height;
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
  std::vector<std::vector<double>> updates(nodes_.size());
  for (std::size_t s = 0; s < nodes_.size(); ++s) {
    const Node& node = nodes_[s];
    std::vector<double>& update = updates[s];
    update.assign(at(node.height * node.height), 0.0);
    assemble(A, node);
    for (const Index c : children_[s]) {
      extend_add(nodes_[at(c)], updates[at(c)], node, update);
      std::vector<double>().swap(updates[at(c)]);
    }
    if (!eliminate(node, update.data())) return false;
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
