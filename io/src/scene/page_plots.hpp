// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

#include "page_data.hpp"

namespace nonsmooth::scene {

/// Adds the curves beside a scene: energies, residual, contacts, and before them, of the first part, the states of
/// systems that no body stands for (`bodies`: by system, -1) and the multipliers of interactions between these alone;
/// the plots as JSON.
[[nodiscard]] std::string add_plots(const RunFile& run, const std::vector<Index>& steps,
                                    const std::vector<Index>& bodies, PageData& data);

}  // namespace nonsmooth::scene
