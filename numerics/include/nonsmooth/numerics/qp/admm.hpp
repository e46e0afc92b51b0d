// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::qp {

/// The proximal alternating direction method of multipliers on x and copies t = A x, w = x that stay within their
/// bounds, over-relaxed by 1.6:
///
///     ( Q + sigma I + rho_w     A^T    ) (  x )   ( sigma x - c + rho_w w + s )
///     (       A              -rho_t^-1 ) ( -y ) = (      t + y / rho_t        ),
///
/// then t and w are projected and y and s take what is left. The quasidefinite system of the scaled program is factored
/// once, and again where rho, which follows the ratio of the primal to the dual residual, changes by more than 5.
/// What it leaves is refined on the active set that it found, as soon as that stands.
///
/// Cheap steps, two triangular solves and no more; large sparse programs of moderate accuracy and those of many similar
/// data. Linear convergence: slow where the data differ by decades, and on linear programs. The differences of its
/// iterates tend to proofs. Source: Boyd et al. 2011 [boyd2011]; Stellato et al. 2020 [stellato2020].
struct Admm {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 20'000;                                ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Admm::validate.
[[nodiscard]] Result solve(const Problem& problem, const Admm& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Admm& options);

}  // namespace nonsmooth::qp
