// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "vault.hpp"

// Outlines of a vault that stands and of one that falls, and their crowns over time.
nonsmooth::Picture picture(const Run& stands, const Run& falls, const std::filesystem::path& file);
