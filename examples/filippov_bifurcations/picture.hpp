// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include <nonsmooth/io.hpp>

// (x', y') at (x, y).
using Field = std::function<std::pair<double, double>(double x, double y)>;

struct Way {
  std::vector<double> x{}, y{};
};

// Three phase portraits: the cycle without and with the line in its way, ways to and from pseudo-equilibria, and to and
// from two folds.
nonsmooth::Picture picture(const std::vector<Way>& cycles, const std::vector<Way>& slides,
                           const std::vector<Way>& folds, const std::filesystem::path& file);
