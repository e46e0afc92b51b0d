// SPDX-License-Identifier: Apache-2.0
// Friction in space, friction that holds more than it brakes, and bonds that break.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"
#include "kernel/mechanics_orders.hpp"

namespace nonsmooth::mechanics_friction_test {
namespace {

using namespace closed_forms;
using namespace mechanics;

struct Sphere {
  static constexpr double m = 2.0, R = 0.1, mu = 0.25, v0 = 1.4;
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle contact;

  /// Coordinates (x, y, z, rotations about them), thrown along `angle` without spin; solid: inertia 2/5 m R^2.
  explicit Sphere(double angle) {
    const double I = 0.4 * m * R * R;
    Eigen::VectorXd mass(6), v = Eigen::VectorXd::Zero(6);
    mass << m, m, m, I, I, I;
    v.head<2>() << v0 * std::cos(angle), v0 * std::sin(angle);
    body = model.add(LagrangianLinearSystem{.mass = mass.asDiagonal(),
                                            .force = {0.0, 0.0, -m * kGravity, 0.0, 0.0, 0.0},
                                            .q0 = Eigen::VectorXd::Zero(6),
                                            .v0 = v});
    contact = model.link(
        body,
        LagrangianLinearRelation{
            .H = {{0.0, 0.0, 1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0, -R, 0.0}, {0.0, 1.0, 0.0, R, 0.0, 0.0}}},
        NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
  }
};

TEST(FrictionInSpace, ASphereSlidesThenRolls) {
  // Slides with -mu g for t = 2 v0 / (7 mu g), exactly on the grid; then rolls with 5 v0 / 7, as the angular momentum
  // about the contact is kept by every impulse there. In the step of the change the way is off by mu g h^2 / 2 at most.
  // The solver leaves 1e-9 of u or less a step, for 400 steps.
  const double h = 1e-3, a = Sphere::mu * kGravity, end = 2.0 * Sphere::v0 / (7.0 * a), tolerance = 1e-6;
  for (const double angle : {0.0, 0.4, 1.3, 2.9}) {
    Sphere sphere(angle);
    TimeStepping run(sphere.model, moreau_jean(h));
    const Eigen::Vector2d along{std::cos(angle), std::sin(angle)}, across{-std::sin(angle), std::cos(angle)};
    double rolled = 0.0;
    const auto report = run.advance_to(0.4, [&](const State& state) {
      const Eigen::VectorXd v = state.v(sphere.body), q = state.q(sphere.body);
      const Eigen::VectorXd force = state.force(sphere.contact);
      const double speed = v.head<2>().dot(along);
      EXPECT_NEAR(v.head<2>().dot(across), 0.0, tolerance) << angle;  // isotropy: no veering
      EXPECT_NEAR(v[2], 0.0, tolerance);                              // no dilation: it does not lift off
      EXPECT_NEAR(q[2], 0.0, tolerance);
      EXPECT_NEAR(force[0], Sphere::m * kGravity, 1e-4);
      if (state.t < end) {
        EXPECT_NEAR(speed, Sphere::v0 - a * state.t, tolerance);
        EXPECT_NEAR(force.tail<2>().norm(), Sphere::mu * Sphere::m * kGravity, 1e-4);
      } else if (state.t > end + h) {
        EXPECT_NEAR(speed, 5.0 / 7.0 * Sphere::v0, tolerance);
        EXPECT_NEAR(state.u(sphere.contact).tail<2>().norm(), 0.0, tolerance);
        if (rolled == 0.0) rolled = q.head<2>().dot(along) - speed * (state.t - end);
      }
    });
    EXPECT_TRUE(report) << report.message();
    EXPECT_NEAR(rolled, 12.0 * Sphere::v0 * Sphere::v0 / (49.0 * a), 0.5 * a * h * h + tolerance);
  }
}

TEST(FrictionInSpace, ThreeRowsInAPlaneAreTwo) {
  // Motion in the plane of T1: the same as with the planar law.
  NonSmoothDynamicalSystem space, plane;
  const LagrangianLinearSystem block{.mass = Eigen::Vector3d(1.0, 1.0, 1.0).asDiagonal(),
                                     .force = {2.0, 0.0, -kGravity},
                                     .q0 = {0.0, 0.0, 0.1},
                                     .v0 = {1.0, 0.0, -1.0}};
  const auto a = space.add(block), b = plane.add(block);
  space.link(a, LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}},
             NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.4, .dimension = 3});
  plane.link(b, LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}}},
             NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.4});
  TimeStepping first(space, moreau_jean(1e-2)), second(plane, moreau_jean(1e-2));
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    ASSERT_NEAR((first.state().v(a) - second.state().v(b)).norm(), 0.0, 1e-6) << k;
  }
}

