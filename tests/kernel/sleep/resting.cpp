// SPDX-License-Identifier: Apache-2.0
// Bodies that rest at a gap of zero: rounding lifts them now and then, and no contact may open by it.
#include <cmath>
#include <memory>
#include <string>

#include <nonsmooth/kernel/disk_contacts.hpp>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::resting_test {
namespace {

using namespace closed_forms;

constexpr int kSteps = 10'000;
constexpr double kMass = 3.0, kStep = 1e-2, kImpulse = kMass * kGravity * kStep;
/// Of one contact the problem of a step is solved to rounding; the bound is that of its certificate, 1e-10, and ten
/// times more for what a step carries over to the next.
constexpr double kTolerance = 1e-9 * kImpulse;

/// Runs kSteps steps: the impulses of all of them, from the first on, are `normal` and `tangential`.
void expect_rest(const NonSmoothDynamicalSystem& model, InteractionHandle contact, double normal, double tangential,
                 const TimeSteppingOptions& options, const std::string& what) {
  TimeStepping run(model, options);
  int opened = 0;
  double worst = 0.0;
  const auto report = run.advance_to(kSteps * kStep, [&](const State& state) {
    const auto p = state.impulse(contact);
    if (p[0] == 0.0) ++opened;
    worst = std::max(worst, std::abs(p[0] - normal));
    if (p.size() > 1) worst = std::max(worst, std::abs(p[1] - tangential));
  });
  ASSERT_TRUE(report) << what << ": " << report.message();
  EXPECT_EQ(report.steps, kSteps) << what;
  EXPECT_EQ(opened, 0) << what;
  EXPECT_LE(worst, kTolerance) << what;
}

TEST(RestingContact, OnAFloorAtAnyHeight) {
  for (const double height : {0.0, 1e-3, 0.1, 1.0 / 3.0, 1e3, 12345.678}) {
    for (const double e : {0.0, 0.5}) {
      NonSmoothDynamicalSystem model;
      const auto body = model.add(mass_point(kMass, -kMass * kGravity, height, 0.0));
      const auto floor = model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {-height}}, NewtonImpactLaw{e});
      for (const double theta : {0.5, 0.7, 1.0})
        expect_rest(model, floor, kImpulse, 0.0, moreau_jean(kStep, theta), "at " + std::to_string(height));
    }
  }
}

TEST(RestingContact, OnATiltedPlaneFarAway) {
  // In the plane's own place the gap is the difference of numbers of size `distance`: any rounding of it is as good.
  for (const double distance : {0.0, 1.0, 1e3}) {
    for (const double angle : {0.1, 0.2, 0.3, 0.4, 0.5}) {
      const double c = std::cos(angle), s = std::sin(angle);
      NonSmoothDynamicalSystem model;
      const auto body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(kMass, kMass).asDiagonal(),
                                                         .force = {0.0, -kMass * kGravity},
                                                         .q0 = {distance * c - 0.7 * s, distance * s + 0.7 * c}});
      const auto plane = model.link(body, LagrangianLinearRelation{.H = {{-s, c}, {c, s}}, .b = {-0.7, 0.0}},
                                    NewtonImpactFrictionLaw{.restitution = 0.3, .friction = 0.8});
      expect_rest(model, plane, kImpulse * c, kImpulse * s, moreau_jean(kStep),
                  std::to_string(angle) + " at " + std::to_string(distance));
    }
  }
}

TEST(RestingContact, OfNonlinearRelationsAndSystems) {
  for (const double distance : {0.0, 1e3}) {
    for (const bool nonlinear_system : {false, true}) {
      const double angle = 0.3, c = std::cos(angle), s = std::sin(angle);
      NonSmoothDynamicalSystem model;
      SystemHandle body;
      const ConstantVector q0{distance * c, distance * s};
      if (nonlinear_system) {
        LagrangianSystem system;
        system.mass = [](ConstVectorRef, MatrixRef M) { M.diagonal().setConstant(kMass); };
        system.force = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[1] = -kMass * kGravity; };
        system.force_dq = system.force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
        system.q0 = q0;
        body = model.add(system);
      } else {
        body = model.add(LagrangianLinearSystem{
            .mass = Eigen::Vector2d(kMass, kMass).asDiagonal(), .force = {0.0, -kMass * kGravity}, .q0 = q0});
      }
      const auto plane = model.link(body,
                                    ScleronomousRelation{.rows = 2,
                                                         .h =
                                                             [c, s](ConstVectorRef q, VectorRef y) {
                                                               y[0] = -s * q[0] + c * q[1];
                                                               y[1] = c * q[0] + s * q[1];
                                                             },
                                                         .H =
                                                             [c, s](ConstVectorRef, MatrixRef H) {
                                                               H(0, 0) = -s, H(0, 1) = c;
                                                               H(1, 0) = c, H(1, 1) = s;
                                                             }},
                                    NewtonImpactFrictionLaw{.friction = 0.8});
      expect_rest(model, plane, kImpulse * c, kImpulse * s, moreau_jean(kStep), std::to_string(distance));
    }
  }
}

