// SPDX-License-Identifier: Apache-2.0
// A row of dominoes that topple one another (SI units): boxes in space, contacts found by their shapes.
//
//   m dv = m g dt + sum dp,   J dOmega + Omega x J Omega dt = sum r x dp,   0 <= u_N+  ⟂  p_N >= 0,
//   |p_T| <= mu p_N, opposed to the slip u_T;  mu of domino on domino, and another one on the table.
//
// Each that falls hits the next where its upper edge gets there, sin(tilt) = gap / height, and then leans on it. What
// is lost in impacts and friction is made up for by gravity: after a few dominoes the wave has a speed of its own, some
// 1.3 sqrt(g height), whatever the first push was.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

#include "row.hpp"

using namespace nonsmooth;

Run topple(Index count, double push) {
  // 1. Boxes in a row on a table; the first turns about its lower edge.
  NonSmoothDynamicalSystem model;
  Run run;
  std::vector<BodyShapes> bodies;
  const Box domino{{0.5 * kThick, 0.5 * kWide, 0.5 * kHigh}};
  const Eigen::Vector3d half = domino.half_extents;
  for (Index i = 0; i < count; ++i) {
    const double spin = i == 0 ? push : 0.0;
    run.dominoes.push_back(model.add(RigidBody{.mass = kMass,
                                               .inertia = MassProperties::of_mass(domino, kMass).inertia,
                                               .position = {kPitch * static_cast<double>(i), 0.0, half[2]},
                                               .velocity = {spin * half[2], 0.0, spin * half[0]},
                                               .angular_velocity = {0.0, spin, 0.0},
                                               .gravity = {0.0, 0.0, -kGravity},
                                               .gyroscopic = GyroscopicTerm::Explicit}));
    bodies.push_back({run.dominoes.back(), {{.shape = domino, .material = 0}}});
  }

  // 2. What touches: dominoes among each other (material 0) and the table (material 1).
  const std::vector<Law> laws{NewtonImpactFrictionLaw{.friction = 0.2, .dimension = 3},
                              NewtonImpactFrictionLaw{.friction = 0.6, .dimension = 3}};
  const BodyContacts contacts(bodies, {{.shape = HalfSpace{}, .material = 1}}, laws,
                              ContactMaterials(2).set_law(0, 0, 0).set_law(0, 1, 1));
  model.detect(contacts);

  // 3. Steps, until the last has fallen. Contacts are linear in velocities within a step, forces are constant, and the
  //    gyroscopic term is explicit: one iteration is exact.
  TimeStepping simulation{
      model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-7}, .newton = {.max_iterations = 1}}};
  Ledger ledger(simulation);
  double energy = ledger.last().energy();
  const double contact = std::asin(kGap / kHigh);
  std::vector<double> before(run.dominoes.size());
  const auto report = simulation.advance_to(0.035 * static_cast<double>(count) + 0.3, [&](const State& x) {
    run.gained = std::max(run.gained, -std::exchange(energy, ledger.record(x).energy()) + energy);
    for (std::size_t i = 0; i < run.dominoes.size(); ++i) {
      const auto q = x.q(run.dominoes[i]);
      const double now = tilt(q), last = std::exchange(before[i], now);
      if (run.passes.size() == i && now >= contact) {
        run.passes.push_back(x.t - kStep * (now - contact) / (now - last));
        if (i % 6 == 3) run.shown.push_back(x);
      }
      run.aside = std::max(run.aside, std::abs(q[1]));
      run.fastest = std::max(
          run.fastest, x.v(run.dominoes[i]).head<3>().norm() + half.norm() * x.v(run.dominoes[i]).tail<3>().norm());
    }
    for (const ContactBatch& batch : contacts_at(x, contacts)) {
      for (const DetectedContact& one : batch.contacts) run.deepest = std::min(run.deepest, one.gap);
    }
  });
  if (!report) std::cerr << explain_failure(simulation, report) << '\n';
  run.end = simulation.state();
  run.completed = bool(report);
  return run;
}

int example(const Arguments& arguments) {
  const Index count = arguments.integer("dominoes", 16, 12);
  const Run gentle = topple(count, 6.0), hard = topple(count, 20.0);

  // 4. Does it hold? Dominoes end leaning on each other, sin(pi / 2 - tilt) = thickness / pitch but for what they slide
  //    on the table, the last one flat. Two that meet enter by at most h times their speed of approach. The speed of
  //    the wave is known to h in each time of pitch / speed, at both ends.
  Bounds bounds;
  const auto all = static_cast<double>(count);
  const std::vector<double> slow = speeds(gentle), fast = speeds(hard);
  const double natural = slow.empty() ? 0.0 : slow.back(), error = 2.0 * kStep * natural * natural / kPitch;
  for (const Run* run : {&gentle, &hard}) {
    bounds.near("dominoes that fell, in order", static_cast<double>(run->passes.size()), all, 0.0);
    double least = 1e300;
    for (const SystemHandle domino : run->dominoes) least = std::min(least, tilt(run->end.q(domino)));
    bounds.near("least tilt at the end [rad]", least, std::acos(kThick / kPitch), 0.02);
    bounds.within("largest gain of energy in a step [J]", run->gained, 0.0, 1e-8);
    bounds.within("deepest penetration [m]", run->deepest, -2.0 * kStep * run->fastest, 0.0);
    bounds.near("way out of the plane [m]", run->aside, 0.0, 0.05 * kWide);
    const std::vector<double> of_run = speeds(*run);
    for (std::size_t i = of_run.size() - of_run.size() / 3; i < of_run.size(); ++i)
      bounds.near("speed of the wave [m/s]", of_run[i], natural, error);
  }
  std::cout << bounds.report();
  if (arguments.pictures()) std::cout << picture(gentle, hard, *arguments.pictures() / "dominoes").message() << '\n';
  return gentle.completed && hard.completed && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {"dominoes"}, example); }
