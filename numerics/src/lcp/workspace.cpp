// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/workspace.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/lcp/block_principal_pivoting.hpp>
#include <nonsmooth/numerics/lcp/fischer_burmeister.hpp>
#include <nonsmooth/numerics/lcp/interior_point.hpp>
#include <nonsmooth/numerics/lcp/lemke_howson.hpp>
#include <nonsmooth/numerics/lcp/min_newton.hpp>

#include "deadline.hpp"
#include "lemke_loop.hpp"
#include "linear_algebra/dense_kernels.hpp"
#include "portfolio.hpp"
#include "small_bases.hpp"

namespace nonsmooth::lcp {
namespace {

using detail::small_limit;

constexpr Index lemke_limit = 400;  // above, pivots one by one come last
constexpr Index large_basis = 200;  // rows; above, two bases are kept only: their factors are big
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
  /// The factors of M_aa, where n is larger than small_limit.
  struct Basis {
    std::vector<Index> rows;
    bool valid = false;
    detail::DenseLu lu;
  };

  static constexpr std::size_t kept = 8;  // circuits toggle among few bases
  Index n = -1;
  detail::SmallBases small;
  std::array<Basis, kept> large;
  std::size_t last = 0;  // the basis of the answer
  std::size_t next = 0;  // the slot to overwrite
  GrowingVector s;       // row scales of the certificate
  GrowingVector z, w, step;
  std::vector<Index> rows;
  detail::DenseLemke lemke;
  Index max_iterations = 0;  // of one algorithm; 0: its default
  nonsmooth::detail::Deadline deadline{std::numeric_limits<double>::infinity()};

  void forget() noexcept {
    last = next = 0;
    small.forget();
    for (Basis& basis : large) basis.valid = false;
  }

  bool evaluate(const View& problem, double tolerance, const Basis& basis, Result& result) {
    const Index k = static_cast<Index>(basis.rows.size());
    result.z.setZero();
    step.resize(n);
    for (Index i = 0; i < k; ++i) step[i] = -problem.q[basis.rows[static_cast<std::size_t>(i)]];
    for (int pass = 0; pass < 3; ++pass) {
      basis.lu.solve_in_place(step.head(k));
      for (Index i = 0; i < k; ++i) {
        double& zi = result.z[basis.rows[static_cast<std::size_t>(i)]];
        zi = std::max(0.0, zi + step[i]);
      }
      if (detail::right_to_round_off(problem, tolerance, result)) return true;
      if (!(result.certificate.residual <= 1e-3)) return false;  // not round-off: the basis is wrong
      for (Index i = 0; i < k; ++i) step[i] = -result.w[basis.rows[static_cast<std::size_t>(i)]];
    }
    return false;
  }

  bool try_rows(const View& problem, double tolerance, Result& result) {
    std::size_t slot = next;
    for (std::size_t k = 0; k < kept; ++k) {
      if (large[k].valid && large[k].rows == rows) slot = k;
    }
    Basis& basis = large[slot];
    if (slot == next) {
      basis.rows = rows;
      basis.valid = basis.lu.factorize_principal(problem.M, basis.rows);
      if (!basis.valid) return false;
    }
    if (!evaluate(problem, tolerance, basis, result)) return false;
    last = slot;
    if (slot == next) next = n > large_basis ? (next + 1) % 2 : (next + 1) % kept;
    return true;
  }

  bool reduced_rows(const Result& result) {
    rows.clear();
    for (const Index i : large[last].rows) {
      if (s[i] * result.z[i] > result.certificate.round_off) rows.push_back(i);
    }
    return rows.size() != large[last].rows.size();
  }

  void reduce(const View& problem, double tolerance, Result& result) {
    if (!reduced_rows(result)) return;
    const std::size_t before = last;
    if (!try_rows(problem, tolerance, result)) {
      evaluate(problem, tolerance, large[before], result);
      last = before;
    }
  }

  bool guess(const View& problem, double tolerance, bool same, Result& result) {
    if (!same) {
      for (Basis& basis : large) basis.valid = false;
      next = last;
    }
    rows_of(result.z);
    warm = !rows.empty();
    if (!warm || !try_rows(problem, tolerance, result)) return false;
    reduce(problem, tolerance, result);
    return true;
  }

  // ---- without a guess

  /// The basis in `rows` by the same operations as a guess.
  bool from_rows(const View& problem, double tolerance, Result& result) {
    if (n <= small_limit) {
      std::uint32_t key = 0;
      for (const Index i : rows) key |= 1U << i;
      return small.answer(problem, tolerance, key, s, result);
    }
    if (!try_rows(problem, tolerance, result)) return false;
    reduce(problem, tolerance, result);
    return true;
  }

