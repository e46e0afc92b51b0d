// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

#include "at.hpp"

namespace nonsmooth {

/// The memory of a column-major sparse matrix whose sizes change from call to call: Eigen takes another array of
/// columns for each number of them. Nothing is allocated up to the most columns and the most entries so far.
class SparseRoom {
 public:
  /// `matrix` becomes rows x columns, compressed, of so many entries with room for `most`; the caller writes them and
  /// where each column begins. It is the matrix of the last call, whose sizes nothing else has changed: else forget()
  /// comes first.
  void shape(Index rows, Index columns, Index entries, Index most, Eigen::SparseMatrix<double>& matrix) {
    const bool known = matrix.outerIndexPtr() == columns_of_ && columns_of_ != nullptr;
    if (!known || columns > room_) {
      room_ = std::max(columns, known ? room_ : Index{0});
      matrix.resize(rows, room_);
    }
    matrix.*Sizes::columns() = columns;  // resize() takes no other memory for as many columns as there are
    matrix.resize(rows, columns);
    columns_of_ = columns > 0 ? matrix.outerIndexPtr() : nullptr;
    matrix.resizeNonZeros(std::max(entries, most));
    matrix.resizeNonZeros(entries);
  }
  /// to := from, with as much room.
  void copy(const Eigen::SparseMatrix<double>& from, Eigen::SparseMatrix<double>& to) {
    if (!from.isCompressed()) {
      to = from;
      columns_of_ = nullptr;
      return;
    }
    shape(from.rows(), from.cols(), from.nonZeros(), static_cast<Index>(from.data().allocatedSize()), to);
    std::copy_n(from.outerIndexPtr(), from.cols() + 1, to.outerIndexPtr());
    std::copy_n(from.innerIndexPtr(), from.nonZeros(), to.innerIndexPtr());
    std::copy_n(from.valuePtr(), from.nonZeros(), to.valuePtr());
  }
  void forget() noexcept { columns_of_ = nullptr; }  ///< the matrix of the next call has other memory

 private:
  struct Sizes : Eigen::SparseMatrix<double> {
    static constexpr Index Eigen::SparseMatrix<double>::*columns() noexcept { return &Sizes::m_outerSize; }
  };

  const int* columns_of_ = nullptr;
  Index room_ = 0;
};

/// A sparse matrix of entries in any order, several of one place added up in their order: the values of Eigen's
/// setFromTriplets(), bit for bit, in memory that is kept.
class SparseWriter {
 public:
  std::vector<Eigen::Triplet<double>>& entries() noexcept { return entries_; }  ///< the caller empties and fills them

  /// `matrix` and `most` as SparseRoom::shape() has them.
  void write(Index rows, Index columns, Index most, Eigen::SparseMatrix<double>& matrix) {
    const auto by_row = [](const auto& entry) { return entry.row(); };
    const auto by_column = [](const auto& entry) { return entry.col(); };
    sort(rows, by_row, entries_, sorted_);
    sort(columns, by_column, sorted_, entries_);
    room_.shape(rows, columns, static_cast<Index>(entries_.size()), most, matrix);
    int* const begin = matrix.outerIndexPtr();
    int column = 0, count = 0;
    for (const Eigen::Triplet<double>& entry : entries_) {
      while (column < entry.col()) begin[++column] = count;
      if (count > begin[column] && matrix.innerIndexPtr()[count - 1] == entry.row()) {
        matrix.valuePtr()[count - 1] += entry.value();
        continue;
      }
      matrix.innerIndexPtr()[count] = entry.row();
      matrix.valuePtr()[count++] = entry.value();
    }
    while (column < static_cast<int>(columns)) begin[++column] = count;
    matrix.resizeNonZeros(count);
  }
  void forget() noexcept { room_.forget(); }

 private:
  /// By key, what has the same one in the order that it comes in.
  template <class Key>
  void sort(Index keys, Key key, const std::vector<Eigen::Triplet<double>>& from,
            std::vector<Eigen::Triplet<double>>& to) {
    begin_.assign(at(keys) + 1, 0);
    for (const auto& entry : from) ++begin_[at(key(entry)) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    to.reserve(from.capacity());
    to.resize(from.size());
    for (const auto& entry : from) to[at(begin_[at(key(entry))]++)] = entry;
  }

  std::vector<Eigen::Triplet<double>> entries_, sorted_;
  std::vector<Index> begin_;
  SparseRoom room_;
};

}  // namespace nonsmooth
