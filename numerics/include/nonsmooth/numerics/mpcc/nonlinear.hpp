// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>

#include <nonsmooth/numerics/mpcc/sparse_problem.hpp>
#include <nonsmooth/numerics/nonlinear_map.hpp>

namespace nonsmooth::mpcc {

/// The program with complementarity constraints in x in R^n
///
///     minimise f(x)    subject to    row_lower <= c(x) <= row_upper,   lower <= x <= upper,
///                                    0 <= G(x) ⟂ H(x) >= 0,
///
/// f, c, G, H by callables, once differentiable with locally Lipschitz slopes, with sparse or dense Jacobians or none
/// (nonlinear_map.hpp); convex or not. What discretizations of switched systems ask for: steps as rows, of each switch
/// one pair for the sign and what acts there, step sizes among the unknowns.
///
/// No solver asks a callable outside of the bounds of x; linearize(), certify() and is_bouligand_stationary() ask at
/// the x that they are given. x is weakly stationary if multipliers exist with
///
///     f'(x) = c'(x)^T y + s + G'(x)^T u + H'(x)^T v,    u_i = 0 where G_i(x) > 0,   v_i = 0 where H_i(x) > 0,
///
/// that is, if it is a weakly stationary point of the linear program that linearize() gives.
/// Source: Scheel, Scholtes 2000 [scheel2000].
struct NonlinearProblem {
  NonlinearMap f;               ///< one value; its Jacobian is the row f'(x)
  NonlinearMap c{};             ///< num_values = 0, as it is born: no rows
  Eigen::VectorXd row_lower{};  ///< m entries, < +inf; empty: -inf
  Eigen::VectorXd row_upper{};  ///< m entries, > -inf, >= row_lower; empty: +inf
  Eigen::VectorXd lower{};      ///< n entries, < +inf; empty: -inf
  Eigen::VectorXd upper{};      ///< n entries, > -inf, >= lower; empty: +inf
  NonlinearMap G{};             ///< num_values = 0: no pairs
  NonlinearMap H{};             ///< as many values as G
  /// Writes the second derivatives in x of f - y·c - u·G - v·H, both triangles, n x n, of the multipliers given; what
  /// is not convex in it is left out of steps. None: dense quasi-Newton updates, for up to 300 unknowns.
  std::function<void(ConstVectorRef x, ConstVectorRef y, ConstVectorRef u, ConstVectorRef v,
                     Eigen::SparseMatrix<double>& L)>
      hessian{};

  [[nodiscard]] Index num_unknowns() const noexcept { return f.num_unknowns; }  ///< n
  [[nodiscard]] Index num_rows() const noexcept { return c.num_values; }        ///< m
  [[nodiscard]] Index num_pairs() const noexcept { return G.num_values; }       ///< k

  /// @throws InvalidArgument: maps as NonlinearMap::validate, of unknowns that differ, f of more than one value, G and
  /// H of different numbers of values; bounds of other sizes or that cross.
  void validate() const;
};

/// The linear program at x, x as its unknown: slopes f'(x), rows and sides by their Jacobians, with the values that c,
/// G and H have at x. Q = 0. @throws InvalidArgument as validate(), x of another size, what is not finite at x.
[[nodiscard]] SparseProblem linearize(const NonlinearProblem& problem, ConstVectorRef x);

/// The certificate of (x, y, u, v) as a weakly stationary point: certify() of linearize(problem, x), with errors over
/// the largest of their kind alone (qp::Figures): a slope that is 0 at the answer tells no size of its own.
[[nodiscard]] Certificate certify(const NonlinearProblem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef u,
                                  ConstVectorRef v, VectorRef s, Look* look = nullptr);

/// True if no direction leads to a better point to first order: of linearize(problem, x) x is the minimiser on every
/// piece that it is in, at least one, within |x'_j - x_j| <= L_j, to `tolerance` of sum_j |f'_j| L_j. L_j is the larger
/// of |x_j| and what the pairs and the equations ask of it; where they say nothing of it the largest of all of these;
/// where that is 0 the least bound that is not; else 1. Sides that count as 0 are so up to 1e-8 of their terms, which
/// moves values by some of that. 2^|beta| linear programs, of which at most 1024 are solved; with more it is false. It
/// is B-stationarity where the linear pieces are the tangents of the feasible set, as under MPEC-LICQ. @throws
/// InvalidArgument as linearize().
[[nodiscard]] bool is_bouligand_stationary(const NonlinearProblem& problem, ConstVectorRef x, double tolerance = 1e-7);

/// What a solve of callables found.
struct NonlinearResult : Result {
  Index values = 0;  ///< how often f, c, G and H were asked at a point, differences not counted
  /// Status::NumericalFailure because a callable was not finite, or Stalled because it was not along a last step,
  /// however short: where and what, as NotFinite::message says it.
  std::string not_finite{};

  [[nodiscard]] std::string message() const;  ///< as Result::message
};

/// Scholtes's relaxation by sequential quadratic programming, then pieces. The relaxed programs, with G_i(x) H_i(x) <=
/// t in place of = 0, t from a tenth of the terms of a pair down to 1e-7 of these, are followed by steps
///
///     min 1/2 d^T B d + f'(x) d    under the linearized rows, sides and products, bounds, and |d|_inf <= Delta,
///
/// solved by qp::Automatic on sparse data; B is the Hessian that is given, shifted until it is convex, or Powell's
/// damped quasi-Newton update. Where the linear rows contradict each other their violations are priced. A step is
/// halved until it makes the value plus the priced violations smaller; a full one that does not is first corrected for
/// the curvature of the rows. Then of each pair the side that ends the smaller is 0, and the program on that piece is
/// solved by the same steps until its certificate is at the tolerance. Where a multiplier on beta is negative, linear
/// programs on all pieces at x (of at most 10 pairs) tell whether x is B-stationary or which piece is better; that one
/// is next, while the value falls.
///
/// A local answer. There is no proof of infeasibility for callables: what has no solution near the start ends Stalled.
/// Of SparseProblem rows and sides >= 0 that contradict each other are proven (Result::proof), and an unbounded value
/// ends at a limit or Stalled. Cost: some 20 to 60 quadratic programs of n unknowns and m + 3 k rows.
/// Source: Scholtes 2001 [scholtes2001]; steps: Nocedal, Wright 2006, chapter 18 [nocedal2006].
struct NonlinearRelaxation {
  double tolerance = 1e-8;  ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 1000;   ///< quadratic programs, >= 1
  Eigen::VectorXd
      start{};  ///< n entries, put within the bounds; empty: 0 (SparseProblem: the feasible x nearest to it)
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  /// compare_jacobian of f, c, G and H at the start; what differs is an InvalidArgument. Of SparseProblem nothing.
  bool check_jacobian = false;

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as NonlinearProblem::validate and NonlinearRelaxation::validate; a start of another size, or
/// at which a callable is not finite, with check_jacobian a Jacobian that differences deny, or the Hessian (of
/// multipliers 1) is not symmetric to 1e-8 of its largest entry; no Hessian and more than 300 unknowns.
[[nodiscard]] NonlinearResult solve(const NonlinearProblem& problem, const NonlinearRelaxation& options);
/// Of quadratic data, whose Hessian is Q. @throws InvalidArgument as SparseProblem::validate and
/// NonlinearRelaxation::validate.
[[nodiscard]] NonlinearResult solve(const SparseProblem& problem, const NonlinearRelaxation& options);

}  // namespace nonsmooth::mpcc
