// SPDX-License-Identifier: Apache-2.0
#pragma once

// The prism in space, and what is kept of its runs (SI units).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <array>
#include <functional>
#include <vector>

#include "prism.hpp"

inline constexpr double kGravity = 9.81, kHeight = 1.0, kDamping = 1.0;  // [m/s^2], [m], [N s/m]
inline constexpr double kEnd = 3.0, kApart = 0.05;                       // of the fall, of its shots [s]

struct Tensegrity {
  nonsmooth::NonSmoothDynamicalSystem model;
  std::array<nonsmooth::SystemHandle, 3> struts;
  std::array<nonsmooth::InteractionHandle, 9> cables;
};

// A prism whose feet are `height` above the floor, in equilibrium, with symmetric rates; d of the cables.
Tensegrity build(const Prism& rates, double height, double damping);

// In free fall, without damping, from equilibrium with symmetric rates, beside the motion `exact`.
struct Motion {
  nonsmooth::Table table{"t", "rho", "beta", "exact beta"};
  double off = 0.0;            // largest distance of both coordinates [m], [rad]
  nonsmooth::Index slack = 0;  // most cables at once
};
Motion swing(const Prism& rates, double h, double T, const std::function<Prism(double)>& exact);

// Dropped upright on a rough floor, with damping in the cables.
struct Fall {
  nonsmooth::Table table{"t", "height", "slack", "vertical", "horizontal"};
  std::vector<Shot> shots{};
  double gained = 0.0, lost = 0.0, aside = 0.0, deepest = 0.0, pushing = 0.0, lands = 0.0, inner = 0.0, slack = 0.0;
};
Fall drop(double h);
