// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/lcp/workspace.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "internal.hpp"

namespace nonsmooth::mixed::internal {

/// A mixed problem of Free, Orthant, Box and Coulomb 2D blocks as one LCP of nonnegative variables, solved by pivoting.
///
/// Rows without bounds are eliminated by a Schur complement, r_F = -(W_FF^-1 q_F + X r_C), X = W_FF^-1 W_FC; where W_FF
/// is singular they stay, as differences of two variables. mixed/workspace.hpp says how the sets become variables.
class EquivalentLcp {
 public:
  /// Solves into result.r, certifies and fills status (Solved, or Infeasible with proof), else leaves the status
  /// NotRun. `same_matrix`: W and K of the last call. `dense` is W.
  void solve(const Problem& problem, ConstMatrixRef dense, const Limits& limits, bool same_matrix, Result& result);

  /// The same for a large W with few rows that are not free: W_FF is factored sparse, by Cholesky's factors where it is
  /// symmetric and has some, which with the memory of all else are kept while W couples as before. NotRun where it is
  /// singular.
  void solve_sparse(const Problem& problem, const Limits& limits, Result& result);

 private:
  struct Variable {
    Index row;    ///< position among the kept rows, -1 for a slack's multiplier
    double sign;  ///< r_row = base_row + sum of sign z
  };
  struct Coupling {
    Index i, j;
    double value;
  };

  void classify(const Problem& problem, bool keep_free);
  void lay_out(const Problem& problem, ConstMatrixRef reduced);
  template <class SolveTransposed>
  void solve_reduced(const Problem& problem, const Limits& limits, const SolveTransposed& solve_transposed,
                     Result& result);
  void part_sparse(const BlockSparseMatrix& W);
  [[nodiscard]] bool free_rows_are_symmetric(const Problem& problem) const;
  template <class Solve, class SolveTransposed>
  void solve_by(const Problem& problem, const Limits& limits, const Solve& solve,
                const SolveTransposed& solve_transposed, Result& result);

  std::vector<Index> kept_, free_;
  std::vector<Variable> variables_;
  std::vector<Coupling> couplings_;
  std::vector<double> constants_, base_;  // of each variable: its own part of q; of each kept row: r at z = 0
  Buffer free_matrix_, elimination_, coupling_, reduced_, M_, q_, reduced_q_, free_q_, kept_r_;
  DenseFactorization free_factors_{Structure::General, Backend::Eigen};
  lcp::Workspace workspace_;
  lcp::Result solution_;
  bool laid_out_ = false;
  std::vector<Index> position_;               ///< of each row among those that are free, or -1 - that among the others
  Eigen::SparseMatrix<double> rows_of_free_;  ///< W_FF^T
  SparseFactorization cholesky_{Structure::SymmetricPositiveDefinite}, lu_;
};

}  // namespace nonsmooth::mixed::internal
