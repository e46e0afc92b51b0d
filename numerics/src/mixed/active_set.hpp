// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "internal.hpp"

namespace nonsmooth::mixed::internal {

/// Semismooth Newton on the natural map of a small dense mixed problem: guess the mode of every row from (r, u), solve
/// the linear system that the modes say, until they stand. Source: Alart, Curnier, A mixed formulation for frictional
/// contact problems prone to Newton like solution methods, 1991; for orthants [hintermuller2002].
class ActiveSet {
 public:
  /// Iterates from (result.r, result.u), whose certificate is in `result`. True if result.r is certified to
  /// `tolerance`; else result holds the last iterate. `dense` is W.
  bool solve(const Problem& problem, ConstMatrixRef dense, double tolerance, Index max_steps, Result& result);

  /// Another W or K: kept factors are void.
  void invalidate() noexcept { factored_ = false; }

 private:
  enum class Mode : unsigned char {
    Lower,      ///< r at its lower bound (0 for orthants and contacts that take off)
    Upper,      ///< r at its upper bound
    Zero,       ///< u = 0
    TiedMinus,  ///< r_T = -mu r_N (slides with u_T >= 0)
    TiedPlus,   ///< r_T = +mu r_N
  };

  /// Memory for all rows of a small problem at once, so that none is asked for when more of them act later.
  void reserve(ConstMatrixRef dense);
  bool identify(const Problem& problem, ConstMatrixRef dense, const Result& result);  ///< true if a mode changed
  bool step(const Problem& problem, ConstMatrixRef dense, GrowingVector& r);          ///< false if singular
  [[nodiscard]] bool assemble_and_factorize(const Problem& problem, ConstMatrixRef dense);

  std::vector<Mode> modes_;
  std::vector<Index> active_;  // the rows with u = 0
  std::vector<double> tie_;    // of each active row: t where r_T = t r_N on the next row, else 0
  Buffer matrix_, rhs_, backup_;
  DenseFactorization factors_{Structure::General, Backend::Eigen};
  bool factored_ = false;
};

}  // namespace nonsmooth::mixed::internal
