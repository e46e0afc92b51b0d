// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include <nonsmooth/io.hpp>

struct Loading {
  std::vector<double> settlement{0.0}, pressure{0.0};  // [m], in units of c
  nonsmooth::DiskScene zone{};                         // plastic shear strain at the end
};

// Pressures over the settlement beside the exact limit, and the plastic zone of the finer mesh.
nonsmooth::Picture picture(const Loading& coarse, const Loading& fine, double exact, const std::filesystem::path& file);
