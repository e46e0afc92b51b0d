// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <internal/at.hpp>

#include "both_triangles.hpp"
#include "linear_algebra/sparse/supernodal_lu.hpp"
#include "mixed/natural_map.hpp"

namespace nonsmooth::friction::internal {

/// The Newton system without the blocks whose rows say r = 0: their columns go to the right-hand side.
class ClosedSystem {
 public:
  /// Of another problem: it and rho stay alive and unchanged until the next call. Keeps its memory.
  void prepare(const mixed::Problem& problem, ConstVectorRef rho) {
    problem_ = &problem;
    rho_ = rho.data();
    map_.prepare(problem.K);
    pattern_.prepare(problem.W);
    closed_.assign(at(problem.K.num_blocks()), 2);
    new_pattern_ = true;
    share_.assign(at(problem.K.num_blocks()), 1.0);
    for (GrowingVector* vector : {&e_, &dr_, &product_}) vector->resize(problem.W.rows());
  }
  /// Memory for any problem of up to so many blocks and rows; for few rows.
  void reserve(Index blocks, Index rows) {
    pattern_.reserve(blocks);
    number_.reserve(at(blocks));
    matrix_.reserve(blocks, rows);
    factors_.reserve(blocks, rows);
    for (GrowingVector* vector : {&e_, &before_, &dr_, &product_}) vector->resize(std::max(rows, vector->size()));
    right_.reserve(at(rows));
  }

  /// e at (r, u) and its derivatives; |e|.
  double linearize(ConstVectorRef r, ConstVectorRef u) {
    map_.linearize(form, rho(), r, u, e_);
    return e_.norm();
  }

  /// |e| at (r, u), the linearisation kept.
  double error(ConstVectorRef r, ConstVectorRef u) {
    map_.evaluate(form, rho(), r, u, product_);
    return product_.norm();
  }

  /// |e| of a block, squared, of the last error().
  [[nodiscard]] double block_error(Index b) const {
    return product_.segment(problem_->K.offset(b), problem_->K.size(b)).squaredNorm();
  }

  void keep_error() { before_ = e_; }
  /// One alpha for all blocks again.
  void globalize() { std::fill(share_.begin(), share_.end(), 1.0); }
  /// More alpha to the blocks whose error the last error() saw above its value at keep_error() and above the mean.
  void localize() {
    const double mean = before_.squaredNorm() / static_cast<double>(problem_->K.num_blocks());
    for (Index b = 0; b < problem_->K.num_blocks(); ++b) {
      const Index o = problem_->K.offset(b), n = problem_->K.size(b);
      const bool grown = product_.segment(o, n).squaredNorm() > std::max(before_.segment(o, n).squaredNorm(), mean);
      share_[at(b)] = grown ? std::min(10.0 * share_[at(b)], 1e4) : std::max(0.3 * share_[at(b)], 1.0);
    }
  }

  /// dr of the step, or false where the matrix is singular or not finite.
  [[nodiscard]] bool solve(double alpha, VectorRef dr) {
    find_closed();
    assemble(alpha);
    if (new_pattern_) factors_.analyze(matrix_);
    new_pattern_ = false;
    if (!factors_.factorize(matrix_)) return false;
    dr.setZero();
    for (Index b = 0; b < problem_->K.num_blocks(); ++b) {
      const Index o = problem_->K.offset(b), n = problem_->K.size(b);
      if (closed_[at(b)] == 0) dr.segment(o, n) = -rho().segment(o, n).cwiseProduct(e_.segment(o, n));  // e = r / rho
    }
    right_.clear();
    product_.setZero();
    problem_->W.multiply_add(dr, product_, product_);
    for (Index b = 0; b < problem_->K.num_blocks(); ++b) {
      if (closed_[at(b)] == 0) continue;
      const Index o = problem_->K.offset(b), n = problem_->K.size(b);
      dr_.segment(o, n).noalias() = Map(map_.C.block(b), n, n).lazyProduct(product_.segment(o, n));
      for (Index i = 0; i < n; ++i) right_.push_back(-e_[o + i] - dr_[o + i]);
    }
    factors_.solve_in_place(right_.data());
    const double* x = right_.data();
    for (Index b = 0; b < problem_->K.num_blocks(); ++b)
      if (closed_[at(b)] != 0)
        for (Index i = 0; i < problem_->K.size(b); ++i) dr[problem_->K.offset(b) + i] = *x++;
    return dr.allFinite();
  }

