// SPDX-License-Identifier: Apache-2.0
// Newton's impact law with a matrix of coefficients, in both simulations: closed forms, energy, what is refused.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"

namespace nonsmooth::generalised_newton_test {
namespace {

using bad_input::expect_refused;
using closed_forms::kEps;
using closed_forms::kGravity;
using closed_forms::mass_point;

// Small dense problems of condition below 100, solved by pivoting: exact but for round-off.
constexpr double kExact = 1e3 * kEps;

Eigen::MatrixXd reversed(Index n, double factor = 1.0) {
  return factor * Eigen::MatrixXd(Eigen::MatrixXd::Identity(n, n).rowwise().reverse());
}

/// Balls on a line at one place, of the given masses, with velocities v: contact i between ball i and i + 1.
struct Chain {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  std::vector<InteractionHandle> contacts;

  Chain(const Eigen::VectorXd& v, double e, double stiffness = 0.0) {
    for (Index i = 0; i < v.size(); ++i) {
      balls.push_back(model.add(LagrangianLinearSystem{.stiffness = {{stiffness}}, .q0 = {0.0}, .v0 = {v[i]}}));
      if (i == 0) continue;
      const auto k = static_cast<std::size_t>(i);
      contacts.push_back(model.link({balls[k - 1], balls[k]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}},
                                    NewtonImpactLaw{e}, "contact " + std::to_string(i)));
    }
  }
  [[nodiscard]] Eigen::VectorXd velocities(const State& state) const {
    Eigen::VectorXd v(std::ssize(balls));
    for (Index i = 0; i < v.size(); ++i) v[i] = state.v(balls[static_cast<std::size_t>(i)])[0];
    return v;
  }
  /// After one step, and after the impact of an instant.
  void expect_after(const Eigen::VectorXd& expected) const {
    TimeStepping stepping(model, {.step = 1e-3});
    const StepReport report = stepping.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_LT((velocities(stepping.state()) - expected).norm(), kExact) << velocities(stepping.state()).transpose();
    const EventDriven events(model, {});
    EXPECT_LT((velocities(events.state()) - expected).norm(), kExact) << velocities(events.state()).transpose();
  }
};

TEST(GeneralisedNewton, SendsTheLastBallAway) {
  for (const Index n : {2, 3, 5, 10}) {
    Chain chain(Eigen::VectorXd::Unit(n, 0), 0.3);
    chain.model.add(GeneralisedNewtonImpact{.contacts = chain.contacts, .restitution = reversed(n - 1)});
    chain.expect_after(Eigen::VectorXd::Unit(n, n - 1));
    EXPECT_NEAR(restitution_energy_ratio(chain.model, chain.model.initial_state(),
                                         {.contacts = chain.contacts, .restitution = reversed(n - 1)}),
                1.0, kExact);
  }
  // Two balls that strike send two away.
  Chain two((Eigen::VectorXd(5) << 1.0, 1.0, 0.0, 0.0, 0.0).finished(), 0.0);
  two.model.add(GeneralisedNewtonImpact{.contacts = two.contacts, .restitution = reversed(4)});
  two.expect_after((Eigen::VectorXd(5) << 0.0, 0.0, 0.0, 1.0, 1.0).finished());
}

TEST(GeneralisedNewton, TheDiagonalIsNewtonsOwn) {
  Chain chain(Eigen::Vector3d(1.0, 0.0, 0.0), 0.0);
  chain.model.add(GeneralisedNewtonImpact{.contacts = chain.contacts, .restitution = Eigen::Matrix2d::Identity()});
  chain.expect_after(Eigen::Vector3d(-1.0, 2.0, 2.0) / 3.0);
  // Two balls on threads: the same motion as with the law's own coefficient, but for the order of a sum.
  const double e = 0.9;
  Chain own(Eigen::Vector2d(1.0, 0.0), e, 1.0), matrix(Eigen::Vector2d(1.0, 0.0), 0.0, 1.0);
  matrix.model.add(GeneralisedNewtonImpact{.contacts = matrix.contacts, .restitution = Eigen::MatrixXd{{e}}});
  TimeStepping one(own.model, {.step = 0.01}), other(matrix.model, {.step = 0.01});
  ASSERT_TRUE(one.advance_to(10.0));
  ASSERT_TRUE(other.advance_to(10.0));
  EXPECT_LT((one.state().unknowns - other.state().unknowns).norm(), 1e-10);
}

TEST(GeneralisedNewton, ChainWithLossGivesTheLastBallItsShare) {
  // The last of N equal balls leaves with ((1 + e) / 2)^(N-1), as after successive impacts; the others go together.
  const double e = 0.8;
  for (const Index n : {3, 6}) {
    const double last = std::pow(0.5 * (1.0 + e), static_cast<double>(n - 1));
    const double rest = (1.0 - last) / static_cast<double>(n - 1);
    Chain chain(Eigen::VectorXd::Unit(n, 0), 0.0);
    chain.model.add(GeneralisedNewtonImpact{.contacts = chain.contacts, .restitution = reversed(n - 1, last - rest)});
    Eigen::VectorXd expected = Eigen::VectorXd::Constant(n, rest);
    expected[n - 1] = last;
    chain.expect_after(expected);
  }
}

TEST(GeneralisedNewton, ARockingBlockOnThreeContacts) {
  // m = J = 1, contacts at x = -b, b and 0, rows (1, x) of (height, angle). It turned about the left edge with 1 rad/s
  // and falls on the right one, 2 b m/s, the middle with half of it. Asked for: r times that at the left edge,
  //   u+ = (2 b r, 0, b r),   with r above what e = 0 gives, (J - m b^2) / (J + m b^2).
  const double b = 0.5, r = 0.8;
  ASSERT_GT(r, (1.0 - b * b) / (1.0 + b * b));
  const std::vector<double> places{-b, b, 0.0};
  for (const bool middle : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto block = model.add(LagrangianLinearSystem{.q0 = {0.0, 0.0}, .v0 = {-b, -1.0}});
    std::vector<InteractionHandle> contacts;
    for (std::size_t i = 0; i < (middle ? 3U : 2U); ++i)
      contacts.push_back(model.link(block, LagrangianLinearRelation{.H = {{1.0, places[i]}}}, NewtonImpactLaw{}));
    Eigen::MatrixXd E = Eigen::MatrixXd::Zero(std::ssize(contacts), std::ssize(contacts));
    E(0, 1) = E(1, 0) = r;
    if (middle) E(2, 2) = r;
    model.add(GeneralisedNewtonImpact{.contacts = contacts, .restitution = E});
    TimeStepping stepping(model, {.step = 1e-3});
    ASSERT_TRUE(stepping.step());
    const EventDriven events(model, {});
    for (const State& state : {stepping.state(), events.state()}) {
      EXPECT_NEAR(state.v(block)[0], b * r, kExact) << middle;
      EXPECT_NEAR(state.v(block)[1], -r, kExact) << middle;
    }
  }
}

TEST(GeneralisedNewton, ContactsBesideTheMatrixKeepTheirOwnLaw) {
  // Four balls, all three contacts are hit, u- = (-1, -1, -1): the matrix has the first two and asks for (0.5, 0.7),
  // the third one has its own e = 0.4. p = W^-1 (1.5, 1.7, 1.4) with 4 W^-1 = (3, 2, 1; 2, 4, 2; 1, 2, 3), all of it >
  // 0.
  Chain chain(Eigen::Vector4d(3.0, 2.0, 1.0, 0.0), 0.4);
  chain.model.add(GeneralisedNewtonImpact{.contacts = {chain.contacts[0], chain.contacts[1]},
                                          .restitution = Eigen::Matrix2d{{0.0, 0.5}, {0.7, 0.0}}});
  chain.expect_after(Eigen::Vector4d(0.675, 1.175, 1.875, 2.275));
}

TEST(GeneralisedNewton, FrictionStaysAsTheLawsSay) {
  // A thin bar (m = J = 1) falls flat on both ends, b from its centre, and on a third foot below the centre that lies
  // b / 8 higher and is not hit: u_N- = (-0.8, -1.2), and (0 1; 1 0) / 2 asks for (0.6, 0.4) in the place of the law's
  // e = 0.9. W = (5, 3; 3, 5) / 4: p_N = (0.55, 0.95). Both ends slide as the bar does, and friction takes mu of 1.5.
  const double b = 0.5, mu = 0.3;
  for (const double slip : {2.0, -2.0, 0.3}) {
    NonSmoothDynamicalSystem model;
    const auto bar = model.add(PlanarBody{.velocity = {slip, -1.0}, .angular_velocity = -0.4});
    std::vector<InteractionHandle> contacts;
    for (const LinkedContact& end :
         link_contacts(model, PlanarContacts({{bar,
                                               {{.shape = PlanarSegment{{-b, 0.0}, {b, 0.0}}},
                                                {.shape = Disk{0.01}, .position = {0.0, b / 8.0 + 0.01}}}}},
                                             {{.shape = HalfPlane{}}},
                                             NewtonImpactFrictionLaw{.restitution = 0.9, .friction = mu})))
      contacts.push_back(end.interaction);
    ASSERT_EQ(contacts.size(), 3U);
    const Eigen::Matrix3d E{{0.0, 0.5, 0.0}, {0.5, 0.0, 0.0}, {0.0, 0.0, 0.9}};
    model.add(GeneralisedNewtonImpact{.contacts = contacts, .restitution = E});
    TimeStepping stepping(model, {.integrator = MoreauJean{.configuration_weight = 0.0}, .step = 1e-3});
    const StepReport report = stepping.step();
    ASSERT_TRUE(report) << report.message();
    const EventDriven events(model, {});
    // Certified to 1e-9 or so of 2 m/s, with H of the bar that lies flat.
    const double kept = std::abs(slip) > 1.5 * mu ? slip - std::copysign(1.5 * mu, slip) : 0.0;
    for (const State& state : {stepping.state(), events.state()}) {
      EXPECT_NEAR(state.v(bar)[0], kept, 1e-8) << slip;
      EXPECT_NEAR(state.v(bar)[1], 0.5, 1e-8) << slip;
      EXPECT_NEAR(state.v(bar)[2], -0.2, 1e-8) << slip;
    }
  }
}

TEST(GeneralisedNewton, EnergyIsToldBeforeAndAfter) {
  Chain chain(Eigen::Vector3d(1.0, 0.0, 0.0), 0.0);
  const State start = chain.model.initial_state();
  const auto ratio = [&](const Eigen::Matrix2d& E) {
    return restitution_energy_ratio(chain.model, start, {.contacts = chain.contacts, .restitution = E});
  };
  EXPECT_NEAR(ratio(0.7 * Eigen::Matrix2d::Identity()), 0.49, kExact);
  EXPECT_NEAR(ratio(reversed(2, 1.1)), 1.21, kExact);
  // (0 0; 1 0): (2/3) u_1^2 over (2/3) (u_1^2 + u_1 u_2 + u_2^2), largest at u_2 = -u_1 / 2.
  EXPECT_NEAR(ratio(Eigen::Matrix2d{{0.0, 0.0}, {1.0, 0.0}}), 4.0 / 3.0, kExact);
  // u- = (-1, 0), E = 1.1 (0 1; 1 0): energy of relative motion 1.21 / 3 - 1 / 3 is gained.
  chain.model.add(GeneralisedNewtonImpact{.contacts = chain.contacts, .restitution = reversed(2, 1.1)});
  TimeStepping stepping(chain.model, {.step = 1e-3});
  EventDriven events(chain.model, {});
  ASSERT_TRUE(stepping.step());
  ASSERT_TRUE(events.advance_to(0.1));
  for (const RunRemarks& findings : {stepping.findings(), events.findings()}) {
    const auto told = std::find_if(findings.begin(), findings.end(),
                                   [](const RunRemark& one) { return one.kind == RunRemark::Kind::ImpactGain; });
    ASSERT_NE(told, findings.end());
    EXPECT_NEAR(told->worst, 0.07, kExact);
  }
}

TEST(GeneralisedNewton, JointsAndPrescribedVelocitiesCountInTheEnergy) {
  // u- = (0, -1), u+ = (1, 0) by E = (0 1; 1 0): the ratio is W_22 / W_11, and a step attains it.
  const auto expect_ratio = [](NonSmoothDynamicalSystem model, const std::vector<InteractionHandle>& contacts,
                               const Eigen::VectorXd& masses, double expected) {
    const GeneralisedNewtonImpact impact{.contacts = contacts, .restitution = reversed(2)};
    EXPECT_NEAR(restitution_energy_ratio(model, model.initial_state(), impact), expected, kExact);
    model.add(impact);
    TimeStepping stepping(model, {.step = 1e-3});
    const auto energy = [&] { return stepping.state().unknowns.cwiseAbs2().dot(masses); };
    const double before = energy();
    ASSERT_TRUE(stepping.step());
    EXPECT_NEAR(energy(), expected * before, kExact);
  };
  {  // Two unit masses on two walls, the first geared to a mass of 3: W = diag(1/4, 1).
    NonSmoothDynamicalSystem model;
    const auto first = model.add(mass_point(1.0, 0.0, 0.0, 0.0)), second = model.add(mass_point(1.0, 0.0, 0.0, -1.0)),
               heavy = model.add(mass_point(3.0, 0.0, 0.0, 0.0));
    std::vector<InteractionHandle> contacts;
    for (const auto body : {first, second})
      contacts.push_back(model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}));
    model.link({first, heavy}, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, EqualityLaw{});
    expect_ratio(model, contacts, Eigen::Vector3d(1.0, 1.0, 3.0), 4.0);
  }
  {  // A unit ball on a unit mass that is held, and two free unit balls: W = diag(1, 2).
    NonSmoothDynamicalSystem model;
    LagrangianLinearSystem held = mass_point(1.0, 0.0, 0.0, 0.0);
    held.prescribed = {{0, [](double) { return 0.0; }}};
    const auto base = model.add(held), ball = model.add(mass_point(1.0, 0.0, 0.0, 0.0)),
               left = model.add(mass_point(1.0, 0.0, 0.0, 0.5)), right = model.add(mass_point(1.0, 0.0, 0.0, -0.5));
    const LagrangianLinearRelation apart{.H = {{-1.0, 1.0}}};
    const std::vector<InteractionHandle> contacts{model.link({base, ball}, apart, NewtonImpactLaw{}),
                                                  model.link({left, right}, apart, NewtonImpactLaw{})};
    expect_ratio(model, contacts, Eigen::Vector4d::Ones(), 2.0);
    // A contact with what is held on both sides moves by no impulse.
    LagrangianLinearSystem other = held;
    const auto wall = model.add(other);
    const auto still = model.link({base, wall}, apart, NewtonImpactLaw{});
    const State start = model.initial_state();
    expect_refused(
        [&] {
          (void)restitution_energy_ratio(model, start, {{still, contacts[0]}, reversed(2)});
        },
        {"prescribed velocities"});
  }
}

