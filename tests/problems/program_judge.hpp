// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is claimed of quadratic programs, cone programs and programs with complementarity constraints, judged by loops
// over the data in quadruple precision, with none of the library's own functions.

#include <nonsmooth/numerics/cone_program/problem.hpp>
#include <nonsmooth/numerics/mpcc/problem.hpp>
#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::problems {

/// Whether the multipliers y of the rows leave no x (Farkas): with r = A^T y, y^T t at the bounds that y pushes on is
/// above every r^T x within the bounds of x. An r_j that would need an infinite bound is 0 up to 8 eps of its terms.
[[nodiscard]] bool farkas_holds(const qp::Problem& problem, const Eigen::VectorXd& y);
/// Whether the value falls forever along d from any feasible x: Q d = 0 and no row is left, up to 8 eps of the terms;
/// no bound is; c^T d < 0.
[[nodiscard]] bool ray_holds(const qp::Problem& problem, const Eigen::VectorXd& d);

/// Whether z is in K, A^T y + G^T z = 0 and b^T y + h^T z < 0; the equations up to 128 eps of their terms, where z is
/// not 0 on a second-order cone up to 1e-9, which the family says that its proofs are worth.
[[nodiscard]] bool farkas_holds(const cone_program::Problem& problem, const Eigen::VectorXd& multipliers);
/// Whether A d = 0, -G d in K and c^T d < 0, up to the same, where there are second-order cones up to 1e-9.
[[nodiscard]] bool ray_holds(const cone_program::Problem& problem, const Eigen::VectorXd& d);

/// Farkas for the rows, the bounds and both sides of every pair, complementary or not; (y, u, v).
[[nodiscard]] bool farkas_holds(const mpcc::Problem& problem, const Eigen::VectorXd& multipliers);
/// Whether x is feasible to 1e-8 of the terms, x + t d stays on one piece and its value falls forever: d^T Q d not
/// above, (Q x + c)^T d below 0 beyond 64 eps of the terms.
[[nodiscard]] bool ray_holds(const mpcc::Problem& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& d);

/// The most that the signs of u and v allow on the pairs whose sides are both below 1e-9 of their terms: Strong,
/// Mordukhovich, Clarke or Weak. A multiplier above -1e-7 of the largest slope counts as no sign.
[[nodiscard]] mpcc::Stationarity stationarity_by_signs(const mpcc::Problem& problem, const Eigen::VectorXd& x,
                                                       const Eigen::VectorXd& u, const Eigen::VectorXd& v);
/// Whether on every piece at x the slope Q x + c is a combination of the active rows, with multipliers of the right
/// signs, to 1e-4 of its terms: least squares with signs on each of the pieces. Rows up to 1e-6 of their terms from
/// their bound are active: a product of both errors is one of 1e-10.
[[nodiscard]] bool stationary_on_every_piece(const mpcc::Problem& problem, const Eigen::VectorXd& x);

}  // namespace nonsmooth::problems
