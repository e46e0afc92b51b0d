// SPDX-License-Identifier: Apache-2.0
// Sticking and sliding by events against closed forms: instants at which contacts stick, slip, turn.
#include <cmath>
#include <functional>

#include "event_log.hpp"

namespace nonsmooth::friction_test {
namespace {

using namespace event_log;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;
/// Where accelerations are constant: some hundred roundings.
constexpr double kExact = 1e-12;

TEST(CoulombByEvents, ASpringBlockLosesTheSameAmplitudeEachHalfCycle) {
  // m qdd + k q in -F sgn(qd): half cycles of pi / w about +-F / k, each 2 F / k less, until |q| <= F / k. As a relay
  // on the velocity, and as a contact under the weight F / mu.
  const double m = 2.0, k = 50.0, F = 3.0, q0 = 1.0, mu = 0.3, half = kPi / std::sqrt(k / m);
  NonSmoothDynamicalSystem relay, contact;
  const auto a = relay.add(LagrangianLinearSystem{.mass = {{m}}, .stiffness = {{k}}, .q0 = {q0}});
  relay.link(a, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{.lower = -F, .upper = F});
  const auto b = contact.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(m, m).asDiagonal(),
                                                    .stiffness = Eigen::Vector2d(k, 0.0).asDiagonal(),
                                                    .force = {0.0, -F / mu},
                                                    .q0 = {q0, 0.0}});
  contact.link(b, on_floor(2), NewtonImpactFrictionLaw{.friction = mu});
  for (const auto* model : {&relay, &contact}) {
    EventDriven simulation(*model);
    std::vector<double> turns;
    std::vector<double> heights;
    const auto report = simulation.advance_to(8.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                                for (const Event& event : at.events) {
                                                  if (event.kind != EventKind::Slip) continue;
                                                  turns.push_back(event.t);
                                                  heights.push_back(at.after.positions[0]);
                                                }
                                                return true;
                                              }});
    ASSERT_TRUE(report) << report.message();
    // 1, -0.88, 0.76, ... turns while above 0.06; then 0.04 sticks, at the eighth.
    std::vector<double> expected;
    for (int n = 1; n < 8; ++n) expected.push_back(n * half);
    expect_times(turns, expected, kIntegrated);
    for (std::size_t n = 0; n < heights.size(); ++n) {
      const double sign = n % 2 == 0 ? -1.0 : 1.0;
      EXPECT_NEAR(heights[n], sign * (q0 - 2.0 * static_cast<double>(n + 1) * F / k), kIntegrated) << n;
    }
    expect_times(times_of(simulation, EventKind::Stick), {8.0 * half}, kIntegrated);
    EXPECT_NEAR(simulation.state().positions[0], q0 - 16.0 * F / k, kIntegrated);
    EXPECT_EQ(simulation.state().unknowns[0], 0.0);
  }
}

TEST(CoulombByEvents, ARelayThatMovesFromTheStartOnHasNoSlipThere) {
  // m = F = 1, v0 = 2: stops at t = 2 and sticks.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {2.0}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{.lower = -1.0, .upper = 1.0});
  EventDriven simulation(model);
  EXPECT_TRUE(simulation.events().empty());
  run_to(simulation, 3.0);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
  expect_times(times_of(simulation, EventKind::Stick), {2.0}, kExact);
  EXPECT_NEAR(simulation.state().positions[0], 2.0, kExact);
}

