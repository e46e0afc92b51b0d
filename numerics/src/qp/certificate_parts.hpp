// SPDX-License-Identifier: Apache-2.0
// What the certificate of a quadratic program adds up; not installed.
#pragma once

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "internal.hpp"

namespace nonsmooth::qp::detail {

/// product += matrix v and terms += |matrix||v|.
inline void add_product(const Eigen::MatrixXd& matrix, ConstVectorRef v, VectorRef product, VectorRef terms) {
  if (matrix.rows() == 0) return;
  for (Index j = 0; j < v.size(); ++j) {
    if (v[j] == 0.0) continue;
    product += v[j] * matrix.col(j);
    terms += std::abs(v[j]) * matrix.col(j).cwiseAbs();
  }
}
inline void add_product(const Eigen::SparseMatrix<double>& matrix, ConstVectorRef v, VectorRef product,
                        VectorRef terms) {
  if (matrix.rows() == 0) return;
  for (Index j = 0; j < v.size(); ++j) {
    if (v[j] == 0.0) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it) {
      const double entry = it.value() * v[j];
      product[it.row()] += entry;
      terms[it.row()] += std::abs(entry);
    }
  }
}

/// sum = column j of matrix times v, and of absolute values.
inline void column_product(const Eigen::MatrixXd& matrix, Index j, ConstVectorRef v, double& sum, double& terms) {
  sum = matrix.col(j).dot(v);
  terms = matrix.col(j).cwiseAbs().dot(v.cwiseAbs());
}
inline void column_product(const Eigen::SparseMatrix<double>& matrix, Index j, ConstVectorRef v, double& sum,
                           double& terms) {
  sum = terms = 0.0;
  for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it) {
    const double entry = it.value() * v[it.row()];
    sum += entry;
    terms += std::abs(entry);
  }
}

/// The worst error of one part, the scale of that part, and each error over its own terms.
struct Part {
  double error = 0.0;
  Index row = -1;
  double scale = 0.0;  // of the data
  double terms = 0.0;  // the largest

  void add(Index at, double value, double own_terms) {
    terms = std::max(terms, own_terms);
    if (value <= error || std::isnan(error)) return;  // not a number is the worst
    error = value;
    row = at;
  }
  [[nodiscard]] double unit() const { return scale > 0.0 ? scale : terms; }
  [[nodiscard]] double residual() const { return error == 0.0 ? 0.0 : error / unit(); }
};

/// The worst of errors that are relative to their own terms.
struct Relative {
  double worst = 0.0;
  Index row = -1;

  void add(Index at, double error, double terms) {
    if (error == 0.0) return;
    const double value = error / terms;
    if (value <= worst) return;
    worst = value;
    row = at;
  }
};

/// The size of the bound that counts for a value whose terms add up to `terms`: the one that it violates; else the one
/// that the multiplier pushes on, as far as the value has got there. A bound that does neither says nothing of errors.
inline double counted(double value, double terms, double multiplier, double low, double high) {
  if (value < low) return std::abs(low);
  if (value > high) return std::abs(high);
  const double bound = multiplier > 0.0 ? low : high;
  return multiplier == 0.0 || !std::isfinite(bound) ? 0.0 : std::min(std::abs(bound), terms);
}

/// Complementarity: what multiplier times distance adds up to.
struct Products {
  double sum = 0.0, size = 0.0, largest = 0.0;
  double scale = 0.0, terms = 0.0;  // the largest and the sum of multiplier times bound
  Index row = -1;

  void add(Index at, double multiplier, double value, double low, double high) {
    add(at, multiplier, multiplier, 0.0, value, low, high);
  }
  /// `whole`: the multiplier of distances that are more than rounding of `value_terms`.
  void add(Index at, double multiplier, double whole, double value_terms, double value, double low, double high) {
    const double bound = multiplier > 0.0 ? low : high;
    if (multiplier == 0.0 || !std::isfinite(bound)) return;  // the latter is an error of stationarity
    const bool is_rounding = std::abs(value - bound) <= 64.0 * eps * (value_terms + std::abs(bound));
    const double product = (is_rounding ? multiplier : whole) * (value - bound);
    sum += product;
    size += std::abs(product);
    scale = std::max(scale, std::abs(multiplier * bound));
    terms += std::abs(multiplier * bound);
    if (std::abs(product) <= largest) return;
    largest = std::abs(product);
    row = at;
  }
};

/// most = max(most, part / |entry|), part >= 0, by a division where it grows alone; an entry of 0 says nothing.
inline void grow(double& most, double part, double entry) {
  if (part > most * std::abs(entry) && entry != 0.0) most = part / std::abs(entry);
}

/// Whether rounding of its own terms is not all of an error.
inline bool is_more_than_rounding(double error, double terms) { return error > 64.0 * eps * terms; }

/// Data that differ by this part of each of their entries have an answer whose errors are that part of their own terms:
/// no error hides behind others of another unit.
constexpr double close_to_each = 1e-11;

/// Whether a multiplier pushes on a bound that is not there.
inline bool pushes_on_nothing(double multiplier, double low, double high) {
  return multiplier > 0.0 ? low == -infinity : multiplier < 0.0 && high == infinity;
}

/// The most that the value of the program or of its dual is certain to be off by, from one unknown.
struct Fall {
  double value = 0.0;
  Index row = -1;

  void add(Index at, double by) {
    if (!(by > value)) return;
    value = by;
    row = at;
  }
};

}  // namespace nonsmooth::qp::detail
