// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/registry.hpp>

#include <type_traits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/admm.hpp>
#include <nonsmooth/numerics/friction/automatic.hpp>
#include <nonsmooth/numerics/friction/barzilai_borwein.hpp>
#include <nonsmooth/numerics/friction/cone_relaxation.hpp>
#include <nonsmooth/numerics/friction/direct_mcp.hpp>
#include <nonsmooth/numerics/friction/extragradient.hpp>
#include <nonsmooth/numerics/friction/faceted.hpp>
#include <nonsmooth/numerics/friction/fixed_point.hpp>
#include <nonsmooth/numerics/friction/frictionless.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_schwarz.hpp>
#include <nonsmooth/numerics/friction/haslinger.hpp>
#include <nonsmooth/numerics/friction/interior_point.hpp>
#include <nonsmooth/numerics/friction/jacobi.hpp>
#include <nonsmooth/numerics/friction/nesterov.hpp>
#include <nonsmooth/numerics/friction/panagiotopoulos.hpp>
#include <nonsmooth/numerics/friction/planar_lcp.hpp>
#include <nonsmooth/numerics/friction/proximal_newton.hpp>
#include <nonsmooth/numerics/friction/semismooth_newton.hpp>
#include <nonsmooth/numerics/friction/tresca.hpp>

#include "mixed/internal.hpp"
#include "mixed/refinement.hpp"
#include "registry.hpp"

