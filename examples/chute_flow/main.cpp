// SPDX-License-Identifier: Apache-2.0
// A layer of disks on a bumpy chute: it stops on a gentle slope and flows down a steep one (SI units).
//
//   m dv = m g dt + dp_N n + dp_T t,    I domega = r dp_T,    at each contact  0 <= u_N+  ⟂  p_N >= 0,
//   |p_T| <= mu p_N, opposed to the slip u_T.    Floor y = a sin(k x), g = 9.81 (sin(slope), -cos(slope)).
//
// Lower disks climb over the bumps and are slower than those above: the layer shears.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace nonsmooth;

const double kRadius = 0.005, kGravity = 9.81, kFriction = 0.5, kStep = 1e-3,
             kEnd = 1.2;  // [m], [m/s^2], [-], [s], [s]
const int kAcross = 24, kHigh = 6;

struct Flow {
  std::vector<SystemHandle> disks;
  std::vector<double> radii;
  FloorProfile floor;
  State end;
  Table table{"t", "median"};
  double low = 0.0, high = 0.0;  // mean velocity of the lowest and of the uppermost third at the end [m/s]
  bool completed = false;
};

Flow down(double slope) {
  // 1. Disks of 0.9 to 1.1 of the radius in six layers over the bumps, explicit seed.
  const double a = 0.4 * kRadius, k = M_PI / (3.0 * kRadius);
  Flow flow;
  flow.floor = {.height = [=](double x) { return a * std::sin(k * x); },
                .slope = [=](double x) { return a * k * std::cos(k * x); },
                .curvature = [=](double x) { return -a * k * k * std::sin(k * x); },
                .highest = a};
  NonSmoothDynamicalSystem model;
  std::mt19937_64 random(5);
  const auto uniform = [&](double low, double up) {
    return low + (up - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  };
  for (int i = 0; i < kAcross * kHigh; ++i) {
    const double r = kRadius * uniform(0.9, 1.1), m = M_PI * r * r * 1000.0;
    const double shift = (i / kAcross) % 2 == 0 ? 0.25 : 0.75;
    flow.disks.push_back(model.add(
        PlanarBody{.mass = m,
                   .inertia = 0.5 * m * r * r,
                   .position = {2.2 * kRadius * (i % kAcross + shift), a + kRadius * (1.2 + 2.0 * (i / kAcross))},
                   .gravity = {kGravity * std::sin(slope), -kGravity * std::cos(slope)}}));
    flow.radii.push_back(r);
  }
  model.detect(DiskContacts(flow.disks, flow.radii, NewtonImpactFrictionLaw{.friction = kFriction}, flow.floor));

  // 2. Steps.
  TimeStepping simulation{model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-4}}};
  std::vector<double> speeds(flow.disks.size());
  const auto report = simulation.advance_to(kEnd, [&](const State& x) {
    for (std::size_t i = 0; i < speeds.size(); ++i) speeds[i] = x.v(flow.disks[i])[0];
    std::nth_element(speeds.begin(), speeds.begin() + kAcross * kHigh / 2, speeds.end());
    flow.table.record({x.t, speeds[kAcross * kHigh / 2]});
  });
  if (!report) std::cerr << explain_failure(simulation, report) << '\n';
  flow.end = simulation.state();
  flow.completed = bool(report);

  // 3. Who is above.
  std::vector<SystemHandle> by_height = flow.disks;
  std::sort(by_height.begin(), by_height.end(),
            [&](SystemHandle one, SystemHandle other) { return flow.end.q(one)[1] < flow.end.q(other)[1]; });
  const std::size_t third = by_height.size() / 3;
  for (std::size_t i = 0; i < third; ++i) {
    flow.low += flow.end.v(by_height[i])[0] / static_cast<double>(third);
    flow.high += flow.end.v(by_height[by_height.size() - 1 - i])[0] / static_cast<double>(third);
  }
  return flow;
}

// What is on 0.8 m of the chute.
Panel seen(const Flow& flow, double begin) {
  Panel panel{.x = {"x [m]", begin, begin + 0.8}, .y = {"y [m]", -0.01, 0.15}, .disks = {.colour = {"speed [m/s]"}}};
  Series ground{.style = Series::Style::Ground};
  for (double x = begin; x < begin + 0.8; x += 0.2 * kRadius) {
    ground.x.push_back(x);
    ground.y.push_back(flow.floor.height(x));
  }
  panel.series.push_back(ground);
  for (std::size_t i = 0; i < flow.disks.size(); ++i) {
    const auto q = flow.end.q(flow.disks[i]);
    if (q[0] < begin || q[0] > begin + 0.8) continue;
    panel.disks.x.push_back(q[0]);
    panel.disks.y.push_back(q[1]);
    panel.disks.radius.push_back(flow.radii[i]);
    panel.disks.value.push_back(flow.end.v(flow.disks[i]).head<2>().norm());
  }
  return panel;
}

int example(const Arguments& arguments) {
  const double steep = 26.0 * M_PI / 180.0;
  const Flow gentle = down(8.0 * M_PI / 180.0), fast = down(steep);
  if (!gentle.completed || !fast.completed) return 1;

  // 4. Bounds. Single disks bounce down in front of either layer: half of all are slower than the median. A layer at
  //    rest is solved to 1e-4 of g h, 1e-6 m/s, in each step. Bumps rise by 0.42 in 1 at most: on 8 degrees they have
  //    valleys, on 26 (0.49 in 1) none, where disks roll on with b = 2/3 g sin(slope) at most. One that each bump
  //    stops, 6 radii from the last one, has half of sqrt(2 b 6 r) in the mean; one that nothing stops b t.
  const double b = 2.0 / 3.0 * kGravity * std::sin(steep), stopped = 0.5 * std::sqrt(2.0 * b * 6.0 * kRadius),
               free = b * kEnd;
  Bounds bounds;
  bounds.near("median velocity at 8 degrees [m/s]", gentle.table.column("median").back(), 0.0, 1e-5);
  bounds.within("median velocity at 26 degrees [m/s]", fast.table.column("median").back(), stopped, free);
  bounds.within("the uppermost third is faster than the lowest by [m/s]", fast.high - fast.low, 0.0, free);
  // 5. This layer has 0.593 and 0.344 m/s; a quarter and a third of that are left to other roundings.
  bounds.near("the median again, as it was found [m/s]", fast.table.column("median").back(), 0.593, 0.15);
  bounds.near("the difference again, as it was found [m/s]", fast.high - fast.low, 0.344, 0.11);
  std::cout << bounds.report();
  if (arguments.pictures()) {
    const auto line = [](const Flow& flow, const std::string& label) {
      return Series{.x = flow.table.column("t"), .y = flow.table.column("median"), .label = label};
    };
    const Panel speeds{.x = {.label = "time [s]"},
                       .y = {.label = "median velocity [m/s]"},
                       .series = {line(gentle, "8 degrees"), line(fast, "26 degrees")}};
    std::cout << draw({.title = "A layer of disks on a chute",
                       .panels = {seen(gentle, -0.1), seen(fast, 0.3), speeds},
                       .width = 900,
                       .height = 800},
                      *arguments.pictures() / "chute_flow")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
