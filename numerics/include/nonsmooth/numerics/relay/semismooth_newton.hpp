// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::relay {

/// Globalised semismooth Newton on  H(z) = 0, row by row one of
///
///     FischerBurmeister   phi(s (z - l), -phi(s (u - z), -w)),   phi(a, b) = a + b - sqrt(a^2 + b^2)
///     Minimum             max(s (z - u), min(s (z - l), w))
///
/// (the terms of infinite bounds drop out; s as in the certificate). A step is accepted by a nonmonotone Armijo rule on
/// |H|^2 / 2 over the last `memory` values; where the Newton system is singular or its step no descent, -gradient is
/// taken, scaled by 1/s^2. When the places z - w/s points at repeat themselves, they are solved for exactly.
///
/// FischerBurmeister has a differentiable merit function: for P0-matrices its stationary points are solutions where all
/// bounds are finite or M is P. Minimum takes fewer steps near a solution and may stall elsewhere. A stationary point
/// that solves nothing ends Stalled. Cost: one LU (dense or sparse) of n rows a step, about 5 to 30 steps.
/// Source: Billups 1995 [billups1995]; De Luca, Facchinei, Kanzow 1996 [deluca1996]; Grippo, Lampariello, Lucidi 1986
/// [grippo1986] for the line search.
struct SemismoothNewton {
  enum class Reformulation : unsigned char { FischerBurmeister, Minimum };

  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Reformulation reformulation = Reformulation::FischerBurmeister;
  Index max_steps = 200;   ///< >= 1
  double decrease = 1e-4;  ///< Armijo: merit(z + t d) <= max of the last merits + decrease t slope; in (0, 1/2]
  Index memory = 5;        ///< merits the line search looks back on, >= 1; 1: monotone
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and SemismoothNewton::validate.
[[nodiscard]] Result solve(const Problem& problem, const SemismoothNewton& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const SemismoothNewton& options);

}  // namespace nonsmooth::relay
