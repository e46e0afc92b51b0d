// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/relay/semismooth_newton.hpp>

namespace nonsmooth::mlcp {

/// relay::SemismoothNewton on z = (u, v): Fischer-Burmeister (or the minimum map) on the rows of v, the equality rows
/// as they are, a nonmonotone line search and gradient steps where the Newton system fails.
///
/// Cost: one LU of n + m rows a step. Source: De Luca, Facchinei, Kanzow 1996 [deluca1996]; Billups 1995 [billups1995].
struct SemismoothNewton {
  using Reformulation = relay::SemismoothNewton::Reformulation;

  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Reformulation reformulation = Reformulation::FischerBurmeister;
  Index max_steps = 200;                                        ///< >= 1
  double decrease = 1e-4;                                       ///< as in relay::SemismoothNewton; in (0, 1/2]
  Index memory = 5;                                             ///< as in relay::SemismoothNewton; >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and SemismoothNewton::validate.
[[nodiscard]] Result solve(const Problem& problem, const SemismoothNewton& options);

}  // namespace nonsmooth::mlcp
