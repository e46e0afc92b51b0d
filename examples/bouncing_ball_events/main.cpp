// SPDX-License-Identifier: Apache-2.0
// Bouncing ball by events beside time-stepping: one model, two simulations, errors against the closed form (SI units).
//
//   m dv = -m g dt + dp,    dq = v dt,    0 <= q  ⟂  dp >= 0,    v+ = -e v- at impact.
//
// Dropped from q0 it lands at t1 = sqrt(2 q0 / g); flight k = 1, 2... begins at t_k with speed e^k g t1 and takes
// 2 e^k t1, so that the impacts accumulate at t* = t1 (1 + e) / (1 - e). From there on the ball rests.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, g = 9.81, q0 = 1.0, e = 0.9, h = 5e-3, T = 10.0;
  const double t1 = std::sqrt(2.0 * q0 / g), end = t1 * (1.0 + e) / (1.0 - e);
  const auto exact = [&](double t) {
    double begin = -t1, speed = g * t1;  // as though it had been thrown up at -t1
    for (; t < end && speed > 1e-13 && t >= begin + 2.0 * speed / g; speed *= e) begin += 2.0 * speed / g;
    return t < end ? std::max(0.0, (t - begin) * (speed - 0.5 * g * (t - begin))) : 0.0;
  };

  // 1. The model.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{m}}, .force = {-m * g}, .q0 = {q0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});

  // 2. By events: every flight is a smooth phase, which shows its states wherever they are asked for.
  EventDriven by_events{model};
  Table events{"t", "q", "error"};
  State at = by_events.state();
  Index samples = 0;
  const auto done =
      by_events.advance_to(T, EventDrivenObserver{.segment = [&](const SmoothSegment& flight) {
                             for (; static_cast<double>(samples) * h <= flight.end(); ++samples) {
                               flight.evaluate(static_cast<double>(samples) * h, at);
                               events.record({at.t, at.q(ball)[0], std::abs(at.q(ball)[0] - exact(at.t))});
                             }
                             return true;
                           }});
  if (!done) return std::cerr << done.message() << '\n', 1;

  // 3. By time-stepping.
  TimeStepping by_steps{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
  Table steps{"t", "q", "error"};
  const auto report = by_steps.advance_to(T, [&](const State& x) {
    steps.record({x.t, x.q(ball)[0], std::abs(x.q(ball)[0] - exact(x.t))});
  });
  if (!report) return std::cerr << report.message() << '\n', 1;

  // 4. What happened.
  double impact = t1, flight = 2.0 * t1, late = 0.0, accumulation = 0.0, unknown = 0.0;
  int impacts = 0;
  for (const Event& event : by_events.events()) {
    if (event.kind == EventKind::Accumulation) accumulation = event.end, unknown = event.value;
    if (event.kind != EventKind::Impact) continue;
    late = std::max(late, std::abs(event.t - impact));
    impact += flight *= e;
    ++impacts;
  }
  std::cout << impacts << " impacts by events in " << done.steps << " smooth steps; time-stepping took "
            << steps.num_rows() << " steps\n";

  // 5. Bounds. A flight is a parabola, which a method of order 8 integrates without truncation. An instant is rounded
  //    to 1e-15 s, which is g times that of velocity and 2 e / (1 - e) = 18 times that of all the flights to come: of
  //    either sign, 132 times, 18e-15 sqrt(132) = 2e-13 s; a height is off by no more than this at 4.4 m/s.
  //    Rebounds below 1e-12 q0 are carried through: impact k rises to e^(2k) q0, so that this is impact 132, as
  //    ln 1e-12 / (2 ln e) = 131.1. What is left of the series is told by the ratio of the last two flights, 9e-7 s,
  //    which roundings change by 2e-9: times 8e-7 s / (1 - e)^2 this is 2e-13 s more.
  //    Time-stepping sees impact k up to k h late, when the ball has the speed e^k g t1; k e^k <= 3.5, and a step of
  //    depth for the rebound from below the floor.
  const auto& error = events.column("error");
  const auto& of_steps = steps.column("error");
  Bounds bounds;
  bounds.near("largest error of an impact's instant [s]", late, 0.0, 1e-12);
  bounds.within("impacts", impacts, 131, 132);
  bounds.near("accumulation predicted at [s]", accumulation, end, 2e-12);
  bounds.within("its bound of the height's error [m]", unknown, 0.0, 1e-12);
  bounds.near("largest error of height by events [m]", *std::max_element(error.begin(), error.end()), 0.0, 4.5e-12);
  bounds.near("force at rest [N]", by_events.state().force(floor)[0], m * g, 1e-14);
  bounds.within("largest error of height by steps [m]", *std::max_element(of_steps.begin(), of_steps.end()), 0.0,
                4.5 * g * t1 * h);
  std::cout << bounds.report();

  // 6. A picture, where one is wanted.
  if (arguments.pictures()) {
    const Panel height{.x = {.label = "time [s]", .low = 0.0, .high = T},
                       .y = {.label = "height [m]"},
                       .series = {{.x = events.column("t"), .y = events.column("q"), .label = "by events"},
                                  {.x = steps.column("t"),
                                   .y = steps.column("q"),
                                   .label = "time-stepping, h = 5 ms",
                                   .style = Series::Style::Dashed}}};
    const Panel errors{.x = {.label = "time [s]", .low = 0.0, .high = T},
                       .y = {.label = "error [m]", .low = 1e-18, .logarithmic = true},
                       .series = {{.x = events.column("t"), .y = error, .label = "by events"},
                                  {.x = steps.column("t"), .y = of_steps, .label = "time-stepping, h = 5 ms"}}};
    std::cout << draw({.title = "Bouncing ball: impacts that accumulate at t = 8.58 s",
                       .panels = {height, errors},
                       .width = 760,
                       .height = 680},
                      *arguments.pictures() / "bouncing_ball_events")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
