// SPDX-License-Identifier: Apache-2.0
// Poisson's law by steps where a slip turns during the impact: it ends with a friction impulse that is inside its cone,
// and the forces of the step are to meet friction against the slip that is left, none that holds it.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/kernel.hpp>

#include "problems/uniform_numbers.hpp"

namespace nonsmooth::turned_slips_test {
namespace {

constexpr double kStep = 1e-3, kRadius = 0.01, kReach = 0.5, kFriction = 0.4, kRestitution = 0.8;
// Impulses of up to 10 N s to the solver's 1e-10 of |q| in each phase and in the step, velocities by W <= 40 / kg.
constexpr double kSolved = 1e-7;

/// A body of mass 1 that falls on a foot beside its centre, spinning, in contact at the start of a step.
struct Throw {
  double lean, inertia;
  Eigen::Vector3d velocity, spin;

  explicit Throw(problems::UniformNumbers& number)
      : lean(1.2 * number()),
        inertia(0.08 + 0.06 * number()),
        velocity(3.0 * number(), 2.0 * number(), -3.5 + 1.5 * number()),
        spin(5.0 * number(), 15.0 * number(), 5.0 * number()) {}
  [[nodiscard]] Eigen::Vector3d foot() const { return {kReach * std::sin(lean), 0.0, -kReach * std::cos(lean)}; }
};

/// What a step with an impact makes of it: v of the body, p and u of the contact along the axes (x, z) or (x, y, z).
struct Thrown {
  Eigen::VectorXd v, p, u;
};

template <class AnySource>
Thrown stepped(NonSmoothDynamicalSystem model, SystemHandle body, AnySource source) {
  model.detect(std::move(source));
  TimeStepping simulation(model, {.step = kStep});
  const State before = simulation.state();
  const StepReport step = simulation.step();
  EXPECT_TRUE(step) << step.message();
  const State& after = simulation.state();
  return {after.v(body), after.v(body) - before.v(body), {}};
}

Thrown in_plane(const Throw& one, const Eigen::Vector3d& gravity) {
  NonSmoothDynamicalSystem model;
  const Eigen::Vector2d foot(one.foot()[0], one.foot()[2]), arm(foot[0], foot[1] - kRadius);
  const auto body = model.add(PlanarBody{.inertia = one.inertia,
                                         .position = {0.0, -arm[1]},
                                         .velocity = {one.velocity[0], one.velocity[2]},
                                         .angular_velocity = one.spin[1],
                                         .gravity = {gravity[0], gravity[2]}});
  const PoissonImpactLaw law{.restitution = kRestitution, .friction = kFriction, .dimension = 2};
  Thrown thrown =
      stepped(model, body,
              PlanarContacts({{body, {{.shape = Disk{kRadius}, .position = foot}}}}, {{.shape = HalfPlane{}}}, law));
  thrown.p = thrown.p.head<2>().eval() - kStep * Eigen::Vector2d(gravity[0], gravity[2]);
  thrown.u = Eigen::Vector2d(thrown.v[0] - thrown.v[2] * arm[1], thrown.v[1] + thrown.v[2] * arm[0]);
  return thrown;
}

Thrown in_space(const Throw& one, const Eigen::Vector3d& gravity) {
  NonSmoothDynamicalSystem model;
  const Eigen::Vector3d foot = one.foot(), arm(foot[0], 0.0, foot[2] - kRadius);
  const auto body = model.add(RigidBody{.inertia = one.inertia * Eigen::Matrix3d::Identity(),  // no gyroscopic moment
                                        .position = {0.0, 0.0, -arm[2]},
                                        .velocity = one.velocity,
                                        .angular_velocity = one.spin,
                                        .gravity = gravity});
  const PoissonImpactLaw law{.restitution = kRestitution, .friction = kFriction, .dimension = 3};
  Thrown thrown =
      stepped(model, body,
              BodyContacts({{body, {{.shape = Sphere{kRadius}, .position = foot}}}}, {{.shape = HalfSpace{}}}, law));
  thrown.p = thrown.p.head<3>().eval() - kStep * gravity;
  const Eigen::Vector3d w = thrown.v.tail<3>();
  thrown.u = thrown.v.head<3>() + Eigen::Vector3d(w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2],
                                                  w[0] * arm[1] - w[1] * arm[0]);
  return thrown;
}

/// d = p - p of the impact alone is what forces add: against the slip behind the impact, mu d_N of it.
template <class AnyThrow>
void expect_friction_against_slips(AnyThrow thrown) {
  problems::UniformNumbers number;
  int turned = 0;
  for (int k = 0; k < 200; ++k) {
    const Throw one(number);
    const Thrown alone = thrown(one, Eigen::Vector3d::Zero());
    const Index N = alone.p.size() - 1;
    const double slip = alone.u.head(N).norm();
    if (slip < 0.1 || alone.p.head(N).norm() > 0.99 * kFriction * alone.p[N]) continue;
    ++turned;
    const Eigen::VectorXd along = alone.u.head(N) / slip;
    for (const Eigen::Vector3d& gravity : {Eigen::Vector3d(9.0, 2.0, 0.0), Eigen::Vector3d(-9.0, 1.0, 0.0),
                                           Eigen::Vector3d(5.0, 0.0, -9.81), Eigen::Vector3d(-5.0, 2.0, -9.81)}) {
      const Eigen::VectorXd d = thrown(one, gravity).p - alone.p;
      EXPECT_GE(d[N], -kSolved) << k;
      EXPECT_LE((d.head(N) + kFriction * d[N] * along).norm(), kSolved) << k << ": " << d.transpose();
    }
  }
  EXPECT_GE(turned, 10);
}

TEST(TurnedSlips, FrictionOfTheForcesIsAgainstThemInThePlane) { expect_friction_against_slips(in_plane); }
TEST(TurnedSlips, FrictionOfTheForcesIsAgainstThemInSpace) { expect_friction_against_slips(in_space); }

}  // namespace
}  // namespace nonsmooth::turned_slips_test
