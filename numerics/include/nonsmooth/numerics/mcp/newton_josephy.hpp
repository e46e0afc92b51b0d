// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mcp/problem.hpp>

namespace nonsmooth::mcp {

/// Newton's method on the generalised equation: each step goes towards the solution z of the linear problem at x,
///
///     -(F(x) + F'(x) (z - x)) in N_[l,h](z),
///
/// by relay::ActiveSet from x and, where that fails, relay::Lemke; of a sparse F by lcp::Multigrid or, small, by
/// lcp::PrimalDualActiveSet where F' looks like an M-matrix (positive diagonal, no positive entry beside it) and one
/// side of the bounds is finite and the other not met (after the first step from x), else by the sparse relay::Lemke; x
/// := x + t (z - x), t halved until the Fischer-Burmeister merit |H|^2 / 2 is below the largest of its last `memory`
/// values by decrease t |H|^2 (semismooth_newton.hpp). Where the linear problem has no solution, or none that descends,
/// a step of SemismoothNewton.
///
/// Few steps, each of which finds the places of all rows at once: the choice where F is nearly linear or costs much.
/// Converges quadratically to strongly regular solutions, degenerate ones too. Cost: a linear problem of n rows a step,
/// O(n^3) or some sparse factorizations, usually 3 to 15 steps. Source: Josephy 1979 [josephy1979]; Mathiesen 1987
/// [mathiesen1987].
struct NewtonJosephy {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 100;     ///< >= 1
  double decrease = 1e-4;    ///< of the line search, in (0, 1/2]
  Index memory = 5;          ///< merits the line search looks back on, >= 1; 1: monotone
  /// A sparse F' that does not look like an M-matrix has steps of SemismoothNewton, which cost less than pivots.
  bool only_m_matrices = false;
  Index max_rows = 2000;        ///< n above is refused where F is not sparse: O(n^3) a step
  Eigen::VectorXd start{};      ///< in place of Problem::start, without a say in the scale; n entries, or none
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and NewtonJosephy::validate; more than max_rows unknowns of a dense F;
/// F or its Jacobian that is not finite at the start; with check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const NewtonJosephy& options);

}  // namespace nonsmooth::mcp
