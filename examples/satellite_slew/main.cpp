// SPDX-License-Identifier: Apache-2.0
// A satellite that turns by a reaction wheel, with a boom on a torsion spring (SI units).
//
//   J_h theta_h'' = m(t) + k r,   J_w theta_w'' = -m(t),   J_b theta_b'' = -k r,   r = theta_b - theta_h.
//
// The wheel pushes the hub by +M for half of a time T and by -M for the other half, from rest to rest but for the boom:
// with w^2 = k (1 / J_h + 1 / J_b) it is left swinging by
//
//   A(T) = 4 M / (J_h w^2) sin^2(w T / 4),
//
// nothing where T is twice its period, the most at one. Angular momentum stays zero, as both moments are inner ones.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

#include "picture.hpp"

using namespace nonsmooth;

constexpr double kHub = 40.0, kWheel = 0.5, kBoom = 20.0;  // J [kg m^2]
constexpr double kStiffness = 12.0, kMoment = 2.0;         // [N m/rad], [N m]

// What a manoeuvre of length T did, and the way of hub and boom to where it rests for half as long again.
struct Slew {
  double turned = 0.0, swing = 0.0, momentum = 0.0;
  Table way{"t [s]", "hub [rad]", "boom [rad]"};
};

Slew slew(double T, double frequency) {
  // 1. Three bodies on one axis; what acts between two of them is a relation and a law of forces.
  NonSmoothDynamicalSystem model;
  const auto hub = model.add(PlanarBody{.inertia = kHub, .name = "hub"});
  const auto wheel = model.add(PlanarBody{.inertia = kWheel, .name = "wheel"});
  const auto boom = model.add(PlanarBody{.inertia = kBoom, .name = "boom"});
  link_joint(model, {hub, wheel}, PlanarHinge{}, "axle");
  link_joint(model, {hub, boom}, PlanarHinge{}, "root of the boom");
  const auto moment = [T](double t, double, double) { return t < 0.5 * T ? kMoment : t < T ? -kMoment : 0.0; };
  model.link({hub, wheel}, PlanarAngle{}, ActuatorLaw{.force = moment}, "motor");
  const auto spring = model.link({boom, hub}, PlanarAngle{}, SpringDamperLaw{.stiffness = kStiffness}, "spring");

  // 2. By events, so that the instants at which the moment jumps end steps.
  EventDriven simulation{model, {.events = {{.name = "switch", .instants = {0.5 * T, T}}}}};
  Slew result;
  State at = simulation.state();
  Index samples = 0;
  const auto report =
      simulation.advance_to(1.5 * T, EventDrivenObserver{.segment = [&](const SmoothSegment& step) {
                              for (; static_cast<double>(samples) * 0.01 * T <= step.end(); ++samples) {
                                step.evaluate(static_cast<double>(samples) * 0.01 * T, at);
                                const double L = kHub * at.v(hub)[2] + kWheel * at.v(wheel)[2] + kBoom * at.v(boom)[2];
                                result.momentum = std::max(result.momentum, std::abs(L));
                                result.way.record({at.t, at.q(hub)[2], at.q(boom)[2]});
                              }
                              return true;
                            }});
  if (!report) std::cerr << report.message() << '\n';
  const State& end = simulation.state();
  result.swing = std::hypot(end.y(spring)[0], end.u(spring)[0] / frequency);
  result.turned = (kHub * end.q(hub)[2] + kBoom * end.q(boom)[2]) / (kHub + kBoom);
  return result;
}

int example(const Arguments& arguments) {
  const double w = std::sqrt(kStiffness * (1.0 / kHub + 1.0 / kBoom)), period = 2.0 * std::numbers::pi / w;

  // 3. Manoeuvres of all lengths from a quarter of a period to four.
  Table swings{"periods", "swing [rad]", "closed form"};
  double off_swing = 0.0, off_turn = 0.0, momentum = 0.0;
  for (int i = 1; i <= 64; ++i) {
    const double T = 0.0625 * i * period, sine = std::sin(0.25 * w * T);
    const Slew found = slew(T, w);
    const double swing = 4.0 * kMoment / (kHub * w * w) * sine * sine;
    off_swing = std::max(off_swing, std::abs(found.swing - swing));
    off_turn = std::max(off_turn, std::abs(found.turned - 0.25 * kMoment * T * T / (kHub + kBoom)));
    momentum = std::max(momentum, found.momentum);
    swings.record({T / period, found.swing, swing});
  }

  // 4. Bounds. Some twenty steps to 1e-10 of angles of up to 20 rad and rates of a tenth of that.
  Bounds bounds;
  bounds.near("swing off by [rad]", off_swing, 0.0, 1e-7);
  bounds.near("angle of the satellite off by [rad]", off_turn, 0.0, 1e-7);
  bounds.near("angular momentum [N m s]", momentum, 0.0, 1e-10);
  std::cout << bounds.report();
  if (arguments.pictures()) {
    const Slew worst = slew(period, w), best = slew(2.0 * period, w);
    std::cout << picture(worst.way, best.way, swings, *arguments.pictures() / "satellite_slew").message() << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
