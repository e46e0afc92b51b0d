// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/cao_ferris.hpp>

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "affine_path.hpp"
#include "run.hpp"

namespace nonsmooth::vi {
namespace {

using Eigen::VectorXd;
using relay::detail::PivotEnd;

constexpr Index most_rounds = 4;  // of Jacobians by differences, each with half of the digits that are left

/// @throws InvalidArgument where F(x_1), x_1 another point of K, is not what the linearisation at x says.
void check_affine(detail::Run& run, const VectorXd& x, const VectorXd& w, const Eigen::SparseMatrix<double>& J) {
  const NonlinearMap& F = run.problem().F;
  const VectorXd sizes = F.sizes.size() > 0 ? F.sizes : VectorXd::Ones(x.size());
  VectorXd x_1(x.size()), w_1(x.size());
  for (const double sign : {1.0, -1.0}) {
    if (!run.project(x + sign * sizes, x_1) || x_1 == x || !run.evaluate(x_1, w_1)) continue;
    const VectorXd step = x_1 - x, linear = w + J * step;
    const double terms = std::max({w.lpNorm<Eigen::Infinity>(), w_1.lpNorm<Eigen::Infinity>(),
                                   (J.cwiseAbs() * step.cwiseAbs()).lpNorm<Eigen::Infinity>()});
    // Differences have sqrt(eps) of F's terms, which may be some times the largest of these; F itself rounds to eps of
    // |J| |x| in each of its terms, as the certificate's 64 eps allows for.
    const VectorXd apart = (w_1 - linear).cwiseAbs(), rounding = 64.0 * eps * (J.cwiseAbs() * x.cwiseAbs());
    if ((apart - rounding).maxCoeff() <= 64.0 * std::sqrt(eps) * terms) return;
    throw InvalidArgument(
        "vi::CaoFerris: problem.F",
        "a value at a second point of K that is " + check::text(apart.maxCoeff()) + " off the linearised one",
        "an affine map, F(x) = M x + q");
  }
}

Result finish(detail::Run& run, PivotEnd end, Index pivots) {
  switch (end) {
    case PivotEnd::Ray:
      return run.finish(Status::Stalled,
                        "the path ends in a secondary ray: no solution, if M is copositive-plus on K's recession cone",
                        pivots);
    case PivotEnd::Limit:
      return run.finish(Status::IterationLimit, "max_pivots reached", pivots);
    case PivotEnd::TimeLimit:
      return run.finish(Status::TimeLimit, "time_limit reached", pivots);
    case PivotEnd::Breakdown:
      return run.finish(Status::NumericalFailure,
                        "a basis is singular: M on the lines in K, or rows that nearly depend", pivots);
    case PivotEnd::Complementary:
      break;
  }
  return run.finish(Status::Stalled, "the final basis is too ill-conditioned for the tolerance", pivots);
}

}  // namespace

void CaoFerris::validate() const {
  check::positive("vi::CaoFerris::tolerance", tolerance);
  check::at_least("vi::CaoFerris::max_pivots", max_pivots, 0);
  check::at_least("vi::CaoFerris::refactor_every", refactor_every, 1);
  nonsmooth::detail::check_time_limit("vi::CaoFerris::time_limit", time_limit);
  check::finite("vi::CaoFerris::start", ConstVectorRef(start));
}

Result solve(const Problem& problem, const CaoFerris& options) {
  problem.validate();
  options.validate();
  const std::optional<Polyhedron> K = problem.K.polyhedron();
  if (!K) {
    throw InvalidArgument("vi::CaoFerris: problem.K", "a set that is not known to be a polyhedron",
                          "boxes, half-spaces, polyhedra, products or intersections of these");
  }
  detail::Run run(problem, options.tolerance, options.time_limit, options.start, "vi::CaoFerris::start", "cao-ferris");
  if (!run.ready()) return run.fail(0);
  if (options.check_jacobian) run.check_jacobian();
  VectorXd x = run.start(), w = run.start_w();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  const Index size = x.size() + K->A.rows() + K->C.rows();
  const Index most = relay::detail::pivot_limit(options.max_pivots, size);
  Index pivots = 0;
  PivotEnd end = PivotEnd::Breakdown;
  for (Index round = 0; round < (problem.F.has_jacobian() ? 1 : most_rounds); ++round) {
    if (pivots >= most) return finish(run, PivotEnd::Limit, pivots);
    Eigen::SparseMatrix<double> J;
    if (!run.jacobian(x, w, J)) return run.fail(pivots);
    if (round == 0) check_affine(run, x, w, J);
    detail::AffinePath path(J, w - J * x, *K, options.equilibrate);
    end = path.run(x, most - pivots, options.refactor_every, deadline);
    pivots += path.pivots();
    for (const VectorXd& found : {path.x_as_pivoted(), path.x()}) {
      if (!found.allFinite()) continue;
      if (!run.project(found, x) || !run.evaluate(x, w)) return run.fail(pivots);
      if (run.observe(x, w)) return run.finish(Status::Solved, {}, pivots);
    }
    if (end != PivotEnd::Complementary) break;
  }
  return finish(run, end, pivots);
}

}  // namespace nonsmooth::vi
