// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// "text" with quotes, backslashes and control characters escaped; a byte that is not UTF-8 becomes U+FFFD. RFC 8259.
[[nodiscard]] std::string json_string(std::string_view text);

/// The shortest digits that read back to the same double; null where it is not finite, for JSON has no such number.
[[nodiscard]] std::string json_number(double value);

/// One object on one line, its members in the order they were added.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view value) { return add_raw(key, json_string(value)); }
  JsonObject& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
  JsonObject& add(std::string_view key, double value) { return add_raw(key, json_number(value)); }
  JsonObject& add(std::string_view key, Index value) { return add_raw(key, std::to_string(value)); }
  JsonObject& add(std::string_view key, bool value) { return add_raw(key, value ? "true" : "false"); }
  /// A value that is JSON already: null, an array, an object.
  JsonObject& add_raw(std::string_view key, std::string_view json);

  [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace nonsmooth
