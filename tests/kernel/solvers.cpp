// SPDX-License-Identifier: Apache-2.0
// TimeSteppingOptions::solver: every entry of the registries, by name and by options, against the automatic choice.
//
// All start each step from the same state. An answer whose certificate is below kTolerance has
// |error of u| <= c kTolerance |q|_inf with c the condition of the problem, below 100 for the models here (one to nine
// rows, W of condition below 100), and |q| below 1 m/s; velocities of bodies are those of contacts, turning ones at
// most 1 / kRadius times: kAgree.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics.hpp>

namespace nonsmooth::solvers_test {
namespace {

constexpr double kGravity = 9.81, kStep = 1e-2, kTolerance = 1e-8, kRadius = 0.1;
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kAgree = 2.0 * 100.0 * kTolerance / kRadius;

/// A ball on a plane in space, that slides and turns, then rolls: x, y, z, rotations about them.
NonSmoothDynamicalSystem ball_on_plane() {
  NonSmoothDynamicalSystem model;
  Eigen::VectorXd mass(6), v(6);
  mass << 1.0, 1.0, 1.0, 4e-3, 4e-3, 4e-3;
  v << 0.2, 0.1, 0.0, 0.0, 0.0, 0.0;
  const auto ball = model.add(LagrangianLinearSystem{.mass = mass.asDiagonal(),
                                                     .force = {0.0, 0.0, -kGravity, 0.0, 0.0, 0.0},
                                                     .q0 = Eigen::VectorXd::Zero(6),
                                                     .v0 = v});
  model.link(ball,
             LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0, 0.0, 0.0, 0.0},
                                            {1.0, 0.0, 0.0, 0.0, -kRadius, 0.0},
                                            {0.0, 1.0, 0.0, kRadius, 0.0, 0.0}}},
             NewtonImpactFrictionLaw{.friction = 0.25, .dimension = 3}, "the plane");
  return model;
}

/// Three blocks on one another in the plane, pushed aside at the top; without friction one column of contacts.
NonSmoothDynamicalSystem stack(double friction) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> blocks;
  for (int k = 0; k < 3; ++k) {
    blocks.push_back(model.add(LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1.0}},
                                                      .force = {0.0, -kGravity},
                                                      .q0 = {0.0, 0.0},
                                                      .v0 = {k == 2 ? 0.2 : 0.0, 0.0}}));
    const std::string name = "joint " + std::to_string(k);
    const auto relation = k == 0 ? LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}}
                                 : LagrangianLinearRelation{.H = {{0.0, -1.0, 0.0, 1.0}, {-1.0, 0.0, 1.0, 0.0}}};
    const auto normal =
        k == 0 ? LagrangianLinearRelation{.H = {{0.0, 1.0}}} : LagrangianLinearRelation{.H = {{0.0, -1.0, 0.0, 1.0}}};
    const auto bodies = k == 0 ? std::vector{blocks[0]} : std::vector{blocks[blocks.size() - 2], blocks.back()};
    if (friction > 0.0) {
      model.add(Interaction{.systems = bodies,
                            .relation = relation,
                            .law = NewtonImpactFrictionLaw{.friction = friction, .dimension = 2},
                            .name = name});
    } else {
      model.add(Interaction{.systems = bodies, .relation = normal, .law = NewtonImpactLaw{}, .name = name});
    }
  }
  return model;
}

TimeSteppingOptions with(const AnySolver& solver) { return {.step = kStep, .solver = solver}; }

