// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/inner_solver.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Fixed point on the friction thresholds (Haslinger; algorithm 17 of Acary, Brogliato 2008): find theta with
///
///     theta = Phi(theta),    Phi(theta) = mu r_N(theta),    r(theta) the solution with Tresca friction (see Tresca),
///
/// as a fixed point in the space of thresholds, one unknown a contact, extrapolated by Anderson's method over the last
/// `memory` iterates; an extrapolation after which |Phi(theta) - theta| has doubled is dropped, and the iteration goes
/// on from the best plain iterate. memory = 0 is the algorithm of the book. Inner
/// problems are solved to a tenth of the present error.
///
/// Phi contracts for small mu (existence and uniqueness follow); extrapolated it also converges where Phi does not
/// contract, in practice. Any W; Coulomb, Rolling, Orthant and Free blocks. Result::iterations counts the inner
/// solver's. Source: Haslinger 1983 [haslinger1983]; Acary, Brogliato 2008 [acarybrogliato2008]; Walker, Ni 2011
/// [walker2011].
struct Haslinger {
  double tolerance = 1e-10;                 ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;   ///< what the tolerance bounds
  InnerSolver inner = InnerSolver::Hybrid;  ///< solves the problem on cylinders
  Index memory = 10;                        ///< iterates that the extrapolation looks back on; 0 (none) to 10,000
  Index max_iterations = 1000;              ///< outer ones, >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Haslinger::validate, for another set, and for a start of another
/// size than q.
[[nodiscard]] Result solve(const Problem& problem, const Haslinger& options);

}  // namespace nonsmooth::friction
