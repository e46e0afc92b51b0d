// SPDX-License-Identifier: Apache-2.0
// Ties of several systems that also measure the ground: what depends on others through that is found within a step, and
// what lies on no loop stays out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/constraint_graph.hpp"
#include "kernel/joint_bodies.hpp"
#include "stepping/problem/redundant_rows.hpp"

namespace nonsmooth::rows_on_the_ground_test {
namespace {

using analysis::detail::ConstraintGraph;
using jointed::place;

using Parts = std::vector<std::vector<Index>>;

const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kUp = Eigen::Vector3d::UnitZ(),
                      kRight = Eigen::Vector3d::UnitX(), kAcross = Eigen::Vector3d::UnitY();
constexpr double kStep = 1e-3;

TEST(RowsOnTheGround, AreOfThePartsThatTheyTieToIt) {
  // Two ties between systems 0 and 1, one of 0 on the ground; a chain 1 - 2 - 3 behind them, which ends at the ground
  // where it says so.
  const std::vector<std::vector<Index>> ties{{0, 1}, {0, 1}, {0}, {1, 2}, {2, 3}};
  EXPECT_EQ(ConstraintGraph(ties, {}).parts(), (Parts{{0, 1}}));
  EXPECT_EQ(ConstraintGraph(ties, {}, {0}).parts(), (Parts{{0, 1, 2}}));
  EXPECT_EQ(ConstraintGraph(ties, {}, {4}).parts(), (Parts{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(ConstraintGraph(ties, {}, {2}).parts(), (Parts{{0, 1}})) << "it has that edge";
  EXPECT_EQ(ConstraintGraph(ties, {}, {0}).loops().size(), ConstraintGraph(ties, {}).loops().size());
}

/// Masses of 1 kg on lines, row k of H between them a relation by itself: of constants, or by a function.
struct Masses {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> masses;
  std::vector<InteractionHandle> rows;

  SystemHandle add(double x, double force) {
    masses.push_back(model.add(LagrangianLinearSystem{.force = VectorData(Eigen::VectorXd::Constant(1, force)),
                                                      .q0 = Eigen::VectorXd::Constant(1, x)}));
    return masses.back();
  }
  void tie(const std::vector<SystemHandle>& systems, const Eigen::RowVectorXd& H, bool by_function) {
    const auto h = [H](ConstVectorRef q, VectorRef y) { y = H * q; };
    rows.push_back(by_function ? model.link(systems, ScleronomousRelation{.h = h}, EqualityLaw{})
                               : model.link(systems, LagrangianLinearRelation{.H = Eigen::MatrixXd(H)}, EqualityLaw{}));
  }
};

Eigen::RowVectorXd row(double a, double b) { return (Eigen::RowVectorXd(2) << a, b).finished(); }

TEST(RowsOnTheGround, SumDifferenceAndOneOfThemHoldTwoMassesOnce) {
  // v_1 + v_2 = 0, v_1 - v_2 = 0, v_1 = 0: of the forces f on the masses, r_1 + r_2 + r_3 = -f_1 and r_1 - r_2 = -f_2
  // with the least 2 r_1^2 + 2 r_2^2 + r_3^2, s^2 + f_2^2 + (f_1 + s)^2 of s = r_1 + r_2 = -f_1 / 2.
  const double f_1 = 3.0, f_2 = -1.4;
  for (const bool by_function : {false, true}) {
    for (const Form form : {Form::Reduced, Form::Global}) {
      Masses m;
      const SystemHandle one = m.add(1e-6, f_1), two = m.add(0.0, f_2);
      m.tie({one, two}, row(1.0, 1.0), by_function);
      m.tie({one, two}, row(1.0, -1.0), by_function);
      m.tie({one}, Eigen::RowVectorXd::Ones(1), by_function);
      TimeStepping simulation(
          m.model,
          {.step = kStep,
           .form = form,
           .projection = {.kind = Projection::Direct, .unilateral_tolerance = 1e-10, .bilateral_tolerance = 1e-10}});
      for (int k = 0; k < 10; ++k) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report) << report.message();
        EXPECT_EQ(report.rows, 3);
        EXPECT_EQ(report.redundant_rows, 1) << by_function << " " << k;
      }
      const State& state = simulation.state();
      // The solver's 1e-10 or so of speeds h f, over h; H by differences knows 1e-8 of itself.
      const double tolerance = 1e-6;
      EXPECT_NEAR(state.force(m.rows[0])[0], 0.5 * (-0.5 * f_1 - f_2), tolerance);
      EXPECT_NEAR(state.force(m.rows[1])[0], 0.5 * (-0.5 * f_1 + f_2), tolerance);
      EXPECT_NEAR(state.force(m.rows[2])[0], -0.5 * f_1, tolerance);
      for (const InteractionHandle one_row : m.rows) EXPECT_LE(std::abs(state.y(one_row)[0]), 1e-10);
    }
  }
}

TEST(RowsOnTheGround, AChainThatEndsThereHasNoLoop) {
  // 410 masses in a row, the first one tied to the ground. Differences see nothing of it; of x_i - 1.01 x_(i+1) each
  // row does, and these are more than the 400 rows among which dependent ones are looked for: they are proven
  // independent, as Ŵ, 1 on and -1.01 / 2.0201 beside its diagonal, has no eigenvalue below 1 - 2 x 1.01 / 2.0201 =
  // 5e-5, and 1e-8 is that of rows that would count as dependent.
  for (const bool by_function : {false, true}) {
    for (const double ratio : {1.0, 1.01}) {
      for (const Form form : {Form::Reduced, Form::Global}) {
        Masses m;
        m.tie({m.add(0.0, 1.0)}, Eigen::RowVectorXd::Ones(1), by_function);
        for (int i = 1; i < 410; ++i) m.tie({m.masses.back(), m.add(0.0, 1.0)}, row(1.0, -ratio), by_function);
        TimeStepping simulation(m.model, {.step = kStep, .form = form});
        const StepReport report = simulation.step();
        ASSERT_TRUE(report) << report.message();
        EXPECT_EQ(report.redundant_rows, 0);
        EXPECT_EQ(report.unexamined_rows, 0) << by_function;
      }
    }
  }
}

TEST(RowsOnTheGround, OfALongChainThatIsNearlyDependentAreCounted) {
  // The least eigenvalue of Ŵ of the chain above is 8e-5, of a row of which less than its root, 9e-3, is left by the
  // others: with a threshold of 0.1 nothing is proven of the 410.
  Masses m;
  m.tie({m.add(0.0, 1.0)}, Eigen::RowVectorXd::Ones(1), true);
  for (int i = 1; i < 410; ++i) m.tie({m.masses.back(), m.add(0.0, 1.0)}, row(1.0, -1.01), true);
  for (const double dependent : {0.0, 1e-4, 0.1}) {
    TimeStepping simulation(m.model, {.step = kStep, .dependent_rows = dependent});
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.redundant_rows, 0) << dependent;
    EXPECT_EQ(report.unexamined_rows, dependent == 1e-4 ? 0 : 410) << dependent;
    const RunRemarks& findings = simulation.findings();
    const auto told = [](const RunRemark& remark) { return remark.kind == RunRemark::Kind::RedundancyUnknown; };
    const auto found = std::find_if(findings.begin(), findings.end(), told);
    ASSERT_EQ(found != findings.end(), dependent != 1e-4) << dependent;
    if (dependent != 1e-4) {
      EXPECT_EQ(found->worst, 410.0) << found->message();
    }
  }
}

/// A row of bodies, each a user's rod of 0.5 m beside the next: what these measure is not known.
struct Rods {
  static constexpr double apart = 0.5;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;

