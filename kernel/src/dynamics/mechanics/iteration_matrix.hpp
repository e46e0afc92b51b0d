// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

#include "dynamics/discretisation.hpp"

/// What may be wrong with the iteration matrix A(h) of a linear system: it is singular, or h is so long that A has left
/// the side on which it is for h -> 0, and the step then goes the wrong way however small its residual.
namespace nonsmooth::iteration_matrix {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// @throws InvalidArgument: A is singular.
[[noreturn]] void refuse_singular(const std::string& name);

/// A(h) = M + h theta velocity C + h^2 theta position K.
template <class Matrix>
[[nodiscard]] Matrix of_mechanics(const Matrix& M, const Matrix& C, const Matrix& K, const Scheme& scheme, double h) {
  const double theta = scheme.theta;
  return Matrix(M + h * theta * scheme.velocity * C + h * h * theta * scheme.position * K);
}

/// The components that nobody prescribes.
[[nodiscard]] std::vector<Index> free_components(const std::vector<PrescribedVelocity>& prescribed, Index n);

/// M symmetric positive definite; where C and K are symmetric too, A has to be positive definite: with a negative
/// eigenvalue, forces push backwards. Where they are not, (A + A^T) / 2 is to be positive definite, or no growing mode
/// may be faster than the step: Re s h theta < 1 for the roots s of det(M s^2 + C s + K), of more than 100 unknowns
/// det A > 0 (sparse ones of more are let through). Cost: one Cholesky factorization; the roots where they are asked.
/// @throws InvalidArgument naming the system, h and the longest step that would do, to two digits.
void require_positive(const std::string& name, const Eigen::MatrixXd& M, const Eigen::MatrixXd& C,
                      const Eigen::MatrixXd& K, const Scheme& scheme, double h);
void require_positive(const std::string& name, const SparseMatrix& M, const SparseMatrix& C, const SparseMatrix& K,
                      const Scheme& scheme, double h);

/// A(h) = M - h theta A_x of a first-order system, M regular. Where det A and det M have other signs, an odd number of
/// growing modes has h theta lambda > 1, and each step turns their sign. Where M is singular nothing is known. Cost:
/// two LU factorizations.
/// @throws InvalidArgument naming the system, h and the longest step for which the signs agree, to two digits.
void require_orientation(const std::string& name, const Eigen::MatrixXd& M, const Eigen::MatrixXd& A_x, double theta,
                         double h);

/// What a scheme cannot do with the mass of a first-order system, if that is singular: be exponential, or take theta =
/// 0; and no scheme can integrate a singular pencil s M - A, where A is given (constant, and no input adds to it).
/// Cost: two LU factorizations.
/// @throws InvalidArgument naming the system.
void check_singular_mass(const std::string& name, const Eigen::MatrixXd& M, const Eigen::MatrixXd* A,
                         const Scheme& scheme);
/// The same of a sparse mass and no A. Cost: a sparse LU factorization, for theta = 0 alone.
void check_singular_mass(const std::string& name, const SparseMatrix& M, const Scheme& scheme);

/// Singular to rounding whatever units rows and columns have: both are scaled to 1 before the condition is looked at.
[[nodiscard]] bool is_singular(Eigen::MatrixXd A);

}  // namespace nonsmooth::iteration_matrix
