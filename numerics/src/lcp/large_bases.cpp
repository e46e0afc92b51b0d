// SPDX-License-Identifier: Apache-2.0
#include "large_bases.hpp"

#include <algorithm>

#include "linear_algebra/dense_kernels.hpp"

namespace nonsmooth::lcp::detail {

void LargeBases::forget() noexcept {
  last_ = next_ = 0;
  for (Basis& basis : bases_) basis.valid = false;
}

void LargeBases::reserve(Index n) {
  Index& reserved = n > big ? reserved_big_ : reserved_;
  if (reserved >= n) return;
  for (std::size_t k = 0; k < (n > big ? kept_big : kept); ++k) {
    bases_[k].rows.reserve(static_cast<std::size_t>(n));
    bases_[k].lu.reserve(n);
  }
  reserved = n;
}

void LargeBases::change_matrix() noexcept {
  for (Basis& basis : bases_) basis.valid = false;
  next_ = last_;
}

std::size_t LargeBases::factored(const View& problem, const std::vector<Index>& rows) {
  std::size_t slot = next_;
  for (std::size_t k = 0; k < kept; ++k) {
    if (bases_[k].valid && bases_[k].rows == rows) slot = k;
  }
  Basis& basis = bases_[slot];
  if (slot == next_) {
    basis.rows = rows;
    basis.valid = basis.lu.factorize_principal(problem.M, basis.rows);
    if (!basis.valid) return kept;
  }
  return slot;
}

bool LargeBases::evaluate(const View& problem, double tolerance, const Basis& basis, Result& result) {
  const Index k = static_cast<Index>(basis.rows.size());
  result.z.setZero();
  step_.resize(problem.q.size());
  for (Index i = 0; i < k; ++i) step_[i] = -problem.q[basis.rows[static_cast<std::size_t>(i)]];
  for (int pass = 0; pass < 3; ++pass) {
    basis.lu.solve_in_place(step_.head(k));
    for (Index i = 0; i < k; ++i) {
      double& zi = result.z[basis.rows[static_cast<std::size_t>(i)]];
      zi = std::max(0.0, zi + step_[i]);
    }
    if (right_to_round_off(problem, tolerance, result)) return true;
    if (!(result.certificate.residual <= 1e-3)) return false;  // not round-off: the basis is wrong
    for (Index i = 0; i < k; ++i) step_[i] = -result.w[basis.rows[static_cast<std::size_t>(i)]];
  }
  return false;
}

bool LargeBases::try_rows(const View& problem, double tolerance, const std::vector<Index>& rows, Result& result) {
  const std::size_t slot = factored(problem, rows);
  if (slot == kept || !evaluate(problem, tolerance, bases_[slot], result)) return false;
  last_ = slot;
  if (slot == next_) next_ = (next_ + 1) % (problem.q.size() > big ? kept_big : kept);
  return true;
}

bool LargeBases::answer(const View& problem, double tolerance, std::vector<Index>& rows, ConstVectorRef s,
                        Result& result) {
  if (!try_rows(problem, tolerance, rows, result)) return false;
  const std::size_t before = last_;
  rows.clear();
  for (const Index i : bases_[before].rows) {
    if (s[i] * result.z[i] > result.certificate.round_off) rows.push_back(i);
  }
  if (rows.size() == bases_[before].rows.size() || try_rows(problem, tolerance, rows, result)) return true;
  evaluate(problem, tolerance, bases_[before], result);
  last_ = before;
  return true;
}

bool LargeBases::exchange(const View& problem, double tolerance, Index steps,
                          const nonsmooth::detail::Deadline& deadline, std::vector<Index>& rows, ConstVectorRef s,
                          GrowingVector& z, GrowingVector& w, Result& result) {
  std::size_t fewest = rows.max_size();
  Index patience = 3;
  for (Index k = 1; k <= steps && !rows.empty() && !deadline.passed(); ++k) {
    const std::size_t slot = factored(problem, rows);
    if (slot == kept) return false;
    const std::size_t wrong = neighbour(problem, bases_[slot], s, rows, z, w);
    result.iterations = k;
    if (wrong == 0) {
      rows = bases_[slot].rows;
      return answer(problem, tolerance, rows, s, result);
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
std::size_t LargeBases::neighbour(const View& problem, const Basis& basis, ConstVectorRef s, std::vector<Index>& rows,
                                  GrowingVector& z, GrowingVector& w) {
  const Index n = problem.q.size(), k = static_cast<Index>(basis.rows.size());
  step_.resize(n);
  for (Index i = 0; i < k; ++i) step_[i] = -problem.q[basis.rows[static_cast<std::size_t>(i)]];
  basis.lu.solve_in_place(step_.head(k));
  z.setZero(n);
  w = problem.q;
  for (Index i = 0; i < k; ++i) {
    const Index j = basis.rows[static_cast<std::size_t>(i)];
    z[j] = step_[i];
    nonsmooth::detail::subtract_scaled(n, -step_[i], problem.M.data() + j * problem.M.outerStride(), w.data());
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

}  // namespace nonsmooth::lcp::detail
