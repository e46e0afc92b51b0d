// SPDX-License-Identifier: Apache-2.0
#include "dependent_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nonsmooth {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kLeastShare = 0.125;          ///< of the largest entry of a circuit: that of its dependent row
constexpr double kResidual = 20.0 * kEpsilon;  ///< of Ŵ z: a sum of a few dozen products, of z_i up to 1
constexpr Index kLong = 4;                     ///< a circuit is long that passes more than a fourth of all rows
constexpr double kRoundOffOfLoops = 1e-12;     ///< of terms that cancel
constexpr int kMostRefinements = 3;
constexpr double kNearlyDependent = 1e-4;  ///< squares of what is left up to this are compared with rounding
constexpr double kMostRounding = 1e-6;     ///< of the data: beyond it r is a direction to infinity
constexpr double kRowsLeft = 0.85;         ///< below 7/8, that what rounding of factors makes of an eighth holds
constexpr double kNoEntry = 1e-12;         ///< of the dependent row's: below it rounding left of a zero

double least_pivot(double dependent, Index rows) {
  return std::max(dependent * dependent, static_cast<double>(rows) * kEpsilon);
}

}  // namespace

void DependentRows::forget() {
  circuits_.clear();
  z_.clear();
  found_.clear();
  proven_ = has_factors_ = false;
}

bool DependentRows::prove(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                          const std::vector<char>& left_out, double dependent) {
  has_factors_ = false;
  if (!rows_.write(W, parts, left_out)) return false;
  const auto b = static_cast<double>(rows_.width() + 1);
  const double least = least_pivot(dependent, rows_.size()), rounding = 2.0 * b * b * kEpsilon;
  if (factorize_shifted(least + rounding)) return true;
  // No eigenvalue says it: row by row, where factors are known to make no more than an eighth of any direction.
  if (!rows_.write(W, parts, left_out) || !factorize_shifted(9.0 * rounding)) return false;
  if (!rows_.write(W, parts, left_out) || !factorize_shifted(0.0)) return false;
  rows_.values.write_inverse(rows_.width(), inverse_);
  for (Index i = 0; i < rows_.size(); ++i)
    if (!(inverse_.entry(i, i) * least <= kRowsLeft)) return false;
  return true;
}

/// The factors of Ŵ - shift I. False: it has none.
bool DependentRows::factorize_shifted(double shift) {
  for (Index i = 0; i < rows_.size(); ++i) rows_.values.entry(i, i) = 1.0 - shift;
  return rows_.values.factorize([](Index, double left) {
    return left > 0.0 ? Envelope::Pivot::Take : Envelope::Pivot::Stop;  // NaN stops too
  });
}

void DependentRows::look(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                         const std::vector<char>& left_out, double dependent) {
  forget();
  if (!(dependent > 0.0)) return;  // no row is looked for
  const bool had_some = had_some_;
  if (!had_some && prove(W, parts, left_out, dependent)) {
    proven_ = true;
    return;
  }
  find(W, parts, dependent);
  had_some_ = !circuits_.empty();
  if (!had_some_) {
    forget();
    proven_ = had_some && prove(W, parts, left_out, dependent);
    return;
  }
  proven_ = prove(W, parts, excluded_, dependent);
}

void DependentRows::find(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts, double dependent) {
  if (!rows_.write(W, parts, {})) return;
  const Index m = rows_.size();
  if (std::ssize(known_) != m || orders_ != rows_.orders()) known_.assign(at(m), 0);
  orders_ = rows_.orders();
  const double round_off = static_cast<double>(m) * kEpsilon, least = least_pivot(dependent, m);
  const auto b = static_cast<double>(rows_.width() + 1);
  const double rounding = 2.0 * b * b * kEpsilon;
  double square = round_off;
  work_.assign(at(m), 0.0);
  const bool whole = rows_.values.factorize([&](Index i, double left) {
    if (!std::isfinite(left)) return Envelope::Pivot::Stop;
    if (!(rows_.scale(i) > 0.0)) return Envelope::Pivot::Skip;
    double length = 1.0;  // |z|^2
    if (left > least && known_[at(i)] == 0) {
      if (left > kNearlyDependent) return Envelope::Pivot::Take;
      const Span span = write_circuit(i);
      length = span.square;
      std::fill(work_.begin() + span.low, work_.begin() + i + 1, 0.0);
      if (left > rounding * length) return Envelope::Pivot::Take;
    }
    found_.push_back(i);
    square += std::max(left, 0.0) / length;
    return Envelope::Pivot::Skip;
  });
  if (!whole || found_.empty()) return;
  remainder_ = std::sqrt(square);
  for (const Index d : found_) {
    known_[at(d)] = 1;
    add_circuit(d);
    if (std::ssize(z_) > kMostNumbersOfRows) break;
  }
  row_of_.resize(at(m));
  block_of_.resize(at(m));
  scale_.resize(at(m));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Index place = rows_.place_of(static_cast<Index>(p));
    for (Index r = 0; r < parts[p].rows; ++r) {
      row_of_[at(place + r)] = W.offset(parts[p].block) + r;
      block_of_[at(place + r)] = parts[p].block;
      scale_[at(place + r)] = rows_.scale(place + r);
    }
  }
  bool whole_circuits = circuits_.size() == found_.size() && exchange_small_entries();
  excluded_.assign(at(W.rows()), 0);
  for (const Circuit& circuit : circuits_) excluded_[at(row_of_[at(circuit.dependent)])] = 1;
  whole_circuits = whole_circuits && refine(W, parts) && close_circuits();
  if (!whole_circuits) circuits_.clear();
}