/// Some steps of the automatic choice; each once more by every algorithm that takes its sets. How many took part.
template <class Entry>
std::size_t compare(const NonSmoothDynamicalSystem& model, const std::vector<Entry>& registry) {
  std::size_t compared = 0;
  TimeStepping reference(model, with(mixed::Automatic{.tolerance = kTolerance}));
  for (int k = 0; k < 6; ++k) {
    const State before = reference.state();
    EXPECT_TRUE(reference.step());
    const ProductSet& K = reference.problem().sets();
    for (const Entry& entry : registry) {
      // A polygon is not a disk.
      const bool facets = entry.name == "faceted" || entry.name == "outer facets";
      if (!entry.supports(K) || (facets && K.count(SetKind::Coulomb3D) > 0)) continue;
      State state = before;
      Workspace workspace;
      const StepReport report = step(model, with(entry.within({.tolerance = kTolerance})), kStep, state, workspace);
      EXPECT_TRUE(report) << entry.name << ", step " << k << ": " << report.message();
      EXPECT_LE((state.unknowns - reference.state().unknowns).template lpNorm<Eigen::Infinity>(), kAgree)
          << entry.name << ", step " << k;
      ++compared;
    }
  }
  return compared;
}

TEST(StepSolvers, EveryEntryOfTheRegistriesFindsTheSameVelocities) {
  for (const NonSmoothDynamicalSystem& model : {ball_on_plane(), stack(0.5), stack(0.0)}) {
    EXPECT_GE(compare(model, mixed::registry()), 6u * 6u);
    EXPECT_GE(compare(model, friction::registry()), 6u * 20u);
  }
}

TEST(StepSolvers, EveryEntryOfTheGlobalFormFindsTheSameVelocities) {
  for (const NonSmoothDynamicalSystem& model : {ball_on_plane(), stack(0.5), stack(0.0)}) {
    TimeStepping reference(model, with(mixed::Automatic{.tolerance = kTolerance}));
    for (int k = 0; k < 6; ++k) {
      const State before = reference.state();
      ASSERT_TRUE(reference.step());
      for (const friction::GlobalEntry& entry : friction::global_registry()) {
        State state = before;
        Workspace workspace;
        TimeSteppingOptions options = with(entry.within({.tolerance = kTolerance}));
        options.form = Form::Global;
        const StepReport report = step(model, options, kStep, state, workspace);
        EXPECT_TRUE(report) << entry.name << ", step " << k << ": " << report.message();
        EXPECT_LE((state.unknowns - reference.state().unknowns).lpNorm<Eigen::Infinity>(), kAgree)
            << entry.name << ", step " << k;
      }
    }
  }
}

TEST(StepSolvers, ANameAndItsOptionsGiveTheSameBits) {
  const NonSmoothDynamicalSystem model = stack(0.5);
  const auto end_of = [&model](const AnySolver& solver) {
    TimeStepping simulation(model, with(solver));
    for (int k = 0; k < 10; ++k) EXPECT_TRUE(simulation.step());
    return hash_of(simulation.state());
  };
  const Limits limits{.tolerance = 1e-9};
  EXPECT_EQ(end_of("automatic"), end_of(mixed::Automatic{}));
  EXPECT_EQ(end_of("block gauss-seidel"), end_of(mixed::GaussSeidel{}));
  EXPECT_EQ(end_of("gauss-seidel newton"), end_of(friction::GaussSeidelNewton{}));
  EXPECT_EQ(end_of({"friction::admm", limits}), end_of(friction::Admm{.tolerance = 1e-9}));
  EXPECT_EQ(end_of({"admm", limits}), end_of(mixed::Admm{.tolerance = 1e-9}));
}

TEST(StepSolvers, TheResultTellsTheAlgorithmItsStartAndItsDecisions) {
  TimeStepping simulation(ball_on_plane(), with(friction::Automatic{}));
  ASSERT_TRUE(simulation.step());
  EXPECT_FALSE(simulation.problem().decisions.empty());
  const Eigen::VectorXd last = simulation.problem().result.r;
  ASSERT_TRUE(simulation.step());
  EXPECT_EQ(simulation.problem().start, last);
  EXPECT_LE(simulation.problem().result.certificate.residual, friction::Automatic{}.tolerance);
  EXPECT_FALSE(simulation.problem().result.solver.empty());
}

