// SPDX-License-Identifier: Apache-2.0
// StewartTrinkle against closed forms of its recurrence: what lands stops on the gap, what penetrates is recovered.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <problems/dropped_bodies.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "kernel/fitted_order.hpp"
#include "kernel/scheme_motions.hpp"

namespace nonsmooth::stewart_trinkle_test {
namespace {

using namespace closed_forms;
using bad_input::expect_refused;
using problems::DroppedBodies;

constexpr double kSolved = 1e-9;  ///< of u, in units of it: what the default tolerance leaves of a problem

TimeSteppingOptions stewart_trinkle(double h, const StewartTrinkle& scheme = {}) {
  return {.integrator = scheme, .step = h};
}

TEST(StewartTrinkle, WhatIsDroppedStopsOnTheFloor) {
  // v_k = -g h k, q_k = q_0 - g h^2 k (k+1) / 2 as long as that is positive; the step that would end below ends at q =
  // 0 with v = -q_k / h, the next one stops it, and p = m g h from there. What the solver leaves of u is h times that
  // in q.
  const double g = kGravity, h = 5e-3, m = 2.0, height = 0.3;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(m, -m * g, height, 0.0));
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  TimeStepping run(model, stewart_trinkle(h));
  double q = height, v = 0.0;
  for (int k = 1; k <= 100; ++k) {
    const double before = v;
    v = std::max(v - g * h, -q / h);
    q += h * v;
    ASSERT_TRUE(run.step());
    ASSERT_NEAR(run.state().v(ball)[0], v, 100.0 * kSolved * g * h) << k;
    ASSERT_NEAR(run.state().q(ball)[0], q, 100.0 * kSolved * g * h * h) << k;
    ASSERT_NEAR(run.state().impulse(floor)[0], m * (v - before + g * h), 200.0 * kSolved * m * g * h) << k;
  }
  EXPECT_NEAR(run.state().impulse(floor)[0], m * g * h, 200.0 * kSolved * m * g * h);
}

TEST(StewartTrinkle, BouncesWithNewtonsSpeeds) {
  // The step that would close the gap at u_k gives u+ = -e u_k, from where the ball is: it never enters, and loses the
  // energy of u. Solved to kSolved of speeds of 5 m/s.
  const double e = 0.8, h = 2e-3;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, -kGravity, 1.0, 0.0));
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e});
  TimeStepping run(model, stewart_trinkle(h));
  int bounces = 0;
  while (run.state().t < 1.5) {
    const double before = run.state().v(ball)[0];
    ASSERT_TRUE(run.step());
    const double after = run.state().v(ball)[0];
    ASSERT_GE(run.state().q(ball)[0], -5.0 * kSolved * h);
    if (after < 0.0) continue;
    if (before < 0.0) {
      ++bounces;
      EXPECT_NEAR(after, -e * before, 5.0 * kSolved);
    }
  }
  EXPECT_EQ(bounces, 2);  // at 0.45 s and 1.17 s
}

TEST(StewartTrinkle, IsOfOrderOneThroughBounces) {
  // The motion after two bounces, at 1.5 s: positions that stop short of a bounce by up to h |u|, and the first order
  // of the free flight. The part of a step at which a bounce falls is at random, so that the slope is that of many.
  const double order =
      fitted_order(4e-3, 7, [](double h) { return scheme_motions::error_after_two_bounces(stewart_trinkle(h)); });
  EXPECT_NEAR(order, 1.0, 0.3);
}

