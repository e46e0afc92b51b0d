// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

#include "page_data.hpp"

namespace nonsmooth::scene {

/// Adds the curves beside a scene (energies, residual, contacts), and of a run that has none those of its states and
/// multipliers; the plots as JSON.
[[nodiscard]] std::string add_plots(const RunFile& run, const std::vector<Index>& steps, bool with_states,
                                    PageData& data);

}  // namespace nonsmooth::scene
