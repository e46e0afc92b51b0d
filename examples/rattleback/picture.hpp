// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/io.hpp>

#include <filesystem>

// Spin, pitch and roll of the boat that turns back, and the spin of the one that goes on.
nonsmooth::Picture picture(const nonsmooth::Table& back, const nonsmooth::Table& on, const std::filesystem::path& file);
