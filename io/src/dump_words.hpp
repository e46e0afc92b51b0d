// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace nonsmooth::dump_words {

// What the title of a dumped problem is put together with, and read by (dump_title.hpp).
inline constexpr std::string_view level = "level ", run = "of the run ", command = "nonsmooth solve ";
inline constexpr std::string_view solver = " --solver \"", tolerance = " --tolerance ";
inline constexpr std::string_view rows = " rows, ", by = " by ", after = " after ",
                                  iterations = " iterations, residual ";

}  // namespace nonsmooth::dump_words
