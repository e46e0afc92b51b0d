// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/registry.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include "internal.hpp"

namespace nonsmooth::relay {
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
  if (name_.empty()) throw InvalidArgument("relay::Solver::name", "an empty string", "a name");
  if (!function_) throw InvalidArgument("relay::Solver '" + name_ + "'", "no callable", "one");
}

Result Solver::solve(const Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  Result result = function_(problem, limits);
  check::size("relay::Solver '" + name_ + "': z returned", result.z.size(), problem.q.size(), "one a row of M");
  if (result.w.size() != result.z.size()) result.w.resize(result.z.size());
  // Never trust a solver's own stopping test, a user's least of all.
  result.certificate = certify(problem, result.z, result.w);
  if (result.status == Status::Solved &&
      !detail::within(detail::view(problem), limits.tolerance, result.z, result.certificate)) {
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
      {"lemke", "Complementary pivoting on the box; any M with finite bounds, copositive-plus M; proofs.",
       entry<Lemke>("lemke", &Lemke::max_pivots), 0},
      {"active set", "Few factorizations; P-matrices and many others, from a good start above all.",
       entry<ActiveSet>("active set", &ActiveSet::max_steps), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function of the box; P0-matrices.",
       Solver("semismooth newton",
              [](const Problem& problem, const Limits& limits) {
                return relay::solve(problem, newton_of(Reformulation::FischerBurmeister, limits));
              }),
       0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewer steps, may stall.",
       Solver("semismooth newton on min",
              [](const Problem& problem, const Limits& limits) {
                return relay::solve(problem, newton_of(Reformulation::Minimum, limits));
              }),
       0},
      {"gauss-seidel", "Cheap sweeps, the free rows as one block; symmetric positive definite, well conditioned.",
       entry<GaussSeidel>("gauss-seidel", &GaussSeidel::max_sweeps), 0},
      {"enumeration", "Every combination of places; any matrix of few rows.",
       entry<Enumeration>("enumeration", &Enumeration::max_combinations), 12},
  };
  return entries;
}

const Entry& find(std::string_view name) {
  std::string known;
  for (const Entry& entry : registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InvalidArgument("relay::find: name", "'" + std::string(name) + "'", "one of " + known);
}

}  // namespace nonsmooth::relay
