// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>

#include <cmath>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <internal/deadline.hpp>

#include "coloring.hpp"
#include "contact_order.hpp"
#include "measure.hpp"
#include "mixed/best_iterate.hpp"
#include "mixed/internal.hpp"
#include "mixed/island_by_island.hpp"
#include "projection_method.hpp"
#include "set_kernels.hpp"
#include "sweep_control.hpp"
#include "sweeps.hpp"

namespace nonsmooth::friction {
namespace {

/// The norm that the measure divides by is known; how far a sweep's change is from the measure, its checks teach.
class Foresight {
 public:
  Foresight(const Problem& problem, Measure measure, double scale) {
    const double size = measure == Measure::Certificate ? scale : problem.q.norm();
    ratio_ = size > 0.0 ? 1.0 / size : 1.0;
  }
  [[nodiscard]] double measure(double change) const noexcept { return ratio_ * change; }
  void learn(double measure, double change) noexcept {
    if (change > 0.0 && measure > 0.0) ratio_ = measure / change;
  }

 private:
  double ratio_;
};

}  // namespace

struct GaussSeidelWorkspace::Implementation {
  /// What a thread works with.
  struct Station {
    GaussSeidelWorkspace workspace;
    Result result;
  };

  internal::ContactOrder contact_order;
  internal::Coloring coloring;
  internal::Sweeps sweeps;
  internal::SweepControl control;
  ThreadPool pool;
  std::vector<Index> order;
  mixed::internal::BestIterate best;
  mixed::internal::CanonicalForm canonical;
  std::unique_ptr<mixed::internal::IslandByIsland<Station>> islands;

