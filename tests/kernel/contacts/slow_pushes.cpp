// SPDX-License-Identifier: Apache-2.0
// What stands under a load that grows slowly: residuals of the solver do not add up until a corner is let go.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::slow_pushes_test {
namespace {

constexpr double kStep = 5e-3, kGravity = 9.81, kFriction = 0.5, kHalf = 0.1, kRate = 0.02;

/// A cube of 1 kg on a plane, pushed at its centre by kRate t, or at its upper edge: by 2 N after 100 s, where friction
/// holds 4.9 N, and so does its weight the lower edge.
/// `moves`: by how much a scheme moves what rests where its accelerations change by that of the push.
void expect_to_stand(bool at_the_top, const TimeSteppingOptions& options, double moves = 0.0) {
  NonSmoothDynamicalSystem model;
  const double arm = at_the_top ? kHalf : 0.0;
  const SystemHandle cube =
      model.add(RigidBody{.mass = 1.0,
                          .inertia = MassProperties::of_mass(Box{Eigen::Vector3d::Constant(kHalf)}, 1.0).inertia,
                          .position = {0.0, 0.0, kHalf},
                          .gravity = {0.0, 0.0, -kGravity},
                          .loads = {GivenLoad{.load = [arm](double t, ConstVectorRef, ConstVectorRef, VectorRef load) {
                            load[0] = kRate * t;
                            load[4] = arm * kRate * t;
                          }}}});
  model.detect(BodyContacts({{cube, {{.shape = Box{Eigen::Vector3d::Constant(kHalf)}}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3}));
  TimeStepping simulation(model, options);
  double fastest = 0.0;
  const RunReport report = simulation.advance_to(
      100.0, [&](const State& state) { fastest = std::max(fastest, state.v(cube).lpNorm<Eigen::Infinity>()); });
  ASSERT_TRUE(report) << report.message();
  // A residual is 1e-10 of |q| = g h, in a row whose W is of order 1 / m; turns have it over an arm of 0.1 m, and four
  // corners share it. A corner that is let go makes it 0.1 rad/s.
  const double residual = 1e-10 * kGravity * kStep;
  EXPECT_LE(fastest, 100.0 * residual);
  // In 20 000 steps of it, beside what the scheme moves.
  EXPECT_LE((simulation.state().q(cube).head<3>() - Eigen::Vector3d(0.0, 0.0, kHalf)).norm(),
            100.0 * 20'000 * kStep * residual + moves);
}

TEST(SlowPushes, ACubeStandsByItself) {
  for (const bool at_the_top : {false, true}) expect_to_stand(at_the_top, {.step = kStep});
}

TEST(SlowPushes, ACubeStandsBesideAProjection) {
  for (const bool at_the_top : {false, true})
    expect_to_stand(at_the_top, {.step = kStep, .projection = {.kind = Projection::All}});
}

/// The method moves what rests by h^2 |gamma / 2 - beta| times what its accelerations of forces change,
/// |gamma / 2 - beta| = ((1 - rho) / (1 + rho))^2 / 4: each corner is lifted or sunk by a thousand times the residuals.
TEST(SlowPushes, ACubeStandsUnderGeneralisedAlpha) {
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    const double weight = 0.25 * std::pow((1.0 - rho) / (1.0 + rho), 2.0), change = kRate * 100.0;
    for (const bool at_the_top : {false, true})
      expect_to_stand(at_the_top, {.integrator = GeneralisedAlpha{.rho = rho}, .step = kStep},
                      kStep * kStep * weight * change);
  }
}

/// A crane takes up to 9/10 of a cube's weight, while 0.4 N push it: friction holds 0.49 N at the end, and all of it is
/// lifted by h^2 |gamma / 2 - beta| 0.9 g, of what it would fall in a step without the floor 9 |gamma / 2 - beta|.
TEST(SlowPushes, ACubeThatIsNearlyLiftedStandsUnderGeneralisedAlpha) {
  NonSmoothDynamicalSystem model;
  const SystemHandle cube =
      model.add(RigidBody{.mass = 1.0,
                          .inertia = MassProperties::of_mass(Box{Eigen::Vector3d::Constant(kHalf)}, 1.0).inertia,
                          .position = {0.0, 0.0, kHalf},
                          .gravity = {0.0, 0.0, -kGravity},
                          .loads = {GivenLoad{.load = [](double t, ConstVectorRef, ConstVectorRef, VectorRef load) {
                            load[0] = 0.4;
                            load[2] = 0.9 * kGravity * std::min(t, 1.0);
                          }}}});
  model.detect(BodyContacts({{cube, {{.shape = Box{Eigen::Vector3d::Constant(kHalf)}}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3}));
  TimeStepping simulation(model, {.integrator = GeneralisedAlpha{}, .step = kStep});
  double fastest = 0.0;
  const RunReport report = simulation.advance_to(
      2.0, [&](const State& state) { fastest = std::max(fastest, state.v(cube).lpNorm<Eigen::Infinity>()); });
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE(fastest, 100.0 * 1e-10 * kGravity * kStep);
}

/// What a body of 1 kg weighs: e^-t - left [N], left = 0 or so little that it lifts the body at t = -ln left.
double weight_at(double t, double left) { return std::exp(-t) - left; }

/// A body of one unknown above a floor; a ball on a plane that a relation measures by its turns; a ball and a cube
/// whose contacts are found. All from rest there, or along it and turning about its normal.
enum class Weighed { Linear, LinkedBall, FoundBall, FoundCube };
constexpr std::array kWeighed = {Weighed::Linear, Weighed::LinkedBall, Weighed::FoundBall, Weighed::FoundCube};

struct WeighedBody {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  std::optional<InteractionHandle> floor;

  /// `scale`: of the units of length and mass, in which all numbers are given. `spin` [rad/s].
  struct Scale {
    double length = 1.0, mass = 1.0;
  };
  WeighedBody(Weighed kind, double left, double speed = 0.0, double spin = 0.0, Scale scale = {1.0, 1.0}) {
    const NewtonImpactLaw law{.restitution = 0.0};
    if (kind == Weighed::Linear) {
      body = model.add(
          LagrangianLinearSystem{.mass = {{1.0}},
                                 .force = [left](double t, VectorRef force) { force[0] = -weight_at(t, left); },
                                 .q0 = {0.0}});
      floor = model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {0.0}}, law);
      return;
    }
    const double half = kHalf * scale.length, force = scale.mass * scale.length;
    body = model.add(
        RigidBody{.mass = scale.mass,
                  .inertia = 0.4 * scale.mass * half * half * Eigen::Matrix3d::Identity(),
                  .position = {0.0, 0.0, half},
                  .velocity = {speed * scale.length, 0.0, 0.0},
                  .angular_velocity = {0.0, 0.0, spin},
                  .loads = {GivenLoad{.load = [left, force](double t, ConstVectorRef, ConstVectorRef, VectorRef load) {
                    load[2] = -force * weight_at(t, left);
                  }}}});
    const Shape shape = kind == Weighed::FoundCube ? Shape(Box{Eigen::Vector3d::Constant(half)}) : Shape(Sphere{half});
    if (kind == Weighed::LinkedBall)
      floor = model.link(body, SphereOnHalfSpace{.sphere = {.radius = half}}, law);
    else
      model.detect(BodyContacts({{body, {{.shape = shape}}}}, {{.shape = HalfSpace{}}}, law));
  }

  [[nodiscard]] double impulse(const State& state) const {
    if (floor) return state.impulse(*floor)[0];
    double sum = 0.0;
    for (const ContactMemory& contact : state.contacts) sum += contact.impulse[0];
    return sum;
  }
  [[nodiscard]] double height(const State& state) const {
    return state.q(body).size() == 1 ? state.q(body)[0] : state.q(body)[2] - kHalf;
  }
  [[nodiscard]] double speed(const State& state) const {
    return state.v(body).size() == 1 ? state.v(body)[0] : state.v(body)[2];
  }
};

/// The weight falls by thirteen decades. The floor carries it in each step: its impulse is h (1 - gamma) A_k + h gamma
/// A_{k+1} of A_k = w(t_k + (alpha_m - alpha_f) h) to second order, that is h w within a step or two of t: to 4 h of
/// itself. The body is lifted by h^2 |gamma / 2 - beta| times what its weight lost, 1 N, and by residuals.
void expect_to_carry(Weighed kind, double speed, double spin) {
  constexpr double step = 1e-2;
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    const WeighedBody given(kind, 0.0, speed, spin);
    const double factor = 0.25 * std::pow((1.0 - rho) / (1.0 + rho), 2.0);
    TimeStepping simulation(given.model, {.integrator = GeneralisedAlpha{.rho = rho}, .step = step});
    double worst = 0.0, highest = 0.0;
    const RunReport report = simulation.advance_to(30.0, [&](const State& state) {
      worst = std::max(worst, std::abs(given.impulse(state) / (step * weight_at(state.t, 0.0)) - 1.0));
      highest = std::max(highest, given.height(state));
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_LE(worst, 4.0 * step) << "rho " << rho << ", kind " << static_cast<int>(kind);
    EXPECT_LE(highest, step * step * factor * (1.0 + 4.0 * step) + 1e-15)
        << "rho " << rho << ", kind " << static_cast<int>(kind);
  }
}

TEST(SlowPushes, ABodyStandsUnderAWeightThatFallsAsAnExponential) {
  for (const Weighed kind : kWeighed) expect_to_carry(kind, 0.0, 0.0);
}

/// Rows of a body that moves turn with it, and those of a cube's corners by all of their angular part.
TEST(SlowPushes, ABodyThatMovesIsCarriedUnderAWeightThatFallsAsAnExponential) {
  for (const Weighed kind : kWeighed) {
    if (kind != Weighed::Linear) expect_to_carry(kind, 0.5, 2.0);
  }
}

/// A cube that turns about the floor's normal, slower or faster than what its load makes of v in a step as numbers go,
/// is carried in the same steps whatever the units of length and mass.
TEST(SlowPushes, ABodyIsCarriedInTheSameStepsInAllUnits) {
  constexpr double step = 1e-2;
  const auto carried = [](WeighedBody::Scale scale, double spin) {
    const WeighedBody given(Weighed::FoundCube, 1e-4, 0.0, spin, scale);
    TimeStepping simulation(given.model, {.integrator = GeneralisedAlpha{}, .step = step});
    std::vector<bool> presses;
    const RunReport report =
        simulation.advance_to(12.0, [&](const State& state) { presses.push_back(given.impulse(state) > 0.0); });
    EXPECT_TRUE(report) << report.message();
    return presses;
  };
  for (const double spin : {1e-6, 1e-4, 1e-2, 1.0}) {
    const std::vector<bool> wanted = carried({}, spin);
    for (const double length : {1e-3, 1.0, 1e3}) {
      for (const double mass : {1e-3, 1.0, 1e3})
        EXPECT_EQ(carried({length, mass}, spin), wanted) << length << " " << mass << " " << spin;
    }
  }
}

/// What is left of it draws the body off at t_0 = -ln left: from there v = left (s - 1 + e^-s), s = t - t_0. It may
/// leave three steps late or early, as forces act within a step or two of their time: v is then off by left (h 3 s),
/// beside a part 3 h of it.
TEST(SlowPushes, ABodyLeavesWhereItsWeightIsGone) {
  constexpr double step = 1e-2, left = 1e-6, after = 5.0;
  for (const Weighed kind : kWeighed) {
    for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
      const WeighedBody given(kind, left);
      TimeStepping simulation(given.model, {.integrator = GeneralisedAlpha{.rho = rho}, .step = step});
      double gone = 0.0;  // when it was carried last
      const RunReport report = simulation.advance_to(-std::log(left) + after, [&](const State& state) {
        if (given.impulse(state) > 0.0) gone = state.t;
      });
      ASSERT_TRUE(report) << report.message();
      EXPECT_NEAR(gone, -std::log(left), 3.0 * step) << "rho " << rho << ", kind " << static_cast<int>(kind);
      EXPECT_NEAR(given.speed(simulation.state()), left * (after - 1.0 + std::exp(-after)), left * 3.0 * step * after)
          << "rho " << rho << ", kind " << static_cast<int>(kind);
    }
  }
}

/// A disk of radius kHalf slides at 10 m/s over a ledge of 5 cm, which it passes within a step: what pressed on the
/// upper floor holds nothing of the lower one, on which the disk lies after a fall of 0.101 s.
TEST(SlowPushes, WhatPassesALedgeInAStepFalls) {
  constexpr double kDepth = 0.05, kWidth = 5e-3;
  const FloorProfile floor{
      .height = [](double x) { return -0.5 * kDepth * (1.0 + std::tanh(x / kWidth)); },
      .slope = [](double x) { return -0.5 * kDepth / kWidth / std::pow(std::cosh(x / kWidth), 2); },
      .curvature =
          [](double x) {
            return kDepth / (kWidth * kWidth) * std::tanh(x / kWidth) / std::pow(std::cosh(x / kWidth), 2);
          },
      .highest = 0.0};
  NonSmoothDynamicalSystem model;
  const SystemHandle disk = model.add(PlanarBody{.mass = 1.0,
                                                 .inertia = 0.5 * kHalf * kHalf,
                                                 .position = {-0.25, kHalf},
                                                 .velocity = {10.0, 0.0},
                                                 .gravity = {0.0, -kGravity}});
  model.detect(DiskContacts({disk}, {kHalf}, NewtonImpactFrictionLaw{.friction = 0.0, .dimension = 2}, floor));
  TimeSteppingOptions options{.step = 1e-2};
  options.integrator = GeneralisedAlpha{};
  TimeStepping simulation(model, options);
  const RunReport report = simulation.advance_to(0.3);
  ASSERT_TRUE(report) << report.message();
  // One that is held in the air stays at kHalf. Landing takes up to a step's fall more, h sqrt(2 g kDepth) = 1 cm.
  EXPECT_NEAR(simulation.state().q(disk)[1], kHalf - kDepth, 0.01);
}

}  // namespace
}  // namespace nonsmooth::slow_pushes_test
