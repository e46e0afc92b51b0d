// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/qp.hpp>

/// What is drawn; R returns [1/year], risk standard deviations [1/sqrt(year)].
struct Frontier {
  std::vector<double> R{}, risk{}, short_risk{};  ///< without and with short sales
  std::vector<Eigen::VectorXd> x{};               ///< shares
  std::vector<double> kink_R{}, kink_risk{};
  Eigen::VectorXd asset_R{}, asset_risk{}, tangency{};
  double tangency_R = 0.0, riskless = 0.0, slope = 0.0;
};

nonsmooth::Picture picture(const Frontier& frontier, const std::filesystem::path& file);
