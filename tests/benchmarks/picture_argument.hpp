// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nonsmooth::benchmarks {

/// How a program goes on that takes --picture=PATH and, as programs of Google Benchmark do, --benchmark_list_tests.
struct PictureArgument {
  std::optional<int> ends{};  ///< with this exit status, at once
  std::string path{};         ///< empty: no picture
};

/// The names are those of what is measured, for the list.
inline PictureArgument picture_argument(int argc, char** argv, const std::vector<std::string>& names) {
  PictureArgument found;
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument(argv[k]);
    if (argument == "--benchmark_list_tests") {
      for (const std::string& name : names) std::printf("%s\n", name.c_str());
      return {.ends = 0};
    }
    if (!argument.starts_with("--picture=")) {
      std::fprintf(stderr, "unknown argument %s; there is --picture=PATH\n", argv[k]);
      return {.ends = 2};
    }
    found.path = argument.substr(10);
  }
  return found;
}

}  // namespace nonsmooth::benchmarks
