// SPDX-License-Identifier: Apache-2.0
#include "admm_method.hpp"

#include <algorithm>

#include <internal/at.hpp>

namespace nonsmooth::mixed::internal {
namespace {

/// |E| / |W| up to which E is left to the right-hand side: the iteration (S + R) r = b - E r then contracts by some
/// |E| / R, far faster than alternating directions do.
constexpr double small_rest = 1e-3;

}  // namespace

void Extrapolation::prepare(Index n, Index memory) {
  df_.resize(n, memory);
  dg_.resize(n, memory);
  gram_.resize(memory, memory);
  forget();
}

void Extrapolation::reserve(Index n, Index memory) {
  prepare(n, memory);
  damped_.resize(memory, memory);
  damped_.setIdentity();
  static_cast<void>(factors_.factorize(damped_));
  for (GrowingVector* vector : {&v_, &f_, &weights_}) vector->resize(std::max({n, memory, vector->size()}));
}

void Extrapolation::add(ConstVectorRef v, ConstVectorRef f) {
  if (df_.cols() == 0) return;
  if (count_ > 0) {
    const Index column = (count_ - 1) % df_.cols();
    df_.col(column) = f - f_;
    dg_.col(column) = v - v_ + df_.col(column);
    filled_ = std::min(filled_ + 1, df_.cols());
    gram_.col(column).head(filled_).noalias() = df_.leftCols(filled_).transpose() * df_.col(column);
    gram_.row(column).head(filled_) = gram_.col(column).head(filled_).transpose();
  }
  v_ = v;
  f_ = f;
  ++count_;
}

bool Extrapolation::apply(VectorRef v) {
  if (filled_ < 2) return false;
  damped_ = gram_.topLeftCorner(filled_, filled_);
  // Nearly parallel differences are damped, so that their weights stay of order one.
  damped_.diagonal().array() += 1e-12 * damped_.trace();
  weights_.resize(filled_);
  weights_.noalias() = df_.leftCols(filled_).transpose() * f_;
  if (!damped_.allFinite() || !factors_.factorize(damped_)) return false;
  factors_.solve_in_place(weights_);
  v = v_ + f_;
  v.noalias() -= dg_.leftCols(filled_) * weights_;
  return v.allFinite();
}

void SplittingMatrix::prepare(const Problem& problem) {
  problem_ = &problem;
  lu_knows_problem_ = false;
  rest_.clear();
  has_cholesky_ = split();
  if (has_cholesky_) cholesky_.prepare(problem.W);
}

void SplittingMatrix::reserve(const Problem& problem) {
  const Index blocks = problem.W.num_block_rows(), rows = problem.W.rows();
  mirror_.reserve(at(blocks * blocks));
  rest_begin_.reserve(at(rows) + 1);
  rest_column_.reserve(at(rows * rows / 2));
  rest_.reserve(at(rows * rows / 2));
  cholesky_.reserve(blocks, rows);
}

void AdmmMemory::reserve(const Problem& problem, Index iterates) {
  const Index rows = problem.W.rows();
  for (GrowingVector* vector : {&rho, &R, &v, &z, &r, &f, &b, &u, &z_before, &fallback})
    vector->resize(std::max(rows, vector->size()));
  matrix.reserve(problem);
  extrapolation.reserve(rows, iterates);
}

bool SplittingMatrix::split() {
  const BlockSparseMatrix& W = problem_->W;
  double size = 0.0, rest = 0.0;
  mirror_.resize(at(W.num_blocks()));
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const Index l = W.column(k) == i ? k : W.find(W.column(k), i);
      if (l < 0) return false;
      mirror_[at(k)] = l;
      const auto block = W.block(i, k);
      size += block.squaredNorm();
      if (W.column(k) >= i) rest += (block - W.block(W.column(k), l).transpose()).squaredNorm();
    }
  if (rest == 0.0) return true;
  if (!(rest <= small_rest * small_rest * size)) return false;
  rest_begin_.assign(1, 0);
  rest_column_.clear();
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index row = 0; row < W.size(i); ++row) {
      for (Index k = W.diagonal(i); k < W.row_begin(i + 1); ++k) {
        const Index j = W.column(k);
        const auto upper = W.block(i, k), lower = W.block(j, mirror_[at(k)]);
        for (Index column = j == i ? row + 1 : 0; column < W.size(j); ++column) {
          const double difference = upper(row, column) - lower(column, row);
          if (difference == 0.0) continue;
          rest_column_.push_back(W.offset(j) + column);
          rest_.push_back(difference);
        }
      }
      rest_begin_.push_back(static_cast<Index>(rest_.size()));
    }
  return true;
}

bool SplittingMatrix::factorize(ConstVectorRef R) {
  if (has_cholesky_) {
    if (cholesky_.factorize(R)) return true;
    has_cholesky_ = false;
  }
  const ProductSet& K = problem_->K;
  if (!lu_) lu_ = std::make_unique<Lu>();
  if (!lu_knows_problem_) {
    lu_->system.prepare(*problem_);
    lu_->A.prepare(K);
    lu_->C.prepare(K);
    lu_knows_problem_ = true;
  }
  for (Index b = 0; b < K.num_blocks(); ++b)
    for (Index i = 0, n = K.size(b); i < n; ++i) {
      lu_->A.block(b)[i * (n + 1)] = R[K.offset(b) + i];
      lu_->C.block(b)[i * (n + 1)] = 1.0;
    }
  return lu_->system.factorize(lu_->A, lu_->C);
}

void SplittingMatrix::solve(VectorRef b, VectorRef r) const {
  if (has_cholesky_ && !rest_.empty()) {
    for (Index i = 0; i < b.size(); ++i) {
      double sum = 0.0;
      for (Index k = rest_begin_[static_cast<std::size_t>(i)]; k < rest_begin_[static_cast<std::size_t>(i + 1)]; ++k)
        sum += rest_[static_cast<std::size_t>(k)] * r[rest_column_[static_cast<std::size_t>(k)]];
      b[i] -= sum;
    }
  }
  r = b;
  if (has_cholesky_)
    cholesky_.solve_in_place(r);
  else
    lu_->system.solve_in_place(r);
}

}  // namespace nonsmooth::mixed::internal
