// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include <nonsmooth/io.hpp>

// States over time, and the push theta_- - theta_+.
struct Path {
  std::vector<double> t{}, x{}, v{}, push{};
};

// The phase plane with all three ways, and the push over time.
nonsmooth::Picture picture(double k, const Path& smooth, const Path& stepped, const Path& chatter,
                           const std::filesystem::path& file);
