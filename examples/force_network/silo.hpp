// SPDX-License-Identifier: Apache-2.0
#pragma once

// Disks in a silo, where they touch, and pictures of their forces (SI units).
#include <filesystem>
#include <string>
#include <vector>

#include <nonsmooth/io.hpp>

inline constexpr double a = 0.01, m = 0.02, inertia = 0.5 * m * a * a, g = 9.81, h = 1e-3,
                        mu = 0.4;  // radius, mass; SI
inline constexpr int columns = 11, rows = 16;

struct Contact {
  int first, second;  // disks; -1: floor or wall
  double x, y, nx, ny;
};

struct Silo {
  std::vector<double> x, y;
  std::vector<Contact> contacts;
};

/// Forces between the disks, of reactions r in a step h.
nonsmooth::Picture picture(const Silo& silo, const Eigen::VectorXd& r, const std::filesystem::path& file);
/// Which share of the contacts carries more than a multiple of the mean; `forces` in descending order.
nonsmooth::Picture distribution(const std::vector<double>& forces, const std::string& name,
                                const std::filesystem::path& file);
