// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mcp/problem.hpp>

namespace nonsmooth::mcp {

/// Globalised semismooth Newton on  H(x) = 0, row by row one of
///
///     FischerBurmeister   phi(s (x - l), -phi(s (h - x), -F)),   phi(a, b) = a + b - sqrt(a^2 + b^2)
///     Penalised           the same with  weight phi(a, b) + (1 - weight) max(a, 0) max(b, 0) / scale
///     Minimum             max(s (x - h), min(s (x - l), F))
///
/// (the terms of infinite bounds drop out; s as in the certificate, at the start). Steps are projected onto [l, h], so
/// that F is asked there alone: x := P(x + t d) with d of  (diag H_x + diag H_w F'(x)) d = -H,  t halved until
/// |H|^2 / 2 is below the largest of its last `memory` values by decrease t |H|^2. Where that fails, or the matrix is
/// singular (a little is added to its diagonal first), the projected gradient, scaled by 1/s^2, with Armijo's rule.
/// Near a solution, where the rows keep their places, a Newton step on those: exact at the bounds. Of Minimum, where
/// the Newton matrix has Cholesky's factors, projected Gauss-Seidel sweeps over the linear problem follow a step: they
/// move the border of the rows at their bounds by more than a row, and count where they halve the merit.
///
/// |H|^2 is differentiable for FischerBurmeister and Penalised; stationary points of it are solutions where F' is P0 on
/// l = 0, h = inf, for example F monotone. Elsewhere a stationary point that solves nothing ends Stalled: take
/// ProximalPoint or Automatic. Penalised keeps the products of large x and F in sight, which makes level sets bounded
/// for monotone F with a strictly feasible point; Minimum takes the fewest steps near a solution and stalls most. A
/// solution of which F' is regular on its rows between bounds, and on every subset of the degenerate ones, is
/// approached quadratically.
///
/// Cost: one factorization of n rows a step, dense or sparse as the Jacobian is; about 5 to 40 steps.
/// Source: De Luca, Facchinei, Kanzow 1996 [deluca1996]; Billups 1995 [billups1995] for boxes; Chen, Chen, Kanzow 2000
/// [chen2000] for Penalised; Grippo, Lampariello, Lucidi 1986 [grippo1986] for the line search.
struct SemismoothNewton {
  enum class Reformulation : unsigned char { FischerBurmeister, Penalised, Minimum };

  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Reformulation reformulation = Reformulation::FischerBurmeister;
  double weight = 0.95;         ///< of Penalised, in (0, 1)
  Index max_steps = 300;        ///< >= 1
  double decrease = 1e-4;       ///< of the line search, in (0, 1/2]
  Index memory = 10;            ///< merits the line search looks back on, >= 1; 1: monotone
  Eigen::VectorXd start{};      ///< in place of Problem::start, without a say in the scale; n entries, or none
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and SemismoothNewton::validate; F or its Jacobian that is not finite at
/// the start; with check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const SemismoothNewton& options);

}  // namespace nonsmooth::mcp
