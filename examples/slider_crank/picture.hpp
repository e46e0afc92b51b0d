// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/io.hpp>

#include <filesystem>

// Ends of the slider, the crank's speed and the energy, over the turns.
nonsmooth::Picture picture(const nonsmooth::Table& table, const std::filesystem::path& file);
