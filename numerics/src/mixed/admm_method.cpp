// SPDX-License-Identifier: Apache-2.0
#include "admm_method.hpp"

#include <vector>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

namespace nonsmooth::mixed::internal {
namespace {

/// |E| / |W| up to which E is left to the right-hand side: the iteration (S + R) r = b - E r then contracts by some
/// |E| / R, far faster than alternating directions do.
constexpr double small_rest = 1e-3;

}  // namespace

void Extrapolation::add(const Eigen::VectorXd& v, const Eigen::VectorXd& f) {
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

bool Extrapolation::apply(Eigen::VectorXd& v) {
  if (filled_ < 2) return false;
  damped_ = gram_.topLeftCorner(filled_, filled_);
  // Nearly parallel differences are damped, so that their weights stay of order one.
  damped_.diagonal().array() += 1e-12 * damped_.trace();
  weights_.noalias() = df_.leftCols(filled_).transpose() * f_;
  DenseFactorization factors(Structure::SymmetricPositiveDefinite);
  if (!damped_.allFinite() || !factors.factorize(damped_)) return false;
  factors.solve_in_place(weights_);
  v = v_ + f_;
  v.noalias() -= dg_.leftCols(filled_) * weights_;
  return v.allFinite();
}

SplittingMatrix::SplittingMatrix(const Problem& problem) : problem_(problem) {
  if (split()) cholesky_ = std::make_unique<BlockCholesky>(problem.W);
}

bool SplittingMatrix::split() {
  const BlockSparseMatrix& W = problem_.W;
  double size = 0.0, rest = 0.0;
  std::vector<Index> mirror(static_cast<std::size_t>(W.num_blocks()));
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const Index l = W.column(k) == i ? k : W.find(W.column(k), i);
      if (l < 0) return false;
      mirror[static_cast<std::size_t>(k)] = l;
      const auto block = W.block(i, k);
      size += block.squaredNorm();
      if (W.column(k) >= i) rest += (block - W.block(W.column(k), l).transpose()).squaredNorm();
    }
  if (rest == 0.0) return true;
  if (!(rest <= small_rest * small_rest * size)) return false;
  rest_begin_.assign(1, 0);
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index row = 0; row < W.size(i); ++row) {
      for (Index k = W.diagonal(i); k < W.row_begin(i + 1); ++k) {
        const Index j = W.column(k);
        const auto upper = W.block(i, k), lower = W.block(j, mirror[static_cast<std::size_t>(k)]);
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

bool SplittingMatrix::factorize(const Eigen::VectorXd& R) {
  if (cholesky_) {
    if (cholesky_->factorize(R)) return true;
    cholesky_.reset();
  }
  if (!lu_) lu_ = std::make_unique<NewtonSystem>(problem_);
  const ProductSet& K = problem_.K;
  BlockDiagonal A(K), C(K);
  for (Index b = 0; b < K.num_blocks(); ++b)
    for (Index i = 0, n = K.size(b); i < n; ++i) {
      A.block(b)[i * (n + 1)] = R[K.offset(b) + i];
      C.block(b)[i * (n + 1)] = 1.0;
    }
  return lu_->factorize(A, C);
}

void SplittingMatrix::solve(Eigen::VectorXd& b, Eigen::VectorXd& r) const {
  if (cholesky_ && !rest_.empty()) {
    for (Index i = 0; i < b.size(); ++i) {
      double sum = 0.0;
      for (Index k = rest_begin_[static_cast<std::size_t>(i)]; k < rest_begin_[static_cast<std::size_t>(i + 1)]; ++k)
        sum += rest_[static_cast<std::size_t>(k)] * r[rest_column_[static_cast<std::size_t>(k)]];
      b[i] -= sum;
    }
  }
  r = b;
  if (cholesky_)
    cholesky_->solve_in_place(r);
  else
    lu_->solve_in_place(r);
}

}  // namespace nonsmooth::mixed::internal
