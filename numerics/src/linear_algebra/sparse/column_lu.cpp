// SPDX-License-Identifier: Apache-2.0
#include "column_lu.hpp"

#include <algorithm>
#include <cmath>

#include <internal/at.hpp>

namespace nonsmooth::detail {
namespace {

/// Of the largest entry of a column, what the diagonal has to have to stay pivot: KLU's default.
constexpr double kDiagonalStays = 1e-3;

}  // namespace

void ColumnLu::Columns::clear() {
  rows.clear();
  values.clear();
  begin.assign(1, 0);
}

bool ColumnLu::analyze(const Eigen::SparseMatrix<double>& A) {
  open_rows_.reserve(at(A.cols()));
  needed_.reserve(at(A.cols()));
  return order_.analyze(A);
}

bool ColumnLu::factorize(const Eigen::SparseMatrix<double>& A) {
  if (!scale_rows(A)) return false;
  start();
  for (int b = 0; b < order_.num_blocks(); ++b) {
    const int first = order_.begin(b), last = order_.begin(b + 1);
    for (int k = first; k < last; ++k) {
      reach(A, k, first);
      eliminate();
      if (!choose_pivot(k)) return false;
      if (last - first > 1) prune(k);
    }
  }
  for (int& row : lower_.rows) row = place_[at(row)];
  return true;
}

bool ColumnLu::scale_rows(const Eigen::SparseMatrix<double>& A) {
  largest_in_row_.assign(at(A.rows()), 0.0);
  const auto num_entries = static_cast<Index>(A.nonZeros());
  for (Index e = 0; e < num_entries; ++e) {
    double& largest = largest_in_row_[at(A.innerIndexPtr()[e])];
    const double size = std::abs(A.valuePtr()[e]);
    if (!std::isfinite(size)) return false;
    largest = std::max(largest, size);
  }
  return std::all_of(largest_in_row_.begin(), largest_in_row_.end(), [](double one) { return one > 0.0; });
}

void ColumnLu::start() {
  const std::size_t n = largest_in_row_.size();
  for (Columns* each : {&lower_, &upper_, &above_}) each->clear();
  pivots_.clear();
  pivot_row_.clear();
  for (std::vector<int>* each : {&place_, &seen_}) each->assign(n, -1);
  searched_end_.assign(n, -1);
  diagonal_row_.resize(n);
  diagonal_place_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    diagonal_row_[k] = order_.row(static_cast<int>(k));
    diagonal_place_[at(diagonal_row_[k])] = static_cast<int>(k);
  }
  x_.assign(n, 0.0);
  path_.resize(n);
  searched_.resize(n);
}

/// The column of A at `place`, in x_; what it needs of L, and its rows that have not been pivots.
void ColumnLu::reach(const Eigen::SparseMatrix<double>& A, int place, int first_place) {
  needed_.clear();
  open_rows_.clear();
  const int j = order_.column(place);
  for (int e = A.outerIndexPtr()[j]; e < A.outerIndexPtr()[j + 1]; ++e) {
    const int row = A.innerIndexPtr()[e], pivot_place = place_[at(row)];
    const double value = A.valuePtr()[e] / largest_in_row_[at(row)];
    if (pivot_place >= 0 && pivot_place < first_place) {
      above_.add(pivot_place, value);
      continue;
    }
    x_[at(row)] = value;
    if (seen_[at(row)] != place) search(row);
  }
  above_.end_column();
}

/// All rows that `row` makes entries in, depth first; columns of L are listed after those that they reach.
void ColumnLu::search(int row) {
  const auto stamp = static_cast<int>(pivot_row_.size());  // the place of this column
  const auto visit = [&](int one, int& depth) {
    seen_[at(one)] = stamp;
    const int place = place_[at(one)];
    if (place < 0) {
      open_rows_.push_back(one);
      return;
    }
    path_[at(depth)] = place;
    searched_[at(depth++)] = lower_.begin[at(place)];
  };
  int depth = 0;
  visit(row, depth);
  while (depth > 0) {
    const int place = path_[at(depth - 1)];
    const Index pruned = searched_end_[at(place)], end = pruned < 0 ? lower_.begin[at(place + 1)] : pruned;
    Index& next = searched_[at(depth - 1)];
    while (next < end && seen_[at(lower_.rows[at(next)])] == stamp) ++next;
    if (next < end) {
      visit(lower_.rows[at(next++)], depth);
    } else {
      needed_.push_back(place);
      --depth;
    }
  }
}

/// x_ := L^-1 x_, whose rows that have been pivots become U's column.
void ColumnLu::eliminate() {
  for (std::size_t t = needed_.size(); t-- > 0;) {
    const int place = needed_[t];
    double& entry = x_[at(pivot_row_[at(place)])];
    const double u = entry;
    entry = 0.0;
    upper_.add(place, u);
    const Index begin = lower_.begin[at(place)], end = lower_.begin[at(place + 1)];
    for (Index e = begin; e < end; ++e) x_[at(lower_.rows[at(e)])] -= lower_.values[at(e)] * u;
  }
  upper_.end_column();
}

