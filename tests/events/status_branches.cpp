// SPDX-License-Identifier: Apache-2.0
// Branches of the choice of a mode that are needed where several contacts change at one instant, or where a zero cannot
// be located any better. A wrong branch is often put right at the next instant, at the same t: instants are counted.
#include <array>
#include <cmath>

#include "event_log.hpp"

namespace nonsmooth::status_branches_test {
namespace {

using namespace event_log;

using Kinds = std::vector<EventKind>;

/// Motions are polynomials of degree 3 at most and of order 1, which the integrator makes no error on: some hundred
/// roundings.
constexpr double kExact = 1e-12;

/// Two blocks of mass 1 that press 10 on the floor, A and B, pinned to the ends of a massless bar that carries a mass
/// of 4 at its middle: M = (2, 1; 1, 2) along x, so that A's acceleration a pushes B back by a. Pulled along x only.
struct Pair {
  NonSmoothDynamicalSystem model;
  SystemHandle blocks;
  std::array<InteractionHandle, 2> feet;

  template <class LawA, class LawB>
  Pair(Index dimension, const std::function<Eigen::Vector2d(double)>& pull, const LawA& law_a, const LawB& law_b) {
    const Index n = dimension;
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(2 * n, 2 * n);
    M(0, 0) = M(n, n) = 2.0;
    M(0, n) = M(n, 0) = 1.0;
    blocks = model.add(LagrangianLinearSystem{.mass = M,
                                              .force =
                                                  [=](double t, VectorRef f) {
                                                    const Eigen::Vector2d along = pull(t);
                                                    f[0] = along[0];
                                                    f[n] = along[1];
                                                    f[n - 1] = f[2 * n - 1] = -10.0;
                                                  },
                                              .q0 = Eigen::VectorXd::Zero(2 * n).eval()});
    const auto foot = [&](Index first) {  // rows (N, T) or (N, T1, T2), as on_floor()
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, 2 * n);
      H(0, first + n - 1) = 1.0;
      for (Index r = 1; r < n; ++r) H(r, first + r - 1) = 1.0;
      return LagrangianLinearRelation{.H = H};
    };
    feet[0] = model.link(blocks, foot(0), law_a, "A");
    feet[1] = model.link(blocks, foot(n), law_b, "B");
  }
};

/// Holds 5, brakes with 2.
StaticKineticFrictionLaw weakening(Index dimension) {
  return {.static_friction = 0.5, .kinetic_friction = 0.2, .dimension = dimension};
}

EventDrivenOptions with_instant(double t) { return {.events = {{.name = "instant", .instants = {t}}}}; }

/// What happened after the start, where both feet close.
Kinds kinds_after_start(const EventDriven& simulation) {
  Kinds kinds = kinds_of(simulation);
  std::erase(kinds, EventKind::Closing);
  return kinds;
}

TEST(StatusBranches, ABlockThatBeginsToSlipTakesAnotherOneAlong) {
  // From t = 1 on A is pulled by 8, B by -2.5. Were A braked by the 5 that hold it, a = 3/2 and B would need 4 of its
  // 5; it is braked by 2, a = 3, and B, which needs 5.5, slips as well, in the same instant:
  //     2 a + b = 8 - 2,  a + 2 b = -2.5 + 2:  a = 25/6, b = -7/3.
  for (const Index dimension : {2, 3}) {
    const auto pull = [](double t) { return t < 1.0 ? Eigen::Vector2d(0.0, 0.0) : Eigen::Vector2d(8.0, -2.5); };
    Pair pair(dimension, pull, weakening(dimension), weakening(dimension));
    EventDriven simulation(pair.model, with_instant(1.0));
    const auto report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(kinds_after_start(simulation), (Kinds{EventKind::User, EventKind::Slip, EventKind::Slip}));
    EXPECT_EQ(report.events, 1);
    EXPECT_NEAR(simulation.state().q(pair.blocks)[0], 25.0 / 12.0, kExact);
    EXPECT_NEAR(simulation.state().q(pair.blocks)[dimension], -7.0 / 6.0, kExact);
    EXPECT_NEAR(simulation.state().force(pair.feet[0])[1], -2.0, kExact);
    EXPECT_NEAR(simulation.state().force(pair.feet[1])[1], 2.0, kExact);
  }
}

TEST(StatusBranches, ABlockThatBeginsToSlipLetsAnotherOneStick) {
  // B, of one coefficient 1/2, is pulled by 7: were A braked by 5, B would slip, a = 4/3, b = 1/3. A is braked by 2,
  // a = 3 pushes B back by 3, and 4 hold it.
  for (const Index dimension : {2, 3}) {
    const auto pull = [](double t) { return t < 1.0 ? Eigen::Vector2d(0.0, 0.0) : Eigen::Vector2d(8.0, 7.0); };
    Pair pair(dimension, pull, weakening(dimension),
              NewtonImpactFrictionLaw{.friction = 0.5, .dimension = static_cast<int>(dimension)});
    EventDriven simulation(pair.model, with_instant(1.0));
    const auto report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(kinds_after_start(simulation), (Kinds{EventKind::User, EventKind::Slip}));
    EXPECT_EQ(report.events, 1);
    EXPECT_NEAR(simulation.state().q(pair.blocks)[0], 1.5, kExact);
    EXPECT_NEAR(simulation.state().q(pair.blocks)[dimension], 0.0, kExact);
    EXPECT_NEAR(simulation.state().force(pair.feet[1])[1], -4.0, kExact);
  }
}

TEST(StatusBranches, AMarginThatIsUsedUpIsSlipToTheOthers) {
  // A is pulled by 4 + t, B by -4. At t = 1, s = t - 1, A's margin is used up, with no acceleration yet by the force
  // that held it; but it is braked by 2 from here on, a = 3/2 were B held, for which B would need 5.5: it slips in the
  // same instant.
  //     2 a + b = 3 + s,  a + 2 b = -2:  a = (8 + 2 s) / 3, b = -(7 + s) / 3.
  for (const Index dimension : {2, 3}) {
    const auto pull = [](double t) { return Eigen::Vector2d(4.0 + t, -4.0); };
    Pair pair(dimension, pull, weakening(dimension), weakening(dimension));
    EventDriven simulation(pair.model);
    const auto report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(kinds_after_start(simulation), (Kinds{EventKind::Slip, EventKind::Slip}));
    expect_times(times_of(simulation, EventKind::Slip), {1.0, 1.0}, kExact);
    EXPECT_EQ(report.events, 1);
    EXPECT_NEAR(simulation.state().q(pair.blocks)[0], 4.0 / 3.0 + 1.0 / 9.0, kExact);
    EXPECT_NEAR(simulation.state().q(pair.blocks)[dimension], -7.0 / 6.0 - 1.0 / 18.0, kExact);
  }
}

TEST(StatusBranches, ManyMarginsThatAreUsedUpAtOnce) {
  // Twelve equal bodies, each held up to 1 and pulled by t: what their guards say needs no choice among 2^12 ways to go
  // on, more than are tried. q = (t - 1)^3 / 6.
  enum class Holder { Plane, Space, RelayUp, RelayDown };
  for (const Holder holder : {Holder::Plane, Holder::Space, Holder::RelayUp, Holder::RelayDown}) {
    NonSmoothDynamicalSystem model;
    const bool relay = holder == Holder::RelayUp || holder == Holder::RelayDown;
    const Index n = relay ? 1 : holder == Holder::Plane ? 2 : 3;
    const double sign = holder == Holder::RelayDown ? -1.0 : 1.0;
    for (int k = 0; k < 12; ++k) {
      const auto body = model.add(LagrangianLinearSystem{.force =
                                                             [=](double t, VectorRef f) {
                                                               f[0] = sign * t;
                                                               if (n > 1) f[n - 1] = -2.0;
                                                             },
                                                         .q0 = Eigen::VectorXd::Zero(n).eval()});
      if (relay) {
        model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{.lower = -1.0, .upper = 1.0});
      } else {
        model.link(body, on_floor(n), NewtonImpactFrictionLaw{.friction = 0.5, .dimension = static_cast<int>(n)});
      }
    }
    EventDriven simulation(model);
    const auto report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(kinds_after_start(simulation), Kinds(12, EventKind::Slip));
    EXPECT_EQ(report.events, 1);
    for (Index k = 0; k < 12; ++k) EXPECT_NEAR(simulation.state().positions[n * k], sign / 6.0, kExact) << k;
  }
}

