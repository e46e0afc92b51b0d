// SPDX-License-Identifier: Apache-2.0
// The one-step problem as a value: matrices against closed forms, where its rows come from, what an observer sees.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "closed_forms.hpp"

namespace nonsmooth::one_step_ns_problem_test {
namespace {

using closed_forms::kEps;
using closed_forms::kGravity;
using Level = OneStepNSProblem::Level;

constexpr double kMass = 2.5, kRestitution = 0.5, kStep = 0.01, kHeight = 1e-3, kSpeed = -1.0;

/// A ball that the first step lets hit the floor, before which its gap is kHeight.
struct Ball {
  NonSmoothDynamicalSystem model;
  SystemHandle ball;
  InteractionHandle floor;

  Ball() {
    LagrangianLinearSystem description = closed_forms::mass_point(kMass, -kMass * kGravity, kHeight, kSpeed);
    description.name = "ball";
    ball = model.add(description);
    floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{kRestitution}, "floor");
  }
};

// u = W r + q with W = 1/m and q = v_free + e v_k; the impact takes v to -e v_k, so r = m (-(1+e) v_k + g h).
TEST(OneStepNSProblem, OfABallOnTheFloorIsItsClosedForm) {
  const Ball ball;
  TimeStepping simulation(ball.model, closed_forms::moreau_jean(kStep));
  EXPECT_TRUE(simulation.problem().empty());
  ASSERT_TRUE(simulation.step());
  const OneStepNSProblem& problem = simulation.problem();
  ASSERT_EQ(problem.num_rows(), 1);
  EXPECT_EQ(problem.level, Level::Velocity);
  EXPECT_FALSE(problem.global);
  EXPECT_EQ(problem.sets()[0].kind, SetKind::Orthant);
  // Sums of two or three terms below 3 m/s, and a division: a few roundings of that size.
  const double q = kSpeed - kGravity * kStep + kRestitution * kSpeed;
  EXPECT_NEAR(problem.reduced.W.values(0)[0], 1.0 / kMass, 2.0 * kEps / kMass);
  EXPECT_NEAR(problem.reduced.q[0], q, 8.0 * kEps);
  EXPECT_NEAR(problem.result.r[0], -kMass * q, 32.0 * kEps * kMass);
  EXPECT_NEAR(problem.result.u[0], 0.0, 8.0 * kEps);
  EXPECT_TRUE(problem.result.ok());
  EXPECT_LE(problem.result.certificate.residual, 1e-10);
  EXPECT_FALSE(problem.result.solver.empty());
  EXPECT_EQ(problem.start.size(), 1);
  EXPECT_EQ(problem.start[0], 0.0);  // nothing acted before
  EXPECT_EQ(problem.result.r[0], simulation.state().impulse(ball.floor)[0]);

  const OneStepNSProblem::Origin origin = problem.origin(0);
  EXPECT_EQ(origin.interaction, ball.floor);
  EXPECT_EQ(origin.local, 0);
  EXPECT_EQ(origin.systems, std::vector<std::string>{"ball"});
  EXPECT_EQ(problem.place(0), "row 0 of floor on ball");
  EXPECT_THROW((void)problem.origin(1), InvalidArgument);
  EXPECT_THROW((void)problem.place(-1), InvalidArgument);

  // Two steps later the ball flies: nothing acts. A copy of the problem stays what it was.
  const OneStepNSProblem kept = problem;
  ASSERT_TRUE(simulation.step());
  ASSERT_TRUE(simulation.step());
  EXPECT_TRUE(simulation.problem().empty());
  EXPECT_EQ(simulation.problem().num_rows(), 0);
  EXPECT_EQ(kept.num_rows(), 1);
  EXPECT_EQ(kept.place(0), "row 0 of floor on ball");
}

// In the global form A dv = H^T r and u = H dv + q with the same q: the same impulse within the solver's tolerance.
TEST(OneStepNSProblem, OfTheGlobalFormHasTheMass) {
  const Ball ball;
  TimeSteppingOptions options = closed_forms::moreau_jean(kStep);
  options.form = Form::Global;
  TimeStepping simulation(ball.model, options);
  ASSERT_TRUE(simulation.step());
  const OneStepNSProblem& problem = simulation.problem();
  ASSERT_TRUE(problem.global);
  EXPECT_EQ(problem.num_rows(), 1);
  EXPECT_NEAR(problem.global->A.coeff(0, 0), kMass, 2.0 * kEps * kMass);
  EXPECT_EQ(problem.global->H.coeff(0, 0), 1.0);
  EXPECT_EQ(problem.global->f[0], 0.0);
  EXPECT_NEAR(problem.global->w[0], (1.0 + kRestitution) * kSpeed - kGravity * kStep, 8.0 * kEps);
  EXPECT_EQ(problem.sets().num_rows(), 1);
  EXPECT_NEAR(problem.result.r[0], -kMass * problem.global->w[0], 1e-9 * kMass);
  EXPECT_EQ(problem.place(0), "row 0 of floor on ball");
}

// y_1 = y_0 + h (v_1 + v_0) / 2 = y_0 - h (1 - e) |v_0| / 2 < 0; the projection's W is 1/m, and mu = -m y_1.
TEST(OneStepNSProblem, OfAProjectionHasItsLevel) {
  const Ball ball;
  TimeSteppingOptions options = closed_forms::moreau_jean(kStep);
  options.projection.kind = Projection::Direct;
  TimeStepping simulation(ball.model, options);
  EXPECT_TRUE(simulation.projection_problem().empty());
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(report.projections, 1);
  const double y = kHeight + 0.5 * kStep * (1.0 - kRestitution) * kSpeed;
  ASSERT_LT(y, 0.0);
  const OneStepNSProblem& problem = simulation.projection_problem();
  ASSERT_EQ(problem.num_rows(), 1);
  EXPECT_EQ(problem.level, Level::Projection);
  EXPECT_EQ(simulation.problem().level, Level::Velocity);
  EXPECT_NEAR(problem.reduced.W.values(0)[0], 1.0 / kMass, 2.0 * kEps / kMass);
  EXPECT_NEAR(problem.reduced.q[0], y, 16.0 * kEps * kStep);
  EXPECT_NEAR(problem.result.r[0], -kMass * y, 32.0 * kEps * kMass * kStep);
  EXPECT_EQ(problem.result.r[0], simulation.state().projection(ball.floor)[0]);
  EXPECT_EQ(problem.origin(0).interaction, ball.floor);
  ASSERT_TRUE(simulation.step());  // it takes off: nothing is to be moved
  EXPECT_TRUE(simulation.projection_problem().empty());
}

TEST(OneStepNSProblem, OfTwoStepsIsAboutPositions) {
  const Ball ball;
  TimeStepping simulation(ball.model, {.integrator = SchatzmanPaoli{}, .step = kStep});
  ASSERT_TRUE(simulation.step());
  EXPECT_EQ(simulation.problem().level, Level::Position);
}

/// Two blocks in the plane, one on the floor and one on it, with friction: u = H v has rows (N, T).
TEST(OneStepNSProblem, RowsOfContactsTellTheirInteraction) {
  NonSmoothDynamicalSystem model;
  const auto block = [&](const char* name, double mass, double height) {
    return model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(mass, mass).asDiagonal(),
                                            .force = {-mass * kGravity, 0.3 * mass * kGravity},
                                            .q0 = {height, 0.0},
                                            .name = name});
  };
  const double lower_mass = 3.0, upper_mass = 0.5;
  const auto lower = block("lower", lower_mass, 0.0), upper = block("upper", upper_mass, 0.0);
  const NewtonImpactFrictionLaw law{.friction = 0.2};
  const auto floor = model.link(lower, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}}, law, "floor");
  const auto between = model.link(
      {lower, upper}, LagrangianLinearRelation{.H = {{-1.0, 0.0, 1.0, 0.0}, {0.0, -1.0, 0.0, 1.0}}}, law, "between");
  TimeStepping simulation(model, closed_forms::moreau_jean(kStep));
  ASSERT_TRUE(simulation.step());
  const OneStepNSProblem& problem = simulation.problem();
  ASSERT_EQ(problem.num_rows(), 4);
  ASSERT_EQ(problem.blocks.size(), 2U);
  for (Index row = 0; row < 4; ++row) {
    const OneStepNSProblem::Origin origin = problem.origin(row);
    EXPECT_EQ(origin.interaction, row < 2 ? floor : between) << row;
    EXPECT_EQ(origin.local, row % 2) << row;
    EXPECT_EQ(origin.source, -1);
  }
  EXPECT_EQ(problem.origin(0).systems, std::vector<std::string>{"lower"});
  EXPECT_EQ(problem.origin(3).systems, (std::vector<std::string>{"lower", "upper"}));
  EXPECT_EQ(problem.place(3), "row 1 of between on lower and upper");
  // W = H M^-1 H^T: 1/m_1, -1/m_1 across, and 1/m_1 + 1/m_2, times the identity of each block.
  const BlockSparseMatrix& W = problem.reduced.W;
  const double of_lower = 1.0 / lower_mass, of_both = of_lower + 1.0 / upper_mass;
  const Eigen::Matrix2d identity = Eigen::Matrix2d::Identity();
  EXPECT_LE((W.block(0, W.find(0, 0)) - of_lower * identity).norm(), 4.0 * kEps);
  EXPECT_LE((W.block(0, W.find(0, 1)) + of_lower * identity).norm(), 4.0 * kEps);
  EXPECT_LE((W.block(1, W.find(1, 1)) - of_both * identity).norm(), 8.0 * kEps);
}

