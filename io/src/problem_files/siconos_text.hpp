// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

/// The text formats of Siconos's numerics; docs/file_formats.md has the layouts, class by class.
namespace nonsmooth::problem_files {

/// What the remark behind rolling friction in 2D begins with, whose layout is that of an old plasticity.
inline constexpr std::string_view rolling_remark = "class: rolling";

/// Tries every layout; `expected` (null: none) decides where several fit. @throws FormatError.
[[nodiscard]] ProblemFile read_siconos_text(std::string_view text, std::string_view name, const ProblemClass* expected);

/// @throws InvalidArgument naming what the layout of the problem's class cannot hold.
[[nodiscard]] std::string siconos_text_of(const AnyProblem& problem, std::string_view title);

}  // namespace nonsmooth::problem_files
