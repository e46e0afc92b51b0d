// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

#include "page_data.hpp"

namespace nonsmooth::scene {

/// The plots of a page.
struct PagePlots {
  std::string json;
  std::string left_out{};  ///< in words; empty: nothing
};

/// Adds the curves beside a scene: energies, residual, contacts, and before them the states of systems that no body
/// stands for (`bodies`: by part and system, -1) and the multipliers of interactions between these alone. Over the
/// parts of a run they are found by name, as RunSeries does; where a part has them not, there is a gap.
[[nodiscard]] PagePlots add_plots(const RunFile& run, const std::vector<Index>& steps,
                                  const std::vector<std::vector<Index>>& bodies, PageData& data);

}  // namespace nonsmooth::scene
