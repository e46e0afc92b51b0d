// SPDX-License-Identifier: Apache-2.0
// Problems whose events are of every kind, in any units.
#pragma once

#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "event_log.hpp"

namespace nonsmooth::scaled_problems {

using namespace event_log;

/// How many of a problem's units one of SI is: 1000 for milli.
struct Units {
  double length = 1.0, time = 1.0, mass = 1.0;  ///< of mechanics
  double voltage = 1.0, current = 1.0;          ///< of circuits, with time

  [[nodiscard]] double speed() const { return length / time; }
  [[nodiscard]] double acceleration() const { return length / time / time; }
  [[nodiscard]] double force() const { return mass * acceleration(); }
  [[nodiscard]] double inertia() const { return mass * length * length; }
  [[nodiscard]] double resistance() const { return voltage / current; }
  [[nodiscard]] double capacitance() const { return current * time / voltage; }
  [[nodiscard]] double inductance() const { return voltage * time / current; }
  [[nodiscard]] double charge() const { return current * time; }
};

struct Problem {
  std::string name;
  double end = 0.0, step = 0.0;  ///< [s]
  std::function<NonSmoothDynamicalSystem(const Units& u)> model;
  std::function<Eigen::VectorXd(const Units& u)> state;  ///< units of (q; v; x)
  std::vector<EventKind> kinds;                          ///< that have to be there
  std::vector<double> instants{};                        ///< of scheduled events without actions [s]
  double rounding = 0.0;                                 ///< of functions other than + - * / and square roots
};

inline void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

inline Eigen::VectorXd state_of(const EventDriven& simulation) {
  Eigen::VectorXd z(simulation.state().positions.size() + simulation.state().unknowns.size());
  z << simulation.state().positions, simulation.state().unknowns;
  return z;
}

inline EventDriven run(const Problem& problem, const Units& u, EventDrivenOptions options) {
  options.step *= u.time;
  UserEvent scheduled;
  for (const double instant : problem.instants) scheduled.instants.push_back(instant * u.time);
  if (!problem.instants.empty()) options.events = {scheduled};
  EventDriven simulation(problem.model(u), options);
  const auto report = simulation.advance_to(problem.end * u.time);
  EXPECT_TRUE(report) << problem.name << ": " << report.message();
  return simulation;
}

inline LagrangianLinearSystem particle(const Units& u, std::function<double(double)> acceleration, double q0,
                                       double v0) {
  return {.mass = {{u.mass}},
          .force = [=](double t, VectorRef f) { f[0] = u.force() * acceleration(t / u.time); },
          .q0 = {q0 * u.length},
          .v0 = {v0 * u.speed()}};
}

inline NonSmoothDynamicalSystem particle_on_floor(const Units& u, std::function<double(double)> acceleration, double q0,
                                                  double v0, double restitution) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(particle(u, std::move(acceleration), q0, v0));
  model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = restitution});
  return model;
}

inline Eigen::VectorXd of_particle(const Units& u) { return Eigen::Vector2d(u.length, u.speed()); }

inline NonSmoothDynamicalSystem block_on_belt(const Units& u) {
  NonSmoothDynamicalSystem model;
  const double stiffness = 25.0 * u.force() / u.length, belt = 0.2 * u.speed();
  const auto block = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(u.mass, u.mass).asDiagonal(),
                                                      .stiffness = Eigen::Vector2d(stiffness, 0.0).asDiagonal(),
                                                      .force = {0.0, -kGravity * u.force()},
                                                      .q0 = {0.0, 0.0}});
  RheonomousRelation relation;
  relation.rows = 2;
  relation.h = [=](double t, ConstVectorRef q, VectorRef y) { y << q[1], q[0] - belt * t; };
  relation.H = [](double, ConstVectorRef, MatrixRef H) { H(0, 1) = H(1, 0) = 1.0; };
  relation.h_t = [=](double, ConstVectorRef, VectorRef value) { value[1] = -belt; };
  model.link(block, relation, StaticKineticFrictionLaw{.static_friction = 0.4, .kinetic_friction = 0.25});
  return model;
}

