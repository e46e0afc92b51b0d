// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <nonsmooth/numerics/sets.hpp>

#include "../hdf5.hpp"

namespace nonsmooth::problem_files {

inline constexpr std::string_view hdf5_format = "nonsmooth-problem";
/// Files say the least version that holds their problem: 2 has global forms and the later parameters of sets.
inline constexpr int hdf5_first_version = 1, hdf5_last_version = 2;

/// The names of SetKind in files, in its order.
inline constexpr std::array<std::string_view, 9> set_kind_names = {
    "free",           "orthant",   "box",    "second-order-cone", "coulomb-2d", "coulomb-3d",
    "drucker-prager", "von-mises", "rolling"};
struct LaterParameter {
  const char* path;
  double BlockSet::*entry;
};
/// The parameters of sets that came with version 2; a list that is not there has the default of BlockSet.
inline constexpr std::array<LaterParameter, 5> later_parameters = {{{"/K/mu_2", &BlockSet::mu_2},
                                                                    {"/K/rolling", &BlockSet::rolling},
                                                                    {"/K/spinning", &BlockSet::spinning},
                                                                    {"/K/cohesion", &BlockSet::cohesion},
                                                                    {"/K/unit", &BlockSet::unit}}};
inline constexpr std::size_t set_kind_width = 24;  ///< bytes of a name in a file, padded with zeros

}  // namespace nonsmooth::problem_files
