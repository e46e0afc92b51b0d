// SPDX-License-Identifier: Apache-2.0
// A bouncing ball without jumps (SI units): time stands still while an impact happens.
//
//   above the floor, q > 0:   q' = v,  v' = -g,            t' = 1
//   below it,        q < 0:   q' = v,  v' = -k q - d v,    t' = 0
//
// ' is the derivative by s, the time of the computation; t is what a clock shows. Below the floor a spring and a damper
// turn the velocity round, in a half period of s and no time t: v+ = -e v-,  e = exp(-pi zeta / sqrt(1 - zeta^2)),
// zeta = d / (2 sqrt k). The state jumps by t, but not by s: a FilippovSystem, whose switch is found to the order of
// the elements, and whose derivative by its start is at hand.
#include <cmath>
#include <iostream>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double pi = std::numbers::pi, g = 9.81, height = 1.0, e = 0.8, k = 400.0;
  const double a = -std::log(e) / pi, zeta = a / std::sqrt(1.0 + a * a), d = 2.0 * zeta * std::sqrt(k);

  // 1. One switching function, two fields; the state is (q, v, t).
  NonSmoothDynamicalSystem model;
  const auto ball = link_filippov(
      model, {.x0 = {height, 0.0, 0.0},
              .switches = {{.name = "floor",
                            .value = [](double, ConstVectorRef x) { return x[0]; },
                            .gradient = [](double, ConstVectorRef, VectorRef dq) { dq[0] = 1.0; }}},
              .regions = {{.name = "flight",
                           .signs = {1},
                           .f = [=](double, ConstVectorRef x, VectorRef f) { f << x[1], -g, 1.0; },
                           .f_dx = [](double, ConstVectorRef, MatrixRef J) { J(0, 1) = 1.0; }},
                          {.name = "impact",
                           .signs = {-1},
                           .f = [=](double, ConstVectorRef x, VectorRef f) { f << x[1], -k * x[0] - d * x[1], 0.0; },
                           .f_dx =
                               [=](double, ConstVectorRef, MatrixRef J) {
                                 J(0, 1) = 1.0;
                                 J(1, 0) = -k;
                                 J(1, 1) = -d;
                               }}}});

  // 2. Elements of four stages of Gauss's; where x meets the floor, an element ends.
  const double fall = std::sqrt(2.0 * height / g), frozen = pi / (std::sqrt(k) * std::sqrt(1.0 - zeta * zeta));
  const double to_second_top = fall + frozen + 2.0 * e * fall + frozen + e * e * fall;  // in s
  FiniteElementStepping simulation{
      model, {.step = 0.02, .family = FiniteElementFamily::GaussLegendre, .stages = 4, .sensitivities = true}};
  Table table{"s", "q", "v", "t"};
  const auto record = [&](const State& state) {
    const auto x = state.x(ball.system);
    table.record({state.t, x[0], x[1], x[2]});
  };
  record(simulation.state());
  const auto report = simulation.advance_to(to_second_top, record);
  if (!report) std::cerr << report.message() << '\n';

  // 3. Does it hold? Two impacts of restitution e: the second top is at e^4 of the height. Its derivative by the first
  //    height, at fixed s: q = e^4 h - g (t - t_top)^2 / 2 near the top, so that dq/dh = e^4; dv/dh = g dt_top/dh, with
  //    t_top = (1 + 2 e + e^2) sqrt(2 h / g). Elements of 0.01 s resolve the half period of 0.157 s to (0.01 20)^8 /
  //    8!.
  const auto x = simulation.state().x(ball.system);
  const Eigen::MatrixXd& dx = simulation.sensitivity(ball.system).transition;
  Bounds bounds;
  bounds.near("second top [m]", x[0], std::pow(e, 4) * height, 1e-9);
  bounds.near("velocity there [m/s]", x[1], 0.0, 1e-8);
  bounds.near("when, by the clock [s]", x[2], (1.0 + 2.0 * e + e * e) * fall, 1e-9);
  bounds.near("switches", static_cast<double>(simulation.events().size()), 4.0, 0.0);
  bounds.near("d top / d height", dx(0, 0), std::pow(e, 4), 1e-6);
  bounds.near("d velocity / d height [1/s]", dx(1, 0), g * (1.0 + 2.0 * e + e * e) * fall / (2.0 * height), 1e-6);
  std::cout << bounds.report();

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto &s = table.column("s"), &t = table.column("t");
    const Figure figure{
        .title = "A bouncing ball without jumps",
        .panels = {time_series(s, "by the time of the computation",
                               {{table.column("q"), "q [m]"}, {table.column("v"), "v [m/s]"}}, "s [s]"),
                   time_series(t, "by the clock", {{table.column("q"), "q [m]"}, {table.column("v"), "v [m/s]"}},
                               "t [s]")},
        .width = 720,
        .height = 560};
    std::cout << draw(figure, *arguments.pictures() / "time_frozen_ball").message() << '\n';
  }
  return report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
