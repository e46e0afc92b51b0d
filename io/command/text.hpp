// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nonsmooth::command {

/// The bytes of the well-formed UTF-8 character at text[at], 1 to 4; 0 where there is none (no overlong form, no
/// surrogate, nothing above U+10FFFF).
[[nodiscard]] std::size_t utf8_character(std::string_view text, std::size_t at) noexcept;

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