/// A table (z, roll, pitch) without friction, of weight 1, on feet at the corners (+-1, +-1). Its load is at (1/2, y),
/// y = t where nothing else is said. Forces of least norm are (1 + x_k / 2 + y_k y) / 4 of each foot until foot 2, at
/// (-1, -1), has none, y = 1/2; then
///     3/4 - (1 - y)/2, 1/4, 0, (1 - y)/2
/// until y = 1, where it tips about the edge of feet 0 and 1: roll'' = -(y - 1) / (J + 1).
struct Table {
  static constexpr double J = 0.5;
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  std::array<InteractionHandle, 4> feet;
  explicit Table(const std::function<double(double)>& load = [](double t) { return t; }) {
    body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, J, J).asDiagonal(),
                                            .force = [=](double t, VectorRef f) { f << -1.0, -load(t), 0.5; },
                                            .q0 = {0.0, 0.0, 0.0}});
    for (std::size_t i = 0; i < 4; ++i) {
      const double x = i == 0 || i == 3 ? 1.0 : -1.0, y = i < 2 ? 1.0 : -1.0;
      feet[i] = model.link(body, LagrangianLinearRelation{.H = {{1.0, y, -x}}}, NewtonImpactLaw{});
    }
  }
  void expect_forces(const State& x, const Eigen::Vector4d& expected) const {
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(x.force(feet[i])[0], expected[static_cast<Index>(i)], kExact) << i << " at " << x.t;
    }
  }
};

