// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

/// Rows of a contact problem have a handful of blocks that come nearly sorted: insertion beats a general sort there.
void sort_row(Index* first, Index* last) noexcept {
  constexpr Index longest_insertion = 32;
  if (last - first > longest_insertion) {
    if (!std::is_sorted(first, last)) std::sort(first, last);
    return;
  }
  for (Index* i = first + (first != last); i < last; ++i) {
    const Index value = *i;
    Index* hole = i;
    for (; hole != first && hole[-1] > value; --hole) *hole = hole[-1];
    *hole = value;
  }
}

/// Rows, and doubles: as many as memory has addresses for.
constexpr Index kMost = std::numeric_limits<std::ptrdiff_t>::max() / static_cast<Index>(sizeof(double));

void require_size(const char* argument, Index found, Index expected) {
  if (found == expected) return;
  throw InvalidArgument(std::string("BlockSparseMatrix: ") + argument, std::to_string(found) + " entries",
                        std::to_string(expected) + " entries, one a row of the matrix");
}

}  // namespace

void BlockSparseMatrix::reset() noexcept {
  if (!offsets_.empty()) offsets_.resize(1);
  if (!row_begin_.empty()) row_begin_.resize(1);
  columns_.clear();
  value_begin_.clear();
  diagonal_.clear();
  values_.clear();
  uniform_size_ = 0;
}

void BlockSparseMatrix::begin_pattern(const std::vector<Index>& sizes) {
  reset();
  offsets_.resize(sizes.size() + 1);
  offsets_[0] = 0;
  Index common = sizes.empty() ? 0 : sizes.front();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1) {
      reset();
      throw InvalidArgument("BlockSparseMatrix::begin_pattern: sizes[" + std::to_string(i) + "]",
                            std::to_string(sizes[i]), "at least 1");
    }
    if (sizes[i] > kMost - offsets_[i]) {
      const std::string found = std::to_string(sizes[i]) + " behind " + std::to_string(offsets_[i]) + " rows";
      reset();
      throw InvalidArgument("BlockSparseMatrix::begin_pattern: sizes[" + std::to_string(i) + "]", found,
                            "at most " + std::to_string(kMost) + " rows in all");
    }
    if (sizes[i] != common) common = 0;
    offsets_[i + 1] = offsets_[i] + sizes[i];
  }
  uniform_size_ = common;
  row_begin_.reserve(sizes.size() + 1);
  if (row_begin_.empty()) row_begin_.push_back(0);  // a moved-from matrix
  diagonal_.reserve(sizes.size());
}

void BlockSparseMatrix::next_row() {
  const Index row = static_cast<Index>(diagonal_.size());
  const Index num_rows = num_block_rows();
  if (row >= num_rows) {
    reset();
    throw InvalidArgument("BlockSparseMatrix::next_row", "more calls than block rows", std::to_string(num_rows));
  }
  const Index begin = row_begin_.back();
  if (std::find(columns_.begin() + begin, columns_.end(), row) == columns_.end()) columns_.push_back(row);
  Index* const first = columns_.data() + begin;
  Index* const last = columns_.data() + columns_.size();
  sort_row(first, last);
  const Index* const twice = std::adjacent_find(first, last);
  if (*first < 0 || last[-1] >= num_rows || twice != last) {
    const std::string found =
        twice != last ? std::to_string(*twice) + " twice" : std::to_string(*first < 0 ? *first : last[-1]);
    reset();
    throw InvalidArgument("BlockSparseMatrix::insert: block_column of block row " + std::to_string(row), found,
                          "each column once, 0 <= column < " + std::to_string(num_rows));
  }
  diagonal_.push_back(std::lower_bound(first, last, row) - columns_.data());
  row_begin_.push_back(static_cast<Index>(columns_.size()));
}

void BlockSparseMatrix::end_pattern() {
  const Index num_rows = num_block_rows();
  if (static_cast<Index>(diagonal_.size()) != num_rows || row_begin_.back() != num_blocks()) {
    const std::string found = std::to_string(diagonal_.size()) + " rows ended by next_row()";
    reset();
    throw InvalidArgument("BlockSparseMatrix::end_pattern", found,
                          std::to_string(num_rows) + " block rows, each ended");
  }
  const auto too_many = [this](Index height, Index width) {
    const std::string found = "blocks of " + std::to_string(height) + " x " + std::to_string(width);
    reset();
    throw InvalidArgument("BlockSparseMatrix::end_pattern", found,
                          "at most " + std::to_string(kMost) + " entries in all");
  };
  value_begin_.resize(columns_.size() + 1);
  Index position = 0;
  if (uniform_size_ > 0) {
    if (uniform_size_ > kMost / uniform_size_ / num_blocks()) too_many(uniform_size_, uniform_size_);
    const Index entries = uniform_size_ * uniform_size_;
    for (Index& begin : value_begin_) {
      begin = position;
      position += entries;
    }
    position -= entries;
  } else {
    for (Index i = 0; i < num_rows; ++i) {
      const Index height = size(i);
      for (Index k = row_begin(i); k < row_begin(i + 1); ++k) {
        value_begin_[static_cast<std::size_t>(k)] = position;
        if (size(column(k)) > (kMost - position) / height) too_many(height, size(column(k)));
        position += height * size(column(k));
      }
    }
    value_begin_.back() = position;
  }
  values_.assign(static_cast<std::size_t>(position), 0.0);
}