TEST(StewartTrinkle, ABoxSlidesAndStops) {
  // Coulomb: v_k = v_0 - mu g h k while positive, then rest; q_k = h sum v. Normal rows at y = 0.
  const double mu = 0.4, h = 1e-2, v0 = 1.0, stop = v0 / (mu * kGravity);
  NonSmoothDynamicalSystem model;
  const auto box = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(3.0, 3.0).asDiagonal(),
                                                    .force = {0.0, -3.0 * kGravity},
                                                    .q0 = {0.0, 0.0},
                                                    .v0 = {v0, 0.0}});
  model.link(box, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}}, NewtonImpactFrictionLaw{.friction = mu});
  TimeStepping run(model, stewart_trinkle(h));
  double q = 0.0;
  for (int k = 1; k * h < 2.0 * stop; ++k) {
    ASSERT_TRUE(run.step());
    const double v = std::max(v0 - mu * kGravity * h * k, 0.0);
    q += h * v;
    ASSERT_NEAR(run.state().v(box)[0], v, 100.0 * kSolved) << k;
    ASSERT_NEAR(run.state().q(box)[0], q, 100.0 * kSolved * h * k) << k;
    ASSERT_NEAR(run.state().q(box)[1], 0.0, 100.0 * kSolved * h) << k;
  }
}

TEST(StewartTrinkle, AStackFallsTogetherWithoutEntering) {
  // Three masses over a floor, with gaps; at rest the contacts carry what is above them.
  const double h = 1e-2, m[3] = {1.0, 2.0, 3.0};
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> boxes;
  std::vector<InteractionHandle> contacts;
  for (int i = 0; i < 3; ++i) {
    boxes.push_back(model.add(mass_point(m[i], -m[i] * kGravity, 0.05 + 0.11 * i, 0.0)));
    contacts.push_back(i == 0
                           ? model.link(boxes[0], LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{})
                           : model.link({boxes[static_cast<std::size_t>(i) - 1], boxes.back()},
                                        LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-0.1}}, NewtonImpactLaw{}));
  }
  TimeStepping run(model, stewart_trinkle(h));
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(run.step());
    for (const auto contact : contacts) ASSERT_GE(run.state().y(contact)[0], -10.0 * kSolved * h) << k;
  }
  double above = 0.0;
  for (int i = 2; i >= 0; --i) {
    above += m[i];
    EXPECT_NEAR(run.state().force(contacts[static_cast<std::size_t>(i)])[0], above * kGravity, 1e-6);
  }
}

TEST(StewartTrinkle, RecoversADepthByItsPart) {
  // Without gravity: from q = -d the first step gives v = recovery d / h, and no later one anything, as that is more
  // than the depth that is left asks for. The energy is m v^2 / 2.
  const double d = 1e-3, h = 1e-2;
  for (const double recovery : {0.0, 0.2, 1.0}) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(mass_point(2.0, 0.0, -d, 0.0));
    const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
    TimeStepping run(model, stewart_trinkle(h, {.recovery = recovery}));
    for (int k = 1; k <= 10; ++k) {
      ASSERT_TRUE(run.step());
      ASSERT_NEAR(run.state().v(ball)[0], recovery * d / h, kSolved * d / h) << k;
      ASSERT_NEAR(run.state().q(ball)[0], d * (recovery * k - 1.0), kSolved * d * k) << k;
      ASSERT_NEAR(run.state().impulse(floor)[0], k == 1 ? 2.0 * recovery * d / h : 0.0, 2.0 * kSolved * d / h) << k;
    }
  }
}