/// Of the rows that have not been pivots; the others, divided by it, are L's column.
bool ColumnLu::choose_pivot(int place) {
  const int diagonal = diagonal_row_[at(place)];
  int row = -1;
  double largest = 0.0;
  for (const int open : open_rows_) {
    const double size = std::abs(x_[at(open)]);
    if (!std::isfinite(size)) return false;
    if (size > largest) largest = size, row = open;
  }
  if (row < 0) return false;
  if (seen_[at(diagonal)] == place && place_[at(diagonal)] < 0 &&
      std::abs(x_[at(diagonal)]) >= kDiagonalStays * largest)
    row = diagonal;
  if (row != diagonal && place_[at(diagonal)] < 0) {
    const int other = diagonal_place_[at(row)];
    diagonal_row_[at(other)] = diagonal;
    diagonal_place_[at(diagonal)] = other;
  }
  const double pivot = x_[at(row)];
  for (const int open : open_rows_) {
    if (open != row) lower_.add(open, x_[at(open)] / pivot);
    x_[at(open)] = 0.0;
  }
  lower_.end_column();
  place_[at(row)] = place;
  pivot_row_.push_back(row);
  pivots_.push_back(pivot);
  smallest_pivot_ = place == 0 ? std::abs(pivot) : std::min(smallest_pivot_, std::abs(pivot));
  largest_pivot_ = place == 0 ? std::abs(pivot) : std::max(largest_pivot_, std::abs(pivot));
  return true;
}

/// Columns that column `place` needed and whose entries include its pivot's row are searched, from now on, in rows that
/// have been pivots only: through `place` all others are reached.
void ColumnLu::prune(int place) {
  const int row = pivot_row_[at(place)];
  for (const int needed : needed_) {
    if (searched_end_[at(needed)] >= 0) continue;
    Index head = lower_.begin[at(needed)], tail = lower_.begin[at(needed + 1)];
    if (std::find(lower_.rows.begin() + head, lower_.rows.begin() + tail, row) == lower_.rows.begin() + tail) continue;
    while (head < tail) {
      if (place_[at(lower_.rows[at(head)])] >= 0) {
        ++head;
      } else {
        --tail;
        std::swap(lower_.rows[at(head)], lower_.rows[at(tail)]);
        std::swap(lower_.values[at(head)], lower_.values[at(tail)]);
      }
    }
    searched_end_[at(needed)] = head;
  }
}

void ColumnLu::solve_in_place(MatrixRef b, bool transposed) {
  constexpr int kWidth = 4;  // columns at once: what is read of the factors serves them all
  Index c = 0;
  for (; c + kWidth <= b.cols(); c += kWidth)
    transposed ? solve_transposed_columns<kWidth>(b.middleCols(c, kWidth))
               : solve_columns<kWidth>(b.middleCols(c, kWidth));
  for (; c < b.cols(); ++c)
    transposed ? solve_transposed_columns<1>(b.middleCols(c, 1)) : solve_columns<1>(b.middleCols(c, 1));
}

template <int width>
void ColumnLu::solve_columns(MatrixRef b) {
  using Row = Eigen::Array<double, width, 1>;
  const auto n = static_cast<int>(pivots_.size());
  solution_.resize(at(Index{n} * width));
  const auto x = [&](int place) { return Eigen::Map<Row>(solution_.data() + Index{place} * width); };
  const auto subtract = [&](const Columns& columns, int place, const Row& value) {
    const Index begin = columns.begin[at(place)], end = columns.begin[at(place + 1)];
    for (Index e = begin; e < end; ++e) x(columns.rows[at(e)]) -= columns.values[at(e)] * value;
  };
  for (int k = 0; k < n; ++k) {
    const int row = pivot_row_[at(k)];
    for (int c = 0; c < width; ++c) x(k)[c] = b(row, c) / largest_in_row_[at(row)];
  }
  for (int block = order_.num_blocks(); block-- > 0;) {
    const int first = order_.begin(block), last = order_.begin(block + 1);
    for (int k = first; k < last; ++k) subtract(lower_, k, x(k));
    for (int k = last; k-- > first;) {
      x(k) /= pivots_[at(k)];
      subtract(upper_, k, x(k));
    }
    for (int k = first; k < last; ++k) subtract(above_, k, x(k));
  }
  for (int k = 0; k < n; ++k) {
    for (int c = 0; c < width; ++c) b(order_.column(k), c) = x(k)[c];
  }
}

template <int width>
void ColumnLu::solve_transposed_columns(MatrixRef b) {
  using Row = Eigen::Array<double, width, 1>;
  const auto n = static_cast<int>(pivots_.size());
  solution_.resize(at(Index{n} * width));
  const auto x = [&](int place) { return Eigen::Map<Row>(solution_.data() + Index{place} * width); };
  const auto product = [&](const Columns& columns, int place) {
    Row sum = Row::Zero();
    const Index begin = columns.begin[at(place)], end = columns.begin[at(place + 1)];
    for (Index e = begin; e < end; ++e) sum += columns.values[at(e)] * x(columns.rows[at(e)]);
    return sum;
  };
  for (int k = 0; k < n; ++k) {
    for (int c = 0; c < width; ++c) x(k)[c] = b(order_.column(k), c);
  }
  for (int block = 0; block < order_.num_blocks(); ++block) {
    const int first = order_.begin(block), last = order_.begin(block + 1);
    for (int k = first; k < last; ++k) x(k) = (x(k) - product(above_, k) - product(upper_, k)) / pivots_[at(k)];
    for (int k = last; k-- > first;) x(k) -= product(lower_, k);
  }
  for (int k = 0; k < n; ++k) {
    const int row = pivot_row_[at(k)];
    for (int c = 0; c < width; ++c) b(row, c) = x(k)[c] / largest_in_row_[at(row)];
  }
}

}  // namespace nonsmooth::detail
