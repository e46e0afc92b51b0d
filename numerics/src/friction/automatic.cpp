// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/automatic.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/hyperstaticity.hpp>

#include "automatic_tiers.hpp"
#include "measure.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {
namespace {

/// What the whole allows a part, beside its own tolerance. Certificate: the largest error counts, and the part's own
/// scale is the smaller one. NaturalMap: squares add up; half of their sum goes to the parts by their |q|^2, half to
/// each alike, so that neither the large nor the small have to be better than they need be.
[[nodiscard]] double share(const Problem& whole, const Problem& part, Measure measure, Index parts) {
  if (measure == Measure::Certificate) {
    const double size = part.q.lpNorm<Eigen::Infinity>();
    return size > 0.0 ? std::max(1.0, whole.q.lpNorm<Eigen::Infinity>() / size) : 1.0;
  }
  const double square = part.q.squaredNorm();
  return square > 0.0 ? std::sqrt(0.5 * (1.0 + whole.q.squaredNorm() / (square * static_cast<double>(parts)))) : 1.0;
}

/// Adds an island's decisions to those of the whole: a tier that ended for the same reason on several is one entry.
void merge(const std::vector<Decision>& island, std::vector<Decision>& whole, std::size_t first) {
  for (const Decision& decision : island) {
    const auto same =
        std::find_if(whole.begin() + static_cast<std::ptrdiff_t>(first), whole.end(),
                     [&](const Decision& d) { return d.tier == decision.tier && d.reason == decision.reason; });
    if (same == whole.end()) {
      whole.push_back(decision);
      continue;
    }
    ++same->islands;
    same->iterations = std::max(same->iterations, decision.iterations);
    same->residual = std::max(same->residual, decision.residual);
  }
}

/// How bad an island's end is for the whole: what it ends with is the worst of its islands.
[[nodiscard]] int badness(Status status) noexcept {
  switch (status) {
    case Status::Solved:
      return 0;
    case Status::Stalled:
      return 1;
    case Status::IterationLimit:
      return 2;
    case Status::TimeLimit:
      return 3;
    case Status::Infeasible:
      return 5;
    default:
      return 4;
  }
}

/// Parts that W does not couple, one by one: each costs its own iterations.
void solve_islands(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                   internal::AutomaticMemory& memory, Result& result) {
  mixed::internal::Islands& islands = memory.islands;
  Problem& part = memory.island;
  Result& partial = memory.island_result;
  const std::size_t first = result.decisions.size();
  Index iterations = 0;
  std::string_view solver;
  result.status = Status::Solved;
  result.reason = "island by island";
  memory.start = result.r;
  for (Index i = 0; i < islands.count(); ++i) {
    islands.extract(problem, i, memory.start, part, partial);
    mixed::internal::begin(part, "automatic", partial);
    partial.decisions.clear();
    partial.iterations = 0;
    Automatic own = options;
    own.tolerance *= share(problem, part, options.measure, islands.count());
    internal::Tiers tiers(part, own, deadline, memory.part, partial);
    if (!tiers.sweep()) tiers.run();
    islands.scatter(problem, i, partial.r, result.r);
    iterations = std::max(iterations, partial.iterations);
    if (partial.status == Status::Infeasible) {
      result.proof.setZero(problem.W.rows());
      islands.scatter(problem, i, partial.proof, result.proof);
    }
    if (badness(partial.status) > badness(result.status)) {
      result.status = partial.status;
      result.reason = partial.reason;
    }
    if (!partial.decisions.empty()) {  // else its start was a solution
      if (solver.empty()) solver = partial.solver;
      if (solver != partial.solver) solver = "automatic";
    }
    merge(partial.decisions, result.decisions, first);
  }
  if (!solver.empty()) result.solver = solver;
  result.iterations += iterations;
  result.certificate = mixed::certify(problem, result.r, result.u);
}

}  // namespace

void internal::solve_canonical(const Problem& problem, const Automatic& options, AutomaticMemory& memory,
                               Result& result) {
  const detail::Deadline deadline(options.time_limit);
  Tiers whole(problem, options, deadline, memory.whole, result);
  if (whole.sweep()) return;
  memory.islands.find(problem.W);
  if (memory.islands.count() == 1) return whole.run();
  solve_islands(problem, options, deadline, memory, result);
  if (result.status == Status::Infeasible) return;
  if (measure_of(problem, options.measure, result) <= options.tolerance)
    return end_solved(problem, options.measure, options.tolerance, "island by island", result);
  if (result.status != Status::Solved) return;
  whole.look();  // each part within its share, the whole not: rounding of the shares
  whole.run();
}

void Automatic::validate() const {
  check::positive("friction::Automatic::tolerance", tolerance);
  check::at_least("friction::Automatic::max_iterations", max_iterations, 0);
  detail::check_time_limit("friction::Automatic::time_limit", time_limit);
}

Result solve(const Problem& problem, const Automatic& options) {
  return internal::solve_by(problem, options, "automatic", "friction::Automatic::start", true,
                            [](const Problem& canonical, const Automatic& own, Result& result) {
                              internal::AutomaticMemory memory;
                              internal::solve_canonical(canonical, own, memory, result);
                              if (own.hyperstaticity && result.ok())
                                result.hyperstaticity = hyperstaticity(canonical, result.r, result.u);
                            });
}

}  // namespace nonsmooth::friction
