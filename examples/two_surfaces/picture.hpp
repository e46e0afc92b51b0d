// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include <nonsmooth/io.hpp>

// (x', y') where the switching functions have the signs s1, s2.
using Field = std::function<std::pair<double, double>(double s1, double s2)>;

struct Way {
  std::vector<double> x{}, y{};
};

// The vector fields with ways through them: two of signs of x and y, and one of the sign of x - y.
nonsmooth::Picture picture(const Field& spiral, const std::vector<Way>& spirals, const Field& apart,
                           const std::vector<Way>& slides, const Field& sides, const std::vector<Way>& diagonals,
                           const std::filesystem::path& file);
