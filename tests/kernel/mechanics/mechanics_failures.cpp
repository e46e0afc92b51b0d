// SPDX-License-Identifier: Apache-2.0
// Steps that fail, problems without a solution or with several, and what the state says of impulses and forces.
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/LU>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::mechanics_failures_test {
namespace {

using namespace closed_forms;

/// v' = v^2, backward Euler: v+ = v + h v+^2 has a solution where 4 h v <= 1 only.
LagrangianSystem runaway(double v0) {
  LagrangianSystem system;
  system.force = [](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = v[0] * v[0]; };
  system.force_dv = [](double, ConstVectorRef, ConstVectorRef v, MatrixRef J) { J(0, 0) = 2.0 * v[0]; };
  system.q0 = {0.0};
  system.v0 = {v0};
  system.name = "runaway";
  return system;
}

double runaway_step(double h, double v) { return (1.0 - std::sqrt(1.0 - 4.0 * h * v)) / (2.0 * h); }

TEST(OnFailure, SubdividesAStepThatHasNoSolutionAsAWhole) {
  // v = 0.6, h = 0.5: 4 h v = 1.2, no. Halves: 0.6 at first, then 0.735 * 1 < 1: both can be had.
  const double h = 0.5;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(runaway(0.6));
  TimeSteppingOptions options = moreau_jean(h, 1.0);
  TimeStepping stops(model, options);
  const auto failed = stops.step();
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.outcome, StepReport::Outcome::NewtonLimit);
  EXPECT_FALSE(failed.taken);
  EXPECT_EQ(stops.state().t, 0.0);
  EXPECT_EQ(stops.state().v(body)[0], 0.6);

  options.on_failure = OnFailure::Subdivide;
  TimeStepping subdivided(model, options);
  const auto report = subdivided.step();
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report.subdivisions, 1);
  EXPECT_TRUE(report.taken);
  EXPECT_EQ(report.t, h);
  const double first = runaway_step(0.5 * h, 0.6), second = runaway_step(0.5 * h, first);
  EXPECT_NEAR(subdivided.state().v(body)[0], second, 1e-8);
  EXPECT_NEAR(subdivided.state().q(body)[0], 0.5 * h * (first + second), 1e-8);
  EXPECT_EQ(subdivided.state().t, h);
  EXPECT_EQ(subdivided.state().k, 1);
  EXPECT_EQ(subdivided.state().grid_step, h);
}

TEST(OnFailure, TellsThatStepsMadeInPartsAreNotWatched) {
  // Beside it something that is watched: a law that may give energy.
  const double h = 0.5;
  for (const double v : {0.4, 0.6}) {  // 4 h v = 0.8: made at once
    NonSmoothDynamicalSystem model;
    model.add(runaway(v));
    const auto ball = model.add(LagrangianLinearSystem{.q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}});  // touches
    LagrangianLinearRelation both;
    both.H = Eigen::Matrix2d::Identity();
    model.link(ball, both, NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.5, .dimension = 2}, "floor");
    TimeSteppingOptions options = moreau_jean(h, 1.0);
    options.on_failure = OnFailure::Subdivide;
    TimeStepping simulation(model, options);
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    const RunRemarks& findings = simulation.findings();
    if (v < 0.5) {
      EXPECT_TRUE(findings.empty());
      continue;
    }
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, RunRemark::Kind::Unwatched);
    EXPECT_EQ(findings[0].worst, 2.0) << findings[0].message();
  }
}

/// The step of length h in as many parts as it needs; counts the steps that were subdivided.
double runaway_subdivided(double h, double v, Index& subdivisions) {
  if (4.0 * h * v <= 1.0) return runaway_step(h, v);
  ++subdivisions;
  v = runaway_subdivided(0.5 * h, v, subdivisions);
  return runaway_subdivided(0.5 * h, v, subdivisions);
}

