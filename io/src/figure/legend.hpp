// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nonsmooth/io/figure.hpp>

namespace nonsmooth {

/// One line of a legend: a label and how gnuplot draws what it names.
struct LegendEntry {
  std::string label{}, look{};

  friend bool operator==(const LegendEntry&, const LegendEntry&) = default;
};

/// What a panel's legend says, guides last. `colours`: of its series, as assign_colours() has them.
[[nodiscard]] std::vector<LegendEntry> legend_of(const Panel& panel, const std::vector<std::size_t>& colours);

/// The legend of a figure whose panels all have the same one, in whatever order; empty: of one panel, or they differ.
[[nodiscard]] std::vector<LegendEntry> shared_legend(const Figure& figure,
                                                     const std::vector<std::vector<std::size_t>>& colours);

/// How many rows it takes in a figure of this width [pixels], whose columns are all as wide as its longest label.
[[nodiscard]] int legend_rows(const std::vector<LegendEntry>& legend, int width);

}  // namespace nonsmooth