Index BlockSparseMatrix::find(Index block_row, Index block_column) const noexcept {
  const auto first = columns_.begin() + row_begin(block_row), last = columns_.begin() + row_begin(block_row + 1);
  const auto found = std::lower_bound(first, last, block_column);
  return found != last && *found == block_column ? found - columns_.begin() : -1;
}

Eigen::Map<Eigen::MatrixXd> BlockSparseMatrix::block(Index block_row, Index block) noexcept {
  return {values(block), size(block_row), size(column(block))};
}

Eigen::Map<const Eigen::MatrixXd> BlockSparseMatrix::block(Index block_row, Index block) const noexcept {
  return {values(block), size(block_row), size(column(block))};
}

void BlockSparseMatrix::set_zero() noexcept { std::fill(values_.begin(), values_.end(), 0.0); }

template <int N>
void BlockSparseMatrix::multiply_add_fixed(const double* x, const double* b, double* y) const noexcept {
  const Index num_rows = num_block_rows();
  double sum[N];
  for (Index i = 0; i < num_rows; ++i) {
    multiply_row_fixed<N>(i, x, sum);
    for (int r = 0; r < N; ++r) y[i * N + r] = sum[r] + b[i * N + r];
  }
}

void BlockSparseMatrix::multiply_row_general(Index block_row, const double* x, double* y) const noexcept {
  const Index height = size(block_row);
  std::fill_n(y, height, 0.0);
  for (Index k = row_begin(block_row); k < row_begin(block_row + 1); ++k) {
    const Index j = column(k), width = size(j);
    const double *a = values(k), *xj = x + offset(j);
    for (Index c = 0; c < width; ++c, a += height) {
      const double factor = xj[c];
      for (Index r = 0; r < height; ++r) y[r] += a[r] * factor;
    }
  }
}

void BlockSparseMatrix::multiply_add(ConstVectorRef x, ConstVectorRef b, VectorRef y) const {
  require_size("x", x.size(), rows());
  require_size("b", b.size(), rows());
  require_size("y", y.size(), rows());
  switch (uniform_size_) {
    case 1:
      return multiply_add_fixed<1>(x.data(), b.data(), y.data());
    case 2:
      return multiply_add_fixed<2>(x.data(), b.data(), y.data());
    case 3:
      return multiply_add_fixed<3>(x.data(), b.data(), y.data());
    default:
      break;
  }
  // Mixed sizes: the sums start from b, so that y itself can hold them even where y is b.
  if (y.data() != b.data()) y = b;
  for (Index i = 0; i < num_block_rows(); ++i) {
    const Index height = size(i);
    double* yi = y.data() + offset(i);
    for (Index k = row_begin(i); k < row_begin(i + 1); ++k) {
      const Index j = column(k), width = size(j);
      const double *a = values(k), *xj = x.data() + offset(j);
      for (Index c = 0; c < width; ++c, a += height) {
        const double factor = xj[c];
        for (Index r = 0; r < height; ++r) yi[r] += a[r] * factor;
      }
    }
  }
}

void BlockSparseMatrix::to_dense(MatrixRef dense) const {
  if (dense.rows() != rows() || dense.cols() != rows()) {
    throw InvalidArgument("BlockSparseMatrix::to_dense: dense",
                          std::to_string(dense.rows()) + " x " + std::to_string(dense.cols()),
                          std::to_string(rows()) + " x " + std::to_string(rows()));
  }
  dense.setZero();
  for (Index i = 0; i < num_block_rows(); ++i) {
    for (Index k = row_begin(i); k < row_begin(i + 1); ++k) {
      dense.block(offset(i), offset(column(k)), size(i), size(column(k))) = block(i, k);
    }
  }
}

Eigen::MatrixXd BlockSparseMatrix::to_dense() const {
  Eigen::MatrixXd dense(rows(), rows());
  to_dense(dense);
  return dense;
}

Eigen::SparseMatrix<double> BlockSparseMatrix::to_sparse() const {
  const auto non_zeros = static_cast<Index>(values_.size());
  constexpr Index largest = std::numeric_limits<int>::max();
  if (non_zeros > largest || rows() >= largest) {
    throw InvalidArgument("BlockSparseMatrix::to_sparse", std::to_string(non_zeros) + " entries",
                          "no more than a 32-bit index can number");
  }
  Eigen::SparseMatrix<double> sparse(rows(), rows());
  sparse.resizeNonZeros(non_zeros);
  int* const outer = sparse.outerIndexPtr();
  std::fill_n(outer, rows() + 1, 0);
  // Counts of column c in outer[c + 1], then their running sum, then each column filled in the order of its rows.
  for (Index i = 0; i < num_block_rows(); ++i) {
    for (Index k = row_begin(i); k < row_begin(i + 1); ++k) {
      for (Index c = offset(column(k)); c < offset(column(k) + 1); ++c) outer[c + 1] += static_cast<int>(size(i));
    }
  }
  for (Index c = 0; c < rows(); ++c) outer[c + 1] += outer[c];
  std::vector<int> next(outer, outer + rows());
  for (Index i = 0; i < num_block_rows(); ++i) {
    for (Index k = row_begin(i); k < row_begin(i + 1); ++k) {
      const double* a = values(k);
      for (Index c = offset(column(k)); c < offset(column(k) + 1); ++c) {
        int& position = next[static_cast<std::size_t>(c)];
        for (Index r = offset(i); r < offset(i + 1); ++r, ++position) {
          sparse.innerIndexPtr()[position] = static_cast<int>(r);
          sparse.valuePtr()[position] = *a++;
        }
      }
    }
  }
  return sparse;
}

}  // namespace nonsmooth