TEST(OnFailure, SubdividesAgainWhereItMustAndTheGridGoesOn) {
  // The fifth step is subdivided, the sixth into halves and quarters; t stays k h to the bit.
  const double h = 0.4;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(runaway(0.3));
  TimeSteppingOptions options = moreau_jean(h, 1.0);
  options.on_failure = OnFailure::Subdivide;
  TimeStepping run(model, options);
  double v = 0.3;
  Index most = 0;
  for (int k = 1; k <= 6; ++k) {
    Index subdivisions = 0;
    v = runaway_subdivided(h, v, subdivisions);
    most = std::max(most, subdivisions);
    const auto report = run.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.subdivisions, subdivisions) << k;
    EXPECT_NEAR(run.state().v(body)[0], v, 1e-6 * v) << k;
    EXPECT_EQ(run.state().t, k * h);
    EXPECT_EQ(run.state().k, k);
    EXPECT_EQ(run.state().grid_step, h);
  }
  EXPECT_GE(most, 3);
}

TEST(OnFailure, GivesUpWhereNoHalfHelps) {
  // F = -sign v: v+ - v = h F(v+) has no solution for |v| < h, at v = 1e-9 for no half of 0.1 down to the eighth.
  LagrangianSystem system;
  system.force = [](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = v[0] >= 0.0 ? -1.0 : 1.0; };
  system.force_dq = system.force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  system.q0 = {0.25};
  system.v0 = {1e-9};
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeSteppingOptions options = moreau_jean(0.1, 1.0);
  options.on_failure = OnFailure::Subdivide;
  TimeStepping run(model, options);
  const auto before = hash_of(run.state());
  const auto report = run.step();
  EXPECT_FALSE(report);
  EXPECT_FALSE(report.taken);
  EXPECT_EQ(report.outcome, StepReport::Outcome::NewtonLimit);
  EXPECT_EQ(report.t, 0.1);  // the whole step's own failure
  EXPECT_EQ(hash_of(run.state()), before);
}

TEST(NoSolution, APistonThatMustNotStopIsTold) {
  // A prescribed velocity runs into a wall: no impulse acts on it, so 0 <= u+ cannot be had.
  auto piston = mass_point(1.0, 0.0, 0.05, -1.0);
  piston.prescribed = {{.component = 0, .velocity = [](double) { return -1.0; }}};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(piston);
  model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  for (const OnFailure on_failure : {OnFailure::Stop, OnFailure::Subdivide, OnFailure::Accept}) {
    TimeSteppingOptions options = moreau_jean(0.02);
    options.on_failure = on_failure;
    TimeStepping run(model, options);
    const auto report = run.advance_to(0.2);
    if (on_failure == OnFailure::Accept) {
      EXPECT_GT(report.steps_accepted, 0);
      EXPECT_NE(report.message().find("accepted above tolerance"), std::string::npos) << report.message();
    } else {
      EXPECT_FALSE(report);
      EXPECT_EQ(report.last.outcome, StepReport::Outcome::SolverFailed);
      EXPECT_NE(report.last.solver, Status::Solved);
      EXPECT_GT(run.state().q(body)[0], -0.021);  // it stands where the wall begins
    }
  }
}

// Painleve's slender rod, length 2 l, at an angle to the floor, its tip sliding with u_T < 0. For r_T = mu r_N,
//     u_N = (1 + 3 c^2 - 3 mu s c) r_N / m + q_N,
// whose factor is negative for mu > (1 + 3 c^2) / (3 s c), at least 4/3.
struct Rod {
  static constexpr double m = 2.0, l = 0.5, kSlip = 20.0;
  double angle = std::atan(2.0), s = std::sin(angle), c = std::cos(angle);  // where 4/3 is reached
  Eigen::Matrix<double, 2, 3> H{{0.0, 1.0, -l* c}, {1.0, 0.0, l* s}};
  Eigen::Vector3d mass{m, m, m* l* l / 3.0};
  Eigen::Matrix2d W = H * mass.cwiseInverse().asDiagonal() * H.transpose();

  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle tip;
  Rod(double mu, double gap, double u_N, double force) {
    body = model.add(LagrangianLinearSystem{
        .mass = mass.asDiagonal(), .force = {0.0, force, 0.0}, .q0 = {0.0, gap, 0.0}, .v0 = {-kSlip, u_N, 0.0}});
    tip = model.link(body, LagrangianLinearRelation{.H = H}, NewtonImpactFrictionLaw{.friction = mu});
  }
};

