// SPDX-License-Identifier: Apache-2.0
// A cart that a relay pushes onto the line v = -k x (dimensionless): sliding-mode control, written by regions.
//
//   x' = v,   v' = -1 where c = v + k x > 0,   1 where c < 0,        k = 1, from (1, 0).
//
// On c = 0 every mixture of both fields is allowed, theta_+ + theta_- = 1 (Filippov); where |k v| < 1 one of them stays
// on the line, v' = theta_- - theta_+ = -k v, and the cart slides to its goal like exp(-k t).
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include "picture.hpp"
using namespace nonsmooth;

// Both fields and the line between them.
FilippovSystem cart(double k) {
  const auto push = [](double acceleration) {
    return [acceleration](double, ConstVectorRef x, VectorRef f) { f << x[1], acceleration; };
  };
  const auto slope = [](double, ConstVectorRef, MatrixRef J) { J(0, 1) = 1.0; };
  return {.x0 = {1.0, 0.0},
          .switches = {{.name = "line",
                        .value = [k](double, ConstVectorRef x) { return x[1] + k * x[0]; },
                        .gradient = [k](double, ConstVectorRef, VectorRef gradient) { gradient << k, 1.0; }}},
          .regions = {{.name = "above", .signs = {1}, .f = push(-1.0), .f_dx = slope},
                      {.name = "below", .signs = {-1}, .f = push(1.0), .f_dx = slope}},
          .name = "cart"};
}

// x and v over time by explicit Euler, which knows of no line.
Path explicit_path(double k, double h, double T) {
  Path path;
  double x = 1.0, v = 0.0;
  for (Index i = 0; static_cast<double>(i) * h <= T; ++i) {
    path.t.push_back(static_cast<double>(i) * h);
    path.x.push_back(x);
    path.v.push_back(v);
    const double push = v + k * x > 0.0 ? -1.0 : 1.0;
    x += h * v;
    v += h * push;
  }
  return path;
}

int example(const Arguments& arguments) {
  const double k = 1.0, T = 4.0, h = 0.1;
  NonSmoothDynamicalSystem model;
  const auto [system, fields] = link_filippov(model, cart(k));

  // 1. By events: the instant of arrival is located, then x slides along the line.
  EventDriven events(model);
  Path smooth;
  const auto keep = [&, system = system, fields = fields](Path& path, const State& state) {
    path.t.push_back(state.t);
    path.x.push_back(state.x(system)[0]);
    path.v.push_back(state.x(system)[1]);
    path.push.push_back(state.lambda(fields)[0] - state.lambda(fields)[1]);  // pattern 0: c < 0, pattern 1: c > 0
  };
  const auto report = events.advance_to(T, EventDrivenObserver{.output =
                                                                   [&](const State& state) {
                                                                     keep(smooth, state);
                                                                     return true;
                                                                   },
                                                               .output_step = 0.02});
  if (!report) std::cerr << report.message() << '\n';

  // 2. By implicit steps, forty of them: on the line at the end of each one, without chatter.
  TimeStepping steps(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = h});
  Path stepped;
  double off = 0.0;
  const auto stepping = steps.advance_to(T, [&, system = system](const State& state) {
    keep(stepped, state);
    if (state.t > 0.9) off = std::fmax(off, std::abs(state.x(system)[1] + k * state.x(system)[0]));
  });
  if (!stepping) std::cerr << stepping.message() << '\n';

  // 3. By explicit ones of the same length: it jumps over the line for ever.
  const Path chatter = explicit_path(k, h, T);
  double width = 0.0;
  for (std::size_t i = 0; i < chatter.t.size(); ++i)
    if (chatter.t[i] > 2.0) width = std::fmax(width, std::abs(chatter.v[i] + k * chatter.x[i]));

  if (arguments.pictures())
    std::cout << picture(k, smooth, stepped, chatter, *arguments.pictures() / "sliding_relay").message() << '\n';

  // 4. Does it hold? Until the line v = -t, x = 1 - t^2 / 2: there at t^2 / 2 + t - 1 = 0; from then on x falls like
  //    exp(-(t - arrival)). Implicit Euler is off by O(h).
  const double arrival = std::sqrt(3.0) - 1.0, end = arrival * std::exp(-(T - arrival));
  Bounds bounds;
  bounds.near("instant of arrival", events.events().empty() ? 0.0 : events.events().front().t, arrival, 1e-12);
  bounds.near("x at the end, by events", events.state().x(system)[0], end, 1e-10);
  bounds.near("v + k x at the end", events.state().x(system)[1] + k * events.state().x(system)[0], 0.0, 1e-15);
  bounds.near("theta_- - theta_+", smooth.push.back(), end, 1e-9);
  bounds.near("x at the end, by implicit steps", steps.state().x(system)[0], end, h * end * 2.0);
  bounds.near("largest |v + k x| of implicit steps that slide", off, 0.0, 1e-12);
  bounds.within("of explicit ones", width, 0.2 * h, 2.0 * h);
  std::cout << bounds.report();
  return report && stepping && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
