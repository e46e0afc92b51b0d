// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/registry.hpp>

#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "internal.hpp"
#include "registry.hpp"

namespace nonsmooth::qp {
namespace {

/// The algorithm on one storage; `iterations` is its field for Limits::max_iterations.
template <class P, class Options>
auto with(Index Options::*iterations) {
  return [iterations](const P& problem, const Limits& limits) {
    return solve(problem, nonsmooth::detail::within(limits, iterations, Options{}));
  };
}

template <class Options>
Solver both(std::string name, Index Options::*iterations) {
  return Solver(std::move(name), with<Problem>(iterations), with<SparseProblem>(iterations));
}

template <class P, class Callable>
Result call(const std::string& name, const Callable& callable, const P& problem, const Limits& limits,
            std::string_view storage) {
  if (!callable) {
    throw InvalidArgument("qp::Solver '" + name + "'", "a " + std::string(storage) + " problem",
                          "the other storage, the only one this solver has");
  }
  problem.validate();
  limits.validate();
  Result result = callable(problem, limits);
  check::size("qp::Solver '" + name + "': x returned", result.x.size(), problem.num_unknowns(), "one an entry of c");
  check::size("qp::Solver '" + name + "': y returned", result.y.size(), problem.num_rows(), "one a row of A");
  nonsmooth::detail::Buffer scratch;
  detail::certify_result(problem, scratch, result);
  nonsmooth::detail::judge(
      result, [&] { return result.certificate.residual <= limits.tolerance; },
      [&] { return proves_infeasible(problem, result.proof) || proves_unbounded(problem, result.direction); });
  if (result.status != Status::Infeasible) {
    result.proof.resize(0);
    result.direction.resize(0);
  }
  nonsmooth::detail::tell_round_off(false, result);
  return result;
}

}  // namespace

Solver::Solver(std::string name, Dense dense, Sparse sparse)
    : name_(std::move(name)), dense_(std::move(dense)), sparse_(std::move(sparse)) {
  nonsmooth::detail::check_solver(name_, dense_ || sparse_);
}

Result Solver::solve(const Problem& problem, const Limits& limits) const {
  return call(name_, dense_, problem, limits, "dense");
}

Result Solver::solve(const SparseProblem& problem, const Limits& limits) const {
  return call(name_, sparse_, problem, limits, "sparse");
}

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries{
      {"automatic", "Active sets for small dense programs, interior points for the others; the default.",
       both("automatic", &Automatic::max_iterations)},
      {"dual active set", "Row by row from below, exact at its end; small and medium dense programs, warm starts.",
       Solver("dual active set", with<Problem>(&DualActiveSet::max_steps))},
      {"primal active set", "Feasible iterates that never get worse; small and medium dense programs.",
       Solver("primal active set", with<Problem>(&PrimalActiveSet::max_steps))},
      {"interior point", "Ten to forty factorizations; large and sparse programs, linear ones.",
       both("interior point", &InteriorPoint::max_steps)},
      {"admm", "One factorization and cheap steps, refined at the end; large sparse programs of similar data.",
       both("admm", &Admm::max_iterations)},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("qp", registry(), name); }

}  // namespace nonsmooth::qp
