// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

/// How a run's file gets its name.
namespace nonsmooth::runs {

/// @throws FileError where the path is there and is no regular file.
void require_regular_file(const std::filesystem::path& path);

/// @throws FileError where the file of a part, or of the first one the next, is there already.
void require_new_run(const std::filesystem::path& path, Index part);

/// The later files of the run that `path` has the first file of, which go when it is written over; another run's are
/// not among them. A session of HDF5 has to live. @throws FileError where somebody writes one of the files.
[[nodiscard]] std::vector<std::filesystem::path> parts_to_replace(const std::filesystem::path& path, Index part);

/// Gives a file that was begun under another name its own, over none that exists unless `overwrite`: then `old_parts`
/// go. @throws FileError
void publish_run(const std::filesystem::path& begun, const std::filesystem::path& path, bool overwrite,
                 const std::vector<std::filesystem::path>& old_parts);

}  // namespace nonsmooth::runs