// A block on a spring k on a belt of speed V, mu_s > mu_k. It sticks until k x = mu_s N, slips on an arc about
// x_k = mu_k N / k from x_k + A with speed V, A = (mu_s - mu_k) N / k, and sticks again at x_k - A:
//     period = 2 A / V + (2 / w)(pi - atan(A w / V)),  amplitude of the arc sqrt(A^2 + (V / w)^2).
struct Belt {
  double m = 1.0, k = 25.0, V = 0.2, mu_s = 0.4, mu_k = 0.25, N = kGravity;
  double w = std::sqrt(k / m), A = (mu_s - mu_k) * N / k, center = mu_k * N / k;
  double period = 2.0 * A / V + 2.0 / w * (kPi - std::atan(A * w / V));
  double lowest = center - std::hypot(A, V / w), highest = center + std::hypot(A, V / w);
};

struct Cycle {
  std::vector<double> slips;  // ends of the steps in which it starts to slip
  double lowest = 1e9, highest = -1e9;
};

Cycle stick_slip(const Belt& belt, const Law& law, double h, double T) {
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(belt.m, belt.m).asDiagonal(),
                                                      .stiffness = Eigen::Vector2d(belt.k, 0.0).asDiagonal(),
                                                      .force = {0.0, -belt.N},
                                                      .q0 = {0.0, 0.0},
                                                      .v0 = {belt.V, 0.0}});
  RheonomousRelation relation;
  relation.rows = 2;
  relation.h = [V = belt.V](double t, ConstVectorRef q, VectorRef y) { y << q[1], q[0] - V * t; };
  relation.H = [](double, ConstVectorRef, MatrixRef H) { H(0, 1) = H(1, 0) = 1.0; };
  relation.h_t = [V = belt.V](double, ConstVectorRef, VectorRef value) { value[1] = -V; };
  const auto contact = model.link(block, relation, law);
  TimeStepping run(model, moreau_jean(h));
  Cycle cycle;
  bool stuck = true;
  const auto report = run.advance_to(T, [&](const State& state) {
    const bool sticks = std::abs(state.u(contact)[1]) < 1e-9;
    if (stuck && !sticks) cycle.slips.push_back(state.t);
    stuck = sticks;
    if (state.t > 0.5 * T) {
      cycle.lowest = std::min(cycle.lowest, state.q(block)[0]);
      cycle.highest = std::max(cycle.highest, state.q(block)[0]);
    }
    EXPECT_NEAR(state.q(block)[1], 0.0, 1e-8);
  });
  EXPECT_TRUE(report) << report.message();
  return cycle;
}

TEST(StaticKineticFriction, StickSlipOnABeltHasItsPeriod) {
  // The release is found a step late at most, and the step of it still holds with mu_s: h V k / m of speed. Sticking
  // is found within h as well; a cycle begins anew where it sticks, so nothing adds up but the two, 3 h with the phase
  // of theta = 1/2, (w h)^2 / 12.
  const Belt belt;
  const StaticKineticFrictionLaw law{.static_friction = belt.mu_s, .kinetic_friction = belt.mu_k};
  for (const double h : {1e-3, 2.5e-4}) {
    const Cycle cycle = stick_slip(belt, law, h, 6.0 * belt.period);
    ASSERT_GE(cycle.slips.size(), 5U);
    EXPECT_LE(cycle.slips.size(), 6U);  // and never slips in between
    EXPECT_NEAR(cycle.slips[0], belt.mu_s * belt.N / belt.k / belt.V, 3.0 * h);
    for (std::size_t i = 1; i < cycle.slips.size(); ++i)
      EXPECT_NEAR(cycle.slips[i] - cycle.slips[i - 1], belt.period, 3.0 * h) << i;
    EXPECT_NEAR(cycle.highest, belt.highest, 2.0 * belt.V * h);
    EXPECT_NEAR(cycle.lowest, belt.lowest, 2.0 * belt.V * h);
  }
}

