// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/registry.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "internal.hpp"
#include "symmetry.hpp"

namespace nonsmooth::lcp {
namespace {

/// The limits in an algorithm's own fields; 0 iterations leave its default.
template <class Options>
void take(Options& options, const Limits& limits) {
  options.tolerance = limits.tolerance;
  options.time_limit = limits.time_limit;
  if (limits.max_iterations == 0) return;
  if constexpr (requires { options.max_pivots; }) {
    options.max_pivots = limits.max_iterations;
  } else if constexpr (requires { options.max_steps; }) {
    options.max_steps = limits.max_iterations;
  } else if constexpr (requires { options.max_sweeps; }) {
    options.max_sweeps = limits.max_iterations;
  } else if constexpr (requires { options.max_bases; }) {
    options.max_bases = limits.max_iterations;
  } else {
    options.max_iterations = limits.max_iterations;
  }
}

template <class Options, class P>
Result with(const P& problem, const Limits& limits) {
  Options options;
  take(options, limits);
  return solve(problem, options);
}

template <class P>
Result split(const P& problem, const Limits& limits, Splitting options) {
  take(options, limits);
  // Jacobi alone converges for few matrices; with the line search, which needs symmetry, for positive definite ones.
  Index i = 0;
  Index j = 0;
  options.line_search = options.line_search && !detail::find_asymmetry(problem.M, i, j);
  return solve(problem, options);
}

Solver splitting(std::string name, Splitting options) {
  return Solver(
      std::move(name),
      [options](const Problem& problem, const Limits& limits) { return split(problem, limits, options); },
      [options](const SparseProblem& problem, const Limits& limits) { return split(problem, limits, options); });
}

template <class Options>
Solver both(std::string name) {
  return Solver(std::move(name), with<Options, Problem>, with<Options, SparseProblem>);
}

View certified(const Problem& problem) { return detail::view(problem); }
const SparseProblem& certified(const SparseProblem& problem) { return problem; }

template <class P, class Callable>
Result call(const std::string& name, const Callable& callable, const P& problem, const Limits& limits,
            std::string_view storage) {
  if (!callable) {
    throw InvalidArgument("lcp::Solver '" + name + "'", "a " + std::string(storage) + " problem",
                          "the other storage, the only one this solver has");
  }
  problem.validate();
  limits.validate();
  Result result = callable(problem, limits);
  check::size("lcp::Solver '" + name + "': z returned", result.z.size(), problem.q.size(), "one a row of M");
  if (result.w.size() != result.z.size()) result.w.resize(result.z.size());
  // Never trust a solver's own stopping test, a user's least of all.
  result.certificate = certify(problem, result.z, result.w);
  if (result.status == Status::Solved &&
      !detail::within(certified(problem), limits.tolerance, result.z, result.certificate)) {
    result.status = Status::Stalled;
    result.reason = "the solver claims a solution that its certificate denies";
  }
  if (result.status == Status::Infeasible && !proves_infeasible(problem, result.proof)) {
    result.status = Status::Stalled;
    result.reason = "the solver claims infeasibility without a valid proof";
  }
  return result;
}

}  // namespace

Solver::Solver(std::string name, Dense dense, Sparse sparse)
    : name_(std::move(name)), dense_(std::move(dense)), sparse_(std::move(sparse)) {
  if (name_.empty()) throw InvalidArgument("lcp::Solver::name", "an empty string", "a name");
  if (!dense_ && !sparse_) throw InvalidArgument("lcp::Solver '" + name_ + "'", "no callable", "at least one");
}

Result Solver::solve(const Problem& problem, const Limits& limits) const {
  return call(name_, dense_, problem, limits, "dense");
}

Result Solver::solve(const SparseProblem& problem, const Limits& limits) const {
  return call(name_, sparse_, problem, limits, "sparse");
}

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.", both<Automatic>("automatic"), 0},
      {"lemke", "Complementary pivoting; copositive-plus and P-matrices, with proofs of infeasibility.",
       both<Lemke>("lemke"), 0},
      {"keller", "Principal pivoting with a driving variable; positive semidefinite, sufficient; with proofs.",
       both<Keller>("keller"), 0},
      {"lemke-howson", "The pivoting of bimatrix games, (0 A; B^T 0) with A, B > 0 and q < 0; no other matrix.",
       Solver("lemke-howson", with<LemkeHowson, Problem>), 0},
      {"murty", "Least-index principal pivoting; P-matrices, finite whatever the degeneracy.", both<Murty>("murty"), 0},
      {"block principal pivoting", "Few factorizations for P-matrices, with Murty's fallback.",
       both<BlockPrincipalPivoting>("block principal pivoting"), 0},
      {"primal-dual active set", "Semismooth Newton on min; M-matrices, obstacle problems.",
       both<PrimalDualActiveSet>("primal-dual active set"), 0},
      {"multigrid", "Active sets with multigrid inside; large sparse M-matrices.",
       Solver("multigrid", {}, with<Multigrid, SparseProblem>), 0},
      {"min-newton", "The same with a line search and fallbacks; P0-matrices.", both<MinNewton>("min-newton"), 0},
      {"fischer-burmeister", "Globalised semismooth Newton; P0-matrices.",
       both<FischerBurmeister>("fischer-burmeister"), 0},
      {"interior point", "Predictor and corrector; monotone problems of any size and rank.",
       both<InteriorPoint>("interior point"), 0},
      {"projected gauss-seidel", "Cheap sweeps; symmetric positive definite, well conditioned.",
       splitting("projected gauss-seidel", {}), 0},
      {"projected sor", "The same, over-relaxed by 1.4: fewer sweeps where M is ill-conditioned.",
       splitting("projected sor", {.relaxation = 1.4}), 0},
      {"projected symmetric sor", "Forward and backward sweeps; less sensitive to the order of the rows.",
       splitting("projected symmetric sor", {.kind = Splitting::Kind::SymmetricGaussSeidel}), 0},
      {"projected jacobi", "Sweeps from old values, with a line search where M is symmetric.",
       splitting("projected jacobi", {.kind = Splitting::Kind::Jacobi, .line_search = true}), 0},
      {"enumeration", "Every complementary basis; any matrix of few rows.",
       Solver("enumeration", with<Enumeration, Problem>), 20},
  };
  return entries;
}

const Entry& find(std::string_view name) {
  std::string known;
  for (const Entry& entry : registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InvalidArgument("lcp::find: name", "'" + std::string(name) + "'", "one of " + known);
}

}  // namespace nonsmooth::lcp
