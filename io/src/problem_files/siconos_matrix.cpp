// SPDX-License-Identifier: Apache-2.0
#include "siconos_matrix.hpp"

#include <algorithm>

#include "../number.hpp"

namespace nonsmooth::problem_files {
namespace {

std::string shape(Index rows, Index columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

void read_dense(Cursor& cursor, std::string_view what, StoredMatrix& matrix) {
  cursor.integer(std::string(what) + "'s number of rows, again", matrix.rows, matrix.rows);
  cursor.integer(std::string(what) + "'s number of columns, again", matrix.columns, matrix.columns);
  (void)cursor.require_product(what, matrix.rows, matrix.columns);
  matrix.dense.resize(matrix.rows, matrix.columns);
  for (Index j = 0; j < matrix.columns; ++j) {
    for (Index i = 0; i < matrix.rows; ++i) matrix.dense(i, j) = cursor.finite(what);
  }
}

/// Cumulative sizes of block rows or columns: 0 is not written, the last is the size of the matrix.
std::vector<Index> read_offsets(Cursor& cursor, const std::string& what, Index num_blocks, Index size) {
  cursor.require(what, num_blocks);
  std::vector<Index> offsets = {0};
  for (Index i = 0; i < num_blocks; ++i) offsets.push_back(cursor.integer(what, offsets.back() + 1, size));
  if (offsets.back() != size)
    cursor.fail_back(std::to_string(offsets.back()), what + " that end at " + std::to_string(size));
  return offsets;
}

void read_block_sparse(Cursor& cursor, const std::string& what, StoredMatrix& matrix) {
  const Index num_blocks = cursor.count(what + "'s number of blocks", 0);
  const Index block_rows = cursor.count(what + "'s number of block rows", 0);
  const Index block_columns = cursor.count(what + "'s number of block columns", 0);
  matrix.row_offsets = read_offsets(cursor, what + "'s ends of block rows", block_rows, matrix.rows);
  matrix.column_offsets = read_offsets(cursor, what + "'s ends of block columns", block_columns, matrix.columns);
  const Index num_pointers = cursor.integer(what + "'s number of row pointers", 1, block_rows + 1);
  cursor.integer(what + "'s number of column numbers", num_blocks, num_blocks);
  std::vector<Index> pointers;
  cursor.require(what + "'s row pointers", num_pointers);
  for (Index i = 0; i < num_pointers; ++i) {
    pointers.push_back(cursor.integer(what + "'s row pointer", i == 0 ? 0 : pointers.back(), i == 0 ? 0 : num_blocks));
  }
  if (pointers.back() != num_blocks) {
    cursor.fail_back(std::to_string(pointers.back()), "row pointers that end at " + std::to_string(num_blocks));
  }
  pointers.resize(static_cast<std::size_t>(block_rows) + 1, num_blocks);  // rows without a block at the end
  cursor.require(what + "'s column numbers", num_blocks);
  std::vector<Index> row_columns;
  for (Index i = 0; i < block_rows; ++i) {
    row_columns.clear();
    for (Index k = pointers[static_cast<std::size_t>(i)]; k < pointers[static_cast<std::size_t>(i) + 1]; ++k) {
      const Index column = cursor.integer(what + "'s column number", 0, block_columns - 1);
      row_columns.push_back(column);
      matrix.blocks.push_back({i, column, 0});
    }
    std::sort(row_columns.begin(), row_columns.end());
    if (const auto twice = std::adjacent_find(row_columns.begin(), row_columns.end()); twice != row_columns.end()) {
      cursor.fail_back("block column " + std::to_string(*twice) + " twice in block row " + std::to_string(i),
                       "each block once");
    }
  }
  Index number = 0;
  for (StoredMatrix::Block& block : matrix.blocks) {
    cursor.integer(what + "'s block number", number, number);
    ++number;
    const auto i = static_cast<std::size_t>(block.row), j = static_cast<std::size_t>(block.column);
    const Index size = cursor.require_product(what + "'s block", matrix.row_offsets[i + 1] - matrix.row_offsets[i],
                                              matrix.column_offsets[j + 1] - matrix.column_offsets[j]);
    block.begin = matrix.values.size();
    for (Index k = 0; k < size; ++k) matrix.values.push_back(cursor.finite(what));
  }
}

/// A number that the lines of a compressed form repeat and that %g may have rounded: checked where it is whole.
void read_redundant(Cursor& cursor, const std::string& what, Index expected) {
  std::int64_t value = 0;
  const std::string_view word = cursor.word(what);
  double rounded = 0.0;
  if (parse_integer(word, value) ? value != expected : !parse_real(word, rounded)) {
    cursor.fail_back(in_quotes(word), what + " = " + std::to_string(expected));
  }
}

/// "m-by-n,": the shape once more.
void read_shape(Cursor& cursor, const std::string& what, const StoredMatrix& matrix) {
  std::string_view word = cursor.word("rows-by-columns of " + what);
  const std::string expected = std::to_string(matrix.rows) + "-by-" + std::to_string(matrix.columns);
  if (!word.empty() && word.back() == ',') word.remove_suffix(1);
  if (word != expected) cursor.fail_back(in_quotes(word), in_quotes(expected));
}

Index read_count(Cursor& cursor, const std::string& what, Index high) {
  std::string_view word = cursor.word(what);
  std::int64_t value = 0;
  if (!word.empty() && word.back() == ',') word.remove_suffix(1);
  if (!parse_integer(word, value) || value < 0 || value > high) {
    cursor.fail_back(in_quotes(word), what + " from 0 to " + std::to_string(high));
  }
  return value;
}

void read_triplets(Cursor& cursor, const std::string& what, const StoredMatrix& matrix, Index count, bool half,
                   std::vector<Triplet>& triplets) {
  int side = 0;  // of the diagonal on which the entries of a half lie
  for (Index k = 0; k < count; ++k) {
    const Index row = cursor.integer(what + "'s row number", 0, matrix.rows - 1);
    const Index column = cursor.integer(what + "'s column number", 0, matrix.columns - 1);
    cursor.expect(":");
    const double value = cursor.finite(what);
    triplets.emplace_back(static_cast<SparseIndex>(row), static_cast<SparseIndex>(column), value);
    if (!half || row == column) continue;
    const int own = row > column ? 1 : -1;
    if (side == -own) {
      cursor.fail_back("entries on both sides of the diagonal", "one half of a symmetric matrix (origin 4)");
    }
    side = own;
    triplets.emplace_back(static_cast<SparseIndex>(column), static_cast<SparseIndex>(row), value);
  }
}

void read_compressed(Cursor& cursor, const std::string& what, const StoredMatrix& matrix, Index count, bool by_rows,
                     std::vector<Triplet>& triplets) {
  const std::string_view line = by_rows ? "row" : "col";
  const Index num_lines = by_rows ? matrix.rows : matrix.columns;
  const Index inner = by_rows ? matrix.columns : matrix.rows;
  Index read = 0;
  for (Index j = 0; j < num_lines; ++j) {
    cursor.expect(line);
    read_redundant(cursor, what + "'s " + std::string(line) + " number", j);
    cursor.expect(":");
    cursor.expect("locations");
    read_redundant(cursor, what + "'s first location", read);
    cursor.expect("to");
    const std::size_t last_location = cursor.position();
    (void)cursor.word(what + "'s last location");
    for (; read < count && !cursor.at_end() && cursor.tokens()[cursor.position()] != line; ++read) {
      const Index i = cursor.integer(what + "'s index", 0, inner - 1);
      cursor.expect(":");
      const double value = cursor.finite(what);
      triplets.emplace_back(static_cast<SparseIndex>(by_rows ? j : i), static_cast<SparseIndex>(by_rows ? i : j),
                            value);
    }
    const std::size_t next = cursor.position();
    cursor.seek(last_location);
    read_redundant(cursor, what + "'s last location", read - 1);
    cursor.seek(next);
  }
  if (read != count) cursor.fail_here(std::to_string(read) + " entries", std::to_string(count) + ", as announced");
}

void read_sparse(Cursor& cursor, const std::string& what, StoredMatrix& matrix) {
  const Index origin = cursor.integer(what + "'s origin (1 triplets, 2 columns, 3 rows, 4 half of triplets)", 1, 4);
  const std::string_view maker = cursor.word("a line that names CSparse");
  if (double value = 0.0; parse_real(maker, value)) cursor.fail_back(in_quotes(maker), "a line that names CSparse");
  cursor.skip_line();
  const bool triplets_follow = origin == 1 || origin == 4;
  if (triplets_follow) cursor.expect("triplet:");
  if (origin == 3 && !cursor.at_end() && cursor.tokens()[cursor.position()] == "csr:") cursor.expect("csr:");
  read_shape(cursor, what, matrix);
  cursor.expect("nzmax:");
  (void)read_count(cursor, "nzmax", std::numeric_limits<Index>::max());
  cursor.expect("nnz:");
  const Index count = read_count(cursor, what + "'s number of entries", cursor.remaining() / (triplets_follow ? 4 : 3));
  // Eigen's column pointers are as long as the matrix is wide: a problem has a number for each of its rows.
  const Index longest = static_cast<Index>(std::min<std::size_t>(cursor.tokens().size(), largest_size));
  if (matrix.rows > longest || matrix.columns > longest) {
    cursor.fail_back(shape(matrix.rows, matrix.columns), "no more rows or columns than the file has numbers");
  }
  std::vector<Triplet> triplets;
  triplets.reserve(static_cast<std::size_t>(count) * (origin == 4 ? 2 : 1));
  if (triplets_follow) {
    read_triplets(cursor, what, matrix, count, origin == 4, triplets);
  } else {
    if (!cursor.at_end() && cursor.tokens()[cursor.position()] == "1-norm:") {
      cursor.expect("1-norm:");
      (void)cursor.word("the 1-norm");
    }
    read_compressed(cursor, what, matrix, count, origin == 3, triplets);
  }
  matrix.sparse.resize(matrix.rows, matrix.columns);
  matrix.sparse.setFromTriplets(triplets.begin(), triplets.end());  // sums duplicates
}

void append_integer(std::string& text, Index value) { text += std::to_string(value) + '\n'; }

void append_head(std::string& text, int storage, Index rows, Index columns) {
  append_integer(text, storage);
  append_integer(text, rows);
  append_integer(text, columns);
}

void append_list(std::string& text, const std::vector<Index>& list) {
  for (const Index value : list) text += std::to_string(value) + '\t';
  text += '\n';
}

}  // namespace

StoredMatrix read_siconos_matrix(Cursor& cursor, std::string_view name) {
  const std::string what(name);
  StoredMatrix matrix;
  const Index storage = cursor.integer(what + "'s storage (0 dense, 1 sparse-block, 2 sparse)", 0, 2);
  matrix.rows = cursor.integer(what + "'s number of rows", 0, largest_size);
  matrix.columns = cursor.integer(what + "'s number of columns", 0, largest_size);
  if (storage == 0) {
    read_dense(cursor, what, matrix);
  } else if (storage == 1) {
    matrix.storage = StoredMatrix::Storage::BlockSparse;
    read_block_sparse(cursor, what, matrix);
  } else {
    matrix.storage = StoredMatrix::Storage::Sparse;
    read_sparse(cursor, what, matrix);
  }
  return matrix;
}

void append_vector(std::string& text, ConstVectorRef value) {
  for (Index i = 0; i < value.size(); ++i) {
    if (i > 0) text += ' ';
    append_number(text, value[i]);
  }
  text += '\n';
}

void append_siconos_matrix(std::string& text, ConstMatrixRef matrix) {
  append_head(text, 0, matrix.rows(), matrix.cols());
  text += std::to_string(matrix.rows()) + '\t' + std::to_string(matrix.cols()) + '\n';
  for (Index j = 0; j < matrix.cols(); ++j) append_vector(text, matrix.col(j));
}

void append_siconos_matrix(std::string& text, const Eigen::SparseMatrix<double>& matrix) {
  append_head(text, 2, matrix.rows(), matrix.cols());
  append_integer(text, 1);
  text += "CSparse's print of a triplet form, with every digit\ntriplet: ";
  const std::string count = std::to_string(matrix.nonZeros());
  text += std::to_string(matrix.rows()) + "-by-" + std::to_string(matrix.cols()) + ", nzmax: " + count +
          " nnz: " + count + '\n';
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
      text += "    " + std::to_string(entry.row()) + ' ' + std::to_string(entry.col()) + " : ";
      append_number(text, entry.value());
      text += '\n';
    }
  }
}

