// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <nonsmooth/io/csv.hpp>

namespace nonsmooth {

/// A file in the place of one that may be there, which appears under its name when it is complete: `write` gets the
/// stream. @throws FileError, and what `write` throws
template <class Write>
void replace_file(const std::filesystem::path& path, Write&& write) {
  std::filesystem::path partial = path;
  partial += ".partial";
  std::string complaint;
  {
    std::ofstream file(partial, std::ios::binary);
    if (!file) throw FileError(partial.string() + ": cannot be opened for writing");
    write(file);
    file.close();
    if (!file) complaint = partial.string() + ": could not be written to the end";
  }
  std::error_code error;
  if (complaint.empty()) {
    std::filesystem::rename(partial, path, error);
    if (!error) return;
    complaint = path.string() + ": " + error.message();
  }
  std::filesystem::remove(partial, error);
  throw FileError(complaint);
}

}  // namespace nonsmooth
