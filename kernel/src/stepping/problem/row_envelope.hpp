// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <internal/at.hpp>
#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth {

/// Equality rows of a block of a problem: rows 0 to rows - 1.
struct EqualityRows {
  Index block = 0, rows = 1;
  bool ground = false;  ///< some of them measure the ground beside what is between their systems
};

/// Memory of a loop that is larger than this is not taken: 32 MB.
inline constexpr Index kMostNumbersOfRows = Index{1} << 22;

/// The lower triangle of a symmetric matrix A, of each row the entries from its first one to the diagonal, and in its
/// place Cholesky's factor, which fills no others.
class Envelope {
 public:
  enum class Pivot : unsigned char { Take, Skip, Stop };

  void clear() {
    rows_.clear();
    numbers_ = 0;
  }
  void add_row(Index first) {
    const Index row = size();
    rows_.push_back({first, numbers_});
    numbers_ += row - first + 1;
  }
  void set_zero() { values_.assign(at(numbers_), 0.0); }
  [[nodiscard]] Index size() const { return std::ssize(rows_); }
  [[nodiscard]] Index numbers() const { return numbers_; }
  [[nodiscard]] Index first(Index row) const { return rows_[at(row)].first; }
  [[nodiscard]] double* row(Index i) { return values_.data() + rows_[at(i)].begin; }
  [[nodiscard]] const double* row(Index i) const { return values_.data() + rows_[at(i)].begin; }
  [[nodiscard]] double& entry(Index i, Index j) { return row(i)[j - first(i)]; }
  [[nodiscard]] double entry(Index i, Index j) const { return row(i)[j - first(i)]; }

  /// A = L L^T row by row; judge(i, left) says of what the rows before leave on the diagonal whether it is a pivot. A
  /// row that is skipped keeps its entries of L but for the diagonal, and the column of L below, which are zero. False:
  /// stopped. Cost O(b^2) a row of b entries.
  template <class Judge>
  [[nodiscard]] bool factorize(Judge&& judge) {
    for (Index i = 0; i < size(); ++i) {
      const Index begin = first(i);
      double* const own = row(i);
      for (Index j = begin; j < i; ++j) {
        const double pivot = entry(j, j);
        double left = own[j - begin];
        const Index from = std::max(begin, first(j));
        const double *one = own + (from - begin), *other = row(j) + (from - first(j));
        for (Index k = from; k < j && pivot != 0.0; ++k) left -= *one++ * *other++;
        own[j - begin] = pivot != 0.0 ? left / pivot : 0.0;
      }
      double left = own[i - begin];
      for (Index k = 0; k < i - begin; ++k) left -= own[k] * own[k];
      const Pivot pivot = judge(i, left);
      if (pivot == Pivot::Stop) return false;
      own[i - begin] = pivot == Pivot::Take ? std::sqrt(left) : 0.0;
    }
    return true;
  }
  /// x := L^-1 x, 0 in rows that were skipped.
  void solve_lower(std::vector<double>& x) const {
    for (Index i = 0; i < size(); ++i) {
      for (Index j = first(i); j < i; ++j) x[at(i)] -= entry(i, j) * x[at(j)];
      x[at(i)] = entry(i, i) > 0.0 ? x[at(i)] / entry(i, i) : 0.0;
    }
  }
  /// x := L^-T x, likewise.
  void solve_upper(std::vector<double>& x) const {
    for (Index i = size(); i-- > 0;) {
      x[at(i)] = entry(i, i) > 0.0 ? x[at(i)] / entry(i, i) : 0.0;
      for (Index j = first(i); j < i; ++j) x[at(j)] -= entry(i, j) * x[at(i)];
    }
  }
  /// The entries of (L L^T)^-1 within the envelope, of rows all of which are pivots, into `inverse`, column by column
  /// from the last (Takahashi, Fagan and Chin 1973): Z L = L^-T, no entry of which needs one outside. `width`: the most
  /// entries of a row before the diagonal. Cost O(width^2) a row.
  void write_inverse(Index width, Envelope& inverse) const {
    if (inverse.rows_ != rows_) inverse = *this;
    for (Index j = size(); j-- > 0;) {
      const double pivot = entry(j, j);
      for (Index i = std::min(j + width, size() - 1); i >= j; --i) {
        if (first(i) > j) continue;
        double sum = i == j ? 1.0 / pivot : 0.0;
        for (Index k = j + 1; k <= std::min(j + width, size() - 1); ++k)
          if (first(k) <= j) sum -= entry(k, j) * inverse.entry(std::max(i, k), std::min(i, k));
        inverse.entry(i, j) = sum / pivot;
      }
    }
  }

 private:
  struct Row {
    Index first = 0, begin = 0;  ///< its first column, and where this is in values_
    friend bool operator==(const Row&, const Row&) = default;
  };
  std::vector<Row> rows_;
  std::vector<double> values_;
  Index numbers_ = 0;
};

/// Ŵ = S W S of equality rows of a block matrix W, S = diag(W)^(-1/2), in the order of Cuthill and McKee (reversed), in
/// which a chain has O(1) numbers a row, whatever its ties are numbered like. The order is a matter of the pattern of W
/// alone, whatever W was before.
class RowEnvelope {
 public:
  /// Ŵ of the rows of `parts`, in ascending order of blocks, the same ones in each call. Rows that `left_out` has, by
  /// row of W (empty: none), and those that no reaction moves, W_kk = 0, have 0 in S. False: the envelope has more than
  /// kMostNumbersOfRows. Cost: linear in it, and an order where W couples others than before, which allocates.
  [[nodiscard]] bool write(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                           const std::vector<char>& left_out);

  [[nodiscard]] Index size() const { return values.size(); }
  [[nodiscard]] Index width() const { return width_; }  ///< the most entries of a row before the diagonal
  [[nodiscard]] Index part_of(Index block) const { return part_of_[at(block)]; }  ///< -1: none
  [[nodiscard]] Index place_of(Index part) const { return place_of_[at(part)]; }  ///< of its first row in the order
  [[nodiscard]] double scale(Index place) const { return scale_[at(place)]; }     ///< an entry of S
  [[nodiscard]] Index orders() const { return orders_; }                          ///< how often one was found

  Envelope values;

 private:
  void find_order(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts);
  /// W couples the parts as in the last call.
  [[nodiscard]] bool couples_as_before(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts);
  void write_values(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                    const std::vector<char>& left_out);

  std::vector<Index> part_of_, place_of_;
  std::vector<Index> couplings_, found_;  ///< of each part those that W couples with it, then -1; scratch
  std::vector<double> scale_;
  Index width_ = 0, orders_ = 0;
};

}  // namespace nonsmooth
