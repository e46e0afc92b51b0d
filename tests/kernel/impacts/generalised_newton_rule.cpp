// SPDX-License-Identifier: Apache-2.0
// Newton's impact law with coefficients by a function of two contacts, of contacts found anew and linked, in both
// simulations: closed forms of chains, what it is asked, what is refused.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "rows_of_balls.hpp"

namespace nonsmooth::generalised_newton_rule_test {
namespace {

using bad_input::expect_refused;
using closed_forms::kEps;
using namespace rows_of_balls;

// Cones by iterations to 1e-10 of speeds of 1 m/s.
constexpr double kCones = 1e-8;

/// Of contacts i and i + 1 of n balls in a row: as many go as come.
GeneralisedNewtonRule::Coefficient reversed(Index n, double factor = 1.0) {
  return [n, factor](const ImpactingContact& i, const ImpactingContact& j) {
    return i.shapes.places[0].body + j.shapes.places[0].body == n - 2 ? factor : 0.0;
  };
}

TEST(GeneralisedNewtonRule, ACradleOfFoundContactsSendsTheLastBallsAway) {
  for (const Kind kind : kKinds) {
    for (const Index n : {3, 5}) {
      for (const bool friction : {false, true}) {
        const Law law = friction ? Law(NewtonImpactFrictionLaw{
                                       .restitution = 0.3, .friction = 0.4, .dimension = kind == Kind::Spheres ? 3 : 2})
                                 : Law(NewtonImpactLaw{0.3});
        Row row(kind, Eigen::VectorXd::Unit(n, 0), law);
        row.model.add(GeneralisedNewtonRule{.restitution = reversed(n), .sources = {row.source}});
        row.expect_after(Eigen::VectorXd::Unit(n, n - 1), friction ? kCones : kExact);
      }
    }
    // Two come, two go.
    Row two(kind, (Eigen::VectorXd(5) << 1.0, 1.0, 0.0, 0.0, 0.0).finished(), NewtonImpactLaw{});
    two.model.add(GeneralisedNewtonRule{.restitution = reversed(5), .sources = {two.source}});
    two.expect_after((Eigen::VectorXd(5) << 0.0, 0.0, 0.0, 1.0, 1.0).finished());
    // With loss: the last leaves with ((1 + e) / 2)^(n - 1), as after successive impacts; the others go together.
    const double e = 0.8, last = std::pow(0.5 * (1.0 + e), 4.0), rest = (1.0 - last) / 4.0;
    Row lossy(kind, Eigen::VectorXd::Unit(5, 0), NewtonImpactLaw{});
    lossy.model.add(GeneralisedNewtonRule{.restitution = reversed(5, last - rest), .sources = {lossy.source}});
    Eigen::VectorXd expected = Eigen::VectorXd::Constant(5, rest);
    expected[4] = last;
    lossy.expect_after(expected);
  }
}

TEST(GeneralisedNewtonRule, TheDiagonalByMaterialsIsNewtonsOwn) {
  // E_ii = e of the two materials: as with laws of these coefficients.
  const auto e_of = [](const std::array<Index, 2>& materials) { return materials[0] + materials[1] == 1 ? 0.9 : 0.4; };
  const Eigen::Vector4d v(1.0, 0.5, 0.0, -0.5);
  const std::vector<Index> materials{0, 1, 1, 0};
  for (const Kind kind : kKinds) {
    const Row own(kind, v, {NewtonImpactLaw{0.9}, NewtonImpactLaw{0.4}}, ContactMaterials(2, 0).set_law(1, 1, 1),
                  materials);
    const Eigen::VectorXd expected = own.velocities(EventDriven(own.model).state());
    own.expect_after(expected);
    Row ruled(kind, v, {NewtonImpactLaw{}}, ContactMaterials(2, 0), materials);
    ruled.model.add(GeneralisedNewtonRule{.restitution =
                                              [e_of](const ImpactingContact& i, const ImpactingContact& j) {
                                                return i.number == j.number ? e_of(i.shapes.materials) : 0.0;
                                              },
                                          .sources = {ruled.source}});
    ruled.expect_after(expected);
  }
}

TEST(GeneralisedNewtonRule, LinkedAndFoundContactsAreOneSet) {
  // Two balls and a wall that is linked, u- = (-1, 0) of (pair, wall): the pair asks 0.3 of itself and 0.5 of the wall,
  // u+ = (0.3, 0.5), p = (1.8, 2.3) > 0.
  for (const Kind kind : kKinds) {
    Row row(kind, Eigen::Vector2d(1.0, 0.0), NewtonImpactLaw{0.7});
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, 3);
    H(0, 0) = -1.0;
    const Eigen::VectorXd b = Eigen::VectorXd::Constant(1, 2.0 * kRadius);
    // On a body in space by y = h(q), whose H is on its velocities.
    const AnyRelation relation =
        kind == Kind::Spheres
            ? AnyRelation(ScleronomousRelation{
                  .rows = 1,
                  .h = [](ConstVectorRef q, VectorRef y) { y[0] = 2.0 * kRadius - q[0]; },
                  .H = [](ConstVectorRef, MatrixRef jacobian) { jacobian << -1.0, 0.0, 0.0, 0.0, 0.0, 0.0; }})
            : AnyRelation(LagrangianLinearRelation{.H = H, .b = b});
    const auto wall = row.model.link(row.balls[1], relation, NewtonImpactLaw{0.1}, "wall");
    const auto rule = [wall](const ImpactingContact& i, const ImpactingContact& j) {
      const auto is_wall = [wall](const ImpactingContact& contact) {
        return contact.name == "wall" && contact.interaction == wall && !contact.source && !contact.second &&
               contact.restitution == 0.1 && contact.first_name == "ball 1";
      };
      const auto is_pair = [](const ImpactingContact& contact) {
        return contact.source && contact.first_name == "ball 0" && contact.second_name == "ball 1" &&
               contact.restitution == 0.7 && contact.feature.has_value() != contact.interaction.has_value();
      };
      if (is_pair(i) && is_pair(j)) return 0.3;
      if (is_wall(i) && is_pair(j)) return 0.5;
      ADD_FAILURE() << i.name << ' ' << j.name;
      return 0.0;
    };
    row.model.add(GeneralisedNewtonRule{.restitution = rule, .sources = {row.source}, .contacts = {wall}});
    row.expect_after(Eigen::Vector2d(-0.8, -0.5), kind == Kind::Spheres ? kCones : kExact);
  }
}

TEST(GeneralisedNewtonRule, IsAskedOfContactsThatActOnOneAnotherAlone) {
  // Two rows of three, both hit; they share nothing, or a body between them that is held. Each sends its last away.
  for (const bool held : {false, true}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> disks;
    for (int i = 0; i < (held ? 7 : 6); ++i) {
      const bool stands = held && i == 3, second = i > (held ? 3 : 2);
      PlanarBody disk{.position = {2.0 * kRadius * i + (!held && second ? 1.0 : 0.0), 0.0},
                      .velocity = {i == 0                ? 1.0
                                   : i == (held ? 6 : 5) ? -1.0
                                                         : 0.0,
                                   0.0}};
      if (stands) {
        for (Index k = 0; k < 3; ++k) disk.prescribed.push_back({k, [](double) { return 0.0; }});
      }
      disks.push_back(model.add(disk));
    }
    const auto source =
        model.detect(DiskContacts(disks, std::vector<double>(disks.size(), kRadius), NewtonImpactLaw{}));
    const Index middle = held ? 3 : 2;
    const auto across = std::make_shared<int>(0), within = std::make_shared<int>(0);
    model.add(GeneralisedNewtonRule{.restitution =
                                        [=](const ImpactingContact& i, const ImpactingContact& j) {
                                          const Index a = i.shapes.places[0].body, b = j.shapes.places[0].body;
                                          ++*((a < middle) == (b < middle) ? within : across);
                                          return a != b ? 1.0 : 0.0;
                                        },
                                    .sources = {source}});
    TimeStepping stepping(model, {.step = 1e-3});
    ASSERT_TRUE(stepping.step());
    EXPECT_GT(*within, 0);
    EXPECT_EQ(*across, 0);
    *within = 0;
    const EventDriven events(model);
    EXPECT_GT(*within, 0);
    EXPECT_EQ(*across, 0);
    for (const State& state : {stepping.state(), events.state()}) {
      // Without the held body the third balls go off; with it contacts with it depart by what the others ask, all three
      // of a side: u- = (-1, 0, 0), u+ = (0, 1, 1).
      const double third = held ? -1.0 : 1.0, first = held ? -2.0 : 0.0, second = held ? -2.0 : 0.0;
      EXPECT_NEAR(state.v(disks[0])[0], first, kExact) << held;
      EXPECT_NEAR(state.v(disks[1])[0], second, kExact) << held;
      EXPECT_NEAR(state.v(disks[2])[0], third, kExact) << held;
      EXPECT_NEAR(state.v(disks.back())[0], -first, kExact) << held;
    }
  }
}

TEST(GeneralisedNewtonRule, FrictionStaysAsTheLawsSay) {
  // The bar of GeneralisedNewton.FrictionStaysAsTheLawsSay, its contacts found: u_N- = (-0.8, -1.2), each end asks 0.5
  // of the other, W = (5, 3; 3, 5) / 4, p_N = (0.55, 0.95); friction takes mu of 1.5.
  const double b = 0.5, mu = 0.3;
  for (const double slip : {2.0, -2.0, 0.3}) {
    NonSmoothDynamicalSystem model;
    const auto bar = model.add(PlanarBody{.velocity = {slip, -1.0}, .angular_velocity = -0.4});
    const auto source =
        model.detect(PlanarContacts({{bar, {{.shape = PlanarSegment{{-b, 0.0}, {b, 0.0}}}}}}, {{.shape = HalfPlane{}}},
                                    NewtonImpactFrictionLaw{.restitution = 0.9, .friction = mu}));
    model.add(GeneralisedNewtonRule{.restitution = [](const ImpactingContact& i, const ImpactingContact& j) -> double {
                                      return i.number == j.number ? 0.0 : 0.5;
                                    },
                                    .sources = {source}});
    TimeStepping stepping(model, {.integrator = MoreauJean{.configuration_weight = 0.0}, .step = 1e-3});
    const StepReport report = stepping.step();
    ASSERT_TRUE(report) << report.message();
    const EventDriven events(model);
    const double kept = std::abs(slip) > 1.5 * mu ? slip - std::copysign(1.5 * mu, slip) : 0.0;
    for (const State& state : {stepping.state(), events.state()}) {
      EXPECT_NEAR(state.v(bar)[0], kept, kCones) << slip;
      EXPECT_NEAR(state.v(bar)[1], 0.5, kCones) << slip;
      EXPECT_NEAR(state.v(bar)[2], -0.2, kCones) << slip;
    }
  }
}

/// Five disks in a row between two walls, 1 m from either: the first comes from the left wall with 1 m/s, the walls
/// send back what arrives. Disks overlap by what rounding may not open: what rests apart is not hit in a step.
struct Cradle {
  static constexpr double kOverlap = 1e-12;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;