/// z of row d into work_, which is zero: L_I^T z_I = -l_d from the row before it down to where nothing is left.
DependentRows::Span DependentRows::write_circuit(Index d) {
  const Envelope& L = rows_.values;
  Span span{L.first(d), d, 1.0};
  for (Index j = span.low; j < d; ++j) work_[at(j)] = -L.entry(d, j);
  for (Index j = d; j-- > span.low;) {
    const double pivot = L.entry(j, j);
    double& z = work_[at(j)];
    z = pivot > 0.0 ? z / pivot : 0.0;
    if (std::abs(z) < kNoEntry) {
      z = 0.0;
      continue;
    }
    span.first = j;
    span.square += z * z;
    const double* const row = L.row(j);
    const Index begin = L.first(j);
    for (Index k = begin; k < j; ++k) work_[at(k)] -= row[k - begin] * z;
    span.low = std::min(span.low, begin);
  }
  work_[at(d)] = 1.0;
  return span;
}

void DependentRows::add_circuit(Index d) {
  const Span span = write_circuit(d);
  const double length = std::sqrt(span.square);
  Circuit& circuit = circuits_.emplace_back();
  circuit.first = span.first;
  circuit.last = circuit.dependent = d;
  circuit.begin = std::ssize(z_);
  for (Index j = span.first; j <= d; ++j) z_.push_back(work_[at(j)] / length);
  std::fill(work_.begin() + span.low, work_.begin() + d + 1, 0.0);
}

/// Makes the largest entry of a circuit that of its dependent row where this is far below it, and 0 in all others.
/// False: they get too large.
bool DependentRows::exchange_small_entries() {
  for (Index c = 0; c < count(); ++c) {
    const Circuit own = circuits_[at(c)];
    Index largest = own.dependent;
    for (Index i = own.first; i <= own.last; ++i)
      if (std::abs(z_at(own, i)) > std::abs(z_at(own, largest))) largest = i;
    if (std::abs(z_at(own, own.dependent)) >= kLeastShare * std::abs(z_at(own, largest))) continue;
    circuits_[at(c)].dependent = largest;
    for (Index b = 0; b < count(); ++b)
      if (b != c) add_multiple(-z_at(circuits_[at(b)], largest) / z_at(own, largest), own, largest, circuits_[at(b)]);
    if (std::ssize(z_) > kMostNumbersOfRows) return false;
  }
  return true;
}

/// z += factor z of `own`, made of length 1 again, exactly 0 in row `zero`.
void DependentRows::add_multiple(double factor, const Circuit& own, Index zero, Circuit& circuit) {
  if (factor == 0.0) return;
  Circuit result = circuit;
  result.first = std::min(own.first, circuit.first);
  result.last = std::max(own.last, circuit.last);
  result.begin = std::ssize(z_);
  double square = 0.0;
  for (Index i = result.first; i <= result.last; ++i) {
    const double z = i == zero ? 0.0 : z_at(circuit, i) + factor * z_at(own, i);
    square += z * z;
    z_.push_back(z);
  }
  for (Index i = result.begin; i < std::ssize(z_); ++i) z_[at(i)] /= std::sqrt(square);
  circuit = result;
}