inline NonSmoothDynamicalSystem falling_disk(const Units& u) {
  // Radius 1, thrown with a spin: falls, bounces, slides, rolls.
  NonSmoothDynamicalSystem model;
  const auto disk =
      model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(u.mass, u.mass, 0.5 * u.inertia()).asDiagonal(),
                                       .force = {0.0, -kGravity * u.force(), 0.0},
                                       .q0 = {0.0, 0.3 * u.length, 0.0},
                                       .v0 = {u.speed(), 0.0, 2.0 / u.time}});
  model.link(disk, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, u.length}}},
             NewtonImpactFrictionLaw{.restitution = 0.3, .friction = 0.1});
  return model;
}

inline NonSmoothDynamicalSystem dropped_block(const Units& u) {
  // Half height a, half width b, tilted: impacts of either corner accumulate.
  const double a = 0.5 * u.length, b = 0.3 * u.length, m = 3.0 * u.mass, tilt = 0.3;
  NonSmoothDynamicalSystem model;
  const auto block =
      model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, m * (a * a + b * b) / 3.0).asDiagonal(),
                                       .force = {0.0, -m * kGravity * u.acceleration(), 0.0},
                                       .q0 = {0.0, std::sin(tilt) * b + std::cos(tilt) * a + 0.1 * u.length, tilt}});
  for (const double side : {-b, b}) {
    ScleronomousRelation corner;
    corner.rows = 2;
    corner.h = [=](ConstVectorRef q, VectorRef y) {
      y[0] = q[1] + std::sin(q[2]) * side - std::cos(q[2]) * a;
      y[1] = q[0] + std::cos(q[2]) * side + std::sin(q[2]) * a;
    };
    corner.H = [=](ConstVectorRef q, MatrixRef H) {
      H(0, 1) = H(1, 0) = 1.0;
      H(0, 2) = std::cos(q[2]) * side + std::sin(q[2]) * a;
      H(1, 2) = -std::sin(q[2]) * side + std::cos(q[2]) * a;
    };
    corner.curvature = [=](ConstVectorRef q, ConstVectorRef v, VectorRef c) {
      c[0] = (-std::sin(q[2]) * side + std::cos(q[2]) * a) * v[2] * v[2];
      c[1] = (-std::cos(q[2]) * side - std::sin(q[2]) * a) * v[2] * v[2];
    };
    model.link(block, corner, NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.3});
  }
  return model;
}

inline Eigen::VectorXd of_disk(const Units& u) {
  return (Eigen::VectorXd(6) << u.length, u.length, 1.0, u.speed(), u.speed(), 1.0 / u.time).finished();
}

inline NonSmoothDynamicalSystem corner(const Units& u) {
  // The floor and an overhanging wall: only one of two contacts stays.
  const double r3 = std::sqrt(3.0);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(u.mass, u.mass).asDiagonal(),
                                                     .force = {5.0 / r3 * u.force(), -u.force()},
                                                     .q0 = {0.0, u.length},
                                                     .v0 = {0.0, 0.0}});
  model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  model.link(body, LagrangianLinearRelation{.H = {{0.5 * r3, -0.5}}, .b = {0.5 * u.length}},
             NewtonImpactLaw{.restitution = 0.5});
  return model;
}

inline NonSmoothDynamicalSystem block_in_space(const Units& u) {
  // A side force turns the sliding direction until it stops.
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.mass = (u.mass * Eigen::Vector3d::Ones()).asDiagonal(),
                                                      .force = {0.0, u.force(), -kGravity * u.force()},
                                                      .q0 = {0.0, 0.0, 0.0},
                                                      .v0 = {2.0 * u.speed(), 0.0, 0.0}});
  model.link(block, on_floor(3), NewtonImpactFrictionLaw{.friction = 0.2, .dimension = 3});
  return model;
}

inline NonSmoothDynamicalSystem chain(const Units& u, const Law& law) {
  // Three balls, the first one moving.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  for (int k = 0; k < 3; ++k) {
    balls.push_back(model.add(LagrangianLinearSystem{
        .mass = {{u.mass}}, .q0 = {(k == 0 ? -0.5 : k) * u.length}, .v0 = {k == 0 ? u.speed() : 0.0}}));
  }
  for (std::size_t k = 0; k + 1 < balls.size(); ++k) {
    model.link({balls[k], balls[k + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-u.length}}, law);
  }
  return model;
}

const double kOnePeriod = 1.0 / (4.0 * kPi * kPi);  // F, beside 1 H: a period of 1 s