  Cradle() {
    for (int i = 0; i < 5; ++i)
      disks.push_back(model.add(
          PlanarBody{.position = {place(i) - (i == 0 ? 1.0 : 0.0), 0.0}, .velocity = {i == 0 ? 1.0 : 0.0, 0.0}}));
    const auto source = model.detect(DiskContacts(disks, std::vector<double>(5, kRadius), NewtonImpactLaw{}));
    model.add(GeneralisedNewtonRule{.restitution = reversed(5), .sources = {source}});
    model.link(disks[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {1.0}}, NewtonImpactLaw{1.0});
    model.link(disks[4], LagrangianLinearRelation{.H = {{-1.0, 0.0, 0.0}}, .b = {place(4) + 1.0}},
               NewtonImpactLaw{1.0});
  }
  [[nodiscard]] static double place(int i) { return (2.0 * kRadius - kOverlap) * i; }
  /// The first is away while the last is at its place, and the other way round: each for 2 s. The others stay.
  [[nodiscard]] double off(const State& state) const {
    const double phase = std::fmod(state.t + 1.0, 4.0), way = 1.0 - std::abs(std::fmod(phase, 2.0) - 1.0);
    double worst = 0.0;
    for (int i = 0; i < 5; ++i) {
      const double expected = i == 0 && phase < 2.0 ? -way : i == 4 && phase >= 2.0 ? way : 0.0;
      worst = std::max(worst, std::abs(state.q(disks[static_cast<std::size_t>(i)])[0] - place(i) - expected));
    }
    return worst;
  }
};

TEST(GeneralisedNewtonRule, ACradleSwingsFromSideToSide) {
  const Cradle cradle;
  // By events: motions are straight, an impact errs by some roundings, and the disk that takes over by the overlap of
  // the four contacts.
  EventDriven events(cradle.model);
  for (int k = 1; k <= 20; ++k) {
    const RunReport report = events.advance_to(2.0 * k - 1.5);
    ASSERT_TRUE(report) << report.message();
    EXPECT_LT(cradle.off(events.state()), 5.0 * Cradle::kOverlap * k) << k;
  }
  // In steps an impact comes up to h off and moves places by h, of a speed of 1 m/s: 8 impacts of the row and walls,
  // each shifts what follows.
  const double h = 1e-3;
  TimeStepping stepping(cradle.model, {.step = h});
  double off = 0.0;
  const RunReport report =
      stepping.advance_to(8.0, [&](const State& state) { off = std::max(off, cradle.off(state)); });
  ASSERT_TRUE(report) << report.message();
  EXPECT_LT(off, 8.0 * h);
  EXPECT_TRUE(report.findings.empty()) << report.findings.front().message();
}

TEST(GeneralisedNewtonRule, EnergyFromItIsTold) {
  // u- = (-1, 0), E = 1.1 (0 1; 1 0): energy of relative motion 1.21 / 3 - 1 / 3 is gained.
  for (const Kind kind : kKinds) {
    Row row(kind, Eigen::Vector3d(1.0, 0.0, 0.0), NewtonImpactLaw{});
    row.model.add(GeneralisedNewtonRule{.restitution = reversed(3, 1.1), .sources = {row.source}});
    TimeStepping stepping(row.model, {.step = 1e-3});
    EventDriven events(row.model, {});
    ASSERT_TRUE(stepping.step());
    ASSERT_TRUE(events.advance_to(0.1));
    for (const RunRemarks& findings : {stepping.findings(), events.findings()}) {
      const auto told = std::find_if(findings.begin(), findings.end(),
                                     [](const RunRemark& one) { return one.kind == RunRemark::Kind::ImpactGain; });
      ASSERT_NE(told, findings.end());
      EXPECT_NEAR(told->worst, 0.07, kExact);
    }
  }
}

TEST(GeneralisedNewtonRule, BlocksOfOneInteractionAndPairsThatAreLinked) {
  // Four balls as one system, whose three contacts are rows of one interaction.
  NonSmoothDynamicalSystem rows;
  const auto balls = rows.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(Eigen::MatrixXd::Identity(4, 4)),
                                                     .q0 = {0.0, 0.0, 0.0, 0.0},
                                                     .v0 = {1.0, 0.0, 0.0, 0.0}});
  const auto contacts = rows.link(
      balls, LagrangianLinearRelation{.H = {{-1.0, 1.0, 0.0, 0.0}, {0.0, -1.0, 1.0, 0.0}, {0.0, 0.0, -1.0, 1.0}}},
      NewtonImpactLaw{});
  rows.add(
      GeneralisedNewtonRule{.restitution = [](const ImpactingContact& i,
                                              const ImpactingContact& j) { return i.block + j.block == 2 ? 1.0 : 0.0; },
                            .contacts = {contacts}});
  TimeStepping stepping(rows, {.step = 1e-3});
  ASSERT_TRUE(stepping.step());
  const EventDriven events(rows);
  for (const State& state : {stepping.state(), events.state()})
    EXPECT_LT((state.v(balls) - Eigen::VectorXd::Unit(4, 3)).norm(), kExact);
  // A source that is linked and stepped: its pairs keep the rule, and what link_contacts() linked keeps the places.
  Row row(Kind::Spheres, Eigen::VectorXd::Unit(3, 0), NewtonImpactLaw{});
  row.model.add(GeneralisedNewtonRule{.restitution = reversed(3), .sources = {row.source}});
  row.model.link_sources();
  row.expect_after(Eigen::Vector3d(0.0, 0.0, 1.0));
  Row by_hand(Kind::Spheres, Eigen::VectorXd::Unit(3, 0), NewtonImpactLaw{});
  const auto source = by_hand.model.source(by_hand.source);
  by_hand.model.remove(by_hand.source);
  std::vector<InteractionHandle> linked;
  for (const LinkedContact& contact : link_contacts(by_hand.model, *source)) linked.push_back(contact.interaction);
  by_hand.model.add(GeneralisedNewtonRule{.restitution = reversed(3), .contacts = linked});
  by_hand.expect_after(Eigen::Vector3d(0.0, 0.0, 1.0));
}

