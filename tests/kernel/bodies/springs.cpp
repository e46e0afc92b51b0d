// SPDX-License-Identifier: Apache-2.0
// SpringDamperLaw between two bodies: closed forms, orders, momentum, limits, any stiffness.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "kernel/joint_bodies.hpp"
#include "kernel/mechanics_orders.hpp"
#include "kernel/two_wheels.hpp"

namespace nonsmooth::springs_test {
namespace {

using namespace closed_forms;
using namespace mechanics;
using jointed::place;
using jointed::reduced;
using jointed::Wheels;

/// r(t) of m r'' = -k r - d r' from r0 at rest, underdamped.
struct Oscillation {
  double m, k, d, r0;
  [[nodiscard]] double at(double t) const {
    const double s = 0.5 * d / m, w = std::sqrt(k / m - s * s);
    return r0 * std::exp(-s * t) * (std::cos(w * t) + s / w * std::sin(w * t));
  }
};

TEST(SpringDamper, IsAStiffnessAndADampingBetweenTwoSystems) {
  // K = k (1, -1; -1, 1) and C = d (1, -1; -1, 1) in one system give the same equations, for every theta.
  const double k = 30.0, d = 0.4, h = 1e-2;
  for (const double theta : {0.5, 0.75, 1.0}) {
    NonSmoothDynamicalSystem together, apart;
    const auto pair = together.add(LagrangianLinearSystem{.mass = {{2.0, 0.0}, {0.0, 0.5}},
                                                          .damping = {{d, -d}, {-d, d}},
                                                          .stiffness = {{k, -k}, {-k, k}},
                                                          .q0 = {0.3, -0.1},
                                                          .v0 = {0.0, 1.0}});
    const auto first = apart.add(mass_point(2.0, 0.0, 0.3, 0.0)), second = apart.add(mass_point(0.5, 0.0, -0.1, 1.0));
    const auto spring = apart.link({first, second}, LagrangianLinearRelation{.H = {{1.0, -1.0}}},
                                   SpringDamperLaw{.stiffness = k, .damping = d});
    TimeStepping one(together, moreau_jean(h, theta)), two(apart, moreau_jean(h, theta));
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(one.step());
      ASSERT_TRUE(two.step());
    }
    // Some ten roundings of numbers of size 5 a step.
    EXPECT_NEAR(two.state().q(first)[0], one.state().q(pair)[0], 1e-12) << theta;
    EXPECT_NEAR(two.state().v(second)[0], one.state().v(pair)[1], 1e-11) << theta;
    EXPECT_LE(std::abs(two.state().force(spring)[0]), k * 2.0) << theta;
  }
}

/// Two bodies of 2 and 0.5 kg on a spring between points, 1 m apart where 0.8 m are its rest, along x.
struct Pair {
  NonSmoothDynamicalSystem model;
  SystemHandle first, second;
  InteractionHandle spring;

