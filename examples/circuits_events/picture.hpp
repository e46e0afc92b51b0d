// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include <nonsmooth/io.hpp>

// What a run leaves: every state, the diode's switching times, the states there.
struct Run {
  std::vector<double> t{}, charge{}, current{}, switches{}, switch_current{};
  double x1 = 0.0, x2 = 0.0, impulse = 0.0;
};

// Currents of (a), (b), (c) and (d) by events, and how far time-stepping is from them in (b).
nonsmooth::Picture picture(const Run& a, const Run& b, const Run& c, const Run& d, const Run& b_stepped,
                           const std::filesystem::path& file);
