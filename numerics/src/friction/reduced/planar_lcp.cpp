// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/planar_lcp.hpp>

#include <string>

#include "contact_lcp.hpp"
#include "mixed/canonical.hpp"
#include "mixed/internal.hpp"

namespace nonsmooth::friction {

void PlanarLcp::validate() const { internal::validate_pivoting("friction::PlanarLcp", *this); }

Result solve(const Problem& problem, const PlanarLcp& options) {
  problem.validate();
  options.validate();
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const SetKind kind = problem.K[b].kind;
    if (kind != SetKind::Coulomb2D && kind != SetKind::Orthant && kind != SetKind::Free)
      throw InvalidArgument("K", "block " + std::to_string(b) + " of another set",
                            "Coulomb2D, Orthant and Free blocks for friction::PlanarLcp");
  }
  if (!problem.K.is_canonical()) return mixed::internal::solve_canonical(problem, options);
  Result result;
  mixed::internal::begin(problem, options.pivoting == Pivoting::Lemke ? "planar lemke" : "planar lcp", result);
  if (!internal::rests_at_zero(problem)) {
    internal::ContactLcp(problem, options.form)
        .solve(options.pivoting, {0.1 * options.tolerance, options.max_iterations, options.time_limit}, result);
  } else {
    result.status = Status::Solved;
  }
  internal::conclude_pivoting(problem, options.tolerance, options.measure,
                              "the LCP is solved, at round-off: the tolerance is below what the data allow", result);
  internal::note_round_off(problem, options.measure, result);
  result.figures = mixed::friction_figures(problem, result.r, result.u);
  return result;
}

}  // namespace nonsmooth::friction
