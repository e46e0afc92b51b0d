// SPDX-License-Identifier: Apache-2.0
// The energy balance of a run: energies, works and what is left of the balance, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

namespace nonsmooth::ledger_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

TEST(Ledger, ABouncingBallLosesItsEnergyInImpactsAlone) {
  // Constant force and theta = 1/2: the balance is an identity of the scheme, so each step closes to rounding of the
  // terms, whose size is m g q0 = 10 J: 64 eps of that. One impact at speed v takes (1 - e^2) m v^2 / 2.
  const double e = 0.9, g = 9.81;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-g}, .q0 = {1.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  TimeStepping simulation(model, {.step = 1e-3});
  Ledger ledger(model);
  EXPECT_DOUBLE_EQ(ledger.record(simulation.state()).energy(), g);
  EXPECT_TRUE(std::isnan(ledger.last().numerical));
  double v = 0.0;
  int impacts = 0;
  ASSERT_TRUE(simulation.advance_to(3.0, [&](const State& x) {
    const LedgerEntry& entry = ledger.record(x);
    EXPECT_NEAR(entry.numerical, 0.0, 64.0 * kEps * g);
    EXPECT_LE(entry.contact, 64.0 * kEps * g);
    if (x.impulse(floor)[0] > 0.0) {
      ++impacts;
      // Before the impact: v_k; the impulse acts on it and on the step's weight.
      const double p = x.impulse(floor)[0], v_after = x.v(ball)[0];
      EXPECT_NEAR(entry.contact, 0.5 * p * (v + v_after), 64.0 * kEps * g);
      EXPECT_NEAR(v_after, -e * v, 64.0 * kEps * std::abs(v));
    }
    EXPECT_NEAR(entry.momentum[0], x.v(ball)[0], 0.0);
    v = x.v(ball)[0];
  }));
  EXPECT_GE(impacts, 3);
  EXPECT_NEAR(ledger.total().energy() - g, ledger.total().contact, 1e4 * kEps * g);
  EXPECT_GT(ledger.total().dissipation(), 0.0);
  EXPECT_GE(ledger.total().penetration, 0.0);
}

TEST(Ledger, ThetaOneIsNumericalDissipation) {
  // Free fall with theta = 1 loses m g^2 h^2 / 2 a step, an identity: rounding of 10 J terms.
  const double g = 9.81, h = 5e-3;
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.force = {-g}, .q0 = {1.0}});
  TimeStepping simulation(model, {.integrator = MoreauJean{.theta = 1.0}, .step = h});
  Ledger ledger(model);
  ledger.record(simulation.state());
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(simulation.step());
    EXPECT_NEAR(ledger.record(simulation.state()).numerical, -0.5 * g * g * h * h, 256.0 * kEps * g);
  }
}

TEST(Ledger, FrictionDampingAndDrivesAreApart) {
  // A block pushed along a floor: friction takes mu m g times the way, the drive F(t) gives its power; a spring and a
  // damper beside. Linear and theta = 1/2: the whole balance closes to rounding (terms of 1 J over 200 steps).
  const double g = 10.0, mu = 0.3, h = 1e-2;
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.mass = {{2.0, 0.0}, {0.0, 2.0}},
                                                      .damping = {{0.1, 0.0}, {0.0, 0.0}},
                                                      .stiffness = {{3.0, 0.0}, {0.0, 0.0}},
                                                      .force =
                                                          [&](double t, VectorRef f) {
                                                            f[0] = 20.0 * std::cos(t);
                                                            f[1] = -2.0 * g;
                                                          },
                                                      .q0 = {0.0, 0.0}});
  const auto floor = model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
                                NewtonImpactFrictionLaw{.friction = mu});
  TimeStepping simulation(model, {.step = h});
  Ledger ledger(model);
  ledger.record(simulation.state());
  double friction = 0.0, v = 0.0;
  ASSERT_TRUE(simulation.advance_to(2.0, [&](const State& x) {
    const LedgerEntry& entry = ledger.record(x);
    EXPECT_NEAR(entry.numerical, 0.0, 1e3 * kEps);
    EXPECT_NEAR(entry.contact, 0.0, 1e3 * kEps);
    EXPECT_LE(entry.damping, 0.0);
    friction += x.impulse(floor)[1] * 0.5 * (v + x.v(block)[0]);
    v = x.v(block)[0];
  }));
  EXPECT_NEAR(ledger.total().friction, friction, 1e-12);
  EXPECT_LT(ledger.total().friction, 0.0);
  EXPECT_GT(ledger.total().external, 0.0);
  EXPECT_LT(ledger.total().damping, 0.0);
}

