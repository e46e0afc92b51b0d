// SPDX-License-Identifier: Apache-2.0
// Motions of jointed bodies against closed forms: pendulum, screw, gears, slider-crank, a loop with redundant hinges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <problems/reference.hpp>

#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joint_motions_test {
namespace {

using jointed::exponential;
using jointed::place;
using jointed::start_of;

constexpr double kPi = std::numbers::pi, kGravity = 9.81;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kZ = Eigen::Vector3d::UnitZ();

/// A slab of 2 kg hinged about z at the origin, its centre 0.4 m from there, let go at rest at `angle` from the
/// vertical.
struct Pendulum {
  static constexpr double kMass = 2.0, kLength = 0.4, kInertia = 0.05;  // about the centre and z
  RigidBody body;
  NonSmoothDynamicalSystem model;
  SystemHandle slab;
  InteractionHandle hinge;

  explicit Pendulum(double angle) {
    body.mass = kMass;
    body.inertia = Eigen::Vector3d(0.02, 0.06, kInertia).asDiagonal();
    body.gravity = {0.0, -kGravity, 0.0};
    body.position = kLength * Eigen::Vector3d(std::sin(angle), -std::cos(angle), 0.0);
    body.orientation = exponential({0.0, 0.0, angle});
    slab = model.add(body);
    hinge = link_joint(model, {slab}, HingeJoint{joint_to_ground(start_of(body), kOrigin, kZ)}, "hinge");
  }
  [[nodiscard]] double energy(const State& state) const { return jointed::energy(body, state.q(slab), state.v(slab)); }
};

/// T / 4 = K(sin(angle / 2)) / omega,  omega^2 = m g l / (J + m l^2).
double quarter_period(double angle) {
  const double k = std::sin(0.5 * angle);
  const double K = problems::integral_between(
      [k](double x) { return 1.0 / std::sqrt(1.0 - std::pow(k * std::sin(x), 2)); }, 0.0, 0.5 * kPi);
  using P = Pendulum;
  return K * std::sqrt((P::kInertia + P::kMass * P::kLength * P::kLength) / (P::kMass * kGravity * P::kLength));
}

TEST(JointMotions, ACompoundPendulumHasItsPeriodByEvents) {
  const double angle = 1.2;
  const Pendulum pendulum(angle);
  EventDriven simulation(pendulum.model, {});
  const double start = pendulum.energy(simulation.state());
  ASSERT_TRUE(simulation.advance_to(quarter_period(angle)));
  // At the bottom, at the speed 4 rad/s of its energy; a relative error of 1e-10 a step, some hundred steps.
  EXPECT_NEAR(simulation.state().q(pendulum.slab)[0], 0.0, 1e-8);
  EXPECT_NEAR(simulation.state().q(pendulum.slab)[1], -Pendulum::kLength, 1e-8);
  ASSERT_TRUE(simulation.advance_to(4.0 * quarter_period(angle)));
  EXPECT_NEAR(simulation.state().v(pendulum.slab)[5], 0.0, 1e-7);
  EXPECT_NEAR(pendulum.energy(simulation.state()), start, 1e-7);
}

TEST(JointMotions, TheReactionOfAPendulumIsItsWeightAndItsCentrifugalForce) {
  const double angle = 1.2;
  const Pendulum pendulum(angle);
  EventDriven simulation(pendulum.model, {});
  ASSERT_TRUE(simulation.advance_to(quarter_period(angle)));
  const State& state = simulation.state();
  const double spin = state.v(pendulum.slab)[5], m = Pendulum::kMass, l = Pendulum::kLength;
  // At the bottom: m (g + l spin^2) upwards, no moment about the hinge, one about the centre of l times its x.
  const Wrench at_hinge = reaction_wrench(pendulum.model, state, pendulum.hinge, pendulum.slab, kOrigin);
  EXPECT_NEAR(at_hinge.force[0], 0.0, 1e-6);
  EXPECT_NEAR(at_hinge.force[1], m * (kGravity + l * spin * spin), 1e-6);
  EXPECT_LE(at_hinge.moment.norm(), 1e-6);
  const Eigen::Vector3d aside(1.0, 0.0, 0.5);
  const Wrench there = reaction_wrench(pendulum.model, state, pendulum.hinge, pendulum.slab, aside);
  // Moment about another point: (0 - aside) x F.
  EXPECT_LE((there.moment - jointed::cross(-aside, at_hinge.force)).norm(), 1e-6);
  EXPECT_EQ((there.force - at_hinge.force).norm(), 0.0);
}

TEST(JointMotions, APendulumDriftsWithoutAProjectionAndNotWithOne) {
  const double h = 1e-3, T = 5.0;
  for (const auto kind : {Projection::None, Projection::Direct}) {
    const Pendulum pendulum(1.2);
    TimeStepping simulation(pendulum.model,
                            {.step = h,
                             .newton = {.tolerance = 1e-12},
                             .projection = {.kind = kind, .unilateral_tolerance = 1e-9, .bilateral_tolerance = 1e-9}});
    const double start = pendulum.energy(simulation.state());
    double drift = 0.0, gained = 0.0, fastest = 0.0;
    const RunReport report = simulation.advance_to(T, [&](const State& state) {
      drift = std::max(drift, state.y(pendulum.hinge).lpNorm<Eigen::Infinity>());
      gained = std::max(gained, pendulum.energy(state) - start);
      fastest = std::max(fastest, std::abs(state.v(pendulum.slab)[5]));
    });
    ASSERT_TRUE(report) << report.message();
    // Where nothing is moved the place of the hinge on the body ends h^2 l spin^2 / 4 off a closed one at most (as the
    // point mass of projection.cpp), l spin^2 <= 2 g: 5e-6; ends of chords of a rotation add as much again.
    EXPECT_LE(drift, kind == Projection::Direct ? 1e-9 : h * h * kGravity) << static_cast<int>(kind);
    EXPECT_EQ(drift > 1e-9, kind == Projection::None);
    // u is zero with H at the end of a step, and h c before it, c = l spin^2 the centripetal acceleration: the
    // reaction, at most m (g + c), does the work -h^2 c / 2 times itself a step. That is lost; projections move by the
    // drift of one step, h^2 c / 2 of 1e-6 m, against weights.
    const double c = Pendulum::kLength * fastest * fastest, reaction = Pendulum::kMass * (kGravity + c);
    const double lost = start - pendulum.energy(simulation.state());
    EXPECT_GT(lost, 0.0);
    EXPECT_LE(lost, 0.5 * h * c * reaction * T) << static_cast<int>(kind);
    EXPECT_LE(gained, h * h * c * reaction) << static_cast<int>(kind);
  }
}

TEST(JointMotions, AScrewFallsAsItsPitchLetsIt) {
  // (m + J (2 pi / p)^2) zddot = -m g.
  const double pitch = 0.2, m = 3.0, J = 0.004;
  const RigidBody nut{
      .mass = m, .inertia = Eigen::Vector3d(0.003, 0.003, J).asDiagonal(), .gravity = {0.0, 0.0, -kGravity}};
  NonSmoothDynamicalSystem model;
  const SystemHandle body = model.add(nut);
  link_joint(model, {body}, ScrewJoint{joint_to_ground(start_of(nut), kOrigin, kZ), pitch}, "screw");
  TimeStepping simulation(model, {.step = 1e-2});
  const double acceleration = -m * kGravity / (m + J * std::pow(2.0 * kPi / pitch, 2));
  const RunReport report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  // H along the axis is constant and so is the force: the step is exact but for the solver's 1e-10 or so in each. More
  // than 20 turns.
  const auto q = simulation.state().q(body), v = simulation.state().v(body);
  EXPECT_NEAR(v[2], 2.0 * acceleration, 1e-7);
  EXPECT_NEAR(q[2], 2.0 * acceleration, 1e-7);
  EXPECT_NEAR(v[5], 2.0 * kPi / pitch * v[2], 1e-7);
  EXPECT_GT(std::abs(q[2] / pitch), 20.0);
  EXPECT_LE(q.head<2>().norm(), 1e-12);
}

TEST(JointMotions, GearsShareTheirSpinByTeethAndInertias) {
  // Impulse at the first step: J_1 (w_1 - w) = -(n_1 / n_2)^2 J_2 w_1, w_2 = -n_1 / n_2 w_1; then for ever.
  const double J1 = 0.3, J2 = 0.5, w = 20.0, ratio = 12.0 / 30.0;
  NonSmoothDynamicalSystem model;
  const auto wheel = [&](double x, double J, double spin) {
    return model.add(RigidBody{.inertia = Eigen::Vector3d(1.0, 1.0, J).asDiagonal(),
                               .position = {x, 0.0, 0.0},
                               .angular_velocity = {0.0, 0.0, spin}});
  };
  const SystemHandle first = wheel(0.0, J1, w), second = wheel(0.7, J2, 0.0);
  const JointFrames pin1 = joint_to_ground(place(kOrigin), kOrigin, kZ);
  const JointFrames pin2 = joint_to_ground(place({0.7, 0.0, 0.0}), {0.7, 0.0, 0.0}, kZ);
  link_joint(model, {first}, HingeJoint{pin1}, "first bearing");
  link_joint(model, {second}, HingeJoint{pin2}, "second bearing");
  const auto mesh = link_joint(model, {first, second}, GearJoint{pin1, pin2, 12, 30}, "mesh");
  TimeStepping simulation(model, {.step = 1e-2});
  const RunReport report = simulation.advance_to(5.0);
  ASSERT_TRUE(report) << report.message();
  const double w1 = J1 * w / (J1 + ratio * ratio * J2);
  // 500 steps of a solver's 1e-10.
  EXPECT_NEAR(simulation.state().v(first)[5], w1, 1e-7);
  EXPECT_NEAR(simulation.state().v(second)[5], -ratio * w1, 1e-7);
  // The first step moves by the mean of its two velocities: theta_1 + n_2 / n_1 theta_2 is off by
  // h / 2 (u+ + u-) = h w / 2 = 0.1, y by the sine of it: 2 / 12 sin(0.6).
  EXPECT_NEAR(std::abs(simulation.state().y(mesh)[0]), std::sin(6.0 * 0.1) / 6.0, 1e-7);
}

/// Crank of length r about the origin, rod of length l, slider on the x axis; all in the plane z = 0, in space.
struct SliderCrank {
  static constexpr double kCrank = 0.2, kRod = 0.5, kSpin = 7.0, kStart = 0.6;
  NonSmoothDynamicalSystem model;
  SystemHandle crank, rod, slider;

