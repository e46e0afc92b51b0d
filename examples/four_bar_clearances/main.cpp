// SPDX-License-Identifier: Apache-2.0
// A four-bar linkage whose pins have play in their bearings, the crank turned at constant speed (SI units).
//
//   m_i dv_i = m_i g dt + dR_i,   J_i domega_i = dT_i;   at each pin, d from the bearing's centre to its own,
//   y = c - |d|,   0 <= u_N+ + e u_N-  ⟂  p_N >= 0  where y = 0,   |p_T| <= mu p_N, opposed to the slip.
//
// The loop l_2 u = D + l_4 r - A + w, with the directions u and r of coupler and rocker and the sum w of all d, puts
// the rocker ahead of that of the linkage without play by
//
//   psi - psi_0 = -(u . w) / (l_4 u . r') + O(c^2),      |w| <= n c  for n pins,      r' = dr / dpsi.
//
// A pin that is pressed lies where the force F of the linkage without play puts it, d = c F / |F|, but for friction: as
// if each clearance were a bar of length c without mass. Sources: Flores, Leine & Glocker 2010 [flores2010]; Akhadkar,
// Acary & Brogliato 2016 [akhadkar2016].
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <numbers>
#include <numeric>
#include <vector>

#include "picture.hpp"
#include "pins.hpp"

using namespace nonsmooth;

const double kTurn = 2.0 * std::numbers::pi / kSpin, kStart = 0.5;  // time of a turn [s], angle of the crank [rad]

struct Run {
  Table table{"turns", "A x", "A y", "B x", "B y", "D x", "D y", "lead", "pressed", "rocker", "ideal"};
  double deepest = 0.0, fastest = 0.0;  // into a bearing [m]; approach [m/s]
  double lead = 0.0, pressed = 0.0,
         apart = 0.0;               // l_4 |psi - psi_0| |u . r'| / c: largest, of pressed pins, mean distance
  double rubbed = 0.0, heat = 0.0;  // what friction took, and would take of pressed pins [J]
  double numerical = 0.0;           // what the scheme adds [J]
  RunReport report;
};

Run turn(std::size_t pins, double c, double h) {
  // 1. A crank that is balanced on its shaft, which a motor turns; two slender bars.
  NonSmoothDynamicalSystem model;
  const Linkage start(kStart);
  const auto bar = [&](const Point& way, std::size_t i) {
    const double m = kDensity * way.norm();
    return model.add(PlanarBody{.mass = m,
                                .inertia = PlanarMassProperties::of_mass(PlanarSegment{.to = way}, m).inertia,
                                .position = start.centre[i],
                                .angle = std::atan2(way[1], way[0]),
                                .velocity = start.velocity[i],
                                .angular_velocity = start.spin[i],
                                .gravity = {0.0, -kGravity}});
  };
  const auto crank = model.add(PlanarBody{.angle = kStart, .angular_velocity = kSpin});
  const auto coupler = bar(start.B - start.A, 1), rocker = bar(start.B - start.D, 2);
  model.link(
      crank,
      RheonomousRelation{
          .rows = 3,
          .h = [](double t, ConstVectorRef q, VectorRef y) { y = q - Eigen::Vector3d(0.0, 0.0, kStart + kSpin * t); },
          .H = [](double, ConstVectorRef, MatrixRef H) { H.setIdentity(); },
          .h_t = [](double, ConstVectorRef, VectorRef rate) { rate = Eigen::Vector3d(0.0, 0.0, -kSpin); }},
      EqualityLaw{}, "motor");

  // 2. Pins of 5 mm in bearings that are c larger, as many as have play; the others are hinges.
  const NewtonImpactFrictionLaw dry{.restitution = 0.3, .friction = kFriction};
  const State initial = model.initial_state();
  std::vector<InteractionHandle> with_play;
  const auto link = [&](const std::vector<SystemHandle>& bodies, const Point& pin, const Point& bearing,
                        const PlanarFrames& frames) {
    if (with_play.size() == pins) {
      link_joint(model, bodies, PlanarHinge{frames});
    } else {
      with_play.push_back(
          model.link(bodies, DiskInCircle{.inner = {pin, kPin}, .outer = {bearing, kPin + c}, .rows = 2}, dry));
    }
  };
  const auto q = [&](SystemHandle body) { return initial.q(body); };
  link({crank, coupler}, {kCrank, 0.0}, {-0.5 * kCoupler, 0.0}, planar_joint_between(q(crank), q(coupler), start.A));
  link({coupler, rocker}, {0.5 * kCoupler, 0.0}, {0.5 * kRocker, 0.0},
       planar_joint_between(q(coupler), q(rocker), start.B));
  link({rocker}, {-0.5 * kRocker, 0.0}, start.D, planar_joint_to_ground(q(rocker), start.D));

  // 3. Two turns, of which the second is looked at.
  TimeStepping simulation{model, {.step = h}};
  Ledger ledger(simulation);
  Run run;
  run.report = simulation.advance_to(2.0 * kTurn, [&](const State& x) {
    run.deepest = std::max(run.deepest, ledger.record(x).penetration);
    for (const InteractionHandle one : with_play) run.fastest = std::max(run.fastest, std::abs(x.u(one)[0]));
    if (x.t < kTurn) return;
    const double angle = kStart + kSpin * x.t;
    const Linkage ideal(angle);
    const Point direction = ideal.B - ideal.D;
    const double lead = kRocker * (x.q(rocker)[2] - std::atan2(direction[1], direction[0])) * transmission(ideal) / c;
    const Pins at = pins_at(ideal, x.q(coupler), x.q(rocker)), held = pressed(angle);
    const double expected = moved(ideal, std::accumulate(held.begin(), held.begin() + pins, Point(0.0, 0.0)));
    run.lead = std::max(run.lead, std::abs(lead));
    run.pressed = std::max(run.pressed, std::abs(expected));
    run.apart += h / kTurn * std::abs(lead - expected);
    run.rubbed -= ledger.last().friction;
    run.heat += h * heat(angle, pins);
    if (x.k % 10 == 0)
      run.table.record({kSpin * x.t / (2.0 * std::numbers::pi), at[0][0] / c, at[0][1] / c, at[1][0] / c, at[1][1] / c,
                        at[2][0] / c, at[2][1] / c, lead, expected, x.v(rocker)[2], ideal.spin[2]});
  });
  run.numerical = ledger.total().numerical;
  return run;
}