TEST(RestingContact, UnderProjectionsAndOnThePositionLevel) {
  for (const double height : {0.0, 1e3}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(mass_point(kMass, -kMass * kGravity, height, 0.0));
    const auto floor = model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {-height}}, NewtonImpactLaw{0.0});
    TimeSteppingOptions options = moreau_jean(kStep);
    for (const Projection kind : {Projection::Direct, Projection::Combined}) {
      options.projection.kind = kind;
      expect_rest(model, floor, kImpulse, 0.0, options, "projection");
    }
    options = moreau_jean(kStep);
    options.integrator = SchatzmanPaoli{};
    TimeStepping run(model, options);
    // The position-level scheme's multiplier holds the gap at 0 whatever it was: rounding of a gap over h.
    const double tolerance = kTolerance + 8.0 * kEps * height * kMass / kStep;
    ASSERT_TRUE(run.advance_to(kSteps * kStep, [&](const State& state) {
      ASSERT_NEAR(state.impulse(floor)[0], kImpulse, tolerance) << state.k;
    }));
  }
}

TEST(RestingContact, OfDisksFoundByDetection) {
  // A column of three on a floor of height 1e3, 1e3 to the right: contact i carries what is above it, in every step.
  const double radius = 0.1;
  for (const double far : {0.0, 1e3}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> disks;
    for (int i = 0; i < 3; ++i) {
      disks.push_back(model.add(
          LagrangianLinearSystem{.mass = Eigen::Vector3d(kMass, kMass, 0.5 * kMass * radius * radius).asDiagonal(),
                                 .force = {0.0, -kMass * kGravity, 0.0},
                                 .q0 = {far, far + radius + 2.0 * radius * i, 0.0}}));
    }
    FloorProfile floor;
    floor.height = [far](double) { return far; };
    floor.slope = floor.curvature = [](double) { return 0.0; };
    model.detect(std::make_shared<DiskContacts>(disks, std::vector<double>(3, radius),
                                                NewtonImpactFrictionLaw{.friction = 0.5}, floor));
    TimeStepping run(model, moreau_jean(kStep));
    int opened = 0;
    double worst = 0.0;
    const auto report = run.advance_to(kSteps * kStep, [&](const State& state) {
      double total = 0.0;
      for (const ContactMemory& contact : state.contacts) total += contact.impulse[0];
      if (state.contacts.size() != 3) ++opened;
      worst = std::max(worst, std::abs(total - 6.0 * kImpulse));
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(opened, 0) << far;
    EXPECT_LE(worst, 6.0 * kTolerance) << far;
  }
}

TEST(RestingContact, AContactThatIsPulledOffOpensAtOnce) {
  // The tolerance holds nothing: with a force upwards from t = 0.5 s on, the body leaves with the acceleration of that
  // force in its first step, and a gap set up at 1e-9 is a gap.
  NonSmoothDynamicalSystem model;
  LagrangianLinearSystem point = mass_point(kMass, 0.0, 1e3, 0.0);
  point.force = [](double t, VectorRef f) { f[0] = t < 0.5 ? -kMass : kMass; };
  const auto body = model.add(point);
  const auto floor = model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {-1e3}}, NewtonImpactLaw{});
  TimeStepping run(model, moreau_jean(0.01, 1.0));
  ASSERT_TRUE(run.advance_to(0.495));
  EXPECT_EQ(run.state().v(body)[0], 0.0);
  ASSERT_TRUE(run.advance_to(0.6));
  EXPECT_EQ(run.state().impulse(floor)[0], 0.0);
  EXPECT_NEAR(run.state().v(body)[0], 0.1, 0.0101);  // a step more or less

  NonSmoothDynamicalSystem open;
  const auto falling = open.add(mass_point(kMass, -kMass * kGravity, 1e-9, 0.0));
  const auto below = open.link(falling, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  TimeStepping fall(open, moreau_jean(kStep));
  ASSERT_TRUE(fall.step());
  EXPECT_EQ(fall.state().impulse(below)[0], 0.0);
}

}  // namespace
}  // namespace nonsmooth::resting_test