TEST(PainleveRod, SlidesBelowFourThirdsAndJamsAbove) {
  const Rod any(0.0, 0.0, 0.0, 0.0);
  ASSERT_NEAR((1.0 + 3.0 * any.c * any.c) / (3.0 * any.s * any.c), 4.0 / 3.0, 1e-14);
  for (const double mu : {0.5, 1.2, 1.4, 2.0}) {
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      Rod rod(mu, 0.0, 0.0, -Rod::m * kGravity);
      TimeStepping run(rod.model, moreau_jean(h));
      const auto report = run.step();
      ASSERT_TRUE(report) << report.message();
      const Eigen::Vector2d p = run.state().impulse(rod.tip), u = run.state().u(rod.tip);
      const Eigen::Vector2d q = rod.H * Eigen::Vector3d(-Rod::kSlip, -kGravity * h, 0.0);
      if (mu < 4.0 / 3.0) {  // a force: p_N is the weight over the factor, of order h
        const double factor = rod.W(0, 0) + mu * rod.W(0, 1);
        EXPECT_NEAR(p[0], kGravity * h / factor, 1e-8);
        EXPECT_NEAR(p[1], mu * p[0], 1e-8);
        EXPECT_LT(u[1], 0.0);
      } else {  // an impact without collision: the tip stops at once, by an impulse that does not vanish with h
        const Eigen::Vector2d stick = -rod.W.inverse() * q;
        EXPECT_NEAR((p - stick).norm(), 0.0, 1e-7) << mu << ' ' << h;
        EXPECT_GT(p[0], 0.1);
        EXPECT_LE(std::abs(p[1]), mu * p[0]);
        EXPECT_NEAR(u.norm(), 0.0, 1e-7);
      }
    }
  }
}

TEST(PainleveRod, WithSeveralAnswersOneOfThemIsFound) {
  // Pulled off the floor by less than a jam holds: take-off, sliding on and sticking all solve the step. Which one is
  // found is not for the test to say, but that it is one of the three, certified.
  const double mu = 2.0, h = 1e-2;
  Rod rod(mu, -1e-2, 0.0, 5.0);  // closed by 10 mm, so that the contact is in the problem
  TimeStepping run(rod.model, moreau_jean(h));
  const auto report = run.step();
  ASSERT_TRUE(report) << report.message();
  const Eigen::Vector2d q = rod.H * Eigen::Vector3d(-Rod::kSlip, 2.5 * h, 0.0);
  ASSERT_GT(q[0], 0.0);
  const double sliding = -q[0] / (rod.W(0, 0) + mu * rod.W(0, 1));
  const Eigen::Vector2d stick = -rod.W.inverse() * q, slide{sliding, mu * sliding};
  ASSERT_GT(sliding, 0.0);
  ASSERT_LT((rod.W * slide + q)[1], 0.0);
  ASSERT_GT(stick[0], 0.0);
  ASSERT_LE(std::abs(stick[1]), mu * stick[0]);
  const Eigen::Vector2d p = run.state().impulse(rod.tip);
  EXPECT_LT(std::min({p.norm(), (p - slide).norm(), (p - stick).norm()}), 1e-7) << p.transpose();
  EXPECT_LE(report.certificate.residual, 1e-7);
}

/// A unit mass falls along -y into a wedge of two frictionless walls, `half` from the vertical each, e = 1, `offset` to
/// the right of its bottom: velocity after all impacts.
Eigen::Vector2d out_of_corner(double half, double offset) {
  const Eigen::Vector2d left{std::cos(half), std::sin(half)}, right{-std::cos(half), std::sin(half)};
  NonSmoothDynamicalSystem model;
  const auto point = model.add(
      LagrangianLinearSystem{.mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(), .q0 = {offset, 0.3}, .v0 = {0.0, -1.0}});
  for (const Eigen::Vector2d& normal : {left, right})
    model.link(point, LagrangianLinearRelation{.H = normal.transpose()}, NewtonImpactLaw{1.0});
  TimeStepping run(model, moreau_jean(1e-4));
  EXPECT_TRUE(run.advance_to(0.9));
  EXPECT_GT(run.state().outputs.minCoeff(), 0.0);  // on its way out
  return run.state().v(point);
}

