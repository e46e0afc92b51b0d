// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/inner_solver.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Tresca friction, repeated: with thresholds theta = mu r_N of the last iterate, the problem on cylinders
///
///     u = W r + q,    0 <= u_N ⟂ r_N >= 0,    -u_T in N_{|.| <= theta}(r_T),
///
/// a convex program for symmetric W, is solved to a tenth of the error that the iterate has in the friction problem;
/// then theta := theta + relaxation (mu r_N - theta).
///
/// The damped successive approximation: converges linearly where friction couples normal and tangential rows weakly
/// (mu small), with damping also through cycles of two, not where mu is large; Haslinger extrapolates the thresholds.
/// Any W; Coulomb, Rolling (a threshold for each of T, R, S), Orthant and Free blocks. Cost: an inner solve an outer
/// iteration, of nc (1 + dim) rows. Result::iterations counts the inner solver's. Source: Panagiotopoulos 1985
/// [panagiotopoulos1985]; Acary, Brémond, Huber 2018 [acary2018] (TFP).
struct Tresca {
  double tolerance = 1e-10;                 ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;   ///< what the tolerance bounds
  InnerSolver inner = InnerSolver::Hybrid;  ///< solves the problem on cylinders
  double relaxation = 0.5;      ///< in (0, 1]; 1 is the plain iteration, which cycles where friction couples strongly
  Index max_iterations = 1000;  ///< outer ones, >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Tresca::validate, for another set, and for a start of another size
/// than q.
[[nodiscard]] Result solve(const Problem& problem, const Tresca& options);

}  // namespace nonsmooth::friction
