// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

/// The project's own lossless layout on HDF5, for every family; docs/file_formats.md has it object by object.
namespace nonsmooth::problem_files {

/// Bytes of a title in any format: an attribute holds at most 64 KiB.
inline constexpr std::size_t longest_title = 60'000;

/// True if these first bytes are those of an HDF5 file.
[[nodiscard]] bool is_hdf5(std::string_view bytes) noexcept;

/// Our own layout, or FCLIB's. @throws FormatError naming the object's path in the file.
[[nodiscard]] ProblemFile read_hdf5(const std::filesystem::path& path);
/// The same from a copy of a file in memory.
[[nodiscard]] ProblemFile read_hdf5_image(std::span<const char> bytes, std::string_view name);

/// Into a new file at this very path. @throws FileError, InvalidArgument: a title of more than 60000 bytes.
void write_hdf5(const AnyProblem& problem, const std::filesystem::path& path, std::string_view title);

}  // namespace nonsmooth::problem_files
