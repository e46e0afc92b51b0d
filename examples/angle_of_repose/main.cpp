// SPDX-License-Identifier: Apache-2.0
// A heap of disks with friction against rolling, and its angle (SI units).
//
//   m dv = m g dt + dp_N n + dp_T t,    I domega = r dp_T + dp_R,    at each contact  0 <= u_N+  ⟂  p_N >= 0,
//   |p_T| <= mu p_N,   |p_R| <= rho p_N, opposed to the slip and to the relative spin.
//
// Disks roll off one another where nothing holds them: the heap is flat. Friction against rolling, with an arm rho of
// the normal force, is what edges of real grains do: the heap is steeper with it, up to where disks slide.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <future>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

using namespace nonsmooth;

const double kRadius = 0.005, kGravity = 9.81, kFriction = 0.6, kStep = 2e-3;  // [m], [m/s^2], [-], [s]
const int kGlued = 80, kAcross = 11, kHigh = 12;

struct Heap {
  std::vector<SystemHandle> disks;
  std::vector<double> radii;
  State end;
  double angle = 0.0, fastest = 0.0;  // [degrees], [m/s]
  bool completed = false;
};

Heap heaped(double rolling, unsigned seed) {
  // 1. A block of disks of 0.9 to 1.1 of the radius, of a seed, on a row of disks that are glued to the floor.
  NonSmoothDynamicalSystem model;
  Heap heap;
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double up) {
    return low + (up - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  };
  const auto add = [&](double r, double x, double y, bool glued) {
    const double m = M_PI * r * r * 1000.0;
    PlanarBody disk{.mass = m, .inertia = 0.5 * m * r * r, .position = {x, y}};
    if (glued) {
      for (const Index i : {0, 1, 2}) disk.prescribed.push_back({i, [](double) { return 0.0; }});
    } else {
      disk.gravity = {0.0, -kGravity};
    }
    heap.disks.push_back(model.add(disk));
    heap.radii.push_back(r);
  };
  for (int i = 0; i < kGlued; ++i) add(kRadius, 2.0 * kRadius * (i - 0.5 * (kGlued - 1)), 0.0, true);
  for (int i = 0; i < kAcross * kHigh; ++i) {
    const double r = kRadius * uniform(0.9, 1.1), shift = (i / kAcross) % 2 == 0 ? 0.25 : 0.75;
    add(r, 2.2 * kRadius * (i % kAcross + shift - 0.5 * kAcross), 2.1 * kRadius + 2.0 * kRadius * (i / kAcross), false);
  }
  const Law law = rolling > 0.0
                      ? Law(NewtonImpactRollingFrictionLaw{.friction = kFriction, .rolling = rolling * kRadius})
                      : Law(NewtonImpactFrictionLaw{.friction = kFriction});
  model.detect(DiskContacts(heap.disks, heap.radii, law));

  // 2. Steps, until it rests.
  TimeStepping simulation{model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-3}}};
  const auto report = simulation.advance_to(1.0);
  if (!report) std::cerr << explain_failure(simulation, report) << '\n';
  heap.end = simulation.state();
  heap.completed = bool(report);

  // 3. A triangle of the angle alpha has its centre, on either side, at tan(alpha) of how far it is out.
  double out = 0.0, up = 0.0;
  for (std::size_t i = kGlued; i < heap.disks.size(); ++i) {
    const auto q = heap.end.q(heap.disks[i]);
    out += std::abs(q[0]), up += q[1] - kRadius;
    heap.fastest = std::max(heap.fastest, heap.end.v(heap.disks[i]).head<2>().norm());
  }
  heap.angle = std::atan2(up, out) * 180.0 / M_PI;
  return heap;
}

Panel seen(const Heap& heap) {
  Panel panel{.x = {"x [m]", -0.2, 0.2}, .y = {"y [m]", 0.0, 0.1}};
  for (std::size_t i = 0; i < heap.disks.size(); ++i) {
    const auto q = heap.end.q(heap.disks[i]);
    if (std::abs(q[0]) > 0.2) continue;
    panel.disks.x.push_back(q[0]);
    panel.disks.y.push_back(q[1]);
    panel.disks.radius.push_back(heap.radii[i]);
  }
  return panel;
}

int example(const Arguments& arguments) {
  const std::vector<double> arms{0.0, 0.1, 0.3}, means{16.2, 26.6, 31.4};  // rho / r, [degrees]
  const auto seeds = static_cast<unsigned>(arguments.integer("seeds", 3));
  std::vector<std::future<Heap>> runs;
  for (const double arm : arms) {
    for (unsigned seed = 1; seed <= seeds; ++seed) runs.push_back(std::async(std::launch::async, heaped, arm, seed));
  }
  std::vector<Heap> heaps;  // of the last seed
  std::vector<double> angles;
  double fastest = 0.0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    angles.push_back(0.0);
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      Heap heap = runs[i * seeds + seed - 1].get();
      if (!heap.completed) return 1;
      angles.back() += heap.angle / seeds;
      fastest = std::max(fastest, heap.fastest);
      if (seed == seeds) heaps.push_back(std::move(heap));
    }
  }

  // 4. Bounds. On a plane a disk rests up to the slope arctan c, c = min(mu, rho / r): the vertical force of the
  // contact
  //    is then within friction and its arm. In the dip between two disks that touch it rests up to that beyond the
  //    normal of the contact with the lower one, which is asin(R / (R + r)) from the normal of the slope: 33.4 degrees
  //    for the smallest disk between the largest. Disks of a heap rest on others, between the flattest place and the
  //    deepest dip that there may be; an arm that is longer holds more of them. Twelve heaps have the means below,
  //    three of them, the default, are 0.6 degrees off at most: five times that is left to other roundings.
  Bounds bounds;
  bounds.near("fastest disk at the end [m/s]", fastest, 0.0, 0.02);
  const double dip = std::asin(1.1 / (1.1 + 0.9)) * 180.0 / M_PI;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const double on_plane = std::atan(std::min(kFriction, arms[i])) * 180.0 / M_PI;
    bounds.within("angle [degrees]", angles[i], on_plane, on_plane + dip);
    bounds.near("the same, as of twelve heaps", angles[i], means[i], 3.0 * std::sqrt(3.0 / seeds));
    if (i > 0) bounds.within("more than with the shorter arm, by", angles[i] - angles[i - 1], 1.0, 15.0);
  }
  std::cout << bounds.report();
  if (arguments.pictures()) {
    std::vector<Panel> panels;
    for (const Heap& heap : heaps) panels.push_back(seen(heap));
    std::cout << draw({.title = "Heaps, an arm of 0, 0.1 r and 0.3 r against rolling",
                       .panels = panels,
                       .width = 600,
                       .height = 560},
                      *arguments.pictures() / "angle_of_repose")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {"seeds"}, example); }
