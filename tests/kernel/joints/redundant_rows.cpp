// SPDX-License-Identifier: Apache-2.0
// Joints that say the same twice: in time-stepping, where a loop that depends on its manifold alone is off it within a
// step, and by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/mechanisms.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/fitted_order.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::redundant_rows_test {
namespace {

using jointed::place;
using problems::Mechanism;

constexpr double kGravity = 9.81;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kUp = Eigen::Vector3d::UnitZ();

TimeSteppingOptions stepping(double h, Form form = Form::Reduced) {
  return {.step = h,
          .newton = {.tolerance = 1e-10},
          .form = form,
          .projection = {.kind = Projection::Direct, .unilateral_tolerance = 1e-10, .bilateral_tolerance = 1e-10}};
}

/// x of the end of Bricard's third bar: sin(theta) of its closed form (mechanisms.cpp).
double third_end(const Mechanism& loop, const State& state) {
  const auto q = state.q(loop.bodies[2]);
  return q[0] + 0.5 * jointed::turned(q.tail<4>(), problems::bricard_bars()[3])[0];
}

TEST(RedundantRows, BricardFoldsByTimeSteppingWithTheOrderOfTheScheme) {
  const Mechanism loop = problems::bricard_loop();
  EventDriven reference(loop.model, {});
  ASSERT_TRUE(reference.advance_to(1.0));
  const double expected = std::asin(third_end(loop, reference.state()));
  const auto error = [&](double h) {
    TimeStepping simulation(loop.model, stepping(h));
    while (simulation.state().t < 1.0 - 0.5 * h) {
      const StepReport report = simulation.step();
      EXPECT_TRUE(report) << report.message();
      if (!report) break;
      EXPECT_EQ(report.redundant_rows, 1) << simulation.state().t;
      EXPECT_EQ(report.rows, 30);
    }
    for (const InteractionHandle joint : loop.joints)
      EXPECT_LE(simulation.state().y(joint).lpNorm<Eigen::Infinity>(), 1e-10);
    return std::abs(std::asin(third_end(loop, simulation.state())) - expected);
  };
  EXPECT_NEAR(fitted_order(8e-3, 2, error), 1.0, 0.1);
}

TEST(RedundantRows, OfTheGlobalFormMoveAndShareAsThoseOfTheReducedForm) {
  // Each step of both from the reduced form's state: rows of some 1 m/s to the solvers' 1e-10 and 1e-8 of it, bars of
  // some 1 kg, and reactions are those of least norm.
  const Mechanism loop = problems::bricard_loop();
  const double h = 2e-3;
  Workspace of_reduced, of_global;
  TimeSteppingOptions reduced = stepping(h), global = stepping(h, Form::Global);
  global.solver = mixed::Automatic{.tolerance = 1e-10};
  State state = loop.model.initial_state();
  double largest = 0.0;
  for (int k = 0; k < 200; ++k) {
    State other = state;
    const StepReport one = step(loop.model, reduced, h, state, of_reduced);
    const StepReport two = step(loop.model, global, h, other, of_global);
    ASSERT_TRUE(one) << one.message();
    ASSERT_TRUE(two) << two.message();
    EXPECT_EQ(two.redundant_rows, 1) << k;
    EXPECT_EQ(two.rows, 30);
    ASSERT_LE((state.unknowns - other.unknowns).lpNorm<Eigen::Infinity>(), 1e-7) << k;
    ASSERT_LE((state.multipliers - other.multipliers).lpNorm<Eigen::Infinity>(), 1e-7) << k;
    largest = std::max(largest, state.multipliers.lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(largest, 1e-3);
}

TEST(RedundantRows, OfALoopThatClosesOverHeldBodiesAreThoseOfTheGround) {
  // Joints to a body that is held say what those to the ground say, in other axes: one motion, to Newton's tolerance
  // and the projection's 1e-10 in each of 125 steps, which the loop's one freedom carries on, up to 10 times as large.
  const double h = 4e-3;
  const Mechanism loop = problems::bricard_loop(), held = problems::bricard_loop(true);
  for (const Form form : {Form::Reduced, Form::Global}) {
    TimeStepping plain(loop.model, stepping(h, form)), other(held.model, stepping(h, form));
    for (int k = 0; k < 125; ++k) {
      ASSERT_TRUE(plain.step());
      const StepReport report = other.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(report.redundant_rows, 1) << k;
      EXPECT_EQ(report.rows, 30);
    }
    EXPECT_NEAR(third_end(held, other.state()), third_end(loop, plain.state()), 10.0 * 125.0 * 1e-10);
    EXPECT_GT(std::abs(third_end(held, other.state()) - third_end(loop, loop.model.initial_state())), 0.02);
  }
}

TEST(RedundantRows, AreSeveralProblemsWithoutADecision) {
  // Off its manifold the loop's thirty rows are independent, and hold all thirty velocities.
  const Mechanism loop = problems::bricard_loop();
  TimeSteppingOptions options = stepping(2e-3);
  options.dependent_rows = 0.0;
  TimeStepping simulation(loop.model, options);
  const RunReport report = simulation.advance_to(0.5);
  EXPECT_FALSE(report);
}

TEST(RedundantRows, CopiedStatesGoOnWithTheSameBits) {
  const Mechanism loop = problems::bricard_loop();
  TimeStepping whole(loop.model, stepping(4e-3)), second(loop.model, stepping(4e-3));
  ASSERT_TRUE(whole.advance_to(0.4));
  second.set_state(whole.state());
  ASSERT_TRUE(whole.advance_to(0.6));
  ASSERT_TRUE(second.advance_to(0.6));
  EXPECT_EQ(second.state().positions, whole.state().positions);
  EXPECT_EQ(second.state().multipliers, whole.state().multipliers);
}

/// A door on two hinges of one axis, upright, in any unit of length and mass.
struct Door {
  NonSmoothDynamicalSystem model;
  SystemHandle door;
  InteractionHandle lower, upper;
  JointFrames axis;

  /// Hinges at heights of -0.8 m and `upper_height`, the centre 0.45 m beside them.
  Door(double upper_height, double metre, double kilogram, double spin = 0.0) {
    const Eigen::Vector3d centre(0.45 * metre, 0.0, 0.0);
    const double moments = kilogram * metre * metre;
    door = model.add(RigidBody{.mass = 20.0 * kilogram,
                               .inertia = moments * Eigen::Vector3d(5.0, 6.2, 1.4).asDiagonal(),
                               .position = centre,
                               .velocity = {0.0, 0.45 * metre * spin, 0.0},
                               .angular_velocity = {0.0, 0.0, spin},
                               .gravity = {0.0, 0.0, -kGravity * metre},
                               .name = "door"});
    const auto hinge = [&](double height, const char* name) {
      axis = joint_to_ground(place(centre), {0.0, 0.0, height * metre}, kUp);
      return link_joint(model, {door}, HingeJoint{axis}, name);
    };
    lower = hinge(-0.8, "lower");
    upper = hinge(upper_height, "upper");
  }
};

TEST(RedundantRows, AreNamedWithWhatTheyDependOn) {
  const Door door(1.0, 1.0, 1.0);
  const auto found = analysis::examine(door.model);
  ASSERT_EQ(found.mechanical.size(), 1u);
  const auto& island = found.mechanical.front();
  EXPECT_EQ(island.degrees_of_freedom, 1);
  EXPECT_EQ(island.counted_freedoms, -4);
  EXPECT_EQ(island.hyperstatic_degree, 5);
  ASSERT_EQ(island.dependences.size(), 5u);
  // Along the axis, and of the directions, the upper hinge says what the lower one says.
  for (const auto& [i, row] : {std::pair<std::size_t, int>{2, 2}, {3, 3}, {4, 4}}) {
    const auto& one = island.dependences[i];
    EXPECT_EQ(one.row, "row " + std::to_string(row) + " of upper");
    ASSERT_EQ(one.terms.size(), 1u) << one.row;
    EXPECT_EQ(one.terms[0].row, "row " + std::to_string(row) + " of lower");
    EXPECT_NEAR(one.terms[0].coefficient, 1.0, 1e-14);
  }
  // Across it a point 1.8 m above moves as the lower one and by 1.8 m times a small angle.
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& one = island.dependences[i];
    EXPECT_EQ(one.row, "row " + std::to_string(i) + " of upper");
    ASSERT_EQ(one.terms.size(), 2u) << one.row;
    EXPECT_EQ(one.terms[0].row, "row " + std::to_string(i) + " of lower");
    EXPECT_NEAR(one.terms[0].coefficient, 1.0, 1e-14);
    EXPECT_NEAR(std::abs(one.terms[1].coefficient), 1.8, 1e-13);
  }
  ASSERT_EQ(island.loops.size(), 1u);
  EXPECT_EQ(island.loops[0].interactions.size(), 2u);
  ASSERT_EQ(island.loops[0].systems.size(), 2u);
  EXPECT_EQ(std::count(island.loops[0].systems.begin(), island.loops[0].systems.end(), "the ground"), 1);
  const std::string text = analysis::to_string(found);
  EXPECT_NE(text.find("row 2 of upper = + 1 x row 2 of lower"), std::string::npos) << text;
  EXPECT_NE(text.find("loop:"), std::string::npos) << text;
}

TEST(RedundantRows, LoopsOfMechanismsAreTheirCycles) {
  const auto loops_of = [](const Mechanism& mechanism) {
    const auto found = analysis::examine(mechanism.model);
    EXPECT_EQ(found.mechanical.size(), 1u);
    return found.mechanical.front();
  };
  const auto bricard = loops_of(problems::bricard_loop());
  EXPECT_EQ(bricard.counted_freedoms, 0);
  EXPECT_EQ(bricard.degrees_of_freedom, 1);
  ASSERT_EQ(bricard.dependences.size(), 1u);
  EXPECT_GE(bricard.dependences[0].terms.size(), 6u);  // a wrench of each other hinge at least, and all balance
  ASSERT_EQ(bricard.loops.size(), 1u);
  EXPECT_EQ(bricard.loops[0].interactions.size(), 6u);
  EXPECT_EQ(bricard.loops[0].systems.size(), 6u);
  const auto held = loops_of(problems::bricard_loop(true));
  ASSERT_EQ(held.loops.size(), 1u);
  EXPECT_EQ(held.loops[0].interactions.size(), 6u);
  ASSERT_EQ(held.loops[0].systems.size(), 6u);
  EXPECT_EQ(std::count(held.loops[0].systems.begin(), held.loops[0].systems.end(), "the ground"), 1);
  // Three cranks, two couplers, the ground; seven hinges: 7 - 6 + 1 loops, of four hinges each.
  const auto windows = loops_of(problems::four_bars(2));
  ASSERT_EQ(windows.loops.size(), 2u);
  for (const auto& loop : windows.loops) EXPECT_EQ(loop.interactions.size(), 4u);
}

TEST(RedundantRows, OfADoorShareItsWeightAndSwingItAsOne) {
  // One freedom, and no moment about an upright axis: of J = 1.4 + 20 0.45^2 about it the part c = 20 0.45^2 / J is the
  // centre's. The reaction, along H at a step's end, takes energy: w' = -h c w^3 / 2 of the spin w.
  const double h = 1e-3, c = 20.0 * 0.45 * 0.45 / (1.4 + 20.0 * 0.45 * 0.45), inverse = std::sqrt(0.25 + h * c);
  const Door door(0.8, 1.0, 1.0, 2.0);
  for (const Form form : {Form::Reduced, Form::Global}) {
    TimeStepping simulation(door.model, stepping(h, form));
    const RunReport report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(simulation.problem().num_rows(), 10);
    const double spin = simulation.state().v(door.door)[5];
    // What is left is of order 2: h^2 w^2 / 12 of each turn.
    EXPECT_NEAR(spin, 1.0 / inverse, h * h);
    const auto q = simulation.state().q(door.door);
    EXPECT_NEAR(std::atan2(q[1], q[0]), 2.0 / (h * c) * (inverse - 0.5), 2.0 * h * h);
    const Wrench lower = reaction_wrench(door.model, simulation.state(), door.lower, door.door, kOrigin);
    const Wrench upper = reaction_wrench(door.model, simulation.state(), door.upper, door.door, kOrigin);
    // Rows that do the same share alike.
    EXPECT_NEAR(lower.force[2], 0.5 * 20.0 * kGravity, 1e-6);
    EXPECT_NEAR(upper.force[2], 0.5 * 20.0 * kGravity, 1e-6);
    // Together they hold the centre on its circle, of 0.45 w^2 to h w of it.
    const Eigen::Vector3d together = lower.force + upper.force;
    EXPECT_NEAR(together.head<2>().norm(), 20.0 * 0.45 * spin * spin, 0.5 * h * spin * 36.0);
  }
}

TEST(RedundantRows, OfADoorOnADrivenPostShareItsWeight) {
  // The lower hinge on the ground, the upper one on a post that turns about their axis at 3 rad/s.
  NonSmoothDynamicalSystem model;
  const Eigen::Vector3d centre(0.45, 0.0, 0.0), above(0.0, 0.0, 1.6);
  RigidBody post{.position = above, .angular_velocity = {0.0, 0.0, 3.0}, .name = "post"};
  for (Index component = 0; component < 6; ++component)
    post.prescribed.push_back({component, [component](double) { return component == 5 ? 3.0 : 0.0; }});
  const auto driven = model.add(post);
  const auto door = model.add(RigidBody{.mass = 20.0,
                                        .inertia = Eigen::Vector3d(5.0, 6.2, 1.4).asDiagonal(),
                                        .position = centre,
                                        .gravity = {0.0, 0.0, -kGravity},
                                        .name = "door"});
  const auto lower =
      link_joint(model, {door}, HingeJoint{joint_to_ground(place(centre), {0.0, 0.0, -0.8}, kUp)}, "lower");
  const auto upper = link_joint(model, {driven, door},
                                HingeJoint{joint_between(place(above), place(centre), {0.0, 0.0, 0.8}, kUp)}, "upper");
  const auto island = analysis::examine(model).mechanical.front();
  ASSERT_EQ(island.loops.size(), 1u);
  EXPECT_EQ(island.loops[0].interactions.size(), 2u);
  for (const Form form : {Form::Reduced, Form::Global}) {
    TimeStepping simulation(model, stepping(1e-3, form));
    for (int k = 0; k < 100; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(report.redundant_rows, 5) << k;
    }
    for (const InteractionHandle hinge : {lower, upper})
      EXPECT_NEAR(reaction_wrench(model, simulation.state(), hinge, door, kOrigin).force[2], 0.5 * 20.0 * kGravity,
                  1e-6);
  }
}

TEST(RedundantRows, BesideRowsThatNoReactionMovesShareReactions) {
  // A pendulum in space, held in the plane of x and y by prescribed velocities, on two hinges of one axis along z: of
  // the five rows of each the three along z and about x and y move nothing, the two others say the same twice.
  NonSmoothDynamicalSystem model;
  const Eigen::Vector3d centre(0.45, 0.0, 0.0);
  RigidBody bar{.mass = 20.0,
                .inertia = Eigen::Vector3d(5.0, 6.2, 1.4).asDiagonal(),
                .position = centre,
                .gravity = {0.0, -kGravity, 0.0},
                .name = "bar"};
  for (Index component = 2; component < 5; ++component)
    bar.prescribed.push_back({component, [](double) { return 0.0; }});
  const auto pendulum = model.add(bar);
  std::vector<InteractionHandle> hinges;
  for (const double height : {-0.8, 1.0})
    hinges.push_back(link_joint(model, {pendulum}, HingeJoint{joint_to_ground(place(centre), height * kUp, kUp)}));
  for (const Form form : {Form::Reduced, Form::Global}) {
    TimeStepping simulation(model, stepping(1e-3, form));
    for (int k = 0; k < 200; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(report.redundant_rows, 2) << k;
    }
    // It swings: by g r / k^2 t = 9.81 x 0.45 / (0.2725) x 0.2 s = 3.2 rad/s, less what it turned.
    EXPECT_LT(simulation.state().v(pendulum)[5], -2.5);
    const Wrench one = reaction_wrench(model, simulation.state(), hinges[0], pendulum, kOrigin);
    const Wrench other = reaction_wrench(model, simulation.state(), hinges[1], pendulum, kOrigin);
    EXPECT_GT(one.force.norm(), 50.0);
    EXPECT_LE((one.force - other.force).norm(), 1e-6 * one.force.norm());
  }
}

TEST(RedundantRows, ShareReactionsAlikeInAnyUnits) {
  // Metres and kilograms, or millimetres and grams: 1 N is 10^6 of the others.
  const double metre = 1e3, kilogram = 1e3, newton = metre * kilogram;
  Wrench of_upper[2];
  for (int i = 0; i < 2; ++i) {
    const Door door(1.0, i == 0 ? 1.0 : metre, i == 0 ? 1.0 : kilogram, 2.0);
    TimeSteppingOptions options = stepping(1e-3);
    options.projection.bilateral_tolerance = i == 0 ? 1e-10 : 1e-10 * metre;
    TimeStepping simulation(door.model, options);
    const RunReport report = simulation.advance_to(0.2);
    ASSERT_TRUE(report) << report.message();
    of_upper[i] = reaction_wrench(door.model, simulation.state(), door.upper, door.door, kOrigin);
  }
  EXPECT_LE((of_upper[1].force / newton - of_upper[0].force).norm(), 1e-6 * of_upper[0].force.norm());
  EXPECT_LE((of_upper[1].moment / (newton * metre) - of_upper[0].moment).norm(), 1e-6 * of_upper[0].moment.norm());
}

TEST(RedundantRows, ThatContradictHaveNoSolutionAndAProofThatNamesThem) {
  // Two motors of one hinge: at one speed they share it, at two there is no motion, however near the two are.
  for (const auto& [form, other] : {std::pair{Form::Reduced, 3.0},
                                    {Form::Reduced, 3.0 * (1.0 + 1e-4)},
                                    {Form::Reduced, 4.0},
                                    {Form::Global, 3.0},
                                    {Form::Global, 4.0}}) {
    Door door(1.0, 1.0, 1.0);
    const auto motor = [&](double speed, const char* name) {
      door.model.link(door.door, HingeMotor{.frames = door.axis, .velocity = [speed](double) { return speed; }},
                      EqualityLaw{}, name);
    };
    motor(3.0, "one motor");
    motor(other, "other motor");
    TimeStepping simulation(door.model, stepping(1e-3, form));
    const StepReport report = simulation.step();
    if (other == 3.0) {
      EXPECT_TRUE(report) << report.message();
      EXPECT_NEAR(simulation.state().v(door.door)[5], 3.0, 1e-8);
      continue;
    }
    EXPECT_FALSE(report) << other;
    EXPECT_EQ(report.solver, Status::Infeasible) << other;
    EXPECT_NE(report.detail.find("one motor"), std::string::npos) << report.detail;
    EXPECT_NE(report.detail.find("other motor"), std::string::npos) << report.detail;
    const OneStepNSProblem& problem = simulation.problem();
    ASSERT_EQ(problem.result.proof.size(), problem.num_rows());
    EXPECT_TRUE(mixed::proves_infeasible(problem.reduced, problem.result.proof));
  }
}

TEST(RedundantRows, OfAMotorThatStartsFromRestAreNoContradiction) {
  // Without forces the motor's own velocity is all that the rows have to take away.
  const Eigen::Vector3d axis = Eigen::Vector3d(1.0, 2.0, 3.0).normalized();
  for (const double speed : {1e-6, 1.0}) {
    NonSmoothDynamicalSystem model;
    const Eigen::VectorXd start = place({0.45, 0.2, -0.1}, jointed::exponential({0.3, -0.7, 0.4}));
    const auto door = model.add(RigidBody{.inertia = Eigen::Vector3d(1.0, 1.2, 0.4).asDiagonal(),
                                          .position = start.head<3>(),
                                          .orientation = start.tail<4>(),
                                          .name = "door"});
    for (const double along : {-0.8, 1.0})
      link_joint(model, {door}, HingeJoint{joint_to_ground(start, along * axis, axis)});
    model.link(door,
               HingeMotor{.frames = joint_to_ground(start, kOrigin, axis), .velocity = [=](double) { return speed; }},
               EqualityLaw{}, "motor");
    TimeStepping simulation(model, stepping(1e-3));
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.redundant_rows, 5);
    EXPECT_NEAR(simulation.state().v(door).tail<3>().norm(), speed, 1e-6 * speed);
  }
}

TEST(RedundantRows, OfJointsWithFrictionShareAWeightInAnyDirection) {
  // A door on two ball joints: what holds it up along its axis is one row of each, whichever row of the joint that is.
  double of_first = 0.0;
  for (Index k = 0; k < 3; ++k) {
    const Eigen::Vector3d axis = Eigen::Vector3d::Unit(k), centre = 0.45 * Eigen::Vector3d::Unit((k + 1) % 3);
    NonSmoothDynamicalSystem model;
    const auto door = model.add(RigidBody{.mass = 20.0,
                                          .inertia = 2.0 * Eigen::Matrix3d::Identity(),
                                          .position = centre,
                                          .velocity = 2.0 * jointed::cross(axis, centre),
                                          .angular_velocity = 2.0 * axis,
                                          .gravity = -kGravity * axis,
                                          .name = "door"});
    std::vector<InteractionHandle> joints;
    for (const double height : {-0.8, 0.8})
      joints.push_back(model.link(door, FrictionalBall{joint_to_ground(place(centre), height * axis)},
                                  BallFrictionLaw{.friction = 0.1, .radius = 0.02}));
    TimeStepping simulation(model, stepping(1e-3));
    while (simulation.state().t < 0.1 - 5e-4) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(report.redundant_rows, 1) << k;
    }
    for (const InteractionHandle joint : joints)
      EXPECT_NEAR(simulation.state().force(joint)[k], 0.5 * 20.0 * kGravity, 1e-4) << k;
    const double spin = simulation.state().v(door).tail<3>().dot(axis);
    if (k == 0) of_first = spin;
    EXPECT_NEAR(spin, of_first, 1e-8) << k;
    EXPECT_LT(spin, 2.0 - 1e-3) << "it rubs";
  }
}

