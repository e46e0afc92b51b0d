// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace nonsmooth::test {

/// Replaces what stands between the lines "<!-- begin NAME -->" and "<!-- end NAME -->" of a page of docs. @returns
/// whether it did; where not, why is on the error stream.
inline bool replace_table(const std::string& page, std::string_view text, const std::string& name = "table") {
  const std::string begin = "<!-- begin " + name + " -->\n", end = "<!-- end " + name + " -->";
  std::stringstream all;
  all << std::ifstream(page).rdbuf();
  std::string document = all.str();
  const auto from = document.find(begin), to = document.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) {
    std::cerr << page << ": no lines " << begin << "and " << end << '\n';
    return false;
  }
  document.replace(from + begin.size(), to - from - begin.size(), text);
  std::ofstream out(page);
  out << document;
  return static_cast<bool>(out.flush());
}

}  // namespace nonsmooth::test
