// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two networks of roads, and pictures of their flows.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/mcp.hpp>

/// A road, one way. A flow v takes free + slope v^power to travel it [min].
struct Road {
  int from, to;
  double free, slope, power;

  double time(double v) const;
};

struct Network {
  std::vector<std::pair<double, double>> places{};
  std::vector<Road> roads{};
  Eigen::VectorXd demand{};  ///< that starts at each place [vehicles/min]
  int goal = 0;              ///< where all go
};

/// Braess's network, 6 vehicles/min from place 0 to place 3, with or without the road between the routes.
Network braess(bool bridge);

/// A city of 11 x 7 crossings of which each sends one vehicle/min to the same one, and a river with bridges in these
/// rows.
Network city(const std::vector<int>& bridges);

/// Flows and least times to the goal.
struct Traffic {
  std::string name;
  Network network;
  Eigen::VectorXd v, T;

  double spent() const;      ///< what all spend on the road, sum of v t(v) [min vehicles/min]
  double mean_time() const;  ///< the same a vehicle [min]
};

nonsmooth::Picture picture(const std::vector<Traffic>& all, const std::filesystem::path& file);
