// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <string>

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

}  // namespace nonsmooth