  /// False where all is one island.
  bool run_by_islands(const Problem& problem, const GaussSeidel& options, const detail::Deadline& deadline,
                      ThreadPool& threads, mixed::Result& result);
  void prepare(const Problem& problem, const GaussSeidel& options);
  /// `tolerance` stands for that of the options.
  void run(const Problem& problem, const GaussSeidel& options, double tolerance, const detail::Deadline& deadline,
           mixed::Result& result);
};

GaussSeidelWorkspace::GaussSeidelWorkspace() : implementation_(std::make_unique<Implementation>()) {}
GaussSeidelWorkspace::~GaussSeidelWorkspace() = default;
GaussSeidelWorkspace::GaussSeidelWorkspace(GaussSeidelWorkspace&&) noexcept = default;
GaussSeidelWorkspace& GaussSeidelWorkspace::operator=(GaussSeidelWorkspace&&) noexcept = default;

void GaussSeidelWorkspace::Implementation::prepare(const Problem& problem, const GaussSeidel& options) {
  switch (options.order) {
    case GaussSeidel::Order::Natural:
      contact_order.natural(problem.W.num_block_rows(), order);
      break;
    case GaussSeidel::Order::ReverseCuthillMcKee:
      contact_order.reverse_cuthill_mckee(problem.W, order);
      break;
    case GaussSeidel::Order::User:
      order.assign(options.user_order.begin(), options.user_order.end());
      break;
  }
  if (options.colored) coloring.color(problem.W, order);
  if (pool.size() != options.num_threads) pool = ThreadPool(options.num_threads);
  // Finding the blocks that serve two rows pays where threads share the memory, and where W outgrows the caches.
  constexpr Index many_blocks = 500'000;  // of 3 x 3 numbers: 36 MB
  // Sums of shared blocks are made anew where something but a sweep changes reactions: after each with `conjugate`.
  const bool share = !options.conjugate && (options.colored || problem.W.num_blocks() > many_blocks);
  sweeps.prepare(problem, order, options.colored ? &coloring : nullptr, share);
}

void GaussSeidelWorkspace::Implementation::run(const Problem& problem, const GaussSeidel& options, double tolerance,
                                               const detail::Deadline& deadline, mixed::Result& result) {
  mixed::internal::begin(problem, "gauss-seidel", result);
  const auto end = [&](Status status, std::string_view reason) {
    if (status == Status::Solved) return internal::end_solved(problem, options.measure, tolerance, reason, result);
    mixed::internal::end(result, status, reason);
    if (options.measure == Measure::Certificate) mixed::internal::confirm(problem, tolerance, result);
  };
  const auto certify = [&] {
    result.certificate = mixed::certify(problem, result.r, result.u);
    return internal::measure_of(problem, options.measure, result);
  };

  double value = certify();
  if (value <= tolerance) return end(Status::Solved, "the start is a solution");
  prepare(problem, options);
  sweeps.load(result.r.data());
  control.begin(options, sweeps);

  best.begin(value, result.r);
  const auto end_at_best = [&](Status status, std::string_view reason) {
    if (best.recall(result.r)) (void)certify();
    end(status, reason);
  };

  Foresight foresight(problem, options.measure, result.certificate.scale);
  internal::SweepPlan plan;
  internal::SweepOutcome outcome;
  Index last_check = 0, next_guess = 0;
  const bool teaches = options.max_iterations > options.check_every;  // else so many sweeps are what is asked for
  double previous_error = result.certificate.error;
  for (Index sweep = 1; sweep <= options.max_iterations; ++sweep) {
    plan.relaxation = control.relaxation();
    plan.backward = options.symmetric && sweep % 2 == 0;
    plan.resting_change = options.freeze && !control.directed() && sweep > 1 ? 0.01 * outcome.change : -1.0;
    outcome = sweeps.sweep(plan, pool, deadline);
    result.iterations = sweep;
    const bool late = deadline.passed(), finite = std::isfinite(outcome.change);
    const bool plausible = foresight.measure(outcome.change) <= tolerance && sweep >= next_guess;
    // Blocks that stand alone are solved by their first visit; a foresight that is off is put right early.
    const bool due = sweep - last_check >= options.check_every ||
                     (teaches && (sweep == 4 || sweep == 16 || sweep == 64)) || sweep == options.max_iterations ||
                     problem.W.num_blocks() == problem.K.num_blocks();
    if (!plausible && !due && !late && finite) {
      control.advance(outcome, sweeps);
      continue;
    }
    if (outcome.skipped > 0) sweeps.wake();
    if (plausible && outcome.skipped > 0 && !late && sweep != options.max_iterations) continue;

    sweeps.store(result.r.data());
    value = certify();
    last_check = sweep;
    if (value <= tolerance) return end(Status::Solved, "");
    if (!finite || !std::isfinite(value)) {
      best.discard_current();
      return end_at_best(Status::NumericalFailure, "the sweeps diverged to numbers that are not finite");
    }
    best.compare(value, result.r);
    if (late) return end_at_best(Status::TimeLimit, "time_limit reached");
    if (outcome.skipped == 0) foresight.learn(value, outcome.change);
    if (plausible) next_guess = sweep + 2 + sweep / 50;
    // Sweeps can't go below what round-off leaves in u; while the error still halves they may go on.
    const Certificate& certificate = result.certificate;
    const bool at_round_off = certificate.error <= certificate.round_off && certificate.error > 0.5 * previous_error;
    previous_error = certificate.error;
    if (outcome.skipped == 0 && (outcome.change == 0.0 || at_round_off)) {
      return end_at_best(Status::Stalled, at_round_off ? "at round-off: the tolerance is below what the data allow"
                                                       : "a sweep changed nothing: a block found no local solution");
    }
    control.advance(outcome, sweeps);
  }
  end_at_best(Status::IterationLimit, "max_iterations reached");
}

bool GaussSeidelWorkspace::Implementation::run_by_islands(const Problem& problem, const GaussSeidel& options,
                                                          const detail::Deadline& deadline, ThreadPool& threads,
                                                          mixed::Result& result) {
  if (!islands) islands = std::make_unique<mixed::internal::IslandByIsland<Station>>();
  if (!islands->find(problem.W, false)) return false;
  mixed::internal::begin(problem, "gauss-seidel", result);
  const double scale = problem.q.lpNorm<Eigen::Infinity>();
  islands->solve(problem, &threads, "gauss-seidel", result,
                 [&](Station& station, const Problem& island, mixed::Result& found) {
                   const double share = mixed::internal::looser(scale, island);
                   GaussSeidel part = options;
                   part.tolerance *= share;
                   part.time_limit = deadline.remaining();
                   static_cast<mixed::Result&>(station.result) = std::move(found);
                   station.workspace.solve(island, part, station.result);
                   found = std::move(static_cast<mixed::Result&>(station.result));
                   return found.certificate.residual / share;
                 });
  return true;
}

void GaussSeidelWorkspace::solve(const Problem& problem, const GaussSeidel& options, Result& result,
                                 ThreadPool* threads) {
  if (!implementation_) implementation_ = std::make_unique<Implementation>();
  Implementation& work = *implementation_;
  const detail::Deadline deadline(options.time_limit);
  double tolerance = options.tolerance;
  const auto run = [&](const Problem& canonical, Result& found) {
    if (found.r.size() == canonical.W.rows() && found.r.allFinite())
      for (Index block = 0; block < canonical.K.num_blocks(); ++block)
        project(canonical.K[block], found.r.data() + canonical.K.offset(block), canonical.K.size(block));
    // Figures other than the certificate, orders and colours are of the whole.
    const bool parts = threads && options.measure == Measure::Certificate &&
                       options.order != GaussSeidel::Order::User && !options.colored;
    if (!parts || !work.run_by_islands(canonical, options, deadline, *threads, found))
      work.run(canonical, options, tolerance, deadline, found);
    internal::note_round_off(canonical, options.measure, found);
    found.figures = mixed::friction_figures(canonical, found.r, found.u);
    found.decisions.clear();
    found.hyperstaticity.reset();
  };
  if (problem.K.is_canonical()) return run(problem, result);
  mixed::internal::solve_canonical(problem, work.canonical, false, result, run);
  // The figure of the field is that in the problem's own units: on until it holds there too.
  const auto loose = [&] {
    return options.measure == Measure::NaturalMap && result.ok() && !(result.figures.natural_map <= options.tolerance);
  };
  for (int again = 0; again < 3 && loose(); ++again) {
    tolerance *= 0.5 * options.tolerance / result.figures.natural_map;
    const Index before = result.iterations;
    mixed::internal::solve_canonical(problem, work.canonical, true, result, run);
    result.iterations += before;
  }
  if (loose())
    mixed::internal::end(result, Status::Stalled, "the figure in the problem's own units is above the tolerance");
}

void GaussSeidel::validate() const {
  check::positive("friction::GaussSeidel::tolerance", tolerance);
  check::at_least("friction::GaussSeidel::max_iterations", max_iterations, 1);
  if (!(relaxation >= 0.0 && relaxation < 2.0))
    throw InvalidArgument("friction::GaussSeidel::relaxation", std::to_string(relaxation), "a number in [0, 2)");
  if (order != Order::User && !user_order.empty())
    throw InvalidArgument("friction::GaussSeidel::user_order", std::to_string(user_order.size()) + " entries",
                          "none unless order is User");
  check::within("friction::GaussSeidel::num_threads", num_threads, 1, check::most_threads);
  if (num_threads > 1 && !colored)
    throw InvalidArgument("friction::GaussSeidel::num_threads", std::to_string(num_threads), "1 without `colored`");
  check::at_least("friction::GaussSeidel::check_every", check_every, 1);
  detail::check_time_limit("friction::GaussSeidel::time_limit", time_limit);
}

namespace {

void check_order(const GaussSeidel& options, Index blocks) {
  if (options.order != GaussSeidel::Order::User) return;
  const auto& order = options.user_order;
  check::size("friction::GaussSeidel::user_order", static_cast<Index>(order.size()), blocks, "one a block");
  std::vector<bool> seen(order.size(), false);
  for (const Index block : order) {
    if (block < 0 || block >= blocks || seen[static_cast<std::size_t>(block)])
      throw InvalidArgument("friction::GaussSeidel::user_order", std::to_string(block),
                            "each of 0 .. " + std::to_string(blocks - 1) + " once");
    seen[static_cast<std::size_t>(block)] = true;
  }
}

}  // namespace

Result solve(const Problem& problem, const GaussSeidel& options) {
  return internal::solve_by(problem, options, "gauss-seidel", "friction::GaussSeidel::start", true,
                            [](const Problem& canonical, const GaussSeidel& given, Result& result) {
                              check_order(given, canonical.K.num_blocks());
                              GaussSeidelWorkspace().solve(canonical, given, result);
                            });
}

}  // namespace nonsmooth::friction
