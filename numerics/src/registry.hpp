// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the registries of all families share: options within limits, the judgement of a result, the search by name.

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/limits.hpp>
#include <nonsmooth/numerics/named_solver.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/two_storage_solver.hpp>

namespace nonsmooth {
namespace detail {

/// @throws InvalidArgument for an empty name or nothing to call.
inline void check_solver(const std::string& name, bool callable) {
  if (name.empty()) throw InvalidArgument("Solver::name", "an empty string", "a name");
  if (!callable) throw InvalidArgument("Solver '" + name + "'", "no callable", "at least one");
}

/// `options` with the limits in their own fields; `iterations` is the field for Limits::max_iterations, whose 0 leaves
/// the algorithm's default.
template <class Options>
[[nodiscard]] Options within(const Limits& limits, Index Options::*iterations, Options options) {
  options.tolerance = limits.tolerance;
  options.time_limit = limits.time_limit;
  if (limits.max_iterations > 0) options.*iterations = limits.max_iterations;
  return options;
}

/// The algorithm of these options as a family's NamedSolver; `iterations` as for within().
template <class Solver, class Options>
[[nodiscard]] Solver named(std::string name, Index Options::*iterations,
                           const std::type_identity_t<Options>& options = {}) {
  return Solver(std::move(name), [iterations, options](const auto& problem, const Limits& limits) {
    return solve(problem, within(limits, iterations, options));
  });
}

/// The algorithm of these options within limits, on a problem of any storage that it has; `refine(problem, limits,
/// deadline, result)` works on what it finds. `iterations` as for within().
template <class Options, class Refine>
[[nodiscard]] auto limited(Index Options::*iterations, const Options& options, const Refine& refine) {
  return [iterations, options, refine](const auto& problem, const Limits& limits) {
    const Deadline deadline(limits.time_limit);
    auto result = solve(problem, within(limits, iterations, options));
    refine(problem, limits, deadline, result);
    return result;
  };
}

/// Never trust a solver's own stopping test, a user's least of all: Solved stands where `holds()` does, Infeasible
/// where `proven()` does; else the result is Stalled.
template <class Result, class Holds, class Proven>
void judge(Result& result, const Holds& holds, const Proven& proven) {
  result.at_round_off = false;  // the door's to tell
  if (result.status == Status::Solved && !holds()) {
    result.status = Status::Stalled;
    result.reason = "the solver claims a solution that its certificate denies";
  } else if (result.status == Status::Infeasible && !proven()) {
    result.status = Status::Stalled;
    result.reason = "the solver claims infeasibility without a valid proof";
  }
}

/// `callable` of a TwoStorageSolver on a valid problem. @throws InvalidArgument where it lacks.
template <class Callable, class Problem>
[[nodiscard]] auto call(const std::string& family, const std::string& name, const Callable& callable,
                        const Problem& problem, const Limits& limits, std::string_view storage) {
  if (!callable) {
    throw InvalidArgument(family + "::Solver '" + name + "'", "a " + std::string(storage) + " problem",
                          "the other storage, the only one this solver has");
  }
  problem.validate();
  limits.validate();
  return callable(problem, limits);
}

/// The entry of that name. @throws InvalidArgument listing the known names.
template <class Entry>
[[nodiscard]] const Entry& find(const std::string& family, const std::vector<Entry>& entries, std::string_view name) {
  std::string known;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InvalidArgument(family + "::find: name", "'" + std::string(name) + "'", "one of " + known);
}

}  // namespace detail

/// Each family's registry.cpp instantiates it, beside its solve().
template <class Problem, class Result>
NamedSolver<Problem, Result>::NamedSolver(std::string name, Function function)
    : name_(std::move(name)), function_(std::move(function)) {
  detail::check_solver(name_, static_cast<bool>(function_));
}

template <class Problem, class SparseProblem, class Result>
TwoStorageSolver<Problem, SparseProblem, Result>::TwoStorageSolver(std::string name, Dense dense, Sparse sparse)
    : name_(std::move(name)), dense_(std::move(dense)), sparse_(std::move(sparse)) {
  detail::check_solver(name_, dense_ || sparse_);
}

}  // namespace nonsmooth
