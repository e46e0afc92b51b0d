// SPDX-License-Identifier: Apache-2.0
// What reports say of how deep contacts are inside: closed forms of single contacts, piles of spheres and boxes, and
// what is remarked where steps add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/dropped_bodies.hpp>

namespace nonsmooth::penetration_test {
namespace {

using problems::DroppedBodies;

constexpr double kStep = 1e-3;

const RunRemark* depth_of(const RunRemarks& remarks) {
  const auto found = std::find_if(remarks.begin(), remarks.end(),
                                  [](const RunRemark& remark) { return remark.kind == RunRemark::Kind::Penetration; });
  return found == remarks.end() ? nullptr : &*found;
}

/// A disk of radius 0.1 m above a floor by `gap`, coming down; the contact linked by its row or found.
NonSmoothDynamicalSystem falling(double gap, double speed, double gravity, bool found) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(PlanarBody{.inertia = 0.004,
                                         .position = {0.0, 0.1 + gap},
                                         .velocity = {0.0, -speed},
                                         .gravity = {0.0, -gravity},
                                         .name = "ball"});
  if (found) {
    model.detect(PlanarContacts({{.body = ball, .shapes = {{.shape = Disk{0.1}}}}}, {{.shape = HalfPlane{}}},
                                NewtonImpactLaw{}));
  } else {
    model.link(ball, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}}, .b = {-0.1}}, NewtonImpactLaw{}, "floor");
  }
  return model;
}

TEST(Penetration, OfABallThatComesDownIsHTimesItsSpeedAtMost) {
  // At 2 m/s from 1.2 mm: its forecast of 1 mm is open, so that it goes 2 mm; the step that stops it takes half of that
  // once more. Rounding of 0.1 m and 2 m/s h.
  for (const bool found : {false, true}) {
    TimeStepping simulation(falling(1.2e-3, 2.0, 0.0, found), {.step = kStep});
    constexpr double depths[] = {0.0, 0.8e-3, 1.8e-3, 1.8e-3}, approaches[] = {0.0, 2.0, 0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_NEAR(report.penetration, depths[k], 1e-15) << k;
      EXPECT_NEAR(report.approach, approaches[k], 1e-14) << k;
      EXPECT_EQ(report.deepest_row, k == 0 ? -1 : 0) << k;
      if (k == 0) continue;
      EXPECT_EQ(simulation.problem().place(report.deepest_row),
                found ? "the contact of ball and the ground" : "row 0 of floor on ball");
    }
    EXPECT_EQ(depth_of(simulation.findings()), nullptr);
    TimeStepping again(falling(1.2e-3, 2.0, 0.0, found), {.step = kStep});
    const RunReport run = again.advance_to(10 * kStep);
    EXPECT_NEAR(run.worst_penetration, 1.8e-3, 1e-15);
    EXPECT_NEAR(run.worst_penetration_t, 3 * kStep, 1e-15);
    EXPECT_NEAR(run.fastest_approach, 2.0, 1e-14);
    EXPECT_EQ(run.message(), "");
  }
}

TEST(Penetration, IsBoundedByTheWeightsOfAScheme) {
  // (2 - forecast - theta) h |u_N| from where the forecast is just open: nothing of it with 1 and 1.
  for (const double forecast : {0.0, 0.5, 1.0}) {
    for (const double theta : {0.5, 1.0}) {
      const double gap = 2.0 * kStep * forecast + 1e-9, most = (2.0 - forecast - theta) * 2.0 * kStep;
      for (const bool found : {false, true}) {
        TimeStepping simulation(falling(gap, 2.0, 0.0, found),
                                {.integrator = MoreauJean{.theta = theta, .forecast = forecast}, .step = kStep});
        const RunReport run = simulation.advance_to(10 * kStep);
        ASSERT_TRUE(run) << run.message();
        EXPECT_NEAR(run.worst_penetration, most, 2e-9) << forecast << ' ' << theta;
        EXPECT_LE(run.worst_penetration, most) << forecast << ' ' << theta;
        EXPECT_TRUE(run.findings.empty()) << run.message();
      }
    }
  }
}

TEST(Penetration, AtRestItIsWhatOneStepOfFallingLeaves) {
  // 1e5 steps: u+ is 0 to rounding, and what gravity does in a step, g h, is the approach.
  for (const bool found : {false, true}) {
    TimeStepping simulation(falling(1e-9, 0.0, 9.81, found), {.step = kStep});
    const RunReport run = simulation.advance_to(100.0);
    ASSERT_TRUE(run) << run.message();
    EXPECT_NEAR(run.last.approach, 9.81 * kStep, 1e-12);
    EXPECT_GT(run.worst_penetration, 0.0);
    EXPECT_LE(run.worst_penetration, kStep * 9.81 * kStep);
    EXPECT_TRUE(run.findings.empty()) << run.message();
  }
}

TEST(Penetration, OfTheStartIsTheExaminationsToTell) {
  // 2 mm inside at rest, where it stays: told once, by the remark of the start.
  TimeStepping simulation(falling(-2e-3, 0.0, 9.81, true), {.step = kStep});
  ASSERT_EQ(simulation.examination().size(), 1u);
  const RunReport run = simulation.advance_to(1.0);
  EXPECT_NEAR(run.worst_penetration, 2e-3, 1e-12);
  EXPECT_NEAR(run.worst_penetration_t, kStep, 1e-15);
  EXPECT_EQ(depth_of(run.findings), nullptr) << run.message();
}

