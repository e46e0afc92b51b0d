// SPDX-License-Identifier: Apache-2.0
// Surfaces that move, disks with any contact law, and contacts that a function drops or gives another law.
//
// The solver leaves 1e-11 of velocities of about 1 m/s a step, times the condition of W, below 100: 1e-6 after the 1000
// steps at most, kAgree; of angular velocities 1 / R as much.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::conveyors_and_filters_test {
namespace {

using namespace bad_input;

constexpr double g = 9.81, h = 1e-3, R = 0.1, m = 2.0, kAgree = 1e-6;

TimeSteppingOptions options() { return {.step = h, .solver = mixed::Automatic{.tolerance = 1e-11}}; }

FloorProfile flat(Index material = 0) {
  const auto zero = [](double) { return 0.0; };
  return {.height = zero, .slope = zero, .curvature = zero, .material = material};
}

struct Disks {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;
  std::vector<double> radii;

  /// I = inertia m R^2.
  SystemHandle add(const Eigen::Vector3d& q0, const Eigen::Vector3d& v0, double inertia = 0.5, double gravity = g) {
    bodies.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, inertia * m * R * R).asDiagonal(),
                                                      .force = {0.0, -m * gravity, 0.0},
                                                      .q0 = q0,
                                                      .v0 = v0}));
    radii.push_back(R);
    return bodies.back();
  }
};

constexpr double kNeverTurns = 1e9;  ///< inertia / (m R^2) of what is a block: it turns by 1e-9 of its way

