// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/any_solver.hpp>

namespace nonsmooth {

/// An algorithm of this library that an AnySolver holds.
struct KnownSolver {
  std::string name{};  ///< of its options: "nonsmooth::friction::GaussSeidel"
  double tolerance = 0.0;
};

/// Nothing of an algorithm of the user's own.
[[nodiscard]] std::optional<KnownSolver> known_solver(const AnySolver& solver);

/// The options of one, field by field, {"tolerance", "1e-08"}, in all digits, enumerators by number: all that change
/// what an AnySolver answers, hence without `start`, which it does not use, and threads. Empty of one of the user's
/// own.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> options_of(const AnySolver& solver);

}  // namespace nonsmooth
