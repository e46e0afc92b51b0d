// SPDX-License-Identifier: Apache-2.0
// Where first-order rows are looked at for pulses of e(t) and b(t).
#include <algorithm>
#include <cmath>

#include "first_order_part.hpp"

namespace nonsmooth::events {

bool FirstOrderPart::is_resolved(const smooth::DensePolynomial& dense, double places) {
  constexpr Index kWindow = 5;
  const Index size = data_.m + data_.n, last = static_cast<Index>(std::ceil(places));
  const double cells = static_cast<double>(last);
  samples_.resize(size, kWindow);
  largest_sample_.setZero(size);
  largest_difference_.setZero(size);
  for (Index j = 0; j <= last; ++j) {
    data_.functions_of_time(window_.inside(dense.t0 + static_cast<double>(j) / cells * dense.h), sampled_);
    for (Index i = 0; i < size; ++i) {
      samples_(i, j % kWindow) = sampled_[i];
      largest_sample_[i] = std::max(largest_sample_[i], std::abs(sampled_[i]));
      if (j + 1 < kWindow) continue;
      const auto back = [&](Index k) { return samples_(i, (j - k) % kWindow); };
      const double difference = (back(0) + back(4)) - 4.0 * (back(1) + back(3)) + 6.0 * back(2);
      largest_difference_[i] = std::max(largest_difference_[i], std::abs(difference));
    }
  }
  const double finer = std::min(1.0, smooth::kPlacesOfLongest / cells);
  return (largest_difference_.array() <= smooth::kSmooth * std::pow(finer, 4) * largest_sample_.array()).all();
}

smooth::Guards::Probing FirstOrderPart::probing(const smooth::DensePolynomial& dense, double least) {
  probes_ = false;
  const bool varies = data_.offsets_vary || data_.drive_varies;
  if (guards_.empty() || !varies) return {};
  const double known = data_.smallest_feature > 0.0 ? 2.0 * dense.h / data_.smallest_feature : 0.0,
               usual = fixed_step_ ? 0.0 : longest_step_.places(dense.h, dense.h),
               places = std::max({known, usual, least});
  // Cheaper than the guards: of functions that are smooth between these places the search's own nodes tell as much.
  if (!(places > smooth::kLeastPlaces) || (places <= smooth::kMostPlaces && is_resolved(dense, places))) return {};
  probes_ = true;
  return {.guards = num_guards(), .places = places};
}

Index FirstOrderPart::probe(double t, const Eigen::VectorXd& z, double* result) {
  if (!probes_) return 0;
  guards(t, z, result);
  return num_guards();
}

}  // namespace nonsmooth::events
