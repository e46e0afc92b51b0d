// SPDX-License-Identifier: Apache-2.0
// The problems of an instant as values: impacts and accelerations against closed forms, and where their rows come from.
#include <cmath>

#include "event_log.hpp"

namespace nonsmooth::instant_problems_test {
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

// At an instant of the user's nothing is hit; what rests is asked anew, unless the action ends the rest.
TEST(InstantProblems, OfAnInstantOfTheUsers) {
  const Block flying(NewtonImpactLaw{.restitution = 0.5}, -kSpeed, 0.0);
  EventDriven flight(flying.model, {.events = {{.name = "tick", .instants = {0.01}}}});
  ASSERT_EQ(flight.impact_problem().num_rows(), 1);
  run_to(flight, 0.02);
  EXPECT_TRUE(flight.impact_problem().empty());
  EXPECT_TRUE(flight.problem().empty());

  const Block resting(NewtonImpactFrictionLaw{.friction = kMu}, 0.0, 0.0);
  const SystemHandle block = resting.block;
  const UserEvent tick{.name = "tick", .instants = {0.01}},
      lift{.name = "lift", .instants = {0.03}, .action = [block](State&state) { state.v(block)[0] = 1.0; }};
  EventDriven rest(resting.model, {.events = {tick, lift}});
  run_to(rest, 0.02);
  EXPECT_TRUE(rest.impact_problem().empty());
  EXPECT_EQ(rest.problem().num_rows(), 2);
  run_to(rest, 0.04);
  EXPECT_TRUE(rest.impact_problem().empty());
  EXPECT_TRUE(rest.problem().empty());
}

// A state that goes on has no instant to show; without its history, or after an edit, it is the start of a motion.
TEST(InstantProblems, OfStatesThatGoOnAndModelsThatChange) {
  const Block block(NewtonImpactFrictionLaw{.friction = kMu}, -kSpeed, 0.0);
  EventDriven simulation(block.model), other(block.model);
  ASSERT_EQ(other.impact_problem().num_rows(), 2);
  ASSERT_EQ(other.problem().num_rows(), 2) << "without restitution the block rests then";
  run_to(simulation, 0.02);
  State state = simulation.state();
  other.set_state(state);
  EXPECT_TRUE(other.impact_problem().empty());
  EXPECT_TRUE(other.problem().empty());
  state.events = {};
  other.set_state(state);
  EXPECT_TRUE(other.impact_problem().empty());
  EXPECT_EQ(other.problem().num_rows(), 2);
  ASSERT_EQ(simulation.impact_problem().num_rows(), 2);
  simulation.edit([](NonSmoothDynamicalSystem& model) { model.add(LagrangianLinearSystem{.q0 = {0.0}}); });
  EXPECT_TRUE(simulation.impact_problem().empty());
  EXPECT_EQ(simulation.problem().num_rows(), 2);
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

// R, L and C with a diode, x = (charge, current): two of the four circuits of circuits.cpp.
constexpr double kCapacity = 0.025, kResistance = 10.0;

struct Circuit {
  NonSmoothDynamicalSystem model;
  SystemHandle system;
  InteractionHandle diode;

  Circuit(const Eigen::MatrixXd& A, const Eigen::VectorXd& x0, const FirstOrderLinearRelation& relation) {
    system = model.add(FirstOrderLinearSystem{.A = A, .x0 = x0, .name = "circuit"});
    diode = model.link(system, relation, ComplementarityLaw{}, "diode");
  }
};

// y = x1 / C + R lambda conducts from x1 = -1: W = R + h / C, q = (x1 - h x2) / C, lambda = -q / W, as x1' = -x2 +
// lambda.
TEST(InstantProblems, AModeIsAnImplicitStepOfVanishingLength) {
  const Circuit circuit(Eigen::Matrix2d{{0.0, -1.0}, {1.0 / kCapacity, 0.0}}, Eigen::Vector2d(-1.0, 1.0),
                        {.C = {{1.0 / kCapacity, 0.0}}, .D = {{kResistance}}, .B = {{1.0}, {0.0}}});
  const EventDriven simulation(circuit.model);
  const OneStepNSProblem& problem = simulation.mode_problem();
  ASSERT_EQ(problem.num_rows(), 1);
  EXPECT_EQ(problem.level, Level::Mode);
  EXPECT_EQ(problem.sets()[0].kind, SetKind::Orthant);
  const double W = problem.reduced.W.values(0)[0], h = (W - kResistance) * kCapacity;
  EXPECT_GT(h, 0.0);
  EXPECT_LT(h, 1e-5);
  EXPECT_NEAR(problem.reduced.q[0], (-1.0 - h) / kCapacity, kExact);
  EXPECT_NEAR(problem.result.r[0], -problem.reduced.q[0] / W, kExact);
  EXPECT_NEAR(problem.result.u[0], 0.0, kExact);
  EXPECT_TRUE(problem.result.ok());
  EXPECT_LE(problem.result.certificate.residual, 1e-11);
  EXPECT_FALSE(problem.result.solver.empty());
  // lambda -> 1 / (R C) = 4, less or more by h (1 + 1 / (R C)) of it.
  EXPECT_NEAR(problem.result.r[0], simulation.state().multipliers[0], 5.0 * 4.0 * h + kExact);
  EXPECT_EQ(problem.origin(0).interaction, circuit.diode);
  EXPECT_EQ(problem.place(0), "row 0 of diode on circuit");
  EXPECT_EQ(&simulation.problem(), &problem) << "no mechanics";
  EXPECT_TRUE(simulation.jump_problem().empty());
  EXPECT_TRUE(simulation.impact_problem().empty());
}

// y = x2 from x2 = -1, which the diode forbids: W = C P = 1, q = -1, an impulse of 1. Behind it x2' = -x1 / C + lambda
// = 0: lambda = 1 / C, whatever h is.
TEST(InstantProblems, AJumpIsAProblemOfImpulses) {
  const Circuit circuit(Eigen::Matrix2d{{-1.0 / (kResistance * kCapacity), 1.0}, {-1.0 / kCapacity, 0.0}},
                        Eigen::Vector2d(1.0, -1.0), {.C = {{0.0, 1.0}}, .B = {{0.0}, {1.0}}});
  EventDriven simulation(circuit.model);
  const OneStepNSProblem& jump = simulation.jump_problem();
  ASSERT_EQ(jump.num_rows(), 1);
  EXPECT_EQ(jump.level, Level::Jump);
  EXPECT_EQ(jump.sets()[0].kind, SetKind::Orthant);
  EXPECT_NEAR(jump.reduced.W.values(0)[0], 1.0, kExact);
  EXPECT_NEAR(jump.reduced.q[0], -1.0, kExact);
  EXPECT_NEAR(jump.result.r[0], 1.0, kExact);
  EXPECT_NEAR(jump.result.u[0], 0.0, kExact);
  EXPECT_LE(jump.result.certificate.residual, 1e-11);
  EXPECT_EQ(jump.origin(0).interaction, circuit.diode);
  const OneStepNSProblem& mode = simulation.mode_problem();
  ASSERT_EQ(mode.num_rows(), 1);
  EXPECT_NEAR(mode.result.r[0], 1.0 / kCapacity, 4.0 * kExact);
  EXPECT_LE(mode.result.certificate.residual, 1e-11);

  ASSERT_TRUE(simulation.advance_to(0.01));
  EXPECT_EQ(simulation.jump_problem().num_rows(), 1) << "no instant since";
  const State reached = simulation.state();
  simulation.set_state(reached);
  EXPECT_TRUE(simulation.jump_problem().empty()) << "went on without an instant";
  EXPECT_TRUE(simulation.problem().empty());
}

/// Blocks tell where the sets of K come from: one for each, of as many rows.
void expect_a_block_for_each_set(const OneStepNSProblem& problem) {
  ASSERT_EQ(static_cast<Index>(problem.blocks.size()), problem.sets().num_blocks());
  for (Index i = 0; i < problem.sets().num_blocks(); ++i) {
    const OneStepNSProblem::Block& block = problem.blocks[static_cast<std::size_t>(i)];
    EXPECT_EQ(block.row, problem.sets().offset(i));
    EXPECT_EQ(block.size, problem.sets().size(i));
  }
}

/// x' = (1, 1) - x + lambda, y = x of both coordinates in one relation.
struct Pair {
  NonSmoothDynamicalSystem model;
  InteractionHandle pair;

  template <class Law>
  Pair(const Eigen::Vector2d& x0, const Law& law) {
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(2, 2);
    const auto system = model.add(FirstOrderLinearSystem{.A = -one, .b = {1.0, 1.0}, .x0 = x0, .name = "circuit"});
    pair = model.link(system, FirstOrderLinearRelation{.C = one, .B = one}, law, "pair");
  }
};

// x = (-1, -2) is pushed back to x >= 0 in both rows of one relation: W = 1, q = x-, r = (1, 2). Behind it both rise.
TEST(InstantProblems, AJumpOfTwoRowsHasABlockForEach) {
  const Pair diodes(Eigen::Vector2d(-1.0, -2.0), ComplementarityLaw{});
  const EventDriven simulation(diodes.model);
  const OneStepNSProblem& jump = simulation.jump_problem();
  ASSERT_EQ(jump.num_rows(), 2);
  expect_a_block_for_each_set(jump);
  for (Index i = 0; i < 2; ++i) {
    EXPECT_EQ(jump.sets()[i].kind, SetKind::Orthant);
    EXPECT_NEAR(jump.reduced.q[i], -1.0 - static_cast<double>(i), kExact);
    EXPECT_NEAR(jump.result.r[i], 1.0 + static_cast<double>(i), kExact);
    EXPECT_NEAR(jump.result.u[i], 0.0, kExact);
    EXPECT_EQ(jump.origin(i).interaction, diodes.pair);
    EXPECT_EQ(jump.origin(i).local, i);
  }
  EXPECT_TRUE(jump.result.ok());
  EXPECT_EQ(jump.place(1), "row 1 of pair on circuit");
  const OneStepNSProblem& mode = simulation.mode_problem();
  ASSERT_EQ(mode.num_rows(), 2);
  expect_a_block_for_each_set(mode);
  EXPECT_EQ(mode.place(1), "row 1 of pair on circuit");
}

// y = (x1, x2 + lambda1) with x' = g + (lambda1 + lambda2 / 2, lambda2) from x = (-1, -1). The impulse of row 0 lifts
// y2 without bound, so that row 1 is not pushed with it, but after it: x = (0, -1), then (1/2, 0). Of the sum r = (1,
// 1) row 0 has r = 1 and y = 1/2, an error of min(r, y) = 1/2 beside |q| = 1.
TEST(InstantProblems, ASumOfJumpsThatIsNoSolutionSaysSo) {
  NonSmoothDynamicalSystem model;
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(2, 2);
  const auto system =
      model.add(FirstOrderLinearSystem{.A = -one, .b = {0.0, 1.0}, .x0 = Eigen::Vector2d(-1.0, -1.0), .name = "two"});
  model.link(system, FirstOrderLinearRelation{.C = one, .D = {{0.0, 0.0}, {1.0, 0.0}}, .B = {{1.0, 0.5}, {0.0, 1.0}}},
             ComplementarityLaw{}, "diodes");
  const EventDriven simulation(model);
  const OneStepNSProblem& jump = simulation.jump_problem();
  ASSERT_EQ(jump.num_rows(), 2);
  EXPECT_NEAR(jump.result.r[0], 1.0, kExact);
  EXPECT_NEAR(jump.result.r[1], 1.0, kExact);
  EXPECT_NEAR(jump.result.u[0], 0.5, kExact);
  EXPECT_NEAR(jump.result.u[1], 0.0, kExact);
  EXPECT_EQ(jump.result.status, Status::Stalled);
  EXPECT_NEAR(jump.result.certificate.residual, 0.5, kExact);
  EXPECT_NEAR(simulation.state().x(system)[0], 0.5, kExact);
  EXPECT_NEAR(simulation.state().x(system)[1], 0.0, kExact);
}

// An equality beside a diode in one law: x1 = 1 jumps to 0 by an impulse of -1, x2 = -1 by one of 1.
TEST(InstantProblems, RowsOfAMixedLawHaveTheirOwnSets) {
  const Pair pair(Eigen::Vector2d(1.0, -1.0), MixedComplementarityLaw{.equalities = 1, .inequalities = 1});
  const EventDriven simulation(pair.model);
  for (const OneStepNSProblem* problem : {&simulation.jump_problem(), &simulation.mode_problem()}) {
    ASSERT_EQ(problem->num_rows(), 2);
    expect_a_block_for_each_set(*problem);
    EXPECT_EQ(problem->sets()[0].kind, SetKind::Free);
    EXPECT_EQ(problem->sets()[1].kind, SetKind::Orthant);
    EXPECT_EQ(problem->place(1), "row 1 of pair on circuit");
  }
  EXPECT_NEAR(simulation.jump_problem().result.r[0], -1.0, kExact);
  EXPECT_NEAR(simulation.jump_problem().result.r[1], 1.0, kExact);
}

// A relay that holds x' = -x + 1/2 + lambda at x = 0, W = h and q = h / 2, beside a diode that blocks with y = 1 - h.
TEST(InstantProblems, RowsOfAModeAreThoseOfAllFirstOrderLaws) {
  NonSmoothDynamicalSystem model;
  const auto held = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .b = {0.5}, .x0 = {0.0}, .name = "held"});
  const auto free = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}, .name = "free"});
  model.link(held, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, RelayLaw{.lower = -2.0, .upper = 1.0},
             "relay");
  const auto diode = model.link(free, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{1.0}}, .B = {{1.0}}},
                                ComplementarityLaw{}, "diode");
  const EventDriven simulation(model);
  const OneStepNSProblem& problem = simulation.mode_problem();
  ASSERT_EQ(problem.num_rows(), 2);
  EXPECT_EQ(problem.sets()[0].kind, SetKind::Box);
  EXPECT_EQ(problem.sets()[0].lower, -2.0);
  EXPECT_EQ(problem.sets()[0].upper, 1.0);
  EXPECT_NEAR(problem.result.r[0], -0.5, kExact);
  EXPECT_NEAR(problem.result.r[1], 0.0, kExact);
  EXPECT_NEAR(problem.result.u[1], 1.0, 1e-5) << "but for h";
  EXPECT_EQ(problem.origin(1).interaction, diode);
  EXPECT_EQ(problem.place(1), "row 0 of diode on free");
}

