// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/registry.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/vi.hpp>

#include "registry.hpp"

namespace nonsmooth::vi {

const std::vector<Entry>& registry() {
  using nonsmooth::detail::named;
  using Equation = SemismoothNewton::Equation;
  static const std::vector<Entry> entries{
      {"automatic", "Newton's methods where K allows them, then first-order ones; the default.",
       named<Solver>("automatic", &Automatic::max_iterations), Takes::Every},
      {"projection", "The cheapest iteration; strongly monotone or cocoercive F, circles on others.",
       named<Solver>("projection", &Projection::max_iterations), Takes::Every},
      {"extragradient", "Two projections an iteration, accelerated; every monotone F.",
       named<Solver>("extragradient", &Extragradient::max_iterations), Takes::Every},
      {"forward-backward-forward", "One projection an iteration, accelerated; monotone F, costly projections.",
       named<Solver>("forward-backward-forward", &ForwardBackwardForward::max_iterations), Takes::Every},
      {"hyperplane projection", "Pseudo-monotone F that need not be Lipschitz.",
       named<Solver>("hyperplane projection", &HyperplaneProjection::max_iterations), Takes::Every},
      {"semismooth newton", "Quadratic, on the natural map; sets whose projection has a Jacobian.",
       named<Solver>("semismooth newton", &SemismoothNewton::max_steps, SemismoothNewton{}), Takes::WithJacobian},
      {"semismooth newton on the normal map", "The same on the normal map, whose F is asked in K alone.",
       named<Solver>("semismooth newton on the normal map", &SemismoothNewton::max_steps,
                     SemismoothNewton{.equation = Equation::Normal}),
       Takes::WithJacobian},
      {"josephy newton", "An affine variational inequality a step, one for affine F; polyhedra.",
       named<Solver>("josephy newton", &JosephyNewton::max_steps), Takes::Polyhedra},
      {"cao-ferris", "Pivoting from a vertex; affine F, monotone or not: any on bounded polyhedra.",
       named<Solver>("cao-ferris", &CaoFerris::max_pivots), Takes::AffineOnPolyhedra},
  };
  return entries;
}

const Entry& find(std::string_view name) { return nonsmooth::detail::find("vi", registry(), name); }

}  // namespace nonsmooth::vi

namespace nonsmooth {

template NamedSolver<vi::Problem, vi::Result>::NamedSolver(
    std::string, std::function<vi::Result(const vi::Problem&, const Limits&)>);

template <>
vi::Result vi::Solver::solve(const vi::Problem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  vi::Result result = function_(problem, limits);
  check::size("vi::Solver '" + name_ + "': x returned", result.x.size(), problem.K.size(), "one a row of K");
  result.w.resize(problem.K.size());
  result.certificate = certify(problem, result.x, result.w);
  detail::judge(
      result, [&] { return result.certificate.residual <= limits.tolerance; },
      [&] { return vi::proves_infeasible(problem, result.proof); });
  return result;
}

}  // namespace nonsmooth
