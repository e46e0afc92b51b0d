// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

/// MPS, and with quadratic terms QPS: linear and convex quadratic programs; docs/file_formats.md has what is read.
namespace nonsmooth::problem_files {

/// Bounds and sides of at least this size are infinite.
inline constexpr double mps_infinity = 1e20;

/// True if the first line that is no remark begins a section of MPS.
[[nodiscard]] bool is_mps(std::string_view text) noexcept;

/// @throws FormatError with the line and the field.
[[nodiscard]] ProblemFile read_mps(std::string_view text, std::string_view name);

/// @throws InvalidArgument: no qp, a finite bound that the format would take for infinite, two sides of a row that no
/// range gives back exactly.
[[nodiscard]] std::string mps_of(const AnyProblem& problem, std::string_view title);

}  // namespace nonsmooth::problem_files
