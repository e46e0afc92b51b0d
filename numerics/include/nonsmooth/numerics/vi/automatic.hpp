// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// Picks the algorithm by what K is; Result::solver says which one answered. Every answer is certified.
///
/// From 16 unknowns on, where the projection has a closed form, Projection with a memory of 20, which asks F once
/// an iteration, for as long as the residual falls fast enough to lose 8 digits in 5 n / 4 iterations, 27 at least
/// and 200 at most; else it ends after about ten. SemismoothNewton on the normal map where the projection has a
/// Jacobian and n is at most 1000, or its matrix is sparse, in at most 50 steps and without a fall-back where
/// JosephyNewton can follow: on polyhedra of up to 400 unknowns and rows; on other sets of several
/// factors, from 100 unknowns and with full factors, 5 steps, then Projection as before for 10 n iterations, then the
/// steps that are left; SemismoothNewton on the natural map; Projection, 200 iterations, where F has a Jacobian that is
/// symmetric at the point of K nearest to 0; Extragradient with acceleration; HyperplaneProjection, from the best point
/// so far. Newton's methods come after 20,000 iterations of Extragradient where F has no Jacobian and more than 100
/// unknowns.
struct Automatic {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 0;  ///< of each algorithm, of short tries at most; >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};                                      ///< projected on K; empty: 0
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate, for a start of another size, where F is not
/// finite at the start or at the point of K nearest to 0, for a user's projection that does not project; with
/// check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);

}  // namespace nonsmooth::vi
