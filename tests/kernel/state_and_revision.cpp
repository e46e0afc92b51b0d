// SPDX-License-Identifier: Apache-2.0
// A state is all there is: a copy stepped with a fresh workspace gives the same bits. And the model may change between
// steps: interactions and systems come and go, handles of the removed are refused, what lives on keeps its values.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include <model/fingerprint/word_hash.hpp>
#include <problems/models.hpp>
#include <support/parameter_name.hpp>

namespace nonsmooth::state_and_revision_test {
namespace {

/// A pile of disks in a box-like valley, rows of `across`, slightly shifted so that no two contacts are alike.
problems::Model disk_pile(Index across, Index rows) {
  constexpr double r = 0.05;
  problems::Model m;
  std::vector<double> radii;
  for (Index j = 0; j < rows; ++j) {
    for (Index i = 0; i < across; ++i) {
      LagrangianLinearSystem disk;
      disk.mass = Eigen::Vector3d(1.0, 1.0, 0.5 * r * r).asDiagonal();
      disk.force = {0.0, -9.81, 0.0};
      const double shift = 0.3 * r * std::sin(static_cast<double>(7 * j + 3 * i));
      disk.q0 = {2.2 * r * static_cast<double>(i) + shift, 1.05 * r + 2.2 * r * static_cast<double>(j), 0.0};
      m.bodies.push_back(m.system.add(disk));
      radii.push_back(r);
    }
  }
  const double middle = 1.1 * r * static_cast<double>(across - 1);
  FloorProfile floor;
  floor.height = [middle](double x) { return 0.1 * (x - middle) * (x - middle); };
  floor.slope = [middle](double x) { return 0.2 * (x - middle); };
  floor.curvature = [](double) { return 0.2; };
  m.system.detect(std::make_shared<DiskContacts>(m.bodies, radii, NewtonImpactFrictionLaw{0.3, 0.3, 0.0}, floor));
  m.options.step = 2e-3;
  m.steps = 300;
  return m;
}

/// A double-well oscillator against a curved stop, everything by callables.
problems::Model nonlinear_stop() {
  problems::Model m;
  LagrangianSystem system;
  system.mass = [](ConstVectorRef q, MatrixRef M) {
    M(0, 0) = 2.0 + std::cos(q[1]);
    M(1, 1) = 1.0;
    M(0, 1) = M(1, 0) = 0.2;
  };
  system.force = [](double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) {
    F[0] = -9.81 - 0.1 * v[0] + std::sin(3.0 * t);
    F[1] = q[1] - q[1] * q[1] * q[1];
  };
  system.q0 = {1.0, 0.1};
  m.bodies = {m.system.add(system)};
  ScleronomousRelation stop;
  stop.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[0] + 0.1 * q[1] * q[1]; };
  stop.H = [](ConstVectorRef q, MatrixRef H) { H << 1.0, 0.2 * q[1]; };
  m.contacts = {m.system.link(m.bodies[0], stop, NewtonImpactLaw{0.7})};
  m.options.step = 2e-3;
  m.steps = 1000;
  return m;
}

/// 2 x 2 sparse mass-spring chain of 40 masses against a stop: the sparse path.
problems::Model sparse_chain() {
  constexpr Index n = 40;
  problems::Model m;
  Eigen::SparseMatrix<double> K(n, n);
  for (Index i = 0; i < n; ++i) {
    K.insert(i, i) = 2000.0;
    if (i > 0) K.insert(i, i - 1) = -1000.0;
    if (i + 1 < n) K.insert(i, i + 1) = -1000.0;
  }
  LagrangianLinearSystem chain;
  chain.stiffness = K;
  chain.q0 = Eigen::VectorXd::LinSpaced(n, 0.0, 1.0);
  chain.force = [](double t, VectorRef f) { f[f.size() - 1] = 100.0 * std::sin(5.0 * t); };
  m.bodies = {m.system.add(chain)};
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, n);
  H(0, n - 1) = 1.0;
  LagrangianLinearRelation stop;
  stop.H = H;
  m.contacts = {m.system.link(m.bodies[0], stop, NewtonImpactLaw{0.5})};
  m.options.step = 1e-3;
  m.steps = 1000;
  return m;
}

