// SPDX-License-Identifier: Apache-2.0
#include "small_bases.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nonsmooth::lcp::detail {
namespace {

constexpr Index exchanges = 4;  // bases tried from a guess

/// The answer of the basis into result.z. With `wrong`, gives up where signs are clearly wrong and says in which rows;
/// that alone needs the row scales s.
bool evaluate(const View& problem, double tolerance, const SmallBasis& basis, const double* s, std::uint32_t* wrong,
              Result& result) {
  const Index n = problem.q.size();
  std::array<double, small_limit> v;
  for (Index i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = 0.0;
  double q_norm = 0.0;
  for (Index j = 0; j < n; ++j) {
    const double qj = problem.q[j];
    q_norm = std::max(q_norm, std::abs(qj));
    const double* const column = &basis.C[static_cast<std::size_t>(j * small_limit)];
    for (Index i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] += column[i] * qj;
  }
  if (wrong != nullptr) {
    const double limit = -1e-6 * q_norm;  // far above round-off: nothing that could be accepted is lost
    for (Index i = 0; i < n; ++i) {
      const double value = v[static_cast<std::size_t>(i)];
      if (value < 0.0 && (((basis.key >> i) & 1U) ? s[i] * value : value) < limit) *wrong |= 1U << i;
    }
    if (*wrong != 0) return false;
  }
  for (Index i = 0; i < n; ++i) {
    const double value = v[static_cast<std::size_t>(i)];
    result.z[i] = ((basis.key >> i) & 1U) && !(value < 0.0) ? value : 0.0;
  }
  if (right_to_round_off(problem, tolerance, result)) return true;
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
  return right_to_round_off(problem, tolerance, result);
}

}  // namespace

bool SmallBasis::factorize(const View& problem, std::uint32_t new_key) {
  const Index n = problem.q.size();
  std::array<Index, small_limit> rows;  // a
  Index k = 0;
  for (Index i = 0; i < n; ++i) {
    if ((new_key >> i) & 1U) rows[static_cast<std::size_t>(k++)] = i;
  }
  valid = false;
  key = new_key;
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
    if (!(std::abs(at(pivot, c)) > static_cast<double>(k) * eps * column_largest)) return false;
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
  C.fill(0.0);
  const auto entry = [this](Index i, Index j) -> double& { return C[static_cast<std::size_t>(j * small_limit + i)]; };
  for (Index i = 0; i < n; ++i) {
    if (!((key >> i) & 1U)) entry(i, i) = 1.0;
  }
  for (Index j = 0; j < k; ++j) {
    const Index column = rows[static_cast<std::size_t>(j)];
    for (Index i = 0; i < k; ++i) entry(rows[static_cast<std::size_t>(i)], column) = -at(i, j + k);
    for (Index i = 0; i < n; ++i) {
      if ((key >> i) & 1U) continue;
      double sum = 0.0;
      for (Index l = 0; l < k; ++l) sum -= problem.M(i, rows[static_cast<std::size_t>(l)]) * at(l, j + k);
      entry(i, column) = sum;
    }
  }
  valid = true;
  return true;
}

void SmallBases::forget() noexcept {
  last_ = next_ = 0;
  for (SmallBasis& basis : bases_) basis.valid = false;
}

std::size_t SmallBases::find(std::uint32_t key) const noexcept {
  for (std::size_t k = 0; k < kept; ++k) {
    if (bases_[k].valid && bases_[k].key == key) return k;
  }
  return kept;
}

bool SmallBases::try_key(const View& problem, double tolerance, std::uint32_t key, Result& result) {
  std::size_t slot = find(key);
  if (slot == kept) {
    slot = next_;
    if (!bases_[slot].factorize(problem, key)) return false;
  }
  if (!evaluate(problem, tolerance, bases_[slot], nullptr, nullptr, result)) {
    bases_[slot].valid = slot != next_ && bases_[slot].valid;  // a slot just filled is given back
    return false;
  }
  accept(slot);
  return true;
}

void SmallBases::accept(std::size_t slot) noexcept {
  last_ = slot;
  if (slot == next_) next_ = (next_ + 1) % kept;
}

void SmallBases::reduce(const View& problem, double tolerance, ConstVectorRef s, Result& result) {
  const std::uint32_t key = bases_[last_].key;
  std::uint32_t reduced = key;
  for (Index i = 0; i < problem.q.size(); ++i) {
    if (((key >> i) & 1U) && s[i] * result.z[i] <= result.certificate.round_off) reduced &= ~(1U << i);
  }
  if (reduced == key) return;
  const std::size_t before = last_;
  if (!try_key(problem, tolerance, reduced, result)) {
    evaluate(problem, tolerance, bases_[before], nullptr, nullptr, result);
    last_ = before;
  }
}

bool SmallBases::answer(const View& problem, double tolerance, std::uint32_t key, ConstVectorRef s, Result& result) {
  if (!try_key(problem, tolerance, key, result)) return false;
  reduce(problem, tolerance, s, result);
  return true;
}

bool SmallBases::guess(const View& problem, double tolerance, bool same_matrix, ConstVectorRef s, Result& result) {
  std::uint32_t key = 0;
  for (Index i = 0; i < problem.q.size(); ++i) {
    if (result.z[i] > 0.0) key |= 1U << i;
  }
  if (!same_matrix) {
    for (SmallBasis& basis : bases_) basis.valid = false;
    next_ = last_;  // the memory used last
  }
  for (Index exchange = 0; exchange < exchanges; ++exchange) {
    std::size_t slot = find(key);
    if (slot == kept) {
      slot = next_;
      if (!bases_[slot].factorize(problem, key)) return false;
    }
    std::uint32_t wrong = 0;
    if (evaluate(problem, tolerance, bases_[slot], s.data(), &wrong, result)) {
      accept(slot);
      reduce(problem, tolerance, s, result);
      if (exchange > 0) result.solver = "block principal pivoting";
      result.iterations = exchange;
      return true;
    }
    if (wrong == 0) return false;
    if (slot == next_) next_ = (next_ + 1) % kept;  // a wrong guess comes again while M stands
    key ^= wrong;
  }
  return false;
}

bool SmallBases::enumerate(const View& problem, double tolerance, ConstVectorRef s, Result& result) {
  for (std::uint32_t key = 0; key < (1U << problem.q.size()); ++key) {
    if (!answer(problem, tolerance, key, s, result)) continue;
    result.solver = "enumeration";
    result.iterations = static_cast<Index>(key) + 1;
    return true;
  }
  return false;
}

}  // namespace nonsmooth::lcp::detail
