// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/workspace.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "lemke_loop.hpp"

namespace nonsmooth::lcp {
namespace {

constexpr Index small_limit = 8;    // up to here a basis is kept as one explicit n x n matrix
constexpr Index lemke_limit = 200;  // above, block principal pivoting comes first
constexpr Index pivots_per_row = 50;

}  // namespace

/// The guess is the basis of the z that comes in, never one remembered here; what is kept are factors, and every answer
/// of a basis is computed by the same operations whether it was guessed or pivoted to. So the bits depend on the
/// arguments alone, also where the solution is not unique.
struct Workspace::Implementation {
  /// n <= small_limit: C with (z_a, w_b) = C q, all else zero (the principal pivot transform), column-major, stride 8.
  struct SmallBasis {
    std::uint32_t key = 0;
    bool valid = false;
    std::array<double, small_limit * small_limit> C{};
  };
  /// Larger n: the factors of M_aa.
  struct Basis {
    std::vector<Index> rows;
    bool valid = false;
    detail::DenseLu lu;
  };

  static constexpr std::size_t kept = 8;  // circuits toggle among few bases
  Index n = -1;
  std::array<SmallBasis, kept> small;
  std::array<Basis, kept> large;
  std::size_t last = 0;  // the basis of the answer
  std::size_t next = 0;  // the slot to overwrite
  GrowingVector s;       // row scales of the certificate
  GrowingVector z, w, step;
  std::vector<Index> rows;
  detail::DenseLemke lemke;
  Result other;  // of a fallback

  void forget() noexcept {
    last = next = 0;
    for (SmallBasis& basis : small) basis.valid = false;
    for (Basis& basis : large) basis.valid = false;
  }

  /// Certifies result.z. True if it is right to round-off.
  bool certified(const View& problem, double tolerance, Result& result) const {
    result.certificate = certify(problem, result.z, result.w);
    return result.certificate.error <= result.certificate.round_off &&
           detail::within(problem, tolerance, result.z, result.certificate);
  }

  // ---- n <= small_limit

  bool factorize(const View& problem, std::uint32_t key, SmallBasis& basis) {
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if ((key >> i) & 1U) rows.push_back(i);
    }
    basis.valid = false;
    basis.key = key;
    const Index k = static_cast<Index>(rows.size());
    // Gauss-Jordan with row pivoting on the k x 2k array [M_aa, I].
    std::array<double, 2 * small_limit * small_limit> t;
    const auto at = [&t](Index i, Index j) -> double& { return t[static_cast<std::size_t>(j * small_limit + i)]; };
    for (Index j = 0; j < k; ++j) {
      for (Index i = 0; i < k; ++i) {
        at(i, j) = problem.M(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
        at(i, j + k) = i == j ? 1.0 : 0.0;
      }
    }
    for (Index c = 0; c < k; ++c) {
      double column_largest = 0.0;
      for (Index i = 0; i < k; ++i) {
        column_largest = std::max(
            column_largest, std::abs(problem.M(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(c)])));
      }
      Index pivot = c;
      for (Index i = c + 1; i < k; ++i) {
        if (std::abs(at(i, c)) > std::abs(at(pivot, c))) pivot = i;
      }
      // Elimination leaves about k eps of the column's largest entry where the exact pivot is zero.
      if (!(std::abs(at(pivot, c)) > static_cast<double>(k) * detail::eps * column_largest)) return false;
      if (pivot != c) {
        for (Index j = c; j < 2 * k; ++j) std::swap(at(c, j), at(pivot, j));
      }
      const double inverse = 1.0 / at(c, c);
      for (Index j = c; j < 2 * k; ++j) at(c, j) *= inverse;
      for (Index i = 0; i < k; ++i) {
        const double factor = at(i, c);
        if (i == c || factor == 0.0) continue;
        for (Index j = c; j < 2 * k; ++j) at(i, j) -= factor * at(c, j);
      }
    }
    basis.C.fill(0.0);
    const auto C = [&basis](Index i, Index j) -> double& {
      return basis.C[static_cast<std::size_t>(j * small_limit + i)];
    };
    for (Index i = 0; i < n; ++i) {
      if (!((key >> i) & 1U)) C(i, i) = 1.0;
    }
    for (Index j = 0; j < k; ++j) {
      const Index column = rows[static_cast<std::size_t>(j)];
      for (Index i = 0; i < k; ++i) C(rows[static_cast<std::size_t>(i)], column) = -at(i, j + k);
      for (Index i = 0; i < n; ++i) {
        if ((key >> i) & 1U) continue;
        double sum = 0.0;
        for (Index l = 0; l < k; ++l) sum -= problem.M(i, rows[static_cast<std::size_t>(l)]) * at(l, j + k);
        C(i, column) = sum;
      }
    }
    basis.valid = true;
    return true;
  }

