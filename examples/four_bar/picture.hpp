// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/io.hpp>

#include <filesystem>

// The motor's moment and the forces on two bearings over the columns of `table`.
nonsmooth::Picture picture(const nonsmooth::Table& table, const std::filesystem::path& file);
