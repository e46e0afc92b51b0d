// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/registry.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {
namespace {

/// The algorithm with default options; `iterations` is its field for Limits::max_iterations.
template <class Options>
Solver entry(std::string name, Index Options::*iterations) {
  return Solver(std::move(name), [iterations](const Problem& problem, const Limits& limits) {
    Options options;
    options.tolerance = limits.tolerance;
    options.time_limit = limits.time_limit;
    if (limits.max_iterations > 0) options.*iterations = limits.max_iterations;
    return solve(problem, options);
  });
}

SemismoothNewton newton_of(SemismoothNewton::Reformulation reformulation, const Limits& limits) {
  SemismoothNewton options;
  options.reformulation = reformulation;
  options.tolerance = limits.tolerance;
  options.time_limit = limits.time_limit;
  if (limits.max_iterations > 0) options.max_steps = limits.max_iterations;
  return options;
}

}  // namespace

Solver::Solver(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {
  if (name_.empty()) throw InvalidArgument("mlcp::Solver::name", "an empty string", "a name");
  if (!function_) throw InvalidArgument("mlcp::Solver '" + name_ + "'", "no callable", "one");
}

Result Solver::solve(const Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  Result result = function_(problem, limits);
  check::size("mlcp::Solver '" + name_ + "': u returned", result.u.size(), problem.num_free(), "one a column of A");
  check::size("mlcp::Solver '" + name_ + "': v returned", result.v.size(), problem.num_constrained(), "one a row of B");
  result.w.resize(problem.num_constrained());
  // Never trust a solver's own stopping test, a user's least of all.
  result.certificate = certify(problem, result.u, result.v, result.w);
  if (result.status == Status::Solved &&
      !detail::within(problem, limits.tolerance, result.u, result.v, result.certificate)) {
    result.status = Status::Stalled;
    result.reason = "the solver claims a solution that its certificate denies";
  }
  if (result.status == Status::Infeasible && !proves_infeasible(problem, result.proof)) {
    result.status = Status::Stalled;
    result.reason = "the solver claims infeasibility without a valid proof";
  }
  return result;
}

const std::vector<Entry>& registry() {
  using Reformulation = SemismoothNewton::Reformulation;
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.",
       entry<Automatic>("automatic", &Automatic::max_iterations), 0},
      {"lemke", "Complementary pivoting with u free; copositive-plus Schur complements, circuits; proofs.",
       entry<Lemke>("lemke", &Lemke::max_pivots), 0},
      {"active set", "Few factorizations of the whole; most circuits, from a good start above all.",
       entry<ActiveSet>("active set", &ActiveSet::max_steps), 0},
      {"elimination", "The Schur complement in v by relay's algorithms; many free unknowns, A well conditioned.",
       entry<Elimination>("elimination", &Elimination::max_iterations), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function; P0 Schur complements.",
       Solver("semismooth newton",
              [](const Problem& problem, const Limits& limits) {
                return mlcp::solve(problem, newton_of(Reformulation::FischerBurmeister, limits));
              }),
       0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewer steps, may stall.",
       Solver("semismooth newton on min",
              [](const Problem& problem, const Limits& limits) {
                return mlcp::solve(problem, newton_of(Reformulation::Minimum, limits));
              }),
       0},
      {"gauss-seidel", "Cheap sweeps, u as one block; symmetric positive definite, well conditioned.",
       entry<GaussSeidel>("gauss-seidel", &GaussSeidel::max_sweeps), 0},
      {"enumeration", "Every combination of places; any matrices with few rows of v.",
       entry<Enumeration>("enumeration", &Enumeration::max_combinations), 20},
  };
  return entries;
}

const Entry& find(std::string_view name) {
  std::string known;
  for (const Entry& entry : registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InvalidArgument("mlcp::find: name", "'" + std::string(name) + "'", "one of " + known);
}

}  // namespace nonsmooth::mlcp
