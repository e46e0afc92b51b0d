// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/filippov.hpp>

namespace nonsmooth {

/// A polyhedral cell {x : E x <= e} and its field, x' = A x + b inside.
struct AffineCell {
  Eigen::MatrixXd E{};  ///< rows x n; empty: all of R^n
  Eigen::VectorXd e{};  ///< rows
  Eigen::MatrixXd A{};  ///< n x n
  Eigen::VectorXd b{};  ///< n; empty: 0
  std::string name{};   ///< for messages; empty: "cell <number>"
};

/// x' = A_i x + b_i in cell i. Cells cover R^n and meet at most in their boundaries; on these x' is what `meaning` says
/// of the hyperplanes of their rows (filippov.hpp).
struct PiecewiseAffineSystem {
  ConstantVector x0{};  ///< n
  std::vector<AffineCell> cells{};
  bool continuous = false;  ///< claimed: neighbours have one field on their common facet, which is verified
  FilippovMeaning meaning = FilippovMeaning::Hull;
  std::string name{};
};

/// a . x + b
struct AffineFunction {
  Eigen::VectorXd a{};  ///< n
  double b = 0.0;
};

/// A continuous piecewise affine system by max and min, component by component,
///
///     x_i' = max_k min_l (a_ikl . x + b_ikl),
///
/// the form that every continuous piecewise affine function has (Ovchinnikov 2002 [ovchinnikov2002]).
struct MaxMinSystem {
  ConstantVector x0{};                                            ///< n
  std::vector<std::vector<std::vector<AffineFunction>>> rates{};  ///< [i][k][l]: n of them, none empty
  std::string name{};
};

/// The FilippovSystem of a piecewise affine one, for link_filippov(): switching functions c_j = a_j . x - d_j, |a_j| =
/// 1, are the distinct hyperplanes of all rows, at most 8; a region for each pattern of their signs. Two are one where
/// normals agree to 1e-12, up to the sign of both numbers, and |d - d'| <= 1e-12 max(|d|, |d'|) + 64 eps max(1, D), D
/// the largest |d_j|.
///
///     const auto handles = link_filippov(model, to_filippov(PiecewiseAffineSystem{.x0 = {1.0, 0.0}, .cells = {
///         {.E = Eigen::MatrixXd{{-1.0, 0.0}}, .e = Eigen::VectorXd::Zero(1), .A = right},
///         {.E = Eigen::MatrixXd{{1.0, 0.0}}, .e = Eigen::VectorXd::Zero(1), .A = left}}}));
///
/// Which patterns occur a linear program each tells, max r: S_j c_j(x) >= r for all j, r <= D (1 where all d_j are 0):
/// those with r > 1e-9 |d_j| of the planes that bound it (nearer than 2 r), and r > 64 eps D. One that does not occur
/// gets the field of the one that does and differs from it in the fewest signs. Where x is on surfaces that it has in
/// common with it, that one has them in common too: near x the rows of other surfaces hold, so that signs of these
/// alone have to change.
///
/// Cost: 2^p small linear programs.
/// @throws InvalidArgument: no cell, shapes that differ, numbers that are not finite, a row of zeros, more than 8
/// hyperplanes; with a point of each: a cell without inside (none), cells that overlap, a place in no cell, where
/// `continuous` is claimed a facet on which two fields differ by more than 1e-9 of their terms.
[[nodiscard]] FilippovSystem to_filippov(const PiecewiseAffineSystem& system);

/// The same: surfaces are the hyperplanes on which two functions of one component are equal; those whose a differ by no
/// more than 1e-12 of their entries are parallel and meet nowhere. Nothing slides, as x' is
/// continuous; simulations see its kinks. @throws InvalidArgument: no component, a max or min of nothing, shapes that
/// differ, numbers that are not finite, more than 8 hyperplanes.
[[nodiscard]] FilippovSystem to_filippov(const MaxMinSystem& system);

}  // namespace nonsmooth
