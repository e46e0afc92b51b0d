// SPDX-License-Identifier: Apache-2.0
#include "extents.hpp"

#include <cmath>
#include <cstddef>

namespace nonsmooth {
namespace {

void include(Extent& extent, double low, double high) {  // fmin and fmax leave NaN out
  if (!std::isfinite(low) || !std::isfinite(high)) return;
  extent.low = std::fmin(extent.low, low);
  extent.high = std::fmax(extent.high, high);
}

void bound(Extent& extent, const Axis& axis) {
  if (std::isfinite(axis.low)) extent.low = axis.low;
  if (std::isfinite(axis.high)) extent.high = axis.high;
}

}  // namespace

Extents extents_of(const Panel& panel) {
  Extents extents;
  const auto include_point = [&](double x, double y, double radius) {
    if (x < panel.x.low || x > panel.x.high || !std::isfinite(x) || !std::isfinite(y)) return;
    if ((panel.x.logarithmic && x <= 0.0) || (panel.y.logarithmic && y <= 0.0)) return;
    include(extents.x, x - radius, x + radius);
    include(extents.y, y - radius, y + radius);
  };
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) include_point(series.x[i], series.y[i], 0.0);
  }
  for (std::size_t i = 0; i < panel.disks.x.size(); ++i)
    include_point(panel.disks.x[i], panel.disks.y[i], 1.1 * panel.disks.radius[i]);
  const SegmentScene& segments = panel.segments;
  for (std::size_t i = 0; i < segments.x_0.size(); ++i) {
    include_point(segments.x_0[i], segments.y_0[i], 0.0);
    include_point(segments.x_1[i], segments.y_1[i], 0.0);
  }
  const bool forces = !segments.x_0.empty();
  for (const double value : forces ? segments.value : panel.disks.value) include(extents.colour, value, value);
  bound(extents.x, panel.x);
  bound(extents.y, panel.y);
  bound(extents.colour, forces ? segments.colour : panel.disks.colour);
  return extents;
}

double tic_step(const Extent& extent, double count) {
  const double least = (extent.high - extent.low) / count;
  if (!(least > 0.0) || !std::isfinite(least)) return 0.0;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= least * (1.0 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

}  // namespace nonsmooth
