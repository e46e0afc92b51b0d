// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth {

/// Equality rows of a block of a problem: rows 0 to rows - 1.
struct EqualityRows {
  Index block = 0, rows = 1;
  bool ground = false;  ///< some of them measure the ground beside what is between their systems
};

/// A proof that of many equality rows none depends on others.
///
/// Of Ŵ = S W S with unit diagonal, S = diag(W)^(-1/2), let Ŵ - s I have Cholesky's factors: its least eigenvalue is
/// then above s, less what rounding of the factors makes of it, at most 2 (b + 1)^2 eps for b entries of a row before
/// the diagonal (Higham 2002, theorem 10.3, with |L||L^T| <= 1), which s is above dependent^2. The square of what the
/// others leave of a row, in units of its length, is a Schur complement of Ŵ, no less than that eigenvalue: none is
/// left with less than `dependent`. Where there are no factors nothing is known.
///
/// Factors are in the envelope of the rows in the order of Cuthill and McKee (reversed): of a chain O(1) numbers a row,
/// whatever its ties are numbered like. Cost: O(b^2) a row, and the order where the pattern is another one. Envelopes
/// of more than 4 million numbers are not factored.
class IndependentRows {
 public:
  /// Of all rows of `parts` in W but those that `left_out` has, by row of W, and those that no reaction moves, W_kk =
  /// 0. Parts in ascending order of blocks, the same ones in each call. Allocates where W couples others than before.
  [[nodiscard]] bool prove(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                           const std::vector<char>& left_out, double dependent);

 private:
  /// Of a row: its first column in the envelope, and where this is in `factor_`.
  struct EnvelopeRow {
    Index first = 0, begin = 0;
  };

  void number_blocks(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts);
  void find_order(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts);
  /// Ŵ - s I into `factor_`. False: something is not in the envelope.
  [[nodiscard]] bool write(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                           const std::vector<char>& left_out, double dependent);
  [[nodiscard]] bool factorize();
  [[nodiscard]] double& entry(Index row, Index column);

  std::vector<Index> part_of_;     ///< by block of W; -1: none
  std::vector<Index> place_of_;    ///< in the order, by part: of its first row
  std::vector<EnvelopeRow> rows_;  ///< in the order
  std::vector<double> scale_;      ///< likewise: the diagonal of S; 0 of what is left out
  std::vector<double> factor_;
  Index width_ = 0;  ///< b
  bool too_large_ = false;
};

}  // namespace nonsmooth