  explicit Rods(int count) {
    add();
    for (int i = 0; i < count; ++i) {
      const SystemHandle last = bodies.back();
      link(last, add());
    }
  }
  SystemHandle add() {
    bodies.push_back(model.add(RigidBody{.position = apart * static_cast<double>(bodies.size()) * kRight}));
    return bodies.back();
  }
  void link(SystemHandle one, SystemHandle other) {
    const auto h = [](ConstVectorRef q, VectorRef y) { y[0] = (q.segment<3>(0) - q.segment<3>(7)).norm() - apart; };
    const auto H = [](ConstVectorRef q, MatrixRef jacobian) {
      const Eigen::Vector3d along = (q.segment<3>(0) - q.segment<3>(7)).normalized();
      jacobian.setZero();
      jacobian.block<1, 3>(0, 0) = along.transpose();
      jacobian.block<1, 3>(0, 6) = -along.transpose();
    };
    model.link({one, other}, ScleronomousRelation{.h = h, .H = H}, EqualityLaw{});
  }
};

TEST(RowsOnTheGround, OfAThousandRodsAreProvenIndependent) {
  // Ŵ has 1 on and -1/2 beside its diagonal: least eigenvalue 1 - cos(pi / 1001) = 4.9e-6, above 1e-8. A rod beside the
  // first one closes a loop with it: one row of two depends on the other, and the rest is proven without it. In both
  // forms, whatever order bodies are linked in, and in later steps.
  for (const Form form : {Form::Reduced, Form::Global}) {
    for (const bool twice : {false, true}) {
      Rods rods(1000);
      if (twice) rods.link(rods.bodies[1], rods.bodies[0]);
      TimeStepping simulation(rods.model, {.step = kStep, .form = form});
      for (int k = 0; k < 3; ++k) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report) << report.message();
        EXPECT_EQ(report.rows, twice ? 1001 : 1000);
        EXPECT_EQ(report.redundant_rows, twice ? 1 : 0);
        EXPECT_EQ(report.unexamined_rows, 0);
      }
    }
  }
}

