// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/inner_solver.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Panagiotopoulos' alternation of a normal and a tangential problem, each convex for symmetric W:
///
///     0 <= u_N = W_NN r_N + (W_NT r_T + q_N) ⟂ r_N >= 0                       r_T held,
///     -(W_TT r_T + (W_TN r_N + q_T)) in N_{|.| <= mu r_N}(r_T)                r_N held.
///
/// Free rows belong to both. The pair is one step of a fixed point in r_T, extrapolated by Anderson's method over the
/// last `memory` iterates; an extrapolation after which the step has doubled is dropped. memory = 0 is the plain
/// alternation, which converges linearly where the coupling W_NT and mu are small (bodies with small normal-tangential
/// coupling: flat contact of large bodies) and does not where mu |W_NT| is of the order of W_NN.
///
/// Any W; Coulomb, Rolling, Orthant and Free blocks. Cost: two inner solves of smaller problems an outer iteration;
/// Result::iterations counts the inner solver's. Source: Panagiotopoulos 1975 [panagiotopoulos1975].
struct Panagiotopoulos {
  double tolerance = 1e-10;                 ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;   ///< what the tolerance bounds
  InnerSolver inner = InnerSolver::Hybrid;  ///< solves both problems
  Index memory = 10;                        ///< iterates that the extrapolation looks back on; 0 (none) to 10,000
  Index max_iterations = 2000;              ///< pairs of inner solves, >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Panagiotopoulos::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const Panagiotopoulos& options);

}  // namespace nonsmooth::friction
