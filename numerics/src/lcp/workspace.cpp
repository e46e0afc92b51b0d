// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <internal/deadline.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/lcp/block_principal_pivoting.hpp>
#include <nonsmooth/numerics/lcp/fischer_burmeister.hpp>
#include <nonsmooth/numerics/lcp/interior_point.hpp>
#include <nonsmooth/numerics/lcp/lemke_howson.hpp>
#include <nonsmooth/numerics/lcp/min_newton.hpp>

#include "large_bases.hpp"
#include "lemke_loop.hpp"
#include "portfolio.hpp"
#include "small_bases.hpp"

namespace nonsmooth::lcp {
namespace {

using detail::small_limit;

constexpr Index lemke_limit = 400;  // above, pivots one by one come last
constexpr Index sweeps = 24;        // for the first basis without a guess
constexpr Index small_sweeps = 6;   // the same up to small_limit rows, where a pivot costs less than a sweep
constexpr Index block_steps = 12;   // factorizations spent on a block search before another algorithm is tried
constexpr Index pivots_per_row = 50;
constexpr Index refactor_every = 50;

}  // namespace

/// The guess is the basis of the z that comes in, never one remembered here; what is kept are factors, and every answer
/// of a basis is computed by the same operations whether it was guessed or pivoted to. So the bits depend on the
/// arguments alone, also where the solution is not unique.
struct Workspace::Implementation {
  Index n = -1;
  detail::SmallBases small;
  detail::LargeBases large;
  GrowingVector s;  // row scales of the certificate
  GrowingVector z, w;
  std::vector<Index> rows;
  detail::DenseLemke lemke;
  Index max_iterations = 0;  // of one algorithm; 0: its default
  nonsmooth::detail::Deadline deadline{std::numeric_limits<double>::infinity()};

  void forget() noexcept {
    small.forget();
    large.forget();
  }

  bool guess(const View& problem, double tolerance, bool same, Result& result) {
    if (!same) large.change_matrix();
    rows_of(result.z);
    warm = !rows.empty();
    return warm && large.answer(problem, tolerance, rows, s, result);
  }

  // ---- without a guess

  /// The basis in `rows` by the same operations as a guess.
  bool from_rows(const View& problem, double tolerance, Result& result) {
    if (n <= small_limit) {
      std::uint32_t key = 0;
      for (const Index i : rows) key |= 1U << i;
      return small.answer(problem, tolerance, key, s, result);
    }
    return large.answer(problem, tolerance, rows, s, result);
  }

  void rows_of(ConstVectorRef value) {
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if (value[i] > 0.0) rows.push_back(i);
    }
  }

  bool by_lemke(const View& problem, double tolerance, Result& result) {
    const detail::PivotEnd end =
        lemke.run(problem, Eigen::VectorXd(), step_limit(pivots_per_row * n + 1000), refactor_every, true, deadline);
    result.solver = "lemke";
    result.iterations = lemke.state.pivots;
    if (end == detail::PivotEnd::Complementary) {
      rows.clear();
      for (const Index variable : lemke.state.basic) {
        if (variable >= n && variable < 2 * n) rows.push_back(variable - n);
      }
      std::sort(rows.begin(), rows.end());
      if (from_rows(problem, tolerance, result)) {
        solved(result);
        return true;
      }
    }
    lemke.extract(result.z);
    if (end == detail::PivotEnd::Complementary) {
      const Certificate before = certify(problem, result.z, result.w);
      if (!lemke.polish(z) || !(certify(problem, z, w).residual < before.residual)) z = result.z;
      result.z = z;
    }
    detail::conclude_run(problem, tolerance, end, lemke.state, lemke.D, result);
    return result.status == Status::Solved || result.status == Status::Infeasible;
  }

  /// From the guess, if there was one, else from a basis that projected sweeps find.
  bool by_blocks(const View& problem, double tolerance, Result& result) {
    if (n > small_limit && warm && exchange_blocks(problem, tolerance, result)) return true;
    if (!detail::guess_basis(problem, n <= small_limit ? small_sweeps : sweeps, z, w, rows)) return false;
    result.solver = "block principal pivoting";
    if (n <= small_limit) {
      result.iterations = 1;
      return !rows.empty() && from_rows(problem, tolerance, result);
    }
    return exchange_blocks(problem, tolerance, result);
  }

  bool exchange_blocks(const View& problem, double tolerance, Result& result) {
    result.solver = "block principal pivoting";
    return large.exchange(problem, tolerance, step_limit(block_steps), deadline, rows, s, z, w, result);
  }

  [[nodiscard]] Index step_limit(Index usual) const { return max_iterations > 0 ? max_iterations : usual; }

