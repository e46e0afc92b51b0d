// SPDX-License-Identifier: Apache-2.0
// Bouncing ball on a rigid floor (SI units).
//   m dv = -m g dt + dp,   y = q - r,   0 <= y  ⟂  dp >= 0,   v+ = -e v- at impact.
#include <cmath>
#include <iostream>

#include <nonsmooth/kernel.hpp>

using namespace nonsmooth;

int main() {
  const double m = 1.0, g = 9.81, r = 0.1, e = 0.9;

  // 1. What moves.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{m}}, .force = {-m * g}, .q0 = {1.0}, .v0 = {0.0}});

  // 2. What it may touch: y = H q + b, and the law between y and its multiplier.
  const auto floor =
      model.link(ball, LagrangianLinearRelation{.H = {{1.0}}, .b = {-r}}, NewtonImpactLaw{.restitution = e});

  // 3. How time advances.
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5}, .step = 5e-3}};
  double total_impulse = 0.0, q = 0.0, v = 0.0;
  const auto report = simulation.advance_to(2.0, [&](const State& x) {
    total_impulse += x.impulse(floor)[0];
    q = x.q(ball)[0];
    v = x.v(ball)[0];
  });
  if (!report) {
    std::cerr << report.message() << '\n';
    return 1;
  }

  // Momentum balance over [0, 2 s], exact for Moreau-Jean: m v = -m g t + sum of impulses. Then: it did bounce, and it
  // stays above the floor but for one step's way, at most sqrt(2 g (1 - r)) h = 0.021 m.
  std::cout << "q " << q << ", v " << v << ", total impulse " << total_impulse << '\n';
  const bool balanced = std::abs(m * v + m * g * 2.0 - total_impulse) < 1e-9;

  // 4. By events: links all integrators of smooth phases that the library was built with. Energy of the flight after k
  // impacts: e^(2 k) of the first, round-off aside.
  EventDriven by_events{model, {.integrator = Ida::available() ? SmoothIntegrator{Ida{}} : SmoothIntegrator{}}};
  if (const auto ending = by_events.advance_to(2.0); !ending) {
    std::cerr << ending.message() << '\n';
    return 1;
  }
  const State& at = by_events.state();
  const double energy = 0.5 * at.v(ball)[0] * at.v(ball)[0] + g * (at.q(ball)[0] - r);
  const double kept = std::pow(e, 2.0 * static_cast<double>(by_events.events().size()));
  std::cout << "by events: " << by_events.events().size() << " impacts\n";
  const bool same = std::abs(energy - kept * g * (1.0 - r)) < 1e-6;
  return balanced && total_impulse > 0.0 && q - r > -0.022 && same ? 0 : 1;
}
