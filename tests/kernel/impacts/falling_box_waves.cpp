// SPDX-License-Identifier: Apache-2.0
// The law of Liu, Zhao and Brogliato on boxes that fall on a plane, in both simulations: several corners at once.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::falling_box_waves_test {
namespace {

/// A box of random half-extents, mass and speed .01 above a plane, of uniform density and turned about the normal.
struct FallingBox {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  Index normal = 0;
  double speed = 0.0;

  FallingBox(std::mt19937& random, int dimension, const Law& law) : normal(dimension - 1) {
    std::uniform_real_distribution<double> uniform(0.5, 3.0);
    const double mass = uniform(random), a = 0.1 * uniform(random), b = 0.1 * uniform(random);
    const double c = 0.1 * uniform(random), angle = uniform(random);
    speed = uniform(random);
    if (dimension == 2) {
      body = model.add(PlanarBody{.mass = mass,
                                  .inertia = mass * (a * a + b * b) / 3.0,
                                  .position = {0.0, b + 0.01},
                                  .velocity = {0.0, -speed}});
      model.detect(PlanarContacts({{body, {{.shape = ConvexPolygon{{{-a, -b}, {a, -b}, {a, b}, {-a, b}}}}}}},
                                  {{.shape = HalfPlane{}}}, law));
      return;
    }
    const Eigen::Vector3d inertia(b * b + c * c, a * a + c * c, a * a + b * b);
    body = model.add(RigidBody{.mass = mass,
                               .inertia = (mass / 3.0 * inertia).asDiagonal(),
                               .position = {0.0, 0.0, c + 0.01},
                               .orientation = {std::cos(angle / 2.0), 0.0, 0.0, std::sin(angle / 2.0)},
                               .velocity = {0.0, 0.0, -speed}});
    model.detect(BodyContacts({{body, {{.shape = Box{{a, b, c}}}}}}, {{.shape = HalfSpace{}}}, law));
  }
};

TEST(FallingBoxWaves, FlatOnAPlaneGiveBackTheirRestitution) {
  // By symmetry v+ = e |v-|, and the box does not turn. 1e-12 a step of the impact, some hundred steps.
  for (const int dimension : {2, 3}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      for (const double exponent : {1.0, 1.5}) {
        std::mt19937 random(1);
        for (int k = 0; k < 12; ++k) {
          const FallingBox box(random, dimension, LiuZhaoBrogliatoImpactLaw{.restitution = e, .exponent = exponent});
          const std::string name = std::to_string(dimension) + "D, e " + std::to_string(e) + ", exponent " +
                                   std::to_string(exponent) + ", box " + std::to_string(k);
          const auto expect_rebound = [&](const State& state) {
            Eigen::VectorXd v = state.v(box.body);
            v[box.normal] -= e * box.speed;
            EXPECT_LT(v.lpNorm<Eigen::Infinity>(), 1e-8 * box.speed) << name;
          };
          TimeStepping stepping(box.model, {.step = 1e-3});
          const RunReport by_steps = stepping.advance_to(0.03);
          ASSERT_TRUE(by_steps) << name << by_steps.message();
          expect_rebound(stepping.state());
          EventDriven events(box.model);
          const RunReport by_events = events.advance_to(0.03);
          ASSERT_TRUE(by_events) << name << by_events.message();
          expect_rebound(events.state());
        }
      }
    }
  }
}

TEST(FallingBoxWaves, TurningOnesLoseWhatTheLawTakes) {
  // An edge, two corners at once, while gyroscopic forces make the step's W skew in part (1e-6 of it).
  for (const double e : {0.0, 0.5}) {
    NonSmoothDynamicalSystem model;
    const SystemHandle body = model.add(RigidBody{.mass = 3.0,
                                                  .inertia = Eigen::Vector3d(0.02, 0.03, 0.025).asDiagonal(),
                                                  .position = {0.0, 0.0, 0.2},
                                                  .orientation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.3).normalized(),
                                                  .velocity = {0.0, 0.0, -1.0},
                                                  .angular_velocity = {0.3, 0.1, 0.0},
                                                  .gravity = {0.0, 0.0, -9.81}});
    model.detect(BodyContacts({{body, {{.shape = Box{{0.15, 0.15, 0.15}}}}}}, {{.shape = HalfSpace{}}},
                              LiuZhaoBrogliatoImpactLaw{.restitution = e}));
    TimeStepping stepping(model, {.step = 2e-3});
    Ledger ledger(stepping);
    const double before = ledger.last().energy();
    double most = before;
    const RunReport report =
        stepping.advance_to(1.0, [&](const State& state) { most = std::max(most, ledger.record(state).energy()); });
    ASSERT_TRUE(report) << e << report.message();
    EXPECT_LE(most, before * (1.0 + 1e-9)) << e;
    // It comes to rest on a face, m g c is left but for what it sinks in a step of its fall, 1.4 m/s h.
    EXPECT_NEAR(ledger.last().energy(), 3.0 * 9.81 * 0.15, 3.0 * 9.81 * 1.4 * 2e-3) << e;
  }
}

}  // namespace
}  // namespace nonsmooth::falling_box_waves_test
