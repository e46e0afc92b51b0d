// SPDX-License-Identifier: Apache-2.0
// Shared by the runs against closed forms. Every tolerance is derived where it stands; kEps is the double's.
#pragma once

#include <limits>
#include <numbers>

#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth::closed_forms {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;
constexpr double kGravity = 9.81;

inline TimeSteppingOptions moreau_jean(double h, double theta = 0.5) {
  TimeSteppingOptions options;
  options.integrator = MoreauJean{.theta = theta, .forecast = 0.5};
  options.step = h;
  return options;
}

inline LagrangianLinearSystem mass_point(double mass, double force, double q0, double v0) {
  return {.mass = {{mass}},
          .damping = {},
          .stiffness = {},
          .force = {force},
          .q0 = {q0},
          .v0 = {v0},
          .prescribed = {},
          .name = "point"};
}

}  // namespace nonsmooth::closed_forms
