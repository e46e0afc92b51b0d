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

/// Refines what Options found of a dense problem, but for Automatic, which does so itself.
template <class Options>
constexpr auto refine_dense =
    [](const auto& problem, const Limits& limits, const nonsmooth::detail::Deadline& deadline, Result& result) {
      if constexpr (std::is_same_v<std::decay_t<decltype(problem)>, Problem> && !std::is_same_v<Options, Automatic>)
        detail::refine(detail::view(problem), limits.tolerance, limits.max_iterations, deadline, result);
    };

template <class Options>
Solver both(std::string name, Index Options::*iterations, const std::type_identity_t<Options>& options = {}) {
  const auto run = nonsmooth::detail::limited(iterations, options, refine_dense<Options>);
  return Solver(std::move(name), run, run);
}

template <class Options>
Solver dense(std::string name, Index Options::*iterations) {
  return Solver(std::move(name), nonsmooth::detail::limited(iterations, Options{}, refine_dense<Options>));
}

}  // namespace

const std::vector<Entry>& registry() {
  using Reformulation = SemismoothNewton::Reformulation;
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.",
       both("automatic", &Automatic::max_iterations), 0},
      {"lemke", "Complementary pivoting on the box; any M with finite bounds, copositive-plus M; proofs.",
       both("lemke", &Lemke::max_pivots), 0},
      {"active set", "Few factorizations; P-matrices and many others, from a good start above all.",
       dense("active set", &ActiveSet::max_steps), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function of the box; P0-matrices.",
       both("semismooth newton", &SemismoothNewton::max_steps, {.reformulation = Reformulation::FischerBurmeister}), 0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewer steps, may stall.",
       both("semismooth newton on min", &SemismoothNewton::max_steps, {.reformulation = Reformulation::Minimum}), 0},
      {"gauss-seidel", "Cheap sweeps, the free rows as one block; symmetric positive definite, well conditioned.",
       both("gauss-seidel", &GaussSeidel::max_sweeps), 0},
      {"enumeration", "Every combination of places; any matrix of few rows.",
       dense("enumeration", &Enumeration::max_combinations), 12},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("relay", registry(), name); }

}  // namespace nonsmooth::relay

namespace nonsmooth {
namespace {

template <class P>
relay::Result checked(const std::string& name, const P& problem, const Limits& limits, relay::Result result) {
  check::size("relay::Solver '" + name + "': z returned", result.z.size(), problem.q.size(), "one a row of M");
  if (result.w.size() != result.z.size()) result.w.resize(result.z.size());
  result.certificate = certify(problem, result.z, result.w);
  detail::judge(
      result,
      [&] {
        return relay::detail::within(relay::detail::view(problem), limits.tolerance, result.z, result.certificate);
      },
      [&] { return proves_infeasible(problem, result.proof); });
  relay::detail::tell_round_off(problem, result);
  return result;
}

}  // namespace

template TwoStorageSolver<relay::Problem, relay::SparseProblem, relay::Result>::TwoStorageSolver(std::string,
                                                                                                 relay::Solver::Dense,
                                                                                                 relay::Solver::Sparse);

template <>
relay::Result relay::Solver::solve(const relay::Problem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("relay", name_, dense_, problem, limits, "dense"));
}

template <>
relay::Result relay::Solver::solve(const relay::SparseProblem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("relay", name_, sparse_, problem, limits, "sparse"));
}

}  // namespace nonsmooth
