// SPDX-License-Identifier: Apache-2.0
#pragma once

// Generalised Jacobians of P_K and of û, one block at a time, and the maps e(r, u) whose zeros solve a problem.

#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed::internal {

/// True for {|r_G| <= bound_G r_0 for each group G of rows}: second-order, Coulomb, Drucker-Prager and rolling cones.
[[nodiscard]] bool is_cone(SetKind kind) noexcept;

/// D in the B-subdifferential of P_K at z (n x n, column-major); the derivative itself wherever P_K has one. With
/// s = z_T / |z_T|, on the boundary of a cone  dP_0 = (dz_0 + mu s·dz_T) / (1 + mu^2),
/// dP_T = mu dP_0 s + mu (P_0 / |z_T|) (I - s s^T) dz_T; of a rolling cone the same with the sums over the groups that
/// the projection shortens, the others as they are. Sets are canonical.
void projection_jacobian(const BlockSet& set, const double* z, Index n, double* D) noexcept;

/// t of dû = du + t·du_T e_0 (n entries, t_0 = 0): c u_T / |u_T| with c = lift_factor(set), group by group for Rolling,
/// and 0, which is in the subdifferential, at u_T = 0.
void velocity_jacobian(const BlockSet& set, const double* u, Index n, double* t) noexcept;

/// Which system of equations stands for the law; both have the same zeros.
enum class Form : unsigned char {
  /// e = (r - P_K(r - rho û)) / rho.
  Natural,
  /// Cones as a unilateral law and a disk whose radius comes from the predicted r_0: with z = r - rho v,
  /// v = u + (c - mu) |u_T| e_0:  rho e_0 = r_0 - max(0, z_0),  rho e_T = r_T - P_{|.| <= mu max(0, z_0)}(z_T)
  /// (Alart, Curnier 1991); one disk a group of a rolling cone. The other sets as Natural.
  Prediction,
};

/// e of one block with one rho a row (constant on all but orthants and boxes).
void natural_map(const BlockSet& set, Form form, const double* rho, const double* r, const double* u, Index n,
                 double* e) noexcept;

/// e and its generalised partial derivatives A = de/dr, C = de/du (n x n, column-major). `scratch` holds n n + 3 n.
void linearize_natural_map(const BlockSet& set, Form form, const double* rho, const double* r, const double* u, Index n,
                           double* e, double* A, double* C, double* scratch) noexcept;

/// rho of every row, as the certificate takes it: a row of an orthant or a box 1 / W_kk, of another set n_i / tr W_ii;
/// where that is not positive, 1 / the largest |W_kj| of the rows, else 1.
void natural_scales(const Problem& problem, Eigen::VectorXd& rho);
/// The same of a vector that has an entry a row.
void natural_scales(const Problem& problem, VectorRef rho);

}  // namespace nonsmooth::mixed::internal