/// Two disks, one on the floor and one on it: detected contacts have no interaction.
TEST(OneStepNSProblem, RowsOfDetectedContactsTellTheirFeature) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (const auto& [name, height] : {std::pair{"below", 1.0}, std::pair{"above", 3.0}}) {
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 0.5).asDiagonal(),
                                                     .force = {0.0, -kGravity, 0.0},
                                                     .q0 = {0.0, height, 0.0},
                                                     .name = name}));
  }
  const FloorProfile floor{.height = [](double) { return 0.0; },
                           .slope = [](double) { return 0.0; },
                           .curvature = [](double) { return 0.0; }};
  model.detect(std::make_shared<const DiskContacts>(disks, std::vector<double>{1.0, 1.0},
                                                    NewtonImpactFrictionLaw{.friction = 0.4}, floor));
  TimeStepping simulation(model, closed_forms::moreau_jean(1e-3));
  ASSERT_TRUE(simulation.step());
  const OneStepNSProblem& problem = simulation.problem();
  ASSERT_EQ(problem.num_rows(), 4);
  Index on_the_ground = 0;
  for (Index row = 0; row < 4; ++row) {
    const OneStepNSProblem::Origin origin = problem.origin(row);
    EXPECT_FALSE(origin.interaction);
    EXPECT_EQ(origin.source, 0);
    EXPECT_EQ(origin.local, row % 2);
    const bool ground = origin.systems.size() == 1;
    if (ground) ++on_the_ground;
    EXPECT_EQ(origin.feature, simulation.state().contacts[static_cast<std::size_t>(row / 2)].feature);
    EXPECT_TRUE(problem.place(row) ==
                    (ground ? "the contact of below and the ground" : "the contact of below and above") ||
                problem.place(row) == "the contact of above and below")
        << problem.place(row);
  }
  EXPECT_EQ(on_the_ground, 2);
}

/// One object for the whole run, which observers see with the solution of the step that was just made.
TEST(OneStepNSProblem, IsShownToObserversWithoutACopy) {
  const Ball ball;
  TimeStepping simulation(ball.model, closed_forms::moreau_jean(kStep));
  const OneStepNSProblem* shown = nullptr;
  Index with_rows = 0;
  const RunReport report = simulation.advance_to(0.5, [&](const State& state, const StepReport& step) {
    const OneStepNSProblem& problem = simulation.problem();
    EXPECT_EQ(problem.num_rows(), step.rows);
    if (problem.empty()) return;
    ++with_rows;
    if (shown) {
      EXPECT_EQ(shown, &problem);
    }
    shown = &problem;
    EXPECT_EQ(problem.result.r[0], state.impulse(ball.floor)[0]);
    EXPECT_EQ(problem.result.certificate.residual, step.certificate.residual);
  });
  EXPECT_TRUE(report) << report.message();
  EXPECT_GT(with_rows, 1);
}

}  // namespace
}  // namespace nonsmooth::one_step_ns_problem_test
