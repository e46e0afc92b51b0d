// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace nonsmooth {

struct GnuplotRun {
  bool found = false;    ///< the program is there
  bool success = false;  ///< it ended with 0
  std::string output;    ///< what it wrote to standard output and standard error
};

/// Runs `gnuplot <script>` without a shell and waits for it.
[[nodiscard]] GnuplotRun run_gnuplot(const std::filesystem::path& script);

}  // namespace nonsmooth
