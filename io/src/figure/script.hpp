// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace nonsmooth {

/// The files that a picture of this stem has; an ending .svg or .png of it is left off.
struct PicturePaths {
  std::filesystem::path svg, png, script;
};
[[nodiscard]] PicturePaths picture_paths(const std::filesystem::path& stem);

}  // namespace nonsmooth
