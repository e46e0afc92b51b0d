// SPDX-License-Identifier: Apache-2.0
// Friction in the hinges of chains whose joints turn far within a step: bounds and velocities are found together.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::rubbing_chains_test {
namespace {

/// A link from one hinge to the next, its centre of mass at `part` of its length.
struct Link {
  double mass, inertia, length, part, direction, spin;
};

struct Chain {
  double friction, radius, step;
  std::vector<Link> links;
};

/// Chains on the way of three drawn ones, at the start of steps that 50 iterates did not solve while z was moved
/// without regard to the bounds.
std::vector<Chain> drawn() {
  return {
      {1.128,
       0.00554,
       0.008688,
       {{0.3083, 0.01633, 0.6709, 0.6612, 4.938, -6.932},
        {0.1771, 0.005462, 0.5989, 0.4123, -1.518, 23.51},
        {8.452, 1.07, 0.9833, 0.607, -1.131, -8.722},
        {1.581, 0.008176, 0.2708, 0.7513, 0.187, -17.22}}},
      {1.887,
       0.08098,
       0.004917,
       {{1.813, 0.04289, 0.4074, 0.4141, -0.8008, -5.859},
        {0.4563, 0.01789, 0.5795, 0.6049, -2.004, 3.76},
        {9.3, 0.04825, 0.2262, 0.6077, 1.073, 3.76}}},
      {1.616,
       0.01534,
       0.006315,
       {{0.2443, 0.001628, 0.2343, 0.4172, 3.877, 23.54},
        {0.1268, 0.00514, 0.5975, 0.6176, -2.082, -10.07},
        {2.98, 0.03932, 0.3542, 0.2949, 1.704, -2.269},
        {0.2853, 0.008077, 0.5516, 0.6886, 0.5464, -3.483}}},
  };
}

NonSmoothDynamicalSystem hung(const Chain& chain) {
  NonSmoothDynamicalSystem model;
  Eigen::Vector2d hinge = Eigen::Vector2d::Zero(), velocity = hinge;
  SystemHandle above;
  for (std::size_t k = 0; k < chain.links.size(); ++k) {
    const Link& link = chain.links[k];
    const Eigen::Vector2d along(std::cos(link.direction), std::sin(link.direction)), across(-along[1], along[0]);
    const PlanarBody body{.mass = link.mass,
                          .inertia = link.inertia,
                          .position = hinge + link.part * link.length * along,
                          .velocity = velocity + link.part * link.length * link.spin * across,
                          .angular_velocity = link.spin,
                          .gravity = {0.0, -9.81}};
    const SystemHandle own = model.add(body);
    const PlanarHingeFrictionLaw law{.friction = chain.friction, .radius = chain.radius};
    const Eigen::VectorXd q = model.initial_state().q(own);
    if (k == 0) {
      model.link(own, PlanarFrictionalHinge{planar_joint_to_ground(q, hinge)}, law);
    } else {
      const Eigen::VectorXd q_above = model.initial_state().q(above);
      model.link({above, own}, PlanarFrictionalHinge{planar_joint_between(q_above, q, hinge)}, law);
    }
    above = own;
    hinge += link.length * along;
    velocity += link.length * link.spin * across;
  }
  return model;
}

TEST(RubbingChains, JointsThatTurnFarWithinAStepConverge) {
  int number = 0;
  for (const Chain& chain : drawn()) {
    for (const bool generalised : {false, true}) {
      TimeSteppingOptions options;
      options.step = chain.step;
      if (generalised) options.integrator = GeneralisedAlpha{};
      TimeStepping simulation(hung(chain), options);
      const StepReport step = simulation.step();
      EXPECT_TRUE(step) << number << " " << generalised << ": " << step.message();
      EXPECT_LE(step.newton_iterations, 25) << number << " " << generalised;
    }
    ++number;
  }
}

}  // namespace
}  // namespace nonsmooth::rubbing_chains_test
