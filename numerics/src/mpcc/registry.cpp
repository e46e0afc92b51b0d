// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mpcc/registry.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mpcc.hpp>

#include "portfolio.hpp"
#include "registry.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mpcc {
namespace {

constexpr Index most_branched = 30;  // pairs

}  // namespace

const std::vector<Entry>& registry() {
  using nonsmooth::detail::named;
  static const std::vector<Entry> entries{
      {"automatic", "Relaxation, then branch and bound where there are few pairs; the default.",
       named<Solver>("automatic", &Automatic::max_iterations, Automatic{})},
      {"relaxation", "Some ten quadratic programs and the pieces at their end; a local answer.",
       named<Solver>("relaxation", &Relaxation::max_steps, Relaxation{})},
      {"branch and bound", "The best of all pieces, for some twenty pairs.",
       named<Solver>("branch and bound", &BranchAndBound::max_nodes, BranchAndBound{})},
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
  if (!portfolio.ends(solve(problem, portfolio.within(Relaxation{}, &Relaxation::max_steps))) && !portfolio.late() &&
      problem.num_pairs() <= most_branched)
    portfolio.ends(solve(problem, portfolio.within(BranchAndBound{}, &BranchAndBound::max_nodes)));
  nonsmooth::detail::call_solved(result);
  return result;
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::mpcc

namespace nonsmooth {

template NamedSolver<mpcc::Problem, mpcc::Result>::NamedSolver(
    std::string, std::function<mpcc::Result(const mpcc::Problem&, const Limits&)>);

template <>
mpcc::Result mpcc::Solver::solve(const mpcc::Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  mpcc::Result result = function_(problem, limits);
  const std::string of = "mpcc::Solver '" + name_ + "': ";
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
        return proves_unbounded(problem, result.x, result.direction);
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

}  // namespace nonsmooth
