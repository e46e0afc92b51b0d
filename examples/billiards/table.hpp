// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table, and pictures of what happens on it (SI units).
#include <nonsmooth/io.hpp>

#include <Eigen/Core>

#include <filesystem>

inline constexpr double kTable = 1.0, kBall = 0.03, kPillar = 0.17, kSpeed = 1.0, kAngle = 0.6, kRun = 60.0;
inline constexpr double kWay = kTable - kBall;        // of the centre, from that of the table
inline const Eigen::Vector2d kPillarAt(0.15, -0.55);  // c

// Paths on the round table and beside the pillar, and over time how far apart two balls are on either.
nonsmooth::Picture picture(const nonsmooth::Table& round, const nonsmooth::Table& other, const nonsmooth::Table& apart,
                           const std::filesystem::path& file);