TEST(Conveyor, CarriesABlockToItsSpeed) {
  // v = mu g t until V, at V / (mu g); friction does work on the block alone, m V^2 / 2.
  const double mu = 0.3, V = 0.5;
  for (const double belt : {V, -V}) {
    Disks disks;
    const SystemHandle block = disks.add({0.0, R, 0.0}, Eigen::Vector3d::Zero(), kNeverTurns);
    FloorProfile floor = flat();
    floor.surface_velocity = [belt](double, double) { return belt; };
    disks.model.detect(DiskContacts(disks.bodies, disks.radii, NewtonImpactFrictionLaw{.friction = mu}, floor));
    TimeStepping run(disks.model, options());
    Ledger ledger(run);
    const RunReport report = run.advance_to(0.3, [&](const State& state) {
      ledger.record(state);
      EXPECT_NEAR(state.v(block)[0], std::clamp(mu * g * state.t, 0.0, V) * belt / V, kAgree) << state.t;
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(ledger.total().friction, 0.5 * m * V * V, 1e-5);
    EXPECT_NEAR(ledger.total().numerical, 0.0, 1e-5);
  }
}

TEST(Conveyor, IsARheonomousRelationWhereItIsLinked) {
  const double mu = 0.3, V = 0.5;
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{
      .mass = (m * Eigen::Vector2d::Ones()).asDiagonal(), .force = {0.0, -m * g}, .q0 = {0.0, 0.0}});
  model.link(block,
             RheonomousRelation{.rows = 2,
                                .h = [V](double t, ConstVectorRef q, VectorRef y) { y << q[1], q[0] - V * t; },
                                .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 1) = H(1, 0) = 1.0; },
                                .h_t = [V](double, ConstVectorRef, VectorRef value) { value << 0.0, -V; }},
             NewtonImpactFrictionLaw{.friction = mu});
  TimeStepping run(model, options());
  Ledger ledger(run);
  const RunReport report = run.advance_to(0.3, [&](const State& state) {
    ledger.record(state);
    EXPECT_NEAR(state.v(block)[0], std::min(mu * g * state.t, V), kAgree) << state.t;
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(ledger.total().friction, 0.5 * m * V * V, 1e-5);
}

TEST(Conveyor, RollsADiskUp) {
  // The slip V - v - R w falls by 3 mu g: at V / (3 mu g) the disk rolls on the belt with v = V / 3.
  const double mu = 0.3, V = 0.6;
  Disks disks;
  const SystemHandle disk = disks.add({0.0, R, 0.0}, Eigen::Vector3d::Zero());
  FloorProfile floor = flat();
  floor.surface_velocity = [V](double, double) { return V; };
  disks.model.detect(DiskContacts(disks.bodies, disks.radii, NewtonImpactFrictionLaw{.friction = mu}, floor));
  TimeStepping run(disks.model, options());
  const RunReport report = run.advance_to(0.2, [&](const State& state) {
    const double v = std::min(mu * g * state.t, V / 3.0);
    EXPECT_NEAR(state.v(disk)[0], v, kAgree) << state.t;
    EXPECT_NEAR(state.v(disk)[2], 2.0 * v / R, kAgree / R) << state.t;
  });
  ASSERT_TRUE(report) << report.message();
}

// A cart of mass M on a floor without friction has a belt that runs at V against it; a block on it is taken along by
// mu g, and the cart goes back, until the block goes at V against the cart: m v_block + M v_cart = 0.
constexpr double kCart = 8.0, kMu = 0.3, kBelt = 0.5;
double block_speed(double t) { return std::min(kMu * g * t, kBelt * kCart / (m + kCart)); }

void expect_carried(const NonSmoothDynamicalSystem& model, SystemHandle cart, SystemHandle block) {
  TimeStepping run(model, options());
  Ledger ledger(run);
  const RunReport report = run.advance_to(0.3, [&](const State& state) {
    ledger.record(state);
    EXPECT_NEAR(state.v(block)[0], block_speed(state.t), 10.0 * kAgree) << state.t;
    EXPECT_NEAR(state.v(cart)[0], -m / kCart * block_speed(state.t), 10.0 * kAgree) << state.t;
  });
  ASSERT_TRUE(report) << report.message();
  // What the belt gives: the energy that both have.
  const double v = block_speed(1.0);
  EXPECT_NEAR(ledger.total().friction, 0.5 * m * v * v * (1.0 + m / kCart), 1e-5);
  EXPECT_TRUE(report.findings.empty()) << report.findings.front().message();  // the belt works: no energy from nowhere
}

TEST(Conveyor, OnACartInThePlaneTakesABlockAlong) {
  const auto box = [](double length, double height) {
    return ConvexPolygon{{{-length, -height}, {length, -height}, {length, height}, {-length, height}}};
  };
  for (const double turn : {0.0, std::numbers::pi}) {  // the belt is then below, in its own axes, and runs backwards
    for (const bool cart_is_first : {false, true}) {
      NonSmoothDynamicalSystem model;
      const auto cart = model.add(PlanarBody{
          .mass = kCart, .inertia = 3.0, .position = {0.0, 0.1}, .angle = turn, .gravity = {0.0, -g}, .name = "cart"});
      const auto block = model.add(
          PlanarBody{.mass = m, .inertia = 0.02, .position = {0.0, 0.3}, .gravity = {0.0, -g}, .name = "block"});
      const Eigen::Vector2d along(turn == 0.0 ? kBelt : -kBelt, 0.0);
      const PlanarBodyShapes on_cart{
          cart, {{.shape = box(1.0, 0.1), .surface_velocity = [=](const Eigen::Vector2d& at, double) {
                    EXPECT_LE(std::abs(at.y()), 0.1 + 1e-9);  // in the cart's axes
                    EXPECT_LE(std::abs(at.x()), 1.0 + 1e-9);
                    return along;
                  }}}};
      const PlanarBodyShapes on_block{block, {{.shape = box(0.1, 0.1), .material = 1}}};
      const std::vector<PlanarBodyShapes> bodies =
          cart_is_first ? std::vector{on_cart, on_block} : std::vector{on_block, on_cart};
      model.detect(PlanarContacts(bodies, {{.shape = HalfPlane{}, .mask = 1}},
                                  {NewtonImpactLaw{}, NewtonImpactFrictionLaw{.friction = kMu}},
                                  ContactMaterials(2).set_law(0, 0, 0).set_law(0, 1, 1)));
      expect_carried(model, cart, block);
    }
  }
}

TEST(Conveyor, OnACartInSpaceTakesABlockAlong) {
  for (const double turn : {0.0, std::numbers::pi}) {
    for (const bool cart_is_first : {false, true}) {
      NonSmoothDynamicalSystem model;
      // About the upright axis.
      const auto cart = model.add(RigidBody{.mass = kCart,
                                            .inertia = Eigen::Vector3d(3.0, 3.0, 5.0).asDiagonal(),
                                            .position = {0.0, 0.0, 0.1},
                                            .orientation = {std::cos(0.5 * turn), 0.0, 0.0, std::sin(0.5 * turn)},
                                            .gravity = {0.0, 0.0, -g},
                                            .name = "cart"});
      const auto block = model.add(RigidBody{.mass = m,
                                             .inertia = 0.02 * Eigen::Matrix3d::Identity(),
                                             .position = {0.0, 0.0, 0.3},
                                             .gravity = {0.0, 0.0, -g},
                                             .name = "block"});
      const Eigen::Vector3d along(turn == 0.0 ? kBelt : -kBelt, 0.0, 0.0);
      const BodyShapes on_cart{cart,
                               {{.shape = Box{Eigen::Vector3d(1.0, 0.5, 0.1)},
                                 .surface_velocity = [=](const Eigen::Vector3d&, double) { return along; }}}};
      const BodyShapes on_block{block, {{.shape = Box{Eigen::Vector3d(0.1, 0.1, 0.1)}, .material = 1}}};
      const std::vector<BodyShapes> bodies =
          cart_is_first ? std::vector{on_cart, on_block} : std::vector{on_block, on_cart};
      model.detect(BodyContacts(bodies, {{.shape = HalfSpace{}}},
                                {NewtonImpactLaw{}, NewtonImpactFrictionLaw{.friction = kMu, .dimension = 3}},
                                ContactMaterials(2).set_law(0, 0, 0).set_law(0, 1, 1)));
      expect_carried(model, cart, block);
    }
  }
}

TEST(Conveyor, OnATurnedBodyMovesByItsFieldWhereItIsTouched) {
  // A turntable V = W z x p and a spin w about z in the axes of a cart that is turned and away from the origin: a row
  // of the ball's velocity relative to the material has -t . R (V at R^T (x - P)) while both rest, opposite where the
  // ball is the second; the row of spin -n . R w.
  const double W = 3.0, w = 0.7;
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.9, Eigen::Vector3d(1.0, -2.0, 0.5).normalized()));
  const Eigen::Matrix3d A = turn.toRotationMatrix();
  const Eigen::Vector3d P(4.0, -3.0, 2.0), touched(0.3, 0.2, 0.1);  // on the cart's upper face, in its axes
  const Eigen::Vector3d ball_at = P + A * (touched + Eigen::Vector3d(0.0, 0.0, R));
  for (const bool ball_is_first : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto cart = model.add(RigidBody{.position = P, .orientation = {turn.w(), turn.x(), turn.y(), turn.z()}});
    const auto ball = model.add(RigidBody{.position = ball_at});
    const BodyShapes table{
        cart,
        {{.shape = Box{{0.5, 0.5, 0.1}},
          .surface_velocity = [=](const Eigen::Vector3d& p,
                                  double) { return Eigen::Vector3d(-W * p.y(), W * p.x(), 0.0); },
          .surface_spin = [=](const Eigen::Vector3d&, double) { return Eigen::Vector3d(0.0, 0.0, w); }}}};
    const BodyShapes round{ball, {{.shape = Sphere{R}}}};
    const auto shapes = ball_is_first ? std::vector<BodyShapes>{round, table} : std::vector<BodyShapes>{table, round};
    const BodyContacts source(
        shapes, {}, NewtonImpactRollingFrictionLaw{.friction = 0.3, .rolling = 0.1, .spinning = 0.1, .rows = 6});
    const State state = model.initial_state();
    ContactBatches found = contacts_at(state, source, 1e-3);
    ASSERT_EQ(found.num_contacts(), 1);
    for (const ContactBatch& batch : found) {
      if (batch.size() == 0) continue;
      ASSERT_EQ(batch.rows, 6);
      const double* on_first = batch.H_first(0);
      const double* moves = batch.h_t_of(0);
      ASSERT_NE(moves, nullptr);
      const double sign = ball_is_first ? -1.0 : 1.0;
      const Eigen::Vector3d V = A * Eigen::Vector3d(-W * touched.y(), W * touched.x(), 0.0);
      EXPECT_NEAR(moves[0], 0.0, 1e-14);
      for (int row = 1; row < 3; ++row) {
        const Eigen::Vector3d t(on_first[6 * row], on_first[6 * row + 1], on_first[6 * row + 2]);
        EXPECT_NEAR(moves[row], sign * t.dot(V), 1e-12) << row;
      }
      const Eigen::Vector3d n(on_first[0], on_first[1], on_first[2]);
      EXPECT_NEAR(moves[5], sign * n.dot(A * Eigen::Vector3d(0.0, 0.0, w)), 1e-12);
    }
  }
}

