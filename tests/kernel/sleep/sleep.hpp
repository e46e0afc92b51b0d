// SPDX-License-Identifier: Apache-2.0
// What the tests of islands that sleep share.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::sleep_tests {

inline constexpr double kGravity = 9.81, kStep = 1e-3, kRest = 0.01,
                        kFall = kRest * kStep * kGravity;  // kFall: rest h g
inline constexpr Index kSteps = 20;

inline TimeSteppingOptions sleeping(double rest = kRest) {
  return {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}, .sleep = {.rest = rest, .steps = kSteps}};
}

/// Steps until the report's number of sleepers is `asleep`; the number of steps made, 0: it never was.
inline Index steps_until(TimeStepping& simulation, Index asleep, Index most) {
  for (Index k = 1; k <= most; ++k) {
    const StepReport report = simulation.step();
    if (!report) ADD_FAILURE() << report.message();
    if (report.asleep == asleep) return k;
  }
  return 0;
}

/// Two boxes on each other, and a ball that flies at the upper one: it hits it some 0.1 s after they fell asleep.
struct Bowling {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> stack;
  SystemHandle ball;

  Bowling() {
    const Eigen::Vector3d half(0.1, 0.1, 0.05);
    std::vector<BodyShapes> bodies;
    for (const double height : {0.05, 0.15}) {
      stack.push_back(model.add(RigidBody{.inertia = MassProperties::of_mass(Box{half}, 1.0).inertia,
                                          .position = {0.0, 0.0, height},
                                          .orientation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.3).normalized(),
                                          .gravity = {0.0, 0.0, -kGravity}}));
      bodies.push_back({stack.back(), {{.shape = Box{half}}}});
    }
    ball = model.add(RigidBody{.inertia = 4e-4 * Eigen::Matrix3d::Identity(),
                               .position = {-0.4, 0.02, 0.18},
                               .velocity = {2.0, 0.0, 0.5},
                               .gravity = {0.0, 0.0, -kGravity}});
    bodies.push_back({ball, {{.shape = Sphere{0.03}}}});
    model.detect(BodyContacts(bodies, {{.shape = HalfSpace{}}},
                              NewtonImpactFrictionLaw{.restitution = 0.2, .friction = 0.4, .dimension = 3}));
  }
};

}  // namespace nonsmooth::sleep_tests
