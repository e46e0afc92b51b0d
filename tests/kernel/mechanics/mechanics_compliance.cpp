// SPDX-License-Identifier: Apache-2.0
// Springs between bodies and laws: y = h(q, lambda), against closed forms and with measured orders.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <problems/reference.hpp>

#include "kernel/closed_forms.hpp"
#include "kernel/mechanics_orders.hpp"

namespace nonsmooth::mechanics_compliance_test {
namespace {

using namespace closed_forms;
using namespace mechanics;

constexpr double kMass = 2.0, kSpring = 200.0, kApproach = 1.5, kDistance = 0.3;
const double kOmega = std::sqrt(kSpring / kMass);

/// A mass that flies at a spring: first touch at kDistance / kApproach, contact for pi / omega, rebound with the same
/// speed. `link` puts the contact in.
template <class Link>
double rebound_error(double h, double theta, const Link& link) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(mass_point(kMass, 0.0, kDistance, -kApproach));
  const InteractionHandle contact = link(model, mass);
  TimeStepping run(model, moreau_jean(h, theta));
  const double T = 0.9, touch = kDistance / kApproach, release = touch + kPi / kOmega;
  const auto report = run.advance_to(T, [&](const State& state) {
    const double force = state.force(contact)[0];
    EXPECT_GE(force, 0.0);
    EXPECT_NEAR(state.y(contact)[0] * force, 0.0, 1e-7);  // complementary, to the solver's tolerance of either
  });
  EXPECT_TRUE(report) << report.message();
  return std::abs(run.state().q(mass)[0] - kApproach * (T - release)) +
         std::abs(run.state().v(mass)[0] - kApproach) / kOmega;
}

// lambda acts implicitly, so the order is one for theta = 1/2 as for theta = 1. The time of touch within its step adds
// O(h^2) that scatters: less than a tenth of the error h omega / 2 where h omega < 0.1.
constexpr double kWithTouch = 0.1;

TEST(Compliance, ASpringContactConvergesWithOrderOne) {
  const auto linear = [](NonSmoothDynamicalSystem& model, SystemHandle mass) {
    return model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .compliance = {{1.0 / kSpring}}},
                      ComplementarityLaw{});
  };
  for (const double theta : {0.5, 1.0}) {
    EXPECT_NEAR(fitted_order(2e-3, 4, [&](double h) { return rebound_error(h, theta, linear); }), 1.0, kWithTouch);
  }
}

TEST(Compliance, ALinearOneIsTheSameAsANonlinearRelation) {
  const LagrangianLinearRelation linear{.H = {{1.0}}, .compliance = {{1.0 / kSpring}}};
  for (const bool derivatives : {true, false}) {
    CompliantRelation relation;
    relation.h = [](ConstVectorRef q, ConstVectorRef lambda, VectorRef y) { y[0] = q[0] + lambda[0] / kSpring; };
    if (derivatives) {
      relation.H = [](ConstVectorRef, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; };
      relation.D = [](ConstVectorRef, ConstVectorRef, MatrixRef D) { D(0, 0) = 1.0 / kSpring; };
    }
    NonSmoothDynamicalSystem one, other;
    const auto a = one.add(mass_point(kMass, 0.0, kDistance, -kApproach));
    const auto b = other.add(mass_point(kMass, 0.0, kDistance, -kApproach));
    const auto spring = one.link(a, linear, ComplementarityLaw{}), twin = other.link(b, relation, ComplementarityLaw{});
    TimeStepping first(one, moreau_jean(2e-3)), second(other, moreau_jean(2e-3));
    for (int k = 0; k < 400; ++k) {
      ASSERT_TRUE(first.step());
      const auto report = second.step();
      ASSERT_TRUE(report) << report.message();
      // Newton's tolerance, 1e-9 of |v| <= 1.5 and of 1 + |lambda| <= 31, a step; contact is stable.
      ASSERT_NEAR(first.state().v(a)[0], second.state().v(b)[0], 400 * 4e-9);
      ASSERT_NEAR(first.state().force(spring)[0], second.state().force(twin)[0], 1e-4);
      ASSERT_NEAR(first.state().y(spring)[0], second.state().y(twin)[0], 1e-6);
    }
  }
}

// A spring that gives way, delta = a lambda + b lambda^3. With m v0^2 / 2 = a L^2 / 2 + 3 b L^4 / 4 for the largest
// force L, and lambda = L sin(s), contact lasts 2 sqrt(m) int_0^(pi/2) (a + 3 b lambda^2) / sqrt(a + 1.5 b (L^2 +
// lambda^2)) ds.
TEST(Compliance, ANonlinearSpringKeepsItsContactTime) {
  const double a = 1.0 / kSpring, b = 4e-6, energy = 0.5 * kMass * kApproach * kApproach;
  const double L = std::sqrt((std::sqrt(a * a / 4.0 + 3.0 * b * energy) - a / 2.0) / (1.5 * b));
  ASSERT_NEAR(a * L * L / 2.0 + 0.75 * b * std::pow(L, 4), energy, 1e-12);
  const auto slowness = [&](double s) {
    const double lambda = L * std::sin(s);
    return (a + 3.0 * b * lambda * lambda) / std::sqrt(a + 1.5 * b * (L * L + lambda * lambda));
  };
  const double duration = 2.0 * std::sqrt(kMass) * problems::integral_between(slowness, 0.0, 0.5 * kPi);
  EXPECT_GT(duration, 1.05 * kPi / kOmega);  // softer than the linear one by more than the tolerance below sees
  for (const bool derivatives : {true, false}) {
    const auto error = [&](double h) {
      CompliantRelation relation;
      relation.h = [a, b](ConstVectorRef q, ConstVectorRef lambda, VectorRef y) {
        y[0] = q[0] + a * lambda[0] + b * lambda[0] * lambda[0] * lambda[0];
      };
      if (derivatives) {
        relation.D = [a, b](ConstVectorRef, ConstVectorRef lambda, MatrixRef D) {
          D(0, 0) = a + 3.0 * b * lambda[0] * lambda[0];
        };
      }
      NonSmoothDynamicalSystem model;
      const auto mass = model.add(mass_point(kMass, 0.0, kDistance, -kApproach));
      const auto contact = model.link(mass, relation, ComplementarityLaw{});
      TimeStepping run(model, moreau_jean(h));
      const double T = 0.9;
      const auto report = run.advance_to(
          T, [&](const State& state) { EXPECT_NEAR(state.y(contact)[0] * state.force(contact)[0], 0.0, 1e-6); });
      EXPECT_TRUE(report) << report.message();
      return std::abs(run.state().q(mass)[0] - kApproach * (T - kDistance / kApproach - duration)) +
             std::abs(run.state().v(mass)[0] - kApproach) / kOmega;
    };
    EXPECT_NEAR(fitted_order(2e-3, 3, error), 1.0, kWithTouch);
  }
}

