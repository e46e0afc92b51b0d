// SPDX-License-Identifier: Apache-2.0
// Proofs that a quadratic program has no solution: their verification, and their refinement to the last digits.
#include <vector>

#include <internal/at.hpp>
#include <internal/round_off.hpp>
#include <internal/sparse_factors.hpp>

#include "internal.hpp"

namespace nonsmooth::qp {
namespace {

/// Sums in extended precision, and of absolute values.
struct Sum {
  long double value = 0.0L, terms = 0.0L;

  void add(long double term) { add(term, std::abs(term)); }
  void add(long double term, long double own_terms) {
    value += term;
    terms += own_terms;
  }
};

/// What is to be different is so by this many times what may be off from 0: else the sum of the latter, times an x that
/// balances them, could make up for it.
constexpr double beyond = 16.0;

double allowed(double tolerance) { return tolerance < 0.0 ? 4.0 * eps : tolerance; }

/// The least of multiplier * [low, high], of a multiplier with these terms; false where that is -infinity.
bool add_least(Sum& sum, long double multiplier, long double terms, double low, double high) {
  if (multiplier == 0.0L) return true;
  const double bound = multiplier > 0.0L ? low : high;
  if (!std::isfinite(bound)) return false;
  sum.add(multiplier * bound, terms * std::abs(bound));
  return true;
}

template <class P>
Sum column_sum(const P& problem, Index j, ConstVectorRef y) {
  Sum sum;
  detail::column(problem.A, j, [&](Index i, double value) { sum.add(static_cast<long double>(value) * y[i]); });
  return sum;
}

template <class P>
bool infeasible(const P& problem, ConstVectorRef y, double tolerance) {
  tolerance = allowed(tolerance);
  if (y.size() != problem.num_rows() || y.size() == 0 || !y.allFinite()) return false;
  Sum gap;  // least of y^T t less the largest of r^T x
  for (Index i = 0; i < y.size(); ++i) {
    if (!add_least(gap, y[i], std::abs(y[i]), detail::row_lower(problem, i), detail::row_upper(problem, i)))
      return false;
  }
  for (Index j = 0; j < problem.num_unknowns(); ++j) {
    const Sum r = column_sum(problem, j, y);
    if (add_least(gap, -r.value, r.terms, detail::lower(problem, j), detail::upper(problem, j))) continue;
    if (!(std::abs(r.value) <= tolerance * r.terms)) return false;
  }
  return gap.value > beyond * tolerance * gap.terms;
}

template <class Matrix>
std::vector<Sum> product(const Matrix& matrix, ConstVectorRef d) {
  std::vector<Sum> rows(at(matrix.rows()));
  for (Index j = 0; j < matrix.cols(); ++j) {
    if (d[j] == 0.0) continue;
    detail::column(matrix, j, [&](Index i, double value) { rows[at(i)].add(static_cast<long double>(value) * d[j]); });
  }
  return rows;
}

/// How far the value is outside the recession cone of [low, high].
long double outside(long double value, double low, double high) {
  if (value > 0.0L) return std::isfinite(high) ? value : 0.0L;
  return std::isfinite(low) ? -value : 0.0L;
}

template <class P>
bool unbounded(const P& problem, ConstVectorRef d, double tolerance) {
  tolerance = allowed(tolerance);
  const Index n = problem.num_unknowns();
  if (d.size() != n || !d.allFinite()) return false;
  Sum slope;
  for (Index j = 0; j < n; ++j) {
    if (outside(d[j], detail::lower(problem, j), detail::upper(problem, j)) > 0.0L) return false;
    slope.add(static_cast<long double>(problem.c[j]) * d[j]);
  }
  if (!(slope.value < -beyond * tolerance * slope.terms)) return false;
  for (const Sum& row : product(problem.Q, d)) {
    if (!(std::abs(row.value) <= tolerance * row.terms)) return false;
  }
  const std::vector<Sum> rows = product(problem.A, d);
  for (Index i = 0; i < problem.num_rows(); ++i) {
    const Sum& row = rows[at(i)];
    if (!(outside(row.value, detail::row_lower(problem, i), detail::row_upper(problem, i)) <= tolerance * row.terms))
      return false;
  }
  return true;
}

using Entries = std::vector<Eigen::Triplet<double>>;

/// v_j := v_j (1 + e_j) with the least e that takes the functionals S v to zero: S has one row a functional, which the
/// residuals are divided with their terms before. False where e is larger than 1e-3: nothing is near zero then.
bool take_to_zero(const Entries& entries, const Eigen::VectorXd& residual, Eigen::VectorXd& v) {
  const Index k = residual.size(), size = v.size();
  constexpr double proof_regularisation = 1e-10;  // rows may depend on each other; passes below remove what it leaves
  Entries system = entries;
  for (Eigen::Triplet<double>& entry : system)
    entry = {static_cast<int>(size) + entry.row(), entry.col(), entry.value()};
  for (Index i = 0; i < size + k; ++i)
    system.emplace_back(static_cast<int>(i), static_cast<int>(i), i < size ? 1.0 : -proof_regularisation);
  Eigen::SparseMatrix<double> lower(size + k, size + k), S(k, size);
  lower.setFromTriplets(system.begin(), system.end());
  S.setFromTriplets(entries.begin(), entries.end());
  SparseLdltFactors factors;
  if (!factors.compute(lower)) return false;
  Eigen::VectorXd e = Eigen::VectorXd::Zero(size);
  for (int pass = 0; pass < 3; ++pass) {
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size + k);
    right.tail(k) = -residual - S * e;
    factors.solve_in_place(right);
    e += right.head(size);
  }
  if (!e.allFinite() || e.cwiseAbs().maxCoeff() > 1e-3) return false;
  v.array() *= 1.0 + e.array();
  return true;
}

/// Functionals are near zero, and to be taken there, below this part of their terms.
constexpr double near_zero = 1e-5;

/// Adds functional `row`, whose terms are `visit`ed, to those that are to vanish.
struct Vanishing {
  Entries entries;
  std::vector<double> residual;

