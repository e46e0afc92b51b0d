// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <nonsmooth/io/scene.hpp>

namespace nonsmooth::scene {

using ReadTable = std::function<RunRows(const char* path)>;

/// The scene that tables of a part under /scene describe, of a part with so many systems. @throws FormatError naming
/// `file`, the table and the row where one does not fit.
[[nodiscard]] Scene read_tables(const std::string& file, Index bodies, const ReadTable& read);

}  // namespace nonsmooth::scene
