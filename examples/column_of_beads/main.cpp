// SPDX-License-Identifier: Apache-2.0
// Ten beads fall in a column on the floor (SI units). q_i is the height of bead i, R its radius.
//   m dv_i = -m g dt + dp_i - dp_{i+1},   y_0 = q_0 - R,   y_i = q_i - q_{i-1} - 2 R,
//   0 <= y_i  ⟂  dp_i >= 0,   u_i+ = -e u_i- at impact, u_i the velocity of the gap y_i.
// A contact is created while the simulation runs: when its gap is first seen below 0.02 m.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, g = 9.81, R = 0.1, e = 0.9, h = 5e-4, T = 2.0, near = 0.02;
  constexpr std::size_t n = 10;

  // 1. Ten beads at rest, 0.25 m from centre to centre.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bead;
  for (std::size_t i = 0; i < n; ++i) {
    const double height = 1.0 + 0.25 * static_cast<double>(i);
    bead.push_back(model.add(LagrangianLinearSystem{.mass = {{m}}, .force = {-m * g}, .q0 = {height}}));
  }
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
  std::vector<std::optional<InteractionHandle>> contact(n);

  std::vector<std::string> names{"t"};
  for (std::size_t i = 0; i < n; ++i) names.push_back("q" + std::to_string(i));
  Table table{names};
  double first_rebound = 0.0, floor_impulse = 0.0, smallest_gap = 1.0;
  while (simulation.state().t < T - h / 2) {
    // 2. Before each step: beads that have come near each other, or the floor, get their contact.
    const auto height = [&](std::size_t i) { return simulation.state().q(bead[i])[0]; };
    const auto gap = [&](std::size_t i) { return i == 0 ? height(0) - R : height(i) - height(i - 1) - 2 * R; };
    for (std::size_t i = 0; i < n; ++i) {
      if (contact[i] || std::abs(gap(i)) >= near) continue;
      simulation.edit([&](NonSmoothDynamicalSystem& now) {
        const NewtonImpactLaw law{.restitution = e};
        contact[i] =
            i == 0 ? now.link(bead[0], LagrangianLinearRelation{.H = {{1.0}}, .b = {-R}}, law)
                   : now.link({bead[i - 1], bead[i]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-2 * R}}, law);
      });
    }
    // 3. One step.
    if (const auto report = simulation.step(); !report) return std::cerr << report.message() << '\n', 1;
    const State& x = simulation.state();
    const double impulse = contact[0] ? x.impulse(*contact[0])[0] : 0.0;
    if (floor_impulse == 0.0 && impulse > 0.0) first_rebound = x.v(bead[0])[0];
    floor_impulse += impulse;
    std::vector<double> row{x.t};
    for (std::size_t i = 0; i < n; ++i) row.push_back(height(i)), smallest_gap = std::min(smallest_gap, gap(i));
    table.record(row);
  }

  // 4. Bounds. The first impact is at sqrt(2 g (1 - R)); its time is off by a step or less, so e v- by g h.
  Bounds bounds;
  const double impact_speed = std::sqrt(2 * g * (1 - R));
  bounds.near("first rebound of bead 0 [m/s]", first_rebound, e * impact_speed, g * h);
  // Momentum, exact for the scheme: from rest to rest, the floor has carried ten weights.
  bounds.near("impulse of the floor [N s]", floor_impulse, 10 * m * g * T, 1e-9);
  // A gap that is open at y + h u / 2 overlaps by h |u| / 2 a step later and by (1 - e) h |u| / 2 more while it turns;
  // no gap closes faster than (1 + e) impact_speed.
  bounds.within("smallest gap [m]", smallest_gap, -0.55 * h * (1 + e) * impact_speed, 0.0);
  // At rest the last closing speeds were a few g h, the overlaps a few g h^2 = 2.5e-6 m; ten of them, and a factor 4.
  bounds.near("top bead at rest [m]", simulation.state().q(bead[n - 1])[0], 19 * R, 40 * g * h * h);
  std::cout << bounds.report();

  if (arguments.pictures()) {
    std::vector<Curve> beads;
    for (std::size_t i = n; i-- > 0;) beads.push_back({table.column(names[i + 1])});
    std::cout << draw({.title = "Column of ten beads, e = 0.9",
                       .panels = {time_series(table.column("t"), "height of the centre [m]", beads)},
                       .width = 720,
                       .height = 480},
                      *arguments.pictures() / "column_of_beads")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
