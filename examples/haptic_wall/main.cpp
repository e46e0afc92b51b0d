// SPDX-License-Identifier: Apache-2.0
// A haptic wall at 1 kHz (SI units): a hand moves a tool through a virtual spring and feels what the spring exerts.
//
//   m qdd = K (q_h - q) + C (qd_h - qd) + H^T p,     q = (x, y),   q_h(t) where the hand is,
//   0 <= x  ⟂  p_N >= 0,   |p_T| <= mu p_N, opposed to yd where it slides,   felt: K (q - q_h).
//
// The hand presses 1 cm into the wall, draws along it, and lets go. Each step has half a millisecond of wall clock:
// what the problem's best answer is by then is taken. One contact needs a hundredth of that; the run says what the
// clock did. What is asserted is the motion without a clock, and that the clock changed nothing where it limited
// nothing.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <thread>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double kMass = 0.1, kStiffness = 2000.0, kDamping = 20.0, kMu = 0.4, kDepth = 0.01, kStep = 1e-3, kEnd = 4.0;

/// From 0 at t = a to 1 at t = b, with rest at both ends; and its rate.
double moved(double t, double a, double b) {
  const double s = std::clamp((t - a) / (b - a), 0.0, 1.0);
  return s * s * (3.0 - 2.0 * s);
}
double rate(double t, double a, double b) {
  const double s = std::clamp((t - a) / (b - a), 0.0, 1.0);
  return 6.0 * s * (1.0 - s) / (b - a);
}
Eigen::Vector2d hand(double t) {
  return {0.02 - 0.03 * (moved(t, 0.0, 1.0) - moved(t, 3.0, 4.0)), 0.05 * moved(t, 1.5, 2.5)};
}
Eigen::Vector2d hand_rate(double t) {
  return {-0.03 * (rate(t, 0.0, 1.0) - rate(t, 3.0, 4.0)), 0.05 * rate(t, 1.5, 2.5)};
}

int example(const Arguments& arguments) {
  // 1. The tool on its spring, and the wall.
  const Eigen::Matrix2d one = Eigen::Matrix2d::Identity();
  NonSmoothDynamicalSystem model;
  const auto tool = model.add(
      LagrangianLinearSystem{.mass = Eigen::Matrix2d(kMass * one),
                             .damping = Eigen::Matrix2d(kDamping * one),
                             .stiffness = Eigen::Matrix2d(kStiffness * one),
                             .force = [](double t, VectorRef F) { F = kStiffness * hand(t) + kDamping * hand_rate(t); },
                             .q0 = {0.02, 0.0}});
  const auto wall = model.link(tool, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}},
                               NewtonImpactFrictionLaw{.friction = kMu}, "wall");

  // 2. Without a clock, and within a budget. With --pace 1 a step begins each millisecond, as a device asks for it.
  const TimeSteppingOptions options{.step = kStep};
  TimeStepping plain{model, options};
  RealTimeStepping simulation{model, {.stepping = options, .budget = 0.5 * kStep}};
  const bool paced = arguments.integer("pace", 0, 0) != 0;
  Table table{"t", "x", "hand", "felt", "along"};
  double pressed = 0.0, drawn = 0.0, inside = 0.0;
  const auto report = plain.advance_to(kEnd, [&](const State& x) {
    const Eigen::Vector2d felt = kStiffness * (x.q(tool) - hand(x.t));
    table.record({x.t, 1e3 * x.q(tool)[0], 1e3 * hand(x.t)[0], felt[0], felt[1]});
    if (std::abs(x.t - 1.4) < 0.5 * kStep) pressed = x.force(wall)[0];
    if (std::abs(x.t - 2.0) < 0.5 * kStep) drawn = -x.force(wall)[1] / x.force(wall)[0];
    inside = std::max(inside, -x.q(tool)[0]);
  });
  if (!report) return std::cerr << report.message() << '\n', 1;
  auto next = std::chrono::steady_clock::now();
  const auto in_time = simulation.advance_to(kEnd, [&](const State&) {
    next += std::chrono::milliseconds(1);
    if (paced) std::this_thread::sleep_until(next);
  });
  if (!in_time) return std::cerr << in_time.message() << '\n', 1;
  const RealTimeSteps& steps = simulation.steps();
  std::cout << steps.taken << " steps: " << steps.limited << " limited, " << steps.late << " late, "
            << 1e6 * steps.total / static_cast<double>(steps.taken) << " us each, the longest " << 1e6 * steps.longest
            << " us; worst residual of those limited " << steps.worst_residual << "\n";

  // 3. Bounds. Pressed at rest the wall exerts K times the depth, less that of the tool, and mu times that where the
  //    tool is drawn: what oscillates has died out by e^(-C t / 2 m) = e^-40 in 0.4 s. The tool lands at the hand's
  //    0.045 m/s or less, and goes in by a step of that at most. Let go, it lags by m / K times how the hand slows
  //    down, 0.18 m/s^2: by 9e-6 m.
  const bool same = steps.limited > 0 || hash_of(simulation.state()) == hash_of(plain.state());
  Bounds bounds;
  bounds.near("pressing force [N]", pressed, kStiffness * (kDepth - inside), 1e-9);
  bounds.near("friction over pressing force, drawn", drawn, kMu, 1e-9);
  bounds.within("the tool goes in by [m]", inside, 0.0, 0.045 * kStep);
  bounds.near("the tool is off the hand at the end [m]", (plain.state().q(tool)[0] - hand(kEnd)[0]), 0.0, 1e-5);
  bounds.near("bits that the clock changed without a limited step", same ? 0.0 : 1.0, 0.0, 0.0);
  std::cout << bounds.report();

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& t = table.column("t");
    std::cout
        << draw(
               {.title = "A haptic wall: what the hand does, and what it feels",
                .panels = {time_series(t, "place [mm]", {{table.column("x"), "tool"}, {table.column("hand"), "hand"}}),
                           time_series(t, "felt [N]",
                                       {{table.column("felt"), "from the wall"}, {table.column("along"), "along it"}})},
                .width = 760,
                .height = 560},
               *arguments.pictures() / "haptic_wall")
               .message()
        << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {"pace"}, example); }