TEST(StaticKineticFriction, WithoutADifferenceItSticksForEver) {
  // mu_s = mu_k: after the first arc, of radius V / w about x_k, it sticks at x_k and nothing more happens.
  const Belt belt{.mu_k = 0.4};
  const Cycle cycle =
      stick_slip(belt, StaticKineticFrictionLaw{.static_friction = 0.4, .kinetic_friction = 0.4}, 1e-3, 10.0);
  const Cycle coulomb = stick_slip(belt, NewtonImpactFrictionLaw{.friction = 0.4}, 1e-3, 10.0);
  EXPECT_NEAR(cycle.highest, coulomb.highest, 1e-9);
  EXPECT_NEAR(cycle.lowest, coulomb.lowest, 1e-9);
  EXPECT_EQ(cycle.slips, coulomb.slips);
}

TEST(StaticKineticFriction, HoldsUpToTheLargerCoefficient) {
  // Pulled by 0.997 N/s t (so that no step's mean is mu_s N itself): slips when it passes mu_s N, then accelerates by
  // (F - mu_k N) / m.
  for (const Index dimension : {2, 3}) {
    NonSmoothDynamicalSystem model;
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(dimension, dimension);
    H(0, dimension - 1) = H(1, 0) = 1.0;
    if (dimension == 3) H(2, 1) = 1.0;
    const auto block = model.add(LagrangianLinearSystem{.mass = Eigen::VectorXd::Ones(dimension).asDiagonal(),
                                                        .force =
                                                            [dimension](double t, VectorRef f) {
                                                              f[0] = 0.997 * t;
                                                              f[dimension - 1] = -kGravity;
                                                            },
                                                        .q0 = Eigen::VectorXd::Zero(dimension)});
    const auto contact =
        model.link(block, LagrangianLinearRelation{.H = H},
                   StaticKineticFrictionLaw{.static_friction = 0.5, .kinetic_friction = 0.3, .dimension = dimension});
    const double h = 1e-2, slips = 0.5 * kGravity;
    TimeStepping run(model, moreau_jean(h));
    double v = 0.0;
    bool first = true;
    ASSERT_TRUE(run.advance_to(6.0, [&](const State& state) {
      const double middle = 0.997 * (state.t - 0.5 * h);
      if (middle < slips) {
        EXPECT_NEAR(state.v(block)[0], 0.0, 1e-9);
        EXPECT_NEAR(state.force(contact)[1], -middle, 1e-6);
      } else {  // in its first step it brakes with what it held with
        v += h * (middle - (first ? 0.5 : 0.3) * kGravity);
        first = false;
        EXPECT_NEAR(state.v(block)[0], v, 1e-6);
      }
    }));
    EXPECT_FALSE(first);
  }
}

/// A unit mass in (x, y), bonded to the floor, pulled upwards by force(t).
struct Bond {
  static constexpr double strength = 8.0, opening = 0.1;
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle bond;

  explicit Bond(const VectorData& force, double v0 = 0.0) {
    body = model.add(LagrangianLinearSystem{
        .mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(), .force = force, .q0 = {0.0, 0.0}, .v0 = {0.0, v0}});
    bond = model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
                      CohesiveZoneLaw{.strength = strength, .opening = opening, .friction = 0.5});
  }
};

TEST(CohesiveZone, HoldsToItsStrengthAndBreaks) {
  // Pulled by 2 t: holds with all of it until 8 N at t = 4, then opens; the pull outgrows the weakening bond.
  const double h = 1e-3;
  Bond test([](double t, VectorRef f) { f[1] = 2.0 * t; });
  TimeStepping run(test.model, moreau_jean(h));
  bool broke = false;
  const auto report = run.advance_to(5.0, [&](const State& state) {
    const double y = state.y(test.bond)[0], force = state.force(test.bond)[0];
    if (state.t < 4.0) {
      EXPECT_NEAR(force, -2.0 * (state.t - 0.5 * h), 1e-6);
      EXPECT_NEAR(y, 0.0, 1e-9);
    }
    if (state.t > 4.0 + 2.0 * h && y < Bond::opening) {
      EXPECT_LT(force, 0.0);
      // beta of the start of the step: off by strength h u / opening.
      EXPECT_NEAR(force, -Bond::strength * (1.0 - y / Bond::opening),
                  Bond::strength * h * state.u(test.bond)[0] / Bond::opening + 1e-6);
    }
    if (broke) {
      EXPECT_EQ(force, 0.0);
    }
    broke = y > Bond::opening;
  });
  EXPECT_TRUE(report) << report.message();
  EXPECT_TRUE(broke);
}