// From the same state, each in a workspace of its own. One contact is solved exactly by both, in a sweep or by refining
// the start: velocities below 1 m/s agree but for some ten roundings.
TEST(StepSolvers, OneContactIsTheSameToBothAutomaticChoices) {
  const NonSmoothDynamicalSystem model = ball_on_plane();
  State by_mixed = model.initial_state();
  for (int k = 0; k < 20; ++k) {
    State by_friction = by_mixed;
    Workspace of_mixed, of_friction;
    ASSERT_TRUE(step(model, with(mixed::Automatic{.tolerance = kTolerance}), kStep, by_mixed, of_mixed));
    ASSERT_TRUE(step(model, with(friction::Automatic{.tolerance = kTolerance}), kStep, by_friction, of_friction));
    ASSERT_LE((by_mixed.unknowns - by_friction.unknowns).lpNorm<Eigen::Infinity>(), 64.0 * kEps / kRadius) << k;
  }
}

/// An algorithm of a user that forgets its answer.
struct Forgetful {
  double tolerance = kTolerance, time_limit = 1.0;
  void validate() const {}
  friend mixed::Result solve(const mixed::Problem&, const Forgetful&) { return {}; }
};

TEST(StepSolvers, AnAnswerOfAnotherSizeIsAFailure) {
  TimeSteppingOptions options = with(Forgetful{});
  options.on_failure = OnFailure::Accept;
  TimeStepping simulation(ball_on_plane(), options);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.solver, Status::NumericalFailure);
  ASSERT_EQ(simulation.problem().result.r.size(), 3);
  EXPECT_TRUE(simulation.problem().result.r.isZero(0.0));
  // Nothing pushes back: the ball falls with h g.
  EXPECT_NEAR(simulation.state().unknowns[2], -kStep * kGravity, 4.0 * kEps);
}

TEST(StepSolvers, AStartThatIsNotFiniteIsNoneToAnyAlgorithmOfTheGlobalForm) {
  TimeSteppingOptions options = with(mixed::Automatic{});
  options.form = Form::Global;
  TimeStepping simulation(ball_on_plane(), options);
  ASSERT_TRUE(simulation.step());
  const friction::GlobalProblem& problem = *simulation.problem().global;
  const Eigen::VectorXd none, broken = Eigen::VectorXd::Constant(problem.w.size(), std::nan(""));
  std::vector<AnySolver> solvers{AnySolver{}};
  for (const friction::GlobalEntry& entry : friction::global_registry()) solvers.push_back(entry.within({}));
  for (const AnySolver& solver : solvers)
    EXPECT_EQ(solver.solve_from(broken, problem).r, solver.solve_from(none, problem).r);
}

std::string refusal(const auto& act) {
  try {
    act();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

TEST(StepSolvers, RefusalsNameTheRowOrTheKnownNames) {
  const std::string unknown = refusal([] { AnySolver("steepest descent"); });
  for (const char* part : {"steepest descent", "mixed::automatic", "friction::nesterov", "global::global admm"})
    EXPECT_NE(unknown.find(part), std::string::npos) << unknown;

  NonSmoothDynamicalSystem model = stack(0.5);
  const auto slider = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {0.0}, .v0 = {1.0}});
  model.link(slider, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{.lower = -2.0, .upper = 2.0}, "the brake");
  TimeStepping simulation(model, with("gauss-seidel"));
  const std::string refused = refusal([&] { simulation.step(); });
  EXPECT_NE(refused.find("TimeSteppingOptions::solver"), std::string::npos) << refused;
  EXPECT_NE(refused.find("the brake"), std::string::npos) << refused;
  EXPECT_EQ(refused.find("joint"), std::string::npos) << refused;

  TimeSteppingOptions options = with(friction::GlobalAdmm{});
  EXPECT_NE(refusal([&] { options.validate(); }).find("Form::Reduced"), std::string::npos);
  options.form = Form::Global;
  EXPECT_NO_THROW(options.validate());
  options.solver = "gauss-seidel";
  EXPECT_NE(refusal([&] { options.validate(); }).find("Form::Global"), std::string::npos);
}

}  // namespace
}  // namespace nonsmooth::solvers_test
