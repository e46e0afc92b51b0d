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
