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

}  // namespace

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

namespace nonsmooth {
namespace {

template <class P>
qp::Result checked(const std::string& name, const P& problem, const Limits& limits, qp::Result result) {
  check::size("qp::Solver '" + name + "': x returned", result.x.size(), problem.num_unknowns(), "one an entry of c");
  check::size("qp::Solver '" + name + "': y returned", result.y.size(), problem.num_rows(), "one a row of A");
  detail::Buffer scratch;
  qp::detail::certify_result(problem, scratch, result);
  detail::judge(
      result, [&] { return result.certificate.residual <= limits.tolerance; },
      [&] {
        if (proves_infeasible(problem, result.proof)) {
          result.direction.resize(0);  // one verdict, and what is beside it is not looked at
          return true;
        }
        result.proof.resize(0);
        return proves_unbounded(problem, result.direction);
      });
  if (result.status != Status::Infeasible) {
    result.proof.resize(0);
    result.direction.resize(0);
  }
  detail::tell_round_off(false, result);
  return result;
}

}  // namespace

template TwoStorageSolver<qp::Problem, qp::SparseProblem, qp::Result>::TwoStorageSolver(std::string, qp::Solver::Dense,
                                                                                        qp::Solver::Sparse);

template <>
qp::Result qp::Solver::solve(const qp::Problem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("qp", name_, dense_, problem, limits, "dense"));
}

template <>
qp::Result qp::Solver::solve(const qp::SparseProblem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("qp", name_, sparse_, problem, limits, "sparse"));
}

}  // namespace nonsmooth
