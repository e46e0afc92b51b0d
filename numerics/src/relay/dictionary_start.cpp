// SPDX-License-Identifier: Apache-2.0
// How the dictionary starts: scaling, corner, free variables.
#include <algorithm>
#include <cmath>

#include <internal/decompositions.hpp>

#include "dictionary.hpp"

namespace nonsmooth::relay::detail {
namespace {

// Free rows and columns whose best pivot is below this are left to the path: they are dependent up to round-off.
constexpr double cross_zero = 1e-10;

double power_of_two(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(1.0, mantissa < 0.70710678118654752 ? exponent - 1 : exponent);
}

}  // namespace

void Dictionary::scale(const View& problem, bool equilibrate) {
  rows_.resize(n_);
  rows_.setOnes();
  columns_.resize(n_);
  columns_.setOnes();
  if (equilibrate) {
    double least = infinity;
    double most = 0.0;
    for (Index i = 0; i < n_; ++i) {
      const double row = problem.M.row(i).cwiseAbs().maxCoeff();
      const double column = problem.M.col(i).cwiseAbs().maxCoeff();
      if (row > 0.0) least = std::min(least, row);
      if (column > 0.0) least = std::min(least, column);
      most = std::max(most, row);
    }
    if (!(most > 1e3 * least) && most > 0.0) {  // alike: one factor for all
      rows_ *= power_of_two(1.0 / most);
      return;
    }
    for (int pass = 0; pass < 5; ++pass) {
      column_.setZero(n_);  // largest of the row
      x_.setZero(n_);       // of the column
      for (Index j = 0; j < n_; ++j) {
        for (Index i = 0; i < n_; ++i) {
          const double value = std::abs(problem.M(i, j)) * rows_[i] * columns_[j];
          column_[i] = std::max(column_[i], value);
          x_[j] = std::max(x_[j], value);
        }
      }
      for (Index i = 0; i < n_; ++i) {
        if (kind_[at(i)] == Kind::Free) {
          if (column_[i] > 0.0) rows_[i] /= std::sqrt(column_[i]);
          if (x_[i] > 0.0) columns_[i] /= std::sqrt(x_[i]);
        } else {
          const double largest = std::max(column_[i], x_[i]);
          if (largest > 0.0) rows_[i] = columns_[i] = rows_[i] / std::sqrt(largest);
        }
      }
    }
    for (Index i = 0; i < n_; ++i) {
      rows_[i] = power_of_two(rows_[i]);
      columns_[i] = kind_[at(i)] == Kind::Free ? power_of_two(columns_[i]) : rows_[i];
    }
  }
}

void Dictionary::prepare(const View& problem, bool equilibrate) {
  n_ = problem.q.size();
  const std::size_t n = at(n_);
  kind_.resize(n);
  start_.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    const double lower = problem.lower[i];
    const double upper = problem.upper[i];
    kind_[at(i)] = lower == upper ? Kind::Fixed : lower == -infinity && upper == infinity ? Kind::Free : Kind::Bounded;
    start_[i] = clamp(0.0, lower, upper);
    if (kind_[at(i)] == Kind::Bounded && (lower == -infinity || upper == infinity))
      start_[i] = lower == -infinity ? upper : lower;
  }
  scale(problem, equilibrate);
  q_ = problem.q;
  q_.noalias() += problem.M * start_;
  // The corner that w points away from, where there are two.
  bool moved = false;
  for (Index i = 0; i < n_; ++i) {
    if (kind_[at(i)] != Kind::Bounded || problem.lower[i] == -infinity || problem.upper[i] == infinity) continue;
    const double corner = q_[i] >= 0.0 ? problem.lower[i] : problem.upper[i];
    moved = moved || corner != start_[i];
    start_[i] = corner;
  }
  if (moved) {
    q_ = problem.q;
    q_.noalias() += problem.M * start_;
  }
  h_.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    h_[i] = kind_[at(i)] == Kind::Bounded ? (problem.upper[i] - problem.lower[i]) / columns_[i] : infinity;
    if (kind_[at(i)] == Kind::Bounded && start_[i] == problem.upper[i]) {
      rows_[i] = -rows_[i];
      columns_[i] = -columns_[i];
    }
  }
  q_ = q_.cwiseProduct(rows_);
  q_scale_ = q_.cwiseAbs().maxCoeff();
  if (!(q_scale_ > 0.0)) q_scale_ = 1.0;
  q_ /= q_scale_;
  h_ /= q_scale_;
  M_.resize(n_, n_);
  for (Index j = 0; j < n_; ++j) M_.col(j) = problem.M.col(j).cwiseProduct(rows_) * columns_[j];
  covering_.resize(n_);
  basic_.resize(n);
  nonbasic_.resize(n + 1);
  where_.resize(2 * n + 1);
  partner_.assign(2 * n + 1, -1);
  low_.assign(2 * n + 1, -infinity);
  high_.assign(2 * n + 1, infinity);
  at_upper_.assign(n, 0);
  sigma_.assign(n, 1.0);
  free_slacks_.clear();
  for (Index i = 0; i < n_; ++i) {
    const std::size_t k = at(i);
    covering_[i] = kind_[k] == Kind::Bounded ? 1.0 : 0.0;
    basic_[k] = n_ + i;
    where_[at(n_ + i)] = i;
    nonbasic_[k] = i;
    where_[k] = -1 - i;
    if (kind_[k] != Kind::Bounded) continue;
    partner_[k] = n_ + i;
    partner_[at(n_ + i)] = i;
    low_[k] = 0.0;
    high_[k] = h_[i];
    low_[at(n_ + i)] = 0.0;
  }
  nonbasic_[n] = artificial();
  where_[at(artificial())] = -1 - n_;
  low_[at(artificial())] = 0.0;
  x_ = q_;
  T_.resize(n_, n_ + 1);
  T_.leftCols(n_) = M_;
  T_.col(n_) = covering_;
  pivots_ = 0;
  equilibrate_ = equilibrate;
  if (std::find(kind_.begin(), kind_.end(), Kind::Free) != kind_.end()) cross_free();
}

