// SPDX-License-Identifier: Apache-2.0
// The problem of a step in velocities and reactions, A and H as they are, against the reduced form with W = H A^-1 H^T.
//
// Both forms start each step from the same state. An answer whose certificate is below `tolerance` has
// |error of u| <= c tolerance |q|_inf with c the condition of the problem, below 100 for the models here (one to eight
// rows, W of condition below 100), and |q| below 10 m/s: kAgree. Reactions differ by that over the smallest eigenvalue
// of W, which the tests give as `stiffness`, an effective mass.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/pile_model.hpp>

namespace nonsmooth::global_form_test {
namespace {

constexpr double kGravity = 9.81;
constexpr double kTolerance = 1e-10;
constexpr double kAgree = 100.0 * kTolerance * 10.0;

TimeSteppingOptions with(Form form, double h, int threads = 1) {
  return {.step = h,
          .solver = mixed::Automatic{.tolerance = kTolerance},
          .newton = {.tolerance = 1e-12},
          .threads = threads,
          .form = form};
}

/// Steps from the reduced form's states; returns how many steps had rows.
Index compare(const NonSmoothDynamicalSystem& model, double h, Index steps, double stiffness) {
  Workspace reduced_workspace, global_workspace;
  State state = model.initial_state();
  Index with_rows = 0;
  for (Index k = 0; k < steps; ++k) {
    State other = state;
    const StepReport reduced = step(model, with(Form::Reduced, h), h, state, reduced_workspace);
    const StepReport global = step(model, with(Form::Global, h), h, other, global_workspace);
    EXPECT_TRUE(reduced) << reduced.message();
    EXPECT_TRUE(global) << global.message();
    if (!reduced || !global) return -1;
    EXPECT_EQ(global.rows, reduced.rows);
    EXPECT_EQ(global.solver, Status::Solved);
    if (global.rows > 0) {
      ++with_rows;
      EXPECT_LE(global.certificate.residual, kTolerance);
    }
    const double v = (state.unknowns - other.unknowns).lpNorm<Eigen::Infinity>();
    const double q = (state.positions - other.positions).lpNorm<Eigen::Infinity>();
    const double p = (state.multipliers - other.multipliers).lpNorm<Eigen::Infinity>();
    EXPECT_LE(v, kAgree) << "step " << k;
    EXPECT_LE(q, h * kAgree) << "step " << k;
    EXPECT_LE(p, stiffness * kAgree) << "step " << k;
    if (v > kAgree || p > stiffness * kAgree) return -1;
  }
  return with_rows;
}

/// A disk of 1 kg and radius 0.1 m that falls on the floor with spin.
NonSmoothDynamicalSystem disk(double restitution) {
  NonSmoothDynamicalSystem model;
  const double radius = 0.1, inertia = 0.5 * radius * radius;
  const auto body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, inertia).asDiagonal(),
                                                     .force = {0.0, -kGravity, 0.0},
                                                     .q0 = {0.0, 0.3, 0.0},
                                                     .v0 = {1.0, 0.0, 20.0},
                                                     .name = "disk"});
  model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, radius}}, .b = {-radius, 0.0}},
             NewtonImpactFrictionLaw{.restitution = restitution, .friction = 0.3});
  return model;
}