  /// The answer of the basis into result.z. With `quick`, gives up early where a sign is clearly wrong.
  bool evaluate(const View& problem, double tolerance, const SmallBasis& basis, bool quick, Result& result) const {
    std::array<double, small_limit> v;
    for (Index i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = 0.0;
    double q_norm = 0.0;
    for (Index j = 0; j < n; ++j) {
      const double qj = problem.q[j];
      q_norm = std::max(q_norm, std::abs(qj));
      const double* const column = &basis.C[static_cast<std::size_t>(j * small_limit)];
      for (Index i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] += column[i] * qj;
    }
    if (quick) {
      const double wrong = -1e-6 * q_norm;  // far above round-off: nothing that could be accepted is lost
      for (Index i = 0; i < n; ++i) {
        const double value = v[static_cast<std::size_t>(i)];
        if (value < 0.0 && (((basis.key >> i) & 1U) ? s[i] * value : value) < wrong) return false;
      }
    }
    for (Index i = 0; i < n; ++i) {
      const double value = v[static_cast<std::size_t>(i)];
      result.z[i] = ((basis.key >> i) & 1U) && !(value < 0.0) ? value : 0.0;
    }
    if (certified(problem, tolerance, result)) return true;
    // One refinement: z_a := z_a - M_aa^-1 w_a.
    for (Index i = 0; i < n; ++i) {
      if (!((basis.key >> i) & 1U)) continue;
      double value = result.z[i];
      for (Index j = 0; j < n; ++j) {
        if ((basis.key >> j) & 1U) value += basis.C[static_cast<std::size_t>(j * small_limit + i)] * result.w[j];
      }
      v[static_cast<std::size_t>(i)] = value;
    }
    for (Index i = 0; i < n; ++i) {
      if ((basis.key >> i) & 1U) result.z[i] = std::max(0.0, v[static_cast<std::size_t>(i)]);
    }
    return certified(problem, tolerance, result);
  }

  std::size_t find(std::uint32_t key) const {
    for (std::size_t k = 0; k < kept; ++k) {
      if (small[k].valid && small[k].key == key) return k;
    }
    return kept;
  }

  bool try_key(const View& problem, double tolerance, std::uint32_t key, Result& result) {
    std::size_t slot = find(key);
    if (slot == kept) {
      slot = next;
      if (!factorize(problem, key, small[slot])) return false;
    }
    if (!evaluate(problem, tolerance, small[slot], false, result)) {
      small[slot].valid = slot != next && small[slot].valid;  // a slot just filled is given back
      return false;
    }
    accept(slot);
    return true;
  }

  void accept(std::size_t slot) {
    last = slot;
    if (slot == next) next = (next + 1) % kept;
  }

  /// Degenerate rows (z_i at round-off) leave the basis, so that the answer does not depend on which of the equivalent
  /// bases was met first.
  void reduce_small(const View& problem, double tolerance, Result& result) {
    const std::uint32_t key = small[last].key;
    std::uint32_t reduced = key;
    for (Index i = 0; i < n; ++i) {
      if (((key >> i) & 1U) && s[i] * result.z[i] <= result.certificate.round_off) reduced &= ~(1U << i);
    }
    if (reduced == key) return;
    const std::size_t before = last;
    if (!try_key(problem, tolerance, reduced, result)) {
      evaluate(problem, tolerance, small[before], false, result);
      last = before;
    }
  }

  /// The basis that result.z came in with: where z_i > 0.
  bool guess_small(const View& problem, double tolerance, bool same, Result& result) {
    std::uint32_t key = 0;
    for (Index i = 0; i < n; ++i) {
      if (result.z[i] > 0.0) key |= 1U << i;
    }
    if (!same) {
      for (SmallBasis& basis : small) basis.valid = false;
      next = last;  // the memory used last
    }
    if (key == 0) return false;  // z = 0 solves only q >= 0
    std::size_t slot = find(key);
    if (slot == kept) {
      slot = next;
      if (!factorize(problem, key, small[slot])) return false;
    }
    if (!evaluate(problem, tolerance, small[slot], true, result)) return false;
    accept(slot);
    reduce_small(problem, tolerance, result);
    return true;
  }

  // ---- larger n

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
      if (certified(problem, tolerance, result)) return true;
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
    // Factors of large bases are big: two slots are used, enough for a basis that toggles.
    if (slot == next) next = n > lemke_limit ? (next + 1) % 2 : (next + 1) % kept;
    return true;
  }

  bool reduced_rows(const Result& result) {
    rows.clear();
    for (const Index i : large[last].rows) {
      if (s[i] * result.z[i] > result.certificate.round_off) rows.push_back(i);
    }
    return rows.size() != large[last].rows.size();
  }