TEST(RowsOnTheGround, LeaveADoorInTooLongAChainToItsHinges) {
  // 400 rods of a user's in a row, two hinges of one axis, a rod on: what the rods measure is not known, and 411 rows
  // that may all hang on the ground are too many. The hinges close a loop of their own: five rows of the ten are left,
  // with which the rods' are independent.
  Rods rods(400);
  const SystemHandle frame = rods.bodies.back(), door = rods.add();
  const Eigen::VectorXd of_frame = place(200.0 * kRight), of_door = place((200.0 + Rods::apart) * kRight);
  for (const double height : {0.0, 0.8}) {
    const Eigen::Vector3d pin = (200.0 + 0.5 * Rods::apart) * kRight + height * kUp;
    link_joint(rods.model, {door, frame}, HingeJoint{joint_between(of_door, of_frame, pin, kUp, kRight)});
  }
  rods.link(door, rods.add());
  TimeStepping simulation(rods.model, {.step = kStep});
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report.rows, 411);
  EXPECT_EQ(report.redundant_rows, 5);
  EXPECT_EQ(report.unexamined_rows, 0);
}

TEST(RowsOnTheGround, StayOnItUntilTheNextStep) {
  // Ties of {0, 1} and {1}: a loop where the first one measures the ground, at any iterate of a step.
  OneStepNSProblem problem;
  problem.systems = {0, 1, 1};
  problem.blocks.resize(2);
  problem.blocks[0].interaction = 0;
  problem.blocks[0].systems = 2;
  problem.blocks[1].interaction = 1;
  problem.blocks[1].row = 1;
  problem.blocks[1].first_system = 2;
  problem.blocks[1].systems = 1;
  for (OneStepNSProblem::Block& block : problem.blocks) block.size = 1;
  RedundantRows redundant;
  const auto loops = [&](bool ground) {
    redundant.candidates() = {{0, 1, ground}, {1, 1, true}};
    redundant.find_loops(problem, {});
    return redundant.any_loops();
  };
  redundant.begin_step();
  EXPECT_FALSE(loops(false));
  EXPECT_TRUE(loops(true));
  EXPECT_TRUE(loops(false));
  redundant.begin_step();
  EXPECT_FALSE(loops(false));
}