struct Case {
  const char* name;
  problems::Model (*make)();
  Index steps;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class CopiedState : public testing::TestWithParam<Case> {};

TEST_P(CopiedState, StepsToTheSameBits) {
  const problems::Model m = GetParam().make();
  const Index between = GetParam().steps / 5;
  State state = m.system.initial_state();
  Workspace workspace;
  // At several instants (in flight, in contact, at rest): copy, step 100 with a fresh workspace, compare.
  for (int start = 0; start < 5; ++start) {
    State copy = state;
    ASSERT_EQ(hash_of(copy), hash_of(state));
    Workspace fresh;
    State original = state;
    for (int k = 0; k < 100; ++k) {
      ASSERT_TRUE(step(m.system, m.options, m.options.step, original, workspace).taken);
      ASSERT_TRUE(step(m.system, m.options, m.options.step, copy, fresh).taken);
      ASSERT_EQ(hash_of(copy), hash_of(original))
          << "copied at step " << state.k << ", parted after " << k + 1 << " steps";
    }
    for (Index k = 0; k < between; ++k) step(m.system, m.options, m.options.step, state, workspace);
  }
}

TEST_P(CopiedState, DoesNotRememberAnotherStepLengthOrState) {
  // A workspace that has just served another step length and another state leaves no trace.
  const problems::Model m = GetParam().make();
  State state = m.system.initial_state();
  Workspace workspace;
  for (int k = 0; k < 50; ++k) step(m.system, m.options, m.options.step, state, workspace);
  State reference = state, other = m.system.initial_state(), tested = state;
  Workspace fresh;
  for (int k = 0; k < 20; ++k) {
    step(m.system, m.options, m.options.step, reference, fresh);
    step(m.system, m.options, 0.5 * m.options.step, other, workspace);
    step(m.system, m.options, m.options.step, tested, workspace);
    ASSERT_EQ(hash_of(tested), hash_of(reference)) << "after " << k + 1 << " steps";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CopiedState,
                         testing::Values(Case{"BouncingBall", [] { return problems::bouncing_ball(); }, 2000},
                                         Case{"BouncingDisk", [] { return problems::bouncing_disk(); }, 1000},
                                         Case{"Tilted", [] { return problems::bouncing_ball_tilted(); }, 400},
                                         Case{"MovingPlane", [] { return problems::ball_on_moving_plane(); }, 2000},
                                         Case{"DiodeBridge", [] { return problems::diode_bridge(); }, 4000},
                                         Case{"DiodeBridgeFilter", [] { return problems::diode_bridge_filter(); },
                                              4000},
                                         Case{"Converter", [] { return problems::resonant_converter(); }, 2000},
                                         Case{"Relay", [] { return problems::simple_relay(); }, 700},
                                         Case{"RelayOscillator", [] { return problems::relay_oscillator(); }, 1000},
                                         Case{"DiskPile", [] { return disk_pile(10, 6); }, 300},
                                         Case{"Nonlinear", [] { return nonlinear_stop(); }, 1000},
                                         Case{"SparseChain", [] { return sparse_chain(); }, 1000}),
                         test::parameter_name);

TEST(State, HashSeesEveryPart) {
  const problems::Model m = disk_pile(3, 1);
  State state = m.system.initial_state();
  const auto base = hash_of(state);
  const auto changed = [&](auto&& change) {
    State copy = state;
    change(copy);
    return hash_of(copy) != base;
  };
  EXPECT_TRUE(changed([](State& s) { s.t = std::nextafter(s.t, 1.0); }));
  EXPECT_TRUE(changed([](State& s) { s.t_origin = 1.0; }));
  EXPECT_TRUE(changed([](State& s) { s.grid_step = 1.0; }));
  EXPECT_TRUE(changed([](State& s) { ++s.k; }));
  EXPECT_TRUE(changed([](State& s) { s.positions[4] = std::nextafter(s.positions[4], 9.0); }));
  EXPECT_TRUE(changed([](State& s) { s.unknowns[2] = -0.0; })) << "a sign of zero is a bit";
  EXPECT_TRUE(changed([](State& s) { s.contacts.push_back({.feature = 1}); }));
}

/// Words k^2 0x9e3779b97f4a7c15 + k, k = 1 to n; the hashes are those of libxxhash 0.8.1, XXH64 with the seed 0.
TEST(State, HashOfWordsIsThatOfItsReference) {
  const std::map<std::uint64_t, std::uint64_t> expected = {
      {0, 0xef46db3751d8e999}, {1, 0xe3f1d00a78c07d1e}, {3, 0x8563bf1061d4d017}, {4, 0x5e94dc9a1014ef36},
      {5, 0xa92198cac6e7cbeb}, {7, 0x8c9e7db515aab8a9}, {8, 0x9e0db8d31a371258}, {21, 0x3f6d9509c2242761}};
  for (const auto& [count, value] : expected) {
    WordHash one_by_one;
    std::vector<double> numbers;
    for (std::uint64_t k = 1; k <= count; ++k) {
      const std::uint64_t word = k * k * 0x9e3779b97f4a7c15 + k;
      one_by_one.add(word);
      numbers.push_back(std::bit_cast<double>(word));
    }
    EXPECT_EQ(one_by_one.value(), value) << count << " words";
    for (std::size_t first = 0; first <= numbers.size(); ++first) {  // a list from every place in a stripe
      WordHash lists;
      lists.add(numbers.data(), first);
      lists.add(numbers.data() + first, numbers.size() - first);
      EXPECT_EQ(lists.value(), value) << count << " words, " << first << " of them before";
    }
  }
}

TEST(Edit, AddsAContactWhileRunning) {
  // One ball falls; the floor is linked at 0.3 s. The run equals one that had the floor all along, for the contact is
  // out of reach before.
  problems::Model with = problems::bouncing_ball(), without = problems::bouncing_ball();
  without.system.remove(without.contacts[0]);
  TimeStepping always(with.system, with.options), late(without.system, without.options);
  const State start = late.state();
  always.advance_to(0.3);
  late.advance_to(0.3);
  InteractionHandle floor;
  late.edit([&](NonSmoothDynamicalSystem& model) {
    floor =
        model.link(without.bodies[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {}}, NewtonImpactLaw{0.9});
  });
  EXPECT_NE(start.layout(), late.state().layout()) << "an edit makes a new revision";
  EXPECT_EQ(late.state().y(floor)[0], late.state().q(without.bodies[0])[0]) << "outputs are there at once";
  EXPECT_EQ(late.state().k, 60);
  for (int k = 0; k < 500; ++k) {
    always.step();
    late.step();
    ASSERT_EQ(late.state().t, always.state().t);
    ASSERT_EQ(late.state().q(without.bodies[0])[0], always.state().q(with.bodies[0])[0]) << "step " << k;
    ASSERT_EQ(late.state().v(without.bodies[0])[0], always.state().v(with.bodies[0])[0]) << "step " << k;
    ASSERT_EQ(late.state().impulse(floor)[0], always.state().impulse(with.contacts[0])[0]) << "step " << k;
  }
}

TEST(Edit, RemovesAContactWhileRunning) {
  problems::Model m = problems::bouncing_ball();
  TimeStepping simulation(m.system, m.options);
  simulation.advance_to(9.5);  // at rest on the floor since 8.58 s
  ASSERT_GT(simulation.state().impulse(m.contacts[0])[0], 0.0);
  const double q = simulation.state().q(m.bodies[0])[0];
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(m.contacts[0]); });
  EXPECT_THROW((void)simulation.state().y(m.contacts[0]), InvalidArgument);
  EXPECT_EQ(simulation.model().num_interactions(), 0);
  simulation.advance_to(10.5);
  // Free fall over one second, exact for theta = 1/2; it starts from |v| <= g h, as a resting contact leaves it, and
  // 200 steps round q ~ 5 m each.
  EXPECT_NEAR(simulation.state().q(m.bodies[0])[0], q - 0.5 * 9.81, 9.81 * 5e-3 + 200 * 4e-15);
}

