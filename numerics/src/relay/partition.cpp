// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <internal/decompositions.hpp>

#include "internal.hpp"

namespace nonsmooth::relay::detail {

void Partition::collect(const Places& places, VectorRef z) {
  rows_.clear();
  for (Index i = 0; i < z.size(); ++i) {
    const Place place = places[static_cast<std::size_t>(i)];
    z[i] = place == Place::Lower ? p_.lower[i] : (place == Place::Upper ? p_.upper[i] : 0.0);
    if (place == Place::Between) rows_.push_back(i);
  }
}

void Partition::multiply(ConstVectorRef z, VectorRef w) const {
  w = p_.q;
  for (Index j = 0; j < z.size(); ++j) {
    if (z[j] != 0.0) w += z[j] * p_.M.col(j);
  }
}

bool Partition::solve(const Places& places, VectorRef z, VectorRef w) {
  collect(places, z);
  multiply(z, w);
  const Index k = static_cast<Index>(rows_.size());
  if (k == 0) return true;
  // Rows in different units: partial pivoting compares them only once each is scaled by its largest entry.
  matrix_.resize(k, k);
  weights_.setZero(k);
  for (Index j = 0; j < k; ++j) {
    const double* const column = p_.M.data() + rows_[static_cast<std::size_t>(j)] * p_.M.outerStride();
    for (Index i = 0; i < k; ++i) {
      const double value = column[rows_[static_cast<std::size_t>(i)]];
      matrix_(i, j) = value;
      weights_[i] = std::max(weights_[i], std::abs(value));
    }
  }
  if (!(weights_.minCoeff() > 0.0)) return false;
  weights_ = weights_.cwiseInverse();
  for (Index j = 0; j < k; ++j) {
    for (Index i = 0; i < k; ++i) matrix_(i, j) *= weights_[i];
  }
  if (!lu_.factorize(matrix_)) return false;
  step_.resize(k);
  for (int pass = 0; pass < 2; ++pass) {
    for (Index i = 0; i < k; ++i) step_[i] = -w[rows_[static_cast<std::size_t>(i)]] * weights_[i];
    lu_.solve_in_place(step_);
    for (Index i = 0; i < k; ++i) z[rows_[static_cast<std::size_t>(i)]] += step_[i];
    multiply(z, w);
  }
  return z.allFinite();
}

bool Partition::solve_least(const Places& places, VectorRef z, VectorRef w) {
  collect(places, z);
  multiply(z, w);
  const Index k = static_cast<Index>(rows_.size());
  if (k == 0) return true;
  matrix_.resize(k, k);
  weights_.setOnes(k);
  Eigen::VectorXd columns = Eigen::VectorXd::Ones(k);
  for (Index j = 0; j < k; ++j) {
    for (Index i = 0; i < k; ++i)
      matrix_(i, j) = p_.M(rows_[static_cast<std::size_t>(i)], rows_[static_cast<std::size_t>(j)]);
  }
  for (int pass = 0; pass < 3; ++pass) {
    for (Index i = 0; i < k; ++i) {
      const double largest = matrix_.row(i).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) continue;
      weights_[i] /= largest;
      matrix_.row(i) /= largest;
    }
    for (Index j = 0; j < k; ++j) {
      const double largest = matrix_.col(j).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) continue;
      columns[j] /= largest;
      matrix_.col(j) /= largest;
    }
  }
  CompleteOrthogonalFactors factors;
  factors.set_threshold(1e-12);  // elimination of the user's side leaves some hundred eps
  factors.compute(matrix_);
  double before = 0.0;
  for (const Index i : rows_) before = std::max(before, std::abs(w[i]));
  step_.resize(k);
  for (int pass = 0; pass < 3; ++pass) {
    for (Index i = 0; i < k; ++i) step_[i] = -w[rows_[static_cast<std::size_t>(i)]] * weights_[i];
    step_ = factors.solve(step_);
    for (Index i = 0; i < k; ++i) z[rows_[static_cast<std::size_t>(i)]] += step_[i] * columns[i];
    multiply(z, w);
  }
  double after = 0.0;
  for (const Index i : rows_) after = std::max(after, std::abs(w[i]));
  return z.allFinite() && after <= std::max(1e-9 * before, sign_floor(p_.q, w));
}

}  // namespace nonsmooth::relay::detail