TEST(CoulombByEvents, DenHartogsForcedOscillator) {
  // m qdd + k q + F sgn(qd) = P cos(w t + phi), started on its symmetric motion without stops (Den Hartog 1930): with
  // b = w sqrt(m / k), V = 1 / (1 - b^2), U = sin(pi / b) / (b (1 + cos(pi / b))) it turns each half period at
  //   A = (P / k) sqrt(V^2 - (F U / P)^2),   (P V / k) sin(phi) = -(F / k) U,   (P V / k) cos(phi) = A.
  // The time shift keeps the initial velocity zero at t = 0. Disturbances neither grow: 40 half periods.
  const double m = 1.0, k = 1.0, P = 1.0, F = 0.3;
  for (const double b : {1.5, 0.8}) {
    const double w = b * std::sqrt(k / m), half = kPi / w;
    const double V = 1.0 / (1.0 - b * b), U = std::sin(kPi / b) / (b * (1.0 + std::cos(kPi / b)));
    const double A = P / k * std::sqrt(V * V - F * U / P * (F * U / P));
    const double phi = std::atan2(-F / k * U / (P * V / k), A / (P * V / k));
    NonSmoothDynamicalSystem model;
    const auto mass =
        model.add(LagrangianLinearSystem{.mass = {{m}},
                                         .stiffness = {{k}},
                                         .force = [=](double t, VectorRef f) { f[0] = P * std::cos(w * t + phi); },
                                         .q0 = {A}});
    model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{.lower = -F, .upper = F});
    EventDriven simulation(model);
    std::vector<double> turns;
    const auto report = simulation.advance_to(40.5 * half, EventDrivenObserver{.instant = [&](const Instant& at) {
                                                turns.push_back(at.after.t);
                                                const double sign = turns.size() % 2 == 0 ? 1.0 : -1.0;
                                                EXPECT_NEAR(at.after.positions[0], sign * A, 10.0 * kIntegrated);
                                                return true;
                                              }});
    ASSERT_TRUE(report) << report.message();
    std::vector<double> expected;
    for (int n = 1; n <= 40; ++n) expected.push_back(n * half);
    expect_times(turns, expected, 10.0 * kIntegrated);
    EXPECT_TRUE(events_of(simulation, EventKind::Stick).empty());  // the formula is for a motion without stops
  }
}

TEST(StickSlipByEvents, OnABeltItHasItsLimitCycle) {
  // A block on a spring k on a belt of speed V, mu_s > mu_k: sticks until k q = mu_s N, slips on an arc about
  // x_k = mu_k N / k from x_k + A with speed V, A = (mu_s - mu_k) N / k, sticks again at x_k - A:
  //     period = 2 A / V + (2 / w)(pi - atan(A w / V)).
  const double m = 1.0, k = 25.0, V = 0.2, mu_s = 0.4, mu_k = 0.25, N = kGravity, w = std::sqrt(k / m);
  const double A = (mu_s - mu_k) * N / k, arc = 2.0 / w * (kPi - std::atan(A * w / V)), period = 2.0 * A / V + arc;
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(m, m).asDiagonal(),
                                                      .stiffness = Eigen::Vector2d(k, 0.0).asDiagonal(),
                                                      .force = {0.0, -N},
                                                      .q0 = {0.0, 0.0},
                                                      .v0 = {V, 0.0}});
  RheonomousRelation relation;
  relation.rows = 2;
  relation.h = [=](double t, ConstVectorRef q, VectorRef y) { y << q[1], q[0] - V * t; };
  relation.H = [](double, ConstVectorRef, MatrixRef H) { H(0, 1) = H(1, 0) = 1.0; };
  relation.h_t = [=](double, ConstVectorRef, VectorRef value) { value[1] = -V; };
  model.link(block, relation, StaticKineticFrictionLaw{.static_friction = mu_s, .kinetic_friction = mu_k});
  EventDriven simulation(model);
  const double first = mu_s * N / k / V;
  run_to(simulation, first + 10.5 * period);
  std::vector<double> slips, sticks;
  for (int n = 0; n <= 10; ++n) slips.push_back(first + n * period);
  for (int n = 0; n <= 10; ++n) sticks.push_back(first + n * period + arc);
  if (sticks.back() > first + 10.5 * period) sticks.pop_back();
  // Each cycle starts anew where it sticks: errors add up over the ten.
  expect_times(times_of(simulation, EventKind::Slip), slips, 10.0 * kIntegrated);
  expect_times(times_of(simulation, EventKind::Stick), sticks, 10.0 * kIntegrated);
}