TEST(Edit, WhatLivesOnKeepsItsValues) {
  problems::Model m = problems::bouncing_ball();
  TimeStepping simulation(m.system, m.options);
  simulation.advance_to(9.0);
  const State before = simulation.state();
  LagrangianLinearSystem newcomer;
  newcomer.q0 = {3.0};
  newcomer.v0 = {-1.0};
  SystemHandle second;
  InteractionHandle contact;
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    second = model.add(newcomer);
    contact = model.link(second, LagrangianLinearRelation{.H = {{2.0}}, .b = {1.0}}, NewtonImpactLaw{});
  });
  const State& after = simulation.state();
  EXPECT_EQ(after.t, before.t);
  EXPECT_EQ(after.k, before.k);
  EXPECT_EQ(after.q(m.bodies[0]), before.q(m.bodies[0]));
  EXPECT_EQ(after.v(m.bodies[0]), before.v(m.bodies[0]));
  EXPECT_EQ(after.impulse(m.contacts[0]), before.impulse(m.contacts[0])) << "the warm start is carried over";
  EXPECT_EQ(after.y(m.contacts[0]), before.y(m.contacts[0]));
  EXPECT_EQ(after.q(second)[0], 3.0);
  EXPECT_EQ(after.v(second)[0], -1.0);
  EXPECT_EQ(after.y(contact)[0], 7.0);
  EXPECT_EQ(after.u(contact)[0], -2.0);
  EXPECT_EQ(after.impulse(contact)[0], 0.0);
}

