// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/registry.hpp>

#include <type_traits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/admm.hpp>
#include <nonsmooth/numerics/mixed/fischer_burmeister.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/natural_newton.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "mixed/canonical.hpp"
#include "mixed/internal.hpp"
#include "mixed/refinement.hpp"
#include "registry.hpp"

namespace nonsmooth::mixed {
namespace {

/// The algorithm within limits, refined at its end where Automatic does not do that itself; `steps` is what it counts.
template <class Options>
[[nodiscard]] Entry entry(std::string_view name, std::string_view description, Index Options::*steps,
                          bool (*supports)(const ProductSet&), const Options& options = {}) {
  Solver solver(std::string(name), [=](const Problem& problem, const Limits& limits) {
    const detail::Deadline deadline(limits.time_limit);
    Result result = mixed::solve(problem, detail::within(limits, steps, options));
    if constexpr (!std::is_same_v<Options, Automatic>)
      internal::refine(problem, limits.tolerance, limits.max_iterations, deadline, result);
    return result;
  });
  return {name, description, std::move(solver), supports,
          [=](const Limits& limits) { return AnySolver(detail::within(limits, steps, options)); }};
}

bool any_set(const ProductSet&) { return true; }

bool self_dual(const ProductSet& K) {
  return K.count(SetKind::Free) + K.count(SetKind::Orthant) + K.count(SetKind::SecondOrderCone) == K.num_blocks();
}

}  // namespace

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = {
      entry<Automatic>("automatic", "Closed forms, pivoting, sweeps or Newton by size and sets; the default.",
                       &Automatic::max_iterations, any_set),
      entry<GaussSeidel>("block gauss-seidel", "Cheap sweeps with exact local solves; large, well conditioned.",
                         &GaussSeidel::max_sweeps, any_set),
      entry<GaussSeidel>("block projection",
                         "Sweeps of one projected step a cone; cheaper ones than exact local solves.",
                         &GaussSeidel::max_sweeps, any_set, {.local = GaussSeidel::Local::Projection}),
      entry<ProximalNewton>("proximal newton", "Singular W and redundant contacts, to high accuracy.",
                            &ProximalNewton::max_steps, any_set),
      entry<NaturalNewton>("natural newton", "Semismooth Newton on the natural map; well posed, or from a good start.",
                           &NaturalNewton::max_steps, any_set),
      entry<FischerBurmeister>("fischer-burmeister", "Newton in the Jordan algebra of second-order cones; W monotone.",
                               &FischerBurmeister::max_steps, self_dual),
      entry<Admm>("admm", "Alternating directions on one factorization; singular W, moderate accuracy.",
                  &Admm::max_iterations, any_set),
  };
  return entries;
}

const Entry& find(std::string_view name) { return detail::find("mixed", registry(), name); }

}  // namespace nonsmooth::mixed

namespace nonsmooth {

template NamedSolver<mixed::Problem, mixed::Result>::NamedSolver(
    std::string, std::function<mixed::Result(const mixed::Problem&, const Limits&)>);

template <>
mixed::Result mixed::Solver::solve(const mixed::Problem& problem, const Limits& limits) const {
  limits.validate();
  problem.validate();
  if (!problem.K.is_canonical()) {
    const mixed::internal::CanonicalForm form(problem);
    mixed::Result found = solve(form.problem(), limits);
    form.restore(found);
    return found;
  }
  mixed::Result result = function_(problem, limits);
  if (result.status == Status::NotRun) return result;
  check::size("mixed::Solver '" + name_ + "': r returned", result.r.size(), problem.q.size(), "one a row of W");
  result.u.resize(problem.q.size());
  const Index worst_row = result.certificate.worst_row;
  result.certificate = certify(problem, result.r, result.u);
  mixed::internal::confirm(problem, limits.tolerance, result);
  detail::judge(
      result, [&] { return result.certificate.residual <= limits.tolerance; },
      [&] { return mixed::proves_infeasible(problem, result.proof); });
  mixed::internal::tell_round_off(problem, result);
  if (result.status != Status::Infeasible && result.proof.size() != 0) result.proof.resize(0);
  if (result.status == Status::NumericalFailure) result.certificate.worst_row = worst_row;  // the row it named
  if (result.solver.empty()) result.solver = name_;
  return result;
}

}  // namespace nonsmooth