TEST(Ledger, DetectedContactsCount) {
  // Disks that fall in a heap: constant forces, theta = 1/2, so that the balance closes to rounding of the energies.
  auto m = problems::bouncing_disk();
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (int i = 0; i < 3; ++i) {
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 0.005).asDiagonal(),
                                                     .force = {0.0, -9.81, 0.0},
                                                     .q0 = {0.02 * i, 0.12 + 0.21 * i, 0.0}}));
  }
  FloorProfile floor;
  floor.height = floor.slope = floor.curvature = [](double) { return 0.0; };
  model.detect(std::make_shared<const DiskContacts>(
      disks, std::vector<double>(3, 0.1), NewtonImpactFrictionLaw{.restitution = 0.3, .friction = 0.4}, floor));
  TimeStepping simulation(model, {.step = 1e-3});
  Ledger ledger(model);
  const double start = ledger.record(simulation.state()).energy();
  ASSERT_TRUE(simulation.advance_to(
      0.5, [&](const State& x) { EXPECT_NEAR(ledger.record(x).numerical, 0.0, 1e3 * kEps * 10.0); }));
  EXPECT_LT(ledger.total().contact, 0.0);
  EXPECT_LT(ledger.total().friction, 0.0);
  EXPECT_NEAR(ledger.total().energy() - start, ledger.total().contact + ledger.total().friction, 1e-10);
  (void)m;
}

TEST(Ledger, AnUnknownPotentialIsNaN) {
  NonSmoothDynamicalSystem model;
  LagrangianSystem pendulum;
  pendulum.force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -std::sin(q[0]); };
  pendulum.q0 = {1.0};
  model.add(pendulum);
  TimeStepping simulation(model, {.step = 1e-2});
  Ledger ledger(model);
  EXPECT_TRUE(std::isnan(ledger.record(simulation.state()).energy()));

  pendulum.potential = [](ConstVectorRef q) { return 1.0 - std::cos(q[0]); };
  NonSmoothDynamicalSystem known;
  known.add(pendulum);
  TimeStepping run(known, {.step = 1e-2});
  Ledger balance(known);
  EXPECT_NEAR(balance.record(run.state()).energy(), 1.0 - std::cos(1.0), 1e-15);
  ASSERT_TRUE(run.advance_to(1.0, [&](const State& x) {
    // The midpoint of a smooth oscillation errs by h^3 q''' / 24 of a force of 1 in a step: 5e-8 and less.
    EXPECT_LE(std::abs(balance.record(x).numerical), 5e-7);
  }));
  EXPECT_THROW(balance.record(simulation.state()), InvalidArgument);
}

TEST(Ledger, DriftAndPenetration) {
  // A point on a circle, held at the level of velocities: the theta scheme drifts outward, and the ledger says so.
  NonSmoothDynamicalSystem model;
  const auto point = model.add(LagrangianLinearSystem{.q0 = {1.0, 0.0}, .v0 = {0.0, 1.0}});
  model.link(point,
             ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q.norm() - 1.0; },
                                  .H = [](ConstVectorRef q, MatrixRef H) { H = q.transpose() / q.norm(); }},
             EqualityLaw{});
  TimeStepping simulation(model, {.step = 1e-2});
  Ledger ledger(model);
  ledger.record(simulation.state());
  ASSERT_TRUE(simulation.advance_to(1.0, [&](const State& x) {
    const LedgerEntry& entry = ledger.record(x);
    EXPECT_NEAR(entry.drift, std::abs(x.q(point).norm() - 1.0), 1e-15);
  }));
  EXPECT_GT(ledger.total().drift, 0.0);
  EXPECT_LT(ledger.total().drift, 1e-3);
}

