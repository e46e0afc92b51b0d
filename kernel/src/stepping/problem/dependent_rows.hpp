// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include "row_envelope.hpp"

namespace nonsmooth {

/// Which of very many equality rows of a problem u = W r + q depend on others, at about the cost of a sparse
/// factorisation.
///
/// None does, proven: of Ŵ = S W S with unit diagonal (RowEnvelope) let Ŵ - s I have Cholesky's factors: its least
/// eigenvalue is then above s, less what rounding of the factors makes of it, at most 2 (b + 1)^2 eps for b entries of
/// a row before the diagonal (Higham 2002, theorem 10.3, with |L||L^T| <= 1), which s is above dependent^2. The square
/// of what the others leave of a row, in units of its length, is a Schur complement of Ŵ, no less than that eigenvalue:
/// none is left with less than `dependent`. What bends over hundreds of ties has smaller eigenvalues, though no row of
/// it is left with little. Then the least eigenvalue is shown to be above eight times that rounding, which changes x^T
/// Ŵ^-1 x by a seventh at most, and of each row 1 / (Ŵ^-1)_kk, the square of what all others leave of it, to be above
/// dependent^2 by as much, as it is computed.
///
/// Where that fails, Ŵ = L L^T row by row, in the order of the envelope: row d counts as dependent where the square of
/// what those before it leave of it is below dependent^2, or within rounding, and its column of L is zero. It is made
/// up by others but for that: Ŵ z = what is left, with z = (-L_I^-T l_d, 1) on the independent rows I before it, its
/// one circuit among these. Entries below 1e-12, what rounding leaves of zeros, count as zero. Of a circuit whose entry
/// in d is below an eighth of its largest one that one's row counts as dependent in place of d, and the circuit is
/// taken from the others that pass it: what solves without dependent rows is then not much larger than what is shared.
/// Circuits of many rows are refined by the factors, with Ŵ z by sums in extended precision: shared reactions are then
/// known to eps over the least eigenvalue of Ŵ that is no zero, as W is. Z, m x k, has the z as columns, of length 1 or
/// nearly. No row but those found depends on others where the proof above holds without these.
///
/// What then is done differs from the dense path (RedundantRows) by the square of `dependent` alone, and keeps W as
/// sparse as it is, however many rows a circuit passes:
///
///     W := W + E E^T,    q := (I - A (Z^T Z)^-1 B^T) q,    A = S^-1 Z, B = S Z,
///
/// E = S^-1 on the columns of dependent rows: their W_dd is twice what it was, to the bit. Rows that no reaction moves
/// get W_kk = 1, and no reaction as long as q_k = 0. B^T u = 0 says that
/// B^T E E^T r = -B^T W r, which is 0 but for what is left of the rows; as no circuit passes another's dependent row,
/// these get no reaction then. The reactions that are found are shared afterwards:
///
///     r := r - B (Z^T Z)^-1 A^T r,
///
/// which W does not see, W B = 0 but for what is left: of all reactions that do the same the one with the least sum of
/// W_kk r_k^2, A^T r = 0. With W + A A^T in place of W + E E^T (the global form has it) r is that as it is found. u
/// misses combinations B^T u alone, least squares in the scaled rows; Z (Z^T Z)^-1 Z^T is the projector N N^T of an
/// orthonormal basis.
///
/// Cost: O(b^2) a row, three times where some depend, O(b) for each row that a circuit passes, and k times the square
/// of how many circuits pass beside each other. Given up where the envelope or the circuits take more than 4 million
/// numbers.
class DependentRows {
 public:
  /// Rows once found dependent stay so until the next step, which knows nothing of those before.
  void begin_step() {
    known_.clear();
    had_some_ = false;
  }
  /// Looks at the rows of `parts` in W. `left_out`, by row of W: rows that are known to depend on others, for a proof
  /// that these are all; where it fails they are looked for among all rows. Parts in ascending order of blocks, the
  /// same ones in each call. Allocates where W couples others than before.
  void look(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts, const std::vector<char>& left_out,
            double dependent);
  /// No row depends on others, but for those left out or found.
  [[nodiscard]] bool proven() const { return proven_; }
  [[nodiscard]] Index count() const { return std::ssize(circuits_); }  ///< k
  /// What is left of all dependent rows, in units of their lengths.
  [[nodiscard]] double remainder() const { return remainder_; }
  /// |(Z^T Z)^(-1/2) B^T q|, and |S x| of all rows.
  [[nodiscard]] double combinations(const double* q);
  [[nodiscard]] double size_of(const Eigen::VectorXd& x) const;
  /// A A^T has more than 100 numbers a row in its lower half.
  [[nodiscard]] bool is_wide() const {
    Index numbers = 0;
    for (const Circuit& circuit : circuits_) numbers += (circuit.last - circuit.first) * (circuit.last - circuit.first);
    return numbers > 200 * rows_.size();
  }
  /// q := (I - A (Z^T Z)^-1 B^T) q.
  void take_away(double* q);
  /// W + E E^T, W_kk = 1 of rows that no reaction moves, or W as it was again.
  void change_diagonals(bool add, BlockSparseMatrix& W) const;
  /// q is 0 to round-off in rows that no reaction moves, W_kk = 0, or they contradict. `terms`: absolute ones of q.
  [[nodiscard]] bool idle_rows_hold(const double* q, const Eigen::VectorXd& terms) const;
  /// r := r - B (Z^T Z)^-1 A^T r, 0 in rows that no reaction moves.
  void share(double* r);
  /// The reactions that do the same as r, but for what is left, and are 0 in dependent rows: what share() undoes.
  void take_from_dependent(double* r);
  /// r := r - S (L L^T)^-1 S u, u = W r + q by sums in extended precision, where W has no other rows: L of the rows
  /// that do not depend on others, r of those that do stays. Repeated it solves the problem, to the rounding of r where
  /// cond(L L^T) eps < 1. False: L does not exist. Allocates nothing.
  [[nodiscard]] bool correct(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts, const double* q,
                             double* r);
  /// The rows are solved to the rounding of their largest: max |S u| <= 64 eps max S (|W||r| + |q|), and that is below
  /// 64e-6 of max |S q|, u = W r + q as correct() has it. Rows share one scale here, that of S: where many carry
  /// nothing and others much, what rounding of these leaves in those is more than their own terms.
  [[nodiscard]] bool are_solved(const BlockSparseMatrix& W, const double* q, const double* r) const;
  /// Calls visit(row of W, column of Z, entry of A, entry of B).
  template <class Visit>
  void for_each_entry(Visit&& visit) const {
    for (std::size_t c = 0; c < circuits_.size(); ++c) {
      const Circuit& circuit = circuits_[c];
      for (Index i = circuit.first; i <= circuit.last; ++i) {
        if (const double z = z_at(circuit, i); z != 0.0)
          visit(row_of_[at(i)], static_cast<Index>(c), z / scale_[at(i)], z * scale_[at(i)]);
      }
    }
  }

