// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace nonsmooth {

/// Appends %.17g, whatever the locale.
inline void append_number(std::string& text, double value, int digits = 17) {
  std::array<char, 40> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  text.append(buffer.data(), end.ptr);
}

[[nodiscard]] inline std::string number(double value, int digits = 17) {
  std::string text;
  append_number(text, value, digits);
  return text;
}

/// 16 digits.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t k = 0; k < 16; ++k) text[15 - k] = digits[(value >> (4 * k)) & 15];
  return text;
}

}  // namespace nonsmooth
