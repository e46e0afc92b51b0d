// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/registry.hpp>

#include <type_traits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp.hpp>

#include "internal.hpp"
#include "registry.hpp"

namespace nonsmooth::mlcp {
namespace {

/// The algorithm within limits, refined at its end where Automatic does not do that itself; `iterations` is what it
/// counts.
template <class Options>
Solver named(std::string name, Index Options::*iterations, const std::type_identity_t<Options>& options = {}) {
  return Solver(std::move(name), [=](const Problem& problem, const Limits& limits) {
    const nonsmooth::detail::Deadline deadline(limits.time_limit);
    Result result = solve(problem, nonsmooth::detail::within(limits, iterations, options));
    if constexpr (!std::is_same_v<Options, Automatic>)
      detail::refine(problem, limits.tolerance, limits.max_iterations, deadline, result);
    return result;
  });
}

}  // namespace

const std::vector<Entry>& registry() {
  using Reformulation = SemismoothNewton::Reformulation;
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.",
       named("automatic", &Automatic::max_iterations), 0},
      {"lemke", "Complementary pivoting with u free; copositive-plus Schur complements, circuits; proofs.",
       named("lemke", &Lemke::max_pivots), 0},
      {"active set", "Few factorizations of the whole; most circuits, from a good start above all.",
       named("active set", &ActiveSet::max_steps), 0},
      {"elimination", "The Schur complement in v by relay's algorithms; many free unknowns, A well conditioned.",
       named("elimination", &Elimination::max_iterations), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function; P0 Schur complements.",
       named("semismooth newton", &SemismoothNewton::max_steps, {.reformulation = Reformulation::FischerBurmeister}),
       0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewer steps, may stall.",
       named("semismooth newton on min", &SemismoothNewton::max_steps, {.reformulation = Reformulation::Minimum}), 0},
      {"gauss-seidel", "Cheap sweeps, u as one block; symmetric positive definite, well conditioned.",
       named("gauss-seidel", &GaussSeidel::max_sweeps), 0},
      {"enumeration", "Every combination of places; any matrices with few rows of v.",
       named("enumeration", &Enumeration::max_combinations), 20},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("mlcp", registry(), name); }

}  // namespace nonsmooth::mlcp

namespace nonsmooth {

template NamedSolver<mlcp::Problem, mlcp::Result>::NamedSolver(
    std::string, std::function<mlcp::Result(const mlcp::Problem&, const Limits&)>);

template <>
mlcp::Result mlcp::Solver::solve(const mlcp::Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  mlcp::Result result = function_(problem, limits);
  check::size("mlcp::Solver '" + name_ + "': u returned", result.u.size(), problem.num_free(), "one a column of A");
  check::size("mlcp::Solver '" + name_ + "': v returned", result.v.size(), problem.num_constrained(), "one a row of B");
  result.w.resize(problem.num_constrained());
  result.certificate = certify(problem, result.u, result.v, result.w);
  detail::judge(
      result, [&] { return mlcp::detail::within(problem, limits.tolerance, result.u, result.v, result.certificate); },
      [&] { return mlcp::proves_infeasible(problem, result.proof); });
  mlcp::detail::tell_round_off(problem, result);
  return result;
}

}  // namespace nonsmooth