TEST(GlobalForm, BouncingDiskWithFriction) {
  const Index with_rows = compare(disk(0.6), 2e-3, 1'000, 1.0);
  EXPECT_GT(with_rows, 10);
  EXPECT_LT(with_rows, 1'000);  // it flies as well
}

/// A bar of n linear elements against a wall on its left: unit length, mass and wave speed, lumped masses.
NonSmoothDynamicalSystem bar(Index n, bool pulled) {
  const Index nodes = n + 1;
  const double dx = 1.0 / static_cast<double>(n);
  std::vector<Eigen::Triplet<double>> K, M;
  for (Index e = 0; e < n; ++e) {
    for (const Index i : {e, e + 1}) {
      M.emplace_back(static_cast<int>(i), static_cast<int>(i), 0.5 * dx);
      for (const Index j : {e, e + 1})
        K.emplace_back(static_cast<int>(i), static_cast<int>(j), (i == j ? 1.0 : -1.0) / dx);
    }
  }
  Eigen::SparseMatrix<double> mass(nodes, nodes), stiffness(nodes, nodes);
  mass.setFromTriplets(M.begin(), M.end());
  stiffness.setFromTriplets(K.begin(), K.end());
  NonSmoothDynamicalSystem model;
  LagrangianLinearSystem description{.mass = mass,
                                     .stiffness = stiffness,
                                     .q0 = Eigen::VectorXd::Zero(nodes),
                                     .v0 = Eigen::VectorXd::Constant(nodes, -1.0),
                                     .name = "bar"};
  if (pulled) description.prescribed = {{.component = n, .velocity = [](double t) { return -std::cos(3.0 * t); }}};
  const auto body = model.add(description);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, nodes);
  H(0, 0) = 1.0;
  model.link(body, LagrangianLinearRelation{.H = H, .b = {0.05}}, NewtonImpactLaw{.restitution = 0.0});
  return model;
}

TEST(GlobalForm, ABarOfTwoHundredElementsHitsAWall) {
  // In contact for the two transits of the wave, from 0.05 to 2.05.
  const Index with_rows = compare(bar(200, false), 5e-3, 500, 1.0);
  EXPECT_GE(with_rows, 380);
  EXPECT_LE(with_rows, 430);
}

TEST(GlobalForm, APrescribedEndActsOnTheContact) { EXPECT_GT(compare(bar(200, true), 5e-3, 500, 1.0), 100); }

/// A point mass at |q| = 1 (a rod) that a wall at x = -0.3 stops; dense mass and damping.
NonSmoothDynamicalSystem pendulum_at_a_wall() {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.mass = {{2.0, 0.1}, {0.1, 1.5}},
                                                     .damping = {{0.2, 0.1}, {0.1, 0.3}},
                                                     .force = {0.0, -1.5 * kGravity},
                                                     .q0 = {1.0, 0.0}});
  model.link(mass,
             ScleronomousRelation{.rows = 1,
                                  .h = [](ConstVectorRef q, VectorRef y) { y[0] = q.norm() - 1.0; },
                                  .H = [](ConstVectorRef q, MatrixRef H) { H.row(0) = q.transpose() / q.norm(); }},
             EqualityLaw{});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0, 0.0}}, .b = {0.3}}, NewtonImpactLaw{.restitution = 0.4});
  return model;
}

TEST(GlobalForm, ABilateralConstraintBesideAContact) {
  // Newton in both: the last correction, 1e-12 relative, is below the tolerance of the problems.
  EXPECT_EQ(compare(pendulum_at_a_wall(), 2e-3, 800, 4.0), 800);
}

/// A pendulum as a nonlinear system (angle) with a cart that is pushed at a prescribed speed, tied to a free mass.
NonSmoothDynamicalSystem nonlinear_and_prescribed() {
  NonSmoothDynamicalSystem model;
  LagrangianSystem arm{.force = [](double, ConstVectorRef q, ConstVectorRef v,
                                   VectorRef F) { F << 0.1 * v[1], -kGravity * std::sin(q[1]); },
                       .q0 = {0.0, 1.0},
                       .v0 = {0.5, 0.0}};
  arm.mass = [](ConstVectorRef q, MatrixRef M) { M << 2.0, 0.5 * std::cos(q[1]), 0.5 * std::cos(q[1]), 1.0; };
  arm.prescribed = {{.component = 0, .velocity = [](double t) { return 0.5 * std::cos(4.0 * t); }}};
  const auto pendulum = model.add(arm);
  const auto mass = model.add(LagrangianLinearSystem{.mass = {{0.7}}, .q0 = {1.0}, .v0 = {0.0}});
  model.link({pendulum, mass}, LagrangianLinearRelation{.H = {{0.3, 1.0, -1.0}}}, EqualityLaw{});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {0.2}}, NewtonImpactLaw{.restitution = 0.5});
  return model;
}