TEST(DisksOfAnyLaw, ObeyTheLawOfTheirMaterials) {
  // Three that roll with v0 on one floor, gone by 1, 2 and 3 rows: one without friction, one that rolls on, one that
  // rolling friction slows by a = rolling g / (3/2 R).
  const double v0 = 0.5, rolling = 0.01, a = rolling * g / (1.5 * R);
  Disks disks;
  for (const double x : {0.0, 5.0, 10.0}) disks.add({x, R, 0.0}, {v0, 0.0, -v0 / R});
  disks.model.detect(DiskContacts(disks.bodies, disks.radii,
                                  {NewtonImpactLaw{}, NewtonImpactFrictionLaw{.friction = 0.3},
                                   NewtonImpactRollingFrictionLaw{.friction = 0.3, .rolling = rolling}},
                                  ContactMaterials(3, 0).set_law(0, 0, 0).set_law(1, 0, 1).set_law(2, 0, 2), {0, 1, 2},
                                  flat()));
  TimeStepping run(disks.model, options());
  const RunReport report = run.advance_to(1.0, [&](const State& state) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double expected = k < 2 ? v0 : std::max(0.0, v0 - a * state.t);
      EXPECT_NEAR(state.v(disks.bodies[k])[0], expected, kAgree) << k << " at " << state.t;
      EXPECT_NEAR(state.v(disks.bodies[k])[2], -expected / R, kAgree / R) << k << " at " << state.t;
    }
    for (const ContactMemory& contact : state.contacts) EXPECT_EQ(contact.rows, (contact.feature >> 32) + 1);
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(run.state().contacts.size(), 3u);
}