TEST(GeneralisedNewtonRule, GoesOnWhereASourceIsReplacedAndEndsWithIt) {
  Row row(Kind::Disks, Eigen::VectorXd::Unit(3, 0), NewtonImpactLaw{});
  const auto add_rule = [](Row& to) {
    to.model.add(GeneralisedNewtonRule{.restitution = reversed(3), .sources = {to.source}});
  };
  add_rule(row);
  row.model.replace(row.source, DiskContacts(row.balls, {kRadius, kRadius, kRadius}, NewtonImpactLaw{0.2}));
  row.expect_after(Eigen::Vector3d(0.0, 0.0, 1.0));
  expect_refused(
      [&] {
        row.model.replace(row.source, DiskContacts(row.balls, {kRadius, kRadius, kRadius}, PoissonImpactLaw{}));
      },
      {"GeneralisedNewtonRule::sources", "PoissonImpactLaw"});
  row.model.remove(row.source);
  EXPECT_TRUE(row.model.coefficient_rules().empty());
  // Of linked interactions likewise.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(closed_forms::mass_point(1.0, 0.0, 0.0, -1.0));
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  model.add(GeneralisedNewtonRule{.restitution = [](const auto&, const auto&) { return 0.6; }, .contacts = {floor}});
  TimeStepping stepping(model, {.step = 1e-3});
  ASSERT_TRUE(stepping.step());
  EXPECT_NEAR(stepping.state().v(ball)[0], 0.6, kExact);
  model.remove(floor);
  EXPECT_TRUE(model.coefficient_rules().empty());
}

