// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>

namespace nonsmooth::command {
namespace {

void append_hexadecimal(std::string& text, unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  text += "\\x";
  text += digits[byte >> 4];
  text += digits[byte & 15];
}

}  // namespace

std::size_t utf8_character(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (at >= text.size()) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    // The second byte excludes overlong forms (E0) and surrogates (ED).
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::string printable(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_character(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool c1_control = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    if (byte == '\n') {
      line += "\\n";
    } else if (byte == '\t') {
      line += "\\t";
    } else if (byte == '\r') {
      line += "\\r";
    } else if (byte < 0x20 || byte == 0x7F || length == 0) {
      append_hexadecimal(line, byte);
    } else if (c1_control) {
      append_hexadecimal(line, byte);
      append_hexadecimal(line, static_cast<unsigned char>(text[at + 1]));
    } else {
      line += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return line;
}

std::size_t width(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string folded(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == '_') c = ' ';
  }
  return text;
}

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace nonsmooth::command