/// A finger whose second joint turns by 0.8 of the first; motors of given rates turn both, or the first alone.
StepReport finger_step(bool both, Form form, double* spin) {
  constexpr double ratio = 0.8, rate = 1.3;
  const Eigen::Vector3d knuckle(0.2, 0.0, 0.0), tip(0.3, 0.0, 0.0);
  NonSmoothDynamicalSystem model;
  const auto proximal =
      model.add(RigidBody{.mass = 0.3, .inertia = 1e-3 * Eigen::Matrix3d::Identity(), .name = "proximal"});
  const auto distal = model.add(
      RigidBody{.mass = 0.2, .inertia = 5e-4 * Eigen::Matrix3d::Identity(), .position = tip, .name = "distal"});
  const JointFrames base = joint_to_ground(place(kOrigin), kOrigin, kAcross, kRight);
  const JointFrames joint = joint_between(place(tip), place(kOrigin), knuckle, kAcross, kRight);
  link_joint(model, {proximal}, HingeJoint{base}, "base");
  link_joint(model, {distal, proximal}, HingeJoint{joint}, "joint");
  link_joint(model, {proximal, distal},
             Coupler{.first = HingeAngle{.frames = joint},
                     .second = HingeAngle{.frames = base},
                     .ratio = ratio,
                     .first_bodies = {1, 0},
                     .second_bodies = {0, 2}},
             "mimic");
  const auto motor = [&](const std::vector<SystemHandle>& bodies, const JointFrames& frames, double speed) {
    model.link(bodies, HingeMotor{.frames = frames, .velocity = [speed](double) { return speed; }}, EqualityLaw{});
  };
  motor({proximal}, base, rate);
  if (both) motor({distal, proximal}, joint, ratio * rate);
  TimeStepping simulation(model, {.step = kStep, .form = form});
  StepReport report = simulation.step();
  *spin = simulation.state().v(distal)[4] / rate;
  return report;
}

TEST(RowsOnTheGround, OfAMimickedJointThatIsDrivenTooAreOneMore) {
  // What the coupler says of the second joint its motor says again, given what the first one's says of the ground.
  for (const Form form : {Form::Reduced, Form::Global}) {
    for (const bool both : {false, true}) {
      double spin = 0.0;
      const StepReport report = finger_step(both, form, &spin);
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(report.rows, both ? 13 : 12);
      EXPECT_EQ(report.redundant_rows, both ? 1 : 0);
      EXPECT_NEAR(spin, 1.8, 1e-7);
    }
  }
}

TEST(RowsOnTheGround, OfGearsAreIndependentUntilTheTrainCloses) {
  // Wheels in a row, about upright axes: on the ground, or on an arm that turns on it. The middle one's teeth cancel,
  // so that a gear of the first and the third says what the other two say.
  constexpr Index teeth[]{12, 17, 30};
  for (const bool on_arm : {false, true}) {
    for (const int gears : {1, 2, 3}) {
      NonSmoothDynamicalSystem model;
      SystemHandle arm;
      if (on_arm) {
        arm = model.add(RigidBody{.mass = 2.0, .angular_velocity = {0.0, 0.0, 0.7}, .name = "arm"});
        link_joint(model, {arm}, HingeJoint{joint_to_ground(place(kOrigin), kOrigin, kUp)});
      }
      std::vector<SystemHandle> wheels;
      std::vector<JointFrames> pins;
      for (int i = 0; i < 3; ++i) {
        const Eigen::Vector3d at = (0.1 + i) * kRight;
        const Eigen::Vector3d velocity = on_arm ? Eigen::Vector3d(0.7 * at[0] * kAcross) : kOrigin;
        wheels.push_back(model.add(
            RigidBody{.position = at, .velocity = velocity, .angular_velocity = {0.0, 0.0, on_arm ? 0.7 : 0.0}}));
        pins.push_back(on_arm ? joint_between(place(at), place(kOrigin), at, kUp, kRight)
                              : joint_to_ground(place(at), at, kUp, kRight));
        std::vector<SystemHandle> bodies{wheels.back()};
        if (on_arm) bodies.push_back(arm);
        link_joint(model, bodies, HingeJoint{pins.back()});
      }
      for (int g = 0; g < gears; ++g) {
        const std::size_t first = g == 1 ? 1 : 0, second = g == 0 ? 1 : 2;
        std::vector<SystemHandle> bodies{wheels[first], wheels[second]};
        if (on_arm) bodies.push_back(arm);
        link_joint(model, bodies,
                   GearJoint{.first = pins[first],
                             .second = pins[second],
                             .teeth_first = teeth[first],
                             .teeth_second = g == 2 ? -teeth[second] : teeth[second]});
      }
      TimeStepping simulation(model, {.step = kStep});
      for (int k = 0; k < 20; ++k) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report) << report.message();
        EXPECT_EQ(report.rows, 15 + (on_arm ? 5 : 0) + gears);
        EXPECT_EQ(report.redundant_rows, gears == 3 ? 1 : 0) << on_arm << " " << gears << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace nonsmooth::rows_on_the_ground_test