  void rows_of(ConstVectorRef value) {
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if (value[i] > 0.0) rows.push_back(i);
    }
  }

  bool by_lemke(const View& problem, double tolerance, Result& result) {
    const detail::LemkeEnd end =
        lemke.run(problem, Eigen::VectorXd(), step_limit(pivots_per_row * n + 1000), refactor_every, true, deadline);
    result.solver = "lemke";
    result.iterations = lemke.state.pivots;
    if (end == detail::LemkeEnd::Complementary) {
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
    if (end == detail::LemkeEnd::Complementary) {
      const Certificate before = certify(problem, result.z, result.w);
      if (!lemke.polish(z) || !(certify(problem, z, w).residual < before.residual)) z = result.z;
      result.z = z;
    }
    detail::settle(problem, tolerance, end, lemke.state, lemke.D, result);
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

  /// Rows with the wrong sign change sides at once while their number drops.
  bool exchange_blocks(const View& problem, double tolerance, Result& result) {
    result.solver = "block principal pivoting";
    std::size_t fewest = static_cast<std::size_t>(n) + 1;
    Index patience = 3;
    for (Index k = 1; k <= step_limit(block_steps) && !rows.empty() && !deadline.passed(); ++k) {
      std::size_t slot = next;
      for (std::size_t e = 0; e < kept; ++e) {
        if (large[e].valid && large[e].rows == rows) slot = e;
      }
      Basis& basis = large[slot];
      if (slot == next) {
        basis.rows = rows;
        basis.valid = basis.lu.factorize_principal(problem.M, rows);
        if (!basis.valid) return false;
      }
      const std::size_t wrong = neighbour(problem, basis);
      result.iterations = k;
      if (wrong == 0) {
        rows = basis.rows;
        return from_rows(problem, tolerance, result);
      }
      if (wrong < fewest) {
        fewest = wrong;
      } else if (--patience == 0) {
        return false;
      }
    }
    return false;
  }

  /// z and w of the basis; its rows with the wrong ones exchanged into `rows`. The number of wrong ones.
  std::size_t neighbour(const View& problem, const Basis& basis) {
    const Index k = static_cast<Index>(basis.rows.size());
    step.resize(n);
    for (Index i = 0; i < k; ++i) step[i] = -problem.q[basis.rows[static_cast<std::size_t>(i)]];
    basis.lu.solve_in_place(step.head(k));
    z.setZero(n);
    w = problem.q;
    for (Index i = 0; i < k; ++i) {
      const Index j = basis.rows[static_cast<std::size_t>(i)];
      z[j] = step[i];
      nonsmooth::detail::subtract_scaled(n, -step[i], problem.M.data() + j * problem.M.outerStride(), w.data());
    }
    // A value whose sign is round-off counts as zero.
    const double zero = -64.0 * eps * std::max(problem.q.cwiseAbs().maxCoeff(), (w - problem.q).cwiseAbs().maxCoeff());
    std::size_t wrong = 0;
    std::size_t at = 0;
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      const bool basic = at < basis.rows.size() && basis.rows[at] == i;
      if (basic) ++at;
      const bool bad = (basic ? s[i] * z[i] : w[i]) < zero;
      if (bad) ++wrong;
      if (basic != bad) rows.push_back(i);
    }
    return wrong;
  }

  [[nodiscard]] Index step_limit(Index usual) const { return max_iterations > 0 ? max_iterations : usual; }

  void solve_afresh(const View& problem, double tolerance, Result& result) {
    const Limits limits{tolerance, max_iterations};
    nonsmooth::detail::Portfolio<Result> portfolio(limits, deadline, result);
    const auto nothing_yet = [&] { result.status = Status::NotRun, result.certificate = Certificate(); };
    // Another algorithm on a copy.
    const auto ends = [&]<class Options>(const Options& options, Index Options::*count, Index usual) {
      return !deadline.passed() && portfolio.ends(nonsmooth::lcp::solve(Problem{problem.M, problem.q},
                                                                        portfolio.within(options, count, usual)));
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
      reserved = 0;
      z.resize(n);
      w.resize(n);
    } else if (n > small_limit && reserved < n) {
      reserve();
    }
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

  /// On the second call of a size: a workspace that is used once needs one basis only.
  void reserve() {
    for (std::size_t k = 0; k < (n > large_basis ? 2 : kept); ++k) {
      large[k].rows.reserve(static_cast<std::size_t>(n));
      large[k].lu.reserve(n);
    }
    reserved = n;
  }

  Index reserved = 0;
  bool stale = true;
  bool warm = false;  // result.z came in with a guess
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