TEST(CoulombByEvents, BlockOnAnIncline) {
  // Coordinates (down the slope, away from it). Sticks if mu >= tan(a), else q = g (sin a - mu cos a) t^2 / 2.
  const double a = 0.4;
  const auto incline = [&](double mu) {
    NonSmoothDynamicalSystem model;
    const auto block = model.add(LagrangianLinearSystem{
        .force = {kGravity * std::sin(a), -kGravity * std::cos(a)}, .q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}});
    model.link(block, on_floor(2), NewtonImpactFrictionLaw{.friction = mu});
    return EventDriven(model);
  };
  for (const double more : {0.0, 1e-6, 0.1}) {
    EventDriven simulation = incline(std::tan(a) * (1.0 + more));
    run_to(simulation, 2.0);
    EXPECT_NEAR(simulation.state().positions[0], 0.0, kExact) << more;
    EXPECT_NEAR(simulation.state().forces[1], -kGravity * std::sin(a), kExact * kGravity) << more;
  }
  for (const double less : {1e-6, 0.1, 1.0}) {
    const double mu = std::tan(a) * (1.0 - less);
    EventDriven simulation = incline(mu);
    run_to(simulation, 2.0);
    EXPECT_NEAR(simulation.state().positions[0], 2.0 * kGravity * (std::sin(a) - mu * std::cos(a)), 20.0 * kExact);
    EXPECT_NEAR(simulation.state().forces[1], -mu * kGravity * std::cos(a), kExact * kGravity) << less;
  }
}

TEST(CoulombByEvents, AnInclineThatSteepensLetsGo) {
  // At the angle c t it slips when tan(c t) = mu, then v = (g / c)(cos a* - cos(c t) - mu (sin(c t) - sin a*)).
  const double mu = 0.5, c = 0.3, critical = std::atan(mu), T = 2.5;
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.force =
                                                          [=](double t, VectorRef f) {
                                                            f[0] = kGravity * std::sin(c * t);
                                                            f[1] = -kGravity * std::cos(c * t);
                                                          },
                                                      .q0 = {0.0, 0.0},
                                                      .v0 = {0.0, 0.0}});
  model.link(block, on_floor(2), NewtonImpactFrictionLaw{.friction = mu});
  EventDriven simulation(model);
  run_to(simulation, T);
  // The margin of sticking is known to round-off: its slope is of order one.
  expect_times(times_of(simulation, EventKind::Slip), {critical / c}, kExact);
  const double v = kGravity / c * (std::cos(critical) - std::cos(c * T) - mu * (std::sin(c * T) - std::sin(critical)));
  EXPECT_NEAR(simulation.state().v(block)[0], v, kIntegrated);
}

