// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/automatic.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/hyperstaticity.hpp>

#include "friction/reduced/measure.hpp"
#include "friction/reduced/presolve.hpp"
#include "friction/reduced/projection_method.hpp"
#include "friction/reduced/symmetry.hpp"
#include "friction_tiers.hpp"
#include "mixed/refinement.hpp"
#include "mixed/refinement_memory.hpp"

namespace nonsmooth::friction {
namespace {

using internal::end_solved;
using internal::measure_of;

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

/// A decision that no tier took: `count` of what it is about.
void note(const Problem& problem, Measure measure, Index count, std::string_view reason, Result& result) {
  result.decisions.push_back(
      {.tier = "presolve", .iterations = count, .residual = measure_of(problem, measure, result), .reason = reason});
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
                   internal::IslandMemory& memory, Result& result) {
  mixed::internal::Islands& islands = memory.islands;
  Problem& part = memory.part;
  Result& partial = memory.result;
  const std::size_t first = result.decisions.size();
  Index iterations = 0;
  std::string_view solver;
  result.status = Status::Solved;
  result.reason = "island by island";
  memory.start = result.r;
  for (Index i = 0; i < islands.count(); ++i) {
    islands.extract(problem, i, memory.start, memory.sizes, part, partial);
    mixed::internal::begin(part, "automatic", partial);
    partial.decisions.clear();
    partial.iterations = 0;
    Automatic own = options;
    own.tolerance *= share(problem, part, options.measure, islands.count());
    internal::Tiers tiers(part, own, deadline, memory.tiers, partial);
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

/// What comes after the first sweeps, `whole` with their r: islands one by one where there are several.
void solve_swept(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                 internal::Tiers& whole, internal::AutomaticMemory& memory, Result& result) {
  if (!memory.islands) memory.islands.emplace();
  mixed::internal::Islands& islands = memory.islands->islands;
  islands.find(problem.W);
  if (islands.count() == 1) return whole.run();
  note(problem, options.measure, 0, "islands, one by one", result);
  result.decisions.back().islands = islands.count();
  solve_islands(problem, options, deadline, *memory.islands, result);
  if (result.status == Status::Infeasible) return;
  if (measure_of(problem, options.measure, result) <= options.tolerance)
    return end_solved(problem, options.measure, options.tolerance, "island by island", result);
  if (result.status != Status::Solved) return;
  whole.look();  // each part within its share, the whole not: rounding of the shares
  whole.run();
}

/// Leaves contacts open that nothing can close, where they are many: all tiers behind the sweeps get a smaller problem,
/// and it may fall into more islands. True if that ends the solve; else result is as it was but for its decisions.
[[nodiscard]] bool solve_without_open(const Problem& problem, const Automatic& options,
                                      const detail::Deadline& deadline, internal::AutomaticMemory& memory,
                                      internal::Tiers& whole, Result& result) {
  constexpr Index worth = 10;  // one of so many contacts: a factorization is then a quarter cheaper or more
  internal::OpenMemory& own_memory = memory.open.get();
  const std::vector<Index>& open = own_memory.blocks.find(problem);
  const Index blocks = problem.K.num_blocks(), dropped = static_cast<Index>(open.size());
  if (worth * dropped < blocks || dropped == blocks) return false;
  const std::vector<Index>& kept = own_memory.blocks.kept();
  Problem& part = own_memory.part;
  own_memory.blocks.leave_out(problem, part);
  note(problem, options.measure, dropped, "contacts that nothing closes: left open", result);
  Automatic own = options;
  own.tolerance *= share(problem, part, options.measure, 1);
  const auto restrict_to_kept = [&](const GrowingVector& from, GrowingVector& to) {
    to.resize(part.W.rows());
    for (Index b = 0; b < part.K.num_blocks(); ++b)
      to.segment(part.W.offset(b), part.W.size(b)) =
          from.segment(problem.W.offset(kept[static_cast<std::size_t>(b)]), part.W.size(b));
  };
  Result& partial = own_memory.partial;
  restrict_to_kept(memory.whole.start, partial.r);
  mixed::internal::begin(part, "automatic", partial);
  partial.decisions.clear();
  internal::Tiers tiers(part, own, deadline, own_memory.rest.whole, partial);
  restrict_to_kept(result.r, partial.r);
  tiers.look();
  solve_swept(part, own, deadline, tiers, own_memory.rest, partial);
  result.decisions.insert(result.decisions.end(), partial.decisions.begin(), partial.decisions.end());
  result.iterations += partial.iterations;
  if (partial.status == Status::Infeasible) return false;  // a contact that is closed may keep the others apart

  mixed::Result& found = own_memory.found;
  found.r.setZero(problem.W.rows());
  for (Index b = 0; b < part.K.num_blocks(); ++b)
    found.r.segment(problem.W.offset(kept[static_cast<std::size_t>(b)]), part.W.size(b)) =
        partial.r.segment(part.W.offset(b), part.W.size(b));
  found.u.resize(found.r.size());
  found.certificate = mixed::certify(problem, found.r, found.u);
  const double residual = measure_of(problem, options.measure, found);
  if (residual <= options.tolerance || residual < measure_of(problem, options.measure, result)) {
    result.r = found.r;
    result.u = found.u;
    result.certificate = found.certificate;
    result.solver = partial.solver;
  }
  if (residual <= options.tolerance) {
    end_solved(problem, options.measure, options.tolerance, partial.reason, result);
    return true;
  }
  mixed::internal::end(result, partial.status, partial.reason);
  if (partial.status != Status::Solved) return true;
  whole.look();  // the part within its share, the whole not: rounding of the share
  return false;
}

/// Where the tiers ended near a solution: Newton steps on the modes that they found (mixed/refinement.hpp).
void refine(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
            internal::AutomaticMemory& memory, Result& result) {
  if (options.measure != Measure::Certificate) return;
  const Index steps =
      mixed::internal::refine(problem, options.tolerance, options.max_iterations, deadline, memory.refinement, result);
  if (steps == 0) return;
  result.decisions.push_back({.tier = "refinement",
                              .iterations = steps,
                              .residual = result.certificate.residual,
                              .reason = "Newton steps on the modes of the best iterate"});
}

/// Says of a W that no tier got along with what is wrong with it, as far as one factorization can tell.
void diagnose(const Problem& problem, Measure measure, Result& result) {
  constexpr Index most_rows = 15'000;  // of a pile: a few seconds
  if (result.status != Status::Stalled && result.status != Status::IterationLimit) return;
  if (problem.W.rows() > most_rows) return;
  if (!internal::is_symmetric(problem.W)) return note(problem, measure, 0, "W is not symmetric", result);
  const internal::KernelProjection kernel(problem.W);
  if (!kernel.valid()) return note(problem, measure, 0, "W is not positive semidefinite", result);
  const Index dimension = kernel.estimate_dimension();
  note(problem, measure, dimension,
       dimension > 0 ? "dependent rows of W, estimated: reactions are not unique" : "W of full rank, estimated",
       result);
}

}  // namespace

void internal::solve_canonical(const Problem& problem, const Automatic& options, AutomaticMemory& memory,
                               Result& result) {
  const detail::Deadline deadline(options.time_limit);
  Tiers whole(problem, options, deadline, memory.whole, result);
  if (whole.sweep()) return;
  if (!solve_without_open(problem, options, deadline, memory, whole, result))
    solve_swept(problem, options, deadline, whole, memory, result);
  refine(problem, options, deadline, memory, result);
  diagnose(problem, options.measure, result);
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
                              if (own.measure == Measure::Certificate)
                                mixed::internal::tell_round_off(canonical, result);
                              if (own.hyperstaticity && result.ok())
                                result.hyperstaticity = hyperstaticity(canonical, result.r, result.u);
                            });
}

}  // namespace nonsmooth::friction