inline NonSmoothDynamicalSystem diode_circuit(const Units& u) {
  // x = (charge, current): L x2' = -x1 / C + v, x1' = x2 - i, a diode and 10 Ohm.
  const double C = kOnePeriod * u.capacitance(), L = u.inductance(), R = 10.0 * u.resistance();
  NonSmoothDynamicalSystem model;
  const auto circuit =
      model.add(FirstOrderLinearSystem{.A = {{0.0, -1.0}, {1.0 / (L * C), 0.0}}, .x0 = {u.charge(), u.current}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{1.0 / C, 0.0}}, .D = {{R}}, .B = {{1.0}, {0.0}}},
             ComplementarityLaw{});
  return model;
}

inline NonSmoothDynamicalSystem zener_circuit(const Units& u) {
  const double C = kOnePeriod * u.capacitance(), L = u.inductance(), R = 0.1 * u.resistance();
  NonSmoothDynamicalSystem model;
  const auto circuit =
      model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-1.0 / (L * C), -R / L}}, .x0 = {u.charge(), u.current}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{0.0, -1.0}}, .B = {{0.0}, {-1.0 / L}}},
             RelayLaw{.lower = 0.0, .upper = 20.0 * u.voltage});
  return model;
}

inline Eigen::VectorXd of_oscillator(const Units& u) { return Eigen::Vector2d(u.charge(), u.current); }

inline NonSmoothDynamicalSystem relay_circuit(const Units& u) {
  // A capacitor whose voltage a relay without hysteresis brings to zero, where it is held.
  const double C = 1e-6 * u.capacitance(), R = 1e4 * u.resistance(), I = 1e-4 * u.current;
  const double V = u.voltage, Rs = 1e3 * u.resistance();
  NonSmoothDynamicalSystem model;
  const auto node =
      model.add(FirstOrderLinearSystem{.A = {{-1.0 / (R * C) - 1.0 / (Rs * C)}}, .b = {(I + V / R) / C}, .x0 = {V}});
  model.link(node, FirstOrderLinearRelation{.C = {{-1.0}}, .B = {{-1.0 / (Rs * C)}}},
             RelayLaw{.lower = 0.0, .upper = V});
  return model;
}

inline NonSmoothDynamicalSystem rectifier(const Units& u) {
  // 10 V, 50 Hz behind 1 Ohm, a diode, 1 mF beside 100 Ohm.
  const double C = 1e-3 * u.capacitance(), R = 100.0 * u.resistance(), Rs = u.resistance();
  const double peak = 10.0 * u.voltage, time = u.time;
  NonSmoothDynamicalSystem model;
  const auto node = model.add(FirstOrderLinearSystem{.A = {{-1.0 / (R * C)}}, .x0 = {0.0}});
  model.link(
      node,
      FirstOrderLinearRelation{.C = {{1.0}},
                               .D = {{Rs}},
                               .B = {{1.0 / C}},
                               .e = [=](double t, VectorRef e) { e[0] = -peak * std::sin(100.0 * kPi * (t / time)); }},
      ComplementarityLaw{});
  return model;
}

inline NonSmoothDynamicalSystem capacitors(const Units& u) {
  // One of 1 uF at 10 V, one loaded by 1 MOhm; a switch connects them at 1 ms: a jump.
  const double C = 1e-6 * u.capacitance(), R = 1e6 * u.resistance(), closes = 1e-3 * u.time;
  const double ohm = u.resistance();
  NonSmoothDynamicalSystem model;
  const auto pair =
      model.add(FirstOrderLinearSystem{.A = {{0.0, 0.0}, {0.0, -1.0 / (R * C)}}, .x0 = {10.0 * u.voltage, 0.0}});
  model.link(pair,
             FirstOrderLinearRelation{.C =
                                          [=](double t, MatrixRef M) {
                                            if (t >= closes) M << -1.0, 1.0;
                                          },
                                      .D = [=](double t, MatrixRef D) { D(0, 0) = t < closes ? ohm : 0.0; },
                                      .B = {{-1.0 / C}, {1.0 / C}},
                                      .rows = 1},
             EqualityLaw{});
  return model;
}