  Pair(bool in_plane, double k, double d) {
    if (in_plane) {
      first = model.add(PlanarBody{.mass = 2.0, .velocity = {0.1, 0.0}, .name = "first"});
      second = model.add(PlanarBody{.mass = 0.5, .position = {1.0, 0.0}, .velocity = {0.1, 0.0}, .name = "second"});
    } else {
      first = model.add(RigidBody{.mass = 2.0, .velocity = {0.1, 0.0, 0.0}, .name = "first"});
      second =
          model.add(RigidBody{.mass = 0.5, .position = {1.0, 0.0, 0.0}, .velocity = {0.1, 0.0, 0.0}, .name = "second"});
    }
    spring = model.link({first, second}, DistanceJoint{.length = 0.8}, SpringDamperLaw{.stiffness = k, .damping = d},
                        "spring");
  }
};

TEST(SpringDamper, TwoBodiesOnASpringOscillateAboutTheirCentreOfMass) {
  // r = x_2 - x_1 - 0.8: mu r'' = -k r - d r', mu = m_1 m_2 / (m_1 + m_2); the centre moves at 0.1 m/s.
  const double k = 40.0, d = 0.3, T = 1.0;
  const Oscillation exact{reduced(2.0, 0.5), k, d, 0.2};
  for (const bool in_plane : {true, false}) {
    for (const double theta : {0.5, 1.0}) {
      const auto error = [&](double h) {
        Pair pair(in_plane, k, d);
        TimeStepping run(pair.model, moreau_jean(h, theta));
        const RunReport report = run.advance_to(T);
        EXPECT_TRUE(report) << report.message();
        const State& state = run.state();
        // Forces are opposite to the last bit of H: momentum to the roundings of its terms, one a step.
        EXPECT_NEAR(2.0 * state.v(pair.first)[0] + 0.5 * state.v(pair.second)[0], 0.25, 4.0 * kEps * T / h);
        return std::abs(state.q(pair.second)[0] - state.q(pair.first)[0] - 0.8 - exact.at(T));
      };
      EXPECT_NEAR(fitted_order(5e-3, 4, error), theta == 0.5 ? 2.0 : 1.0, kSmooth) << in_plane << ' ' << theta;
      // c h^2 or c h with c from (w h)^2 / 12 and w h / 2 of the phase w T, w^2 = k / mu.
      const double w = std::sqrt(k / exact.m), h = 1e-3;
      EXPECT_LE(error(h), 0.2 * w * T * (theta == 0.5 ? w * w * h * h / 6.0 : w * h)) << in_plane << ' ' << theta;
    }
  }
}

TEST(SpringDamper, ATorsionSpringAboutAHingeTurnsTwoBodiesAgainstEachOther) {
  // theta of the first against the second: J theta'' = -k (theta - 1) - d theta', J = J_1 J_2 / (J_1 + J_2).
  const double k = 4.0, d = 0.05, T = 1.0;
  const Oscillation exact{reduced(Wheels::kFirst, Wheels::kSecond), k, d, -1.0};
  const auto error = [&](double h) {
    Wheels wheels;
    const auto spring =
        wheels.model.link({wheels.first, wheels.second}, HingeAngle{.frames = wheels.frames, .offset = 1.0, .turns = 0},
                          SpringDamperLaw{.stiffness = k, .damping = d}, "torsion spring");
    TimeStepping run(wheels.model, moreau_jean(h));
    const double before = wheels.moment(run.state());
    const RunReport report = run.advance_to(T);
    EXPECT_TRUE(report) << report.message();
    // What rows of the hinge do about its axis: nothing but by rounding, some 10 eps of moments of 1 N m h a step.
    EXPECT_NEAR(wheels.moment(run.state()), before, 1e-13);
    return std::abs(run.state().y(spring)[0] - exact.at(T));
  };
  EXPECT_NEAR(fitted_order(5e-3, 4, error), 2.0, kSmooth);
}

TEST(SpringDamper, ASpringAlongASlidersWay) {
  // The second body slides on the first along an axis askew in space; neither turns, as the spring acts through both
  // centres.
  const Eigen::Vector3d axis = Eigen::Vector3d(1.0, 2.0, 2.0) / 3.0;
  const double k = 40.0, d = 0.3, T = 1.0;
  const Oscillation exact{reduced(2.0, 0.5), k, d, 0.2};
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto first = model.add(RigidBody{.mass = 2.0}), second = model.add(RigidBody{.mass = 0.5});
    const JointFrames frames = joint_between(place(Eigen::Vector3d::Zero()), place(Eigen::Vector3d::Zero()),
                                             Eigen::Vector3d::Zero(), axis, {2.0, 1.0, -2.0});
    link_joint(model, {first, second}, SliderJoint{frames}, "slider");
    const auto spring = model.link({first, second}, SliderPosition{.frames = frames, .offset = -0.2},
                                   SpringDamperLaw{.stiffness = k, .damping = d}, "spring");
    TimeStepping run(model, moreau_jean(h));
    const RunReport report = run.advance_to(T);
    EXPECT_TRUE(report) << report.message();
    const Eigen::Vector3d momentum = 2.0 * run.state().v(first).head<3>() + 0.5 * run.state().v(second).head<3>();
    EXPECT_LE(momentum.norm(), 1e-13);  // impulses of 10 N s in all, some eps each
    return std::abs(run.state().y(spring)[0] - exact.at(T));
  };
  EXPECT_NEAR(fitted_order(5e-3, 4, error), 2.0, kSmooth);
}