// A source of 1 straight at a capacitor of C = 1/2 with 1/4 in it (index 2): it gives the charge C 3/4 at once.
TEST(InstantProblems, ConstraintsOfADescriptorSystemAreRows) {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.mass = Eigen::Vector2d(0.5, 0.0).asDiagonal(),
                                   .A = {{-0.5, 1.0}, {-1.0, 0.0}},
                                   .b = {0.0, 1.0},
                                   .x0 = {0.25, 0.0},
                                   .name = "loop"});
  const EventDriven simulation(model);
  const OneStepNSProblem& jump = simulation.jump_problem();
  ASSERT_EQ(jump.num_rows(), 1);
  EXPECT_EQ(jump.sets()[0].kind, SetKind::Free);
  EXPECT_NEAR(jump.result.r[0], 0.375, kExact);
  EXPECT_NEAR(jump.result.u[0], 0.0, kExact);
  EXPECT_FALSE(jump.origin(0).interaction);
  EXPECT_EQ(jump.place(0), "constraint 0 of loop");
  EXPECT_EQ(simulation.mode_problem().place(0), "constraint 0 of loop");
}

// Two such loops in one system, of sources 1 and 2: a constraint each.
TEST(InstantProblems, EachConstraintOfASystemIsABlock) {
  NonSmoothDynamicalSystem model;
  const Eigen::Vector4d mass(0.5, 0.5, 0.0, 0.0);
  const Eigen::Matrix4d A{{-0.5, 0.0, 1.0, 0.0}, {0.0, -0.5, 0.0, 1.0}, {-1.0, 0.0, 0.0, 0.0}, {0.0, -1.0, 0.0, 0.0}};
  model.add(FirstOrderLinearSystem{
      .mass = mass.asDiagonal(), .A = A, .b = {0.0, 0.0, 1.0, 2.0}, .x0 = {0.25, 0.25, 0.0, 0.0}, .name = "loops"});
  const EventDriven simulation(model);
  for (const OneStepNSProblem* problem : {&simulation.jump_problem(), &simulation.mode_problem()}) {
    ASSERT_EQ(problem->num_rows(), 2);
    expect_a_block_for_each_set(*problem);
    EXPECT_EQ(problem->place(0), "constraint 0 of loops");
    EXPECT_EQ(problem->place(1), "constraint 1 of loops");
  }
  EXPECT_NEAR(simulation.jump_problem().result.u.cwiseAbs().maxCoeff(), 0.0, kExact);
}

