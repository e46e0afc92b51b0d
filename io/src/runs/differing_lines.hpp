// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nonsmooth::runs {

/// How two lists of lines, "head: name = value; name = value" or "name = value", differ: the first lines that do, of
/// each the fields that do, in words. Empty: they do not. Lines that begin with `ignored` count for nothing.
[[nodiscard]] std::string differing_lines(const std::string& here, const std::string& checkpoint,
                                          std::string_view ignored = {});

/// Of a fingerprint the fields that are functions of the user's, "system 0, mass: F", or "..., not asked".
[[nodiscard]] std::vector<std::string> functions_in(const std::string& fingerprint);

}  // namespace nonsmooth::runs
