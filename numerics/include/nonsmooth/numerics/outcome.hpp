// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// How a solve ended: what the results of all families have beside their unknowns.
struct Outcome {
  Status status = Status::NotRun;
  /// The tolerance is not met, or out of sight, and no double does better: the error of each row is within the
  /// rounding of its own terms (Certificate::row_residual). Registries, Automatic and its workspaces call that Solved;
  /// an algorithm called by itself, the workspaces of sweeps too, leaves its status, for its caller to go on. False
  /// where the tolerance is met.
  bool at_round_off = false;
  Certificate certificate;
  Index iterations = 0;     ///< pivots, Newton steps, sweeps or linear solves of the solver used
  std::string_view solver;  ///< the algorithm that gave the answer, as in the registry
  std::string_view reason;  ///< static text: why it stopped there
  Eigen::VectorXd proof;    ///< Status::Infeasible only, else empty: as the family's proves_infeasible() takes it

  [[nodiscard]] bool ok() const noexcept { return status == Status::Solved; }
  explicit operator bool() const noexcept { return ok(); }
};

}  // namespace nonsmooth
