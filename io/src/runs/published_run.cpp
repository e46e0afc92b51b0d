// SPDX-License-Identifier: Apache-2.0
#include "published_run.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/run_file.hpp>

namespace nonsmooth::runs {

void require_regular_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw FileError(path.string() + ": is no regular file");
}

void require_new_run(const std::filesystem::path& path, Index part) {
  std::error_code error;
  for (const std::filesystem::path& one : {path, part == 0 ? run_part_path(path, 1) : path}) {
    if (std::filesystem::exists(one, error))
      throw FileError(one.string() + ": exists; a run is not written over another unless `overwrite` says so");
  }
}

void publish_run(const std::filesystem::path& begun, const std::filesystem::path& path, Index part, bool overwrite) {
  std::error_code error;
  if (!overwrite) {
    if (::link(begun.c_str(), path.c_str()) == 0) {
      ::unlink(begun.c_str());
      return;
    }
    if (errno == EEXIST) throw FileError(path.string() + ": exists; somebody made it just now");
  }
  std::filesystem::rename(begun, path, error);  // also of file systems without links
  if (error) throw FileError(path.string() + ": cannot be made: " + error.message());
  if (!overwrite || part > 0) return;
  for (Index old = 1; std::filesystem::remove(run_part_path(path, old), error); ++old) {
  }
}

}  // namespace nonsmooth::runs
