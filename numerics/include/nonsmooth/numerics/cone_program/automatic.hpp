// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/cone_program/problem.hpp>

namespace nonsmooth::cone_program {

/// InteriorPoint and, where it ends without an answer, Admm; the better of both. Before Admm, where no cone has more
/// than two rows and the program is a linear one, qp::Automatic, which proves what interior points cannot to rounding.
/// Result::solver says which one answered.
struct Automatic {
  double tolerance = 1e-8;                                      ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 0;                                     ///< of each algorithm, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);

}  // namespace nonsmooth::cone_program
