// SPDX-License-Identifier: Apache-2.0
#include "presolve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

#include <internal/round_off.hpp>

#include "set_kernels.hpp"

namespace nonsmooth::friction::internal {
namespace {

constexpr Index most_rank = 12;  ///< of two bodies

/// w·r >= 0 for every r in the canonical set; w is `stride` apart in memory.
[[nodiscard]] bool never_pulls(const BlockSet& set, const double* w, Index stride, Index size) {
  constexpr Index largest = 6;  // rows of a Rolling block
  double row[largest] = {};
  switch (set.kind) {
    case SetKind::Orthant:
      for (Index i = 0; i < size; ++i)
        if (!(w[i * stride] >= 0.0)) return false;
      return true;
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      for (Index i = 0; i < size; ++i) row[i] = w[i * stride];
      return row[0] >= velocity_lift(set, row, size);
    default:  // Free: any sign of r
      for (Index i = 0; i < size; ++i)
        if (w[i * stride] != 0.0) return false;
      return true;
  }
}

[[nodiscard]] bool stays_open(const mixed::Problem& problem, Index block, const std::vector<char>& open) {
  const BlockSparseMatrix& W = problem.W;
  const Index rows = W.size(block);
  const bool by_row = problem.K[block].kind == SetKind::Orthant;
  if (problem.K[block].kind == SetKind::Free) return false;
  for (Index i = 0; i < (by_row ? rows : 1); ++i) {
    if (!(problem.q[W.offset(block) + i] >= 0.0)) return false;
    for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
      const Index j = W.column(k);
      if (j == block || open[static_cast<std::size_t>(j)]) continue;  // r = 0 there
      if (!never_pulls(problem.K[j], W.values(k) + i, rows, W.size(j))) return false;
    }
  }
  return true;
}

[[nodiscard]] bool same_pattern(const BlockSparseMatrix& W, Index a, Index b) {
  const Index length = W.row_begin(a + 1) - W.row_begin(a);
  if (W.row_begin(b + 1) - W.row_begin(b) != length) return false;
  for (Index k = 0; k < length; ++k)
    if (W.column(W.row_begin(a) + k) != W.column(W.row_begin(b) + k)) return false;
  return true;
}

}  // namespace

const std::vector<Index>& OpenBlocks::find(const mixed::Problem& problem) {
  constexpr int most_turns = 4;  // one that opens lets others open
  const Index blocks = problem.K.num_blocks();
  open_.assign(static_cast<std::size_t>(blocks), 0);
  Index before = -1, count = 0;
  for (int turn = 0; turn < most_turns && count != before; ++turn) {
    before = count;
    for (Index b = 0; b < blocks; ++b)
      if (!open_[static_cast<std::size_t>(b)] && stays_open(problem, b, open_)) {
        open_[static_cast<std::size_t>(b)] = 1;
        ++count;
      }
  }
  list_.clear();
  list_.reserve(static_cast<std::size_t>(blocks));
  for (Index b = 0; b < blocks; ++b)
    if (open_[static_cast<std::size_t>(b)]) list_.push_back(b);
  return list_;
}

void OpenBlocks::leave_out(const mixed::Problem& problem, mixed::Problem& part) {
  const BlockSparseMatrix& W = problem.W;
  place_.assign(static_cast<std::size_t>(W.num_block_rows()), 0);
  sizes_.clear();
  for (const Index b : list_) place_[static_cast<std::size_t>(b)] = -1;
  kept_.clear();
  part.K.clear();
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    if (place_[static_cast<std::size_t>(b)] < 0) continue;
    place_[static_cast<std::size_t>(b)] = static_cast<Index>(kept_.size());
    kept_.push_back(b);
    sizes_.push_back(W.size(b));
    part.K.push_back(problem.K[b], W.size(b));
  }
  part.W.begin_pattern(sizes_);
  for (const Index b : kept_) {
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      if (const Index column = place_[static_cast<std::size_t>(W.column(k))]; column >= 0) part.W.insert(column);
    part.W.next_row();
  }
  part.W.end_pattern();
  part.q.resize(part.W.rows());
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Index b = kept_[i], row = static_cast<Index>(i);
    part.q.segment(part.W.offset(row), W.size(b)) = problem.q.segment(W.offset(b), W.size(b));
    Index to = part.W.row_begin(row);
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      if (place_[static_cast<std::size_t>(W.column(k))] >= 0)
        std::copy_n(W.values(k), W.size(b) * W.size(W.column(k)), part.W.values(to++));
  }
}

