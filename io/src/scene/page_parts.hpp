// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace nonsmooth::scene {

/// What a page is put together from, beside its own style and scripts (io/src/scene/page).
struct PageTexts {
  std::string title, scene, data, three;
};
[[nodiscard]] std::string page_text(const PageTexts& texts);

/// three.js from a file; an empty path: where it was when this was built, or where Debian's libjs-three has it.
/// @throws FileError naming the places that were looked at.
[[nodiscard]] std::string read_three(const std::filesystem::path& path);

}  // namespace nonsmooth::scene
