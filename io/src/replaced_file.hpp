// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <nonsmooth/io/csv.hpp>

namespace nonsmooth {

/// Calls write(partial), the path of a file beside, and gives that file its name when it is complete, in the place of
/// one that may be there. @throws FileError, also where `path` is a device, a pipe or a folder, whose place a file
/// would take; and what `write` throws
template <class Write>
void write_complete(const std::filesystem::path& path, Write&& write) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw FileError(path.string() + ": is no regular file");
  std::filesystem::path partial = path;
  partial += ".partial";
  try {
    write(partial);
  } catch (...) {
    std::filesystem::remove(partial, error);
    throw;
  }
  std::filesystem::rename(partial, path, error);
  if (!error) return;
  const std::string reason = error.message();
  std::filesystem::remove(partial, error);
  throw FileError(path.string() + ": " + reason);
}

/// The same for a stream, which `write` gets. @throws likewise
template <class Write>
void replace_file(const std::filesystem::path& path, Write&& write) {
  write_complete(path, [&](const std::filesystem::path& partial) {
    std::ofstream file(partial, std::ios::binary);
    if (!file) throw FileError(partial.string() + ": cannot be opened for writing");
    write(file);
    file.close();
    if (!file) throw FileError(partial.string() + ": could not be written to the end");
  });
}

}  // namespace nonsmooth
