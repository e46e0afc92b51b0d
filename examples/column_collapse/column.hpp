// SPDX-License-Identifier: Apache-2.0
#pragma once

// A column of disks, before and after (SI units).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <filesystem>
#include <vector>

inline constexpr double kRadius = 0.005, kGravity = 9.81, kFriction = 0.5, kStep = 2e-3;  // [m], [m/s^2], [-], [s]

struct Column {
  double half_width = 0.0, height = 0.0, run_out = 0.0;
  std::vector<nonsmooth::SystemHandle> disks;
  std::vector<double> radii;
  nonsmooth::State start, end;
  bool completed = false;
  [[nodiscard]] double aspect() const { return height / half_width; }
  [[nodiscard]] double relative_run_out() const { return (run_out - half_width) / half_width; }
};

// Two heaps, coloured by where disks were at the start, and the run-outs of four flat and four slender columns.
nonsmooth::Picture picture(const std::vector<Column>& columns, const std::filesystem::path& file);
