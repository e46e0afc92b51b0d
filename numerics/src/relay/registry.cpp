// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/registry.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include "../registry.hpp"
#include "internal.hpp"

namespace nonsmooth::relay {
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
  nonsmooth::detail::check_solver("relay", name_, static_cast<bool>(function_));
}

Result Solver::solve(const Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  Result result = function_(problem, limits);
  check::size("relay::Solver '" + name_ + "': z returned", result.z.size(), problem.q.size(), "one a row of M");
  if (result.w.size() != result.z.size()) result.w.resize(result.z.size());
  result.certificate = certify(problem, result.z, result.w);
  nonsmooth::detail::judge(
      result, [&] { return detail::within(detail::view(problem), limits.tolerance, result.z, result.certificate); },
      [&] { return proves_infeasible(problem, result.proof); });
  return result;
}

const std::vector<Entry>& registry() {
  using Reformulation = SemismoothNewton::Reformulation;
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.",
       with<Automatic>("automatic", &Automatic::max_iterations), 0},
      {"lemke", "Complementary pivoting on the box; any M with finite bounds, copositive-plus M; proofs.",
       with<Lemke>("lemke", &Lemke::max_pivots), 0},
      {"active set", "Few factorizations; P-matrices and many others, from a good start above all.",
       with<ActiveSet>("active set", &ActiveSet::max_steps), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function of the box; P0-matrices.",
       with<SemismoothNewton>("semismooth newton", &SemismoothNewton::max_steps,
                              {.reformulation = Reformulation::FischerBurmeister}),
       0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewer steps, may stall.",
       with<SemismoothNewton>("semismooth newton on min", &SemismoothNewton::max_steps,
                              {.reformulation = Reformulation::Minimum}),
       0},
      {"gauss-seidel", "Cheap sweeps, the free rows as one block; symmetric positive definite, well conditioned.",
       with<GaussSeidel>("gauss-seidel", &GaussSeidel::max_sweeps), 0},
      {"enumeration", "Every combination of places; any matrix of few rows.",
       with<Enumeration>("enumeration", &Enumeration::max_combinations), 12},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("relay", registry(), name); }

}  // namespace nonsmooth::relay
