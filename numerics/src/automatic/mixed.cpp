// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/automatic.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include "cone_tiers.hpp"
#include "kept_memory.hpp"
#include "mixed/canonical.hpp"
#include "mixed/equivalent_lcp.hpp"
#include "mixed/internal.hpp"
#include "mixed/island_by_island.hpp"
#include "mixed/local.hpp"
#include "mixed/refinement.hpp"
#include "mixed/refinement_memory.hpp"
#include "small_problem.hpp"

namespace nonsmooth::mixed {
namespace {

/// Rows up to which a dense W is factored where sweeps failed: 2000 take some 0.2 s and 60 MB.
constexpr Index kDenseAtLast = 2000;

/// Free rows to one other, from which on they are eliminated before anything is swept: loops of joints that a few
/// contacts or stops hold, on which sweeps crawl.
constexpr Index kFreeBesideFew = 8;

/// Tighter tolerances send small problems to the direct methods at once; looser ones are met sooner by sweeps.
constexpr double direct_tolerance = 1e-6;

void finish_row(double w, double q, local::Interval set, bool free, double r, Result& result) noexcept {
  const double term = w * r, u = term + q;
  result.r.data()[0] = r;
  result.u.data()[0] = u;
  Certificate& certificate = result.certificate;
  const double s = w > 0.0 ? w : (w < 0.0 ? -w : 1.0);
  certificate.error = std::abs(free ? u : local::interval_error(set, s, r, u));
  certificate.round_off = 64.0 * std::numeric_limits<double>::epsilon() * (std::abs(term) + std::abs(q));
  const double nearest = std::min(std::max(0.0, set.lower), set.upper);
  certificate.scale = std::max({std::abs(q), std::abs(w * nearest + q), certificate.round_off});
  certificate.residual = certificate.scale > 0.0 ? certificate.error / certificate.scale : 0.0;
  if (!std::isfinite(certificate.scale)) certificate.residual = std::numeric_limits<double>::quiet_NaN();
  certificate.worst_row = certificate.worst_relative_row = certificate.error > 0.0 ? 0 : -1;
  certificate.row_residual = certificate.error == 0.0 ? 0.0 : certificate.error / (std::abs(term) + std::abs(q));
}

/// One row of any one-row kind in closed form; w <= 0 is treated too (an ideal switch, an indefinite row).
void solve_row(const Problem& problem, double tolerance, Result& result) {
  if (result.r.size() != 1) result.r.setZero(1);
  if (result.u.size() != 1) result.u.setZero(1);
  if (result.proof.size() != 0) result.proof.resize(0);
  result.solver = internal::automatic_name;
  result.iterations = 0;
  const BlockSet& set = problem.K[0];
  const local::Interval bounds = local::interval(set);
  const bool free = set.kind == SetKind::Free;
  const double w = problem.W.values(0)[0], q = problem.q.data()[0];

  double r = 0.0;
  if (w > 0.0 || (free && w < 0.0)) {
    r = std::min(std::max(-q / w, bounds.lower), bounds.upper);
  } else if (w * bounds.lower + q >= 0.0 && bounds.lower > -local::infinity) {
    r = bounds.lower;
  } else if (w * bounds.upper + q <= 0.0 && bounds.upper < local::infinity) {
    r = bounds.upper;
  } else if (w < 0.0) {
    r = std::min(std::max(-q / w, bounds.lower), bounds.upper);
  } else if (q != 0.0) {  // w = 0 and the side that q pushes r to is unbounded
    finish_row(w, q, bounds, free, r, result);
    result.proof.setConstant(1, q > 0.0 ? -1.0 : 1.0);
    return internal::end(result, Status::Infeasible, "a row without diagonal whose q no r can balance");
  }
  finish_row(w, q, bounds, free, r, result);
  if (result.certificate.residual <= tolerance) return internal::end(result, Status::Solved, "closed form");
  // w < 0 on a half-line: u falls as r grows. Where the law denies the end (u < 0 at the lower bound, u > 0 at the
  // upper) u has that sign all along the line, which is the proof. A segment and the whole line always have a solution.
  const bool below = bounds.lower > -local::infinity, above = bounds.upper < local::infinity;
  if (w < 0.0 && below != above && result.certificate.error > result.certificate.round_off) {
    result.proof.setConstant(1, below ? 1.0 : -1.0);
    return internal::end(result, Status::Infeasible, "w < 0, and u at the only bound has the wrong sign already");
  }
  internal::end(result, std::isfinite(result.certificate.residual) ? Status::Stalled : Status::NumericalFailure,
                std::isfinite(result.certificate.residual) ? "at round-off" : "the closed form overflowed");
}

}  // namespace

/// No Portfolio (../portfolio.hpp): the sets of an island say which method it gets, hardly two of which take one
/// problem; what tries several is in each of those.
struct Workspace::Implementation {
  /// What a thread works with.
  struct Station {
    GaussSeidelWorkspace gauss_seidel;
    internal::ContactMemory contacts;
    internal::SmallProblem small;
  };

