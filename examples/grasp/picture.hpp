// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <filesystem>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/cone_program.hpp>

/// From the axis to finger i of three.
inline Eigen::Vector3d outwards(int i) {
  const double angle = 2.0 * std::numbers::pi * i / 3.0;
  return {std::cos(angle), std::sin(angle), 0.0};
}

/// What is drawn: forces (N_1, T_1, V_1, N_2, ...), and the largest normal force over the pull and over its direction.
struct Shown {
  Eigen::VectorXd pulled_towards{}, pulled_away{};
  std::vector<double> H{}, towards{}, away{}, towards_form{}, away_form{};
  std::vector<std::vector<double>> turned{};  ///< pulls of 2, 4, 6 N, every 5 degrees
};

nonsmooth::Picture picture(const Shown& shown, const std::filesystem::path& file);
