// SPDX-License-Identifier: Apache-2.0
// Piles of bodies that fall: threads, fixed numbers of sweeps, and how deep bodies enter each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <internal/disjoint_sets.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <problems/dropped_bodies.hpp>

namespace nonsmooth::many_bodies_test {
namespace {

using problems::deepest;
using problems::DroppedBodies;

constexpr double kStep = 1.0 / 240.0;
constexpr double kRadius = DroppedBodies::radius;

problems::DroppedModel pile(Index count, DroppedBodies::Kind kind = DroppedBodies::Kind::Spheres) {
  return problems::dropped_model(
      {.kind = kind, .count = count, .columns = DroppedBodies::columns_of_sixteen_layers(count)});
}

TimeSteppingOptions options_of(const AnySolver& solver, int threads = 1) {
  return {.step = kStep, .solver = solver, .on_failure = OnFailure::Accept, .threads = threads};
}

std::size_t num_islands(const BlockSparseMatrix& W) {
  DisjointSets islands(W.num_block_rows());
  for (Index i = 0; i < W.num_block_rows(); ++i) {
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) islands.join(i, W.column(k));
  }
  return islands.lists().size();
}

TEST(ManyBodies, IslandsHaveTheSameBitsOnAnyNumberOfThreads) {
  using Solver = AnySolver (*)(int threads);
  constexpr Solver solvers[] = {
      [](int) -> AnySolver { return mixed::Automatic{.tolerance = 1e-3}; },
      [](int) -> AnySolver { return mixed::GaussSeidel{.max_sweeps = 10}; },
      [](int) -> AnySolver { return friction::GaussSeidel{.max_iterations = 10}; },
      [](int) -> AnySolver { return friction::GaussSeidel{.max_iterations = 10, .conjugate = true}; },
      // Threads of its own, which sweep the colours of the whole pile.
      [](int threads) -> AnySolver {
        return friction::GaussSeidel{.max_iterations = 10, .conjugate = true, .colored = true, .num_threads = threads};
      }};
  for (const Solver solver : solvers) {
    std::uint64_t expected = 0;
    for (const int threads : {1, 2, 4}) {
      TimeStepping simulation(pile(300).model, options_of(solver(threads), threads));
      std::size_t most_islands = 0;
      for (int k = 0; k < 24; ++k) {
        ASSERT_TRUE(simulation.step().taken);
        if (simulation.problem().num_rows() > 0)
          most_islands = std::max(most_islands, num_islands(simulation.problem().reduced.W));
      }
      ASSERT_GE(most_islands, 10u) << "too few to be shared";
      if (threads == 1) expected = hash_of(simulation.state());
      EXPECT_EQ(hash_of(simulation.state()), expected) << threads << " threads";
    }
  }
}

TEST(ManyBodies, AFixedNumberOfSweepsIsTakenAndTold) {
  constexpr Index sweeps = 7;
  TimeSteppingOptions options = options_of(friction::GaussSeidel{.tolerance = 1e-14, .max_iterations = sweeps});
  TimeStepping simulation(pile(100).model, options);
  Index limited = 0;
  const RunReport run = simulation.advance_to(0.2, [&](const State&, const StepReport& report) {
    EXPECT_LE(report.solver_iterations, sweeps);
    EXPECT_EQ(report.newton_iterations, 0);
    if (report.solver != Status::IterationLimit) return;
    ++limited;
    EXPECT_EQ(report.solver_iterations, sweeps);
    EXPECT_GT(report.certificate.residual, 1e-14);
  });
  EXPECT_TRUE(run) << run.message();
  EXPECT_GE(limited, 10);
  EXPECT_EQ(run.steps_accepted, limited);

  options.on_failure = OnFailure::Stop;
  TimeStepping strict(pile(100).model, options);
  EXPECT_EQ(strict.advance_to(0.2).outcome, RunReport::Outcome::StepFailed);
}

TEST(ManyBodies, BallsNeedNoSecondIterateAndBoxesDo) {
  for (const auto kind : {DroppedBodies::Kind::Spheres, DroppedBodies::Kind::Boxes}) {
    TimeStepping simulation(pile(16, kind).model, options_of(mixed::Automatic{.tolerance = 1e-9}));
    const RunReport run = simulation.advance_to(0.3);
    ASSERT_TRUE(run) << run.message();
    if (kind == DroppedBodies::Kind::Spheres)
      EXPECT_EQ(run.newton_iterations, 0);
    else
      EXPECT_GE(run.newton_iterations, 2 * run.steps);
  }
}

TEST(ManyBodies, RefusesPatchesOfMoreBitsThanFeaturesHave) {
  struct Wide final : ContactSource {
    std::vector<SystemHandle> own_bodies;
    std::vector<Law> own_laws{NewtonImpactLaw{}};
    [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return own_bodies; }
    [[nodiscard]] const std::vector<Law>& laws() const override { return own_laws; }
    [[nodiscard]] int patch_bits() const override { return 64; }
    void detect(const BodyView&, double, std::vector<Index>&, ContactBatches&) const override {}
  };
  problems::DroppedModel scene = pile(1);
  const auto source = std::make_shared<Wide>();
  source->own_bodies = scene.bodies;
  scene.model.detect(source);
  try {
    TimeStepping(scene.model, options_of(AnySolver{}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("patch_bits"), std::string::npos) << error.what();
  }
}

/// The largest -u_N of what may touch within a step.
double fastest_approach(const State& state, const problems::DroppedModel& scene) {
  double result = 0.0;
  for (const ContactBatch& batch : contacts_at(state, *scene.contacts, kStep)) {
    for (Index i = 0; i < batch.size(); ++i) {
      const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
      const auto speed = [&](const double* row, Index body) {
        return Eigen::Map<const Eigen::Matrix<double, 6, 1>>(row).dot(
            state.v(scene.bodies[static_cast<std::size_t>(body)]));
      };
      double u = speed(batch.H_first(i), contact.first);
      if (contact.second >= 0) u += speed(batch.H_second(i), contact.second);
      result = std::max(result, -u);
    }
  }
  return result;
}

TEST(ManyBodies, WithoutProjectionTheyEnterByAStepOfTheirApproach) {
  // What closes from a gap y > h |u| / 2 ends its step h |u| / 2 deep, and moves by half of u once more in the step
  // that stops it; g h is what a step adds to u. A contact that is stopped does not approach again, and normals that
  // turn only part balls.
  const problems::DroppedModel scene = pile(400);
  TimeStepping simulation(scene.model, options_of(mixed::Automatic{.tolerance = 1e-6}));
  double fastest = 0.0, depth = 0.0;
  for (int k = 0; k < 48; ++k) {
    fastest = std::max(fastest, fastest_approach(simulation.state(), scene));
    ASSERT_TRUE(simulation.step());
    depth = std::max(depth, deepest(simulation.state(), *scene.contacts));
    ASSERT_LE(depth, kStep * (fastest + DroppedBodies::gravity * kStep)) << k;
  }
  EXPECT_GE(depth, 0.5 * kStep * fastest);  // it is no bound that nothing comes near
}

/// `steps` of bodies that are projected to 1e-6 of a radius. All of them are completed: none ends at the limit of
/// projections, and no shape is in another by more at the end of any.
void expect_apart(const problems::DroppedModel& scene, TimeSteppingOptions options, Index steps,
                  Projection kind = Projection::Combined) {
  const double tolerance = 1e-6 * kRadius;
  options.projection = {.kind = kind, .unilateral_tolerance = tolerance};
  TimeStepping simulation(scene.model, options);
  Index moved = 0;
  for (Index k = 0; k < steps; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << k << ": " << report.message();
    moved += report.projections > 0 ? 1 : 0;
    ASSERT_LE(deepest(simulation.state(), *scene.contacts), tolerance) << k;
  }
  EXPECT_GE(moved, steps / 4) << "there was little to move";
}

TEST(ManyBodies, WithProjectionAPileThatFallsTogetherKeepsApart) {
  // Over 0.5 s, in which all layers have met.
  expect_apart(pile(64), options_of(mixed::Automatic{.tolerance = 1e-3}), 120);
}

TEST(ManyBodies, WithProjectionAFlowAndBoxesKeepApartInEachStep) {
  // Layers fall onto each other from 0.1 s on.
  const TimeSteppingOptions options = options_of(mixed::Automatic{.tolerance = 1e-3});
  for (const Projection kind : {Projection::Combined, Projection::All}) {
    expect_apart(pile(200), options, 72, kind);
    expect_apart(pile(40, DroppedBodies::Kind::Boxes), options, 72, kind);
  }
}

TEST(ManyBodies, WithProjectionAPileThatLandsIsMovedApartInAFewSweeps) {
  // 300 balls in 16 layers come to lie on each other, 900 rows a projection. Each move leaves a tenth of the deepest
  // gap at most: sweeps to the tolerance took up to 3800 in one move.
  const double tolerance = 1e-5 * kRadius;
  const problems::DroppedModel scene = pile(300);
  TimeSteppingOptions options = options_of(mixed::Automatic{.tolerance = 1e-3});
  options.projection = {.kind = Projection::All, .unilateral_tolerance = tolerance};
  TimeStepping simulation(scene.model, options);
  Index most_rows = 0;
  for (int k = 0; k < 180; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << k << ": " << report.message();
    ASSERT_LE(deepest(simulation.state(), *scene.contacts), tolerance) << k;
    if (report.projections == 0) continue;
    most_rows = std::max(most_rows, simulation.projection_problem().num_rows());
    EXPECT_LE(simulation.projection_problem().result.iterations, 200) << k;
  }
  EXPECT_GT(most_rows, 800);
}

TEST(ManyBodies, WithProjectionWhatLinearisedGapsLeaveIsMovedApartInEachStep) {
  TimeSteppingOptions options = options_of(friction::GaussSeidel{.tolerance = 1e-3, .max_iterations = 20'000});
  options.integrator = StewartTrinkle{};
  options.newton.max_iterations = 1;  // boxes: linearly implicit
  for (const Projection kind : {Projection::Combined, Projection::All}) {
    expect_apart(pile(100), options, 96, kind);
    expect_apart(pile(40, DroppedBodies::Kind::Boxes), options, 72, kind);
  }
}

TEST(ManyBodies, BoxesThatTumbleAreAHundredthAsDeepAsAStepOfTheirTurningWhereTheirPositionsAreMoved) {
  // In flow corners turn by h w r in a step, and those that no row was about enter: by a good part of that without a
  // projection, by its tolerance with. Rows of velocities are certified in each step all the same, each solved once.
  TimeSteppingOptions options = options_of(friction::GaussSeidel{.tolerance = 1e-2, .max_iterations = 20'000});
  options.integrator = StewartTrinkle{};
  options.newton.max_iterations = 1;
  double depth[2] = {0.0, 0.0}, fastest = 0.0;
  for (const bool moved : {false, true}) {
    const problems::DroppedModel scene = pile(60, DroppedBodies::Kind::Boxes);
    options.projection = {.kind = moved ? Projection::All : Projection::None, .unilateral_tolerance = 5e-6};
    TimeStepping simulation(scene.model, options);
    for (int k = 0; k < 96; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << k << ": " << report.message();
      if (report.rows > 0) {
        ASSERT_LE(report.certificate.residual, 1e-2) << k;
      }
      depth[moved ? 1 : 0] = std::max(depth[moved ? 1 : 0], deepest(simulation.state(), *scene.contacts));
      ASSERT_LE(depth[1], 5e-6) << k;
      for (const SystemHandle body : scene.bodies)
        fastest = std::max(fastest, simulation.state().v(body).tail<3>().norm());
    }
  }
  const double turned = kStep * fastest * DroppedBodies::half_extents.norm();
  EXPECT_GE(depth[0], 0.05 * turned);
  EXPECT_LE(depth[1], 0.01 * turned);
}

TEST(ManyBodies, AStepThatEndsAtTheLimitOfProjectionsTellsWhatIsDeep) {
  const double tolerance = 1e-6 * kRadius;
  const problems::DroppedModel scene = pile(64);
  TimeSteppingOptions options = options_of(mixed::Automatic{.tolerance = 1e-3});
  options.projection = {.kind = Projection::Combined, .unilateral_tolerance = tolerance, .max_iterations = 1};
  TimeStepping simulation(scene.model, options);
  Index limited = 0;
  for (int k = 0; k < 48; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.taken);
    const double depth = deepest(simulation.state(), *scene.contacts);
    EXPECT_EQ(report.ok(), depth <= tolerance) << k << ": " << depth << ' ' << report.message();
    if (report.ok()) continue;
    ++limited;
    EXPECT_EQ(report.outcome, StepReport::Outcome::ProjectionLimit);
    EXPECT_NE(report.detail.find("y = "), std::string::npos) << report.detail;
  }
  EXPECT_GE(limited, 1);
}

}  // namespace
}  // namespace nonsmooth::many_bodies_test
