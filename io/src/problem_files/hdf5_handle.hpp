// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "../hdf5.hpp"

namespace nonsmooth::problem_files {

inline constexpr std::string_view hdf5_format = "nonsmooth-problem";
/// Files say the least version that holds their problem: 2 has global forms and the later parameters of sets, 3
/// programs, variational inequalities, and relays and mlcps with sparse matrices, 4 mpccs.
inline constexpr int hdf5_first_version = 1, hdf5_last_version = 5;

}  // namespace nonsmooth::problem_files
