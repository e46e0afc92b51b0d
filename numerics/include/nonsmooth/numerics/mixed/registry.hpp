// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed {

/// What every algorithm of the family understands, for callers that choose it by name.
struct Settings {
  double tolerance = 1e-10;       ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 10'000;  ///< sweeps; >= 1
};

/// A solver without its type. It must validate the problem and certify its answer, as those of the library do.
using Solver = std::function<Result(const Problem&, const Settings&)>;

/// The names known, in order of registration; "Automatic" and "GaussSeidel" are always there.
[[nodiscard]] std::vector<std::string> solver_names();

/// Adds a user's solver. Safe to call from several threads. @throws InvalidArgument: an empty or known name, an empty solver.
void register_solver(std::string name, Solver solver);

/// Solves by the algorithm of that name. @throws InvalidArgument for an unknown name (it lists the known ones) and what
/// the algorithm throws.
[[nodiscard]] Result solve(const Problem& problem, std::string_view solver, const Settings& settings = {});

}  // namespace nonsmooth::mixed