namespace nonsmooth::friction {
namespace {

/// The algorithm within limits, refined at its end where Automatic does not do that itself, and but for facets, whose
/// error is what they are asked for; `count` is what it counts.
template <class Options>
[[nodiscard]] Entry entry(std::string_view name, std::string_view description, Index Options::*count,
                          bool (*takes)(const ProductSet&), const Options& options = {}) {
  Solver solver(std::string(name), [=](const Problem& problem, const Limits& limits) {
    if (!takes(problem.K)) {
      throw InvalidArgument("friction::Solver '" + std::string(name) + "': problem.K", "a set that it does not solve",
                            "those of Entry::supports");
    }
    const detail::Deadline deadline(limits.time_limit);
    Result result = friction::solve(problem, detail::within(limits, count, options));
    if constexpr (!std::is_same_v<Options, Automatic> && !std::is_same_v<Options, Faceted>)
      mixed::internal::refine(problem, limits.tolerance, limits.max_iterations, deadline, result);
    return result;
  });
  return {name, description, std::move(solver), takes,
          [=](const Limits& limits) { return AnySolver(detail::within(limits, count, options)); }};
}

bool without_rolling(const ProductSet& K) { return supports(K) && K.count(SetKind::Rolling) == 0; }

bool planar(const ProductSet& K) {
  return K.count(SetKind::Coulomb2D) + K.count(SetKind::Orthant) + K.count(SetKind::Free) == K.num_blocks();
}

bool frictionless(const ProductSet& K) {
  for (Index b = 0; b < K.num_blocks(); ++b)
    if (K[b].mu != 0.0 || K[b].rolling != 0.0 || K[b].spinning != 0.0) return false;
  return supports(K);
}

}  // namespace

const std::vector<Entry>& registry() {
  using Newton = SemismoothNewton;
  static const std::vector<Entry> entries = {
      entry<Automatic>("automatic", "Islands, sweeps, alternating directions, Newton by counted work; the default.",
                       &Automatic::max_iterations, supports),
      entry<GaussSeidel>("gauss-seidel", "Sweeps with exact contacts: large, well conditioned, moderate accuracy.",
                         &GaussSeidel::max_iterations, supports),
      entry<ProximalNewton>("proximal newton", "Redundant contacts to high accuracy: towers, walls, boxes.",
                            &ProximalNewton::max_steps, supports),
      entry<GaussSeidelNewton>("gauss-seidel newton", "Newton steps smoothed by sweeps: large redundant piles.",
                               &GaussSeidelNewton::max_steps, supports),
      entry<GaussSeidelSchwarz>("gauss-seidel schwarz",
                                "Sweeps, and Newton on patches where they circle: piles of 10^4 contacts and more.",
                                &GaussSeidelSchwarz::max_rounds, supports),
      entry<Admm>("admm", "One factorization, many cheap steps; towers and walls.", &Admm::max_iterations, supports),
      entry<Newton>("alart-curnier", "Semismooth Newton: deformable bodies, W of full rank.", &Newton::max_steps,
                    supports),
      entry<Newton>("jean-moreau", "The same with the threshold mu r_N: W far from symmetric.", &Newton::max_steps,
                    supports, {.formulation = Newton::Formulation::JeanMoreau}),
      entry<Newton>("natural newton", "Semismooth Newton on r - P_K(r - rho û).", &Newton::max_steps, supports,
                    {.formulation = Newton::Formulation::NaturalMap}),
      entry<Newton>("fischer-burmeister", "Semismooth Newton in the Jordan algebra of the cone.", &Newton::max_steps,
                    without_rolling, {.formulation = Newton::Formulation::FischerBurmeister}),
      entry<Jacobi>("block jacobi", "All contacts at once, damped: for comparison, or very many threads.",
                    &Jacobi::max_iterations, supports),
      entry<Nesterov>("nesterov", "Accelerated projected gradient: large piles, low accuracy.",
                      &Nesterov::max_iterations, supports),
      entry<BarzilaiBorwein>("barzilai-borwein", "Spectral projected gradient: large piles, low accuracy.",
                             &BarzilaiBorwein::max_iterations, supports),
      entry<FixedPoint>("fixed point", "De Saxcé's projection with self-adaptive step; robust, slow.",
                        &FixedPoint::max_iterations, supports),
      entry<Extragradient>("extragradient", "The same with a corrector: unsymmetric W.", &Extragradient::max_iterations,
                           supports),
      entry<Tresca>("tresca", "Friction thresholds in an outer loop, convex problems inside.", &Tresca::max_iterations,
                    supports),
      entry<Haslinger>("haslinger", "Fixed point on the thresholds.", &Haslinger::max_iterations, supports),
      entry<Panagiotopoulos>("panagiotopoulos", "Normal and tangential problems in turn.",
                             &Panagiotopoulos::max_iterations, supports),
      entry<ConeRelaxation>("cone relaxation", "De Saxcé's term in an outer loop, cone programs inside.",
                            &ConeRelaxation::max_iterations, without_rolling),
      entry<InteriorPoint>("interior point", "Few steps on towers, walls and bodies, whatever size and masses.",
                           &InteriorPoint::max_iterations, supports),
      entry<InteriorPoint>("interior point outside", "The same on cone programs, De Saxcé's term in an outer loop.",
                           &InteriorPoint::max_iterations, supports, {.term = InteriorPoint::DeSaxce::Outside}),
      entry<PlanarLcp>("planar lcp", "In the plane, exact: the equivalent LCP by pivoting; tells infeasible ones.",
                       &PlanarLcp::max_iterations, planar),
      entry<PlanarLcp>("planar lemke", "The same by Lemke's pivoting alone.", &PlanarLcp::max_iterations, planar,
                       {.pivoting = Pivoting::Lemke}),
      entry<DirectMcp>("direct mcp", "The mixed complementarity form with slip multipliers, by Fischer-Burmeister.",
                       &DirectMcp::max_iterations, without_rolling),
      entry<Faceted>("faceted", "Polyhedral cones inside the round ones: to see what facets cost.",
                     &Faceted::max_iterations, supports),
      entry<Faceted>("outer facets", "The same with cones around the round ones: too much friction.",
                     &Faceted::max_iterations, supports, {.cone = Faceted::Cone::Outer}),
      entry<Frictionless>("frictionless", "Where every mu is 0: the LCP of the normal rows.",
                          &Frictionless::max_iterations, frictionless),
      entry<Frictionless>("frictionless qp", "The same for symmetric W: the quadratic program, without factorization.",
                          &Frictionless::max_iterations, frictionless,
                          {.method = Frictionless::Method::QuadraticProgram}),
  };
  return entries;
}

const Entry& find(std::string_view name) { return detail::find("friction", registry(), name); }

}  // namespace nonsmooth::friction

namespace nonsmooth {

template NamedSolver<mixed::Problem, friction::Result>::NamedSolver(
    std::string, std::function<friction::Result(const mixed::Problem&, const Limits&)>);

template <>
friction::Result friction::Solver::solve(const friction::Problem& problem, const Limits& limits) const {
  limits.validate();
  problem.validate();
  friction::Result result = function_(problem, limits);
  if (result.status == Status::NotRun) return result;
  check::size("friction::Solver '" + name_ + "': r returned", result.r.size(), problem.q.size(), "one a row of W");
  result.u.resize(problem.q.size());
  result.certificate = mixed::certify(problem, result.r, result.u);
  result.figures = mixed::friction_figures(problem, result.r, result.u);
  detail::judge(
      result, [&] { return result.certificate.residual <= limits.tolerance; },
      [&] { return mixed::proves_infeasible(problem, result.proof); });
  mixed::internal::tell_round_off(problem, result);
  if (result.status != Status::Infeasible) result.proof.resize(0);
  if (result.solver.empty()) result.solver = name_;
  return result;
}

}  // namespace nonsmooth