/// Ŵ z of a circuit into work_, by sums in extended precision; its largest entry. What doubles leave of it is no less
/// than what rounding makes of z, and the least eigenvalue of Ŵ magnifies that.
double DependentRows::write_residual(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                                     const Circuit& circuit) {
  std::fill(work_.begin(), work_.end(), 0.0);
  double largest = 0.0;
  const Index reach = rows_.width(), last = std::min(circuit.last + reach, rows_.size() - 1);
  for (Index i = std::max(circuit.first - reach, Index{0}); i <= last; ++i) {
    const Index block = block_of_[at(i)], r = row_of_[at(i)] - W.offset(block);
    long double sum = 0.0L;
    for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
      const Index other = rows_.part_of(W.column(k));
      if (other < 0) continue;
      const auto entries = W.block(block, k);
      const Index place = rows_.place_of(other);
      for (Index c = 0; c < parts[at(other)].rows; ++c) {
        const double z = z_at(circuit, place + c);
        if (z != 0.0) sum += static_cast<long double>(entries(r, c)) * scale_[at(place + c)] * z;
      }
    }
    work_[at(i)] = scale_[at(i)] * static_cast<double>(sum);
    largest = std::max(largest, std::abs(work_[at(i)]));
  }
  return largest;
}

/// The factors of Ŵ on the rows that do not depend on others. False: it has none.
bool DependentRows::factorize_rest(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts) {
  if (has_factors_) return true;
  const auto take = [this](Index i, double left) {
    if (!(rows_.scale(i) > 0.0)) return Envelope::Pivot::Skip;
    return left > 0.0 ? Envelope::Pivot::Take : Envelope::Pivot::Stop;
  };
  has_factors_ = rows_.write(W, parts, excluded_) && rows_.values.factorize(take);
  return has_factors_;
}

DependentRows::Sum DependentRows::sum_of(const BlockSparseMatrix& W, Index block, Index row, const double* q,
                                         const double* r) {
  long double sum = q[row];
  double terms = std::abs(q[row]);
  for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
    const auto entries = W.block(block, k);
    const double* const other = r + W.offset(W.column(k));
    for (Index c = 0; c < entries.cols(); ++c) {
      const double entry = entries(row - W.offset(block), c);
      sum += static_cast<long double>(entry) * static_cast<long double>(other[c]);
      terms += std::abs(entry * other[c]);
    }
  }
  return {static_cast<double>(sum), terms};
}

bool DependentRows::are_solved(const BlockSparseMatrix& W, const double* q, const double* r) const {
  double error = 0.0, terms = 0.0, data = 0.0;
  for (Index i = 0; i < rows_.size(); ++i) {
    const double scale = scale_[at(i)];
    const Sum sum = sum_of(W, block_of_[at(i)], row_of_[at(i)], q, r);
    if (!std::isfinite(sum.value)) return false;
    error = std::max(error, scale * std::abs(sum.value));
    terms = std::max(terms, scale * sum.terms);
    data = std::max(data, scale * std::abs(q[row_of_[at(i)]]));
  }
  return error <= 64.0 * kEpsilon * terms && kEpsilon * terms <= kMostRounding * data;
}

bool DependentRows::correct(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts, const double* q,
                            double* r) {
  if (!factorize_rest(W, parts)) return false;
  work_.resize(at(rows_.size()));
  for (Index i = 0; i < rows_.size(); ++i)
    work_[at(i)] = rows_.scale(i) * sum_of(W, block_of_[at(i)], row_of_[at(i)], q, r).value;
  rows_.values.solve_lower(work_);
  rows_.values.solve_upper(work_);
  for (Index i = 0; i < rows_.size(); ++i) r[row_of_[at(i)]] -= rows_.scale(i) * work_[at(i)];
  return true;
}

/// Circuits that Ŵ does not take to zero within rounding, as those through many rows: z := z - (L L^T)^-1 Ŵ z on the
/// rows that are left, up to three times. Long ones to rounding of their entries, as the least eigenvalue of Ŵ
/// magnifies what is left; others would get long by it. False: these have no factors, or circuits get too large.
bool DependentRows::refine(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts) {
  for (Circuit& circuit : circuits_) {
    double rounding = kResidual;
    if (kLong * (circuit.last - circuit.first) > rows_.size()) {
      double largest = 0.0;
      for (Index i = circuit.first; i <= circuit.last; ++i) largest = std::max(largest, std::abs(z_at(circuit, i)));
      rounding *= largest;
    }
    for (int pass = 0; pass < kMostRefinements && write_residual(W, parts, circuit) > rounding; ++pass) {
      if (!factorize_rest(W, parts)) return false;
      rows_.values.solve_lower(work_);
      rows_.values.solve_upper(work_);
      if (pass == 0) {
        if (std::ssize(z_) + rows_.size() > kMostNumbersOfRows) return false;
        const Index begin = std::ssize(z_);
        for (Index i = 0; i < rows_.size(); ++i) z_.push_back(z_at(circuit, i));
        circuit.first = 0;
        circuit.last = rows_.size() - 1;
        circuit.begin = begin;
      }
      for (Index i = 0; i < rows_.size(); ++i) z_[at(circuit.begin + i)] -= work_[at(i)];
    }
  }
  return true;
}

