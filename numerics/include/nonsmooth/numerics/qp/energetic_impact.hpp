// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::qp {

/// An impact of several contacts of which the ratio of energies is given, and a law that distributes the impulses:
/// velocities u (n) after the velocities b (n) before it, impulses lambda (m), frictionless,
///
///     M (u - b) = H lambda,   u^T M u = e b^T M b,   H^T u >= 0,   lambda >= 0,   Theta lambda = 0.
///
/// e is a ratio of energies, not of velocities: one contact of one mass has u = -sqrt(e) b. Source: talk of Acary 2005,
/// open problems.
struct EnergeticImpact {
  Eigen::MatrixXd M;        ///< n x n, symmetric positive definite
  Eigen::MatrixXd H;        ///< n x m
  Eigen::VectorXd b;        ///< n, not zero
  double ratio = 1.0;       ///< e, in [0, 1] [-]
  Eigen::MatrixXd Theta{};  ///< k x m; empty: no law

  /// @throws InvalidArgument: empty, shapes that differ, numbers that are not finite, b = 0, a ratio out of range, an M
  /// that is not symmetric to 1e-12 or not positive definite.
  void validate() const;
};

struct EnergeticImpactResult : Outcome {
  struct Solution {
    Eigen::VectorXd u, lambda;
  };
  /// Where Theta leaves one direction of lambda: all of them, at most two. Else one, if there is any.
  std::vector<Solution> solutions;
  Index free_parameters = -1;  ///< m - rank Theta - 1: of the family that the solutions are, 0: isolated ones
  double least_ratio = 0.0;    ///< of all u that the other conditions allow; NaN: they contradict each other
};

/// With W = H^T M^-1 H, q = H^T b the energy is b^T M b + 2 q^T lambda + lambda^T W lambda, convex in lambda, and the
/// other conditions are a polyhedron: energies are an interval. Its lower end, least_ratio, is a convex quadratic
/// program, the plastic impact lambda_p. Below it there is no solution, with a proof. Above, energies rise
///
///     along s lambda_p, s >= 1, which stays inside where all contacts approach (q <= 0): expansion in the proportions
///     of
///         compression, as Poisson has it; without Theta s = 1 + sqrt((e - e_p) / (1 - e_p)), e_p = least_ratio;
///     else, where contacts separate already, along lambda_p + s d, s >= 0, for a d >= 0 with W d >= 0, not 0, and
///         Theta d = 0, which another program finds: there is a solution for every e >= e_p;
///     else, without such a d, to the vertex of most energy, the upper end, from all vertices (m <= 8).
///
/// Without Theta there is such a d, unless some p > 0 has H p = 0, contacts that jam each other: then H^T u = 0 is all
/// that is allowed, and e_p the one energy. Beyond the upper end: none, with a proof. Where Theta leaves one direction
/// the roots on it are all there may be: if each breaks a sign, Infeasible. status: Solved; Infeasible with a proof
/// (proves_no_impact); Stalled: within rounding, or an upper end of more than 8 contacts. certificate: the largest
/// violation of the last four conditions, relative to b^T M b, |H||b|..., the first holds by construction. Cost:
/// O(n^3), two programs, and binomial(2 m, m) factorizations of m rows where vertices are asked for.
/// @throws InvalidArgument as validate()
[[nodiscard]] EnergeticImpactResult solve(const EnergeticImpact& impact, double tolerance = 1e-9);

/// Whether `proof` (2 m + k entries: lambda, then multipliers of H^T u >= 0 and Theta lambda = 0) shows that there is
/// no impact: either lambda = 0 and the multipliers show that no lambda is allowed (Farkas, proves_infeasible), or by
/// weak duality every allowed u has an energy above e b^T M b by more than 1e-9 of b^T M b; or W p +
/// Theta^T w <= 0 with multipliers p > 0 and w, so that energies are bounded, and all are below (without Theta lambda
/// is the plastic impact, whose energy is the only one; else by all vertices, m <= 8); or lambda is the one direction
/// that Theta leaves, the multipliers are 0, and each root of the energy on it breaks a sign of H^T u or lambda by more
/// than 1e-6 of its terms. @throws InvalidArgument as validate(), a proof of another size.
[[nodiscard]] bool proves_no_impact(const EnergeticImpact& impact, ConstVectorRef proof);

}  // namespace nonsmooth::qp
