// SPDX-License-Identifier: Apache-2.0
#include "refinement.hpp"

#include <algorithm>

namespace nonsmooth::relay::detail {
namespace {

/// Where each row is by (z, w); true if one moved.
bool find_places(const View& problem, ConstVectorRef scales, ConstVectorRef z, ConstVectorRef w, Places& places) {
  bool moved = false;
  for (Index i = 0; i < z.size(); ++i) {
    Place now = Place::Between;
    if (w[i] > scales[i] * (z[i] - problem.lower[i])) now = Place::Lower;
    if (w[i] < scales[i] * (z[i] - problem.upper[i])) now = Place::Upper;
    Place& before = places[static_cast<std::size_t>(i)];
    moved = moved || now != before;
    before = now;
  }
  return moved;
}

}  // namespace

void refine(const View& problem, double tolerance, Index max_iterations, const nonsmooth::detail::Deadline& deadline,
            Result& result) {
  const Index n = problem.q.size();
  if (!nonsmooth::detail::ended_near(result, tolerance, max_iterations)) return;
  if (n > nonsmooth::detail::most_full_rows || result.z.size() != n || result.w.size() != n) return;
  Eigen::VectorXd scales(n), z = result.z, w = result.w, scratch(n), inside(n);
  row_scales(problem, scales);
  Places places(static_cast<std::size_t>(n), Place::Between);
  Partition partition(problem);
  const Index last = max_iterations > 0 ? std::min(max_iterations, nonsmooth::detail::most_refinements)
                                        : nonsmooth::detail::most_refinements;
  bool better = false;
  for (Index k = 0; k < last && !deadline.passed(); ++k) {
    if (!find_places(problem, scales, z, w, places) && k > 0) break;
    ++result.iterations;
    if (!partition.solve(places, z, w) && !partition.solve_least(places, z, w)) break;
    inside = z;
    clamp(problem, inside);
    better = keep_better(problem, inside, scratch, result) || better;
    if (result.certificate.residual <= tolerance) break;
  }
  if (!better) return;
  conclude(problem, tolerance, result, result.status, result.reason);
  if (result.ok()) result.reason = nonsmooth::detail::refined_reason;
}

}  // namespace nonsmooth::relay::detail