TEST(StewartTrinkle, WhatTheSolverLeavesAddsUpToOneStepsOverRecovery) {
  // Depths of a tower, loosely solved. An orthant's natural map min(W_ii p, u_N + s) with an error e has u_N + s >= -e:
  // with s = recovery y / h a linear row goes from y_k < 0 to y_{k+1} = y_k + h u_N >= (1 - recovery) y_k - h e, from
  // y_k >= 0 to -h e. So depths end below h e / recovery, and what was there at the start has fallen by (1 - recovery)
  // to the power of the steps. Rounding of positions of 2 m and of what some thousand sweeps add.
  constexpr int count = 20, steps = 60;
  constexpr double h = 1e-2, start = 1e-3, rounding = 1e-13;
  for (const double recovery : {0.2, 0.5, 1.0}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> boxes;
    std::vector<InteractionHandle> contacts;
    for (int i = 0; i < count; ++i) {
      boxes.push_back(model.add(mass_point(1.0, -kGravity, 0.1 * i - start * (i + 1), 0.0)));
      const auto below = LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-0.1}};
      contacts.push_back(
          i == 0 ? model.link(boxes[0], LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{})
                 : model.link({boxes[static_cast<std::size_t>(i) - 1], boxes.back()}, below, NewtonImpactLaw{}));
    }
    TimeSteppingOptions options = stewart_trinkle(h, {.recovery = recovery});
    options.solver = mixed::GaussSeidel{.tolerance = 1e-2};
    options.examination = Examination::Off;
    TimeStepping run(model, options);
    double deepest = start, worst = 0.0;
    for (int k = 0; k < steps; ++k) {
      const StepReport report = run.step();
      ASSERT_TRUE(report) << report.message();
      const double one_step = h * report.certificate.error;
      double now = 0.0;
      for (const auto contact : contacts) now = std::max(now, -run.state().y(contact)[0]);
      ASSERT_LE(now, (1.0 - recovery) * deepest + one_step + rounding) << recovery << ", step " << k;
      deepest = now;
      worst = std::max(worst, one_step);
    }
    EXPECT_LE(deepest, std::pow(1.0 - recovery, steps) * start + worst / recovery + rounding) << recovery;
  }
}

TEST(StewartTrinkle, AJointKeepsWhatOneStepTurns) {
  // A point on a circle, h(q) = (|q|^2 - 1) / 2 with H = q^T: y_{k+1} = y_k + h H v + h^2 |v|^2 / 2 and H v =
  // -recovery y_k / h give y_{k+1} = (1 - recovery) y_k + h^2 |v|^2 / 2, to the solver's residual and rounding.
  const double h = 1e-2;
  for (const double recovery : {0.2, 1.0}) {
    NonSmoothDynamicalSystem model;
    const auto bob = model.add(LagrangianLinearSystem{
        .mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(), .force = {0.0, -kGravity}, .q0 = {1.0, 0.0}});
    ScleronomousRelation circle;
    circle.rows = 1;
    circle.h = [](ConstVectorRef q, VectorRef y) { y[0] = 0.5 * (q.squaredNorm() - 1.0); };
    circle.H = [](ConstVectorRef q, MatrixRef H) { H = q.transpose(); };
    const auto joint = model.link(bob, circle, EqualityLaw{});
    TimeStepping run(model, stewart_trinkle(h, {.recovery = recovery}));
    double before = 0.0, worst = 0.0;
    for (int k = 0; k < 300; ++k) {
      ASSERT_TRUE(run.step());
      const double y = run.state().y(joint)[0], v = run.state().v(bob).norm();
      ASSERT_NEAR(y, (1.0 - recovery) * before + 0.5 * h * h * v * v, h * 10.0 * kSolved) << k;
      before = y;
      worst = std::max(worst, y);
    }
    EXPECT_GE(worst, 0.2 * h * h * kGravity / recovery);  // |v|^2 gets near 2 g
  }
}

struct Pile {
  problems::DroppedModel scene;
  TimeSteppingOptions options;

  explicit Pile(Index count, DroppedBodies::Kind kind = DroppedBodies::Kind::Spheres, double tolerance = 1e-6)
      : scene(problems::dropped_model(
            {.kind = kind, .count = count, .columns = DroppedBodies::columns_of_sixteen_layers(count)})),
        options(stewart_trinkle(1.0 / 240.0)) {
    options.solver = mixed::Automatic{.tolerance = tolerance};
  }
  [[nodiscard]] double deepest(const State& state) const {
    double result = 0.0;
    for (const Interpenetration& pair : interpenetrations(state, *scene.contacts))
      result = std::max(result, pair.depth);
    return result;
  }
};