TEST(GlobalForm, NonlinearSystemsAndPrescribedVelocities) {
  EXPECT_EQ(compare(nonlinear_and_prescribed(), 2e-3, 1'000, 4.0), 1'000);
}

TEST(GlobalForm, PilesInSpace) {
  // Hyperstatic: reactions are not unique. The answer's reactions are certified in the problem that piles.hpp assembles
  // by itself, W and q summed in another order (see piles.cpp), its velocities are those of the impulses.
  for (const auto& pile : {problems::ball_pile(30, 11, problems::Rest::Settled), problems::brick_wall(4, 3, 1, true)}) {
    const NonSmoothDynamicalSystem model = problems::pile_model(pile);
    const double tolerance = 1e-8;
    TimeSteppingOptions options = with(Form::Global, problems::pile_step);
    options.solver = mixed::Automatic{.tolerance = tolerance};
    TimeStepping simulation(model, options);
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.solver, Status::Solved);
    EXPECT_LE(report.certificate.residual, tolerance);
    const friction::Problem problem = problems::reduced_problem(pile);
    ASSERT_EQ(report.rows, problem.W.rows());
    Eigen::VectorXd u(problem.W.rows());
    const Certificate own = mixed::certify(problem, simulation.state().multipliers, u);
    // The global certificate takes rho from diag(A), the reduced one from W, and u of a v that misses momentum by
    // `tolerance` of the impulses at work: a factor of the rows a block touches, below ten.
    EXPECT_LE(own.error, 10.0 * tolerance * own.scale + own.round_off);
    EXPECT_LE((u - simulation.state().velocities).lpNorm<Eigen::Infinity>(), 10.0 * tolerance * own.scale);
  }
}

/// A few disks that fall on a floor: detected contacts, and a bilateral tie between two of them.
NonSmoothDynamicalSystem disks() {
  NonSmoothDynamicalSystem model;
  const double radius = 0.1;
  std::vector<SystemHandle> bodies;
  std::vector<double> radii;
  for (int i = 0; i < 6; ++i) {
    bodies.push_back(
        model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 0.5 * radius * radius).asDiagonal(),
                                         .force = {0.0, -kGravity, 0.0},
                                         .q0 = {0.23 * (i % 3) + 0.05 * (i / 3), 0.12 + 0.21 * (i / 3), 0.0},
                                         .v0 = {0.2 * (i % 2), -0.5, 0.0}}));
    radii.push_back(radius);
  }
  model.link({bodies[0], bodies[1]}, LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0, 0.0, 0.0, 1.0}}}, EqualityLaw{});
  model.detect(std::make_shared<const DiskContacts>(bodies, radii,
                                                    NewtonImpactFrictionLaw{.restitution = 0.2, .friction = 0.4},
                                                    FloorProfile{.height = [](double) { return 0.0; },
                                                                 .slope = [](double) { return 0.0; },
                                                                 .curvature = [](double) { return 0.0; }}));
  return model;
}

TEST(GlobalForm, DetectedContactsOfDisks) { EXPECT_GT(compare(disks(), 2e-3, 150, 1.0), 100); }

TEST(GlobalForm, ThreadsDoNotChangeABit) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    TimeStepping simulation(disks(), with(Form::Global, 2e-3, threads));
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.step());
    EXPECT_GE(simulation.state().contacts.size(), 3u);
    if (threads == 1) expected = hash_of(simulation.state());
    EXPECT_EQ(hash_of(simulation.state()), expected) << threads << " threads";
  }
}

TEST(GlobalForm, FormsMayAlternateInOneWorkspace) {
  const double h = 2e-3;
  const NonSmoothDynamicalSystem model = disks();
  State shared = model.initial_state(), fresh = model.initial_state();
  Workspace workspace;
  for (int k = 0; k < 100; ++k) {
    const TimeSteppingOptions options = with(k % 3 == 1 ? Form::Global : Form::Reduced, h);
    Workspace once;
    ASSERT_TRUE(step(model, options, h, shared, workspace));
    ASSERT_TRUE(step(model, options, h, fresh, once));
    ASSERT_EQ(hash_of(shared), hash_of(fresh)) << k;
  }
}

TEST(GlobalForm, ProjectsPositionsAsTheReducedFormDoes) {
  TimeSteppingOptions reduced = with(Form::Reduced, 2e-3), global = with(Form::Global, 2e-3);
  reduced.projection.kind = global.projection.kind = Projection::Combined;
  const NonSmoothDynamicalSystem model = disk(0.0);
  State state = model.initial_state();
  Workspace a, b;
  Index projections = 0;
  for (int k = 0; k < 300; ++k) {
    State other = state;
    const StepReport first = step(model, reduced, 2e-3, state, a), second = step(model, global, 2e-3, other, b);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first.projections, second.projections);
    projections += first.projections;
    ASSERT_LE((state.unknowns - other.unknowns).lpNorm<Eigen::Infinity>(), kAgree) << k;
    ASSERT_LE((state.positions - other.positions).lpNorm<Eigen::Infinity>(), 2e-3 * kAgree) << k;
  }
  EXPECT_GT(projections, 0);
}