TEST(CoulombByEvents, ASphereSlidesThenRolls) {
  // Slides with -mu g for t = 2 v0 / (7 mu g), 12 v0^2 / (49 mu g) far, then rolls with 5 v0 / 7, in any direction.
  const double m = 2.0, R = 0.1, mu = 0.25, v0 = 1.4, I = 0.4 * m * R * R, a = mu * kGravity;
  const double end = 2.0 * v0 / (7.0 * a), T = end + 0.3;
  for (const double angle : {0.0, 0.4, 1.3, 2.9}) {
    NonSmoothDynamicalSystem model;
    Eigen::VectorXd mass(6), v = Eigen::VectorXd::Zero(6);
    mass << m, m, m, I, I, I;
    v.head<2>() << v0 * std::cos(angle), v0 * std::sin(angle);
    const auto body = model.add(LagrangianLinearSystem{.mass = mass.asDiagonal(),
                                                       .force = {0.0, 0.0, -m * kGravity, 0.0, 0.0, 0.0},
                                                       .q0 = Eigen::VectorXd::Zero(6),
                                                       .v0 = v});
    model.link(body,
               LagrangianLinearRelation{
                   .H = {{0.0, 0.0, 1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0, -R, 0.0}, {0.0, 1.0, 0.0, R, 0.0, 0.0}}},
               NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
    EventDriven simulation(model);
    run_to(simulation, T);
    expect_times(times_of(simulation, EventKind::Stick), {end}, kExact);
    const Eigen::VectorXd q = simulation.state().q(body), velocity = simulation.state().v(body);
    const Eigen::Vector2d along{std::cos(angle), std::sin(angle)}, across{-std::sin(angle), std::cos(angle)};
    EXPECT_NEAR(velocity.head<2>().dot(along), 5.0 / 7.0 * v0, kExact);
    EXPECT_NEAR(velocity.head<2>().dot(across), 0.0, kExact);
    EXPECT_NEAR(q.head<2>().dot(along), 12.0 * v0 * v0 / (49.0 * a) + 5.0 / 7.0 * v0 * 0.3, kExact);
    EXPECT_EQ(q[2], 0.0);
    EXPECT_NEAR(simulation.state().forces.tail<2>().norm(), 0.0, kExact * m * kGravity);
  }
}

/// A block of mass 1 on the floor z = 0 in space, N = g.
struct Slider {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  Slider(double mu, const Eigen::Vector2d& force, const Eigen::Vector2d& v0) {
    body = model.add(LagrangianLinearSystem{
        .force = {force[0], force[1], -kGravity}, .q0 = {0.0, 0.0, 0.0}, .v0 = {v0[0], v0[1], 0.0}});
    model.link(body, on_floor(3), NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
  }
};

TEST(CoulombByEvents, ABlockInSpaceStopsOnAStraightLine) {
  const double mu = 0.3, speed = 2.0, a = mu * kGravity, stop = speed / a;
  for (const double angle : {0.0, 0.5, 2.2, 4.0}) {
    const Eigen::Vector2d along{std::cos(angle), std::sin(angle)};
    const Slider slider(mu, {0.0, 0.0}, speed * along);
    EventDriven simulation(slider.model);
    run_to(simulation, stop + 1.0);
    expect_times(times_of(simulation, EventKind::Stick), {stop}, kExact);
    EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty()) << angle;
    const Eigen::Vector3d q = simulation.state().q(slider.body);
    EXPECT_NEAR((q.head<2>() - 0.5 * speed * speed / a * along).norm(), 0.0, kExact) << angle;
    EXPECT_EQ(simulation.state().v(slider.body).norm(), 0.0) << angle;
  }
}

TEST(CoulombByEvents, ABlockInSpaceTurnsRoundUnderAForce) {
  // Thrown against a force f > mu N: at rest after v0 / (f + mu g), then back with f - mu g.
  const double mu = 0.3, speed = 2.0, f = 5.0, stop = speed / (f + mu * kGravity), T = stop + 1.0;
  const Eigen::Vector2d along{0.6, 0.8};
  const Slider slider(mu, -f * along, speed * along);
  EventDriven simulation(slider.model);
  run_to(simulation, T);
  expect_times(times_of(simulation, EventKind::Slip), {stop}, kExact);
  EXPECT_NEAR((simulation.state().v(slider.body).head<2>() + (f - mu * kGravity) * along).norm(), 0.0, 10.0 * kExact);
}

TEST(CoulombByEvents, ABlockInSpaceCurvesUnderASideForce) {
  // Speed s at the angle theta from the force f: sdot = -mu g + f cos(theta), s thetadot = -f sin(theta). With
  // kappa = mu g / f, s = C tan(theta / 2)^kappa / sin(theta), and s (kappa + cos(theta)) falls by f (kappa^2 - 1) t:
  // for kappa > 1 the block stops at t = s_0 (kappa + cos(theta_0)) / (f (kappa^2 - 1)).
  const double f = 1.0, s0 = 2.0;
  for (const double kappa : {0.5, 2.0, 3.0}) {
    const Slider slider(kappa * f / kGravity, {0.0, f}, {s0, 0.0});  // theta_0 = pi / 2, C = s_0
    const double rate = f * (kappa * kappa - 1.0), stop = s0 * kappa / rate;
    EventDriven simulation(slider.model);
    const double T = kappa > 1.0 ? 0.9 * stop : 5.0;
    run_to(simulation, T);
    const Eigen::Vector3d v = simulation.state().v(slider.body);
    const double s = v.head<2>().norm(), theta = std::atan2(v[0], v[1]);
    EXPECT_NEAR(s * (kappa + std::cos(theta)), s0 * kappa - rate * T, kIntegrated) << kappa;
    EXPECT_NEAR(s * std::sin(theta), s0 * std::pow(std::tan(0.5 * theta), kappa), kIntegrated) << kappa;
    if (kappa < 1.0) continue;
    run_to(simulation, stop + 1.0);
    expect_times(times_of(simulation, EventKind::Stick), {stop}, kIntegrated);
    EXPECT_EQ(simulation.state().v(slider.body).norm(), 0.0) << kappa;
    // At rest the force is held: -f across.
    EXPECT_NEAR(simulation.state().forces[2], -f, kExact) << kappa;
  }
}

/// A slender rod (length 2, mass 1, inertia 1/3) at the angle phi, its lower tip slides on the floor towards -x, which
/// is where the rod points to the floor from: N M^-1 N with friction is 1 + 3 cos(phi)^2 - 3 mu sin(phi) cos(phi).
NonSmoothDynamicalSystem painleve_rod(double mu, double phi, double spin) {
  NonSmoothDynamicalSystem model;
  const double c = std::cos(phi), s = std::sin(phi);
  const auto rod = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 1.0 / 3.0).asDiagonal(),
                                                    .force = {0.0, -kGravity, 0.0},
                                                    .q0 = {c, s, phi},
                                                    .v0 = {-3.0 - s * spin, c * spin, spin}});  // the tip at (-3, 0)
  ScleronomousRelation tip;
  tip.rows = 2;
  tip.h = [](ConstVectorRef q, VectorRef y) { y << q[1] - std::sin(q[2]), q[0] - std::cos(q[2]); };
  tip.H = [](ConstVectorRef q, MatrixRef H) {
    H(0, 1) = H(1, 0) = 1.0;
    H(0, 2) = -std::cos(q[2]);
    H(1, 2) = std::sin(q[2]);
  };
  tip.curvature = [](ConstVectorRef q, ConstVectorRef v, VectorRef value) {
    value << v[2] * v[2] * std::sin(q[2]), v[2] * v[2] * std::cos(q[2]);
  };
  model.link(rod, tip, NewtonImpactFrictionLaw{.friction = mu}, "tip");
  return model;
}

