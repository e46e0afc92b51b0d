// SPDX-License-Identifier: Apache-2.0
#include "stored_matrix.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::problem_files {
namespace {

[[noreturn]] void refuse_fill(Index rows, Index columns) {
  throw InvalidArgument("matrix", std::to_string(rows) + " x " + std::to_string(columns) + ", mostly not stored",
                        "at most " + std::to_string(largest_fill) + " entries in its dense blocks");
}

std::vector<Index> offsets_of(const std::vector<Index>& sizes) {
  std::vector<Index> offsets(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), offsets.begin() + 1);
  return offsets;
}

/// The blocks are the problem's own: pattern and values go over as they are.
BlockSparseMatrix same_blocks(const StoredMatrix& matrix, const std::vector<Index>& sizes) {
  Index entries = 0;
  for (const Index size : sizes) {  // a diagonal block is there even where the file has none
    const Index limit = std::max(largest_fill, matrix.num_stored());
    if (size > limit / size || (entries += size * size) > limit) refuse_fill(matrix.rows, matrix.columns);
  }
  BlockSparseMatrix blocks;
  blocks.begin_pattern(sizes);
  std::size_t k = 0;
  for (Index i = 0; i < static_cast<Index>(sizes.size()); ++i) {
    for (; k < matrix.blocks.size() && matrix.blocks[k].row == i; ++k) blocks.insert(matrix.blocks[k].column);
    blocks.next_row();
  }
  blocks.end_pattern();
  for (const StoredMatrix::Block& block : matrix.blocks) {
    const Index entry_count = blocks.size(block.row) * blocks.size(block.column);
    std::copy_n(matrix.values.data() + block.begin, entry_count, blocks.values(blocks.find(block.row, block.column)));
  }
  return blocks;
}

}  // namespace

Index StoredMatrix::num_stored() const noexcept {
  switch (storage) {
    case Storage::Dense:
      return dense.size();
    case Storage::Sparse:
      return sparse.nonZeros();
    case Storage::BlockSparse:
      break;
  }
  return static_cast<Index>(values.size());
}

Eigen::MatrixXd StoredMatrix::to_dense() const {
  if (storage == Storage::Dense) return dense;
  if (rows > 0 && columns > std::max(largest_fill, num_stored()) / rows) refuse_fill(rows, columns);
  if (storage == Storage::Sparse) return Eigen::MatrixXd(sparse);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows, columns);
  for (const Block& block : blocks) {
    const auto i = static_cast<std::size_t>(block.row), j = static_cast<std::size_t>(block.column);
    const Index height = row_offsets[i + 1] - row_offsets[i], width = column_offsets[j + 1] - column_offsets[j];
    result.block(row_offsets[i], column_offsets[j], height, width) =
        Eigen::Map<const Eigen::MatrixXd>(values.data() + block.begin, height, width);
  }
  return result;
}

Eigen::SparseMatrix<double> StoredMatrix::to_sparse() const {
  if (storage == Storage::Sparse) return sparse;
  std::vector<Triplet> triplets;
  if (storage == Storage::Dense) {
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) {
        if (dense(i, j) != 0.0)
          triplets.emplace_back(static_cast<SparseIndex>(i), static_cast<SparseIndex>(j), dense(i, j));
      }
    }
  } else {
    triplets.reserve(values.size());
    for (const Block& block : blocks) {
      const auto i = static_cast<std::size_t>(block.row), j = static_cast<std::size_t>(block.column);
      const double* value = values.data() + block.begin;
      for (Index c = column_offsets[j]; c < column_offsets[j + 1]; ++c) {
        for (Index r = row_offsets[i]; r < row_offsets[i + 1]; ++r) {
          triplets.emplace_back(static_cast<SparseIndex>(r), static_cast<SparseIndex>(c), *value++);
        }
      }
    }
  }
  Eigen::SparseMatrix<double> result(rows, columns);
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

BlockSparseMatrix StoredMatrix::to_blocks(const std::vector<Index>& sizes) const {
  const std::vector<Index> offsets = offsets_of(sizes);
  if (rows != columns || offsets.back() != rows) {
    throw InvalidArgument("matrix", std::to_string(rows) + " x " + std::to_string(columns),
                          "square, of " + std::to_string(offsets.back()) + " rows");
  }
  if (storage == Storage::BlockSparse && row_offsets == offsets && column_offsets == offsets) {
    return same_blocks(*this, sizes);
  }
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows = to_sparse();
  std::vector<Index> block_of(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::fill(block_of.begin() + offsets[i], block_of.begin() + offsets[i + 1], static_cast<Index>(i));
  }
  BlockSparseMatrix result;
  result.begin_pattern(sizes);
  const Index limit = std::max(largest_fill, num_stored());
  Index entries = 0;
  std::vector<Index> present;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    present.assign(1, static_cast<Index>(i));
    for (Index r = offsets[i]; r < offsets[i + 1]; ++r) {
      for (decltype(by_rows)::InnerIterator entry(by_rows, r); entry; ++entry) {
        const Index column = block_of[static_cast<std::size_t>(entry.col())];
        if (present.back() != column) present.push_back(column);
      }
    }
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    for (const Index j : present) {
      const Index width = sizes[static_cast<std::size_t>(j)];
      entries += sizes[i] > limit / width ? limit + 1 : sizes[i] * width;
      if (entries > limit) refuse_fill(rows, columns);
      result.insert(j);
    }
    result.next_row();
  }
  result.end_pattern();
  for (Index i = 0; i < result.num_block_rows(); ++i) {
    for (Index r = 0; r < result.size(i); ++r) {
      for (decltype(by_rows)::InnerIterator entry(by_rows, result.offset(i) + r); entry; ++entry) {
        const Index j = block_of[static_cast<std::size_t>(entry.col())];
        result.values(result.find(i, j))[(entry.col() - result.offset(j)) * result.size(i) + r] = entry.value();
      }
    }
  }
  return result;
}

}  // namespace nonsmooth::problem_files
