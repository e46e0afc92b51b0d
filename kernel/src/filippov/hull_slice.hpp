// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

/// The part of a convex hull of fields that stays on surfaces, for a few surfaces, without allocations.
namespace nonsmooth::filippov {

inline constexpr Index kMostHeld = 4;  ///< surfaces that x may be on at once
inline constexpr Index kMostWeights = Index{1} << kMostHeld;

/// theta, by pattern of the signs of those surfaces.
using Weights = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostWeights, 1>;
/// w, q x m: w_ji = dc_j/dt along the field of pattern i.
using SurfaceRates = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMostHeld, kMostWeights>;
using SurfaceVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostHeld, 1>;

/// {theta >= 0: w theta = 0, sum theta = 1}: what keeps x on q surfaces, m fields. Rows of w that depend on others, or
/// are zero, within 1e-9 of their terms, are left out; r others stay. Sizes are small, so that all bases are looked at.
class HullSlice {
 public:
  /// `terms`: of each row, the largest sum of magnitudes that w_ji was taken from.
  void set(const SurfaceRates& w, const SurfaceVector& terms);

  [[nodiscard]] Index size() const noexcept { return w_.cols(); }
  [[nodiscard]] Index rank() const noexcept { return rank_; }
  /// theta of the basis `mask`, r + 1 patterns; its entries may be negative. False: they do not determine it.
  [[nodiscard]] bool basis_weights(std::uint32_t mask, Weights& theta) const;
  /// The theta whose least entry is largest, of those that may be negative too: that entry, or -infinity where no
  /// theta solves the equations. One basis of it in `mask` (patterns above the least).
  double innermost(Weights& theta) const;
  /// All extreme points, masks of their bases.
  void vertices(std::vector<Weights>& thetas, std::vector<std::uint32_t>& masks) const;
  /// theta = (products of alpha_j and 1 - alpha_j) with w theta = 0, by Newton's iteration from the alpha that comes
  /// in; steps are the shortest where alpha is not determined. False: it did not converge. alpha may leave [0, 1].
  [[nodiscard]] bool multi_affine(SurfaceVector& alpha, Weights& theta) const;
  /// q = 2, w_j over the length of the gradient of c_j: sum_i sigma_i |w_i| theta_i = 0 beside the equations, sigma_i
  /// the product of the pattern's signs (Dieci & Difonzo 2015). False: not determined.
  [[nodiscard]] bool moments(const SurfaceVector& gradients, Weights& theta) const;

 private:
  SurfaceRates w_;  ///< scaled to terms of 1
  SurfaceVector terms_;
  std::array<Index, kMostHeld> rows_{};
  Index rank_ = 0;
};

/// Solves A x = b, n <= 17 equations by rows of n + 1 numbers, the right-hand side last; x is left there. False where a
/// pivot is below 1e-12 of the largest entry.
bool solve_small(double* rows, Index n);

/// min |sum_k mu_k v_k|, mu in the simplex, from G_kl = v_k . v_l: Wolfe's algorithm.
void least_norm(const Eigen::MatrixXd& G, Eigen::VectorXd& mu);

}  // namespace nonsmooth::filippov
