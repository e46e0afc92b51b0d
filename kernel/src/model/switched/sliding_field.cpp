// SPDX-License-Identifier: Apache-2.0
#include "sliding_field.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <internal/round_off.hpp>

namespace nonsmooth {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

}  // namespace

void look_at_sliding(const FilippovFields& fields, double t, ConstVectorRef x, SlidingValues& values) {
  for (Eigen::VectorXd* one : {&values.below, &values.above, &values.normal})
    if (one->size() != x.size()) one->resize(x.size());
  fields.field(fields.region_of(0), t, x, values.below);
  fields.field(fields.region_of(1), t, x, values.above);
  fields.gradient(0, t, x, values.normal);
  const double rate = fields.rate(0, t, x, -kForever, kForever);
  values.w_below = values.normal.dot(values.below) + rate;
  values.w_above = values.normal.dot(values.above) + rate;
  values.G = (values.below - values.above) / (values.w_below - values.w_above);
  values.sliding = values.above - values.w_above * values.G;
}

AutomatonSliding::AutomatonSliding(SlidingLimit limit, double interval)
    : fields_(std::make_shared<const FilippovFields>(std::move(limit.sliding))),
      band_(limit.lag.band),
      interval_(interval) {}

/// Kept by the thread, so that steps do not allocate; good until the next call.
const SlidingValues& AutomatonSliding::look(double t, ConstVectorRef x) const {
  thread_local SlidingValues values;
  look_at_sliding(*fields_, t, x, values);
  return values;
}

void AutomatonSliding::field(double t, ConstVectorRef x, VectorRef value) const { value = look(t, x).sliding; }

double AutomatonSliding::leaves(int side, double t, ConstVectorRef x) const {
  const SlidingValues& values = look(t, x);
  return side > 0 ? values.w_above + slowest() : slowest() - values.w_below;
}

bool AutomatonSliding::begins(double t, ConstVectorRef x, ConstVectorRef largest) const {
  constexpr double kAtBand = 1e-9;  // of the terms of c: a guard that was located is far nearer
  const SlidingValues& values = look(t, x);
  const double c = fields_->value(0, t, x), terms = values.normal.cwiseAbs().dot(largest);
  if (std::abs(c) > band_ + kAtBand * (terms + band_)) return false;
  return values.slides() && -values.w_above >= 2.0 * slowest() && values.w_below >= 2.0 * slowest();
}

void AutomatonSliding::land(double t, VectorRef x) const {
  const double c = fields_->value(0, t, x);
  x -= c * look(t, x).G;
  (void)settle(t, x);
}

bool AutomatonSliding::settle(double t, VectorRef x) const {
  constexpr int kMostMoves = 4;  // Newton's, from next to the surface: digits double
  bool moved = false;
  for (int k = 0; k < kMostMoves; ++k) {
    const double c = fields_->value(0, t, x);
    const Eigen::VectorXd& normal = look(t, x).normal;
    if (!(std::abs(c) > 4.0 * eps * normal.cwiseAbs().dot(x.cwiseAbs()))) break;
    x -= c / normal.squaredNorm() * normal;
    moved = true;
  }
  return moved;
}

}  // namespace nonsmooth
