// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/kernel/boundary_value.hpp>

namespace nonsmooth::optimal_control {

/// The linear-quadratic problem of optimal control with n states and k controls on [0, T]
///
///     minimise 1/2 int_0^T (x^T Q x + u^T R u) dt + 1/2 x(T)^T F x(T)
///     subject to  x' = A x + B u + a(t),   C x + d(t) >= 0,   E u + e(t) >= 0,   M x(0) + N x(T) = b.
///
/// d(t) is d unless `d_of_time` changes it, e(t) alike; a, d and e are continuous in t.
/// Source: Bryson, Ho 1975 [brysonho1975], chapters 2 and 3.
struct Problem {
  Eigen::MatrixXd A{}, B{};                            ///< n x n, n x k
  Eigen::MatrixXd Q{}, R{}, F{};                       ///< n x n, k x k, n x n; symmetric; Q, F >= 0 (empty: 0), R > 0
  Eigen::MatrixXd C{};                                 ///< rows of state constraints, n columns; empty: none
  Eigen::VectorXd d{};                                 ///< one a row of C
  Eigen::MatrixXd E{};                                 ///< rows of control constraints, k columns; empty: none
  Eigen::VectorXd e{};                                 ///< one a row of E
  std::function<void(double t, VectorRef value)> a{};  ///< n, comes in zeroed; none: 0
  std::function<void(double t, VectorRef value)> d_of_time{};  ///< comes in as d; none: d
  std::function<void(double t, VectorRef value)> e_of_time{};  ///< comes in as e; none: e
  Eigen::MatrixXd M{}, N{};                                    ///< p x n each, p <= 2 n, (M N) of rank p
  Eigen::VectorXd b{};                                         ///< p
  double T = 1.0;                                              ///< > 0

  /// @throws InvalidArgument naming the field: shapes that differ, entries that are not finite, R not positive
  /// definite, Q or F indefinite, matrices that are not symmetric, T <= 0, dependent rows of (M N).
  void validate() const;
};

/// The boundary value problem of the necessary conditions, which are sufficient as the problem is convex: with adjoints
/// eta (n), a measure lambda on the state constraints and functions nu on the control constraints,
///
///     x' = A x + B u + a,   eta' = Q x - A^T eta - C^T lambda,   u = R^-1 (B^T eta + E^T nu),
///     0 <= C x + d ⟂ lambda >= 0,   0 <= E u + e ⟂ nu >= 0,
///     M x(0) + N x(T) = b,   (-eta(0), eta(T) + F x(T)) orthogonal to what (x(0), x(T)) may still move along:
///
/// states (x, eta), multipliers (nu, lambda). The relative degree of a state constraint is twice what it is in x' = A x
/// + B u: C B R^-1 B^T C^T acts where C B does not vanish, two derivatives from x. Atoms of a row of lambda act at an
/// end where the conditions leave C_i x open there. Where they tie both ends, so that w_i(T) - w_i(0) is a number, w =
/// C x + d, they act at the end with the lesser w_i alone, at T where both are the same. Where they leave it nothing,
/// C_i x + d_i >= 0 at that end is a matter of the data: boundary_value::admissible_ends.
/// @throws InvalidArgument as Problem::validate.
[[nodiscard]] boundary_value::Problem necessary_conditions(const Problem& problem);

/// A solution by either way; the best that was found whatever the status. Infeasible: proof as that of the solver,
/// boundary_value::solve of the necessary conditions or qp::solve; where no ends are admissible, by either way one of
/// boundary_value::admissible_ends of the necessary conditions. By conditions that of the program, qp::solve, where no
/// u constant over intervals holds the rows of E, and the conditions are not solved, or by a u that breaks these rows
/// inside of intervals: bounds on u that are too tight for M x(0) + N x(T) = b. NumericalFailure of a callable:
/// not_finite names it.
struct Solution : Outcome {
  Eigen::VectorXd t;    ///< N + 1 instants
  Eigen::MatrixXd x;    ///< n x (N + 1)
  Eigen::MatrixXd eta;  ///< n x (N + 1), after what acts at each instant; by_program: no columns
  /// k x (N + 1): by conditions at t_k, before what acts there, the least of 1/2 u^T R u - u^T B^T eta with
  /// E u + e >= 0, so that it holds these rows to rounding whatever nu over the interval is; by the program over the
  /// interval before t_k, column 0 as column 1.
  Eigen::MatrixXd u;
  Eigen::MatrixXd lambda;  ///< a row a state constraint: its atoms at t_k (a density: its integral over a step)
  /// A row a control constraint: nu over the interval before t_k, for which E u + e = 0 where nu > 0 holds of the mean
  /// of eta over its ends; column 0: 0.
  Eigen::MatrixXd nu;
  /// Of x and u, [unit of Q x^2 t]. By conditions by Simpson's rule, with nu over the interval and the middle of each
  /// interval by the exact flow from x(t_{k-1}): under Scheme::Theta too, where the end is the scheme's, so that the
  /// cost has errors of the scheme's order, 1, or 2 for theta = 1/2.
  double cost = std::numeric_limits<double>::quiet_NaN();
  std::string not_finite{};  ///< which callable gave no number, and where
};

/// By the necessary conditions, as one boundary value problem: `boundary`, where it is given, receives its solution.
/// Where the instants at which arcs begin and end are those of the mesh, x is exact but for rounding where it is a
/// flow between atoms; else errors are some h^2.
[[nodiscard]] Solution solve_by_conditions(const Problem& problem, const boundary_value::Options& options = {},
                                           boundary_value::Solution* boundary = nullptr);

/// By direct transcription: u constant over each interval, x exact for that u, constraints at instants, the cost by
/// Simpson's rule (exact for x of degree 1), e(t) in the middle of each interval, as one sparse quadratic program,
/// qp::solve. u is of order h, the cost h^2 above the least. options.scheme, theta, psi and continue_from are not
/// looked at.
[[nodiscard]] Solution solve_by_program(const Problem& problem, const boundary_value::Options& options = {});

/// An interval on which a constraint is held: rows of C first, then those of E.
struct Arc {
  Index row;
  double begin, end;
};
/// Runs of two and more instants at which C_i x + d_i <= tolerance (1 + |d_i|), of two and more intervals on which
/// nu_i > tolerance.
/// @throws InvalidArgument: tolerance <= 0; a solution of another problem, or of a problem without one, which has no x.
[[nodiscard]] std::vector<Arc> arcs(const Problem& problem, const Solution& solution, double tolerance = 1e-6);

/// A point mass of lambda: an atom is seen as such on a mesh where three instants together weigh more than four times
/// the three before and the three behind them, and more than `least` (in the unit of lambda dt).
struct Atom {
  Index row;
  double t;     ///< the centre of its mass
  double mass;  ///< of the three instants
};
[[nodiscard]] std::vector<Atom> atoms(const Solution& solution, double least = 1e-6);

}  // namespace nonsmooth::optimal_control