  void reduce_large(const View& problem, double tolerance, Result& result) {
    if (!reduced_rows(result)) return;
    const std::size_t before = last;
    if (!try_rows(problem, tolerance, result)) {
      evaluate(problem, tolerance, large[before], result);
      last = before;
    }
  }

  bool guess_large(const View& problem, double tolerance, bool same, Result& result) {
    if (!same) {
      for (Basis& basis : large) basis.valid = false;
      next = last;
    }
    rows_of(result.z);
    if (rows.empty() || !try_rows(problem, tolerance, result)) return false;
    reduce_large(problem, tolerance, result);
    return true;
  }

  // ---- without a guess

  /// The basis in `rows` by the same operations as a guess.
  bool from_rows(const View& problem, double tolerance, Result& result) {
    if (n <= small_limit) {
      std::uint32_t key = 0;
      for (const Index i : rows) key |= 1U << i;
      if (!try_key(problem, tolerance, key, result)) return false;
      reduce_small(problem, tolerance, result);
      return true;
    }
    if (!try_rows(problem, tolerance, result)) return false;
    reduce_large(problem, tolerance, result);
    return true;
  }

  void rows_of(ConstVectorRef value) {
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if (value[i] > 0.0) rows.push_back(i);
    }
  }

  bool by_lemke(const View& problem, double tolerance, Result& result) {
    const detail::LemkeEnd end = lemke.run(problem, Eigen::VectorXd(), pivots_per_row * n + 1000, pivots_per_row, true);
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

  /// Every complementary basis, for the problems too small to deserve better.
  bool by_enumeration(const View& problem, double tolerance, Result& result) {
    for (std::uint32_t key = 0; key < (1U << n); ++key) {
      if (!try_key(problem, tolerance, key, result)) continue;
      reduce_small(problem, tolerance, result);
      result.solver = "enumeration";
      result.iterations = static_cast<Index>(key) + 1;
      return true;
    }
    return false;
  }

  bool by_block_pivoting(const View& problem, double tolerance, Result& result) {
    other.z.resize(0);
    detail::block_principal_pivoting(problem, tolerance, other);
    rows_of(other.z);
    result.solver = other.solver;
    result.iterations = other.iterations;
    if (other.status != Status::Solved) return false;
    if (from_rows(problem, tolerance, result)) return true;
    result = other;
    return true;
  }

  void solve_afresh(const View& problem, double tolerance, Result& result) {
    if (n > lemke_limit && by_block_pivoting(problem, tolerance, result)) return solved(result);
    if (by_lemke(problem, tolerance, result)) return;
    if (n <= small_limit) {
      other = result;
      if (by_enumeration(problem, tolerance, result)) return solved(result);
      result = other;
      return;
    }
    other = Result();
    detail::fischer_burmeister(problem, tolerance, other);
    if (other.status == Status::Solved || other.certificate.residual < result.certificate.residual) {
      result = other;
    }
  }

  static void solved(Result& result) {
    result.status = Status::Solved;
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
      c.round_off = 64.0 * detail::eps * (product + std::abs(q));
      c.scale = std::abs(q);
      c.residual = c.error / c.scale;
      c.worst_row = 0;
      if (c.residual <= tolerance) return solved(result);
    }
    detail::conclude(problem, tolerance, result, Status::Stalled, "no solution, and no proof of it");
    Eigen::VectorXd y = Eigen::VectorXd::Ones(1);
    if (result.status != Status::Solved && proves_infeasible(problem, y)) {
      result.status = Status::Infeasible;
      result.reason = "w = M z + q is negative for every z >= 0";
      result.proof = y;
    }
  }

  void solve(const View& problem, double tolerance, bool same, Result& result) {
    const Index size = problem.q.size();
    if (size != n) {
      forget();
      n = size;
      same = false;
      s.resize(n);
      z.resize(n);
      w.resize(n);
    }
    if (result.z.size() != n) result.z.setZero(n);
    if (result.w.size() != n) result.w.resize(n);
    if (result.proof.size() != 0) result.proof.resize(0);
    result.iterations = 0;

    double least = problem.q[0];
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
      result.certificate.error = result.certificate.residual = 0.0;
      result.certificate.round_off = 64.0 * detail::eps * largest;
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
    const bool hit = n <= small_limit ? guess_small(problem, tolerance, same, result)
                                      : guess_large(problem, tolerance, same, result);
    if (hit) return solved(result);
    result.certificate = Certificate();
    solve_afresh(problem, tolerance, result);
  }

  bool stale = true;
};

Workspace::Workspace() : implementation_(std::make_unique<Implementation>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

void Workspace::solve(const View& problem, double tolerance, bool same_matrix, Result& result) {
  implementation_->solve(problem, tolerance, same_matrix, result);
}

void Workspace::reset() noexcept {
  implementation_->forget();
  implementation_->stale = true;
}

}  // namespace nonsmooth::lcp
