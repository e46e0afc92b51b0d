// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "best_iterate.hpp"
#include "block_sweeps.hpp"
#include "canonical.hpp"
#include "internal.hpp"
#include "island_by_island.hpp"

namespace nonsmooth::mixed {
struct GaussSeidelWorkspace::Implementation {
  internal::BlockSweeps sweeps;
  internal::BestIterate best;
  internal::CanonicalForm canonical;
  std::unique_ptr<internal::IslandByIsland<GaussSeidelWorkspace>> islands;

  /// False where all is one island.
  bool solve_by_islands(const Problem& problem, const GaussSeidel& options, ThreadPool& threads, Result& result);
  void solve(const Problem& problem, const GaussSeidel& options, Result& result);
};

GaussSeidelWorkspace::GaussSeidelWorkspace() : implementation_(std::make_unique<Implementation>()) {}
GaussSeidelWorkspace::~GaussSeidelWorkspace() = default;
GaussSeidelWorkspace::GaussSeidelWorkspace(GaussSeidelWorkspace&&) noexcept = default;
GaussSeidelWorkspace& GaussSeidelWorkspace::operator=(GaussSeidelWorkspace&&) noexcept = default;

void GaussSeidelWorkspace::solve(const Problem& problem, const GaussSeidel& options, Result& result,
                                 ThreadPool* threads) {
  if (!implementation_) implementation_ = std::make_unique<Implementation>();
  if (!problem.K.is_canonical()) [[unlikely]] {
    return internal::solve_canonical(problem, implementation_->canonical, false, result,
                                     [&](const Problem& form, Result& found) { solve(form, options, found, threads); });
  }
  if (!threads || !implementation_->solve_by_islands(problem, options, *threads, result))
    implementation_->solve(problem, options, result);
  internal::confirm(problem, options.tolerance, result);
  internal::note_round_off(problem, result);
}

bool GaussSeidelWorkspace::Implementation::solve_by_islands(const Problem& problem, const GaussSeidel& options,
                                                            ThreadPool& threads, Result& result) {
  if (!islands) islands = std::make_unique<internal::IslandByIsland<GaussSeidelWorkspace>>();
  if (!islands->find(problem.W, false)) return false;
  const detail::Deadline deadline(options.time_limit);
  const std::string_view name = options.local == GaussSeidel::Local::Exact ? "block gauss-seidel" : "block projection";
  internal::begin(problem, name, result);
  const double scale = problem.q.lpNorm<Eigen::Infinity>();
  islands->solve(problem, &threads, name, result, [&](GaussSeidelWorkspace& own, const Problem& island, Result& found) {
    const double share = internal::looser(scale, island);
    GaussSeidel part = options;
    part.tolerance *= share;
    part.time_limit = deadline.remaining();
    own.solve(island, part, found);
    return found.certificate.residual / share;
  });
  return true;
}

void GaussSeidelWorkspace::Implementation::solve(const Problem& problem, const GaussSeidel& options, Result& result) {
  const detail::Deadline deadline(options.time_limit);
  const bool exact = options.local == GaussSeidel::Local::Exact;
  internal::begin(problem, exact ? "block gauss-seidel" : "block projection", result);
  const double tolerance = options.tolerance;

  Certificate& certificate = result.certificate;
  certificate = certify(problem, result.r, result.u);
  if (certificate.residual <= tolerance) return internal::end(result, Status::Solved, "the start is a solution");
  if (const Index row = sweeps.prepare(problem, options.local); row >= 0) {
    certificate.worst_row = row;
    return internal::end(result, Status::NumericalFailure,
                         "a block's diagonal is not positive (or is singular): it has no local solution");
  }

  double scale = certificate.scale;  // of the best iterate
  best.begin(certificate.residual, result.r);
  const auto restore = [&] {
    if (best.recall(result.r)) certificate = certify(problem, result.r, result.u);
  };

  // A sweep's change predicts the error of the next certificate up to a factor that failed checks teach.
  double factor = 1.0;
  double* r = result.r.data();
  for (Index sweep = 1; sweep <= options.max_sweeps; ++sweep) {
    const double change = sweeps.sweep(problem, options.relaxation, deadline, r);
    result.iterations = sweep;
    // One block alone is solved by its first visit, however far that went.
    const bool late = deadline.passed();
    const bool plausible = change <= factor * tolerance * scale || (sweep == 1 && problem.K.num_blocks() == 1);
    if (!plausible && !late && sweep % options.check_every != 0 && sweep != options.max_sweeps &&
        std::isfinite(change)) {
      best.discard_current();
      continue;
    }
    const double previous = certificate.error;
    certificate = certify(problem, result.r, result.u);
    if (certificate.residual <= tolerance) return internal::end(result, Status::Solved, "");
    if (!std::isfinite(certificate.residual) || !std::isfinite(change)) {
      best.discard_current();
      restore();
      return internal::end(result, Status::NumericalFailure, "the sweeps diverged to numbers that are not finite");
    }
    if (best.compare(certificate.residual, result.r)) scale = certificate.scale;
    if (late) {
      restore();
      return internal::end(result, Status::TimeLimit, "time_limit reached");
    }
    if (plausible) factor = std::min(0.5 * factor, 0.5 * change / certificate.error);
    // Sweeps can't go below what round-off leaves in u; while the error still halves they may go on.
    const bool at_round_off = certificate.error <= certificate.round_off && certificate.error > 0.5 * previous;
    if (change == 0.0 || at_round_off) {
      restore();
      return internal::end(result, Status::Stalled,
                           at_round_off ? "at round-off: the tolerance is below what the data allow"
                                        : "a sweep changed nothing: a block found no local solution");
    }
  }
  restore();
  internal::end(result, Status::IterationLimit, "max_sweeps reached");
}

void GaussSeidel::validate() const {
  check::positive("mixed::GaussSeidel::tolerance", tolerance);
  check::at_least("mixed::GaussSeidel::max_sweeps", max_sweeps, 1);
  check::at_least("mixed::GaussSeidel::check_every", check_every, 1);
  if (!(relaxation > 0.0 && relaxation < 2.0))
    throw InvalidArgument("mixed::GaussSeidel::relaxation", std::to_string(relaxation), "a number in (0, 2)");
  detail::check_time_limit("mixed::GaussSeidel::time_limit", time_limit);
}

Result solve(const Problem& problem, const GaussSeidel& options) {
  problem.validate();
  options.validate();
  Result result;
  GaussSeidelWorkspace workspace;
  workspace.solve(problem, options, result);
  return result;
}

}  // namespace nonsmooth::mixed
