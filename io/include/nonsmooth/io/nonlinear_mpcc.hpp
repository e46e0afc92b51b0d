// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/mpcc/nonlinear.hpp>

namespace nonsmooth {

/// A program with complementarity constraints whose maps are code, as files of expressions (.nl) have it: solved by
/// mpcc::solve(program, mpcc::NonlinearRelaxation{.start = start}).
struct NonlinearMpcc {
  mpcc::NonlinearProblem program;
  Eigen::VectorXd start{};  ///< n entries, or none: 0

  [[nodiscard]] Index num_unknowns() const noexcept { return program.num_unknowns(); }  ///< n
  [[nodiscard]] Index num_rows() const noexcept { return program.num_rows(); }          ///< m
  [[nodiscard]] Index num_pairs() const noexcept { return program.num_pairs(); }        ///< k

  /// @throws InvalidArgument as NonlinearProblem::validate; a start of another size, or that is not finite.
  void validate() const;
};

}  // namespace nonsmooth
