// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/io.hpp>

#include <filesystem>

// Places of the five balls by Newton's law and as a wave, from tables of t and one column a ball.
nonsmooth::Picture picture(const nonsmooth::Table& newton, const nonsmooth::Table& wave,
                           const std::filesystem::path& file);