  [[nodiscard]] static double slider_at(double angle) {
    return kCrank * std::cos(angle) + std::sqrt(kRod * kRod - std::pow(kCrank * std::sin(angle), 2));
  }
  /// `redundant`: hinges everywhere, three rows more than the loop needs; otherwise a ball and a cross in two places.
  explicit SliderCrank(bool redundant) {
    const Eigen::Vector3d elbow = kCrank * Eigen::Vector3d(std::cos(kStart), std::sin(kStart), 0.0);
    const Eigen::Vector3d wrist(slider_at(kStart), 0.0, 0.0);
    const Eigen::VectorXd at_crank = place(0.5 * elbow), at_rod = place(0.5 * (elbow + wrist)),
                          at_slider = place(wrist);
    const auto body = [&](const Eigen::VectorXd& q0) {
      return model.add(RigidBody{.inertia = Eigen::Vector3d(0.01, 0.02, 0.02).asDiagonal(), .position = q0.head<3>()});
    };
    crank = body(at_crank), rod = body(at_rod), slider = body(at_slider);
    const JointFrames bearing = joint_to_ground(at_crank, kOrigin, kZ);
    link_joint(model, {crank}, HingeJoint{bearing}, "bearing");
    const JointFrames at_elbow = joint_between(at_crank, at_rod, elbow, kZ);
    const JointFrames at_wrist = joint_between(at_rod, at_slider, wrist, kZ);
    if (redundant) {
      link_joint(model, {crank, rod}, HingeJoint{at_elbow}, "elbow");
      link_joint(model, {rod, slider}, HingeJoint{at_wrist}, "wrist");
    } else {
      link_joint(model, {crank, rod}, BallJoint{at_elbow}, "elbow");
      link_joint(model, {rod, slider}, UniversalJoint{at_wrist}, "wrist");
    }
    link_joint(model, {slider}, SliderJoint{joint_to_ground(at_slider, wrist, Eigen::Vector3d::UnitX())}, "guide");
    link_joint(model, {crank},
               HingeMotor{.frames = bearing,
                          .angle = [](double t) { return kSpin * t; },
                          .velocity = [](double) { return kSpin; },
                          .acceleration = [](double) { return 0.0; }},
               "motor");
  }
};

TEST(JointMotions, ASliderCrankGoesWhereItsGeometrySends) {
  for (const bool redundant : {false, true}) {
    const SliderCrank mechanism(redundant);
    TimeStepping simulation(
        mechanism.model,
        {.step = 2e-3,
         .projection = {.kind = Projection::Direct, .unilateral_tolerance = 1e-9, .bilateral_tolerance = 1e-9}});
    double worst = 0.0, aside = 0.0;
    const RunReport report = simulation.advance_to(2.0, [&](const State& state) {
      const auto q = state.q(mechanism.slider);
      worst =
          std::max(worst, std::abs(q[0] - SliderCrank::slider_at(SliderCrank::kStart + SliderCrank::kSpin * state.t)));
      aside = std::max(aside, q.segment<2>(1).norm());
    });
    ASSERT_TRUE(report) << redundant << ": " << report.message();
    // Each row is left within 1e-9; a dozen of them between the crank and the slider.
    EXPECT_LE(worst, 2e-8) << redundant;
    EXPECT_LE(aside, 2e-8) << redundant;
  }
}

TEST(JointMotions, RedundantRowsOfALoopAreCounted) {
  for (const bool redundant : {false, true}) {
    const SliderCrank mechanism(redundant);
    const auto found = analysis::examine(mechanism.model);
    ASSERT_EQ(found.mechanical.size(), 1u);
    const auto& island = found.mechanical.front();
    EXPECT_EQ(island.why_not, "");
    EXPECT_EQ(island.velocities, 18);
    EXPECT_EQ(island.bilateral, redundant ? 21 : 18);
    EXPECT_EQ(island.degrees_of_freedom, 0);  // the motor holds the last
    EXPECT_EQ(island.hyperstatic_degree, redundant ? 3 : 0);
    EXPECT_TRUE(island.contradicting.empty());
  }
}

/// Bricard's loop along six edges of a cube: five rods of 1 m and 1 kg and the ground, six hinges, each across the two
/// rods that it joins. 30 rows on 30 velocities, one of which depends on the others: it moves.
TEST(JointMotions, BricardsLoopMovesAndKeepsItsEnergy) {
  const std::array<Eigen::Vector3d, 6> corner{{{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}}};
  NonSmoothDynamicalSystem model;
  std::vector<RigidBody> rods;
  std::vector<SystemHandle> handles;
  for (std::size_t i = 0; i < 5; ++i) {
    const Eigen::Vector3d way = corner[i + 1] - corner[i];
    // Of a slender rod, in axes that are those of space at the start; a thousandth of it about the rod.
    const Eigen::Vector3d inertia = (Eigen::Vector3d::Ones() - 0.999 * way.cwiseAbs()) / 12.0;
    const RigidBody rod{.inertia = inertia.asDiagonal(),
                        .position = 0.5 * (corner[i] + corner[i + 1]),
                        .gravity = {0.0, -kGravity, 0.0}};
    rods.push_back(rod);
    handles.push_back(model.add(rod));
  }
  const auto axis = [&](std::size_t i) {
    return jointed::cross(corner[i] - corner[(i + 5) % 6], corner[(i + 1) % 6] - corner[i]);
  };
  std::vector<InteractionHandle> hinges;
  hinges.push_back(link_joint(model, {handles[0]}, HingeJoint{joint_to_ground(start_of(rods[0]), corner[0], axis(0))}));
  for (std::size_t i = 1; i < 5; ++i) {
    hinges.push_back(
        link_joint(model, {handles[i - 1], handles[i]},
                   HingeJoint{joint_between(start_of(rods[i - 1]), start_of(rods[i]), corner[i], axis(i))}));
  }
  hinges.push_back(link_joint(model, {handles[4]}, HingeJoint{joint_to_ground(start_of(rods[4]), corner[5], axis(5))}));

  const auto found = analysis::examine(model);
  ASSERT_EQ(found.mechanical.size(), 1u);
  EXPECT_EQ(found.mechanical.front().degrees_of_freedom, 1);
  EXPECT_EQ(found.mechanical.front().hyperstatic_degree, 1);

  EventDriven simulation(model, {});
  const auto energy = [&](const State& state) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 5; ++i) sum += jointed::energy(rods[i], state.q(handles[i]), state.v(handles[i]));
    return sum;
  };
  const double start = energy(simulation.state());
  double off = 0.0, open = 0.0, moved = 0.0;
  const RunReport report = simulation.advance_to(10.0, [&](const State& state) {
    off = std::max(off, std::abs(energy(state) - start));
    for (const InteractionHandle hinge : hinges) open = std::max(open, state.y(hinge).lpNorm<Eigen::Infinity>());
    moved = std::max(moved, (state.q(handles[2]).head<3>() - rods[2].position).norm());
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_GT(moved, 0.5);
  // 1e-10 of coordinates and velocities of size 1 to 5 a step, some thousand steps of 50 J that swing; drift is taken
  // away each step.
  EXPECT_LE(off, 1e-5);
  EXPECT_LE(open, 1e-9);
}

TEST(JointMotions, ACrossTurnsItsSecondShaftUnevenly) {
  // Arms a_1 = (cos theta_1, sin theta_1, 0) and n_2 = cos theta_2 e x x - sin theta_2 x about e = (0, sin b, cos b)
  // stay perpendicular: tan theta_2 = cos b tan theta_1.
  const double bend = 0.6, spin = 5.0;
  const Eigen::Vector3d e(0.0, std::sin(bend), std::cos(bend)), arm = Eigen::Vector3d::UnitX();
  NonSmoothDynamicalSystem model;
  const auto shaft = [&](const Eigen::Vector3d& axis, double start) {
    return model.add(RigidBody{.inertia = 0.2 * Eigen::Matrix3d::Identity(), .angular_velocity = start * axis});
  };
  const SystemHandle first = shaft(kZ, spin), second = shaft(e, spin * std::cos(bend));
  const Eigen::VectorXd q0 = place(kOrigin);
  const JointFrames bearing = joint_to_ground(q0, kOrigin, kZ);
  link_joint(model, {first}, HingeJoint{bearing}, "first bearing");
  link_joint(model, {second}, HingeJoint{joint_to_ground(q0, kOrigin, e)}, "second bearing");
  link_joint(model, {first, second}, UniversalJoint{joint_between(q0, q0, kOrigin, arm, jointed::cross(e, arm))},
             "cross");
  link_joint(model, {first}, HingeMotor{.frames = bearing, .angle = [=](double t) { return spin * t; }}, "motor");
  EventDriven simulation(model, {});
  double off = 0.0;
  const RunReport report = simulation.advance_to(4.0, [&](const State& state) {
    const auto q = state.q(second);
    const double theta_1 = spin * state.t, theta_2 = 2.0 * std::atan2(e.dot(q.tail<3>()), q[3]);
    off = std::max(
        off, std::abs(std::sin(theta_2) * std::cos(theta_1) - std::cos(bend) * std::cos(theta_2) * std::sin(theta_1)));
  });
  ASSERT_TRUE(report) << report.message();
  // Rows are kept to round-off of their terms; the motor's angle to 1e-10 a step of the integrator, some hundred.
  EXPECT_LE(off, 1e-8);
}

}  // namespace
}  // namespace nonsmooth::joint_motions_test
