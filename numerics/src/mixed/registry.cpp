// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/registry.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

namespace nonsmooth::mixed {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::pair<std::string, Solver>> entries;
};

Registry& registry() {
  static Registry instance{
      {},
      {{"Automatic",
        [](const Problem& problem, const Settings& settings) {
          return solve(problem, Automatic{.tolerance = settings.tolerance, .max_sweeps = settings.max_iterations});
        }},
       {"GaussSeidel", [](const Problem& problem, const Settings& settings) {
          return solve(problem, GaussSeidel{.tolerance = settings.tolerance, .max_sweeps = settings.max_iterations});
        }}}};
  return instance;
}

}  // namespace

std::vector<std::string> solver_names() {
  Registry& known = registry();
  const std::lock_guard lock(known.mutex);
  std::vector<std::string> names;
  for (const auto& entry : known.entries) names.push_back(entry.first);
  return names;
}

void register_solver(std::string name, Solver solver) {
  if (name.empty()) throw InvalidArgument("mixed::register_solver: name", "an empty name", "a name");
  if (!solver) throw InvalidArgument("mixed::register_solver: solver", "an empty function", "a callable solver");
  Registry& known = registry();
  const std::lock_guard lock(known.mutex);
  for (const auto& entry : known.entries)
    if (entry.first == name) throw InvalidArgument("mixed::register_solver: name", name, "a name that is not taken");
  known.entries.emplace_back(std::move(name), std::move(solver));
}

Result solve(const Problem& problem, std::string_view solver, const Settings& settings) {
  Solver chosen;
  {
    Registry& known = registry();
    const std::lock_guard lock(known.mutex);
    const auto entry =
        std::find_if(known.entries.begin(), known.entries.end(), [&](const auto& each) { return each.first == solver; });
    if (entry == known.entries.end()) {
      std::string names;
      for (const auto& each : known.entries) names += (names.empty() ? "" : ", ") + each.first;
      throw InvalidArgument("mixed::solve: solver", std::string(solver), "one of " + names);
    }
    chosen = entry->second;
  }
  return chosen(problem, settings);
}

}  // namespace nonsmooth::mixed
