// SPDX-License-Identifier: Apache-2.0
// Stacks of boxes that sleep until something falls on them (SI units, in the plane).
//
//   m dv = m g dt + sum dp,   J dOmega = sum r x dp,   0 <= u_N+  ⟂  p_N >= 0,   |p_T| <= mu p_N, opposed to the slip.
//
// A body is at rest where its kinetic energy is below rest^2 times that of one step of free fall; an island of such
// bodies falls asleep after some steps and is no part of a step's problem until it is hit. The same run without sleep
// says what that neglects: speeds of rest h g at most.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <utility>
#include <vector>

using namespace nonsmooth;

const double kGravity = 9.81, kMass = 1.0, kHalf = 0.1, kFriction = 0.6, kStep = 1e-3, kRest = 0.01;
const std::vector<double> kDrops{1.0, 4.0, 9.0};  // above the tops of the stacks [m]

// One run, and what was seen.
struct Run {
  std::vector<SystemHandle> boxes;
  std::vector<double> t, asleep;
  double rows = 0.0, largest_way = 0.0;  // rows of all problems; way of a sleeper in a step [m]
  std::vector<State> shown;
  State end;
  RunReport report;
};

Run run_stacks(double rest, double T) {
  // 1. A stack for each box that is dropped, off its middle.
  Run run;
  NonSmoothDynamicalSystem model;
  std::vector<PlanarBodyShapes> bodies;
  const ConvexPolygon square{.vertices = {{-kHalf, -kHalf}, {kHalf, -kHalf}, {kHalf, kHalf}, {-kHalf, kHalf}}};
  const auto add = [&](double x, double y) {
    run.boxes.push_back(model.add(PlanarBody{.mass = kMass,
                                             .inertia = PlanarMassProperties::of_mass(square, kMass).inertia,
                                             .position = {x, y},
                                             .gravity = {0.0, -kGravity}}));
    bodies.push_back({run.boxes.back(), {{.shape = square}}});
  };
  for (std::size_t stack = 0; stack < kDrops.size(); ++stack) {
    const double x = 2.0 * static_cast<double>(stack);
    for (int i = 0; i < 4; ++i) add(x, (2 * i + 1) * kHalf);
    add(x + 0.7 * kHalf, 9.0 * kHalf + kDrops[stack]);
  }
  model.detect(PlanarContacts(bodies, {{.shape = HalfPlane{}}}, NewtonImpactFrictionLaw{.friction = kFriction}));

  // 2. Steps, with or without sleep.
  TimeStepping simulation(
      model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}, .sleep = {.rest = rest, .steps = 50}});
  State before = std::as_const(simulation).state();
  run.report = simulation.advance_to(T, [&](const State& x, const StepReport& step) {
    run.t.push_back(x.t);
    run.asleep.push_back(static_cast<double>(step.asleep));
    run.rows += static_cast<double>(step.rows);
    for (const SystemHandle box : run.boxes) {
      if (x.is_asleep(box) && before.is_asleep(box))
        run.largest_way = std::max(run.largest_way, (x.q(box) - before.q(box)).lpNorm<Eigen::Infinity>());
    }
    before = x;
    if (x.steps % 450 == 0) run.shown.push_back(x);
  });
  if (!run.report) std::cerr << run.report.message() << '\n';
  run.end = std::as_const(simulation).state();
  return run;
}

// Outlines of the boxes that sleep, or of those that are awake.
Series outlines(const Run& run, const State& x, bool asleep) {
  Series lines{.label = asleep ? "asleep" : "awake", .style = Series::Style::Bodies};
  for (const SystemHandle box : run.boxes) {
    if (x.is_asleep(box) != asleep) continue;
    const auto q = x.q(box);
    const double c = kHalf * std::cos(q[2]), s = kHalf * std::sin(q[2]);
    for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}}) {
      lines.x.push_back(q[0] + c * a - s * b);
      lines.y.push_back(q[1] + s * a + c * b);
    }
    lines.x.push_back(std::numeric_limits<double>::quiet_NaN());
    lines.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  return lines;
}

Picture picture(const Run& run, const std::filesystem::path& file) {
  std::vector<Panel> panels;
  for (std::size_t k = 0; k < std::min<std::size_t>(run.shown.size(), 4); ++k)
    panels.push_back({.x = {"x [m]", -0.6, 5.2},
                      .y = {"y [m]", 0.0, 1.6},
                      .series = {outlines(run, run.shown[k], false), outlines(run, run.shown[k], true)},
                      .same_units = true});
  panels.push_back(time_series(run.t, "boxes asleep", {{run.asleep, "", Series::Style::Steps}}));
  return draw({.title = "Stacks that sleep", .panels = panels, .width = 900, .height = 660, .columns = 2}, file);
}

int example(const Arguments& arguments) {
  const double T = 3.0;
  const Run run = run_stacks(kRest, T), awake = run_stacks(0.0, T);

  // 3. Does it hold? All sleep in the end, none having moved while it did. Each time a box falls asleep costs at most
  //    the energy of m (rest h g)^2 / 2, and what is hit then moves as if it had never slept.
  Bounds bounds;
  const double fall = kRest * kStep * kGravity;
  bounds.near("boxes asleep at the end", run.asleep.empty() ? 0.0 : run.asleep.back(),
              static_cast<double>(run.boxes.size()), 0.0);
  bounds.near("way of those that sleep [m]", run.largest_way, 0.0, 0.0);
  bounds.within("energy taken [J]", run.report.energy_taken, 0.0,
                0.5 * kMass * fall * fall * static_cast<double>(run.report.fell_asleep));
  bounds.within("ends apart [m]", (run.end.positions - awake.end.positions).lpNorm<Eigen::Infinity>(), 0.0, fall * T);
  bounds.within("rows that were solved, of those of the run awake", run.rows / awake.rows, 0.0, 0.1);
  std::cout << bounds.report();
  if (arguments.pictures()) std::cout << picture(run, *arguments.pictures() / "sleeping_stacks").message() << '\n';
  return run.report && awake.report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