int example(const Arguments& arguments) {
  const auto pins = static_cast<std::size_t>(std::min<Index>(arguments.integer("clearances", 3), 3));
  const double c = 4e-4, h = 1e-4, n = static_cast<double>(pins);
  const Run wide = turn(pins, c, h), narrow = turn(pins, 0.25 * c, h), fine = turn(pins, 0.25 * c, 0.5 * h);

  // 4. Bounds. A pin is caught up to a step late. Where |u . r'| >= 1/2 the second order of the rocker's lead is
  //    (n c)^2 / (2 l_4 / 4) at most. As c falls the lead falls with it, lead / c between that of pressed pins and n.
  //    Forces that pass zero at a rate F' take t = (12 c m / F')^(1/3) to carry a pin across: the share of time that
  //    pins are not pressed goes with c^(1/3). What friction takes is more than of pressed pins by O(c), for bounces;
  //    free of it is (4 narrow - wide) / 3. H is that of the end of a step: energy is lost with h, to
  //    half an order, as bounces differ from step to step.
  Bounds bounds;
  const auto most = [&](const Run& run, double play) {
    return n * (1.0 + run.deepest / play + 2.0 * n * play / kRocker);
  };
  for (const Run* run : {&wide, &narrow, &fine}) {
    if (!run->report) return std::cerr << run->report.message() << '\n', 1;
    const double play = run == &wide ? c : 0.25 * c, step = run == &fine ? 0.5 * h : h;
    bounds.within("penetration [m]", run->deepest, 0.0, step * run->fastest);
    bounds.within("rocker's lead / c", run->lead, 0.0, most(*run, play));
  }
  bounds.near("order of the lead in c", std::log(4.0 * wide.lead / narrow.lead) / std::log(4.0), 1.0,
              std::log(most(wide, c) / narrow.pressed) / std::log(4.0));
  bounds.within("order of the time off the bearings", std::log(wide.apart / narrow.apart) / std::log(4.0), 0.1, 0.6);
  bounds.near("friction takes, of pressed pins", (4.0 * narrow.rubbed - wide.rubbed) / 3.0 / narrow.heat, 1.0, 0.04);
  bounds.near("order of the energy lost in h", std::log2(narrow.numerical / fine.numerical), 1.0, 0.5);
  std::cout << bounds.report();
  if (arguments.pictures())
    std::cout << picture(wide.table, *arguments.pictures() / "four_bar_clearances").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {"clearances"}, example); }
