// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "utf8.hpp"

namespace nonsmooth {

std::string json_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string json = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_character(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0) {
      json += "\xEF\xBF\xBD";
      ++at;
      continue;
    }
    if (byte == '"' || byte == '\\') {
      json += '\\';
      json += text[at];
    } else if (byte < 0x20 || byte == 0x7F) {
      json += "\\u00";
      json += digits[byte >> 4];
      json += digits[byte & 15];
    } else {
      json += text.substr(at, length);
    }
    at += length;
  }
  return json + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

JsonObject& JsonObject::add_raw(std::string_view key, std::string_view json) {
  if (!members_.empty()) members_ += ", ";
  members_ += json_string(key) + ": ";
  members_ += json;
  return *this;
}

}  // namespace nonsmooth
