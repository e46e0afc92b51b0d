// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/sparse_pattern.hpp>

#include "differences.hpp"

namespace nonsmooth {

/// Forward differences of a function whose Jacobian is sparse: columns that share no row of the pattern are moved at
/// once [curtis1974].
class SparseDifferences {
 public:
  SparseDifferences() = default;
  /// Colours the columns, each by the first colour that none of those before it that share a row has. Cost: the sum of
  /// squares of the numbers of entries of the columns.
  explicit SparseDifferences(const SparsePattern& pattern);

  [[nodiscard]] Index num_colours() const noexcept { return static_cast<Index>(begin_.size()) - 1; }
  /// Numbers that jacobian() asks of a scratch.
  [[nodiscard]] static Index scratch_size(Index n) { return 3 * n; }
  /// values += sign d value(x) / dx by number of the entry; value(x, out) gets `out` zeroed.
  template <class Value>
  void add_jacobian(double sign, const SparsePattern& pattern, ConstVectorRef x, differences::Scratch& scratch,
                    VectorRef values, Value&& value) const {
    const Eigen::SparseMatrix<double>& zeros = pattern.zeros();
    auto base = scratch.vector(x.size()), moved = scratch.vector(x.size()), at = scratch.vector(x.size());
    base.setZero();
    at = x;
    value(ConstVectorRef(at), VectorRef(base));
    for (std::size_t colour = 0; colour + 1 < begin_.size(); ++colour) {
      for (Index c = begin_[colour]; c < begin_[colour + 1]; ++c) at[column(c)] += differences::step_at(x[column(c)]);
      moved.setZero();
      value(ConstVectorRef(at), VectorRef(moved));
      for (Index c = begin_[colour]; c < begin_[colour + 1]; ++c) {
        const Index j = column(c);
        const double factor = sign / differences::step_at(x[j]);
        for (Index k = zeros.outerIndexPtr()[j]; k < zeros.outerIndexPtr()[j + 1]; ++k) {
          const Index i = zeros.innerIndexPtr()[k];
          values[k] += factor * (moved[i] - base[i]);
        }
        at[j] = x[j];
      }
    }
  }

 private:
  [[nodiscard]] Index column(Index place) const { return columns_[static_cast<std::size_t>(place)]; }

  std::vector<Index> begin_{0};  ///< of each colour, in columns_
  std::vector<Index> columns_;
};

}  // namespace nonsmooth