TEST(GeneralisedNewtonRule, UnderFiltersContactsThatAreLeft) {
  // A filter that gives another law changes nothing; one that drops the second contact leaves two balls alone.
  for (const bool drops : {false, true}) {
    Row row(Kind::Planar, Eigen::VectorXd::Unit(3, 0), NewtonImpactLaw{});
    const auto source = row.model.source(row.source);
    row.model.remove(row.source);
    const auto filtered =
        row.model.detect(FilteredContacts(source,
                                          [drops](const DetectedContact& contact, const BodyView&) {
                                            return drops && contact.second == 2 ? FilteredContacts::drop : Index{1};
                                          },
                                          {NewtonImpactLaw{0.9}}));
    row.model.add(GeneralisedNewtonRule{.restitution =
                                            [](const ImpactingContact& i, const ImpactingContact& j) {
                                              EXPECT_EQ(i.restitution, 0.9);
                                              return reversed(3, 1.0)(i, j);
                                            },
                                        .sources = {filtered}});
    TimeStepping stepping(row.model, {.step = 1e-3});
    ASSERT_TRUE(stepping.step());
    const Eigen::Vector3d expected = drops ? Eigen::Vector3d(0.5, 0.5, 0.0) : Eigen::Vector3d(0.0, 0.0, 1.0);
    EXPECT_LT((row.velocities(stepping.state()) - expected).norm(), kExact) << drops;
    expect_refused([&] { EventDriven{row.model}; }, {"ContactSource::pairs"});
  }
}