TEST(GeneralisedNewton, WhatSeparatesOrRestsAsksForNothing) {
  // The upper contact rests, the lower one separates while it is still closed: nothing is let in by E_ij u-_j > 0.
  const double h = 1e-3;
  NonSmoothDynamicalSystem model;
  const auto left = model.add(mass_point(1.0, 0.0, -1e-4, 0.1)),
             right = model.add(mass_point(1.0, -kGravity, 0.0, 0.0));
  std::vector<InteractionHandle> contacts;
  for (const auto body : {left, right})
    contacts.push_back(model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}));
  model.add(GeneralisedNewtonImpact{.contacts = contacts, .restitution = reversed(2)});
  TimeStepping stepping(model, {.step = h});
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(stepping.step());
    EXPECT_EQ(stepping.state().v(right)[0], 0.0);
    EXPECT_EQ(stepping.state().v(left)[0], 0.1);
  }
}

TEST(GeneralisedNewton, AContactThatIsRemovedLeavesTheMatrix) {
  Chain chain(Eigen::Vector3d(1.0, 0.0, 0.0), 0.0);
  chain.model.add(
      GeneralisedNewtonImpact{.contacts = chain.contacts, .restitution = Eigen::Matrix2d{{0.5, 1.0}, {1.0, 0.2}}});
  chain.model.remove(chain.contacts[1]);
  ASSERT_EQ(chain.model.impact_matrices().size(), 1U);
  EXPECT_EQ(chain.model.impact_matrices()[0].restitution, (Eigen::MatrixXd{{0.5}}));
  chain.expect_after(Eigen::Vector3d(0.25, 0.75, 0.0));
  chain.model.remove(chain.contacts[0]);
  EXPECT_TRUE(chain.model.impact_matrices().empty());
}