/// The factors of Z^T Z. False: they are too large, or circuits are all but one.
bool DependentRows::close_circuits() {
  gram_.clear();
  last_.clear();  // of any circuit up to each: ascending
  for (const Circuit& circuit : circuits_) {
    last_.push_back(last_.empty() ? circuit.last : std::max(last_.back(), circuit.last));
    gram_.add_row(std::lower_bound(last_.begin(), last_.end(), circuit.first) - last_.begin());
  }
  if (gram_.numbers() > kMostNumbersOfRows) return false;
  gram_.set_zero();
  for (Index c = 0; c < count(); ++c) {
    const Circuit& own = circuits_[at(c)];
    for (Index b = gram_.first(c); b <= c; ++b) {
      const Circuit& other = circuits_[at(b)];
      double sum = 0.0;
      for (Index i = std::max(own.first, other.first); i <= std::min(own.last, other.last); ++i)
        sum += z_at(own, i) * z_at(other, i);
      gram_.entry(c, b) = sum;
    }
  }
  const double least = static_cast<double>(rows_.size()) * kEpsilon;
  return gram_.factorize(
      [least](Index, double left) { return left > least ? Envelope::Pivot::Take : Envelope::Pivot::Stop; });
}

void DependentRows::combine(const double* q) {
  combined_.assign(circuits_.size(), 0.0);
  for_each_entry([&](Index row, Index c, double, double b) { combined_[at(c)] += b * q[row]; });
}

double DependentRows::combinations(const double* q) {
  combine(q);
  gram_.solve_lower(combined_);
  double square = 0.0;
  for (const double x : combined_) square += x * x;
  return std::sqrt(square);
}

double DependentRows::size_of(const Eigen::VectorXd& x) const {
  double square = 0.0;
  for (Index i = 0; i < rows_.size(); ++i) square += std::pow(scale_[at(i)] * x[row_of_[at(i)]], 2);
  return std::sqrt(square);
}

void DependentRows::take_away(double* q) {
  combine(q);
  gram_.solve_lower(combined_);
  gram_.solve_upper(combined_);
  for_each_entry([&](Index row, Index c, double a, double) { q[row] -= a * combined_[at(c)]; });
}

void DependentRows::change_diagonals(bool add, BlockSparseMatrix& W) const {
  const auto diagonal = [&](Index place) -> double& {
    const Index block = block_of_[at(place)], r = row_of_[at(place)] - W.offset(block);
    return *(W.values(W.diagonal(block)) + r * (W.size(block) + 1));
  };
  for (const Circuit& circuit : circuits_) diagonal(circuit.dependent) *= add ? 2.0 : 0.5;
  for_each_idle([&](Index i) { diagonal(i) = add ? 1.0 : 0.0; });
}

bool DependentRows::idle_rows_hold(const double* q, const Eigen::VectorXd& terms) const {
  bool hold = true;
  for_each_idle([&](Index i) {
    const Index row = row_of_[at(i)];
    hold = hold && std::abs(q[row]) <= kRoundOffOfLoops * std::abs(terms[row]);
  });
  return hold;
}

void DependentRows::share(double* r) {
  combined_.assign(circuits_.size(), 0.0);
  for_each_entry([&](Index row, Index c, double a, double) { combined_[at(c)] += a * r[row]; });
  gram_.solve_lower(combined_);
  gram_.solve_upper(combined_);
  for_each_entry([&](Index row, Index c, double, double b) { r[row] -= b * combined_[at(c)]; });
  for_each_idle([&](Index i) { r[row_of_[at(i)]] = 0.0; });
}

void DependentRows::take_from_dependent(double* r) {
  combined_.resize(circuits_.size());
  for (std::size_t c = 0; c < circuits_.size(); ++c) {
    const Index d = circuits_[c].dependent;
    combined_[c] = r[row_of_[at(d)]] / (z_at(circuits_[c], d) * scale_[at(d)]);
  }
  for_each_entry([&](Index row, Index c, double, double b) { r[row] -= b * combined_[at(c)]; });
}

}  // namespace nonsmooth