  internal::EquivalentLcp equivalent_lcp;
  internal::CanonicalForm canonical;
  Station whole;
  internal::Buffer start;
  internal::IslandByIsland<Station> islands;
  detail::Deadline deadline{local::infinity};
  KeptMemory<internal::RefinementMemory> refinement;

  void solve(const Problem& problem, const Automatic& options, bool same_matrix, ThreadPool* threads, Result& result);
  bool solve_by_islands(const Problem& problem, const Automatic& options, bool same_matrix, ThreadPool* threads,
                        Result& result);
  void solve_island(const Problem& island, const Automatic& options, bool whole_is_small, Station& station,
                    Result& result) const;
  void solve_cones(const Problem& problem, const Automatic& options, Station& station, Result& result) const;
  bool solve_contacts(const Problem& problem, const Automatic& options, Station& station, Result& result) const;
  void solve_large(const Problem& problem, const Automatic& options, Result& result);
  void solve_densely_at_last(const Problem& problem, const Automatic& options, Station& station, Result& result) const;
  void sweep(const Problem& problem, double tolerance, Index max_sweeps, Station& station, Result& result) const {
    internal::sweep(problem, tolerance, max_sweeps, deadline, station.gauss_seidel, result);
  }
  [[nodiscard]] bool late(Result& result);
  [[nodiscard]] Limits limits_of(const Automatic& options) const {
    return {options.tolerance, options.max_iterations, deadline.remaining()};
  }
};

/// True, with the status, where no time is left for another method.
bool Workspace::Implementation::late(Result& result) {
  if (!deadline.passed()) return false;
  internal::end(result, Status::TimeLimit, "time_limit reached");
  return true;
}

/// An island by what its sets ask for.
void Workspace::Implementation::solve_island(const Problem& island, const Automatic& options, bool whole_is_small,
                                             Station& station, Result& result) const {
  if (island.W.rows() == 1) return solve_row(island, options.tolerance, result);
  if (internal::has_general_cones(island.K)) return solve_cones(island, options, station, result);
  const bool is_small = island.W.rows() <= options.dense_limit;
  result.status = Status::NotRun;
  result.iterations = 0;
  if (!is_small) {
    if (!solve_contacts(island, options, station, result)) {
      sweep(island, options.tolerance, internal::max_sweeps(options), station, result);
      solve_densely_at_last(island, options, station, result);
    }
  } else if (!whole_is_small) {
    sweep(island, options.tolerance, std::min(internal::max_sweeps(options), internal::sweeps_before_pivoting), station,
          result);
  }
  if (!result.ok() && is_small && result.status != Status::TimeLimit)
    station.small.solve(island, options, deadline, false, station.gauss_seidel, &station.contacts, result);
}

/// Islands (parts of the problem that W does not couple) by themselves, each to the tolerance on its own scale: a heap
/// that converges slowly costs its own sweeps, not everybody's, and a resting contact is not lost beside a circuit at a
/// million volts. Small ones on which sweeps do not converge go to the methods of small problems. False where all is
/// one island.
bool Workspace::Implementation::solve_by_islands(const Problem& problem, const Automatic& options, bool same_matrix,
                                                 ThreadPool* threads, Result& result) {
  if (!islands.find(problem.W, same_matrix)) return false;
  internal::begin(problem, internal::automatic_name, result);
  const bool whole_is_small = problem.W.rows() <= options.dense_limit && options.tolerance <= direct_tolerance;
  const double scale = problem.q.lpNorm<Eigen::Infinity>();
  const auto loosened = [&](const Problem& part) { return whole_is_small ? 1.0 : internal::looser(scale, part); };
  islands.solve(problem, threads, internal::automatic_name, result,
                [&](Station& station, const Problem& island, Result& found) {
                  Automatic own = options;
                  own.tolerance *= loosened(island);
                  solve_island(island, own, whole_is_small, station, found);
                  return found.certificate.residual / loosened(island);
                });
  return true;
}

/// True where there is friction and nothing that its family does not know: its tiers are run.
bool Workspace::Implementation::solve_contacts(const Problem& problem, const Automatic& options, Station& station,
                                               Result& result) const {
  if (!friction::internal::are_contacts(problem.K)) return false;
  internal::begin(problem, internal::automatic_name, result);
  friction::internal::solve_contacts(problem, options, deadline, false, station.contacts, result);
  return true;
}

/// Cones and cylinders of several rows other than planar contacts.
void Workspace::Implementation::solve_cones(const Problem& problem, const Automatic& options, Station& station,
                                            Result& result) const {
  if (!solve_contacts(problem, options, station, result))
    internal::solve_cones(problem, options, deadline, station.gauss_seidel, station.contacts, result);
}

/// Where sweeps ended before their tolerance: the methods of small problems, as long as a dense W is worth it. What
/// they do not improve stays.
void Workspace::Implementation::solve_densely_at_last(const Problem& problem, const Automatic& options,
                                                      Station& station, Result& result) const {
  if (result.ok() || result.status == Status::TimeLimit || problem.W.rows() > kDenseAtLast) return;
  const Result swept = result;
  station.small.solve(problem, options, deadline, false, station.gauss_seidel, &station.contacts, result);
  station.small.forget();
  result.iterations += swept.iterations;
  if (result.ok() || result.status == Status::Infeasible) return;
  if (!(result.certificate.residual < swept.certificate.residual)) result = swept;
}

void Workspace::Implementation::solve_large(const Problem& problem, const Automatic& options, Result& result) {
  whole.small.forget();
  internal::begin(problem, internal::automatic_name, result);
  const Index n = problem.W.rows();
  Index free = 0;
  for (Index b = 0; b < problem.K.num_blocks(); ++b)
    if (problem.K[b].kind == SetKind::Free) free += problem.K.size(b);
  if (free == n) {
    equivalent_lcp.solve_sparse(problem, limits_of(options), result);
    if (result.ok()) return internal::end(result, Status::Solved, "by sparse factors");
    result.r.setZero();
  }
  if (free < n && kFreeBesideFew * (n - free) <= free) {
    auto given = start.vector(n);
    given = result.r;
    equivalent_lcp.solve_sparse(problem, limits_of(options), result);
    if (result.ok() || result.status == Status::Infeasible) {
      result.solver = internal::automatic_name;
      return;
    }
    result.status = Status::NotRun;
    result.r = given;
  }
  if (problem.K.all(SetKind::Orthant)) {
    sweep(problem, options.tolerance, std::min(internal::max_sweeps(options), internal::sweeps_before_pivoting), whole,
          result);
    if (result.ok() || late(result)) return;
    const lcp::Result solution = lcp::solve(lcp::SparseProblem{problem.W.to_sparse(), problem.q},
                                            lcp::Automatic{.tolerance = options.tolerance,
                                                           .max_iterations = options.max_iterations,
                                                           .time_limit = deadline.remaining()});
    auto swept = start.vector(n);
    swept = result.r;
    result.r = solution.z;
    result.certificate = certify(problem, result.r, result.u);
    result.iterations += solution.iterations;
    if (result.certificate.residual <= options.tolerance) {
      result.solver = internal::automatic_name;
      return internal::end(result, Status::Solved, "by the sparse LCP");
    }
    if (solution.status == Status::Infeasible) {
      result.solver = internal::automatic_name;
      result.proof = solution.proof;
      return internal::end(result, Status::Infeasible, solution.reason);
    }
    result.r = swept;
  }
  const bool contacts = solve_contacts(problem, options, whole, result);
  if (!contacts) sweep(problem, options.tolerance, internal::max_sweeps(options), whole, result);
  if (result.ok() || late(result)) return;
  if (free == 0 || free == n || n - free > options.dense_limit) {
    if (!contacts) solve_densely_at_last(problem, options, whole, result);
    return;
  }
  const Status swept = result.status;
  const std::string_view reason = result.reason;
  auto warm = start.vector(n);
  warm = result.r;
  result.status = Status::NotRun;
  equivalent_lcp.solve_sparse(problem, limits_of(options), result);
  if (result.ok() || result.status == Status::Infeasible) {
    result.solver = internal::automatic_name;
    return;
  }
  result.r = warm;
  result.certificate = certify(problem, result.r, result.u);
  internal::end(result, swept, reason);
}

Workspace::Workspace() : implementation_(std::make_unique<Implementation>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

void Workspace::solve(const Problem& problem, const Automatic& options, bool same_matrix, Result& result,
                      ThreadPool* threads) {
  const Index n = problem.W.rows();
  if (n == 1 && problem.K.is_canonical()) {
    solve_row(problem, options.tolerance, result);
    internal::confirm(problem, options.tolerance, result);
    return internal::tell_round_off(problem, result);
  }
  if (!implementation_) implementation_ = std::make_unique<Implementation>();
  if (!problem.K.is_canonical()) [[unlikely]] {
    return internal::solve_canonical(
        problem, implementation_->canonical, same_matrix, result,
        [&](const Problem& form, Result& found) { solve(form, options, same_matrix, found, threads); });
  }
  if (n == 0) {
    internal::begin(problem, internal::automatic_name, result);
    result.certificate = certify(problem, result.r, result.u);
    return internal::end(result, Status::Solved, "no rows");
  }
  implementation_->solve(problem, options, same_matrix, threads, result);
  internal::vouch(problem, options.tolerance, result);
  internal::refine(problem, options.tolerance, options.max_iterations, implementation_->deadline,
                   implementation_->refinement, result);
  internal::tell_round_off(problem, result);
}

void Workspace::Implementation::solve(const Problem& problem, const Automatic& options, bool same_matrix,
                                      ThreadPool* threads, Result& result) {
  deadline = detail::Deadline(options.time_limit);
  if (solve_by_islands(problem, options, same_matrix, threads, result)) return;
  if (internal::has_general_cones(problem.K))
    solve_cones(problem, options, whole, result);
  else if (problem.W.rows() <= options.dense_limit)
    whole.small.solve(problem, options, deadline, same_matrix, whole.gauss_seidel, &whole.contacts, result);
  else
    solve_large(problem, options, result);
}

void Workspace::reset() noexcept {
  if (!implementation_) return;
  implementation_->whole.small.forget();
  implementation_->islands.forget();
}

void Automatic::validate() const {
  check::positive("mixed::Automatic::tolerance", tolerance);
  check::at_least("mixed::Automatic::max_sweeps", max_sweeps, 1);
  check::at_least("mixed::Automatic::max_iterations", max_iterations, 0);
  check::at_least("mixed::Automatic::dense_limit", dense_limit, 0);
  detail::check_time_limit("mixed::Automatic::time_limit", time_limit);
}

Result solve(const Problem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  Result result;
  Workspace workspace;
  workspace.solve(problem, options, false, result);
  return result;
}

}  // namespace nonsmooth::mixed