TEST(GeneralisedNewton, WhatDoesNotFitIsTold) {
  const auto refused = [](const std::function<GeneralisedNewtonImpact(Chain&)>& make,
                          const std::vector<std::string>& parts) {
    Chain chain(Eigen::Vector3d(1.0, 0.0, 0.0), 0.0);
    const GeneralisedNewtonImpact impact = make(chain);
    expect_refused([&] { chain.model.add(impact); }, parts);
  };
  const Eigen::MatrixXd E = reversed(2);
  refused([](Chain&) { return GeneralisedNewtonImpact{}; }, {"contacts", "at least one"});
  refused([&](Chain& c) { return GeneralisedNewtonImpact{{c.contacts[0]}, E}; }, {"restitution"});
  refused([&](Chain& c) { return GeneralisedNewtonImpact{{c.contacts[0], c.contacts[0]}, E}; }, {"twice"});
  refused([&](Chain& c) { return GeneralisedNewtonImpact{c.contacts, -E}; }, {"restitution", ">= 0"});
  refused(
      [&](Chain& c) {
        return GeneralisedNewtonImpact{c.contacts, std::numeric_limits<double>::infinity() * Eigen::Matrix2d::Ones()};
      },
      {"restitution"});
  refused(
      [&](Chain& c) {
        c.model.add(GeneralisedNewtonImpact{c.contacts, E});
        return GeneralisedNewtonImpact{{c.contacts[1]}, Eigen::MatrixXd{{0.5}}};
      },
      {"contact 2", "twice"});
  refused(
      [&](Chain& c) {
        const auto other = c.model.link(c.balls[0], LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{}, "wall");
        return GeneralisedNewtonImpact{{other}, Eigen::MatrixXd{{0.5}}};
      },
      {"wall", "NewtonImpactLaw"});
  refused(
      [&](Chain& c) {
        const auto other =
            c.model.link({c.balls[0], c.balls[1]}, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}},
                         NewtonImpactLaw{}, "walls");
        return GeneralisedNewtonImpact{{other}, Eigen::MatrixXd{{0.5}}};
      },
      {"walls", "2 blocks"});
  refused(
      [&](Chain& c) {
        c.model.remove(c.contacts[1]);
        return GeneralisedNewtonImpact{c.contacts, E};
      },
      {"stale handle"});
  Chain chain(Eigen::Vector3d(1.0, 0.0, 0.0), 0.0);
  chain.model.add(GeneralisedNewtonImpact{chain.contacts, E});
  expect_refused([&] { TimeStepping(chain.model, {.integrator = SchatzmanPaoli{}, .step = 1e-3}); },
                 {"GeneralisedNewtonImpact", "contact 1"});
  const State start = chain.model.initial_state();
  expect_refused(
      [&] {
        (void)restitution_energy_ratio(chain.model, start, {{chain.contacts[0], chain.contacts[0]}, E});
      },
      {"depend on one another"});
}

}  // namespace
}  // namespace nonsmooth::generalised_newton_test
