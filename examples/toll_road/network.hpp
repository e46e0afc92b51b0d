// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/io.hpp>

/// Drivers who have the toll road and one road of their own; all times in minutes, flows in 1000 vehicles an hour.
struct Group {
  double demand = 0.0;                  ///< d
  double alone = 0.0, congestion = 0.0; /**< their own road takes alone + congestion * its flow */

  /// Flow on the toll road, where that costs P minutes, the toll among them: the others take as long.
  [[nodiscard]] double flow(double P) const;
};

/// The toll road takes alone + congestion * its flow, and the groups share it.
struct Network {
  double alone = 10.0, congestion = 1.0;
  std::vector<Group> groups{};

  [[nodiscard]] double flow(double P) const;      ///< on the toll road
  [[nodiscard]] double toll(double P) const;      ///< [min] at which it costs P
  [[nodiscard]] double revenue(double P) const;   ///< toll * flow
  [[nodiscard]] double all_time(double P) const;  ///< what all drivers spend on the road
};

/// What is drawn: answers by their toll.
struct Shown {
  std::vector<double> local_toll{}, local_revenue{};  ///< where relaxation ended
  double best_toll = 0.0, best_revenue = 0.0, planner_toll = 0.0, planner_time = 0.0;
};

nonsmooth::Picture picture(const Network& network, const Shown& shown, const std::filesystem::path& file);
