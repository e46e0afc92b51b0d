// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/io/figure.hpp>

namespace nonsmooth {

/// From where to where an axis goes: its bounds, where they are given, otherwise the data. NaN: no data.
struct Extent {
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
};

struct Extents {
  Extent x, y, colour;
};

/// Disks reach as far as their rims; of series what lies within the bounds of x that are given, and where an axis is
/// logarithmic what is positive.
[[nodiscard]] Extents extents_of(const Panel& panel);

/// The least of 1, 2, 2.5 and 5 times a power of ten that parts the extent into at most `count` pieces; 0 where it has
/// no length.
[[nodiscard]] double tic_step(const Extent& extent, double count);

}  // namespace nonsmooth