TEST(SpringDamper, ASpringThatTurnsCarriesABodyAroundACircle) {
  // m w^2 r = k (r - L): r = 1 m at 2 rad/s. H turns with the body: order 1 where it is taken at the end of a step, 2
  // where it is in its middle.
  for (const double weight : {1.0, 0.5}) {
    const auto error = [&](double h) {
      NonSmoothDynamicalSystem model;
      const auto body = model.add(PlanarBody{.mass = 2.0, .position = {1.0, 0.0}, .velocity = {0.0, 2.0}});
      model.link(body, DistanceJoint{.length = 0.5}, SpringDamperLaw{.stiffness = 16.0}, "spring");
      TimeStepping run(model, {.integrator = MoreauJean{.configuration_weight = weight}, .step = h});
      const RunReport report = run.advance_to(1.0);
      EXPECT_TRUE(report) << report.message();
      const auto q = run.state().q(body);
      return std::hypot(q[0] - std::cos(2.0), q[1] - std::sin(2.0));
    };
    EXPECT_NEAR(fitted_order(2e-2, 4, error), weight == 0.5 ? 2.0 : 1.0, kSmooth) << weight;
  }
}

TEST(SpringDamper, ForcesAcrossAStretchedSpringAskForStepsThatConverge) {
  // A spring of 1 m under 1000 N on 1 kg: Newton's iterates of its direction shrink by c = h^2 theta lambda / (|d| m),
  // and 50 of them are to reach 1e-9: c < 0.661, h < 36.4 ms. c is 1 at 45 ms; where it is more, halved corrections may
  // do it.
  const auto takes = [](double h) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{.position = {1.0, 0.0}, .velocity = {0.0, 0.1}});
    model.link(body, DistanceJoint{.length = 0.5}, SpringDamperLaw{.stiffness = 2000.0, .damping = 100.0}, "spring");
    model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}},
               ActuatorLaw{.force = [](double, double, double) { return 1000.0; }});
    TimeStepping run(model, {.step = h});
    return static_cast<bool>(run.advance_to(20.0 * h));
  };
  EXPECT_TRUE(takes(0.036));
  EXPECT_FALSE(takes(0.0375));
}

TEST(SpringDamper, OnAJointOfSeveralRowsIsABushing) {
  // FixedJoint: k in every direction and about every axis; y = y_0 cos((k / m)^(1/2) t), the angle by J. Its rows are
  // sines, so that -k sin cos turns it: slower by A^2 / 4 of the frequency at an amplitude A. BallJoint: between the
  // points alone, so that the angle stays.
  const double k = 50.0, m = 2.0, J = 0.4, T = 0.8;
  const JointFrames frames =
      joint_to_ground(place(Eigen::Vector3d::Zero()), Eigen::Vector3d::Zero(), {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0});
  for (const bool fixed : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.mass = m,
                                          .inertia = J * Eigen::Matrix3d::Identity(),
                                          .position = {0.0, 0.02, 0.0},
                                          .orientation = jointed::exponential({0.0, 0.0, 0.01})});
    const AnyRelation bushing = fixed ? AnyRelation(FixedJoint{frames}) : AnyRelation(BallJoint{frames});
    model.link(body, bushing, SpringDamperLaw{.stiffness = k}, "bushing");
    TimeStepping run(model, moreau_jean(1e-3));
    const RunReport report = run.advance_to(T);
    ASSERT_TRUE(report) << report.message();
    const auto q = run.state().q(body);
    // (w h)^2 / 24 of phases of 4 and 9; A^2 / 4 of a phase of 9 and A = 0.01.
    EXPECT_NEAR(q[1], 0.02 * std::cos(std::sqrt(k / m) * T), 1e-6);
    EXPECT_NEAR(2.0 * std::atan2(q[6], q[3]), fixed ? 0.01 * std::cos(std::sqrt(k / J) * T) : 0.01, 3e-6);
  }
}

