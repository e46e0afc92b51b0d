// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/registry.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "internal.hpp"

namespace nonsmooth::lcp {
namespace {

template <class Options, class P>
Result with(const P& problem, double tolerance) {
  Options options;
  options.tolerance = tolerance;
  return solve(problem, options);
}

template <class Options>
Solver both(std::string name) {
  return Solver(std::move(name), with<Options, Problem>, with<Options, SparseProblem>);
}

template <class P, class Callable>
Result call(const std::string& name, const Callable& callable, const P& problem, double tolerance,
            std::string_view storage) {
  if (!callable) {
    throw InvalidArgument("lcp::Solver '" + name + "'", "a " + std::string(storage) + " problem",
                          "the other storage, the only one this solver has");
  }
  problem.validate();
  check::positive("lcp::Solver::solve: tolerance", tolerance);
  Result result = callable(problem, tolerance);
  check::size("lcp::Solver '" + name + "': z returned", result.z.size(), problem.q.size(), "one a row of M");
  if (result.w.size() != result.z.size()) result.w.resize(result.z.size());
  // Never trust a solver's own stopping test, a user's least of all.
  result.certificate = certify(problem, result.z, result.w);
  if (result.status == Status::Solved && !(result.certificate.residual <= tolerance)) {
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

Result Solver::solve(const Problem& problem, double tolerance) const {
  return call(name_, dense_, problem, tolerance, "dense");
}

Result Solver::solve(const SparseProblem& problem, double tolerance) const {
  return call(name_, sparse_, problem, tolerance, "sparse");
}

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.", both<Automatic>("automatic"), 0},
      {"lemke", "Complementary pivoting; copositive-plus and P-matrices, with proofs of infeasibility.",
       both<Lemke>("lemke"), 0},
      {"block principal pivoting", "Few factorizations for P-matrices, with Murty's fallback.",
       both<BlockPrincipalPivoting>("block principal pivoting"), 0},
      {"primal-dual active set", "Semismooth Newton on min; M-matrices, obstacle problems.",
       both<PrimalDualActiveSet>("primal-dual active set"), 0},
      {"fischer-burmeister", "Globalised semismooth Newton; P0-matrices.",
       both<FischerBurmeister>("fischer-burmeister"), 0},
      {"projected gauss-seidel", "Cheap sweeps; symmetric positive definite, well conditioned.",
       both<ProjectedGaussSeidel>("projected gauss-seidel"), 0},
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
