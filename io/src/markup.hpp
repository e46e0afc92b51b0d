// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace nonsmooth {

/// Text as it stands in HTML or XML, attributes too, on one line. What is no character of XML is left out.
inline std::string escape_markup(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\t' || c == '\n' || c == '\r')
      safe += ' ';
    else if (static_cast<unsigned char>(c) >= 0x20)
      safe += c;
  }
  return safe;
}

}  // namespace nonsmooth
