// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>

/// The exchange format of Boisvert, Pozo, Remington 1996 for one matrix; a problem is several files (problem_file.hpp).
namespace nonsmooth::problem_files {

/// The files of one problem: what they are called in messages, and their texts; an absent file has no name.
struct MarketFile {
  std::string name{};
  std::string text{};
};
struct MarketFiles {
  MarketFile matrix{}, q{}, lower{}, upper{};
};

/// True if a text says that it is of this format.
[[nodiscard]] bool is_matrix_market(std::string_view text) noexcept;

/// An lcp, or with bounds a relay; dense where the matrix is an array, sparse where it is in coordinates.
/// @throws FormatError.
[[nodiscard]] ProblemFile read_matrix_market(const MarketFiles& files);

/// The texts of a problem; names are left empty where there is no file. @throws InvalidArgument: another class.
[[nodiscard]] MarketFiles matrix_market_of(const AnyProblem& problem, std::string_view title);

}  // namespace nonsmooth::problem_files