TEST(SpringDamper, NoStiffnessIsTooLarge) {
  // theta = 1/2 keeps the energy of a linear spring, theta = 1 takes some in each step: no bound of h k / m.
  for (const double k : {1e2, 1e6, 1e12}) {
    for (const double theta : {0.5, 1.0}) {
      NonSmoothDynamicalSystem model;
      const auto first = model.add(mass_point(2.0, 0.0, 0.0, 0.0)), second = model.add(mass_point(0.5, 0.0, 0.0, 1.0));
      const auto spring =
          model.link({first, second}, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, SpringDamperLaw{.stiffness = k});
      TimeStepping run(model, moreau_jean(0.1, theta));
      for (int i = 0; i < 100; ++i) ASSERT_TRUE(run.step());
      const State& state = run.state();
      const double v1 = state.v(first)[0], v2 = state.v(second)[0], y = state.y(spring)[0];
      const double energy = 0.5 * (2.0 * v1 * v1 + 0.5 * v2 * v2 + k * y * y), moving = 0.5 * 0.25 / 2.5;
      if (theta == 0.5) {
        // y is known to eps of q, which is 2 m away in the end: k y^2 to 2 k |y| 2 eps, k y^2 <= 1/2.
        EXPECT_NEAR(energy, 0.25, 1e-10 + 4.0 * kEps * std::sqrt(k)) << k;
      } else {
        // (1 + w^2 h^2)^-1 of the oscillation's energy a step, w^2 = k / mu >= 250: it is gone.
        EXPECT_NEAR(energy, moving, 1e-10) << k;
      }
    }
  }
}

TEST(SpringDamper, IsStableUnderStewartAndTrinkle) {
  // q_{k+1} = q_k + h v_{k+1} there, which the law has to know.
  for (const double theta : {0.5, 1.0}) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(1.0, 0.0, 1.0, 0.0));
    model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, SpringDamperLaw{.stiffness = 1e8});
    TimeStepping run(model, {.integrator = StewartTrinkle{.theta = theta}, .step = 0.1});
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(run.step());
      EXPECT_LE(std::abs(run.state().q(mass)[0]), 1.0 + 1e-9) << theta << ' ' << i;
    }
  }
}

TEST(SpringDamper, ADriveOfTwoGainsIsOneLinkAndKeepsItsLimits) {
  // J theta'' = min(k (2 - theta), 3): at 3 N m up to theta = 1, at t_1 with speed w_1, then about 2 with w^2 = k / J.
  const double J = 0.4, k = 3.0, limit = 3.0, t1 = std::sqrt(2.0 * J / limit), w1 = limit / J * t1,
               w = std::sqrt(k / J);
  const auto at = [&](double h, double T) {
    NonSmoothDynamicalSystem model;
    const auto rotor = model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, J).asDiagonal()});
    const JointFrames frames = joint_to_ground(place(Eigen::Vector3d::Zero()), Eigen::Vector3d::Zero());
    link_joint(model, {rotor}, HingeJoint{frames}, "hinge");
    const auto drive = model.link(rotor, HingeMotor{.frames = frames, .angle = [](double) { return 2.0; }},
                                  SpringDamperLaw{.stiffness = k, .lower = -limit, .upper = limit}, "drive");
    TimeStepping run(model, moreau_jean(h));
    const RunReport report = run.advance_to(
        T, [&](const State& state) { EXPECT_LE(std::abs(state.force(drive)[0]), limit * (1.0 + 1e-9)); });
    EXPECT_TRUE(report) << report.message();
    return 2.0 + run.state().y(drive)[0];
  };
  const double T = t1 + 0.3, exact = 2.0 - std::cos(0.3 * w) + w1 / w * std::sin(0.3 * w);
  EXPECT_NEAR(at(1e-3, 0.4), 0.5 * limit / J * 0.16,
              1e-12);  // a constant moment: exact for theta = 1/2, but for rounding
  // The kink falls within a step, where the force is off by w_1 h k / 8 at most; the rest is (w h)^2 / 12 of a phase
  // of 0.8.
  EXPECT_NEAR(at(1e-3, T), exact, 5e-6);
}

TEST(SpringDamper, IsASpringToTheExamination) {
  // Rates of two masses on a spring: +- i w, w^2 = k / mu, and 0 twice of the centre.
  NonSmoothDynamicalSystem model;
  const auto first = model.add(mass_point(2.0, 0.0, 0.0, 0.0)), second = model.add(mass_point(0.5, 0.0, 0.0, 0.0));
  model.link({first, second}, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, SpringDamperLaw{.stiffness = 10.0});
  const analysis::ModelExamination found = analysis::examine(model, model.initial_state());
  ASSERT_EQ(found.mechanical.size(), 1U);
  double fastest = 0.0;
  for (const auto& rate : found.mechanical[0].sprung_rates) fastest = std::max(fastest, std::abs(rate));
  EXPECT_NEAR(fastest, std::sqrt(10.0 / reduced(2.0, 0.5)), 1e-12);
}

