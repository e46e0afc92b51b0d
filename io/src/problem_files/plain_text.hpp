// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

/// Our own text: the fields of our HDF5 by name, for people to write; docs/file_formats.md has it.
namespace nonsmooth::problem_files {

/// How such a text begins.
inline constexpr std::string_view plain_text_mark = "nonsmooth-problem";
/// Its last word, so that what was cut short is told.
inline constexpr std::string_view plain_text_end = "end";

[[nodiscard]] bool is_plain_text(std::string_view text) noexcept;

/// @throws FormatError with line and column.
[[nodiscard]] ProblemFile read_plain_text(std::string_view text, std::string_view name);

/// @throws InvalidArgument: a problem in blocks.
[[nodiscard]] std::string plain_text_of(const AnyProblem& problem, std::string_view title);

}  // namespace nonsmooth::problem_files
