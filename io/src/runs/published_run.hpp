// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <nonsmooth/numerics/types.hpp>

/// How a run's file gets its name.
namespace nonsmooth::runs {

/// @throws FileError where the path is there and is no regular file.
void require_regular_file(const std::filesystem::path& path);

/// @throws FileError where the file of a part, or of the first one the next, is there already.
void require_new_run(const std::filesystem::path& path, Index part);

/// Gives a file that was begun under another name its own, over none that exists unless `overwrite`: what an older run
/// leaves behind then goes. @throws FileError
void publish_run(const std::filesystem::path& begun, const std::filesystem::path& path, Index part, bool overwrite);

}  // namespace nonsmooth::runs