/// A table whose velocity is given, (w t, 0), whatever its own mass and weight; blocks on it under friction mu.
NonSmoothDynamicalSystem on_moving_table(double rate, Index blocks, double mu, std::vector<SystemHandle>& added) {
  NonSmoothDynamicalSystem model;
  const auto at = [](double mass) {
    return LagrangianLinearSystem{
        .mass = {{mass, 0.0}, {0.0, mass}}, .force = {0.0, -mass * kGravity}, .q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}};
  };
  LagrangianLinearSystem driven = at(2.0);
  driven.prescribed = {{0, [rate](double t) { return rate * t; }}, {1, [](double) { return 0.0; }}};
  const auto table = model.add(driven);
  const Eigen::MatrixXd H{{0.0, -1.0, 0.0, 1.0}, {-1.0, 0.0, 1.0, 0.0}};
  for (Index i = 0; i < blocks; ++i) {
    added.push_back(model.add(at(std::pow(10.0, static_cast<double>(i) - 1.0))));
    model.link({table, added.back()}, LagrangianLinearRelation{.H = H}, NewtonImpactFrictionLaw{.friction = mu});
  }
  return model;
}

// A table that accelerates by more than mu g leaves its blocks sliding behind at mu g; by less it takes them along.
// What holds it is part of its mechanism.
TEST(CoulombByEvents, BlocksOnATableWhoseVelocityIsGiven) {
  constexpr double mu = 0.3, T = 0.5;
  for (const Index blocks : {1, 3}) {
    for (const double rate : {0.5 * mu * kGravity, 1.7 * mu * kGravity}) {
      std::vector<SystemHandle> added;
      EventDriven simulation(on_moving_table(rate, blocks, mu, added));
      const auto report = simulation.advance_to(T);
      ASSERT_TRUE(report) << report.message();
      for (const SystemHandle block : added) {
        // Constant accelerations, which every integrator takes exactly: rounding of some hundred steps.
        EXPECT_NEAR(simulation.state().v(block)[0], std::min(rate, mu * kGravity) * T, 1e-12) << blocks << " " << rate;
        EXPECT_NEAR(simulation.state().q(block)[1], 0.0, 1e-12) << blocks << " " << rate;
      }
    }
  }
}

