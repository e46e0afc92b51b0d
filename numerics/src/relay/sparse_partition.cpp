// SPDX-License-Identifier: Apache-2.0
#include "sparse_partition.hpp"

#include <algorithm>

#include "sparse_entries.hpp"

namespace nonsmooth::relay::detail {

bool SparsePartition::solve(const Places& places, VectorRef z, VectorRef w) {
  rows_.clear();
  position_.assign(places.size(), -1);
  for (Index i = 0; i < z.size(); ++i) {
    const Place place = places[static_cast<std::size_t>(i)];
    z[i] = place == Place::Lower ? p_.lower[i] : (place == Place::Upper ? p_.upper[i] : 0.0);
    if (place != Place::Between) continue;
    position_[static_cast<std::size_t>(i)] = static_cast<Index>(rows_.size());
    rows_.push_back(i);
  }
  w = p_.q;
  w.noalias() += p_.M * z;
  const auto k = static_cast<Index>(rows_.size());
  if (k == 0) return true;
  entries_.clear();
  weights_.setZero(k);  // rows in different units: partial pivoting compares them once each is scaled
  nonsmooth::detail::for_each_entry(p_.M, [&](Index i, Index j, double value) {
    const Index row = position_[static_cast<std::size_t>(i)];
    const Index column = position_[static_cast<std::size_t>(j)];
    if (row < 0 || column < 0) return;
    entries_.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
    weights_[row] = std::max(weights_[row], std::abs(value));
  });
  if (!(weights_.minCoeff() > 0.0)) return false;
  weights_ = weights_.cwiseInverse();
  Eigen::SparseMatrix<double> matrix(k, k);
  matrix.setFromTriplets(entries_.begin(), entries_.end());
  matrix = weights_.asDiagonal() * matrix;
  if (!lu_.compute(matrix)) return false;
  step_.resize(k);
  for (int pass = 0; pass < 2; ++pass) {
    for (Index i = 0; i < k; ++i) step_[i] = -w[rows_[static_cast<std::size_t>(i)]] * weights_[i];
    lu_.solve_in_place(step_);
    if (!step_.allFinite()) return false;
    for (Index i = 0; i < k; ++i) z[rows_[static_cast<std::size_t>(i)]] += step_[i];
    w = p_.q;
    w.noalias() += p_.M * z;
  }
  return z.allFinite();
}

void find_places(const SparseProblem& problem, ConstVectorRef s, ConstVectorRef z, ConstVectorRef w, Places& places) {
  places.resize(static_cast<std::size_t>(z.size()));
  for (Index i = 0; i < z.size(); ++i) {
    Place place = Place::Between;
    if (w[i] > s[i] * (z[i] - problem.lower[i])) place = Place::Lower;
    if (w[i] < s[i] * (z[i] - problem.upper[i])) place = Place::Upper;
    places[static_cast<std::size_t>(i)] = place;
  }
}

}  // namespace nonsmooth::relay::detail