/// The message with which a first step in the global form is refused, by an algorithm of that form alone.
std::string refusal(const NonSmoothDynamicalSystem& model, const AnySolver& solver = friction::GlobalAdmm{}) {
  TimeSteppingOptions options = with(Form::Global, 1e-2);
  options.solver = solver;
  options.examination = Examination::Off;
  TimeStepping simulation(model, options);
  const std::uint64_t before = hash_of(simulation.state());
  try {
    simulation.step();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(hash_of(simulation.state()), before);
    return error.what();
  }
  return {};
}

TEST(GlobalForm, NamesTheRowsThatContradictEachOtherAsTheReducedFormDoes) {
  // In a slot without play, v- = -1: the floor asks for v+ >= 1 (e = 1), the ceiling for v+ <= 0 (e = 0). Both act, as
  // gaps are not forecast.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {0.0}, .v0 = {-1.0}, .name = "ball"});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 1.0}, "floor");
  model.link(ball, LagrangianLinearRelation{.H = {{-1.0}}}, NewtonImpactLaw{.restitution = 0.0}, "ceiling");
  for (const Form form : {Form::Reduced, Form::Global}) {
    TimeSteppingOptions options = with(form, 0.1);
    options.integrator = MoreauJean{.forecast = 0.0};
    TimeStepping simulation(model, options);
    const StepReport report = simulation.step();
    EXPECT_EQ(report.solver, Status::Infeasible);
    EXPECT_NE(report.detail.find("row 0 of floor on ball and row 0 of ceiling on ball at once"), std::string::npos)
        << report.message();
  }
}

TEST(GlobalForm, CommitsNoReactionWhereTheProblemIsNotFinite) {
  // The ball presses with p = h g / 1e10 on a row of H = 1e10; then a force of 1e300 takes H v past what is finite, and
  // the step that is accepted all the same has no reaction: none of the step before, which it was started from.
  const double h = 0.1;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{
      .mass = {{1.0}},
      .force = [h](double t, VectorRef f) { f[0] = t < 1.5 * h ? -1.0 : 1e300; },
      .q0 = {0.0},
  });
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1e10}}}, NewtonImpactLaw{});
  TimeSteppingOptions options = with(Form::Global, h);
  options.on_failure = OnFailure::Accept;
  State state = model.initial_state();
  Workspace workspace;
  ASSERT_TRUE(step(model, options, h, state, workspace));
  ASSERT_GT(state.impulse(floor)[0], 0.0);
  const StepReport failed = step(model, options, h, state, workspace);
  EXPECT_EQ(failed.solver, Status::NumericalFailure);
  EXPECT_TRUE(failed.taken);
  EXPECT_EQ(state.impulse(floor)[0], 0.0);
}

/// Friction with a bound that no normal force raises: the global form has no box.
class Bounded final : public NonSmoothLaw {
 public:
  [[nodiscard]] std::string name() const override { return "Bounded"; }
  [[nodiscard]] LawShape shape(LawUse) const override {
    return {.unilateral = true, .impact = {.kind = ImpactRule::Kind::Newton}};
  }
  void block(const LawContext&, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Box, .lower = 0.0, .upper = 2.0}, 1}};
  }
};

/// y = 0 below a body of one coordinate.
class Floor final : public ContactSource {
 public:
  Floor(SystemHandle body, Law law) : bodies_{body}, laws_{std::move(law)} {}
  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  void detect(const BodyView& view, double, std::vector<Index>&, ContactBatches& found) const override {
    found.of(1, 1, 0).add({.first = 0, .gap = view.q[0]}, std::array<double, 1>{1.0});
  }

 private:
  std::vector<SystemHandle> bodies_;
  std::vector<Law> laws_;
};

TEST(GlobalForm, RefusesLawsOfContactsFoundAnew) {
  const auto model_with = [](const Law& law) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {-1.0}, .name = "the mass"});
    model.detect(Floor(mass, law));
    return model;
  };
  const std::string message = refusal(model_with(std::make_shared<const Bounded>()));
  EXPECT_NE(message.find("the contact source of the mass"), std::string::npos) << message;
  EXPECT_NE(message.find("Bounded"), std::string::npos) << message;
  EXPECT_EQ(refusal(model_with(NewtonImpactLaw{})), "");
  EXPECT_EQ(refusal(model_with(std::make_shared<const Bounded>()), mixed::Automatic{}), "");
}

