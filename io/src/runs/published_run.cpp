// SPDX-License-Identifier: Apache-2.0
#include "published_run.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/run_file.hpp>

#include "part_file.hpp"
#include "writer_lock.hpp"

namespace nonsmooth::runs {
namespace {

/// The number that all files of a run have; nothing of another file, or one that cannot be read.
std::optional<std::uint64_t> run_of(const std::filesystem::path& path) {
  try {
    return PartFile(path).about.run;
  } catch (const FileError&) {
    return std::nullopt;
  }
}

}  // namespace

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

std::vector<std::filesystem::path> parts_to_replace(const std::filesystem::path& path, Index part) {
  std::vector<std::filesystem::path> own;
  std::error_code error;
  const auto require_no_writer = [](const std::filesystem::path& one) {
    if (is_marked_and_written(one))
      throw FileError(one.string() + ": is being written; a run is replaced when its writer has ended");
  };
  if (!std::filesystem::exists(path, error)) return own;
  require_no_writer(path);
  const std::optional<std::uint64_t> run = part == 0 ? run_of(path) : std::nullopt;
  for (Index later = 1; run && std::filesystem::exists(run_part_path(path, later), error); ++later) {
    own.push_back(run_part_path(path, later));
    if (run_of(own.back()) != run) {
      own.pop_back();
      break;
    }
    require_no_writer(own.back());
  }
  return own;
}

void publish_run(const std::filesystem::path& begun, const std::filesystem::path& path, bool overwrite,
                 const std::vector<std::filesystem::path>& old_parts) {
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
  for (const std::filesystem::path& old : old_parts) std::filesystem::remove(old, error);
}

}  // namespace nonsmooth::runs
