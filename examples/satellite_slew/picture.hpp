// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/io.hpp>

#include <filesystem>

// Angles of hub and boom in the manoeuvres of one and two periods; how far the boom swings after all of them.
nonsmooth::Picture picture(const nonsmooth::Table& one, const nonsmooth::Table& two, const nonsmooth::Table& swings,
                           const std::filesystem::path& file);
