// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/io.hpp>

#include <filesystem>

// Orbits of the pins in their bearings, the rocker's lead and its spin over the second turn, from the columns of
// `table`.
nonsmooth::Picture picture(const nonsmooth::Table& table, const std::filesystem::path& file);