inline std::vector<Problem> mechanics() {
  using K = EventKind;
  return {
      {"opens and lands",
       40.0,
       0.5,
       [](const Units& u) {
         return particle_on_floor(
             u, [](double t) { return std::cos(t) - 0.7; }, 0.4, 0.0, 0.0);
       },
       of_particle,
       {K::Impact, K::Opening}},
      {"bounces to rest",
       3.0,
       0.25,
       [](const Units& u) {
         return particle_on_floor(
             u, [](double) { return -kGravity; }, 1.0, 0.0, 0.5);
       },
       of_particle,
       {K::Impact, K::Accumulation}},
      {"undetermined, then closed",
       3.0,
       0.5,
       [](const Units& u) {
         return particle_on_floor(
             u, [](double t) { return -0.6 * (t - 1.0); }, 0.8, -1.0, 0.0);
       },
       of_particle,
       {K::Impact}},
      {"undetermined, then free",
       3.0,
       0.5,
       [](const Units& u) {
         return particle_on_floor(
             u, [](double t) { return 0.6 * (t - 1.0); }, 1.2, -1.0, 0.0);
       },
       of_particle,
       {K::Impact}},
      {"undetermined at a touch",
       2.0,
       0.25,
       [](const Units& u) {
         return particle_on_floor(
             u, [](double t) { return -(t - 1.0) * (t - 1.0); }, 0.0, 0.0, 0.0);
       },
       of_particle,
       {K::Closing},
       {1.0}},
      {"stick-slip",
       10.0,
       0.1,
       block_on_belt,
       [](const Units& u) { return Eigen::VectorXd(Eigen::Vector4d(u.length, u.length, u.speed(), u.speed())); },
       {K::Stick, K::Slip}},
      {"falling disk", 3.0, 0.1, falling_disk, of_disk, {K::Impact, K::Stick, K::Accumulation}},
      {"dropped block", 5.0, 0.02, dropped_block, of_disk, {K::Impact, K::Stick, K::Accumulation}},
      {"corner",
       6.0,
       0.1,
       corner,
       [](const Units& u) { return Eigen::VectorXd(Eigen::Vector4d(u.length, u.length, u.speed(), u.speed())); },
       {K::Impact, K::Accumulation}},
      {"chain",
       1.0,
       0.1,
       [](const Units& u) { return chain(u, PoissonImpactLaw{.restitution = 0.5}); },
       [](const Units& u) {
         return (Eigen::VectorXd(6) << u.length, u.length, u.length, u.speed(), u.speed(), u.speed()).finished();
       },
       {K::Impact}},
      {"cradle",
       1.0,
       0.1,
       [](const Units& u) {
         return chain(u,
                      LiuZhaoBrogliatoImpactLaw{.restitution = 0.9, .stiffness = u.force() / std::pow(u.length, 1.5)});
       },
       [](const Units& u) {
         return (Eigen::VectorXd(6) << u.length, u.length, u.length, u.speed(), u.speed(), u.speed()).finished();
       },
       {K::Impact},
       {},
       1e-12},
      {"block in space",
       2.0,
       0.05,
       block_in_space,
       [](const Units& u) {
         return (Eigen::VectorXd(6) << u.length, u.length, u.length, u.speed(), u.speed(), u.speed()).finished();
       },
       {K::Closing, K::Stick}},
  };
}

inline std::vector<Problem> circuits() {
  using K = EventKind;
  const auto voltage = [](const Units& u) { return Eigen::VectorXd(Eigen::VectorXd::Constant(1, u.voltage)); };
  return {
      {"diode", 3.0, 1.0 / 16.0, diode_circuit, of_oscillator, {K::Switch}},
      {"zener", 2.0, 1.0 / 16.0, zener_circuit, of_oscillator, {K::Switch}},
      {"relay", 1e-2, 1e-4, relay_circuit, voltage, {K::Switch}},
      {"rectifier", 0.1, 1e-3, rectifier, voltage, {K::Switch}},
      {"capacitors",
       2e-3,
       1e-4,
       capacitors,
       [](const Units& u) { return Eigen::VectorXd(Eigen::Vector2d(u.voltage, u.voltage)); },
       {K::Jump},
       {1e-3}},
  };
}

/// The problem's own kinds are there.
inline void expect_kinds(const Problem& problem, const EventDriven& simulation) {
  for (const EventKind kind : problem.kinds) {
    EXPECT_FALSE(events_of(simulation, kind).empty()) << problem.name << ", kind " << static_cast<int>(kind);
  }
}

}  // namespace nonsmooth::scaled_problems
