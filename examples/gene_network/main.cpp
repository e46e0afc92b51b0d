// SPDX-License-Identifier: Apache-2.0
// Two genes that regulate each other by thresholds (dimensionless).
//
//   x1' = -4.5 x1 + 40 s+(x2, 4) s-(x1, 8),    x2' = -1.5 x2 + 40 s+(x1, 4) s-(x2, 8).
//
// s+(x, c) is 0 below the threshold c, 1 above, anything between at x = c (Filippov's convention, gene by gene);
// s- = 1 - s+. Each protein is made while the other is above 4 and itself is below 8.
// As a relay: y = c - x, -y in N_[0,1](lambda), lambda = s+; the production is a product of two of them, so that the
// relation is nonlinear: r = g(lambda).
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double decay1 = 4.5, decay2 = 1.5, rate = 40.0, h = 1e-4, T = 1.5;

  // 1. What decays.
  NonSmoothDynamicalSystem model;
  const auto cell = model.add(FirstOrderLinearSystem{.A = {{-decay1, 0.0}, {0.0, -decay2}}, .x0 = {1.0, 6.0}});

  // 2. What is switched: lambda = (s+(x1, 4), s+(x2, 4), s+(x1, 8), s+(x2, 8)).
  const auto switches = model.link(
      cell,
      FirstOrderRelation{.rows = 4,
                         .h = [](double, ConstVectorRef x, ConstVectorRef,
                                 VectorRef y) { y << 4.0 - x[0], 4.0 - x[1], 8.0 - x[0], 8.0 - x[1]; },
                         .h_dx = [](double, ConstVectorRef, ConstVectorRef,
                                    MatrixRef J) { J(0, 0) = J(1, 1) = J(2, 0) = J(3, 1) = -1.0; },
                         .h_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
                         .g = [rate](double, ConstVectorRef, ConstVectorRef s,
                                     VectorRef r) { r << rate * s[1] * (1.0 - s[2]), rate * s[0] * (1.0 - s[3]); },
                         .g_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
                         .g_dlambda =
                             [rate](double, ConstVectorRef, ConstVectorRef s, MatrixRef J) {
                               J(0, 1) = rate * (1.0 - s[2]);
                               J(0, 2) = -rate * s[1];
                               J(1, 0) = rate * (1.0 - s[3]);
                               J(1, 3) = -rate * s[0];
                             }},
      RelayLaw{.lower = 0.0, .upper = 1.0});

  // 3. Backward Euler; the switches are unknowns of the step, found by Newton's iteration.
  TimeStepping simulation{model, {.integrator = EulerMoreau{.theta = 1.0}, .step = h}};
  Table table{"t", "x1", "x2", "s+(x1, 8)", "s+(x2, 8)"};
  double slides1 = 0.0, slides2 = 0.0, farthest = 0.0;
  const auto report = simulation.advance_to(T, [&](const State& state) {
    const auto x = state.x(cell);
    const auto s = state.lambda(switches);
    table.record({state.t, x[0], x[1], s[2], s[3]});
    if (std::abs(x[0] - 8.0) > 1e-9) slides1 = state.t + h;
    if (std::abs(x[1] - 8.0) > 1e-9) slides2 = state.t + h;
    if (state.t > 1.0) farthest = std::fmax(farthest, (x - Eigen::Vector2d(8.0, 8.0)).lpNorm<Eigen::Infinity>());
  });
  if (!report) std::cerr << report.message() << '\n';

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& t = table.column("t");
    const Figure figure{
        .title = "Two genes: both concentrations slide at their upper threshold",
        .panels = {time_series(t, "concentrations", {{table.column("x1"), "x1"}, {table.column("x2"), "x2"}}, "time"),
                   time_series(t, "switches",
                               {{table.column("s+(x1, 8)"), "s+(x1, 8)"}, {table.column("s+(x2, 8)"), "s+(x2, 8)"}},
                               "time")},
        .width = 720,
        .height = 560};
    std::cout << draw(figure, *arguments.pictures() / "gene_network").message() << '\n';
  }

  // 5. Does it hold? Piece by piece: x1 runs from 1 towards 40/4.5 and passes 4, then 8; x2 decays from 6 until x1 is
  // at 4,
  //    then runs towards 40/1.5 to 8. There decay and production balance: 1 - s = 4.5 8 / 40 and 1.5 8 / 40. Backward
  //    Euler errs by h/2 |x''| / |x'| of a time of order 1, |x''/x'| <= 4.5 twice over, and sees an event a step late.
  const double top1 = rate / decay1, top2 = rate / decay2;
  const double at_4 = std::log((top1 - 1.0) / (top1 - 4.0)) / decay1, x2_then = 6.0 * std::exp(-decay2 * at_4);
  const double exact1 = std::log((top1 - 1.0) / (top1 - 8.0)) / decay1;
  const double exact2 = at_4 + std::log((top2 - x2_then) / (top2 - 8.0)) / decay2;
  Bounds bounds;
  bounds.near("x1 slides at 8 from", slides1, exact1, 12.0 * h);
  bounds.near("x2 slides at 8 from", slides2, exact2, 12.0 * h);
  bounds.near("distance from (8, 8) after t = 1", farthest, 0.0, 1e-9);
  bounds.near("s+(x1, 8) there", simulation.state().lambda(switches)[2], 1.0 - decay1 * 8.0 / rate, 1e-9);
  bounds.near("s+(x2, 8) there", simulation.state().lambda(switches)[3], 1.0 - decay2 * 8.0 / rate, 1e-9);
  std::cout << bounds.report();
  return report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