TEST(StatusBranches, AFootThatTheOthersKeepClosed) {
  for (const double start : {0.25, 0.75}) {  // foot 2 loses its force, or never had any
    Table table;
    EventDriven simulation(table.model, {}, start);
    EXPECT_EQ(kinds_of(simulation), Kinds(4, EventKind::Closing));
    if (start == 0.25) table.expect_forces(simulation.state(), {0.4375, 0.1875, 0.0625, 0.3125});
    auto report = simulation.advance_to(0.875);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.events, start == 0.25 ? 1 : 0);  // that foot 2 is without force is no opening
    EXPECT_EQ(kinds_of(simulation), Kinds(4, EventKind::Closing));
    table.expect_forces(simulation.state(), {0.6875, 0.25, 0.0, 0.0625});

    report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.events, 1);
    const auto openings = events_of(simulation, EventKind::Opening);
    expect_times(times_of(simulation, EventKind::Opening), {1.0, 1.0}, kExact);
    EXPECT_EQ(openings.at(0).interaction, table.feet[2]);
    EXPECT_EQ(openings.at(1).interaction, table.feet[3]);
    EXPECT_EQ(simulation.events().size(), 6u);
    const double turned = 1.0 / (6.0 * (Table::J + 1.0)), pressed = 1.0 + 1.0 / (Table::J + 1.0);
    EXPECT_NEAR(simulation.state().y(table.feet[2])[0], 2.0 * turned, kExact);
    EXPECT_NEAR(simulation.state().y(table.feet[3])[0], 2.0 * turned, kExact);
    table.expect_forces(simulation.state(), {0.5 * (pressed + 0.5), 0.5 * (pressed - 0.5), 0.0, 0.0});
  }
}

TEST(StatusBranches, AFootThatLosesItsForceAtOnce) {
  // The load jumps from (1/2, 1/4) to (1/2, 3/4): no opening of foot 2, and nothing left of its 1/16.
  Table table([](double t) { return t < 1.0 ? 0.25 : 0.75; });
  EventDriven simulation(table.model, with_instant(1.0));
  table.expect_forces(simulation.state(), {0.4375, 0.1875, 0.0625, 0.3125});
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report.events, 1);
  EXPECT_EQ(kinds_after_start(simulation), Kinds{EventKind::User});
  table.expect_forces(simulation.state(), {0.625, 0.25, 0.0, 0.125});
  EXPECT_EQ(simulation.state().force(table.feet[2])[0], 0.0);
}

TEST(StatusBranches, AGapThatNoInstantBringsToItsThreshold) {
  // At t = 1e8 instants are 2^-26 apart, in which a ball of height 1e-3 to 3e-3 falls 7e-10 or more: above position L +
  // the absolute tolerance, 1e-12. An instant that is found with the gap above that is an impact nevertheless.
  const double t0 = 1e8;
  int above = 0;
  for (int k = 0; k < 20; ++k) {
    const double height = 1e-3 + 1e-4 * k, half = std::sqrt(2.0 * height);
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.force = {-1.0}, .q0 = {height}});
    model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 1.0});
    EventDriven simulation(model, {}, t0);
    const auto report = simulation.advance_to(t0 + 40.0 * half, EventDrivenObserver{.instant = [&](const Instant& at) {
                                                above += at.before.positions[0] > 2e-12;
                                                EXPECT_LE(std::abs(at.after.positions[0]), 1e-17);  // 8 eps L
                                                return true;
                                              }});
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(kinds_of(simulation), Kinds(20, EventKind::Impact));
    EXPECT_EQ(report.events, 20);
  }
  EXPECT_GT(above, 0);
}

}  // namespace
}  // namespace nonsmooth::status_branches_test