TEST(GeneralisedNewtonRule, WhatItGivesIsLookedAt) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {-0.5, infinity, std::nan("")}) {
    Row row(Kind::Spheres, Eigen::VectorXd::Unit(3, 0), NewtonImpactLaw{});
    row.model.add(GeneralisedNewtonRule{.restitution = [value](const auto&, const auto&) { return value; },
                                        .sources = {row.source}});
    TimeStepping stepping(row.model, {.step = 1e-3});
    const StepReport report = stepping.step();
    EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
    bad_input::expect_contains(report.message(), {"GeneralisedNewtonRule::restitution", "ball 0", "ball 1", ">= 0"});
    expect_refused([&] { EventDriven{row.model}; }, {"GeneralisedNewtonRule::restitution", ">= 0"});
  }
  Row row(Kind::Disks, Eigen::VectorXd::Unit(3, 0), NewtonImpactLaw{});
  row.model.add(GeneralisedNewtonRule{
      .restitution = [](const auto&, const auto&) -> double { throw std::runtime_error("no such pair"); },
      .sources = {row.source}});
  TimeStepping stepping(row.model, {.step = 1e-3});
  bad_input::expect_contains(stepping.step().message(), {"GeneralisedNewtonRule", "no such pair"});
}

TEST(GeneralisedNewtonRule, WhatDoesNotFitIsRefusedByName) {
  const auto one = [](const ImpactingContact&, const ImpactingContact&) { return 1.0; };
  const auto row_of = [](const Law& law) { return Row(Kind::Disks, Eigen::VectorXd::Unit(3, 0), law); };
  Row row = row_of(NewtonImpactLaw{});
  expect_refused([&] { row.model.add(GeneralisedNewtonRule{.sources = {row.source}}); }, {"no function"});
  expect_refused([&] { row.model.add(GeneralisedNewtonRule{.restitution = one}); }, {"a source of contacts"});
  expect_refused(
      [&] {
        row.model.add(GeneralisedNewtonRule{.restitution = one, .sources = {row.source, row.source}});
      },
      {"GeneralisedNewtonRule::sources", "source 1 twice"});
  expect_refused(
      [&] { row.model.add(GeneralisedNewtonRule{.restitution = one, .sources = {row_of(NewtonImpactLaw{}).source}}); },
      {"another model"});
  for (const Law& law : {Law(PoissonImpactLaw{}), Law(LiuZhaoBrogliatoImpactLaw{})}) {
    Row other = row_of(law);
    expect_refused([&] { other.model.add(GeneralisedNewtonRule{.restitution = one, .sources = {other.source}}); },
                   {"GeneralisedNewtonRule::sources", law.pointer()->name(), "no e u-"});
    const auto wall = row.model.link(row.balls[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}}, law, "wall");
    expect_refused([&] { row.model.add(GeneralisedNewtonRule{.restitution = one, .contacts = {wall}}); },
                   {"GeneralisedNewtonRule::contacts", "wall", law.pointer()->name()});
    row.model.remove(wall);
  }
  const auto wall =
      row.model.link(row.balls[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}}, NewtonImpactLaw{}, "wall");
  row.model.add(GeneralisedNewtonImpact{.contacts = {wall}, .restitution = Eigen::MatrixXd{{0.5}}});
  expect_refused([&] { row.model.add(GeneralisedNewtonRule{.restitution = one, .contacts = {wall}}); }, {"wall twice"});
  row.model.remove(wall);
  const auto other =
      row.model.link(row.balls[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}}, NewtonImpactLaw{}, "other");
  row.model.add(GeneralisedNewtonRule{.restitution = one, .sources = {row.source}, .contacts = {other}});
  expect_refused([&] { row.model.add(GeneralisedNewtonRule{.restitution = one, .sources = {row.source}}); }, {"twice"});
  expect_refused(
      [&] { row.model.add(GeneralisedNewtonImpact{.contacts = {other}, .restitution = Eigen::MatrixXd{{0.5}}}); },
      {"other twice"});
  // Rows that are no velocities before and after an impact have no place for it.
  expect_refused([&] { TimeStepping(row.model, {.integrator = StewartTrinkle{}, .step = 1e-3}); },
                 {"StewartTrinkle", "GeneralisedNewtonRule on", "MoreauJean"});
  row.model.remove(row.source);
  row.model.remove(other);
  EXPECT_TRUE(row.model.coefficient_rules().empty());
  const auto last =
      row.model.link(row.balls[0], LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}}, NewtonImpactLaw{}, "last");
  row.model.add(GeneralisedNewtonRule{.restitution = one, .contacts = {last}});
  expect_refused([&] { TimeStepping(row.model, {.integrator = SchatzmanPaoli{}, .step = 1e-3}); },
                 {"SchatzmanPaoli", "GeneralisedNewtonRule on last"});
}

}  // namespace
}  // namespace nonsmooth::generalised_newton_rule_test