TEST(RedundantRows, OfLoopsOfMoreThan400RowsAreFoundToo) {
  // A ring of n bars, hinged end to end: 2 n rows, and the largest that is looked at densely has 400. A larger one is
  // proven to have no dependent rows; with a hinge twice it has two, and is proven to have no others.
  const auto ring = [](int n, bool twice) {
    NonSmoothDynamicalSystem model;
    const auto corner = [n](int i) { return Eigen::Vector2d(std::cos(i * 6.0 / n), std::sin(i * 6.0 / n)); };
    std::vector<SystemHandle> bars;
    const auto at = [&](int i) -> Eigen::VectorXd {
      const Eigen::Vector2d middle = 0.5 * (corner(i) + corner((i + 1) % n));
      return Eigen::Vector3d(middle[0], middle[1], 0.0);
    };
    const auto hinge = [&](int i) {
      const int next = (i + 1) % n;
      model.link({bars[static_cast<std::size_t>(i)], bars[static_cast<std::size_t>(next)]},
                 PlanarHinge{planar_joint_between(at(i), at(next), corner(next))}, EqualityLaw{});
    };
    for (int i = 0; i < n; ++i) bars.push_back(model.add(PlanarBody{.position = at(i).head<2>()}));
    for (int i = 0; i < n; ++i) hinge(i);
    if (twice) hinge(0);
    return model;
  };
  struct Case {
    int n;
    bool twice;
  };
  for (const Case& one : {Case{199, true}, Case{200, false}, Case{201, false}, Case{201, true}}) {
    TimeStepping simulation(ring(one.n, one.twice), {.step = 1e-3});
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.rows, 2 * one.n + (one.twice ? 2 : 0));
    EXPECT_EQ(report.redundant_rows, one.twice ? 2 : 0);
    EXPECT_EQ(report.unexamined_rows, 0);
    for (const RunRemark& remark : simulation.findings())
      EXPECT_NE(remark.kind, RunRemark::Kind::RedundancyUnknown) << remark.message();
  }
}

TEST(RedundantRows, AThresholdOutOfItsRangeIsRefused) {
  const Door door(1.0, 1.0, 1.0);
  for (const double wrong : {-1e-3, 0.2, bad_input::kNaN}) {
    TimeSteppingOptions options = stepping(1e-3);
    options.dependent_rows = wrong;
    bad_input::expect_refused([&] { TimeStepping simulation(door.model, options); },
                              {"TimeSteppingOptions::dependent_rows"});
  }
}

}  // namespace
}  // namespace nonsmooth::redundant_rows_test
