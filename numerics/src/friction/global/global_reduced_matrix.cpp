// SPDX-License-Identifier: Apache-2.0
// W = H A^-1 H^T, body by body.

#include <algorithm>
#include <numeric>
#include <vector>

#include <internal/at.hpp>

#include "global_bodies.hpp"

namespace nonsmooth::friction::internal {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

}  // namespace

void BodyFactors::lay_pattern(BlockSparseMatrix& W) const {
  const ProductSet& K = problem_->K;
  const Index blocks = K.num_blocks();
  std::vector<Index>&begin = scratch_.begin, &bodies_of = scratch_.bodies, &next = scratch_.next;
  begin.assign(at(blocks) + 1, 0);
  for (Index body = 0; body < bodies_->size(); ++body)
    for (Index i = 0; i < bodies_->num_blocks(body); ++i) ++begin[at(bodies_->blocks(body)[i]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  bodies_of.resize(at(begin.back()));
  next.assign(begin.begin(), begin.end() - 1);
  for (Index body = 0; body < bodies_->size(); ++body)
    for (Index i = 0; i < bodies_->num_blocks(body); ++i) bodies_of[at(next[at(bodies_->blocks(body)[i])]++)] = body;
  std::vector<Index>&sizes = scratch_.sizes, &seen = scratch_.seen;
  sizes.resize(at(blocks));
  seen.assign(at(blocks), -1);
  for (Index b = 0; b < blocks; ++b) sizes[at(b)] = K.size(b);
  W.begin_pattern(sizes);
  for (Index b = 0; b < blocks; ++b) {
    for (Index k = begin[at(b)]; k < begin[at(b) + 1]; ++k) {
      const Index body = bodies_of[at(k)];
      for (Index i = 0; i < bodies_->num_blocks(body); ++i) {
        const Index other = bodies_->blocks(body)[i];
        if (seen[at(other)] == b) continue;
        seen[at(other)] = b;
        W.insert(other);
      }
    }
    W.next_row();
  }
  W.end_pattern();
}

void BodyFactors::reduced_matrix(BlockSparseMatrix& W) const {
  constexpr Index dense_rows = 512;  // the product of a small body's rows is formed as a whole up to here
  const ProductSet& K = problem_->K;
  lay_pattern(W);
  bool symmetrize = symmetric_ && !all_diagonal_;  // products of diagonal bodies are symmetric bit by bit
  Scratch& scratch = scratch_;
  scratch.shift.resize(at(K.num_blocks()));
  for (Index body = 0; body < bodies_->size(); ++body) {
    const Index count = bodies_->num_blocks(body);
    if (count == 0) continue;
    Index rows = 0;
    for (Index i = 0; i < count; ++i) {
      const Index block = bodies_->blocks(body)[i];
      scratch.shift[at(block)] = rows - K.offset(block);
      rows += K.size(block);
    }
    if (bodies_->num_dofs(body) > small_body || rows > dense_rows) {
      add_large(W, body, rows, scratch);
      symmetrize = symmetric_;
    } else {
      auto product = scratch.product.matrix(rows, rows);
      if (is_diagonal(body))
        multiply_diagonal(body, scratch, product);
      else
        multiply_dense(body, scratch, product);
      add(W, body, product, scratch);
    }
  }
  for (Index i = 0; i < W.num_block_rows() && symmetrize; ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const Index j = W.column(k), rows = W.size(i), columns = W.size(j);
      if (j < i) continue;
      double* upper = W.values(k);
      double* lower = W.values(W.find(j, i));
      for (Index c = 0; c < columns; ++c)
        for (Index r = 0; r < rows; ++r) {
          const double mean = 0.5 * (upper[c * rows + r] + lower[r * columns + c]);
          upper[c * rows + r] = lower[r * columns + c] = mean;
        }
    }
}

template <int Rows>
void BodyFactors::multiply_rows(Index body, const Scratch& scratch, double* product) const {
  const Columns H(problem_->H);
  const Index* dofs = bodies_->dofs(body);
  int touched[Rows];  // rows of H
  for (Index i = 0, count = 0; i < bodies_->num_blocks(body); ++i) {
    const Index block = bodies_->blocks(body)[i], first = problem_->K.offset(block);
    for (Index r = 0; r < problem_->K.size(block); ++r) touched[count++] = static_cast<int>(first + r);
  }
  double sum[Rows * Rows] = {}, filled[Rows];
  for (Index j = 0; j < bodies_->num_dofs(body); ++j) {
    const Index begin = H.begin(dofs[j]), end = H.end(dofs[j]);
    const double* h = H.value + begin;  // as it lies there where no row is missing
    if (end - begin != Rows || !std::equal(touched, touched + Rows, H.row + begin)) {
      std::fill_n(filled, Rows, 0.0);
      for (Index k = begin; k < end; ++k)
        if (H.value[k] != 0.0) filled[H.row[k] + scratch.shift[at(bodies_->block_of_row(H.row[k]))]] = H.value[k];
      h = filled;
    }
    const double inverse = 1.0 / diagonal_[dofs[j]];
    for (int c = 0; c < Rows; ++c)
      for (int r = 0; r < Rows; ++r) sum[c * Rows + r] += h[r] * h[c] * inverse;  // the same bits for (c, r)
  }
  std::copy_n(sum, Rows * Rows, product);
}

void BodyFactors::multiply_diagonal(Index body, Scratch& scratch, MatrixRef product) const {
  const Index n = bodies_->num_dofs(body), rows = product.rows();
  double* const values = product.data();
  switch (rows) {  // one or two contacts in the plane or in space
    case 2:
      return multiply_rows<2>(body, scratch, values);
    case 3:
      return multiply_rows<3>(body, scratch, values);
    case 4:
      return multiply_rows<4>(body, scratch, values);
    case 6:
      return multiply_rows<6>(body, scratch, values);
    default:
      break;
  }
  const Columns columns(problem_->H);
  const Index* dofs = bodies_->dofs(body);
  double* const H = scratch.H.matrix(n, rows).data();  // of the body, row by row
  std::fill_n(H, n * rows, 0.0);
  for (Index j = 0; j < n; ++j)
    for (Index k = columns.begin(dofs[j]), end = columns.end(dofs[j]); k < end; ++k)
      if (columns.value[k] != 0.0)
        H[(columns.row[k] + scratch.shift[at(bodies_->block_of_row(columns.row[k]))]) * n + j] = columns.value[k];
  double* const X = scratch.X.matrix(n, 1).data();  // a row of H A^-1
  for (Index c = 0; c < rows; ++c) {
    for (Index j = 0; j < n; ++j) X[j] = H[c * n + j] / diagonal_[dofs[j]];
    for (Index r = 0; r <= c; ++r) {
      double sum = 0.0;
      for (Index j = 0; j < n; ++j) sum += H[r * n + j] * X[j];
      values[c * rows + r] = values[r * rows + c] = sum;
    }
  }
}

void BodyFactors::multiply_dense(Index body, Scratch& scratch, MatrixRef product) const {
  const Index n = bodies_->num_dofs(body), rows = product.rows();
  auto H = scratch.H.matrix(rows, n);
  auto X = scratch.X.matrix(n, rows);
  H.setZero();
  for (Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(problem_->H, bodies_->dofs(body)[j]); entry; ++entry)
      if (entry.value() != 0.0)
        H(entry.row() + scratch.shift[at(bodies_->block_of_row(entry.row()))], j) = entry.value();
  X = H.transpose();
  solve_in_place(body, X);
  product = H.lazyProduct(X);
}

void BodyFactors::add(BlockSparseMatrix& W, Index body, ConstMatrixRef product, const Scratch& scratch) const {
  const ProductSet& K = problem_->K;
  const Index* blocks = bodies_->blocks(body);
  const Index count = bodies_->num_blocks(body), rows = product.rows();
  for (Index i = 0; i < count; ++i) {
    const Index size = W.size(blocks[i]);
    const double* first = product.data() + K.offset(blocks[i]) + scratch.shift[at(blocks[i])];
    Index k = count > 4 ? W.find(blocks[i], blocks[0]) : W.row_begin(blocks[i]);
    for (Index j = 0; j < count; ++j) {
      while (W.column(k) != blocks[j]) ++k;  // both ascend
      double* value = W.values(k);
      for (Index c = 0; c < W.size(blocks[j]); ++c, first += rows)
        for (Index r = 0; r < size; ++r) *value++ += first[r];
    }
  }
}

/// H and its transpose of large_, the columns being the body's velocities.
void BodyFactors::write_rows(Index body, Index rows, const Scratch& scratch) const {
  const Index n = bodies_->num_dofs(body);
  auto &of_H = large_.H_writer.entries(), &of_transpose = large_.transpose_writer.entries();
  of_H.clear();
  of_transpose.clear();
  for (Index j = 0; j < n; ++j) {
    for (Sparse::InnerIterator entry(problem_->H, bodies_->dofs(body)[j]); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      const auto row = static_cast<int>(entry.row() + scratch.shift[at(bodies_->block_of_row(entry.row()))]);
      of_H.emplace_back(row, static_cast<int>(j), entry.value());
      of_transpose.emplace_back(static_cast<int>(j), row, entry.value());
    }
  }
  large_.H_writer.write(rows, n, 0, large_.H);
  large_.transpose_writer.write(n, rows, 0, large_.transpose);
}

void BodyFactors::add_large(BlockSparseMatrix& W, Index body, Index rows, const Scratch& scratch) const {
  constexpr Index panel_rows = 48;  // right-hand sides at a time: a dense n x m would not fit for a large body
  const Index n = bodies_->num_dofs(body), count = bodies_->num_blocks(body);
  const Index* blocks = bodies_->blocks(body);
  std::vector<Index>& first = large_.first;  // row of each touched block among the touched rows
  first.assign(1, 0);
  for (Index i = 0; i < count; ++i) first.push_back(first.back() + W.size(blocks[i]));
  write_rows(body, rows, scratch);
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && first[at(end) + 1] - first[at(begin)] <= panel_rows;) ++end;
    const Index column = first[at(begin)], columns = first[at(end)] - column;
    auto X = large_.X.matrix(n, columns);
    X.setZero();
    for (Index j = 0; j < columns; ++j) {
      for (Sparse::InnerIterator entry(large_.transpose, column + j); entry; ++entry) X(entry.row(), j) = entry.value();
    }
    solve_in_place(body, X);
    auto product = large_.product.matrix(rows, columns);
    product.noalias() = large_.H * X;
    for (Index i = 0; i < count; ++i)
      for (Index j = begin; j < end; ++j)
        W.block(blocks[i], W.find(blocks[i], blocks[j])) +=
            product.block(first[at(i)], first[at(j)] - column, W.size(blocks[i]), W.size(blocks[j]));
  }
}

}  // namespace nonsmooth::friction::internal
