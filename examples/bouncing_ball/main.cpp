// SPDX-License-Identifier: Apache-2.0
// Bouncing ball on a rigid floor, through the accumulation of its impacts (SI units).
//
//   m dv = -m g dt + dp,    dq = v dt,    0 <= q  ⟂  dp >= 0,    v+ = -e v- at impact.
//
// Dropped from q0 it lands at t1 = sqrt(2 q0 / g); each flight takes e times the one before, so that infinitely many
// impacts end at t* = t1 (1 + e) / (1 - e) = 8.5789491787 s. Afterwards it rests on the floor.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <cmath>
#include <iostream>

using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, g = 9.81, q0 = 1.0, e = 0.9, h = 5e-3, T = 10.0;

  // 1. What moves.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{m}}, .force = {-m * g}, .q0 = {q0}});

  // 2. What it may touch: the gap y = H q, and the law between its velocity and the impulse.
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});

  // 3. How time advances, and what is kept of it.
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
  Table table{"t [s]", "q [m]", "v [m/s]", "impulse [N s]"};
  double lowest = q0, tenth_impact = 0.0, rest_since = 0.0;
  int impacts = 0;
  const auto report = simulation.advance_to(T, [&](const State& x) {
    table.record({x.t, x.q(ball)[0], x.v(ball)[0], x.impulse(floor)[0]});
    lowest = std::fmin(lowest, x.q(ball)[0]);
    if (x.impulse(floor)[0] > 0.0 && ++impacts == 10) tenth_impact = x.t;
    if (x.v(ball)[0] > 2.0 * g * h) rest_since = x.t;  // slower take-offs make flights of less than four steps
  });
  if (!report) std::cerr << report.message() << '\n';

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& t = table.column("t [s]");
    std::cout << draw({.title = "Bouncing ball, e = 0.9: the impacts accumulate at t = 8.58 s",
                       .panels = {time_series(t, "height [m]", {{table.column("q [m]")}}),
                                  time_series(t, "velocity [m/s]", {{table.column("v [m/s]")}}),
                                  time_series(t, "impulse [N s]", {{table.column("impulse [N s]")}})},
                       .width = 720,
                       .height = 640},
                      *arguments.pictures() / "bouncing_ball")
                     .message()
              << '\n';
  }

  // 5. Does it hold? At rest a step's impulse carries m g h. The scheme sees an impact up to one step late, ten of them
  // up to 10 h; and at rest_since the exact motion still has flights of 4 h (1 + e + e^2 + ...) = 0.2 s in all before
  // t*. It may sink as deep as it moves in one step: sqrt(2 g q0) h = 0.0221 m.
  Bounds bounds;
  bounds.near("impulse of a step at rest [N s]", simulation.state().impulse(floor)[0], 0.04905, 1e-9);
  bounds.near("tenth impact [s]", tenth_impact, 5.430218, 0.05);
  bounds.near("impacts end [s]", rest_since, 8.5789491787, 0.2 + 10 * h);
  bounds.within("lowest height [m]", lowest, -0.0222, 0.0);
  std::cout << bounds.report();
  return report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