TEST(Edit, MigrationOfAnOldStateIsWhatEditDoes) {
  problems::Model m = problems::bouncing_ball();
  TimeStepping simulation(m.system, m.options);
  simulation.advance_to(1.0);
  const State old = simulation.state();
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.link(m.bodies[0], LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}}, .b = {1.0}}, NewtonImpactLaw{});
  });
  const State migrated = simulation.model().migrate(old);
  EXPECT_EQ(hash_of(migrated), hash_of(simulation.state()));
  simulation.set_state(migrated);
  EXPECT_TRUE(simulation.step().ok());
}

TEST(Edit, ManyComeAndGo) {
  // Balls are dropped and taken away in turn; the ones that stay move as if alone (they share no contact).
  problems::Model m = problems::bouncing_ball();
  TimeStepping alone(m.system, m.options), busy(m.system, m.options);
  std::vector<std::pair<SystemHandle, InteractionHandle>> guests;
  for (int round = 0; round < 20; ++round) {
    busy.edit([&](NonSmoothDynamicalSystem& model) {
      if (guests.size() == 3) {
        model.remove(guests.front().second);
        model.remove(guests.front().first);
        EXPECT_THROW(model.remove(guests.front().first), InvalidArgument);
        guests.erase(guests.begin());
      }
      LagrangianLinearSystem guest;
      guest.force = {-9.81};
      guest.q0 = {0.2};
      const auto body = model.add(guest);
      guests.emplace_back(body,
                          model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {}}, NewtonImpactLaw{0.5}));
    });
    for (int k = 0; k < 30; ++k) {
      ASSERT_TRUE(busy.step().ok());
      ASSERT_TRUE(alone.step().ok());
    }
    ASSERT_EQ(busy.state().q(m.bodies[0]), alone.state().q(m.bodies[0])) << "round " << round;
    for (const auto& [body, contact] : guests) ASSERT_EQ(busy.state().q(body)[0], busy.state().y(contact)[0]);
  }
  EXPECT_EQ(busy.model().num_systems(), 4);
  EXPECT_EQ(busy.model().num_interactions(), 4);
}

TEST(Edit, ACopyOfTheModelIsNotChanged) {
  problems::Model m = problems::bouncing_ball();
  TimeStepping simulation(m.system, m.options);
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(m.contacts[0]); });
  EXPECT_EQ(m.system.num_interactions(), 1);
  EXPECT_NO_THROW((void)m.system.initial_state().y(m.contacts[0]));
}

TEST(Handles, AreNotReused) {
  NonSmoothDynamicalSystem model;
  LagrangianLinearSystem ball;
  ball.q0 = {1.0};
  const auto first = model.add(ball);
  model.remove(first);
  const auto second = model.add(ball);
  EXPECT_FALSE(first == second);
  EXPECT_THROW((void)model.layout()->at(first), InvalidArgument);
  EXPECT_EQ(model.layout()->index(second), 0);
}

TEST(Edit, ThatChangesNothingKeepsTheRunAlive) {
  // The copy that an edit works on keeps its revision, so that caches stand: they must not lean on the model before it.
  auto m = problems::bouncing_disk();
  TimeStepping edited(m.system, m.options), plain(m.system, m.options);
  for (int k = 0; k < 300; ++k) {
    edited.edit([](NonSmoothDynamicalSystem&) {});
    ASSERT_TRUE(edited.step());
    ASSERT_TRUE(plain.step());
    ASSERT_EQ(hash_of(edited.state()), hash_of(plain.state())) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::state_and_revision_test
