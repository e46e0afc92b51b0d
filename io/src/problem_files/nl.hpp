// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

/// AMPL's .nl, text and binary: programs and complementarity problems; docs/file_formats.md has what is read.
namespace nonsmooth::problem_files {

/// True if these first bytes are those of a .nl file, in either of its forms.
[[nodiscard]] bool is_nl(std::string_view text) noexcept;

/// @throws FormatError with the line.
[[nodiscard]] ProblemFile read_nl(std::string_view text, std::string_view name);

}  // namespace nonsmooth::problem_files
