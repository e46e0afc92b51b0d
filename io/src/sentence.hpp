// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace nonsmooth {

/// With a full stop behind it, but where it has an end of its own.
[[nodiscard]] inline std::string sentence(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  if (!text.empty() && text.back() != '.' && text.back() != '!' && text.back() != '?') text += '.';
  return text;
}

/// The two behind each other.
[[nodiscard]] inline std::string with_sentence(std::string text, const std::string& next) {
  text = sentence(std::move(text));
  return text + (text.empty() ? "" : " ") + next;
}

}  // namespace nonsmooth