 private:
  using Map = Eigen::Map<const Eigen::MatrixXd>;
  static constexpr mixed::internal::Form form = mixed::internal::Form::Prediction;
  [[nodiscard]] Eigen::Map<const Eigen::VectorXd> rho() const { return {rho_, problem_->W.rows()}; }

  void find_closed() {
    for (Index b = 0; b < problem_->K.num_blocks(); ++b) {
      const Index n = problem_->K.size(b);
      const char closed = Map(map_.C.block(b), n, n).isZero(0.0) ? 0 : 1;
      if (closed_[at(b)] != closed) new_pattern_ = true;
      closed_[at(b)] = closed;
    }
    if (!new_pattern_) return;
    number_.assign(closed_.size(), -1);
    matrix_.clear();
    Index values = 0;
    for (Index b = 0; b < problem_->K.num_blocks(); ++b)
      if (closed_[at(b)] != 0) {
        number_[at(b)] = matrix_.num_blocks();
        matrix_.sizes.push_back(problem_->K.size(b));
      }
    for (Index b = 0; b < problem_->K.num_blocks(); ++b) {
      if (closed_[at(b)] == 0) continue;
      for (Index k = pattern_.begin(b); k < pattern_.begin(b + 1); ++k) {
        const Index column = pattern_[k].column;
        if (closed_[at(column)] == 0) continue;
        matrix_.column.push_back(number_[at(column)]);
        matrix_.value_begin.push_back(values);
        values += problem_->K.size(b) * problem_->K.size(column);
      }
      matrix_.begin.push_back(static_cast<Index>(matrix_.column.size()));
    }
    matrix_.values.resize(at(values));
  }

  void assemble(double alpha) {
    double* target = matrix_.values.data();
    for (Index b = 0; b < problem_->K.num_blocks(); ++b) {
      if (closed_[at(b)] == 0) continue;
      const Index o = problem_->K.offset(b), n = problem_->K.size(b);
      const double *A = map_.A.block(b), *C = map_.C.block(b);
      for (Index k = pattern_.begin(b); k < pattern_.begin(b + 1); ++k) {
        const BothTriangles::Entry entry = pattern_[k];
        if (closed_[at(entry.column)] == 0) continue;
        const Index m = problem_->K.size(entry.column);
        const double* w = entry.block < 0 ? nullptr : problem_->W.values(entry.block);
        for (Index j = 0; j < m; ++j)
          for (Index i = 0; i < n; ++i) {
            double sum = entry.column == b ? A[j * n + i] + C[j * n + i] * (alpha * share_[at(b)] / rho_[o + j]) : 0.0;
            for (Index l = 0; w != nullptr && l < n; ++l) sum += C[l * n + i] * w[j * n + l];
            *target++ = sum;
          }
      }
    }
  }

  const mixed::Problem* problem_ = nullptr;
  const double* rho_ = nullptr;
  mixed::internal::NaturalMap map_;
  std::vector<char> closed_;  // 2: not yet known
  BothTriangles pattern_;
  std::vector<Index> number_;
  bool new_pattern_ = true;
  detail::BlockMatrix matrix_;
  detail::SupernodalLu factors_;
  GrowingVector e_, before_, dr_, product_;
  std::vector<double> share_;  // of alpha, one a block, >= 1
  std::vector<double> right_;
};

}  // namespace nonsmooth::friction::internal
