// SPDX-License-Identifier: Apache-2.0
#include "bounded_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <internal/round_off.hpp>

namespace nonsmooth {
namespace {

/// sizes_j := -(mean over i of log2 |A_ij| + others_i), of the entries that are not zero. Returns the largest change.
double average_columns(const Eigen::MatrixXd& logarithms, const Eigen::VectorXd& others, Eigen::VectorXd& sizes) {
  double change = 0.0;
  for (Index j = 0; j < logarithms.cols(); ++j) {
    double sum = 0.0;
    Index count = 0;
    for (Index i = 0; i < logarithms.rows(); ++i) {
      if (!std::isfinite(logarithms(i, j))) continue;
      sum += logarithms(i, j) + others[i];
      ++count;
    }
    if (count == 0) continue;
    const double size = -sum / static_cast<double>(count);
    change = std::max(change, std::abs(size - sizes[j]));
    sizes[j] = size;
  }
  return change;
}

}  // namespace

Eigen::MatrixXd round_off_bounds(const Eigen::MatrixXd& A) {
  constexpr double kUnits = 16.0;      // zeros made by products of n terms were within a thirtieth of this
  constexpr int kSweeps = 16;          // full matrices take one
  constexpr double kSettled = 0.0625;  // of an exponent
  const Eigen::MatrixXd logarithms = A.array().abs().log() / std::log(2.0), transposed = logarithms.transpose();
  Eigen::VectorXd rows = Eigen::VectorXd::Zero(A.rows()), columns = Eigen::VectorXd::Zero(A.cols());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const double change = average_columns(transposed, columns, rows);
    if (std::max(change, average_columns(logarithms, rows, columns)) <= kSettled) break;
  }
  const double unit = kUnits * static_cast<double>(std::max(A.rows(), A.cols())) * eps;
  Eigen::MatrixXd bounds(A.rows(), A.cols());
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i < A.rows(); ++i) bounds(i, j) = A(i, j) == 0.0 ? 0.0 : unit * std::exp2(-rows[i] - columns[j]);
  return bounds;
}

BoundedElimination::BoundedElimination(const Eigen::MatrixXd& entries, const Eigen::MatrixXd& bounds, Index candidates)
    : entries_(entries), bounds_(bounds), candidates_(candidates), has_pivot_(static_cast<std::size_t>(candidates), 0) {
  rows_.resize(static_cast<std::size_t>(entries.rows()));
  std::iota(rows_.begin(), rows_.end(), Index{0});
}

std::vector<Index> BoundedElimination::columns() const {
  std::vector<Index> result = pivot_columns_;
  for (Index j = 0; j < candidates_; ++j) {
    if (has_pivot_[static_cast<std::size_t>(j)] == 0) result.push_back(j);
  }
  return result;
}

std::pair<Index, Index> BoundedElimination::next_pivot() const {
  std::pair<Index, Index> place{-1, -1};
  double largest = 1.0;
  for (Index i = rank_; i < entries_.rows(); ++i) {
    for (Index j = 0; j < candidates_; ++j) {
      if (entries_(i, j) == 0.0 || has_pivot_[static_cast<std::size_t>(j)] != 0) continue;
      const double multiple = std::abs(entries_(i, j)) / bounds_(i, j);
      if (!(multiple > largest)) continue;
      largest = multiple;
      place = {i, j};
    }
  }
  return place;
}

void BoundedElimination::eliminate(Index pivot, Index row) {
  const Index column = pivot_columns_[static_cast<std::size_t>(pivot)];
  if (entries_(row, column) == 0.0 && bounds_(row, column) == 0.0) return;
  const double head = entries_(pivot, column), multiple = entries_(row, column) / head;
  const double error = bounds_(row, column) / std::abs(head) + eps * std::abs(multiple);
  entries_.row(row) -= multiple * entries_.row(pivot);
  bounds_.row(row) += std::abs(multiple) * bounds_.row(pivot) + error * entries_.row(pivot).cwiseAbs() +
                      eps * entries_.row(row).cwiseAbs();
  entries_(row, column) = bounds_(row, column) = 0.0;
}

void BoundedElimination::run() {
  for (; rank_ < entries_.rows(); ++rank_) {
    const auto [row, column] = next_pivot();
    if (row < 0) return;
    entries_.row(rank_).swap(entries_.row(row));
    bounds_.row(rank_).swap(bounds_.row(row));
    std::swap(rows_[static_cast<std::size_t>(rank_)], rows_[static_cast<std::size_t>(row)]);
    pivot_columns_.push_back(column);
    has_pivot_[static_cast<std::size_t>(column)] = 1;
    for (Index below = rank_ + 1; below < entries_.rows(); ++below) eliminate(rank_, below);
  }
}

void BoundedElimination::shift_rest() {
  const Index rest = entries_.rows() - rank_;
  for (Rows* const matrix : {&entries_, &bounds_}) {
    matrix->bottomLeftCorner(rest, candidates_) = matrix->bottomRightCorner(rest, candidates_).eval();
    matrix->bottomRightCorner(rest, candidates_).setZero();
  }
  for (Index pivot = 0; pivot < rank_; ++pivot)
    for (Index row = rank_; row < entries_.rows(); ++row) eliminate(pivot, row);
}

}  // namespace nonsmooth