  void solve_afresh(const View& problem, double tolerance, Result& result) {
    const Limits limits{tolerance, max_iterations};
    nonsmooth::detail::Portfolio<Result> portfolio(limits, deadline, result);
    const auto nothing_yet = [&] { result.status = Status::NotRun, result.certificate = Certificate(); };
    // Another algorithm on a copy; `most`: of a short try.
    const auto ends = [&]<class Options>(const Options& options, Index Options::*count, Index most) {
      return !deadline.passed() && portfolio.ends(nonsmooth::lcp::solve(Problem{problem.M, problem.q},
                                                                        portfolio.briefly(options, count, most)));
    };
    if (detail::game_split(problem)) {
      nothing_yet();
      if (ends(LemkeHowson{}, &LemkeHowson::max_pivots, 0)) return;
    }
    if (by_blocks(problem, tolerance, result)) return solved(result);
    nothing_yet();
    if (n <= lemke_limit && by_lemke(problem, tolerance, result)) return;
    if (n <= small_limit) {
      const Result before = result;
      if (small.enumerate(problem, tolerance, s, result)) return solved(result);
      result = before;
    }
    const auto pivoting = [&] {
      return ends(BlockPrincipalPivoting{}, &BlockPrincipalPivoting::max_steps, 4 * block_steps);
    };
    const auto interior = [&] { return ends(InteriorPoint{}, &InteriorPoint::max_steps, 0); };
    const auto newton = [&] {
      return ends(MinNewton{}, &MinNewton::max_steps, 0) || ends(FischerBurmeister{}, &FischerBurmeister::max_steps, 0);
    };
    if (n > lemke_limit) {
      if (pivoting() || interior()) return;
      const Result before = result;
      if (by_lemke(problem, tolerance, result)) return;
      if (nonsmooth::detail::is_better(before.certificate.residual, result.certificate.residual)) result = before;
      if (newton()) return;
    } else if (newton() || interior() || pivoting()) {
      return;
    }
    detail::end_open(problem, limits, deadline, result);
  }

  static void solved(Result& result) {
    result.status = Status::Solved;
    result.at_round_off = false;
    result.reason = "the certificate is at or below the tolerance";
  }

  void solve_one(const View& problem, double tolerance, Result& result) {
    const double m = problem.M(0, 0);
    const double q = problem.q[0];
    result.solver = "closed form";
    result.z[0] = m > 0.0 ? -q / m : 0.0;
    if (m > 0.0 && std::isfinite(result.z[0])) {
      // w is zero but for one rounding; the certificate of one row in closed form.
      const double product = m * result.z[0];
      const double value = product + q;
      Certificate& c = result.certificate;
      result.w[0] = value;
      c.error = std::abs(product < value ? product : value);
      c.round_off = 64.0 * eps * (product + std::abs(q));
      c.scale = std::abs(q);
      c.residual = c.error / c.scale;
      c.worst_row = 0;
      c.row_residual = c.error / (product + std::abs(q));
      c.worst_relative_row = c.error == 0.0 ? -1 : 0;
      if (c.residual <= tolerance) return solved(result);
    }
    detail::conclude(problem, tolerance, result, Status::Stalled, "no solution, and no proof of it");
    Eigen::VectorXd y = Eigen::VectorXd::Ones(1);
    if (result.status != Status::Solved && proves_infeasible(problem, y)) {
      nonsmooth::detail::end_infeasible("w = M z + q is negative for every z >= 0", y, result);
    }
  }

  void solve(const View& problem, double tolerance, bool same, Result& result) {
    const Index size = problem.q.size();
    if (size != n) {
      forget();
      n = size;
      same = false;
      s.resize(n);
      rows.reserve(static_cast<std::size_t>(n));
      z.resize(n);
      w.resize(n);
    }
    if (used && n > small_limit) large.reserve(n);
    used = true;
    if (result.z.size() != n) result.z.setZero(n);
    if (result.w.size() != n) result.w.resize(n);
    if (result.proof.size() != 0) result.proof.resize(0);
    result.iterations = 0;

    double least = n > 0 ? problem.q[0] : 0.0;
    double largest = std::abs(least);
    for (Index i = 1; i < n; ++i) {
      const double value = problem.q[i];
      if (!(value >= least)) least = value;
      if (!(std::abs(value) <= largest)) largest = std::abs(value);
    }
    if (least >= 0.0) {  // z = 0; its certificate needs no product
      for (Index i = 0; i < n; ++i) {
        result.z[i] = 0.0;
        result.w[i] = problem.q[i];
      }
      result.solver = "zero";
      result.certificate = Certificate();
      result.certificate.error = result.certificate.residual = result.certificate.row_residual = 0.0;
      result.certificate.round_off = 64.0 * eps * largest;
      result.certificate.scale = largest;
      result.certificate.worst_row = 0;
      if (!same) stale = true;  // the bases kept are those of another matrix
      return solved(result);
    }
    if (n == 1) return solve_one(problem, tolerance, result);
    same = same && !stale;
    stale = false;
    if (!same) detail::row_scales(problem, s);
    result.solver = "given basis";
    const bool hit =
        n <= small_limit ? small.guess(problem, tolerance, same, s, result) : guess(problem, tolerance, same, result);
    if (hit) return solved(result);
    solve_afresh(problem, tolerance, result);
  }

  bool stale = true;
  bool warm = false;  // result.z came in with a guess
  bool used = false;  // once before: a workspace that is used once needs one basis only
};

Workspace::Workspace() : implementation_(std::make_unique<Implementation>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

void Workspace::solve(const View& problem, double tolerance, bool same_matrix, Result& result) {
  solve(problem, Limits{.tolerance = tolerance}, same_matrix, result);
}

void Workspace::solve(const View& problem, const Limits& limits, bool same_matrix, Result& result) {
  implementation_->max_iterations = limits.max_iterations;
  implementation_->deadline = nonsmooth::detail::Deadline(limits.time_limit);
  implementation_->solve(problem, limits.tolerance, same_matrix, result);
  detail::tell_round_off(result);
}

void Workspace::reset() noexcept {
  implementation_->forget();
  implementation_->stale = true;
}

}  // namespace nonsmooth::lcp
