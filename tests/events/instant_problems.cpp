// SPDX-License-Identifier: Apache-2.0
// The problems of an instant as values: impacts and accelerations against closed forms, and where their rows come from.
#include <cmath>

#include "event_log.hpp"

namespace nonsmooth {
namespace {

using namespace event_log;
using Level = OneStepNSProblem::Level;

constexpr double kMass = 2.5, kSpeed = 3.0, kMu = 0.4;
/// Sums and products of a few terms of size 10.
constexpr double kExact = 1e-14 * 10.0;

/// A block on a floor, coordinates (height, way), pushed along the floor.
struct Block {
  NonSmoothDynamicalSystem model;
  SystemHandle block;
  InteractionHandle floor;

  template <class ImpactLaw>
  Block(ImpactLaw law, double height_velocity, double push) {
    LagrangianLinearSystem description{.mass = Eigen::Vector2d(kMass, kMass).asDiagonal(),
                                       .force = {-kMass * kGravity, push},
                                       .q0 = {0.0, 0.0},
                                       .v0 = {height_velocity, 0.0}};
    description.name = "block";
    block = model.add(description);
    const Eigen::MatrixXd H = Eigen::MatrixXd::Identity(std::is_same_v<ImpactLaw, NewtonImpactFrictionLaw> ? 2 : 1, 2);
    floor = model.link(block, LagrangianLinearRelation{.H = H}, law, "floor");
  }
};

// u- = -v: W = 1/m, q = -(1 + e) v, r = m (1 + e) v. At the start of a motion, where nothing rests behind the impact.
TEST(InstantProblems, AnImpactIsNewtonsLaw) {
  const double e = 0.5;
  const Block block(NewtonImpactLaw{.restitution = e}, -kSpeed, 0.0);
  const EventDriven simulation(block.model);
  const OneStepNSProblem& problem = simulation.impact_problem();
  ASSERT_EQ(problem.num_rows(), 1);
  EXPECT_EQ(problem.level, Level::Impact);
  EXPECT_NEAR(problem.reduced.W.values(0)[0], 1.0 / kMass, kExact);
  EXPECT_NEAR(problem.reduced.q[0], -(1.0 + e) * kSpeed, kExact);
  EXPECT_NEAR(problem.result.r[0], kMass * (1.0 + e) * kSpeed, kExact);
  EXPECT_NEAR(problem.result.u[0], 0.0, kExact);
  EXPECT_TRUE(problem.result.ok());
  EXPECT_LE(problem.result.certificate.residual, 1e-11);
  EXPECT_EQ(problem.result.solver, "Newton");
  EXPECT_EQ(problem.origin(0).interaction, block.floor);
  EXPECT_EQ(problem.place(0), "row 0 of floor on block");
  EXPECT_TRUE(simulation.problem().empty()) << "the block leaves: nothing rests";
}

// A start anew at rest above the floor has neither an impact nor rows that rest, whatever was before.
TEST(InstantProblems, AreEmptyAfterAStateInFlight) {
  const Block block(NewtonImpactLaw{.restitution = 0.5}, -kSpeed, 0.0);
  EventDriven simulation(block.model);
  ASSERT_EQ(simulation.impact_problem().num_rows(), 1);
  State state = simulation.state();
  state.events = {};
  state.positions[0] = 1.0;
  simulation.set_state(state);
  EXPECT_TRUE(simulation.impact_problem().empty());
  EXPECT_TRUE(simulation.problem().empty());
}

// Poisson's law gives the same impulse, but not by u = W r + q with its law at once.
TEST(InstantProblems, AnImpactOfPoissonsLawHasNoCertificate) {
  const double e = 0.5;
  const Block block(PoissonImpactLaw{.restitution = e}, -kSpeed, 0.0);
  const EventDriven simulation(block.model);
  const OneStepNSProblem& problem = simulation.impact_problem();
  ASSERT_EQ(problem.num_rows(), 1);
  EXPECT_NEAR(problem.reduced.q[0], -kSpeed, kExact);
  EXPECT_NEAR(problem.result.r[0], kMass * (1.0 + e) * kSpeed, kExact);
  EXPECT_NEAR(problem.result.u[0], e * kSpeed, kExact);
  EXPECT_TRUE(std::isnan(problem.result.certificate.residual));
  EXPECT_EQ(problem.result.solver, "Poisson");
}

// At rest under a push F < mu m g: forces (m g, -F), accelerations zero; q = (-g, F / m), W = 1/m.
TEST(InstantProblems, AccelerationsOfABlockThatSticks) {
  const double push = 0.5 * kMu * kMass * kGravity;
  const Block block(NewtonImpactFrictionLaw{.friction = kMu}, 0.0, push);
  EventDriven simulation(block.model);
  const Simulation& any = simulation;
  const OneStepNSProblem& problem = any.problem();
  ASSERT_EQ(problem.num_rows(), 2);
  EXPECT_EQ(problem.level, Level::Acceleration);
  EXPECT_EQ(problem.sets()[0].kind, SetKind::Coulomb2D);
  EXPECT_EQ(problem.sets()[0].mu, kMu);
  EXPECT_NEAR(problem.reduced.q[0], -kGravity, kExact);
  EXPECT_NEAR(problem.reduced.q[1], push / kMass, kExact);
  EXPECT_NEAR(problem.result.r[0], kMass * kGravity, 4.0 * kExact);
  EXPECT_NEAR(problem.result.r[1], -push, 4.0 * kExact);
  EXPECT_LE(problem.result.certificate.residual, 1e-11);
  EXPECT_EQ(problem.origin(1).local, 1);
  EXPECT_TRUE(simulation.impact_problem().empty());

  const OneStepNSProblem kept = problem;  // a value
  simulation.set_state(block.model.initial_state());
  EXPECT_EQ(kept.num_rows(), 2);
  EXPECT_EQ(simulation.problem().num_rows(), 2) << "resolved as the start of a motion";
}

// A velocity that is prescribed is a bilateral row: its force moves the mass as told.
TEST(InstantProblems, RowsOfAPrescribedVelocityTellTheirSystem) {
  const double a = 2.0;
  NonSmoothDynamicalSystem model;
  LagrangianLinearSystem crank{
      .mass = {{kMass}}, .q0 = {0.0}, .v0 = {0.0}, .prescribed = {{0, [=](double t) { return a * t; }}}};
  crank.name = "crank";
  model.add(crank);
  const EventDriven simulation(model);
  const OneStepNSProblem& problem = simulation.problem();
  ASSERT_EQ(problem.num_rows(), 1);
  EXPECT_NEAR(problem.result.r[0], kMass * a, 1e-9) << "differences of the velocity, of fourth order";
  const OneStepNSProblem::Origin origin = problem.origin(0);
  EXPECT_FALSE(origin.interaction);
  EXPECT_EQ(origin.systems, std::vector<std::string>{"crank"});
  EXPECT_EQ(problem.place(0), "the prescribed velocity of crank");
}

}  // namespace
}  // namespace nonsmooth
