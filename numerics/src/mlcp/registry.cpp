// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/registry.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp.hpp>

#include "../registry.hpp"
#include "internal.hpp"

namespace nonsmooth::mlcp {
namespace {

/// The algorithm as an entry's solver; `iterations` is its field for Limits::max_iterations.
template <class Options>
Solver with(std::string name, Index Options::*iterations, const Options& options = {}) {
  return Solver(std::move(name), [iterations, options](const Problem& problem, const Limits& limits) {
    return solve(problem, nonsmooth::detail::within(limits, iterations, options));
  });
}

}  // namespace

Solver::Solver(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {
  nonsmooth::detail::check_solver("mlcp", name_, static_cast<bool>(function_));
}

Result Solver::solve(const Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  Result result = function_(problem, limits);
  check::size("mlcp::Solver '" + name_ + "': u returned", result.u.size(), problem.num_free(), "one a column of A");
  check::size("mlcp::Solver '" + name_ + "': v returned", result.v.size(), problem.num_constrained(), "one a row of B");
  result.w.resize(problem.num_constrained());
  result.certificate = certify(problem, result.u, result.v, result.w);
  nonsmooth::detail::judge(
      result, [&] { return detail::within(problem, limits.tolerance, result.u, result.v, result.certificate); },
      [&] { return proves_infeasible(problem, result.proof); });
  return result;
}

const std::vector<Entry>& registry() {
  using Reformulation = SemismoothNewton::Reformulation;
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.",
       with<Automatic>("automatic", &Automatic::max_iterations), 0},
      {"lemke", "Complementary pivoting with u free; copositive-plus Schur complements, circuits; proofs.",
       with<Lemke>("lemke", &Lemke::max_pivots), 0},
      {"active set", "Few factorizations of the whole; most circuits, from a good start above all.",
       with<ActiveSet>("active set", &ActiveSet::max_steps), 0},
      {"elimination", "The Schur complement in v by relay's algorithms; many free unknowns, A well conditioned.",
       with<Elimination>("elimination", &Elimination::max_iterations), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function; P0 Schur complements.",
       with<SemismoothNewton>("semismooth newton", &SemismoothNewton::max_steps,
                              {.reformulation = Reformulation::FischerBurmeister}),
       0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewer steps, may stall.",
       with<SemismoothNewton>("semismooth newton on min", &SemismoothNewton::max_steps,
                              {.reformulation = Reformulation::Minimum}),
       0},
      {"gauss-seidel", "Cheap sweeps, u as one block; symmetric positive definite, well conditioned.",
       with<GaussSeidel>("gauss-seidel", &GaussSeidel::max_sweeps), 0},
      {"enumeration", "Every combination of places; any matrices with few rows of v.",
       with<Enumeration>("enumeration", &Enumeration::max_combinations), 20},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("mlcp", registry(), name); }

}  // namespace nonsmooth::mlcp