/// A contact that bounds its force after the first step.
class BoundedLater final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse) const override {
    return {.varies = LawVaries::Step, .unilateral = true, .impact = {.kind = ImpactRule::Kind::Newton}};
  }
  void block(const LawContext& context, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Orthant}, 1}};
    if (context.t > 0.0) block.parts[0].set = {.kind = SetKind::Box, .lower = 0.0, .upper = 2.0};
  }
};

TEST(GlobalForm, NamesTheRowsWhoseLawComesToBoundForces) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{
      .mass = {{1.0, 0.0}, {0.0, 1.0}}, .q0 = {0.0, 0.0}, .v0 = {-1.0, -1.0}, .name = "the mass"});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{}, "the floor");
  model.link(mass, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, std::make_shared<const BoundedLater>(), "the pad");
  TimeSteppingOptions options = with(Form::Global, 1e-2);
  options.solver = friction::GlobalAdmm{};
  options.examination = Examination::Off;
  TimeStepping simulation(model, options);
  ASSERT_TRUE(simulation.step());
  try {
    simulation.step();
    ADD_FAILURE() << "a box was taken";
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.argument(), "TimeSteppingOptions::form");
    EXPECT_NE(message.find("the pad"), std::string::npos) << message;
    EXPECT_EQ(message.find("the floor"), std::string::npos) << message;
  }
  // mixed::Automatic solves that step in the reduced form, the one before it in the global one.
  options.solver = mixed::Automatic{.tolerance = kTolerance};
  TimeStepping both(model, options);
  ASSERT_TRUE(both.step());
  EXPECT_TRUE(both.problem().global.has_value());
  ASSERT_TRUE(both.step());
  EXPECT_FALSE(both.problem().global.has_value());
  EXPECT_EQ(both.problem().reduced.K.count(SetKind::Box), 1);
}

TEST(GlobalForm, TakesFrictionInJointsInTheReducedForm) {
  // A wheel on its hinge: a step has a box, so that both forms do the same, bit by bit.
  NonSmoothDynamicalSystem model;
  const auto wheel = model.add(
      PlanarBody{.mass = 3.0, .inertia = 0.4, .angular_velocity = 2.0, .gravity = {0.0, -kGravity}, .name = "wheel"});
  model.link(wheel, PlanarFrictionalHinge{planar_joint_to_ground(Eigen::Vector3d::Zero(), {0.0, 0.0})},
             PlanarHingeFrictionLaw{.friction = 0.2, .radius = 0.05}, "hinge");
  TimeStepping reduced(model, with(Form::Reduced, 1e-3)), global(model, with(Form::Global, 1e-3));
  ASSERT_TRUE(reduced.advance_to(0.1));
  ASSERT_TRUE(global.advance_to(0.1));
  EXPECT_LT(reduced.state().v(wheel)[2], 1.95);
  EXPECT_EQ(hash_of(reduced.state()), hash_of(global.state()));
  const std::string message = refusal(model);
  EXPECT_NE(message.find("hinge"), std::string::npos) << message;
}

TEST(GlobalForm, RefusesWhatItDoesNotKnow) {
  const auto model_with = [](const LagrangianLinearRelation& relation, const Law& law) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {-1.0}});
    model.link(mass, relation, law, "the buffer");
    return model;
  };
  const LagrangianLinearRelation rigid{.H = {{1.0}}}, compliant{.H = {{1.0}}, .compliance = {{1e-3}}};
  for (const std::string& message : {refusal(model_with(rigid, RelayLaw{.lower = -2.0, .upper = 2.0})),
                                     refusal(model_with(compliant, ComplementarityLaw{})),
                                     refusal(model_with(rigid, SpringDashpotLaw{.stiffness = 100.0}))}) {
    EXPECT_NE(message.find("the buffer"), std::string::npos) << message;
    EXPECT_NE(message.find("Form::Reduced"), std::string::npos) << message;
  }
  NonSmoothDynamicalSystem circuit;
  const auto tank = circuit.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
  circuit.link(tank, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{}, "the diode");
  TimeSteppingOptions options = with(Form::Global, 1e-2);
  options.integrator = EulerMoreau{};
  TimeStepping simulation(circuit, options);
  EXPECT_THROW(simulation.step(), InvalidArgument);

  TimeSteppingOptions sweeps = with(Form::Global, 1e-2);
  sweeps.solver = mixed::GaussSeidel{};
  EXPECT_THROW(sweeps.validate(), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::global_form_test