/// A point that slides at 1 m/s along the inside of a ring of 1 m.
NonSmoothDynamicalSystem in_a_ring() {
  NonSmoothDynamicalSystem model;
  const auto point =
      model.add(PlanarBody{.inertia = 1.0, .position = {1.0, 0.0}, .velocity = {0.0, 1.0}, .name = "point"});
  model.link(point,
             ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = 1.0 - q.head<2>().norm(); },
                                  .H =
                                      [](ConstVectorRef q, MatrixRef H) {
                                        H.setZero();
                                        H.leftCols<2>() = -q.head<2>().transpose() / q.head<2>().norm();
                                      }},
             NewtonImpactLaw{}, "ring");
  return model;
}

TEST(Penetration, ThatStepsAddUpIsTold) {
  // H at the start of a step: it goes on along the mean of the tangents of this and the last step, v h^2 v / R further
  // out each time, by h times the approach v (h v / R). Of turns by 5 mrad, second-order beside first.
  constexpr double h = 5e-3;
  TimeSteppingOptions options{.integrator = MoreauJean{.configuration_weight = 0.0}, .step = h};
  TimeStepping simulation(in_a_ring(), options);
  const RunReport run = simulation.advance_to(1.0);
  ASSERT_TRUE(run) << run.message();
  const RunRemark* const told = depth_of(run.findings);
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->subject, "row 0 of ring on point");
  EXPECT_NEAR(run.fastest_approach, h, 0.02 * h);
  EXPECT_NEAR(told->worst, 200 * h * h, 0.02 * 200 * h * h);
  EXPECT_EQ(told->worst, run.worst_penetration);
  EXPECT_GE(told->count, 190);
  EXPECT_LE(told->first_t, 5.5 * h);
  EXPECT_NE(run.message().find("row 0 of ring on point: inside by more than h times"), std::string::npos)
      << run.message();
  ASSERT_NE(depth_of(simulation.findings()), nullptr);
  EXPECT_EQ(depth_of(simulation.findings())->count, told->count);

  // What the remark advises.
  options.projection.kind = Projection::Direct;
  TimeStepping projected(in_a_ring(), options);
  const RunReport held = projected.advance_to(1.0);
  ASSERT_TRUE(held) << held.message();
  EXPECT_LE(held.worst_penetration, options.projection.unilateral_tolerance);
  EXPECT_EQ(depth_of(held.findings), nullptr) << held.message();
  TimeStepping recovered(in_a_ring(), {.integrator = StewartTrinkle{}, .step = h});
  const RunReport out = recovered.advance_to(1.0);
  ASSERT_TRUE(out) << out.message();
  EXPECT_LE(out.worst_penetration, 0.02 * told->worst);
}

TEST(Penetration, WithoutAnExaminationReportsSayItAndRunsRemarkNothing) {
  TimeStepping simulation(
      in_a_ring(),
      {.integrator = MoreauJean{.configuration_weight = 0.0}, .step = 5e-3, .examination = Examination::Off});
  const RunReport run = simulation.advance_to(1.0);
  EXPECT_GT(run.worst_penetration, 1e-3);
  EXPECT_TRUE(run.findings.empty());
}

/// Piles of 16 layers that fall together.
struct Flow {
  problems::DroppedModel scene;
  TimeSteppingOptions options{.step = 1.0 / 240.0, .solver = mixed::Automatic{.tolerance = 1e-6}};

  Flow(Index count, DroppedBodies::Kind kind)
      : scene(problems::dropped_model(
            {.kind = kind, .count = count, .columns = DroppedBodies::columns_of_sixteen_layers(count)})) {
    if (kind == DroppedBodies::Kind::Boxes) options.newton.max_iterations = 1;
  }
};

TEST(Penetration, InFlowIsThatOfTheShapes) {
  // A step tells of the contacts that act in it. What is inside and does not act goes out faster than half of it a
  // step, and then no more than 2 steps: what is told next is the deepest there is in most of the steps, and never
  // more.
  for (const auto kind : {DroppedBodies::Kind::Spheres, DroppedBodies::Kind::Boxes}) {
    Flow flow(kind == DroppedBodies::Kind::Spheres ? 200 : 48, kind);
    TimeStepping simulation(flow.scene.model, flow.options);
    double fastest = 0.0, worst = 0.0;
    Index same = 0, inside = 0;
    for (int k = 0; k < 72; ++k) {
      const double depth = problems::deepest(simulation.state(), *flow.scene.contacts);
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_LE(report.penetration, depth + 1e-14) << k;
      if (depth > 0.0) ++inside;
      if (depth > 0.0 && std::abs(report.penetration - depth) <= 1e-14) ++same;
      fastest = std::max(fastest, report.approach);
      worst = std::max(worst, report.penetration);
    }
    EXPECT_GE(inside, 40);
    EXPECT_GE(same, (9 * inside) / 10);
    EXPECT_LE(worst, flow.options.step * fastest);
  }
}

TEST(Penetration, InFlowWithAProjectionIsItsTolerance) {
  for (const auto kind : {DroppedBodies::Kind::Spheres, DroppedBodies::Kind::Boxes}) {
    Flow flow(kind == DroppedBodies::Kind::Spheres ? 100 : 40, kind);
    for (const Projection projection : {Projection::Combined, Projection::All}) {
      flow.options.projection = {.kind = projection, .unilateral_tolerance = 1e-6 * DroppedBodies::radius};
      TimeStepping simulation(flow.scene.model, flow.options);
      const RunReport run = simulation.advance_to(0.3);
      ASSERT_TRUE(run) << run.message();
      EXPECT_GT(run.worst_penetration, 0.0);
      EXPECT_LE(run.worst_penetration, flow.options.projection.unilateral_tolerance);
      for (const RunRemark& remark : run.findings)
        EXPECT_NE(remark.kind, RunRemark::Kind::Penetration) << remark.message();
    }
  }
}

}  // namespace
}  // namespace nonsmooth::penetration_test
