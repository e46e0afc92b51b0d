// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mcp/problem.hpp>

namespace nonsmooth::mcp {

/// Picks the algorithm, cheap ones first; Result::solver says which one answered. Every answer is certified.
///
/// SemismoothNewton on the minimum map first, in a few steps, up to 2000 unknowns, where all bounds are finite, and
/// where a sparse F' has no more than four entries a row at the start. Such short tries end where a step must be cut
/// below a quarter. Up to 10 unknowns two more follow, on Fischer and Burmeister's function and Penalised, and
/// NormalMapNewton; of a dense F' of up to 60 one, Penalised. After these NewtonJosephy where a sparse F' looks like an
/// M-matrix at the start, has 50 rows and more than four entries a row, which makes its linear problems cheap;
/// SemismoothNewton (Fischer-Burmeister); a few steps of NewtonJosephy and SemismoothNewton, Penalised, for a dense F'
/// of 11 to 60 unknowns; NormalMapNewton and NewtonJosephy (up to `dense_limit` unknowns); ProximalPoint from the best
/// iterate and from the start; InteriorPoint; SemismoothNewton once more, Penalised where it was not tried and on the
/// minimum map. The first that ends Solved is returned, else the best iterate with the status of its solver. The order
/// depends on sizes, bounds and outcomes only.
///
/// Where rows of F are in units that differ by decades a solution leaves small ones as good as unsolved: with a
/// row_residual above 1e-6 and above 1e3 times the residual up to five more steps of SemismoothNewton on the minimum
/// map follow, and where that stays so as many, Penalised. They keep the tolerance and bring most rows to digits of
/// their own.
struct Automatic {
  double tolerance = 1e-10;     ///< Certificate::residual <= tolerance; > 0
  Index dense_limit = 500;      ///< unknowns, 0 to 2000; above, linear problems of O(n^3) take long
  Index max_iterations = 0;     ///< of each algorithm, of short tries at most; >= 0; 0: its default
  Eigen::VectorXd start{};      ///< in place of Problem::start, without a say in the scale; n entries, or none
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate; F or its Jacobian that is not finite at the
/// start; with check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);

}  // namespace nonsmooth::mcp