void append_siconos_matrix(std::string& text, const BlockSparseMatrix& matrix) {
  append_head(text, 1, matrix.rows(), matrix.rows());
  std::vector<Index> ends, pointers = {0}, columns;
  for (Index i = 0; i < matrix.num_block_rows(); ++i) {
    ends.push_back(matrix.offset(i + 1));
    pointers.push_back(matrix.row_begin(i + 1));
  }
  for (Index k = 0; k < matrix.num_blocks(); ++k) columns.push_back(matrix.column(k));
  append_integer(text, matrix.num_blocks());
  append_integer(text, matrix.num_block_rows());
  append_integer(text, matrix.num_block_rows());
  append_list(text, ends);
  append_list(text, ends);
  append_integer(text, static_cast<Index>(pointers.size()));
  append_integer(text, static_cast<Index>(columns.size()));
  append_list(text, pointers);
  append_list(text, columns);
  for (Index i = 0; i < matrix.num_block_rows(); ++i) {
    for (Index k = matrix.row_begin(i); k < matrix.row_begin(i + 1); ++k) {
      append_integer(text, k);
      const auto block = matrix.block(i, k);
      for (Index c = 0; c < block.cols(); ++c) {
        for (Index r = 0; r < block.rows(); ++r) {
          append_number(text, block(r, c));
          text += '\n';
        }
      }
    }
  }
}

}  // namespace nonsmooth::problem_files
