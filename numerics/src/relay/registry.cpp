// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/registry.hpp>

#include <type_traits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include "refinement.hpp"
#include "registry.hpp"

namespace nonsmooth::relay {
namespace {

/// The algorithm within limits, refined at its end where Automatic does not do that itself; `iterations` is what it
/// counts.
template <class Options>
Solver named(std::string name, Index Options::*iterations, const std::type_identity_t<Options>& options = {}) {
  return Solver(std::move(name), [=](const Problem& problem, const Limits& limits) {
    const nonsmooth::detail::Deadline deadline(limits.time_limit);
    Result result = solve(problem, nonsmooth::detail::within(limits, iterations, options));
    if constexpr (!std::is_same_v<Options, Automatic>)
      detail::refine(detail::view(problem), limits.tolerance, limits.max_iterations, deadline, result);
    return result;
  });
}

}  // namespace

const std::vector<Entry>& registry() {
  using Reformulation = SemismoothNewton::Reformulation;
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.",
       named("automatic", &Automatic::max_iterations), 0},
      {"lemke", "Complementary pivoting on the box; any M with finite bounds, copositive-plus M; proofs.",
       named("lemke", &Lemke::max_pivots), 0},
      {"active set", "Few factorizations; P-matrices and many others, from a good start above all.",
       named("active set", &ActiveSet::max_steps), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function of the box; P0-matrices.",
       named("semismooth newton", &SemismoothNewton::max_steps, {.reformulation = Reformulation::FischerBurmeister}),
       0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewer steps, may stall.",
       named("semismooth newton on min", &SemismoothNewton::max_steps, {.reformulation = Reformulation::Minimum}), 0},
      {"gauss-seidel", "Cheap sweeps, the free rows as one block; symmetric positive definite, well conditioned.",
       named("gauss-seidel", &GaussSeidel::max_sweeps), 0},
      {"enumeration", "Every combination of places; any matrix of few rows.",
       named("enumeration", &Enumeration::max_combinations), 12},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("relay", registry(), name); }

}  // namespace nonsmooth::relay

namespace nonsmooth {

template NamedSolver<relay::Problem, relay::Result>::NamedSolver(
    std::string, std::function<relay::Result(const relay::Problem&, const Limits&)>);

template <>
relay::Result relay::Solver::solve(const relay::Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  relay::Result result = function_(problem, limits);
  check::size("relay::Solver '" + name_ + "': z returned", result.z.size(), problem.q.size(), "one a row of M");
  if (result.w.size() != result.z.size()) result.w.resize(result.z.size());
  result.certificate = certify(problem, result.z, result.w);
  detail::judge(
      result,
      [&] {
        return relay::detail::within(relay::detail::view(problem), limits.tolerance, result.z, result.certificate);
      },
      [&] { return relay::proves_infeasible(problem, result.proof); });
  relay::detail::tell_round_off(relay::detail::view(problem), result);
  return result;
}

}  // namespace nonsmooth
