// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Semismooth Newton on equations e(r, W r + q) = 0 equivalent to the law, with z = r - rho u, rho of each block as in
/// Certificate (never 1):
///
///   AlartCurnier     rho e_N = r_N - max(0, z_N),  rho e_T = r_T - P(z_T; mu max(0, z_N)),
///   JeanMoreau       the same with P(z_T; mu max(0, r_N)): the radius does not look at the velocity,
///   NaturalMap       rho e = r - P_K(r - rho û),
///   FischerBurmeister  e = (x^2 + y^2)^{1/2} - x - y in the Jordan algebra of the cone, x = (mu r_N, r_T) / rho,
///                    y = (u_N / mu + s(u_T), u_T), s = (|u_T|^2 + d^2)^{1/2} - d with d falling with the residual,
///
/// P(z; radius) the projection on a disk. Cheap iterations come first (see Start); then J = A + C W with A, C an
/// element of the generalised Jacobian, a step cut until |e|^2 / 2 falls below the largest of the last `memory` values
/// by the share `decrease`; where J is singular J + delta / rho with growing delta; where Newton's direction is
/// refused, more of the cheap ones.
///
/// Best for W of full rank (deformable bodies); where W is singular ProximalNewton is the safe choice. Sets: Coulomb,
/// Orthant, Free; Rolling but for FischerBurmeister. Locally quadratic where J is regular; it may stall at other
/// stationary points. Cost: one LU of an n x n matrix a step, dense where small or nearly full, else sparse with an
/// ordering computed once. Source: Alart, Curnier 1991 [alart1991]; Acary, Brémond, Huber 2018 [acary2018]; Fukushima,
/// Luo, Tseng 2002 [fukushima2002]; Grippo, Lampariello, Lucidi 1986 [grippo1986].
struct SemismoothNewton {
  enum class Formulation : unsigned char { AlartCurnier, JeanMoreau, NaturalMap, FischerBurmeister };
  /// What brings the iterate near a solution.
  enum class Start : unsigned char {
    GaussSeidel,    ///< sweeps contact by contact; none where a block has no local solution
    Extragradient,  ///< iterations of Extragradient: for W far from symmetric, or without local solutions
  };

  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  Formulation formulation = Formulation::AlartCurnier;
  Index max_steps = 200;             ///< Newton steps, >= 1; from a good start about 10 are needed
  Index memory = 5;                  ///< values of the merit looked back at, >= 1; 1 is a monotone search
  double decrease = 1e-4;            ///< Armijo's share of the slope; in (0, 0.5]
  Start first = Start::GaussSeidel;  ///< see above
  Index sweeps = 30;                 ///< of `first`, before and where no step is found; >= 0
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and SemismoothNewton::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const SemismoothNewton& options);

}  // namespace nonsmooth::friction