TEST(Ledger, AMovingTableGivesAndTakes) {
  // A ball on a table A sin wt: the table's own velocity is in u, not in the ball's. Linear, theta = 1/2: every step
  // closes to rounding of the energies, some 10 J.
  const double A = 0.05, w = 12.0;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {0.3}});
  model.link(
      ball,
      RheonomousRelation{.h = [=](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - A * std::sin(w * t); },
                         .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
                         .h_t = [=](double t, ConstVectorRef, VectorRef v) { v[0] = -A * w * std::cos(w * t); }},
      NewtonImpactLaw{.restitution = 0.5});
  TimeStepping simulation(model, {.step = 1e-3});
  Ledger ledger(model);
  ledger.record(simulation.state());
  ASSERT_TRUE(simulation.advance_to(
      3.0, [&](const State& x) { EXPECT_NEAR(ledger.record(x).numerical, 0.0, 1e3 * kEps * 10.0); }));
  EXPECT_NE(ledger.total().contact, 0.0);
}

TEST(Ledger, ASpringThatIsPressedIsNoPenetration) {
  // A mass lands on a spring-dashpot of its own at 1 m/s, without damping: it goes in by v sqrt(m / k) = 0.1 m. Beside
  // it one on a rigid wall, which goes in by 0.3 mm, part of a step. The implicit law takes some per cent of that
  // depth.
  NonSmoothDynamicalSystem model;
  const LagrangianLinearRelation wall{.H = {{1.0}}};
  const auto soft = model.add(LagrangianLinearSystem{.q0 = {0.2}, .v0 = {-1.0}});
  model.link(soft, wall, SpringDashpotLaw{.stiffness = 100.0});
  model.link(model.add(LagrangianLinearSystem{.q0 = {0.2507}, .v0 = {-1.0}}), wall, NewtonImpactLaw{1.0});
  TimeStepping simulation(model, {.step = 1e-3});
  Ledger ledger(model);
  ledger.record(simulation.state());
  double deepest = 0.0;
  ASSERT_TRUE(simulation.advance_to(1.0, [&](const State& x) {
    deepest = std::max(deepest, -x.q(soft)[0]);
    EXPECT_EQ(ledger.record(x).compression, std::max(0.0, -x.q(soft)[0]));
  }));
  EXPECT_NEAR(deepest, 0.1, 5e-3);
  EXPECT_EQ(ledger.total().compression, deepest);
  EXPECT_NEAR(ledger.total().penetration, 3e-4, 1e-12);
}

/// Coulomb's cone for (u_1, u_2), of a contact or of what always acts.
class Cone2D final : public NonSmoothLaw {
 public:
  explicit Cone2D(bool contact) : contact_(contact) {}
  [[nodiscard]] LawShape shape(LawUse /*use*/) const override {
    LawShape shape{.size = 2, .unilateral = contact_};
    if (contact_) shape.impact = {.kind = ImpactRule::Kind::Newton};
    return shape;
  }
  void block(const LawContext& /*context*/, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Coulomb2D, .mu = 0.5}, 2}};
  }

 private:
  bool contact_;
};

TEST(Ledger, OnlyContactsHaveADepth) {
  for (const bool contact : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(LagrangianLinearSystem{
        .mass = Eigen::MatrixXd(Eigen::Matrix2d::Identity()), .q0 = {-0.3, 0.0}, .v0 = {0.0, 0.0}});
    model.link(mass, LagrangianLinearRelation{.H = Eigen::MatrixXd(Eigen::Matrix2d::Identity())},
               Law(std::make_shared<const Cone2D>(contact)));
    TimeStepping simulation(model, {.step = 1e-3});
    Ledger ledger(simulation);
    ASSERT_TRUE(simulation.step());
    EXPECT_EQ(ledger.record(simulation.state()).penetration, contact ? 0.3 : 0.0);
  }
}

}  // namespace
}  // namespace nonsmooth::ledger_test
