// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

/// What is made of a run is not written over it. @throws InvalidArgument where `path`, or the file beside it that
/// replace_file() writes first, is one of the run's own, by a link or another spelling too.
inline void refuse_own_file(const RunFile& run, const std::filesystem::path& path, const std::string& argument) {
  std::filesystem::path partial = path;
  partial += ".partial";
  for (const RunPart& part : run.parts()) {
    for (const std::filesystem::path& written : {path, partial}) {
      std::error_code error;
      if (std::filesystem::equivalent(written, part.path, error) && !error)
        throw InvalidArgument(argument, "'" + written.string() + "', which holds the run", "another file");
    }
  }
}

}  // namespace nonsmooth