/// The bits of a pile after 72 steps. Kinetic and potential energy fall but for 1e-6 of what there is, some 50 J at
/// first.
std::uint64_t bits_of_pile(const AnySolver& solver, int threads) {
  Pile pile(64);
  pile.options.solver = solver;
  pile.options.threads = threads;
  TimeStepping run(pile.scene.model, pile.options);
  const double m = problems::DroppedBodies{}.mass(), I = 0.4 * m * DroppedBodies::radius * DroppedBodies::radius;
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 72; ++k) {
    EXPECT_TRUE(run.step()) << k;
    double energy = 0.0;
    for (const SystemHandle body : pile.scene.bodies) {
      const auto v = run.state().v(body);
      energy += 0.5 * m * v.head<3>().squaredNorm() + 0.5 * I * v.tail<3>().squaredNorm() +
                m * DroppedBodies::gravity * run.state().q(body)[2];
    }
    EXPECT_LE(energy, before + 5e-5) << k;
    before = energy;
  }
  return hash_of(run.state());
}

TEST(StewartTrinkle, APileGainsNoEnergyAndHasTheSameBitsOnAnyNumberOfThreads) {
  for (const AnySolver& solver : {AnySolver(mixed::Automatic{.tolerance = 1e-6}),
                                  AnySolver(friction::GaussSeidel{.tolerance = 1e-6, .conjugate = true})}) {
    const std::uint64_t expected = bits_of_pile(solver, 1);
    for (const int threads : {2, 4}) EXPECT_EQ(bits_of_pile(solver, threads), expected) << threads << " threads";
  }
}

TEST(StewartTrinkle, BodiesThatTurnEnterBySecondOrder) {
  // h^2 / 2 w^2 r of both bodies a step, r = 49.5 mm to the corners; recovery leaves of a depth 1 - 0.2 a step, so that
  // depths add up to five times that at most, and w is that of the fastest body so far.
  Pile pile(27, DroppedBodies::Kind::Boxes);
  pile.options.newton.max_iterations = 1;
  TimeStepping run(pile.scene.model, pile.options);
  const double h = pile.options.step, r = DroppedBodies::half_extents.norm();
  double fastest = 0.0, deepest = 0.0;
  for (int k = 0; k < 120; ++k) {
    ASSERT_TRUE(run.step());
    for (const SystemHandle body : pile.scene.bodies) fastest = std::max(fastest, run.state().v(body).tail<3>().norm());
    deepest = std::max(deepest, pile.deepest(run.state()));
    ASSERT_LE(deepest, 5.0 * h * h * fastest * fastest * r) << k;
  }
  EXPECT_GE(fastest, 5.0);
}

/// Three balls of radius 0.1 m in a row, the first one flying at the second; gaps of 4 mm and of 6 mm.
struct Row {
  NonSmoothDynamicalSystem model;
  std::shared_ptr<const BodyContacts> contacts;

  Row() {
    std::vector<BodyShapes> shapes;
    for (const double x : {0.0, 0.204, 0.41}) {
      RigidBody ball;
      ball.position = {x, 0.0, 0.0};
      if (x == 0.0) ball.velocity = {2.0, 0.0, 0.0};
      ShapeOnBody shape;
      shape.shape = Sphere{0.1};
      shapes.push_back({model.add(ball), {shape}});
    }
    contacts =
        std::make_shared<const BodyContacts>(shapes, std::vector<ShapeOnBody>{}, NewtonImpactLaw{.restitution = 1.0});
    model.detect(contacts);
  }
};