/// The same for what elimination of the free variables has left between the rows with bounds.
void Dictionary::scale_bounded() {
  std::vector<Index>& bounded = bounded_;
  bounded.clear();
  for (Index i = 0; i < n_; ++i) {
    if (kind_[at(i)] == Kind::Bounded) bounded.push_back(i);
  }
  GrowingVector &factor = factor_, &largest = row_;
  factor.resize(n_);
  factor.setOnes();
  largest.resize(n_);
  for (int pass = 0; pass < 4; ++pass) {
    largest.setZero();
    for (const Index j : bounded) {
      for (const Index i : bounded) {
        const double value = std::abs(T_(i, j)) * factor[i] * factor[j];
        largest[i] = std::max(largest[i], value);
        largest[j] = std::max(largest[j], value);
      }
    }
    for (const Index i : bounded) {
      if (largest[i] > 0.0) factor[i] /= std::sqrt(largest[i]);
    }
  }
  for (const Index i : bounded) {
    const double d = power_of_two(factor[i]);
    if (d == 1.0) continue;
    T_.row(i) *= d;
    T_.col(i) *= d;
    M_.row(i) *= d;
    M_.col(i) *= d;
    T_(i, n_) = 1.0;
    x_[i] *= d;
    q_[i] *= d;
    h_[i] /= d;
    rows_[i] *= d;
    columns_[i] *= d;
  }
  double x_largest = 0.0;
  for (const Index i : bounded) x_largest = std::max(x_largest, std::abs(x_[i]));
  if (x_largest > 0.0) {
    x_ /= x_largest;
    q_ /= x_largest;
    h_ /= x_largest;
    q_scale_ *= x_largest;
  }
  for (const Index i : bounded) high_[at(i)] = h_[i];
}

void Dictionary::cross_free() {
  std::vector<Index>&rows = free_rows_, &columns = free_columns_;
  rows.clear();
  for (Index i = 0; i < n_; ++i) {
    if (kind_[at(i)] == Kind::Free) rows.push_back(i);
  }
  columns = rows;
  Index mirror_row = -1;
  Index mirror_column = -1;
  while (!rows.empty()) {
    double largest = 0.0;
    Index row = -1;
    Index column = -1;
    for (const Index j : columns) {
      for (const Index i : rows) {
        if (std::abs(T_(i, j)) > largest) {
          largest = std::abs(T_(i, j));
          row = i;
          column = j;
        }
      }
    }
    if (!(largest > cross_zero)) break;
    // Pivots on the diagonal, or in pairs (i, j), (j, i), keep a semidefinite Schur complement semidefinite.
    if (mirror_row >= 0 && std::abs(T_(mirror_row, mirror_column)) >= 0.1 * largest) {
      row = mirror_row;
      column = mirror_column;
      mirror_row = -1;
    } else {
      mirror_row = -1;
      double diagonal = 0.1 * largest;
      for (const Index i : rows) {
        if (std::abs(T_(i, i)) < diagonal || where_[at(i)] != -1 - i) continue;
        diagonal = std::abs(T_(i, i));
        row = column = i;
      }
      if (row != column) {
        const bool open = std::find(rows.begin(), rows.end(), column) != rows.end() &&
                          std::find(columns.begin(), columns.end(), row) != columns.end();
        if (open) {
          mirror_row = column;
          mirror_column = row;
        }
      }
    }
    const double step = -x_[row] / T_(row, column);
    x_ += step * T_.col(column);
    x_[row] = step;
    exchange(row, column);
    rows.erase(std::find(rows.begin(), rows.end(), row));
    columns.erase(std::find(columns.begin(), columns.end(), column));
  }
  if (equilibrate_) scale_bounded();
  if (!rows.empty()) pair_rest(rows, columns);
}

