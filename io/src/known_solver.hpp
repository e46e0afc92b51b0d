// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <nonsmooth/numerics/any_solver.hpp>

namespace nonsmooth {

/// An algorithm of this library that an AnySolver holds.
struct KnownSolver {
  std::string name{};  ///< of its options: "nonsmooth::friction::GaussSeidel"
  double tolerance = 0.0;
};

/// Nothing of an algorithm of the user's own.
[[nodiscard]] std::optional<KnownSolver> known_solver(const AnySolver& solver);

}  // namespace nonsmooth
