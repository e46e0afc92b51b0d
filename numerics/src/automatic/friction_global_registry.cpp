// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/global_registry.hpp>

#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/friction/global_admm.hpp>
#include <nonsmooth/numerics/friction/global_automatic.hpp>
#include <nonsmooth/numerics/friction/global_interior_point.hpp>
#include <nonsmooth/numerics/friction/global_proximal_newton.hpp>

#include "registry.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::friction {
namespace {

template <class Options>
[[nodiscard]] GlobalEntry global_entry(std::string_view name, std::string_view description, Index Options::*count) {
  return {name, description, detail::named<GlobalSolver, Options>(std::string(name), count),
          [=](const Limits& limits) { return AnySolver(detail::within(limits, count, Options{})); }};
}

}  // namespace

const std::vector<GlobalEntry>& global_registry() {
  static const std::vector<GlobalEntry> entries = {
      global_entry("automatic", "The reduced form where that is small, else the others; the default.",
                   &GlobalAutomatic::max_iterations),
      global_entry("global admm", "Alternating directions on A and H: large bodies, moderate accuracy.",
                   &GlobalAdmm::max_iterations),
      global_entry("global proximal newton",
                   "Newton steps on A and H: few contacts beside the velocities, high accuracy.",
                   &GlobalProximalNewton::max_steps),
      global_entry("global interior point", "Few steps on A and H: large bodies, or a nearly full reduced matrix.",
                   &GlobalInteriorPoint::max_iterations),
  };
  return entries;
}

const GlobalEntry& find_global(std::string_view name) { return detail::find("friction", global_registry(), name); }

}  // namespace nonsmooth::friction

namespace nonsmooth {

template NamedSolver<friction::GlobalProblem, friction::GlobalResult>::NamedSolver(
    std::string, std::function<friction::GlobalResult(const friction::GlobalProblem&, const Limits&)>);

template <>
friction::GlobalResult friction::GlobalSolver::solve(const friction::GlobalProblem& problem,
                                                     const Limits& limits) const {
  limits.validate();
  problem.validate();
  friction::GlobalResult result = function_(problem, limits);
  if (result.status == Status::NotRun) return result;
  const std::string argument = "friction::GlobalSolver '" + name_ + "': ";
  check::size(argument + "v returned", result.v.size(), problem.f.size(), "one a row of A");
  check::size(argument + "r returned", result.r.size(), problem.w.size(), "one a row of H");
  result.u.resize(problem.w.size());
  result.certificate = certify(problem, result.v, result.r, result.u, result.balance);
  const bool told = result.at_round_off;  // by an algorithm that saw the rounding of the balance
  detail::judge(
      result, [&] { return result.certificate.residual <= limits.tolerance; },
      [&] { return mixed::proves_infeasible(to_reduced(problem), result.proof); });
  if (told) detail::tell_round_off(false, result);
  if (result.status != Status::Infeasible) result.proof.resize(0);
  if (result.solver.empty()) result.solver = name_;
  return result;
}

}  // namespace nonsmooth
