// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mpcc/registry.hpp>

#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mpcc.hpp>

#include "branching.hpp"
#include "portfolio.hpp"
#include "registry.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mpcc {
namespace {

constexpr Index most_branched = 30;  // pairs
// Trees of some twenty pairs often end within so many programs, which cost about as much as a relaxation of ten.
constexpr Index first_nodes = 24;

/// The algorithm on one storage; `iterations` is its field for Limits::max_iterations.
template <class P, class Options>
auto with(Index Options::*iterations) {
  return [iterations](const P& problem, const Limits& limits) {
    return Result(solve(problem, nonsmooth::detail::within(limits, iterations, Options{})));
  };
}

/// The best piece of the first nodes, which is a local answer where no piece beside it is better.
Result a_few_nodes(const Problem& problem, const nonsmooth::detail::Portfolio<Result>& portfolio) {
  const BranchAndBound options = portfolio.briefly(BranchAndBound{}, &BranchAndBound::max_nodes, first_nodes);
  Result result = detail::branch_where_bounded(problem, options);
  if (result.status == Status::IterationLimit && result.certificate.residual <= options.tolerance &&
      result.stationarity >= Stationarity::Bouligand) {
    result.status = Status::Solved;
    result.reason = "the tolerance is met";
  }
  return result;
}

}  // namespace

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries{
      {"automatic", "A few nodes of branch and bound, relaxation, then all nodes of few pairs; the default.",
       Solver("automatic", with<Problem>(&Automatic::max_iterations), with<SparseProblem>(&Automatic::max_iterations))},
      {"relaxation", "Some ten quadratic programs and the pieces at their end; a local answer.",
       Solver("relaxation", with<Problem>(&Relaxation::max_steps),
              with<SparseProblem>(&NonlinearRelaxation::max_steps))},
      {"branch and bound", "The best of all pieces, for some twenty pairs.",
       Solver("branch and bound", with<Problem>(&BranchAndBound::max_nodes))},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("mpcc", registry(), name); }

void Automatic::validate() const {
  check::positive("mpcc::Automatic::tolerance", tolerance);
  check::at_least("mpcc::Automatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("mpcc::Automatic::time_limit", time_limit);
}

Result solve(const Problem& problem, const Automatic& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  nonsmooth::detail::Portfolio<Result> portfolio(options, deadline, result);
  if (problem.num_pairs() <= most_branched && portfolio.ends(a_few_nodes(problem, portfolio))) return result;
  if (!portfolio.ends(solve(problem, portfolio.within(Relaxation{}, &Relaxation::max_steps))) && !portfolio.late() &&
      problem.num_pairs() <= most_branched)
    portfolio.ends(solve(problem, portfolio.within(BranchAndBound{}, &BranchAndBound::max_nodes)));
  nonsmooth::detail::call_solved(result);
  return result;
}

Result solve(const SparseProblem& problem, const Automatic& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  nonsmooth::detail::Portfolio<Result> portfolio(options, deadline, result);
  portfolio.ends(solve(problem, portfolio.within(NonlinearRelaxation{}, &NonlinearRelaxation::max_steps)));
  nonsmooth::detail::call_solved(result);
  return result;
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::mpcc

namespace nonsmooth {
namespace {

bool falls_forever(const mpcc::Problem& problem, const mpcc::Result& result) {
  return proves_unbounded(problem, result.x, result.direction);
}
/// No solver of sparse data claims it.
bool falls_forever(const mpcc::SparseProblem&, const mpcc::Result&) { return false; }

template <class P>
mpcc::Result checked(const std::string& name, const P& problem, const Limits& limits, mpcc::Result result) {
  const std::string of = "mpcc::Solver '" + name + "': ";
  check::size(of + "x returned", result.x.size(), problem.num_unknowns(), "one an entry of c");
  check::size(of + "y returned", result.y.size(), problem.num_rows(), "one a row of A");
  check::size(of + "u returned", result.u.size(), problem.num_pairs(), "one a row of G");
  check::size(of + "v returned", result.v.size(), problem.num_pairs(), "one a row of H");
  result.s.resize(problem.num_unknowns());
  mpcc::Look look;
  result.certificate = certify(problem, result.x, result.y, result.u, result.v, result.s, &look);
  result.figures = look.figures;
  result.biactive = look.biactive;
  // Multipliers on few pairs show less than their pieces do.
  const bool bouligand = result.stationarity == mpcc::Stationarity::Bouligand;
  result.stationarity = look.stationarity;
  if (bouligand && look.stationarity < mpcc::Stationarity::Bouligand && is_bouligand_stationary(problem, result.x))
    result.stationarity = mpcc::Stationarity::Bouligand;
  detail::judge(
      result,
      [&] {
        return result.certificate.residual <= limits.tolerance && result.stationarity >= mpcc::Stationarity::Clarke;
      },
      [&] {
        if (proves_infeasible(problem, result.proof)) {
          result.direction.resize(0);
          return true;
        }
        result.proof.resize(0);
        return falls_forever(problem, result);
      });
  if (result.status != Status::Infeasible) {
    result.proof.resize(0);
    result.direction.resize(0);
  }
  if (result.stationarity >= mpcc::Stationarity::Clarke) detail::tell_round_off(false, result);
  if (!(result.certificate.residual <= limits.tolerance) && !result.at_round_off)
    result.stationarity = mpcc::Stationarity::None;
  return result;
}

}  // namespace

template TwoStorageSolver<mpcc::Problem, mpcc::SparseProblem, mpcc::Result>::TwoStorageSolver(std::string,
                                                                                              mpcc::Solver::Dense,
                                                                                              mpcc::Solver::Sparse);

template <>
mpcc::Result mpcc::Solver::solve(const mpcc::Problem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("mpcc", name_, dense_, problem, limits, "dense"));
}

template <>
mpcc::Result mpcc::Solver::solve(const mpcc::SparseProblem& problem, const Limits& limits) const {
  return checked(name_, problem, limits, detail::call("mpcc", name_, sparse_, problem, limits, "sparse"));
}

}  // namespace nonsmooth