TEST(DisksOfAnyLaw, TurnOneAnotherByRollingFriction) {
  // p_N = m / 2 of 1 m/s; p_R = rolling p_N slows the first and turns the second the other way round the contact.
  const double rolling = 0.01, spin = 20.0, change = rolling * 0.5 / (0.5 * R * R);
  Disks disks;
  const SystemHandle first = disks.add({0.0, 0.0, 0.0}, {1.0, 0.0, spin}, 0.5, 0.0);
  const SystemHandle second = disks.add({2.0 * R, 0.0, 0.0}, Eigen::Vector3d::Zero(), 0.5, 0.0);
  disks.model.detect(DiskContacts(disks.bodies, disks.radii, NewtonImpactRollingFrictionLaw{.rolling = rolling}));
  TimeStepping run(disks.model, options());
  ASSERT_TRUE(run.step());
  EXPECT_NEAR(run.state().v(first)[0], 0.5, kAgree);
  EXPECT_NEAR(run.state().v(second)[0], 0.5, kAgree);
  EXPECT_NEAR(run.state().v(first)[2], spin - change, kAgree / R);
  EXPECT_NEAR(run.state().v(second)[2], change, kAgree / R);
}

TEST(DisksOfAnyLaw, RefuseOtherRows) {
  Disks disks;
  disks.add({0.0, R, 0.0}, Eigen::Vector3d::Zero());
  const auto make = [&](const Law& law) { (void)DiskContacts(disks.bodies, disks.radii, law); };
  expect_refused([&] { make(NewtonImpactFrictionLaw{.dimension = 3}); }, {"DiskContacts: law", "3 rows", "(N, T, R)"});
  expect_refused([&] { make(NewtonImpactRollingFrictionLaw{.rows = 5}); }, {"DiskContacts: law", "5 rows"});
  expect_refused([&] { make(NewtonImpactRollingFrictionLaw{.rolling = -1.0}); },
                 {"NewtonImpactRollingFrictionLaw::rolling", "-1"});
  expect_refused([&] { disks.model.detect(DiskContacts(disks.bodies, disks.radii, EqualityLaw{})); },
                 {"ContactSource::laws", "NewtonImpactRollingFrictionLaw"});
}