TEST(SpringDamper, AChainHasTheSameBitsOnAnyThreadsAndFromACopiedState) {
  const auto make = [] {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> masses;
    for (int i = 0; i < 60; ++i) {
      masses.push_back(model.add(mass_point(1.0 + 0.01 * i, -0.1, 0.1 * i, i == 30 ? 1.0 : 0.0)));
      const LagrangianLinearRelation between{.H = {{-1.0, 1.0}}, .b = {-0.1}};
      if (i > 0)
        model.link({masses[masses.size() - 2], masses.back()}, between,
                   SpringDamperLaw{.stiffness = 100.0, .damping = 0.1, .lower = -1.0});
    }
    model.link(masses.front(), LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
    return model;
  };
  std::vector<std::uint64_t> ends;
  for (const int threads : {1, 2, 4}) {
    TimeStepping run(make(), {.step = 1e-2, .threads = threads});
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(run.step());
    const State half_way = run.state();
    TimeStepping again(run.model(), run.options());
    again.set_state(half_way);
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(run.step());
      ASSERT_TRUE(again.step());
    }
    EXPECT_EQ(hash_of(run.state()), hash_of(again.state())) << threads;
    ends.push_back(hash_of(run.state()));
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

TEST(SpringDamper, BadInputIsRefusedByItsField) {
  using bad_input::expect_refused;
  const auto link = [](const Law& law, LagrangianLinearRelation relation = {.H = {{1.0}}}) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(1.0, 0.0, 0.0, 0.0));
    model.link(mass, std::move(relation), law);
    return model;
  };
  expect_refused([&] { (void)link(SpringDamperLaw{.stiffness = -1.0}); }, {"SpringDamperLaw::stiffness", "-1"});
  expect_refused([&] { (void)link(SpringDamperLaw{.damping = bad_input::kNaN}); }, {"SpringDamperLaw::damping"});
  expect_refused([&] { (void)link(SpringDamperLaw{}); }, {"SpringDamperLaw", "one of both > 0"});
  expect_refused([&] { (void)link(SpringDamperLaw{.stiffness = 1.0, .lower = 2.0, .upper = 1.0}); },
                 {"SpringDamperLaw", "lower = 2"});
  expect_refused([&] { (void)link(ActuatorLaw{}); }, {"ActuatorLaw::force", "no function"});
  expect_refused([&] { (void)link(SpringDamperLaw{.stiffness = 1.0}, {.H = {{1.0}}, .compliance = {{1.0}}}); },
                 {"law", "compliant"});
  expect_refused(
      [] {
        NonSmoothDynamicalSystem model;
        const auto x = model.add(bad_input::capacitor());
        model.link(x, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, SpringDamperLaw{.stiffness = 1.0});
      },
      {"law", "first-order"});
  // Rows of a velocity alone have no way that a spring could be stretched by; a damper has no need of one.
  const auto link_body = [](const AnyRelation& relation, const SpringDamperLaw& law) {
    NonSmoothDynamicalSystem model;
    model.link(model.add(RigidBody{}), relation, law, "drive");
  };
  const JointFrames frames = joint_to_ground(place(Eigen::Vector3d::Zero()), Eigen::Vector3d::Zero());
  const auto rest = [](double) { return 0.0; };
  const SpringDamperLaw spring{.stiffness = 1.0, .damping = 1.0}, damper{.damping = 1.0};
  for (const AnyRelation& of_velocity :
       {AnyRelation(HingeMotor{.frames = frames, .velocity = rest}),
        AnyRelation(SliderMotor{.frames = frames, .velocity = rest}), AnyRelation(FrictionalBall{frames})}) {
    expect_refused([&] { link_body(of_velocity, spring); }, {"SpringDamperLaw with a stiffness", "velocity alone"});
    EXPECT_NO_THROW(link_body(of_velocity, damper));
  }
  EXPECT_NO_THROW(link_body(HingeMotor{.frames = frames, .angle = rest, .velocity = rest}, spring));
  const NonSmoothDynamicalSystem model = link(SpringDamperLaw{.stiffness = 1.0});
  expect_refused([&] { TimeStepping(model, {.step = 1e-2, .form = Form::Global}).step(); }, {"Form", "interaction 0"});
  expect_refused([&] { TimeStepping(model, {.integrator = SchatzmanPaoli{}, .step = 1e-2}).step(); },
                 {"SchatzmanPaoli"});
}

}  // namespace
}  // namespace nonsmooth::springs_test
