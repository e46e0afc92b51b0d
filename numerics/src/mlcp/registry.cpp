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

/// Refines what Options found of a dense problem, but for Automatic, which does so itself.
template <class Options>
constexpr auto refine_dense =
    [](const auto& problem, const Limits& limits, const nonsmooth::detail::Deadline& deadline, Result& result) {
      if constexpr (std::is_same_v<std::decay_t<decltype(problem)>, Problem> && !std::is_same_v<Options, Automatic>)
        detail::refine(problem, limits.tolerance, limits.max_iterations, deadline, result);
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
      {"lemke", "Complementary pivoting with u free; copositive-plus Schur complements, circuits; proofs.",
       both("lemke", &Lemke::max_pivots), 0},
      {"active set", "Few factorizations of the whole; most circuits, from a good start above all.",
       dense("active set", &ActiveSet::max_steps), 0},
      {"elimination", "The Schur complement in v by relay's algorithms; many free unknowns, A well conditioned.",
       dense("elimination", &Elimination::max_iterations), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function; P0 Schur complements.",
       both("semismooth newton", &SemismoothNewton::max_steps, {.reformulation = Reformulation::FischerBurmeister}), 0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewer steps, may stall.",
       both("semismooth newton on min", &SemismoothNewton::max_steps, {.reformulation = Reformulation::Minimum}), 0},
      {"gauss-seidel", "Cheap sweeps, u as one block; symmetric positive definite, well conditioned.",
       both("gauss-seidel", &GaussSeidel::max_sweeps), 0},
      {"enumeration", "Every combination of places; any matrices with few rows of v.",
       dense("enumeration", &Enumeration::max_combinations), 20},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("mlcp", registry(), name); }

}  // namespace nonsmooth::mlcp

namespace nonsmooth {
namespace {

template <class P>
mlcp::Result checked(const std::string& name, const P& problem, const Limits& limits, mlcp::Result result) {
  check::size("mlcp::Solver '" + name + "': u returned", result.u.size(), problem.num_free(), "one a column of A");
  check::size("mlcp::Solver '" + name + "': v returned", result.v.size(), problem.num_constrained(), "one a row of B");
  result.w.resize(problem.num_constrained());
  result.certificate = certify(problem, result.u, result.v, result.w);
  detail::judge(
      result, [&] { return mlcp::detail::within(problem, limits.tolerance, result.u, result.v, result.certificate); },
      [&] { return mlcp::proves_infeasible(problem, result.proof); });
  mlcp::detail::tell_round_off(problem, result);
  return result;
}

}  // namespace

template TwoStorageSolver<mlcp::Problem, mlcp::SparseProblem, mlcp::Result>::TwoStorageSolver(std::string,
                                                                                              mlcp::Solver::Dense,
                                                                                              mlcp::Solver::Sparse);

template <>
mlcp::Result mlcp::Solver::solve(const mlcp::Problem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("mlcp", name_, dense_, problem, limits, "dense"));
}

template <>
mlcp::Result mlcp::Solver::solve(const mlcp::SparseProblem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("mlcp", name_, sparse_, problem, limits, "sparse"));
}

}  // namespace nonsmooth
