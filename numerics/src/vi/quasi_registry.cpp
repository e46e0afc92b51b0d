// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/quasi_registry.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "registry.hpp"

namespace nonsmooth::vi {

const std::vector<QuasiEntry>& quasi_registry() {
  using nonsmooth::detail::named;
  static const std::vector<QuasiEntry> entries{
      {"automatic", "The projection, then the fixed point where that has not solved it; the default.",
       named<QuasiSolver>("automatic", &QuasiAutomatic::max_iterations)},
      {"quasi projection", "Two projections an iteration; K(x) that moves little with x.",
       named<QuasiSolver>("quasi projection", &QuasiProjection::max_iterations)},
      {"quasi fixed point", "A variational inequality an iteration; where F is steep or the projection circles.",
       named<QuasiSolver>("quasi fixed point", &QuasiFixedPoint::max_iterations)},
  };
  return entries;
}

const QuasiEntry& find_quasi(std::string_view name) {
  return nonsmooth::detail::find("vi, quasi", quasi_registry(), name);
}

}  // namespace nonsmooth::vi

namespace nonsmooth {

template NamedSolver<vi::QuasiProblem, vi::Result>::NamedSolver(
    std::string, std::function<vi::Result(const vi::QuasiProblem&, const Limits&)>);

template <>
vi::Result vi::QuasiSolver::solve(const vi::QuasiProblem& problem, const Limits& limits) const {
  problem.validate();
  limits.validate();
  vi::Result result = function_(problem, limits);
  check::size("vi::QuasiSolver '" + name_ + "': x returned", result.x.size(), problem.K.size(), "one a row of K");
  result.w.resize(problem.K.size());
  result.certificate = certify(problem, result.x, result.w);
  detail::judge(
      result, [&] { return result.certificate.residual <= limits.tolerance; }, [] { return false; });
  return result;
}

}  // namespace nonsmooth
