// SPDX-License-Identifier: Apache-2.0
#pragma once

// A row of dominoes, and what is kept of a run (SI units).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <vector>

inline constexpr double kThick = 0.008, kWide = 0.024, kHigh = 0.05, kGap = 0.02, kPitch = kGap + kThick;  // [m]
inline constexpr double kGravity = 9.81, kMass = 0.01, kStep = 5e-4;  // [m/s^2], [kg], [s]

inline double tilt(nonsmooth::ConstVectorRef q) { return 2.0 * std::atan2(q[5], q[3]); }  // about y

// One run, and what was seen.
struct Run {
  std::vector<nonsmooth::SystemHandle> dominoes;
  std::vector<double> passes;  // when each is tilted as far as those that hit the next [s]
  double gained = 0.0, deepest = 0.0, fastest = 0.0, aside = 0.0;
  std::vector<nonsmooth::State> shown;
  nonsmooth::State end;
  bool completed = false;
};

// Speeds from one domino to the next [m/s].
inline std::vector<double> speeds(const Run& run) {
  std::vector<double> result;
  for (std::size_t i = 1; i < run.passes.size(); ++i) result.push_back(kPitch / (run.passes[i] - run.passes[i - 1]));
  return result;
}

// The row at the instants that a run shows, and the speeds of both waves.
nonsmooth::Picture picture(const Run& gentle, const Run& hard, const std::filesystem::path& file);
