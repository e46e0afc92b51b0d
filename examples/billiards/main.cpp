// SPDX-License-Identifier: Apache-2.0
// Billiards by events: a ball on a round table, and the same table with a pillar beside its centre (SI units).
//
//   m dv = dp,   dq = v dt,   0 <= y  ⟂  dp >= 0,   v+ = -v- along the normal at impact,
//   y = R - r - |q| on the cushion,   y = |q - c| - a - r on the pillar.
//
// On the round table each chord meets the cushion at the angle a_0 of the first: impact k is at k chords of
// 2 (R - r) cos(a_0), and all chords touch one circle, of radius (R - r) sin(a_0). With a pillar off the centre angular
// momentum is kept no more: two balls that start 1e-9 m apart part by a factor each time that they hit it.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include "table.hpp"

using namespace nonsmooth;

namespace {

struct Run {
  Table path{"t", "x", "y"};  // at impacts
  std::vector<double> impacts;
  double energy = 0.0, nearest = kTable, moment = 0.0;  // least distance of a chord from the centre; its largest change
  bool completed = false;
};

Run play(bool pillar, double aside) {
  // 1. A disk in a circle, and on another disk; both belong to the ground.
  NonSmoothDynamicalSystem model;
  const Eigen::Vector2d start(0.0, kWay), velocity = kSpeed * Eigen::Vector2d(std::sin(kAngle), -std::cos(kAngle));
  const auto ball = model.add(PlanarBody{.position = start + Eigen::Vector2d(0.0, -aside), .velocity = velocity});
  const NewtonImpactLaw elastic{.restitution = 1.0};
  model.link(ball, DiskInCircle{.inner = {.radius = kBall}, .outer = {.radius = kTable}}, elastic, "cushion");
  if (pillar) model.link(ball, DiskPair{{.radius = kBall}, {kPillarAt, kPillar}}, elastic, "pillar");

  // 2. Events: what each impact leaves.
  EventDriven simulation{model};
  Run run;
  const double moment = start[0] * velocity[1] - start[1] * velocity[0];
  const auto note = [&](const State& x) {
    run.path.record({x.t, x.q(ball)[0], x.q(ball)[1]});
    const double now = x.q(ball)[0] * x.v(ball)[1] - x.q(ball)[1] * x.v(ball)[0];
    run.energy = std::max(run.energy, std::abs(x.v(ball).head<2>().squaredNorm() / (kSpeed * kSpeed) - 1.0));
    run.moment = std::max(run.moment, std::abs(now / moment - 1.0));
    run.nearest = std::min(run.nearest, std::abs(now) / kSpeed);
  };
  note(simulation.state());
  const auto report = simulation.advance_to(kRun, EventDrivenObserver{.instant = [&](const Instant& at) {
                                              run.impacts.push_back(at.after.t);
                                              note(at.after);
                                              return true;
                                            }});
  if (!report) std::cerr << report.message() << '\n';
  note(simulation.state());
  run.completed = static_cast<bool>(report);
  return run;
}

// Where the ball is on its polygon.
Eigen::Vector2d place(const Run& run, double t) {
  const auto& times = run.path.column("t");
  const auto after = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end() - 1, t) - times.begin());
  const auto at = [&](std::size_t i) { return Eigen::Vector2d(run.path.column("x")[i], run.path.column("y")[i]); };
  const double s = (t - times[after - 1]) / (times[after] - times[after - 1]);
  return (1.0 - s) * at(after - 1) + s * at(after);
}

}  // namespace

int example(const Arguments& arguments) {
  const double aside = 1e-9;
  const Run round = play(false, 0.0), round_aside = play(false, aside);
  const Run other = play(true, 0.0), other_aside = play(true, aside);
  if (!round.completed || !round_aside.completed || !other.completed || !other_aside.completed) return 1;

  // 3. How far apart the two balls of each table are.
  Table apart{"t", "round", "pillar"};
  for (double t = 0.0; t <= kRun; t += 0.02)
    apart.record(
        {t, (place(round, t) - place(round_aside, t)).norm(), (place(other, t) - place(other_aside, t)).norm()});

  // 4. Bounds. A chord is flown without truncation, and an instant rounded to some 1e-15 s; the map of a round table
  //    keeps the angle, so that errors add up: 37 impacts, each of ten roundings of terms of 1 m.
  const double chord = 2.0 * kWay * std::cos(kAngle) / kSpeed;
  double late = 0.0;
  for (std::size_t k = 0; k < round.impacts.size(); ++k)
    late = std::max(late, std::abs(round.impacts[k] - static_cast<double>(k + 1) * chord));
  const auto& of_round = apart.column("round");
  const auto& of_pillar = apart.column("pillar");
  Bounds bounds;
  bounds.near("impacts on the round table", static_cast<double>(round.impacts.size()), std::floor(kRun / chord), 0.0);
  bounds.near("largest error of an impact's instant [s]", late, 0.0, 1e-12);
  bounds.near("angular momentum changes by [of it]", round.moment, 0.0, 1e-12);
  bounds.near("chords touch a circle of radius [m]", round.nearest, kWay * std::sin(kAngle), 1e-12);
  bounds.near("energy changes by [of it]", std::max(round.energy, other.energy), 0.0, 1e-12);
  //    A start that is 1e-9 m farther in makes the angle a_0 smaller by tan(a_0) of that over R - r, and turns each
  //    chord by twice as much: 5e-8 m after 37.
  bounds.within("balls on the round table apart by, at most [m]", *std::max_element(of_round.begin(), of_round.end()),
                1e-8, 1e-7);
  bounds.within("balls beside the pillar apart by, at most [m]", *std::max_element(of_pillar.begin(), of_pillar.end()),
                0.1, 2.0 * kTable);
  std::cout << bounds.report();
  if (arguments.pictures())
    std::cout << picture(round.path, other.path, apart, *arguments.pictures() / "billiards").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
