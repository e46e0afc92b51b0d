// SPDX-License-Identifier: Apache-2.0
// A field of disks that falls on a bumpy floor (SI units): three layers, unilateral contact, restitution and friction.
//
//   m dv = -m g dt + dp_N n + dp_T t,    I domega = r dp_T,    at each contact  0 <= u_N+ + e u_N-  ⟂  p_N >= 0,
//   |p_T| <= mu p_N, opposed to the slip u_T.    Floor y = a sin(k x).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <random>

using namespace nonsmooth;

int main(int argc, char** argv) try {
  const Arguments arguments(argc, argv, {"disks", "threads"});
  const Index count = arguments.integer("disks", 10000), layers = 3;
  const double g = 9.81, density = 1000.0, e = 0.4, mu = 0.5, a = 0.15, k = 3.0, h = 2e-3, T = 1.0;

  // 1. What moves: disks of random radius on a grid, explicit seed.
  NonSmoothDynamicalSystem model;
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) { return low + (high - low) * 0x1p-53 * double(random() >> 11); };
  std::vector<SystemHandle> disks;
  std::vector<double> radii, masses;
  for (Index i = 0; i < count; ++i) {
    const double r = uniform(0.05, 0.1), m = density * M_PI * r * r;  // one metre deep
    const double x = 0.25 * double(i / layers) + uniform(-0.02, 0.02), y = 0.5 + 0.25 * double(i % layers);
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, 0.5 * m * r * r).asDiagonal(),
                                                     .force = {0.0, -m * g, 0.0}, .q0 = {x, y, 0.0}}));
    radii.push_back(r), masses.push_back(m);
  }

  // 2. What it may touch: each other and the floor, found anew each step.
  const FloorProfile floor{.height = [=](double x) { return a * std::sin(k * x); },
                           .slope = [=](double x) { return a * k * std::cos(k * x); },
                           .curvature = [=](double x) { return -a * k * k * std::sin(k * x); }};
  const auto contacts = std::make_shared<DiskContacts>(disks, radii, NewtonImpactFrictionLaw{.restitution = e, .friction = mu}, floor);
  model.detect(contacts);

  // 3. How time advances.
  TimeStepping simulation{model, {.integrator = MoreauJean{}, .step = h, .threads = int(arguments.integer("threads", 1))}};
  const auto t0 = std::chrono::steady_clock::now();
  std::vector<Index> scratch; std::vector<PlanarContact> found;
  double worst = 0; int n = 0; std::size_t active = 0;
  Table table{"t", "E", "K"};
  const auto report = simulation.advance_to(T, [&](const State& x) {
    double K = 0, P = 0;
    for (Index i = 0; i < count; ++i) {
      const double m = masses[i], r = radii[i]; const auto v = x.v(disks[i]);
      K += 0.5*m*(v[0]*v[0]+v[1]*v[1]+0.5*r*r*v[2]*v[2]); P += m*g*x.q(disks[i])[1];
    }
    table.record({x.t, K + P, K});
    found.clear();
    contacts->detect(x.positions, x.unknowns, 0.0, scratch, found);
    for (auto& c : found) worst = std::min(worst, c.gap);
    if (++n % 25 == 0) std::cout << x.t << " E " << K+P << " K " << K << " gap " << worst << " contacts " << found.size() << " mem " << x.contacts.size() << " wall " << std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count() << std::endl;
  });
  std::cout << report.message() << " accepted " << report.steps_accepted << " worst res " << report.worst_residual << " hash " << hash(simulation.state()) << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
