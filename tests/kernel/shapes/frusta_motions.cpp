// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones: motions with closed forms, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::frusta_motions_test {
namespace {

using Eigen::Vector3d;

constexpr double g = 9.81, kStep = 1e-3, kMass = 2.0;

/// One body of a shape about its centre of mass, on one shape of the ground.
struct OneSolid {
  NonSmoothDynamicalSystem model;
  SystemHandle body;

  OneSolid(const RigidBody& description, const ShapeOnBody& shape, const ShapeOnBody& ground, double mu)
      : body(model.add(description)) {
    model.detect(std::make_shared<const BodyContacts>(std::vector<BodyShapes>{{body, {shape}}},
                                                      std::vector<ShapeOnBody>{ground},
                                                      NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  }
  [[nodiscard]] TimeStepping simulation() const {
    return TimeStepping(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  }
};

RigidBody cylinder_body(double radius, double half_length) {
  return {.mass = kMass,
          .inertia = MassProperties::of_mass(Cylinder{radius, half_length}, kMass).inertia,
          .gravity = {0.0, 0.0, -g}};
}
const Eigen::Vector4d kLyingAlongY(std::sqrt(0.5), -std::sqrt(0.5), 0.0, 0.0);

TEST(Frusta, ACylinderRollsAtTwoThirds) {
  // v0 - mu g t until v0 / (3 mu g), 2/3 v0 after. Velocities of 0.5 m/s, solved to 1e-12 in each of 150 steps.
  const double mu = 0.2, speed = 0.5, radius = 0.1, rolls = speed / (3.0 * mu * g);
  for (const ShapeOnBody& ground : {ShapeOnBody{.shape = HalfSpace{}},
                                    ShapeOnBody{.shape = Box{Vector3d(1.0, 1.0, 0.1)}, .position = {0.0, 0.0, -0.1}}}) {
    RigidBody body = cylinder_body(radius, 0.15);
    body.position = {0.0, 0.0, radius};
    body.orientation = kLyingAlongY;
    body.velocity = {speed, 0.0, 0.0};
    const OneSolid rolling(body, {.shape = Cylinder{radius, 0.15}}, ground, mu);
    TimeStepping simulation = rolling.simulation();
    std::set<std::uint64_t> features;
    for (int k = 1; k <= 150; ++k) {
      ASSERT_TRUE(simulation.step());
      const double t = kStep * k, expected = t < rolls ? speed - mu * g * t : 2.0 / 3.0 * speed;
      ASSERT_NEAR(simulation.state().v(rolling.body)[0], expected, 1e-8) << k;
      ASSERT_NEAR(simulation.state().v(rolling.body)[2], 0.0, 1e-8) << k;
      if (t > rolls + kStep) {
        ASSERT_NEAR(simulation.state().v(rolling.body)[5], expected / radius, 1e-7) << k;
      }
      for (const ContactMemory& contact : simulation.state().contacts) features.insert(contact.feature);
    }
    EXPECT_EQ(features.size(), 2u);
  }
}

TEST(Frusta, WhatStandsKeepsItsPlace) {
  // Residual velocities of 1e-12 m/s for 0.2 s. Four points each, that share the weight in any way.
  RigidBody cylinder = cylinder_body(0.1, 0.2);
  cylinder.position = {0.3, -0.2, 0.2};
  cylinder.orientation = {std::cos(0.3), 0.0, 0.0, std::sin(0.3)};
  RigidBody cone = cylinder;  // inertia matters to nothing that rests
  cone.position = {0.3, -0.2, 0.1};
  const ShapeOnBody plane{.shape = HalfSpace{}},
      plate{.shape = Box{Vector3d(1.0, 1.0, 0.1)}, .position = {0.0, 0.0, -0.1}};
  for (const ShapeOnBody& ground : {plane, plate}) {
    for (const auto& [body, shape] :
         {std::pair(cylinder, ShapeOnBody{.shape = Cylinder{0.1, 0.2}}),
          std::pair(cone, ShapeOnBody{.shape = Cone{.radius = 0.15, .height = 0.4}, .position = {0.0, 0.0, -0.1}})}) {
      const OneSolid standing(body, shape, ground, 0.5);
      TimeStepping simulation = standing.simulation();
      const Eigen::VectorXd before = simulation.state().q(standing.body);
      for (int k = 0; k < 200; ++k) {
        ASSERT_TRUE(simulation.step());
        ASSERT_GE(simulation.state().contacts.size(), 4u) << k;
        double sum = 0.0;
        for (const ContactMemory& contact : simulation.state().contacts) sum += contact.impulse[0];
        ASSERT_NEAR(sum, kMass * g * kStep, 1e-10);
      }
      EXPECT_LE((simulation.state().q(standing.body) - before).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(Frusta, ACylinderTipsWhereItsWeightLeavesItsBase) {
  // The centre of mass is half_length above a base of `radius`: it tips beyond tan(alpha) = radius / half_length, down
  // a point that stands, and between two of them too: there after a tilt that the lowest point ends.
  const double radius = 0.1, half = 0.2;
  for (const double direction : {0.0, 0.5}) {
    for (const double factor : {0.97, 1.03}) {
      const double alpha = std::atan(factor * radius / half);
      RigidBody body = cylinder_body(radius, half);
      body.position = {0.0, 0.0, half};
      body.gravity =
          g * Vector3d(std::sin(alpha) * std::cos(direction), std::sin(alpha) * std::sin(direction), -std::cos(alpha));
      const OneSolid leaning(body, {.shape = Cylinder{radius, half}}, {.shape = HalfSpace{}}, 2.0);
      TimeStepping simulation = leaning.simulation();
      for (int k = 0; k < 300; ++k) ASSERT_TRUE(simulation.step());
      const double tilt = simulation.state().q(leaning.body).segment<2>(4).norm();
      if (factor < 1.0) {
        EXPECT_LE(tilt, direction == 0.0 ? 1e-10 : 1e-4);
      } else {
        // Moment m g (half sin - radius cos) over the inertia about the point, for 0.3 s.
        const double inertia = 0.25 * radius * radius + half * half / 3.0 + radius * radius + half * half;
        const double way = 0.5 * g * (half * std::sin(alpha) - radius * std::cos(alpha)) / inertia * 0.09;
        EXPECT_GE(2.0 * tilt, 0.9 * way) << direction;
      }
    }
  }
}

TEST(Frusta, RefuseWhatIsNoSolid) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{});
  const auto refused = [&](const Shape& shape, const std::vector<std::string>& parts) {
    bad_input::expect_refused([&] { BodyContacts({{body, {{.shape = shape}}}}, {}, NewtonImpactLaw{}); }, parts);
  };
  const std::string positive = "expected a positive finite number";
  refused(Cylinder{0.0, 1.0}, {"shape 0 of body 0: Cylinder::radius", "found 0", positive});
  refused(Cylinder{1.0, -1.0}, {"Cylinder::half_length", "found -1", positive});
  refused(Cone{.radius = std::nan(""), .height = 1.0}, {"Cone::radius", "found nan", positive});
  refused(Cone{.radius = 1.0, .height = 0.0}, {"Cone::height", "found 0", positive});
  refused(Cone{.radius = 1.0, .height = 1.0, .top_radius = -0.1},
          {"Cone::top_radius", "found -0.1", "expected a number in [0,"});
}

}  // namespace
}  // namespace nonsmooth::frusta_motions_test