  template <class Visit>
  void add(const Sum& sum, Visit&& visit) {
    if (sum.terms == 0.0L) return;
    const int row = static_cast<int>(residual.size());
    residual.push_back(static_cast<double>(sum.value / sum.terms));
    visit([&](Index j, double term) { entries.emplace_back(row, static_cast<int>(j), term / double(sum.terms)); });
  }
  bool take_to_zero(Eigen::VectorXd& v) const {
    return !residual.empty() &&
           qp::take_to_zero(entries, Eigen::Map<const Eigen::VectorXd>(residual.data(), Index(residual.size())), v);
  }
};

template <class P>
bool refine_infeasible(const P& problem, Eigen::VectorXd& y) {
  Vanishing vanishing;
  for (Index j = 0; j < problem.num_unknowns(); ++j) {
    const Sum r = column_sum(problem, j, y);
    if (std::abs(r.value) > near_zero * r.terms) continue;
    if (std::isfinite(detail::lower(problem, j)) && std::isfinite(detail::upper(problem, j))) continue;
    vanishing.add(r, [&](auto&& entry) {
      detail::column(problem.A, j, [&](Index i, double value) {
        if (y[i] != 0.0) entry(i, value * y[i]);
      });
    });
  }
  return vanishing.take_to_zero(y);
}

template <class P>
bool refine_unbounded(const P& problem, Eigen::VectorXd& d) {
  Vanishing vanishing;
  const auto add_rows = [&](const auto& matrix) {
    const std::vector<Sum> rows = product(matrix, d);
    std::vector<std::vector<std::pair<Index, double>>> terms(rows.size());
    for (Index j = 0; j < matrix.cols(); ++j) {
      detail::column(matrix, j, [&](Index i, double value) {
        if (value * d[j] != 0.0 && std::abs(rows[at(i)].value) <= near_zero * rows[at(i)].terms)
          terms[at(i)].emplace_back(j, value * d[j]);
      });
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (terms[i].empty()) continue;
      vanishing.add(rows[i], [&](auto&& entry) {
        for (const auto& [j, term] : terms[i]) entry(j, term);
      });
    }
  };
  add_rows(problem.Q);
  add_rows(problem.A);
  return vanishing.take_to_zero(d);
}

/// Tries v as it is and without its entries of little weight, refined up to three times while the deadline is ahead.
template <class Proves, class Refine>
bool prove(Eigen::VectorXd& v, const Eigen::VectorXd& weight, const Proves& proves, const Refine& refine,
           const nonsmooth::detail::Deadline& deadline) {
  if (v.size() == 0 || !v.allFinite()) return false;
  const Eigen::VectorXd sizes = v.cwiseAbs().cwiseProduct(weight);
  const double largest = sizes.maxCoeff();
  if (!(largest > 0.0)) return false;
  for (const double part : {0.0, 1e-12, 1e-9, 1e-6, 1e-4}) {
    Eigen::VectorXd candidate = (sizes.array() < part * largest).select(0.0, v / largest);
    for (int pass = 0; pass <= 3; ++pass) {
      if (proves(candidate)) {
        v = candidate;
        return true;
      }
      if (pass == 3 || deadline.passed() || !refine(candidate)) break;
    }
  }
  return false;
}

template <class P>
bool prove_infeasible_with(const P& problem, Eigen::VectorXd& y, const nonsmooth::detail::Deadline& deadline) {
  if (y.size() != problem.num_rows()) return false;
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(y.size());
  for (Index j = 0; j < problem.A.cols(); ++j) {
    detail::column(problem.A, j, [&](Index i, double value) { weight[i] = std::max(weight[i], std::abs(value)); });
  }
  for (Index i = 0; i < y.size(); ++i) {
    if (weight[i] == 0.0) weight[i] = 1.0;  // a row of zeros may contradict its own bounds
    if (!std::isfinite(y[i] > 0.0 ? detail::row_lower(problem, i) : detail::row_upper(problem, i))) y[i] = 0.0;
  }
  return prove(
      y, weight, [&](const Eigen::VectorXd& v) { return infeasible(problem, v, -1.0); },
      [&](Eigen::VectorXd& v) { return refine_infeasible(problem, v); }, deadline);
}

template <class P>
bool prove_unbounded_with(const P& problem, Eigen::VectorXd& d, const nonsmooth::detail::Deadline& deadline) {
  if (d.size() != problem.num_unknowns()) return false;
  for (Index j = 0; j < d.size(); ++j) {
    if (outside(d[j], detail::lower(problem, j), detail::upper(problem, j)) > 0.0L) d[j] = 0.0;
  }
  return prove(
      d, Eigen::VectorXd::Ones(d.size()), [&](const Eigen::VectorXd& v) { return unbounded(problem, v, -1.0); },
      [&](Eigen::VectorXd& v) { return refine_unbounded(problem, v); }, deadline);
}

}  // namespace

bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance) {
  return infeasible(problem, y, tolerance);
}
bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance) {
  return infeasible(problem, y, tolerance);
}
bool proves_unbounded(const Problem& problem, ConstVectorRef d, double tolerance) {
  return unbounded(problem, d, tolerance);
}
bool proves_unbounded(const SparseProblem& problem, ConstVectorRef d, double tolerance) {
  return unbounded(problem, d, tolerance);
}

template <class P>
bool detail::prove_infeasible(const P& problem, Eigen::VectorXd& y, const nonsmooth::detail::Deadline& deadline) {
  return prove_infeasible_with(problem, y, deadline);
}
template <class P>
bool detail::prove_unbounded(const P& problem, Eigen::VectorXd& d, const nonsmooth::detail::Deadline& deadline) {
  return prove_unbounded_with(problem, d, deadline);
}
template bool detail::prove_infeasible(const Problem&, Eigen::VectorXd&, const nonsmooth::detail::Deadline&);
template bool detail::prove_infeasible(const SparseProblem&, Eigen::VectorXd&, const nonsmooth::detail::Deadline&);
template bool detail::prove_unbounded(const Problem&, Eigen::VectorXd&, const nonsmooth::detail::Deadline&);
template bool detail::prove_unbounded(const SparseProblem&, Eigen::VectorXd&, const nonsmooth::detail::Deadline&);

}  // namespace nonsmooth::qp
