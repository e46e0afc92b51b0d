// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/registry.hpp>

#include <utility>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "internal.hpp"

namespace nonsmooth::mixed {
namespace {

template <class Options>
[[nodiscard]] Solver with_defaults(std::string name) {
  return Solver(std::move(name), [](const Problem& problem, double tolerance) {
    return mixed::solve(problem, Options{.tolerance = tolerance});
  });
}

}  // namespace

Solver::Solver(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {
  if (name_.empty()) throw InvalidArgument("mixed::Solver::name", "an empty string", "a name");
  if (!function_) throw InvalidArgument("mixed::Solver '" + name_ + "'", "an empty callable", "a solver");
}

Result Solver::solve(const Problem& problem, double tolerance) const {
  check::positive("mixed::Solver::solve: tolerance", tolerance);
  problem.validate();
  Result result = function_(problem, tolerance);
  if (result.status == Status::NotRun) return result;
  check::size("mixed::Solver '" + name_ + "': r returned", result.r.size(), problem.q.size(), "one a row of W");
  result.u.resize(problem.q.size());
  const Index worst_row = result.certificate.worst_row;
  result.certificate = certify(problem, result.r, result.u);
  if (result.ok() && !(result.certificate.residual <= tolerance)) {
    internal::end(result, Status::NumericalFailure, "the solver claims a solution that its certificate denies");
  } else if (result.status == Status::NumericalFailure) {
    result.certificate.worst_row = worst_row;  // the row it named
  }
  if (result.solver.empty()) result.solver = name_;
  return result;
}

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = {
      {"automatic", "Closed forms, active-set steps, pivoting or sweeps by size and sets; the default.",
       with_defaults<Automatic>("automatic")},
      {"block gauss-seidel", "Cheap sweeps with exact local solves; large, well-conditioned problems.",
       with_defaults<GaussSeidel>("block gauss-seidel")},
  };
  return entries;
}

const Entry& find(std::string_view name) {
  std::string known;
  for (const Entry& entry : registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InvalidArgument("mixed::find: name", "'" + std::string(name) + "'", "one of " + known);
}

}  // namespace nonsmooth::mixed