 private:
  /// Calls visit(place in the order) for rows that no reaction moves.
  template <class Visit>
  void for_each_idle(Visit&& visit) const {
    for (Index i = 0; i < rows_.size() && count() > 0; ++i)
      if (scale_[at(i)] == 0.0) visit(i);
  }
  /// A column of Z on rows `first` to `last` of the order, from `begin` on in z_. No other one passes its dependent
  /// row.
  struct Circuit {
    Index first = 0, last = 0, begin = 0, dependent = 0;
  };

  /// q + W r in a row of W and |q| + |W||r|, by sums in extended precision.
  struct Sum {
    double value = 0.0, terms = 0.0;
  };
  [[nodiscard]] static Sum sum_of(const BlockSparseMatrix& W, Index block, Index row, const double* q, const double* r);
  [[nodiscard]] bool factorize_shifted(double shift);
  [[nodiscard]] bool prove(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                           const std::vector<char>& left_out, double dependent);
  void find(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts, double dependent);
  /// z of a row in work_: nothing before `low`, entries from `first` on, |z|^2.
  struct Span {
    Index low = 0, first = 0;
    double square = 1.0;
  };
  [[nodiscard]] Span write_circuit(Index d);
  void add_circuit(Index d);
  [[nodiscard]] bool exchange_small_entries();
  void add_multiple(double factor, const Circuit& own, Index zero, Circuit& circuit);
  [[nodiscard]] double write_residual(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                                      const Circuit& circuit);
  [[nodiscard]] bool factorize_rest(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts);
  [[nodiscard]] bool refine(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts);
  [[nodiscard]] bool close_circuits();
  void forget();
  [[nodiscard]] double z_at(const Circuit& circuit, Index place) const {
    return place < circuit.first || place > circuit.last ? 0.0 : z_[at(circuit.begin + place - circuit.first)];
  }
  void combine(const double* q);  ///< B^T q into combined_

  RowEnvelope rows_;
  std::vector<Circuit> circuits_;
  Envelope gram_;     ///< factors of Z^T Z
  Envelope inverse_;  ///< entries of Ŵ^-1, where a proof asked for them
  std::vector<double> z_, combined_, work_;
  std::vector<double> scale_;             ///< by row of the order: an entry of S
  std::vector<Index> row_of_, block_of_;  ///< likewise: row and block of W
  std::vector<Index> last_;
  std::vector<Index> found_;            ///< dependent rows, by place in the order, ascending
  std::vector<char> known_, excluded_;  ///< dependent in this step, by place; dependent, by row of W
  Index orders_ = 0;                    ///< of the order that known_ is about
  double remainder_ = 0.0;
  bool proven_ = false;
  bool has_factors_ = false;  ///< rows_ has those of the rows that do not depend on others
  bool had_some_ = false;     ///< in this step: no proof that there are none is tried first
};

}  // namespace nonsmooth