TEST(Corner, TheAnswerDependsOnWhichWallComesFirst) {
  const double half = kPi / 5.0;  // 72 degrees: no pi / n
  const Eigen::Vector2d normals[] = {{std::cos(half), std::sin(half)}, {-std::cos(half), std::sin(half)}};
  const auto reflected = [&](std::size_t wall) {
    Eigen::Vector2d v{0.0, -1.0};
    for (; normals[0].dot(v) < 0.0 || normals[1].dot(v) < 0.0; wall = 1 - wall)
      v -= 2.0 * std::min(normals[wall].dot(v), 0.0) * normals[wall];
    return v;
  };
  ASSERT_GT((reflected(0) - reflected(1)).norm(), 0.1);  // mirror images of each other, discontinuous in the data
  EXPECT_NEAR((out_of_corner(half, -0.01) - reflected(0)).norm(), 0.0, 1e-8);
  EXPECT_NEAR((out_of_corner(half, 0.01) - reflected(1)).norm(), 0.0, 1e-8);
  // Both at once, Moreau's answer: u+ = -u- in both rows, straight back.
  EXPECT_NEAR((out_of_corner(half, 0.0) - Eigen::Vector2d(0.0, 1.0)).norm(), 0.0, 1e-8);
}

TEST(Corner, OfAnAngleThatDividesPiHasOneAnswer) {
  // 60 degrees: three reflections in either order are the same map, the answer is continuous.
  const Eigen::Vector2d a = out_of_corner(kPi / 6.0, -0.01), b = out_of_corner(kPi / 6.0, 0.01);
  EXPECT_NEAR((a - b).norm(), 0.0, 1e-8);
  EXPECT_NEAR((out_of_corner(kPi / 6.0, 0.0) - a).norm(), 0.0, 1e-8);
}

TEST(Percussion, ARestingBlockHasForcesOnly) {
  // From the first step on; with friction the tangential force too.
  const double m = 3.0, angle = 0.2, h = 1e-2;
  NonSmoothDynamicalSystem model;
  const auto block =
      model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(m, m).asDiagonal(),
                                       .force = {m * kGravity * std::sin(angle), -m * kGravity * std::cos(angle)},
                                       .q0 = {0.0, 0.0}});
  const auto contact = model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
                                  NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.6});
  TimeStepping run(model, moreau_jean(h));
  EXPECT_EQ(run.state().force(contact).norm(), 0.0);  // before the first step
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(run.step());
    EXPECT_EQ(run.state().percussion(contact).norm(), 0.0);
    EXPECT_NEAR(run.state().force(contact)[0], m * kGravity * std::cos(angle), 1e-6);
    EXPECT_NEAR(run.state().force(contact)[1], -m * kGravity * std::sin(angle), 1e-6);
  }
}

TEST(Percussion, ABouncingBallHasPercussionsAndThenAForce) {
  const double e = 0.5, h = 1e-3;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(2.0, -2.0 * kGravity, 1.0, 0.0));
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e});
  TimeStepping run(model, moreau_jean(h));
  double before = 0.0, last = 0.0;
  int impacts = 0;
  ASSERT_TRUE(run.advance_to(2.0, [&](const State& state) {  // comes to rest at 1.355 s
    const double p = state.impulse(floor)[0], percussion = state.percussion(floor)[0], v = state.v(ball)[0];
    EXPECT_NEAR(state.force(floor)[0], (p - percussion) / h, 1e-9);
    if (p > 0.0 && last == 0.0) {
      ++impacts;
      EXPECT_EQ(percussion, p);
      EXPECT_NEAR(p, 2.0 * ((1.0 + e) * -before + kGravity * h), 1e-8);
    } else {
      EXPECT_EQ(percussion, 0.0);
    }
    if (state.t > 1.4) {
      EXPECT_NEAR(state.force(floor)[0], 2.0 * kGravity, 1e-6);
    }
    before = v;
    last = p;
  }));
  EXPECT_GE(impacts, 7);
}

TEST(Percussion, IsWrittenDownForItsStepOnly) {
  // One blow, then nothing: impulse, percussion and force of later steps are zero again.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, 0.0, 0.005, -1.0));
  const auto wall = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{1.0});
  TimeStepping run(model, moreau_jean(0.01));
  ASSERT_TRUE(run.step());
  EXPECT_NEAR(run.state().percussion(wall)[0], 2.0, 1e-9);
  EXPECT_EQ(run.state().force(wall)[0], 0.0);
  ASSERT_TRUE(run.step());
  EXPECT_EQ(run.state().percussion(wall)[0], 0.0);
  EXPECT_EQ(run.state().impulse(wall)[0], 0.0);
}

}  // namespace
}  // namespace nonsmooth::mechanics_failures_test
