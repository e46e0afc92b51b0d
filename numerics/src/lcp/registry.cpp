// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/registry.hpp>

#include <type_traits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "internal.hpp"
#include "registry.hpp"
#include "symmetry.hpp"

namespace nonsmooth::lcp {
namespace {

using nonsmooth::detail::within;

constexpr auto refine_result = [](const auto& problem, const Limits& limits,
                                  const nonsmooth::detail::Deadline& deadline, Result& result) {
  detail::refine(detail::view(problem), limits.tolerance, limits.max_iterations, deadline, result);
};

/// What Options find, refined but for Automatic, which does so itself.
template <class Options>
auto with(Index Options::*iterations) {
  return nonsmooth::detail::limited(
      iterations, Options{}, [](const auto& problem, const Limits& limits, const auto& deadline, Result& result) {
        if constexpr (!std::is_same_v<Options, Automatic>) refine_result(problem, limits, deadline, result);
      });
}

template <class Options>
Solver both(std::string name, Index Options::*iterations) {
  return Solver(std::move(name), with(iterations), with(iterations));
}

Solver splitting(std::string name, const Splitting& options) {
  const auto split = [options](const auto& problem, const Limits& limits) {
    Splitting own = within(limits, &Splitting::max_sweeps, options);
    // Jacobi alone converges for few matrices; with the line search, which needs symmetry, for positive definite ones.
    Index i = 0;
    Index j = 0;
    own.line_search = own.line_search && !detail::find_asymmetry(problem.M, i, j);
    const nonsmooth::detail::Deadline deadline(limits.time_limit);
    Result result = solve(problem, own);
    refine_result(problem, limits, deadline, result);
    return result;
  };
  return Solver(std::move(name), split, split);
}

}  // namespace

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.",
       both("automatic", &Automatic::max_iterations), 0},
      {"lemke", "Complementary pivoting; copositive-plus and P-matrices, with proofs of infeasibility.",
       both("lemke", &Lemke::max_pivots), 0},
      {"keller", "Principal pivoting with a driving variable; positive semidefinite, sufficient; with proofs.",
       both("keller", &Keller::max_pivots), 0},
      {"lemke-howson", "The pivoting of bimatrix games, (0 A; B^T 0) with A, B > 0 and q < 0; no other matrix.",
       Solver("lemke-howson", with(&LemkeHowson::max_pivots)), 0},
      {"murty", "Least-index principal pivoting; P-matrices, finite whatever the degeneracy.",
       both("murty", &Murty::max_pivots), 0},
      {"block principal pivoting", "Few factorizations for P-matrices, with Murty's fallback.",
       both("block principal pivoting", &BlockPrincipalPivoting::max_steps), 0},
      {"primal-dual active set", "Semismooth Newton on min; M-matrices, obstacle problems.",
       both("primal-dual active set", &PrimalDualActiveSet::max_steps), 0},
      {"multigrid", "Active sets with multigrid inside; large sparse M-matrices.",
       Solver("multigrid", {}, with(&Multigrid::max_steps)), 0},
      {"min-newton", "The same with a line search and fallbacks; P0-matrices.",
       both("min-newton", &MinNewton::max_steps), 0},
      {"fischer-burmeister", "Globalised semismooth Newton; P0-matrices.",
       both("fischer-burmeister", &FischerBurmeister::max_steps), 0},
      {"interior point", "Predictor and corrector; monotone problems of any size and rank.",
       both("interior point", &InteriorPoint::max_steps), 0},
      {"projected gauss-seidel", "Cheap sweeps; symmetric positive definite, well conditioned.",
       splitting("projected gauss-seidel", {}), 0},
      {"projected sor", "The same, over-relaxed by 1.4: fewer sweeps where M is ill-conditioned.",
       splitting("projected sor", {.relaxation = 1.4}), 0},
      {"projected symmetric sor", "Forward and backward sweeps; less sensitive to the order of the rows.",
       splitting("projected symmetric sor", {.kind = Splitting::Kind::SymmetricGaussSeidel}), 0},
      {"projected jacobi", "Sweeps from old values, with a line search where M is symmetric.",
       splitting("projected jacobi", {.kind = Splitting::Kind::Jacobi, .line_search = true}), 0},
      {"enumeration", "Every complementary basis; any matrix of few rows.",
       Solver("enumeration", with(&Enumeration::max_bases)), 20},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("lcp", registry(), name); }

}  // namespace nonsmooth::lcp

namespace nonsmooth {
namespace {

template <class P>
lcp::Result checked(const std::string& name, const P& problem, const Limits& limits, lcp::Result result) {
  check::size("lcp::Solver '" + name + "': z returned", result.z.size(), problem.q.size(), "one a row of M");
  if (result.w.size() != result.z.size()) result.w.resize(result.z.size());
  result.certificate = certify(problem, result.z, result.w);
  detail::judge(
      result,
      [&] { return lcp::detail::within(lcp::detail::view(problem), limits.tolerance, result.z, result.certificate); },
      [&] { return proves_infeasible(problem, result.proof); });
  lcp::detail::tell_round_off(result);
  return result;
}

}  // namespace

template TwoStorageSolver<lcp::Problem, lcp::SparseProblem, lcp::Result>::TwoStorageSolver(std::string,
                                                                                           lcp::Solver::Dense,
                                                                                           lcp::Solver::Sparse);

template <>
lcp::Result lcp::Solver::solve(const lcp::Problem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("lcp", name_, dense_, problem, limits, "dense"));
}

template <>
lcp::Result lcp::Solver::solve(const lcp::SparseProblem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("lcp", name_, sparse_, problem, limits, "sparse"));
}

}  // namespace nonsmooth
