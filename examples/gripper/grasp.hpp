// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is gripped, and what is kept of a run (SI units).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <array>
#include <filesystem>
#include <vector>

inline constexpr double kGravity = 9.81, kMass = 0.5, kFriction = 0.6, kStep = 2e-3,  // [m/s^2], [kg], [-], [s]
    kLift = 0.2, kReach = 0.11;  // [m]; from the hand's axis to its palm
inline const Eigen::Vector3d kHalf(0.03, 0.05, 0.08), kJaw(0.01, 0.03, 0.03),
    kPalm(0.08, 0.03, 0.01);  // half sides [m]

struct Run {
  nonsmooth::SystemHandle box, hand;
  std::array<nonsmooth::SystemHandle, 2> jaws;
  nonsmooth::Table table{"t", "height", "turn", "slip"};
  std::vector<nonsmooth::State> shown;
  nonsmooth::State end;
  double slip = 0.0;  // largest, of the box in the grasp [m]
  bool completed = false;
};

// The box, a jaw and the palm at the instants that a run shows.
nonsmooth::Picture picture(const Run& run, const std::filesystem::path& file);
