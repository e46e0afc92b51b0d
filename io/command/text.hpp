// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "utf8.hpp"

namespace nonsmooth::command {

/// The text as one line of a terminal: control characters become \n, \t, \x1b, ...; bytes that are not UTF-8 \xHH. A
/// file's name cannot break a table or steer the terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// Number of characters of well-formed UTF-8.
[[nodiscard]] std::size_t width(std::string_view text) noexcept;

/// The name as solvers are compared: lower case, '-' and '_' read as ' '.
[[nodiscard]] std::string folded(std::string_view name);

/// "a, b, c".
[[nodiscard]] std::string joined(std::span<const std::string_view> names);

}  // namespace nonsmooth::command
