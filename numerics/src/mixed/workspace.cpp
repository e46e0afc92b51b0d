// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/automatic.hpp>
#include <nonsmooth/numerics/lcp/workspace.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include "../deadline.hpp"
#include "active_set.hpp"
#include "canonical.hpp"
#include "cone_tiers.hpp"
#include "equivalent_lcp.hpp"
#include "infeasibility.hpp"
#include "internal.hpp"
#include "islands.hpp"
#include "local.hpp"

namespace nonsmooth::mixed {
namespace {

constexpr std::string_view name = "automatic";

/// Newton's modes settle in a handful of steps or cycle; sweeps before pivoting cost about as much as a few pivots.
constexpr Index max_active_set_steps = 20;
constexpr Index sweeps_before_pivoting = 200;

/// Tighter tolerances send small problems to the direct methods at once; looser ones are met sooner by sweeps.
constexpr double direct_tolerance = 1e-6;

[[nodiscard]] Index max_sweeps(const Automatic& options) noexcept {
  return options.max_iterations > 0 ? options.max_iterations : options.max_sweeps;
}

/// In large problems an island's tolerance is relative to the whole problem's scale as long as that is at most so many
/// times its own: bodies at rest among moving ones, but not a contact beside a circuit at a million volts.
constexpr double scale_ratio = 1e3;

void finish_row(double w, double q, local::Interval set, bool free, double r, Result& result) noexcept {
  const double term = w * r, u = term + q;
  result.r.data()[0] = r;
  result.u.data()[0] = u;
  Certificate& certificate = result.certificate;
  const double s = w > 0.0 ? w : (w < 0.0 ? -w : 1.0);
  certificate.error = std::abs(free ? u : local::interval_error(set, s, r, u));
  certificate.round_off = 64.0 * std::numeric_limits<double>::epsilon() * (std::abs(term) + std::abs(q));
  certificate.scale = std::max(std::abs(q), certificate.round_off);
  certificate.residual = certificate.scale > 0.0 ? certificate.error / certificate.scale : 0.0;
  if (!std::isfinite(certificate.scale)) certificate.residual = std::numeric_limits<double>::quiet_NaN();
  certificate.worst_row = certificate.error > 0.0 ? 0 : -1;
}

/// One row of any one-row kind in closed form; w <= 0 is treated too (an ideal switch, an indefinite row).
void solve_row(const Problem& problem, double tolerance, Result& result) {
  if (result.r.size() != 1) result.r.setZero(1);
  if (result.u.size() != 1) result.u.setZero(1);
  if (result.proof.size() != 0) result.proof.resize(0);
  result.solver = name;
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

struct Workspace::Implementation {
  internal::ActiveSet active_set;
  internal::EquivalentLcp equivalent_lcp;
  GaussSeidelWorkspace gauss_seidel;
  internal::CanonicalForm canonical;
  lcp::Workspace lcp;                  // all orthants
  std::vector<lcp::Result> solutions;  // by number of rows: their vectors are then sized once
  internal::Buffer dense, start, best;
  Index dense_rows = 0;       // of the W held in `dense`; 0: none
  bool lcp_laid_out = false;  // the equivalent LCP belongs to the W held in `dense`

  bool solve_orthants(const Problem& problem, ConstMatrixRef W, const Limits& limits, bool same_matrix, Result& result);
  void solve_small(const Problem& problem, const Automatic& options, bool same_matrix, Result& result);
  void solve_large(const Problem& problem, const Automatic& options, Result& result);
  void sweep(const Problem& problem, double tolerance, Index max_sweeps, Result& result);
  [[nodiscard]] bool late(Result& result);
  [[nodiscard]] Limits limits_of(const Automatic& options) const {
    return {options.tolerance, options.max_iterations, deadline.remaining()};
  }
  void solve(const Problem& problem, const Automatic& options, bool same_matrix, Result& result);
  bool solve_by_islands(const Problem& problem, const Automatic& options, bool same_matrix, Result& result);

  internal::Islands islands;
  bool islands_known = false;  // of the W of the last call
  Problem island;
  Result island_result;
  std::unique_ptr<Implementation> small;  // of islands that sweeps do not settle
  detail::Deadline deadline{local::infinity};
};

/// Gauss-Seidel from result.r, with the iterations of what came before added.
void Workspace::Implementation::sweep(const Problem& problem, double tolerance, Index max_sweeps, Result& result) {
  const Index before = result.iterations;
  gauss_seidel.solve(problem, {.tolerance = tolerance, .max_sweeps = max_sweeps, .time_limit = deadline.remaining()},
                     result);
  result.iterations += before;
}

/// True, with the status, where no time is left for another method.
bool Workspace::Implementation::late(Result& result) {
  if (!deadline.passed()) return false;
  internal::end(result, Status::TimeLimit, "time_limit reached");
  return true;
}

/// Islands (parts of the problem that W does not couple) one by one, each to the tolerance on its own scale: a heap
/// that settles slowly costs its own sweeps, not everybody's, and a resting contact is not lost beside a circuit at a
/// million volts. Small ones that sweeps do not settle go to the methods of small problems. False where all is one
/// island.
bool Workspace::Implementation::solve_by_islands(const Problem& problem, const Automatic& options, bool same_matrix,
                                                 Result& result) {
  if (!same_matrix || !islands_known) islands.find(problem.W);
  islands_known = true;
  if (islands.count() == 1) return false;
  internal::begin(problem, name, result);
  const bool whole_is_small = problem.W.rows() <= options.dense_limit && options.tolerance <= direct_tolerance;
  // A residual is relative to the largest |q| of the whole, as its certificate is; within limits, see scale_ratio.
  const double scale = problem.q.lpNorm<Eigen::Infinity>();
  const auto loosened = [&](const Problem& part) {
    const double part_scale = part.q.lpNorm<Eigen::Infinity>();
    return whole_is_small || !(part_scale > 0.0) ? 1.0 : std::clamp(scale / part_scale, 1.0, scale_ratio);
  };
  if (!small) small = std::make_unique<Implementation>();
  small->deadline = deadline;
  Index most_iterations = 0;
  double worst_residual = 0.0;
  Status status = Status::Solved;
  std::string_view solver;
  for (Index i = 0; i < islands.count(); ++i) {
    islands.extract(problem, i, result.r, island, island_result);
    Automatic own = options;
    own.tolerance *= loosened(island);
    if (island.W.rows() == 1) {
      solve_row(island, own.tolerance, island_result);
    } else if (internal::has_general_cones(island.K)) {
      internal::solve_cones(island, own, deadline, gauss_seidel, island_result);
    } else {
      const bool is_small = island.W.rows() <= options.dense_limit;
      island_result.status = Status::NotRun;
      if (!whole_is_small) {
        const Index limit = is_small ? std::min(max_sweeps(options), sweeps_before_pivoting) : max_sweeps(options);
        gauss_seidel.solve(island,
                           {.tolerance = own.tolerance, .max_sweeps = limit, .time_limit = deadline.remaining()},
                           island_result);
      }
      if (!island_result.ok() && is_small && !(island_result.status == Status::TimeLimit))
        small->solve_small(island, own, false, island_result);
    }
    if (i == 0) solver = island_result.solver;
    if (solver != island_result.solver) solver = name;
    most_iterations = std::max(most_iterations, island_result.iterations);
    worst_residual = std::max(worst_residual, island_result.certificate.residual / loosened(island));
    if (!island_result.ok() && status != Status::Infeasible) status = island_result.status;
    if (island_result.status == Status::Infeasible && island_result.proof.size() == island.W.rows()) {
      result.proof.setZero(problem.W.rows());
      islands.scatter(problem, i, island_result.proof, result.proof);
    }
    islands.scatter(problem, i, island_result.r, result.r);
  }
  result.solver = solver;
  result.iterations += most_iterations;
  result.certificate = certify(problem, result.r, result.u);
  result.certificate.residual = std::max(result.certificate.residual, worst_residual);
  internal::end(result, status,
                status == Status::Solved       ? "island by island"
                : status == Status::Infeasible ? "an island has no solution: see the proof"
                                               : "an island was not solved");
  return true;
}

/// All orthants: an LCP as it stands. True if that settles it.
bool Workspace::Implementation::solve_orthants(const Problem& problem, ConstMatrixRef W, const Limits& limits,
                                               bool same_matrix, Result& result) {
  const Index n = problem.W.rows();
  if (static_cast<Index>(solutions.size()) <= n) solutions.resize(static_cast<std::size_t>(n + 1));
  lcp::Result& solution = solutions[static_cast<std::size_t>(n)];
  solution.z = result.r;
  lcp.solve(lcp::View{W, problem.q}, limits, same_matrix, solution);
  result.iterations += solution.iterations;
  if (solution.status == Status::Infeasible) {
    result.r = solution.z;
    result.proof = solution.proof;
    result.certificate = certify(problem, result.r, result.u);
    internal::end(result, Status::Infeasible, solution.reason);
    return true;
  }
  if (!solution.ok() || !(solution.certificate.residual <= limits.tolerance)) return false;
  // On orthants the LCP's certificate is this family's, row by row, and its w is u: taken once.
  result.r = solution.z;
  result.u = solution.w;
  result.certificate = solution.certificate;
  if (result.certificate.error == 0.0) result.certificate.worst_row = -1;
  internal::end(result, Status::Solved, "by lcp::Workspace");
  return true;
}

void Workspace::Implementation::solve_small(const Problem& problem, const Automatic& options, bool same_matrix,
                                            Result& result) {
  const Index n = problem.W.rows();
  auto W = dense.matrix(n, n);
  const bool same = same_matrix && dense_rows == n;
  if (!same) {
    problem.W.to_dense(W);
    dense_rows = n;
    lcp_laid_out = false;
    active_set.invalidate();
  }
  internal::begin(problem, name, result);
  const double tolerance = options.tolerance;
  const Limits limits = limits_of(options);
  if (problem.K.all(SetKind::Orthant) && solve_orthants(problem, W, limits, same, result)) return;
  result.certificate = certify(problem, result.r, result.u);
  auto warm = start.vector(n);
  warm = result.r;

  const auto newton = [&] {
    const Index steps =
        options.max_iterations > 0 ? std::min(options.max_iterations, max_active_set_steps) : max_active_set_steps;
    if (!active_set.solve(problem, W, tolerance, steps, result)) return false;
    internal::end(result, Status::Solved, "by active-set steps");
    internal::confirm(problem, tolerance, result);
    if (!result.ok()) {
      result.status = Status::NotRun;
      return false;
    }
    result.solver = name;
    return true;
  };
  const auto pivot = [&] {
    equivalent_lcp.solve(problem, W, limits, lcp_laid_out, result);
    lcp_laid_out = true;
    if (result.status != Status::Solved && result.status != Status::Infeasible) return false;
    result.solver = name;
    if (result.status == Status::Infeasible) return true;
    // Pivoting leaves the round-off of its path: the modes it found give the answer that depends on them alone.
    auto pivoted = best.vector(n);
    pivoted = result.r;
    if (!newton()) {
      result.r = pivoted;
      result.certificate = certify(problem, result.r, result.u);
      internal::end(result, Status::Solved, "by the equivalent LCP");
    }
    return true;
  };

  if (newton()) return;
  const bool friction = problem.K.count(SetKind::Coulomb2D) > 0;
  result.r = warm;
  if (deadline.passed()) {
    result.certificate = certify(problem, result.r, result.u);
    return internal::end(result, Status::TimeLimit, "time_limit reached");
  }
  if (friction) {
    sweep(problem, tolerance, std::min(max_sweeps(options), sweeps_before_pivoting), result);
    const Status swept = result.status;
    warm = result.r;
    if (newton()) return;
    if (swept == Status::Solved) {
      result.r = warm;
      result.certificate = certify(problem, result.r, result.u);
      return internal::end(result, Status::Solved, "by Gauss-Seidel sweeps");
    }
    result.r = warm;
    result.status = Status::NotRun;
  }
  if (pivot()) return;
  result.r = warm;
  sweep(problem, tolerance, max_sweeps(options), result);
  if (result.ok()) return;
  const Status swept = result.status;
  const std::string_view reason = result.reason;
  warm = result.r;
  if (newton()) return;
  result.r = warm;
  result.certificate = certify(problem, result.r, result.u);
  internal::end(result, swept, reason);
}

void Workspace::Implementation::solve_large(const Problem& problem, const Automatic& options, Result& result) {
  dense_rows = 0;
  internal::begin(problem, name, result);
  const Index n = problem.W.rows();
  Index free = 0;
  for (Index b = 0; b < problem.K.num_blocks(); ++b)
    if (problem.K[b].kind == SetKind::Free) free += problem.K.size(b);
  if (free == n) {
    equivalent_lcp.solve_sparse(problem, limits_of(options), result);
    if (result.ok()) return internal::end(result, Status::Solved, "by a sparse LU");
    result.r.setZero();
  }
  if (problem.K.all(SetKind::Orthant)) {
    sweep(problem, options.tolerance, std::min(max_sweeps(options), sweeps_before_pivoting), result);
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
      result.solver = name;
      return internal::end(result, Status::Solved, "by the sparse LCP");
    }
    if (solution.status == Status::Infeasible) {
      result.solver = name;
      result.proof = solution.proof;
      return internal::end(result, Status::Infeasible, solution.reason);
    }
    result.r = swept;
  }
  sweep(problem, options.tolerance, max_sweeps(options), result);
  if (result.ok() || late(result) || free == 0 || free == n || n - free > options.dense_limit) return;
  const Status swept = result.status;
  const std::string_view reason = result.reason;
  auto warm = start.vector(n);
  warm = result.r;
  result.status = Status::NotRun;
  equivalent_lcp.solve_sparse(problem, limits_of(options), result);
  if (result.ok() || result.status == Status::Infeasible) {
    result.solver = name;
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

void Workspace::solve(const Problem& problem, const Automatic& options, bool same_matrix, Result& result) {
  const Index n = problem.W.rows();
  if (n == 1) {
    solve_row(problem, options.tolerance, result);
    return internal::confirm(problem, options.tolerance, result);
  }
  if (!implementation_) implementation_ = std::make_unique<Implementation>();
  if (!problem.K.is_canonical()) [[unlikely]] {
    return internal::solve_canonical(
        problem, implementation_->canonical, same_matrix, result,
        [&](const Problem& form, Result& found) { solve(form, options, same_matrix, found); });
  }
  if (n == 0) {
    internal::begin(problem, name, result);
    result.certificate = certify(problem, result.r, result.u);
    return internal::end(result, Status::Solved, "no rows");
  }
  implementation_->solve(problem, options, same_matrix, result);
  internal::confirm(problem, options.tolerance, result);
  // Eliminations and pivots round.
  if (result.status == Status::Infeasible && !internal::prove(problem, result.proof)) {
    result.proof.resize(0);
    internal::end(result, Status::Stalled, "no feasible point was found, nor a proof that there is none");
  }
}

void Workspace::Implementation::solve(const Problem& problem, const Automatic& options, bool same_matrix,
                                      Result& result) {
  deadline = detail::Deadline(options.time_limit);
  if (solve_by_islands(problem, options, same_matrix, result)) return;
  if (internal::has_general_cones(problem.K))
    internal::solve_cones(problem, options, deadline, gauss_seidel, result);
  else if (problem.W.rows() <= options.dense_limit)
    solve_small(problem, options, same_matrix, result);
  else
    solve_large(problem, options, result);
}

void Workspace::reset() noexcept {
  if (!implementation_) return;
  implementation_->dense_rows = 0;
  implementation_->islands_known = false;
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