/// The free rows and columns that no pivot matched. In a monotone problem the rows are, up to a combination G, minus
/// the columns' entries in the rows with bounds; G, found by least squares, makes the paired block skew again.
void Dictionary::pair_rest(std::vector<Index>& rows, std::vector<Index>& columns) {
  std::vector<Index> bounded;
  for (Index i = 0; i < n_; ++i) {
    if (kind_[at(i)] == Kind::Bounded) bounded.push_back(i);
  }
  // A column that acts on no row stays where it is, and as many rows are only checked at the end.
  std::erase_if(columns, [&](Index j) {
    double largest = 0.0;
    for (const Index i : bounded) largest = std::max(largest, std::abs(T_(i, j)));
    return !(largest > cross_zero);
  });
  if (columns.empty()) return;
  const Index k = static_cast<Index>(rows.size());
  const Index kept = static_cast<Index>(columns.size());
  Eigen::MatrixXd acting(static_cast<Index>(bounded.size()), kept);
  Eigen::MatrixXd seen(static_cast<Index>(bounded.size()), k);  // the rows, transposed
  for (Index r = 0; r < acting.rows(); ++r) {
    const Index b = bounded[at(r)];
    for (Index c = 0; c < kept; ++c) acting(r, c) = T_(b, columns[at(c)]);
    for (Index c = 0; c < k; ++c) seen(r, c) = T_(rows[at(c)], b);
  }
  CompleteOrthogonalFactors rows_seen;
  rows_seen.compute(seen);
  const Eigen::MatrixXd G = -rows_seen.solve_columns(acting).transpose();  // kept x k
  PivotedQr factors;
  factors.set_threshold(1e-8);
  factors.compute(G);
  const Index rank = factors.rank();
  if (G.allFinite() && rank == kept) {
    Eigen::MatrixXd T_rows(k, n_ + 1), M_rows(k, n_);
    Eigen::VectorXd x_rows(k), q_rows(k);
    for (Index r = 0; r < k; ++r) {
      T_rows.row(r) = T_.row(rows[at(r)]);
      M_rows.row(r) = M_.row(rows[at(r)]);
      x_rows[r] = x_[rows[at(r)]];
      q_rows[r] = q_[rows[at(r)]];
    }
    for (Index r = 0; r < kept; ++r) {
      const Index row = rows[at(r)];
      T_.row(row) = G.row(r) * T_rows;
      M_.row(row) = G.row(r) * M_rows;
      x_[row] = G.row(r) * x_rows;
      q_[row] = G.row(r) * q_rows;
    }
  } else {
    std::vector<Index> alike;  // the same number first
    for (const Index j : columns) {
      const auto found = std::find(rows.begin(), rows.end(), j);
      if (found != rows.end()) {
        alike.push_back(j);
        rows.erase(found);
      }
    }
    std::vector<Index> others;
    for (const Index j : columns) {
      if (std::find(alike.begin(), alike.end(), j) == alike.end()) others.push_back(j);
    }
    rows.insert(rows.begin(), alike.begin(), alike.end());
    columns = alike;
    columns.insert(columns.end(), others.begin(), others.end());
  }
  for (Index r = 0; r < kept; ++r) {
    const Index row = rows[at(r)];
    const Index column = columns[at(r)];
    partner_[at(column)] = n_ + row;
    partner_[at(n_ + row)] = column;
    low_[at(n_ + row)] = 0.0;
    low_[at(column)] = 0.0;
    covering_[row] = 1.0;
    T_(row, n_) = 1.0;
    free_slacks_.push_back(n_ + row);
  }
}

}  // namespace nonsmooth::relay::detail
