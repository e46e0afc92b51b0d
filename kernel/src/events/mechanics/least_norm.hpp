// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::events {

/// The solution of A x = b, A of m x n and any rank, b in its range to round-off, with the smallest |D^-1 x|:
///
///     R A D P = Q [T 0; 0 0] Z,   x = D P Z^T [T^-1 y; 0],   y the first rank entries of Q^T R b,
///
/// R scales rows to entries of at most 1; Q, T, P and Z are those of Eigen's complete orthogonal decomposition, whose
/// own application of Q and Z allocates. Residuals that no x removes are minimized in the norm of R.
///
/// Multipliers of rows that depend on one another are chosen by it (LoadShares), A = W and D = diag(W)^(-1/2): sum W_kk
/// x_k^2 is smallest, which depends neither on units nor on how a relation's rows are scaled, so rows that do the same
/// share their load alike, and a smooth motion changes the shares smoothly. Rows of heavy and of light bodies count
/// alike. Rows of friction with known capacities c share it as these: c_k takes the place of 1 / W_kk, so that what
/// several can carry comes to the bounds of all at once. Rows whose capacity is infinite cost nothing, as the limit of
/// ever larger ones: their columns F are eliminated by an orthonormal basis B of them, (1 - B B^T) R A D x = (1 - B
/// B^T) R b for the others, and where they depend on one another they share as equal springs, |D^-1 x_F| smallest.
/// Capacities that are large instead would let errors of the others grow with them.
///
/// Cost O(m n rank); memory is kept from one system to the next, so only larger ones allocate.
class LeastNorm {
 public:
  /// Pivots below `threshold` of the first one are zero.
  explicit LeastNorm(double threshold) : threshold_(threshold) { factors_.set_threshold(threshold); }

  /// A = W, square, D as above; where friction makes a diagonal entry less than 1e-6 of its row's largest, that counts.
  void compute(const Eigen::MatrixXd& W) {
    none_.setZero(W.cols());
    compute(W, none_, none_);
  }
  /// With capacities, in (0, 1] by their largest finite one, or infinite, and what takes the place of W_kk; 0: a row
  /// that has none.
  void compute(const Eigen::MatrixXd& W, const Eigen::VectorXd& capacities, const Eigen::VectorXd& weights);
  /// D = 1.
  void compute_unscaled(const Eigen::MatrixXd& A);
  [[nodiscard]] Index rank() const { return factors_.rank() + num_kept(); }
  /// x from b, which may not be the same vector.
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x);
  /// x = V y, V of n x rank, D^-1 V with orthonormal columns but for those of infinite capacities: all x that solve()
  /// gives.
  void expand(const Eigen::VectorXd& y, Eigen::VectorXd& x);

 private:
  void factorize(const Eigen::MatrixXd& A);
  void eliminate_free();
  /// How many free columns are in the basis: the first ones of free_.
  [[nodiscard]] Index num_kept() const { return free_.empty() ? 0 : coupling_.rows(); }
  void find_kernel_of_free();
  /// The entries of x that are not free, by D^-1, from the first of y.
  void expand_others(const Eigen::VectorXd& y);
  void scale(Eigen::VectorXd& x) const;

  double threshold_;
  CompleteOrthogonalFactors factors_;
  Eigen::MatrixXd scaled_;       // R A D
  Eigen::VectorXd unit_, rows_;  // D, R
  std::vector<Index> free_;      // columns F of infinite capacities, at the end those that depend on the others
  // B; R A D F = B triangle of those of the basis, and beside it unit vectors of the kernel of R A D F, a row each of
  // F; B^T R A D of all others.
  Eigen::MatrixXd basis_, triangle_, coupling_;
  Eigen::VectorXd image_, reflected_, none_, along_;
};

}  // namespace nonsmooth::events