TEST(Painleve, ASlenderRodIsInconsistentAboveFourThirds) {
  // At tan(phi) = 2, where the least mu is 4 / 3: above it the force pushes the tip into the floor.
  const double phi = std::atan(2.0);
  EventDriven below(painleve_rod(4.0 / 3.0 - 0.1, phi, 0.0));
  run_to(below, 1e-3);
  EXPECT_TRUE(events_of(below, EventKind::Ambiguity).empty());

  EventDriven above(painleve_rod(4.0 / 3.0 + 0.1, phi, 0.0));
  const auto report = above.advance_to(1e-3);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
  EXPECT_NE(report.message().find("Painlevé"), std::string::npos) << report.message();
  EXPECT_NE(report.message().find("tip"), std::string::npos) << report.message();
  EXPECT_EQ(report.t, 0.0);
}

TEST(Painleve, ASpinningRodIsAmbiguous) {
  // The free tip accelerates by -g + spin^2 sin(phi) > 0: leaving, and a force that holds it down, both satisfy the
  // laws; one is taken, and told.
  EventDriven simulation(painleve_rod(2.0, std::atan(2.0), 5.0));
  EXPECT_EQ(events_of(simulation, EventKind::Ambiguity).size(), 1u);
  // tan(phi) = 2: N M^-1 N is 1 + 3 / 5 - 3 2 2 / 5 = -0.8, so that the other force is the tip's acceleration over 0.8.
  const double c = 1.0 / std::sqrt(5.0), s = 2.0 * c, force = (25.0 * s - kGravity) / 0.8;
  ASSERT_EQ(simulation.alternatives().size(), 1u);
  const OtherMotion& held = simulation.alternatives().front();
  const Eigen::Vector3d rates(2.0 * force, force - kGravity, 3.0 * (2.0 * s - c) * force);
  EXPECT_LE((held.rates - rates).norm(), 1e-12 * rates.norm());  // some ten operations
  EXPECT_LE((held.multipliers - Eigen::Vector2d(force, 2.0 * force)).norm(), 1e-12 * force);
  ASSERT_EQ(held.rows.size(), 1u);
  EXPECT_EQ(held.rows[0].kind, EventKind::Closing);
  EXPECT_NEAR(simulation.rates()[1], -kGravity, 1e-12) << "the tip leaves";
  const auto report = simulation.advance_to(1e-3);
  EXPECT_TRUE(report) << report.message();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].subject, "tip");
  EXPECT_EQ(report.findings[0].worst, 1.0);
}

}  // namespace
}  // namespace nonsmooth::friction_test