TEST(CohesiveZone, TakesHalfStrengthTimesOpeningToBreak) {
  // Thrown upwards without weight: v^2 = v0^2 - strength opening after the bond is gone, order one (beta is the
  // start's).
  const double v0 = 1.5, exact = std::sqrt(v0 * v0 - Bond::strength * Bond::opening);
  const auto error = [&](double h) {
    Bond test({0.0, 0.0}, v0);
    TimeStepping run(test.model, moreau_jean(h));
    EXPECT_TRUE(run.advance_to(0.3));
    return std::abs(run.state().v(test.body)[1] - exact);
  };
  // The step in which it breaks adds O(h^2) that scatters; see kSmooth for the rest.
  EXPECT_NEAR(fitted_order(1e-3, 4, error), 1.0, 2.0 * kSmooth);
  // Too slow to break it: v0^2 < strength opening. It comes back, and the bond keeps its damage.
  Bond slow({0.0, 0.0}, 0.5);
  TimeStepping run(slow.model, moreau_jean(1e-4));
  double largest = 0.0;
  ASSERT_TRUE(run.advance_to(1.0, [&](const State& state) { largest = std::max(largest, state.y(slow.bond)[0]); }));
  // v0^2 / 2 = strength (d - d^2 / (2 opening)).
  const double d = Bond::opening * (1.0 - std::sqrt(1.0 - 0.25 / (Bond::strength * Bond::opening)));
  EXPECT_NEAR(largest, d, 1e-4);
  EXPECT_NEAR(run.state().law_memory[0], largest, 1e-15);
  EXPECT_NEAR(run.state().q(slow.body)[1], 0.0, 0.5 * 0.5 * 1e-4);  // drawn shut, to h |u| / 2, where it stays
  EXPECT_NEAR(run.state().v(slow.body)[1], 0.0, 1e-9);
}

TEST(CohesiveZone, IsIrreversibleAndClosesWithoutResistance) {
  // Torn off by 12 N until t = 0.5, then pressed back: it lands and carries the pressure like any contact, and lets go
  // at once when pulled again.
  const auto force = [](double t, VectorRef f) { f[1] = t < 0.5 ? 12.0 : t < 3.0 ? -12.0 : 1.0; };
  Bond test(force);
  TimeStepping run(test.model, moreau_jean(1e-3));
  bool torn = false, landed = false;
  ASSERT_TRUE(run.advance_to(3.5, [&](const State& state) {
    const double y = state.y(test.bond)[0], f = state.force(test.bond)[0];
    if (torn && y > 1e-6) {
      EXPECT_EQ(f, 0.0) << state.t;
    }
    if (torn && y < 1e-9 && state.t > 2.5 && state.t < 2.9995) {
      landed = true;
      EXPECT_NEAR(f, 12.0, 1e-6);
    }
    torn = torn || y > Bond::opening;
  }));
  EXPECT_TRUE(torn);
  EXPECT_TRUE(landed);
  EXPECT_NEAR(run.state().v(test.body)[1], 0.5, 2e-3);  // 1 N for half a second
}

TEST(CohesiveZone, ShearIsHeldByFrictionOfTheShiftedCone) {
  // No pressure, strength 8, mu 0.5: holds a shear of up to 4 N, and slides under more with 4 N while it stays closed.
  for (const double pull : {3.9, 5.0}) {
    Bond test({pull, 0.0});
    TimeStepping run(test.model, moreau_jean(1e-2));
    ASSERT_TRUE(run.advance_to(1.0));
    EXPECT_NEAR(run.state().v(test.body)[0], std::max(pull - 4.0, 0.0), 1e-6);
    EXPECT_NEAR(run.state().force(test.bond)[1], -std::min(pull, 4.0), 1e-4);
  }
}

TEST(CohesiveZone, ThatStartsOpenIsBroken) {
  // A floor 1 m below, opening 1 mm: nothing holds, so that the first step is free fall to the bit.
  const double g = 9.81, h = 1e-3;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.force = {0.0, -g}, .q0 = {0.0, 1.0}});
  model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
             CohesiveZoneLaw{.strength = 1e4, .opening = 1e-3});
  TimeStepping simulation(model, {.step = h});
  ASSERT_TRUE(simulation.step());
  EXPECT_EQ(simulation.state().v(body)[1], -g * h);
}

}  // namespace
}  // namespace nonsmooth::mechanics_friction_test
