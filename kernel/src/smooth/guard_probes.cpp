// SPDX-License-Identifier: Apache-2.0
#include "guard_probes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <internal/round_off.hpp>

#include "guard_roots.hpp"

namespace nonsmooth::smooth {
namespace {

/// What a difference of fourth order is worth against the guard's value.
constexpr double kDifferenceWeight = 1e3;
/// Of the mean of a step's fourth differences: a dip that is narrow against the step stands out.
constexpr double kStandsOut = 8.0;
constexpr Index kNear = 4;  ///< cells of a piece that is looked at from near
/// Places of the longest step, which others grow up to.
constexpr Index kUsual = static_cast<Index>(kPlacesOfLongest) + 1;

}  // namespace

void GuardProbes::mark(Index cell) {
  auto& rough = rough_[static_cast<std::size_t>(cell)];
  if (!rough) ++num_rough_;
  rough = 1;
}

void GuardProbes::look(Guards& guards, const DensePolynomial& dense) {
  num_rough_ = 0;
  too_few_ = false;
  const Guards::Probing wanted = guards.probing(dense);
  if (wanted.guards == 0 || wanted.places <= kLeastPlaces) return;
  too_few_ = wanted.places > kMostPlaces;
  places_ = static_cast<Index>(std::min(std::ceil(wanted.places), kMostPlaces));
  if (values_.rows() < wanted.guards || values_.cols() <= places_) {
    values_.resize(std::max(values_.rows(), wanted.guards), std::max({values_.cols(), places_ + 1, kUsual}));
    rough_.reserve(static_cast<std::size_t>(values_.cols()));
    rough_upto_.reserve(static_cast<std::size_t>(values_.cols()));
  }
  for (Index j = 0; j <= places_; ++j) {
    const double t =
        j == places_ ? dense.end() : dense.t0 + static_cast<double>(j) / static_cast<double>(places_) * dense.h;
    dense.evaluate(t, z_);
    guards.probe(t, z_, values_.col(j).data());
  }
  rough_.assign(static_cast<std::size_t>(places_), 0);
  for (Index i = 0; i < wanted.guards; ++i) {
    const auto g = values_.row(i).leftCols(places_ + 1);
    const double largest = g.cwiseAbs().maxCoeff();
    for (Index j = 0; j <= places_; ++j) {
      if (!std::isfinite(g[j])) check::finite("gap or user's guard " + std::to_string(i) + " along a step", g[j]);
    }
    double before = 0.0;  // the difference of fourth order about the cell's left place
    const auto difference = [&](Index j) {
      const Index k = std::clamp(j, Index{2}, places_ - 2);
      return std::abs((g[k - 2] + g[k + 2]) - 4.0 * (g[k - 1] + g[k + 1]) + 6.0 * g[k]);
    };
    double mean = 0.0;
    for (Index j = 0; j <= places_; ++j) mean += difference(j);
    mean /= static_cast<double>(places_ + 1);
    const double least = std::max(kSmooth * largest, kStandsOut * mean);
    before = difference(0);
    bool negative = false;
    for (Index j = 0; j < places_; ++j) {
      const double after = difference(j + 1), worst = std::max(before, after);
      const double lowest = std::min(g[j], g[j + 1]);
      if (worst > least && lowest < kDifferenceWeight * worst) mark(j);
      if (!negative && g[j + 1] < 0.0) {
        negative = true;
        mark(j);
      }
      before = after;
    }
  }
  rough_upto_.resize(static_cast<std::size_t>(places_) + 1);
  rough_upto_[0] = 0;
  for (std::size_t j = 0; j < rough_.size(); ++j) rough_upto_[j + 1] = rough_upto_[j] + (rough_[j] ? 1 : 0);
}

bool GuardProbes::resolved(double a, double b) const {
  if (num_rough_ == 0) return true;
  const double cells = static_cast<double>(places_);
  if ((b - a) * cells <= static_cast<double>(kNear)) return true;
  const auto first = static_cast<std::size_t>(std::clamp(std::floor(a * cells), 0.0, cells));
  const auto last = static_cast<std::size_t>(std::clamp(std::ceil(b * cells), 0.0, cells));
  return rough_upto_[first] == rough_upto_[last];
}

}  // namespace nonsmooth::smooth
