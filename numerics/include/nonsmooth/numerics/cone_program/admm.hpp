// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/cone_program/problem.hpp>

namespace nonsmooth::cone_program {

/// The alternating direction method of multipliers of qp::Admm on Q = 0 and the rows (A; G), whose copies t stay within
/// {b} x (h - K): one sparse factorization of
///
///     ( sigma I      (A; G)^T )
///     ( (A; G)    -rho_t^-1   )
///
/// of the scaled program (one unit a cone), two triangular solves and a projection onto each cone an iteration,
/// over-relaxed by 1.6; new factors where rho, which follows the ratio of the primal to the dual residual, changes by
/// more than 5.
///
/// Cheap steps: programs too large for a factorization a step, to a moderate accuracy, as nothing refines its end.
/// Linear convergence, slow where the data differ by decades or solutions are degenerate. The differences of its
/// iterates tend to proofs. Source: Boyd et al. 2011 [boyd2011]; O'Donoghue et al. 2016 [odonoghue2016].
struct Admm {
  double tolerance = 1e-6;                                      ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 100'000;                               ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Admm::validate.
[[nodiscard]] Result solve(const Problem& problem, const Admm& options);

}  // namespace nonsmooth::cone_program
