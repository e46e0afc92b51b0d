// SPDX-License-Identifier: Apache-2.0
// The tests of which classify() is made; not installed.
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/analysis/matrix_classes.hpp>

#include "ball.hpp"

namespace nonsmooth::analysis::detail {

[[nodiscard]] Finding holds(std::string_view reason);
[[nodiscard]] Finding fails(std::string_view reason);
[[nodiscard]] Finding not_known(std::string_view reason);

/// 2^k near `size`, a power by which scaling is exact; 1 for 0.
[[nodiscard]] double power_of_two(double size);

/// diag(r) M diag(c), powers of two: the largest entry of each row, then of each column, is near 1.
struct Equilibrated {
  BallMatrix M;
  Eigen::VectorXd row, column;
};
[[nodiscard]] Equilibrated equilibrate(const BallMatrix& M);

/// A computed null vector with zeros where its entries are round-off: below 1e-13 of the largest.
[[nodiscard]] Eigen::VectorXd without_noise(const Eigen::VectorXd& v);

/// Fills positive_definite and positive_semidefinite.
void examine_definiteness(const BallMatrix& M, MatrixClasses& classes);
/// Whether M is nonsingular, for every matrix of the ball.
[[nodiscard]] bool proves_nonsingular(const Equilibrated& scaled);
[[nodiscard]] Finding examine_singularity(const BallMatrix& M);
/// symmetric, skew_symmetric, zero, nonnegative, z.
void examine_entries(const BallMatrix& M, MatrixClasses& classes);
[[nodiscard]] Finding examine_h_plus(const BallMatrix& M);
/// p, p0, nondegenerate; reads positive_definite, positive_semidefinite and h_plus.
void examine_minors(const BallMatrix& M, Index max_exact, MatrixClasses& classes);
/// copositive, strictly_copositive; reads positive_definite, positive_semidefinite, nonnegative.
void examine_copositivity(const BallMatrix& M, Index max_exact, MatrixClasses& classes);
/// s; reads p and strictly_copositive.
void examine_game(const BallMatrix& M, MatrixClasses& classes);
/// r0, m, column_sufficient, row_sufficient; reads the others.
void examine_derived(const BallMatrix& M, MatrixClasses& classes);

/// Diagonal blocks of the strongly connected components of M's graph; an entry that may differ from zero is an edge.
[[nodiscard]] std::vector<std::vector<Index>> irreducible_blocks(const BallMatrix& M);

}  // namespace nonsmooth::analysis::detail