/// order_ := blocks by the columns of their rows, so that those of one group follow each other.
void DependentRows::order_by_pattern(const BlockSparseMatrix& W) {
  const Index blocks = W.num_block_rows();
  hash_.resize(static_cast<std::size_t>(blocks));
  order_.resize(static_cast<std::size_t>(blocks));
  for (Index b = 0; b < blocks; ++b) {
    std::uint64_t value = 14695981039346656037ULL;
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      value = (value ^ static_cast<std::uint64_t>(W.column(k))) * 1099511628211ULL;
    hash_[static_cast<std::size_t>(b)] = value;
    order_[static_cast<std::size_t>(b)] = b;
  }
  std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
    return std::pair(hash_[static_cast<std::size_t>(a)], a) < std::pair(hash_[static_cast<std::size_t>(b)], b);
  });
}

/// Rows of the diagonal block of `members` that depend on others; 0 where its rank is beyond most_rank.
Index DependentRows::count_among(const BlockSparseMatrix& W, const Index* members, Index count) {
  constexpr double independent = 1e-9;  // of a row's diagonal entry: data carry some twelve digits
  first_.assign(1, 0);
  for (Index m = 0; m < count; ++m) first_.push_back(first_.back() + W.size(members[m]));
  const Index n = first_.back();
  if (n <= 1) return 0;
  diagonal_.resize(n);
  for (Index m = 0; m < count; ++m)
    diagonal_.segment(first_[static_cast<std::size_t>(m)], W.size(members[m])) =
        W.block(members[m], W.diagonal(members[m])).diagonal();
  whole_ = diagonal_;
  const Index most = std::min(most_rank, n);
  if (factors_.size() < static_cast<std::size_t>(n * most)) factors_.resize(static_cast<std::size_t>(n * most));
  Eigen::Map<Eigen::MatrixXd> L(factors_.data(), n, most);
  for (Index rank = 0; rank < most; ++rank) {
    Index pivot = -1;
    double share = independent;
    for (Index i = 0; i < n; ++i)
      if (diagonal_[i] > share * whole_[i]) {
        share = diagonal_[i] / whole_[i];
        pivot = i;
      }
    if (pivot < 0) return n - rank;
    const Index owner = std::upper_bound(first_.begin(), first_.end(), pivot) - first_.begin() - 1;
    const Index row = pivot - first_[static_cast<std::size_t>(owner)];
    for (Index m = 0; m < count; ++m) {
      const Index k = W.find(members[m], members[owner]), size = W.size(members[m]);
      L.col(rank).segment(first_[static_cast<std::size_t>(m)], size) =
          Eigen::Map<const Eigen::VectorXd>(W.values(k) + row * size, size);
    }
    L.col(rank).noalias() -= L.leftCols(rank) * L.row(pivot).head(rank).transpose();
    L.col(rank) /= std::sqrt(diagonal_[pivot]);
    diagonal_ -= L.col(rank).cwiseAbs2();
    diagonal_[pivot] = 0.0;
  }
  return (diagonal_.array() > independent * whole_.array()).any() ? 0 : n - most;
}

Index DependentRows::count(const BlockSparseMatrix& W) {
  order_by_pattern(W);
  const auto blocks = static_cast<Index>(order_.size());
  Index dependent = 0;
  for (Index begin = 0, end = 0; begin < blocks; begin = end) {
    const Index first = order_[static_cast<std::size_t>(begin)];
    for (end = begin + 1; end < blocks && same_pattern(W, first, order_[static_cast<std::size_t>(end)]);) ++end;
    if (end - begin > 1) dependent += count_among(W, order_.data() + begin, end - begin);
  }
  return dependent;
}

KernelProjection::KernelProjection(const BlockSparseMatrix& S) : rows_(S.rows()), factors_(S) {
  double largest = 0.0;
  for (Index b = 0; b < S.num_block_rows(); ++b)
    largest = std::max(largest, S.block(b, S.diagonal(b)).diagonal().maxCoeff());
  if (!(largest > 0.0)) largest = 1.0;
  shift_ = std::max(1e-10, 64.0 * static_cast<double>(rows_) * eps) * largest;
  valid_ = factors_.factorize(Eigen::VectorXd::Constant(rows_, shift_));
}

void KernelProjection::project(Eigen::VectorXd& z) const {
  for (int turn = 0; turn < 2; ++turn) {
    factors_.solve_in_place(z);
    z *= shift_;
  }
}

Index KernelProjection::estimate_dimension() const {
  constexpr int probes = 16;
  std::mt19937_64 random(1);
  Eigen::VectorXd signs(rows_), image;
  double sum = 0.0;
  for (int probe = 0; probe < probes; ++probe) {
    for (Index i = 0; i < rows_; ++i) signs[i] = (random() >> 63) != 0 ? 1.0 : -1.0;
    image = signs;
    project(image);
    sum += signs.dot(image);
  }
  return std::clamp<Index>(static_cast<Index>(std::lround(sum / probes)), 0, rows_);
}

}  // namespace nonsmooth::friction::internal
