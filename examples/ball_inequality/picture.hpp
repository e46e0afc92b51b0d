// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/vi.hpp>

/// The iterates of a method, and how it ended.
struct Way {
  std::string name;
  std::vector<Eigen::Vector2d> points{};
  nonsmooth::vi::Result result{};
};

/// Both discs with the ways of all methods, the circles of the field around c in grey.
nonsmooth::Picture picture(const Eigen::Vector2d& inside, const std::vector<Way>& ways, const Eigen::Vector2d& outside,
                           const std::vector<Way>& others, const std::filesystem::path& file);
