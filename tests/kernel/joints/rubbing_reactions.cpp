// SPDX-License-Identifier: Apache-2.0
// Friction in joints that makes nearly all, or more, of the reaction that makes it, by steps, against statics.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/joint_bodies.hpp"

namespace nonsmooth::rubbing_reactions_test {
namespace {

constexpr double kMass = 2.0, kFriction = 0.3, kLength = 0.4, kPull = 30.0, kTime = 0.1;
constexpr double kPerMoment = 2.0 * kFriction / kLength;  ///< k: the bound is k |M|

/// A sledge that is pulled by F along its guide, which is `below` its centre of mass, F `above` it: about the guide's
/// point |M| = |above F + below tau| while friction tau brakes it.
struct Sledge {
  double below, above, speed = 0.0, pull = kPull;

  SystemHandle add_to(NonSmoothDynamicalSystem& model, const std::string& guide = "guide") const {
    const GivenLoad load{.load = [F = pull](double, ConstVectorRef, ConstVectorRef, VectorRef own) { own[0] = F; },
                         .point = {0.0, above, 0.0}};
    const auto body = model.add(PlanarBody{.mass = kMass, .inertia = 0.1, .velocity = {speed, 0.0}, .loads = {load}});
    model.link(body, PlanarFrictionalSlider{planar_joint_to_ground(Eigen::Vector3d::Zero(), {0.0, -below})},
               PlanarSliderFrictionLaw{.friction = kFriction, .bearing_length = kLength}, guide);
    return body;
  }

  /// v after kTime; `iterations`: the most of a step.
  [[nodiscard]] double run(Index& iterations) const {
    NonSmoothDynamicalSystem model;
    const SystemHandle body = add_to(model);
    TimeStepping simulation(model, {.step = 1e-3});
    for (int k = 0; k < 100; ++k) {
      const StepReport step = simulation.step();
      EXPECT_TRUE(step) << step.message();
      iterations = std::max(iterations, step.newton_iterations);
    }
    return simulation.state().v(body)[0];
  }
};

/// tau = k above F / (1 - k below): each unit of friction makes k below of another.
TEST(RubbingReactions, FrictionThatMakesMostOfItsReactionIsThatOfStatics) {
  for (const double made : {0.5, 0.9, 0.95, 0.99, 0.999}) {
    const double friction = 0.5 * kPull, below = made / kPerMoment;
    const double above = friction * (1.0 - made) / (kPerMoment * kPull);
    Index iterations = 0;
    // Bounds repeat to 1e-9 of themselves, and an error of theirs is 1 / (1 - made) of that of one iteration.
    EXPECT_NEAR(Sledge({below, above}).run(iterations), (kPull - friction) * kTime / kMass,
                2e-9 / (1.0 - made) * friction * kTime / kMass)
        << made;
    EXPECT_LE(iterations, 10) << made;
  }
}

/// tau = k above F / (1 + k |below|): friction takes of the reaction that makes it, more than there is of it where
/// k |below| > 1. Then resting is an answer as well, which the iteration comes to from k |below| = 50 on.
TEST(RubbingReactions, FrictionThatTakesOfItsReactionIsThatOfStatics) {
  for (const double taken : {0.5, 0.99, 1.5, 5.0}) {
    const double above = 0.4 / kPerMoment, friction = 0.4 * kPull / (1.0 + taken);
    Index iterations = 0;
    EXPECT_NEAR(Sledge({-taken / kPerMoment, above}).run(iterations), (kPull - friction) * kTime / kMass,
                2e-9 * friction * kTime / kMass)
        << taken;
    EXPECT_LE(iterations, 10) << taken;
  }
}

/// k below > 1: no friction of a motion balances its own moment, however weak the pull. What moves stops at once, and
/// what rests stays.
TEST(RubbingReactions, ASledgeThatJamsStopsAndStays) {
  for (const double made : {1.01, 1.2, 3.0}) {
    for (const double speed : {0.0, 2.0}) {
      Index iterations = 0;
      EXPECT_NEAR(Sledge({made / kPerMoment, 1e-3, speed}).run(iterations), 0.0, 1e-9) << made << " " << speed;
      EXPECT_LE(iterations, 40) << made << " " << speed;
    }
  }
}

/// Sledges that have nothing to do with one another need no more iterations than each alone.
TEST(RubbingReactions, ManySledgesConvergeAsOneDoes) {
  const std::vector<double> parts = {0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98, 0.99, 0.999};
  const double friction = 0.5 * kPull, jammed = 1.2;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> sledges;
  for (const double made : parts) {
    const Sledge one{made / kPerMoment, friction * (1.0 - made) / (kPerMoment * kPull)};
    sledges.push_back(one.add_to(model, "guide " + std::to_string(made)));
  }
  const SystemHandle stops = Sledge{jammed / kPerMoment, 1e-3, 2.0}.add_to(model, "guide that jams");
  TimeStepping simulation(model, {.step = 1e-3});
  for (int k = 0; k < 100; ++k) {
    const StepReport step = simulation.step();
    ASSERT_TRUE(step) << step.message();
    EXPECT_LE(step.newton_iterations, 10) << k;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_NEAR(simulation.state().v(sledges[i])[0], (kPull - friction) * kTime / kMass,
                2e-9 / (1.0 - parts[i]) * friction * kTime / kMass)
        << parts[i];
  }
  EXPECT_NEAR(simulation.state().v(stops)[0], 0.0, 1e-9);
}

}  // namespace
}  // namespace nonsmooth::rubbing_reactions_test