TEST(Compliance, ACurvedContactIsTheStraightOneAlongItsNormal) {
  // A point flies at a soft disk of radius R along a ray: y = |q| - R + lambda / k.
  const double R = 0.5;
  const Eigen::Vector2d direction{0.6, -0.8};
  CompliantRelation relation;
  relation.h = [R](ConstVectorRef q, ConstVectorRef lambda, VectorRef y) { y[0] = q.norm() - R + lambda[0] / kSpring; };
  NonSmoothDynamicalSystem plane, line;
  const auto a = plane.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(kMass, kMass).asDiagonal(),
                                                  .q0 = (R + kDistance) * direction,
                                                  .v0 = -kApproach * direction});
  const auto b = line.add(mass_point(kMass, 0.0, kDistance, -kApproach));
  const auto disk = plane.link(a, relation, ComplementarityLaw{});
  line.link(b, LagrangianLinearRelation{.H = {{1.0}}, .compliance = {{1.0 / kSpring}}}, ComplementarityLaw{});
  TimeStepping first(plane, moreau_jean(2e-3)), second(line, moreau_jean(2e-3));
  for (int k = 0; k < 400; ++k) {
    const auto report = first.step();
    ASSERT_TRUE(report) << report.message();
    ASSERT_TRUE(second.step());
    // H by differences: the normal is off by sqrt(eps) / R, the force along it not at all to first order.
    ASSERT_NEAR(first.state().q(a).dot(direction) - R, second.state().q(b)[0], 1e-6) << k;
    ASSERT_NEAR(first.state().u(disk)[0], second.state().v(b)[0], 1e-5) << k;
  }
}

TEST(Compliance, AnEqualityIsASpringThatPullsToo) {
  // y = q + lambda / k = 0: harmonic, cos(omega t).
  const auto error = [](double h) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(kMass, 0.0, 0.2, 0.0));
    const auto spring =
        model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .compliance = {{1.0 / kSpring}}}, EqualityLaw{});
    TimeStepping run(model, moreau_jean(h));
    EXPECT_TRUE(run.advance_to(1.0, [&](const State& state) {
      EXPECT_NEAR(state.force(spring)[0], -kSpring * state.q(mass)[0], 1e-6);
      EXPECT_NEAR(state.y(spring)[0], 0.0, 1e-8);
    }));
    return std::hypot(run.state().q(mass)[0] - 0.2 * std::cos(kOmega),
                      run.state().v(mass)[0] / kOmega + 0.2 * std::sin(kOmega));
  };
  EXPECT_NEAR(fitted_order(2.5e-4, 4, error), 1.0, kSmooth);
}

TEST(Compliance, ARelayIsPrandtlsElastoplasticSpring) {
  // Elastic to q_y = F / k, F constant until the mass stands, then elastic about q_max - q_y with amplitude q_y, which
  // just reaches the other yield force and no more.
  const double F = 20.0, q_y = F / kSpring, v0 = 2.0;
  const double t_y = std::asin(kOmega * q_y / v0) / kOmega, v_y = std::sqrt(v0 * v0 - std::pow(kOmega * q_y, 2));
  const double t_stand = t_y + v_y * kMass / F, q_max = q_y + 0.5 * v_y * v_y * kMass / F, T = t_stand + 0.7;
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(kMass, 0.0, 0.0, v0));
    const auto spring = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .compliance = {{1.0 / kSpring}}},
                                   RelayLaw{.lower = -F, .upper = F});
    TimeStepping run(model, moreau_jean(h));
    const auto report = run.advance_to(T, [&](const State& state) {
      EXPECT_LE(std::abs(state.force(spring)[0]), F * (1.0 + 1e-8));
      const double t = state.t;
      if (t > 1.1 * t_y && t < 0.9 * t_stand) {
        EXPECT_NEAR(state.force(spring)[0], -F, 1e-7);
      }
    });
    EXPECT_TRUE(report) << report.message();
    // What y has flowed is the plastic stretch: q = y - lambda / k, y = q_max - q_y at the end.
    EXPECT_NEAR(run.state().y(spring)[0], q_max - q_y, 10.0 * v0 * h);
    const double phase = kOmega * (T - t_stand);
    return std::hypot(run.state().q(mass)[0] - (q_max - q_y + q_y * std::cos(phase)),
                      run.state().v(mass)[0] / kOmega + q_y * std::sin(phase));
  };
  EXPECT_NEAR(fitted_order(1e-3, 4, error), 1.0, kWithTouch);
}

}  // namespace
}  // namespace nonsmooth::mechanics_compliance_test