// A ball falls on a sledge with w: P = m_b (1 + e) w goes into the guide, whose friction takes mu P off the sledge's
// momentum or what there is of it. The problem has the guide's two held rows, its friction within the bound that its
// reaction makes, and the contact.
TEST(InstantProblems, AnImpactHasTheFrictionOfJoints) {
  const double m = 2.0, m_ball = 0.5, mu = 0.3, e = 0.4, w = 2.0, P = m_ball * (1.0 + e) * w;
  for (const double v0 : {1.5, 0.1}) {
    NonSmoothDynamicalSystem model;
    const auto sledge = model.add(PlanarBody{.mass = m, .inertia = 0.1, .velocity = {v0, 0.0}});
    const auto guide =
        model.link(sledge, PlanarFrictionalSlider{planar_joint_to_ground(Eigen::Vector3d::Zero(), {0.0, 0.0})},
                   PlanarSliderFrictionLaw{.friction = mu}, "guide");
    const auto ball =
        model.add(PlanarBody{.mass = m_ball, .inertia = 0.01, .position = {0.1, 0.05}, .velocity = {0.0, -w}});
    model.link({ball, sledge}, DiskOnHalfPlane{.disk = {.radius = 0.05}, .half_plane = {{0.0, 1.0}, 0.0}},
               NewtonImpactLaw{.restitution = e});
    const EventDriven simulation(model);
    const OneStepNSProblem& problem = simulation.impact_problem();
    ASSERT_EQ(problem.num_rows(), 4);
    EXPECT_EQ(problem.origin(2).interaction, guide);
    EXPECT_EQ(problem.origin(2).local, 2);
    EXPECT_EQ(problem.sets()[2].kind, SetKind::Box);
    EXPECT_NEAR(problem.sets()[2].upper, mu * P, kExact);
    const double taken = std::min(mu * P, m * v0);
    EXPECT_NEAR(problem.result.r[2], -taken, kExact);
    EXPECT_NEAR(problem.result.u[2], v0 - taken / m, kExact);
    EXPECT_NEAR(problem.result.r[3], P, kExact);
    EXPECT_TRUE(problem.result.ok());
    EXPECT_LE(problem.result.certificate.residual, 1e-11);
  }
}

