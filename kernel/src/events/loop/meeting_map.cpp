// SPDX-License-Identifier: Apache-2.0
#include "meeting_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/at.hpp>
#include <nonsmooth/kernel/event_driven.hpp>

namespace nonsmooth::events {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr int kMostDoublings = 20;   ///< of the time that the local motion is given
constexpr double kOnSurface = 1e-9;  ///< of the way that it went

}  // namespace

MeetingMap::MeetingMap(const FilippovFields& fields, double t, const Eigen::VectorXd& x, Side before, Side behind)
    : before_(std::move(before)), behind_(std::move(behind)), meaning_(fields.system().meaning) {
  const Index p = fields.num_surfaces(), n = fields.n();
  Index base = 0;
  for (Index j = 0; j < p; ++j) {
    if (before_.signs[at(j)] == 0 || before_.signs[at(j)] != behind_.signs[at(j)]) {
      met_.push_back(j);
    } else if (before_.signs[at(j)] > 0) {
      base |= Index{1} << j;
    }
  }
  const auto q = static_cast<Index>(met_.size());
  gradients_.resize(q, n);
  by_time_.resize(q);
  Eigen::VectorXd value(n);
  for (Index k = 0; k < q; ++k) {
    fields.gradient(met_[at(k)], t, x, value);
    const double length = value.norm();
    gradients_.row(k) = value.transpose() / length;
    by_time_[k] = fields.rate(met_[at(k)], t, x, -kForever, kForever) / length;
  }
  fields_.resize(n, Index{1} << q);
  for (Index i = 0; i < fields_.cols(); ++i) {
    Index pattern = base;
    for (Index k = 0; k < q; ++k)
      if (i >> k & 1) pattern |= Index{1} << met_[at(k)];
    fields.field(fields.region_of(pattern), t, x, value);
    fields_.col(i) = value;
  }
  fastest_ = std::max(fields_.colwise().norm().maxCoeff(), by_time_.lpNorm<Eigen::Infinity>());
  fields_ /= fastest_;
  by_time_ /= fastest_;
  before_.rate /= fastest_;
  behind_.rate /= fastest_;
}

FilippovSystem MeetingMap::local(const Eigen::VectorXd& start, double from) const {
  FilippovSystem system{.x0 = start, .meaning = meaning_};
  const auto q = static_cast<Index>(met_.size());
  for (Index k = 0; k < q; ++k) {
    const Eigen::VectorXd gradient = gradients_.row(k);
    const double rate = by_time_[k];
    // Its time is 0 where x0 is.
    system.switches.push_back(
        {.value = [=](double s, ConstVectorRef xi) { return gradient.dot(xi) + rate * (from + s); },
         .gradient = [=](double, ConstVectorRef, VectorRef result) { result = gradient; },
         .rate = [=](double, ConstVectorRef) { return rate; }});
  }
  for (Index i = 0; i < fields_.cols(); ++i) {
    const Eigen::VectorXd field = fields_.col(i);
    FilippovRegion region{.f = [=](double, ConstVectorRef, VectorRef f) { f = field; },
                          .f_dx = [](double, ConstVectorRef, MatrixRef) {}};
    for (Index k = 0; k < q; ++k) region.signs.push_back(i >> k & 1 ? 1 : -1);
    system.regions.push_back(std::move(region));
  }
  return system;
}

Eigen::VectorXd MeetingMap::operator()(ConstVectorRef direction) const {
  const double length = direction.norm();
  if (length == 0.0) return direction;
  if (!(length < kForever)) return Eigen::VectorXd::Constant(direction.size(), std::nan(""));
  const Eigen::VectorXd v = direction / length;
  const auto q = static_cast<Index>(met_.size());
  double way = 1.0;  // of time, before and behind
  for (Index k = 0; k < q; ++k) {
    const double rate = gradients_.row(k).dot(before_.rate) + by_time_[k];
    if (before_.signs[at(met_[at(k)])] != 0) way = std::max(way, 2.0 * std::abs(gradients_.row(k).dot(v) / rate));
  }
  NonSmoothDynamicalSystem model;
  const FilippovHandles handles = link_filippov(model, local(v - way * before_.rate, -way));
  EventDriven simulation(std::move(model), {.examination = Examination::Off});
  double s = way;
  for (int k = 0; k < kMostDoublings; ++k, s *= 2.0) {
    if (!simulation.advance_to(way + s)) break;
    const Eigen::VectorXd xi = simulation.state().x(handles.system);
    bool there = true;
    for (Index j = 0; j < q; ++j) {
      const double c = surface(j, s, xi), zero = kOnSurface * (way + s);
      const int sign = c > zero ? 1 : c < -zero ? -1 : 0;
      there = there && sign == behind_.signs[at(met_[at(j)])];
    }
    if (there) return length * (xi - s * behind_.rate);
  }
  return Eigen::VectorXd::Constant(direction.size(), std::nan(""));
}

}  // namespace nonsmooth::events