TEST(StewartTrinkle, WhatIsPushedIsStoppedWithinReachOrRecovered) {
  // h = 10 ms: the first ball stops and the second takes its 2 m/s, 20 mm in this step. Within reach it is stopped on
  // the third: y_k + h u = 0 for a contact that did not approach. Beyond, it enters by h u - y = 14 mm, which
  // Projection::Combined finds, to solve the step with the third's gap at its start. By either way v_B = v_A + 2 m/s,
  // v_C = v_B - 6 mm / h, and together they keep 2 m/s: v_A = (2 - 2 - 1.4) / 3. Solved to kSolved of 2 m/s in each
  // of two rows, whose inverse is of norm 1 at most on velocities.
  const double first = -1.4 / 3.0;
  for (const bool reaches : {false, true}) {
    for (const bool combined : {false, true}) {
      Row row;
      TimeSteppingOptions options = stewart_trinkle(1e-2, {.reach = reaches ? 2.0 : 0.0});
      if (combined) options.projection = {.kind = Projection::Combined, .unilateral_tolerance = 1e-9};
      TimeStepping run(row.model, options);
      ASSERT_TRUE(run.step());
      double deepest = 0.0;
      for (const Interpenetration& pair : interpenetrations(run.state(), *row.contacts))
        deepest = std::max(deepest, pair.depth);
      EXPECT_NEAR(deepest, reaches || combined ? 0.0 : 14e-3, 1e-8) << reaches << combined;
      const auto velocity = [&](std::size_t ball) { return run.state().v(row.contacts->bodies()[ball])[0]; };
      const double expected[3] = {first, first + 2.0, first + 1.4}, beyond[3] = {0.0, 2.0, 0.0};
      double energy = 0.0;  // of masses of 1 kg, at first 2 J
      for (std::size_t ball = 0; ball < 3; ++ball) {
        energy += 0.5 * velocity(ball) * velocity(ball);
        EXPECT_NEAR(velocity(ball), (reaches || combined ? expected : beyond)[ball], 4.0 * kSolved)
            << reaches << combined;
      }
      EXPECT_LE(energy, 2.0 + 8.0 * kSolved);
    }
  }
}

TEST(StewartTrinkle, RefusesLawsThatAreNotAboutAGapThatCloses) {
  const auto refused = [](const Law& law, const char* part) {
    NonSmoothDynamicalSystem model;
    const auto body =
        model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(), .q0 = {0.0, 1.0}});
    const bool planar = law.pointer()->shape({}).size == 2;
    model.link(
        body,
        planar ? LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}} : LagrangianLinearRelation{.H = {{0.0, 1.0}}},
        law, "floor");
    expect_refused([&] { TimeStepping(model, stewart_trinkle(0.1)); }, {"StewartTrinkle", "floor", part, "MoreauJean"});
  };
  refused(PoissonImpactLaw{.restitution = 0.5, .dimension = 1}, "solved by itself");
  refused(NewtonImpactFrictionLaw{.friction = 0.3, .cohesion = 1.0}, "cohesion");
  refused(CohesiveZoneLaw{}, "decides when it acts");
}

TEST(StewartTrinkle, RefusesAMatrixOfRestitution) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, 0.0, 0.0, 0.0));
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "floor");
  model.add(GeneralisedNewtonImpact{.contacts = {floor}, .restitution = Eigen::MatrixXd::Constant(1, 1, 0.5)});
  expect_refused([&] { TimeStepping(model, stewart_trinkle(0.1)); },
                 {"StewartTrinkle", "GeneralisedNewtonImpact on floor", "MoreauJean"});
}

TEST(StewartTrinkle, RefusesSourcesOfBodiesAtOtherLevels) {
  Row row;
  TimeSteppingOptions options = stewart_trinkle(1e-2);
  options.integrators = {{row.contacts->bodies()[1], MoreauJean{}}};
  expect_refused([&] { TimeStepping(row.model, options); }, {"StewartTrinkle", "MoreauJean", "one level"});
}

TEST(StewartTrinkle, RefusesFirstOrderSystems) {
  NonSmoothDynamicalSystem model;
  model.add(bad_input::capacitor());
  expect_refused([&] { TimeStepping(model, stewart_trinkle(0.1)); }, {"StewartTrinkle", "EulerMoreau"});
}

TEST(StewartTrinkle, RefusesParametersOutOfRange) {
  NonSmoothDynamicalSystem model;
  model.add(bad_input::ball());
  const auto refused = [&](const StewartTrinkle& scheme, const char* argument) {
    expect_refused([&] { TimeStepping(model, stewart_trinkle(0.1, scheme)); }, {argument});
  };
  refused({.theta = 1.5}, "StewartTrinkle::theta");
  refused({.recovery = -0.1}, "StewartTrinkle::recovery");
  refused({.reach = bad_input::kNaN}, "StewartTrinkle::reach");
}

}  // namespace
}  // namespace nonsmooth::stewart_trinkle_test
