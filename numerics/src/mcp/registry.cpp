// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mcp/registry.hpp>

#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mcp.hpp>

#include "internal.hpp"
#include "registry.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mcp {

const std::vector<Entry>& registry() {
  using nonsmooth::detail::named;
  using Reformulation = SemismoothNewton::Reformulation;
  static const std::vector<Entry> entries{
      {"automatic", "Tries cheap algorithms first and falls back; the default.",
       named<Solver, Automatic>("automatic", &Automatic::max_iterations), 0},
      {"semismooth newton", "Globalised Newton on the Fischer-Burmeister function of the box; monotone F, large n.",
       named<Solver, SemismoothNewton>("semismooth newton", &SemismoothNewton::max_steps), 0},
      {"penalised semismooth newton", "The same with the products of x and F in sight; bounded level sets.",
       named<Solver, SemismoothNewton>("penalised semismooth newton", &SemismoothNewton::max_steps,
                                       {.reformulation = Reformulation::Penalised}),
       0},
      {"semismooth newton on min", "Globalised Newton on the minimum map; fewest steps near a solution, may stall.",
       named<Solver, SemismoothNewton>("semismooth newton on min", &SemismoothNewton::max_steps,
                                       {.reformulation = Reformulation::Minimum}),
       0},
      {"newton-josephy", "A linear problem a step; few values of F, all places at once.",
       named<Solver, NewtonJosephy>("newton-josephy", &NewtonJosephy::max_steps), NewtonJosephy{}.max_rows},
      {"normal map newton", "Linear problems along a path, with a watchdog; economics, F far from monotone.",
       named<Solver, NormalMapNewton>("normal map newton", &NormalMapNewton::max_steps), NormalMapNewton{}.max_rows},
      {"proximal point", "Leaves points where merit functions are stationary; monotone F that is singular.",
       named<Solver, ProximalPoint>("proximal point", &ProximalPoint::max_steps), 0},
      {"interior point", "Few steps whatever the combinatorics; monotone F, and F that exists inside the bounds only.",
       named<Solver, InteriorPoint>("interior point", &InteriorPoint::max_steps), 0},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("mcp", registry(), name); }

}  // namespace nonsmooth::mcp

namespace nonsmooth {

template NamedSolver<mcp::Problem, mcp::Result>::NamedSolver(
    std::string, std::function<mcp::Result(const mcp::Problem&, const Limits&)>);

template <>
mcp::Result mcp::Solver::solve(const mcp::Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  mcp::Result result = function_(problem, limits);
  check::size("mcp::Solver '" + name_ + "': x returned", result.x.size(), problem.size(), "one an unknown");
  if (result.w.size() != result.x.size()) result.w.resize(result.x.size());
  result.certificate = certify(problem, result.x, result.w);
  detail::judge(
      result, [&] { return mcp::detail::within(result.certificate, limits.tolerance); },
      [] { return false; });  // no proof of a nonlinear problem is known here
  detail::tell_round_off(problem.lower.allFinite() && problem.upper.allFinite(), result);
  return result;
}

}  // namespace nonsmooth