TEST(FilteredContacts, AFloorThatHoldsFromAbove) {
  // Thrown up through the floor with 5 m/s from 0.6 m inside, the disk passes, turns at 0.774 m and lands with 3.64
  // m/s: at most h |v| = 3.64 mm deep after the step that lands, less than the 5 mm from which on the floor does not
  // hold.
  Disks disks;
  const SystemHandle disk = disks.add({0.0, -0.5, 0.0}, {0.0, 5.0, 0.0});
  const auto source = std::make_shared<DiskContacts>(disks.bodies, disks.radii, NewtonImpactLaw{}, flat());
  disks.model.detect(FilteredContacts(source, [](const DetectedContact& contact, const BodyView& bodies) {
    return contact.gap > -5e-3 && bodies.v[bodies.v_begin[static_cast<std::size_t>(contact.first)] + 1] <= 1e-3
               ? contact.law
               : FilteredContacts::drop;
  }));
  TimeStepping run(disks.model, options());
  double highest = -1.0;
  const RunReport report = run.advance_to(1.5, [&](const State& state) {
    highest = std::max(highest, state.q(disk)[1]);
    if (state.v(disk)[1] > 1e-3) {
      EXPECT_TRUE(state.contacts.empty());
    }
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(highest, -0.5 + 25.0 / (2.0 * g), h * h * g);  // a parabola at its points, within h / 2 of its top
  EXPECT_NEAR(run.state().q(disk)[1], R, 4e-3);
  EXPECT_NEAR(run.state().v(disk)[1], 0.0, kAgree);
}

TEST(FilteredContacts, FrictionThatEnds) {
  // Law 1, without friction, from the step on that begins at 0.1 s: 100 steps with -mu g h each.
  const double mu = 0.3, v0 = 1.0;
  Disks disks;
  const SystemHandle block = disks.add({0.0, R, 0.0}, {v0, 0.0, 0.0}, kNeverTurns);
  const auto source =
      std::make_shared<DiskContacts>(disks.bodies, disks.radii, NewtonImpactFrictionLaw{.friction = mu}, flat());
  disks.model.detect(FilteredContacts(
      source, [](const DetectedContact&, const BodyView& bodies) -> Index { return bodies.t < 0.0995 ? 0 : 1; },
      {NewtonImpactFrictionLaw{}}));
  TimeStepping run(disks.model, options());
  const RunReport report = run.advance_to(0.3, [&](const State& state) {
    EXPECT_NEAR(state.v(block)[0], v0 - mu * g * std::min(state.t, 0.1), kAgree) << state.t;
  });
  ASSERT_TRUE(report) << report.message();
}

TEST(FilteredContacts, KeepTheRowsOfThoseThatStay) {
  // Of four disks on a moving floor the second and third fall through; rows, h_t and bodies of the others are theirs.
  Disks disks;
  for (int k = 0; k < 4; ++k) disks.add({1.0 * k, R, 0.0}, Eigen::Vector3d::Zero());
  FloorProfile floor = flat();
  floor.surface_velocity = [](double x, double) { return x + 1.0; };
  const auto all = std::make_shared<DiskContacts>(disks.bodies, disks.radii, NewtonImpactFrictionLaw{}, floor);
  const FilteredContacts some(all, [](const DetectedContact& contact, const BodyView&) {
    return contact.first % 3 == 0 ? contact.law : FilteredContacts::drop;
  });
  const State state = disks.model.initial_state();
  const ContactBatches before = contacts_at(state, *all), after = contacts_at(state, some);
  ASSERT_EQ(before.num_contacts(), 4);
  ASSERT_EQ(after.num_contacts(), 2);
  const ContactBatch &whole = *before.begin(), &part = *after.begin();
  for (const Index i : {0, 1}) {
    EXPECT_EQ(part.contacts[static_cast<std::size_t>(i)].first, 3 * i);
    EXPECT_EQ(part.contacts[static_cast<std::size_t>(i)].feature,
              whole.contacts[static_cast<std::size_t>(3 * i)].feature);
    EXPECT_EQ(part.h_t_of(i)[1], -(3.0 * static_cast<double>(i) + 1.0));
    for (Index k = 0; k < part.stride(); ++k) EXPECT_EQ(part.H_first(i)[k], whole.H_first(3 * i)[k]);
  }
}

TEST(FilteredContacts, RefuseBadInput) {
  Disks disks;
  disks.add({0.0, R, 0.0}, Eigen::Vector3d::Zero());
  const auto source = std::make_shared<DiskContacts>(disks.bodies, disks.radii, NewtonImpactFrictionLaw{}, flat());
  const auto always = [](Index law) { return [law](const DetectedContact&, const BodyView&) { return law; }; };
  expect_refused([&] { FilteredContacts(nullptr, always(0)); }, {"FilteredContacts: source", "null"});
  expect_refused([&] { FilteredContacts(source, {}); }, {"FilteredContacts: filter", "no function"});
  const State state = disks.model.initial_state();
  for (const Index law : {-2, 1})
    expect_refused([&] { (void)contacts_at(state, FilteredContacts(source, always(law))); },
                   {"FilteredContacts: filter", std::to_string(law) + " for contact", "0 to 0"});
  expect_refused([&] { (void)contacts_at(state, FilteredContacts(source, always(1), {NewtonImpactLaw{}})); },
                 {"contact 0", "as many rows"});
  disks.model.detect(FilteredContacts(source, always(3)));
  TimeSteppingOptions unexamined = options();
  unexamined.examination = Examination::Off;
  TimeStepping run(disks.model, unexamined);
  const StepReport report = run.step();
  EXPECT_FALSE(report);
  expect_contains(report.message(), {"FilteredContacts: filter", "3 for contact 0"});
}

}  // namespace
}  // namespace nonsmooth::conveyors_and_filters_test
