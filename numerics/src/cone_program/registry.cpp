// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/cone_program/registry.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/cone_program.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "registry.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::cone_program {

const std::vector<Entry>& registry() {
  using nonsmooth::detail::named;
  static const std::vector<Entry> entries{
      {"automatic",
       "Interior points; where they stall active sets of programs that are linear, then splitting; the default.",
       named<Solver>("automatic", &Automatic::max_iterations, Automatic{})},
      {"interior point", "Ten to thirty factorizations, a solution or a proof that there is none.",
       named<Solver>("interior point", &InteriorPoint::max_steps, InteriorPoint{})},
      {"admm", "One factorization and cheap steps; large programs of moderate accuracy.",
       named<Solver>("admm", &Admm::max_iterations, Admm{})},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("cone_program", registry(), name); }

}  // namespace nonsmooth::cone_program

namespace nonsmooth {

template NamedSolver<cone_program::Problem, cone_program::Result>::NamedSolver(
    std::string, std::function<cone_program::Result(const cone_program::Problem&, const Limits&)>);

template <>
cone_program::Result cone_program::Solver::solve(const cone_program::Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  cone_program::Result result = function_(problem, limits);
  const std::string of = "cone_program::Solver '" + name_ + "': ";
  check::size(of + "x returned", result.x.size(), problem.num_unknowns(), "one an entry of c");
  check::size(of + "y returned", result.y.size(), problem.num_equations(), "one a row of A");
  check::size(of + "z returned", result.z.size(), problem.num_rows(), "one a row of G");
  result.s.resize(problem.num_rows());
  result.certificate = certify(problem, result.x, result.y, result.z, result.s, &result.figures);
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

}  // namespace nonsmooth
