// SPDX-License-Identifier: Apache-2.0
#include "newton_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed::internal {
namespace {

using Block = Eigen::Map<const Eigen::MatrixXd>;

/// Up to here a dense LU beats the overhead of a sparse one, whatever the pattern.
constexpr Index dense_limit = 64;

}  // namespace

bool NewtonSystem::prefers_dense(const BlockSparseMatrix& W) {
  const Index n = W.rows();
  if (n <= dense_limit) return true;
  double filled = 0.0;
  for (Index b = 0; b < W.num_block_rows(); ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      filled += static_cast<double>(W.size(b) * W.size(W.column(k)));
  return n <= 2000 && filled > 0.3 * static_cast<double>(n) * static_cast<double>(n);
}

BlockDiagonal::BlockDiagonal(const ProductSet& K) { prepare(K); }

void BlockDiagonal::prepare(const ProductSet& K) {
  Index total = 0;
  begin_.clear();
  for (Index b = 0; b < K.num_blocks(); ++b) {
    begin_.push_back(total);
    total += K.size(b) * K.size(b);
  }
  values_.assign(static_cast<std::size_t>(total), 0.0);
}

void BlockDiagonal::multiply(const ProductSet& K, ConstVectorRef x, VectorRef y) const {
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    y.segment(o, n).noalias() = Block(block(b), n, n).lazyProduct(x.segment(o, n));
  }
}

void BlockDiagonal::multiply_transposed(const ProductSet& K, const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
  y.resize(x.size());
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    y.segment(o, n).noalias() = Block(block(b), n, n).transpose().lazyProduct(x.segment(o, n));
  }
}

NewtonSystem::NewtonSystem(const Problem& problem, Structure structure) : NewtonSystem(structure) { prepare(problem); }

void NewtonSystem::prepare(const Problem& problem) {
  problem_ = &problem;
  dense_ = prefers_dense(problem.W);
  if (!dense_) return lay_sparse();
  full_.resize(problem.W.rows(), problem.W.rows());
  full_.setZero();
}

void NewtonSystem::lay_sparse() {
  const BlockSparseMatrix& W = problem_->W;
  const Index rows = W.rows();
  next_.assign(at(rows) + 1, 0);
  for (Index b = 0; b < W.num_block_rows(); ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      for (Index c = W.offset(W.column(k)); c < W.offset(W.column(k)) + W.size(W.column(k)); ++c)
        next_[at(c) + 1] += W.size(b);
  std::partial_sum(next_.begin(), next_.end(), next_.begin());
  if (next_.back() > std::numeric_limits<int>::max())
    throw InvalidArgument("mixed::Problem::W", std::to_string(next_.back()) + " entries",
                          "no more than a 32-bit index can number");
  room_.shape(rows, rows, next_.back(), next_.back(), sparse_);
  std::copy(next_.begin(), next_.end(), sparse_.outerIndexPtr());
  // Walking the block rows in order visits every column from top to bottom, as the compressed columns do.
  position_.clear();
  position_begin_.clear();
  for (Index b = 0; b < W.num_block_rows(); ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      const Index column = W.column(k), first = W.offset(column);
      position_begin_.push_back(static_cast<Index>(position_.size()));
      for (Index c = 0; c < W.size(column); ++c) {
        Index& place = next_[at(first + c)];
        position_.push_back(place);
        std::iota(sparse_.innerIndexPtr() + place, sparse_.innerIndexPtr() + place + W.size(b),
                  static_cast<int>(W.offset(b)));
        place += W.size(b);
      }
    }
}

bool NewtonSystem::factorize(const BlockDiagonal& A, const BlockDiagonal& C) {
  const BlockSparseMatrix& W = problem_->W;
  bool finite = true;
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    const Index o = W.offset(b), n = W.size(b);
    const Block c(C.block(b), n, n), a(A.block(b), n, n);
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      const Index column = W.column(k), m = W.size(column);
      const double* w = W.values(k);
      const bool wide = n > 32;  // beyond, a blocked product is several times faster than plain loops
      if (wide) {
        product_.resize(n, m);
        product_.noalias() = c * Block(w, n, m);
      }
      for (Index j = 0; j < m; ++j, w += n) {
        double* target =
            dense_ ? &full_(o, W.offset(column) + j)
                   : sparse_.valuePtr() +
                         position_[static_cast<std::size_t>(position_begin_[static_cast<std::size_t>(k)] + j)];
        for (Index i = 0; i < n; ++i) {
          double sum = column == b ? a(i, j) : 0.0;
          if (wide) sum += product_(i, j);
          for (Index l = 0; !wide && l < n; ++l) sum += c(i, l) * w[l];
          target[i] = sum;
          finite = finite && std::isfinite(sum);
        }
      }
    }
  }
  return finite && (dense_ ? dense_factors_.factorize(full_) : sparse_factors_.factorize(sparse_));
}

void NewtonSystem::solve_in_place(VectorRef x) const {
  if (dense_)
    dense_factors_.solve_in_place(x);
  else
    sparse_factors_.solve_in_place(x);
}

void multiply_transposed(const BlockSparseMatrix& W, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  y.resize(W.rows());
  multiply_transposed(W, ConstVectorRef(x), VectorRef(y));
}

void multiply_transposed(const BlockSparseMatrix& W, ConstVectorRef x, VectorRef y) {
  y.setZero();
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    const Index o = W.offset(b), n = W.size(b);
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      const Index first = W.offset(W.column(k)), m = W.size(W.column(k));
      const double* w = W.values(k);
      for (Index j = 0; j < m; ++j, w += n)
        for (Index i = 0; i < n; ++i) y[first + j] += w[i] * x[o + i];
    }
  }
}

bool keep_better(const Problem& problem, ConstVectorRef r, VectorRef u, Result& result) {
  if (!r.allFinite()) return false;
  const Certificate certificate = certify(problem, r, u);
  if (!(certificate.residual < result.certificate.residual) && !std::isnan(result.certificate.residual)) return false;
  result.r = r;
  result.u = u;
  result.certificate = certificate;
  return true;
}

void conclude(const Problem& problem, double tolerance, Result& result, Status otherwise, std::string_view reason) {
  if (!result.r.allFinite()) result.r.setZero();
  result.certificate = certify(problem, result.r, result.u);
  const Certificate& certificate = result.certificate;
  if (certificate.residual <= tolerance) {
    end(result, Status::Solved, reason);
    return confirm(problem, tolerance, result);
  }
  if (!std::isfinite(certificate.residual))
    return end(result, Status::NumericalFailure, "numbers overflow: data over too many decades");
  if (otherwise != Status::TimeLimit && certificate.error <= certificate.round_off)
    return end(result, Status::Stalled, "at round-off: the tolerance is below what the data allow");
  end(result, otherwise, reason);
}

void set_start(const Problem& problem, std::string_view argument, ConstVectorRef start, Result& result) {
  if (start.size() == 0) return;
  check::size(argument, start.size(), problem.W.rows(), "one a row of W, or none");
  check::finite(argument, start);
  result.r = start;
  for (Index b = 0; b < problem.K.num_blocks(); ++b)
    project(problem.K[b], result.r.data() + problem.K.offset(b), problem.K.size(b));
}

}  // namespace nonsmooth::mixed::internal
