// SPDX-License-Identifier: Apache-2.0
#pragma once

// Proximal points with Alart and Curnier's prediction, linearised on the contacts that carry a reaction alone.

#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "block_lu.hpp"
#include "interfaces.hpp"

namespace nonsmooth::friction::internal {

/// What a contact does; other blocks are Stick where they carry a reaction.
enum class Mode : unsigned char { Open, Stick, Slip };

/// P(u) of every block: with p = center - (rho / alpha) u,
///
///     P_N = max(0, p_N),   P_G = p_G on |p_G| <= b P_N, else b P_N p_G / |p_G|, for each tangential group G of bound b
///
/// (a Free block: P = p, an orthant row: max(0, p)), and the solution of (1 + B W) x = b with B = -dP/du.
///
/// B has the rank of the modes: 3 where a spatial contact sticks, 2 where it slips, 0 where it is open. With B = E G
/// F^T (G diagonal) the system shrinks to  (G^-1 + F^T W E) z = F^T W b,  x = b - E z: rows of open contacts are gone.
/// Newton's method on r = P(r - rho u) meets  (1 - D) x + D rho W x = b,  D = E G F^T the derivative of P: with
/// F^T E = 1 it shrinks to  (G^-1 - 1 + F^T rho W E) w = F^T (b - rho W b),  x = b + E w.
/// Where many contacts lie between the same two bodies, W = V Ŵ V^T (see Interfaces) and each interface brings no more
/// rows than it has degrees of freedom: with S = V^T E G F^T V of an interface and c the right side of its columns,
/// y = V^T E z solves (S^-1 + Ŵ) y = S^-1 V^T E G c if S is well-conditioned, and z = G (c - F^T V Ŵ y).
/// Scaled by rho^(1/2) on both sides, its entries are of order one and those of G^-1 of order alpha, whatever the
/// units.
class ActiveModes {
 public:
  /// Blocks are Free, Orthant, Coulomb2D, Coulomb3D or Rolling, canonical. Problem and rho must stay alive and
  /// unchanged until the next call. Allocates nothing for a problem of no more rows and blocks than one before, where
  /// its interfaces are no more and none is larger.
  void prepare(const mixed::Problem& problem, const GrowingVector& rho);

  /// For every mode of the problem prepared, where the system is dense.
  void reserve() {
    lu_.reserve_dense(problem_->W.rows());
    interfaces_.reserve(problem_->W.num_block_rows());
  }

  void predict(ConstVectorRef center, ConstVectorRef u, double alpha, VectorRef P) const;

  /// Modes, E, F, G at u and the factors of the reduced system. False where it is singular or not finite.
  [[nodiscard]] bool factorize(ConstVectorRef center, ConstVectorRef u, double alpha);
  /// The same for Newton's method at r: modes of r - rho u, `shift` added to G^-1 (W may be singular).
  [[nodiscard]] bool factorize_newton(ConstVectorRef r, ConstVectorRef u, double shift);
  /// x of the system factored last; Wb = W b.
  void solve(ConstVectorRef b, ConstVectorRef Wb, VectorRef x);

  [[nodiscard]] Index num_active() const noexcept { return first_.back(); }  ///< rows of the reduced system
  [[nodiscard]] const std::vector<Mode>& modes() const noexcept { return modes_; }

 private:
  /// G^-1: `unit` for a row that sticks, turn p_share + turn_constant, p_share = |p_T| / |P_T| >= 1, for a direction.
  struct InverseGain {
    double unit, turn, turn_constant;
  };
  [[nodiscard]] bool factorize_at(ConstVectorRef center, ConstVectorRef u, double step, const InverseGain& gain);
  void linearize(Index block, const double* p, const InverseGain& gain);
  void add_column(Index block, const double* e, const double* f, double inverse_gain);
  void add_unit(Index block, Index row, double alpha);
  [[nodiscard]] bool factorize_interfaces();
  [[nodiscard]] bool invert_well(GrowingMatrix<>& inverse);
  void solve_interfaces();
  void fill(Index b, Index k, const BlockLu::Target& target) const;
  [[nodiscard]] Index first_column(Index b) const { return first_[static_cast<std::size_t>(b)]; }
  [[nodiscard]] double right_side(Index block, Index column, ConstVectorRef b, ConstVectorRef Wb) const;

  const mixed::Problem* problem_ = nullptr;
  const GrowingVector* rho_ = nullptr;
  GrowingVector root_;                        // rho^(1/2)
  std::vector<Index> column_begin_;           // where the n x n places of a block's columns begin in E_ and F_
  std::vector<double> E_, F_, inverse_gain_;  // columns of size(b) entries, scaled; one entry of G^-1 a column
  std::vector<bool> whole_;                   // E = F = the scaled identity: sticking
  std::vector<Index> first_;                  // first reduced row of a block
  std::vector<Mode> modes_;
  bool newton_ = false;  // which system was factored last
  BlockLu lu_;
  Interfaces interfaces_;
  std::vector<Index> interface_first_;                  // first reduced row of an interface
  std::vector<GrowingMatrix<>> left_, right_, corner_;  // of an interface: Z, U, and S^-1 or the diagonal G^-1
  std::vector<bool> inverted_;                          // S^-1
  std::vector<double> projected_E_, projected_F_;       // V^T E and V^T F, a column of the interface's size each
  std::vector<Index> projected_begin_;                  // by member
  GrowingVector carried_, felt_, unknown_;              // by interface row: V^T E z, Ŵ V^T E z; by reduced row
  GrowingMatrix<> S_, product_;
  DenseFactorization inverse_;
  GrowingVector z_;
};

}  // namespace nonsmooth::friction::internal
