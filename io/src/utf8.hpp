// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace nonsmooth {

/// The bytes of the well-formed UTF-8 character at text[at], 1 to 4; 0 where there is none (no overlong form, no
/// surrogate, nothing above U+10FFFF).
[[nodiscard]] std::size_t utf8_character(std::string_view text, std::size_t at) noexcept;

}  // namespace nonsmooth
