// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/faceted.hpp>

#include <string_view>

#include <internal/check.hpp>
#include <nonsmooth/numerics/mixed/polyhedral.hpp>

#include "contact_lcp.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {

void Faceted::validate() const {
  internal::validate_pivoting("friction::Faceted", *this);
  check::within("friction::Faceted::facets", facets, 3, check::most_dense_rows);
}

Result solve(const Problem& problem, const Faceted& options) {
  problem.validate();
  options.validate();
  internal::check_sets("friction::Faceted", problem.K, true);
  if (!problem.K.is_canonical()) return mixed::internal::solve_canonical(problem, options);
  Result result;
  const std::string_view name = options.cone == Faceted::Cone::Inner ? "faceted" : "outer facets";
  mixed::internal::begin(problem, name, result);
  if (internal::rests_at_zero(problem)) {
    result.status = Status::Solved;
  } else {
    using Side = mixed::Polyhedral::Side;
    const mixed::PolyhedralProblem faceted = mixed::polyhedral(
        problem, {.facets = options.facets, .side = options.cone == Faceted::Cone::Inner ? Side::Inner : Side::Outer});
    mixed::Result answer;
    mixed::internal::begin(faceted.problem, name, answer);
    internal::ContactLcp(faceted.problem)
        .solve(options.pivoting, {0.1 * options.tolerance, options.max_iterations, options.time_limit}, answer);
    result.status = answer.status;
    result.reason = answer.reason;
    result.iterations = answer.iterations;
    result.r = faceted.recover(answer.r);
    if (answer.proof.size() > 0) result.proof = faceted.recover(answer.proof);  // the transposed map is the same here
  }
  internal::conclude_pivoting(problem, options.tolerance, options.measure,
                              "the faceted cone's answer: the residual for the round cone is what its facets leave",
                              result);
  internal::note_round_off(problem, options.measure, result);
  result.figures = mixed::friction_figures(problem, result.r, result.u);
  return result;
}

}  // namespace nonsmooth::friction