// A rod in a socket that a ball strikes at its tip: friction of three rows in a ball behind the last held row.
TEST(InstantProblems, AnImpactHasTheFrictionOfASocket) {
  const double mu = 20.0, radius = 0.02, l = 0.5;
  NonSmoothDynamicalSystem model;
  const auto rod =
      model.add(RigidBody{.mass = 1.0, .inertia = 0.02 * Eigen::Matrix3d::Identity(), .position = {l, 0.0, 0.0}});
  Eigen::VectorXd place = model.initial_state().q(rod);
  const auto socket = model.link(rod, FrictionalBall{joint_to_ground(place, Eigen::Vector3d::Zero())},
                                 BallFrictionLaw{.friction = mu, .radius = radius}, "socket");
  const auto ball = model.add(RigidBody{.mass = 0.3,
                                        .inertia = 1e-4 * Eigen::Matrix3d::Identity(),
                                        .position = {2.0 * l, 0.0, 0.06},
                                        .velocity = {0.0, 0.0, -3.0}});
  model.detect(
      BodyContacts({{ball, {{.shape = Sphere{0.05}}}}, {rod, {{.shape = Sphere{0.01}, .position = {l, 0.0, 0.0}}}}}, {},
                   NewtonImpactLaw{.restitution = 0.5}));
  const EventDriven simulation(model);
  const OneStepNSProblem& problem = simulation.impact_problem();
  ASSERT_EQ(problem.num_rows(), 7);
  ASSERT_EQ(problem.sets().num_blocks(), 4);
  EXPECT_EQ(problem.sets()[2].kind, SetKind::VonMises);
  EXPECT_EQ(problem.sets().size(2), 4);
  for (const Index row : {2, 5}) {
    EXPECT_EQ(problem.origin(row).interaction, socket);
    EXPECT_EQ(problem.origin(row).local, row);
  }
  const double held = problem.result.r.head<3>().norm();
  EXPECT_NEAR(problem.sets()[2].radius, mu * radius * held, kExact);
  EXPECT_NEAR(problem.result.r.segment(3, 3).norm(), mu * radius * held, kExact);
  EXPECT_TRUE(problem.result.ok());
  EXPECT_LE(problem.result.certificate.residual, 1e-11);
}

}  // namespace
}  // namespace nonsmooth::instant_problems_test
