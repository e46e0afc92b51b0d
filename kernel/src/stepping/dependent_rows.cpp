// SPDX-License-Identifier: Apache-2.0
#include "dependent_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nonsmooth {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNoEntry = 1e-12;  ///< of the dependent row's: below it rounding left of a zero
constexpr Index kMostBeside = 100;  // numbers of A A^T, for each row

double least_pivot(double dependent, Index rows) {
  return std::max(dependent * dependent, static_cast<double>(rows) * kEpsilon);
}

}  // namespace

void DependentRows::forget() {
  circuits_.clear();
  z_.clear();
  parts_.clear();
  found_.clear();
  proven_ = false;
}

bool DependentRows::prove(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts,
                          const std::vector<char>& left_out, double dependent) {
  if (!rows_.write(W, parts, left_out)) return false;
  const auto b = static_cast<double>(rows_.width() + 1);
  const double s = least_pivot(dependent, rows_.size()) + 2.0 * b * b * kEpsilon;
  for (Index i = 0; i < rows_.size(); ++i) rows_.values.entry(i, i) = 1.0 - s;
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
  excluded_.assign(at(W.rows()), 0);
  for (const Index d : found_) excluded_[at(row_of_[at(d)])] = 1;
  proven_ = prove(W, parts, excluded_, dependent);
}

void DependentRows::find(const BlockSparseMatrix& W, const std::vector<EqualityRows>& parts, double dependent) {
  if (!rows_.write(W, parts, {})) return;
  const Index m = rows_.size();
  if (std::ssize(known_) != m || orders_ != rows_.orders()) known_.assign(at(m), 0);
  orders_ = rows_.orders();
  const double round_off = static_cast<double>(m) * kEpsilon, least = least_pivot(dependent, m);
  double square = round_off;
  const bool whole = rows_.values.factorize([&](Index i, double left) {
    if (!std::isfinite(left)) return Envelope::Pivot::Stop;
    if (!(rows_.scale(i) > 0.0)) return Envelope::Pivot::Skip;
    if (left > least && known_[at(i)] == 0) return Envelope::Pivot::Take;
    found_.push_back(i);
    square += std::max(left, 0.0);
    return Envelope::Pivot::Skip;
  });
  if (!whole || found_.empty()) return;
  remainder_ = std::sqrt(square);
  work_.assign(at(m), 0.0);
  for (const Index d : found_) {
    known_[at(d)] = 1;
    add_circuit(d);
    if (std::ssize(z_) > kMostNumbersOfRows) break;
  }
  row_of_.resize(at(m));
  part_at_.resize(at(m));
  scale_.resize(at(m));
  blocks_.resize(parts.size());
  sizes_.resize(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    blocks_[p] = parts[p].block;
    sizes_[p] = parts[p].rows;
    const Index place = rows_.place_of(static_cast<Index>(p));
    for (Index r = 0; r < parts[p].rows; ++r) {
      row_of_[at(place + r)] = W.offset(parts[p].block) + r;
      part_at_[at(place + r)] = static_cast<Index>(p);
      scale_[at(place + r)] = rows_.scale(place + r);
    }
  }
  if (circuits_.size() < found_.size() || !close_circuits(parts.size())) circuits_.clear();
}

/// z of dependent row d: L_I^T z_I = -l_d from the row before it down to where nothing is left.
void DependentRows::add_circuit(Index d) {
  const Envelope& L = rows_.values;
  Index low = L.first(d), first = d;
  for (Index j = low; j < d; ++j) work_[at(j)] = -L.entry(d, j);
  double square = 1.0;
  for (Index j = d; j-- > low;) {
    const double pivot = L.entry(j, j);
    double& z = work_[at(j)];
    z = pivot > 0.0 ? z / pivot : 0.0;
    if (std::abs(z) < kNoEntry) {
      z = 0.0;
      continue;
    }
    first = j;
    square += z * z;
    const double* const row = L.row(j);
    const Index begin = L.first(j);
    for (Index k = begin; k < j; ++k) work_[at(k)] -= row[k - begin] * z;
    low = std::min(low, begin);
  }
  const double length = std::sqrt(square);
  Circuit& circuit = circuits_.emplace_back();
  circuit.first = first;
  circuit.last = d;
  circuit.begin = std::ssize(z_);
  work_[at(d)] = 1.0;
  for (Index j = first; j <= d; ++j) z_.push_back(work_[at(j)] / length);
  std::fill(work_.begin() + low, work_.begin() + d + 1, 0.0);
}

/// The parts that circuits pass, and the factors of Z^T Z. False: A A^T is too large, or circuits are all but one.
bool DependentRows::close_circuits(std::size_t parts) {
  lowest_.assign(at(rows_.size()), std::numeric_limits<Index>::max());
  for (Circuit& circuit : circuits_) {
    circuit.parts_begin = circuit.parts_end = std::ssize(parts_);
    for (Index i = circuit.first; i <= circuit.last; ++i) {
      if (z_at(circuit, i) == 0.0) continue;
      lowest_[at(i)] = std::min(lowest_[at(i)], circuit.first);
      if (circuit.parts_begin == circuit.parts_end || parts_.back() != part_at_[at(i)]) {
        parts_.push_back(part_at_[at(i)]);
        ++circuit.parts_end;
      }
    }
  }
  Index numbers = 0;
  for (Index i = 0; i < rows_.size(); ++i) numbers += std::max(i - lowest_[at(i)] + 1, Index{0});
  if (numbers > kMostBeside * rows_.size()) return false;
  list_passing(parts);
  gram_.clear();
  for (std::size_t c = 0; c < circuits_.size(); ++c) {  // last rows ascend
    const auto beside = std::partition_point(circuits_.begin(), circuits_.end(),
                                             [&](const Circuit& other) { return other.last < circuits_[c].first; });
    gram_.add_row(beside - circuits_.begin());
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

void DependentRows::list_passing(std::size_t parts) {
  passing_begin_.assign(parts + 1, 0);
  for (const Circuit& circuit : circuits_)
    for_each_part(circuit, [this](Index part) { ++passing_begin_[at(part) + 1]; });
  for (std::size_t p = 0; p < parts; ++p) passing_begin_[p + 1] += passing_begin_[p];
  passing_.resize(at(passing_begin_[parts]));
  for (std::size_t c = circuits_.size(); c-- > 0;)
    for_each_part(circuits_[c],
                  [&](Index part) { passing_[at(--passing_begin_[at(part) + 1])] = static_cast<Index>(c); });
  std::rotate(passing_begin_.begin(), passing_begin_.begin() + 1, passing_begin_.end());
  passing_begin_.back() = std::ssize(passing_);
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

void DependentRows::add_to(BlockSparseMatrix& W) const {
  for (const Circuit& circuit : circuits_) {
    const auto add = [&](Index p, Index o) {
      const Index block = blocks_[at(p)], row = rows_.place_of(p), column = rows_.place_of(o);
      auto values = W.block(block, W.find(block, blocks_[at(o)]));
      for (Index c = 0; c < sizes_[at(o)]; ++c) {
        for (Index r = 0; r < sizes_[at(p)]; ++r) {
          const double product = z_at(circuit, row + r) * z_at(circuit, column + c);  // 0 where a scale is 0
          if (product != 0.0) values(r, c) += product / (scale_[at(row + r)] * scale_[at(column + c)]);
        }
      }
    };
    for_each_part(circuit, [&](Index p) { for_each_part(circuit, [&](Index o) { add(p, o); }); });
  }
}

}  // namespace nonsmooth
