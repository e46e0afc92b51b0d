// SPDX-License-Identifier: Apache-2.0
// A field of disks that falls on a bumpy floor (SI units): three layers, unilateral contact, restitution and friction.
//
//   m dv = -m g dt + dp_N n + dp_T t,    I domega = r dp_T,    at each contact  0 <= u_N+ + e u_N-  ⟂  p_N >= 0,
//   |p_T| <= mu p_N, opposed to the slip u_T.    Floor y = a sin(k x).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using namespace nonsmooth;

// The first 6 m of the field, coloured by speed.
Panel snapshot(const State& x, const std::vector<SystemHandle>& disks, const std::vector<double>& radii,
               const FloorProfile& floor) {
  Panel panel{.x = {"x [m]", 0.0, 6.0}, .y = {"y [m]", -0.25, 1.25}, .disks = {.colour = {"speed [m/s]", 0.0, 4.0}}};
  Series ground{.style = Series::Style::Ground};
  for (int i = 0; i <= 120; ++i) {
    ground.x.push_back(0.05 * i);
    ground.y.push_back(floor.height(0.05 * i));
  }
  panel.series.push_back(ground);
  for (std::size_t i = 0; i < disks.size(); ++i) {
    const auto q = x.q(disks[i]);
    if (q[0] < 0.0 || q[0] > 6.0) continue;
    panel.disks.x.push_back(q[0]);
    panel.disks.y.push_back(q[1]);
    panel.disks.radius.push_back(radii[i]);
    panel.disks.value.push_back(x.v(disks[i]).head<2>().norm());
  }
  return panel;
}

// The field, how it looked at times, and whether it holds.
struct Run {
  std::vector<SystemHandle> disks;
  std::vector<double> radii;
  FloorProfile floor;
  std::vector<State> shown;
  Bounds bounds;
  bool completed = false;
};

Run fall(Index count, int threads) {
  const Index layers = 3;
  const double g = 9.81, density = 1000.0, e = 0.4, mu = 0.5, a = 0.15, k = 2.0, h = 2e-3, T = 1.0;

  // 1. What moves: disks of random radius on a grid, explicit seed.
  NonSmoothDynamicalSystem model;
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  };
  std::vector<SystemHandle> disks;
  std::vector<double> radii, masses;
  for (Index i = 0; i < count; ++i) {
    const double r = uniform(0.05, 0.1), m = density * M_PI * r * r;  // one metre deep
    const double x = 0.35 * static_cast<double>(i / layers) + uniform(-0.02, 0.02),
                 y = 0.5 + 0.25 * static_cast<double>(i % layers);
    disks.push_back(model.add(LagrangianLinearSystem{
        .mass = Eigen::Vector3d(m, m, 0.5 * m * r * r).asDiagonal(), .force = {0.0, -m * g, 0.0}, .q0 = {x, y, 0.0}}));
    radii.push_back(r);
    masses.push_back(m);
  }

  // 2. What it may touch: each other and the floor, found anew each step.
  const FloorProfile floor{.height = [=](double x) { return a * std::sin(k * x); },
                           .slope = [=](double x) { return a * k * std::cos(k * x); },
                           .curvature = [=](double x) { return -a * k * k * std::sin(k * x); },
                           .highest = a};
  const DiskContacts contacts(disks, radii, NewtonImpactFrictionLaw{.restitution = e, .friction = mu}, floor);
  model.detect(contacts);

  // 3. How time advances. Velocities are solved to 1e-3 of the largest one: the step itself errs more.
  TimeStepping simulation{
      model,
      {.integrator = MoreauJean{}, .step = h, .solver = mixed::Automatic{.tolerance = 1e-3}, .threads = threads}};
  const double mass = std::accumulate(masses.begin(), masses.end(), 0.0);
  double gained = 0.0, deepest = 0.0, previous = 1e300;
  Table energy{"t", "kinetic", "total"};  // [s], [J/kg], [J/kg]
  std::vector<State> shown{simulation.state()};
  Progress progress{0.0, T};
  const auto look = [&](const State& x) {
    double kinetic = 0.0, potential = 0.0;
    for (std::size_t i = 0; i < disks.size(); ++i) {
      const auto v = x.v(disks[i]);
      kinetic += 0.5 * masses[i] / mass * (v[0] * v[0] + v[1] * v[1] + 0.5 * std::pow(radii[i] * v[2], 2));
      potential += masses[i] / mass * g * x.q(disks[i])[1];
    }
    energy.record({x.t, kinetic, kinetic + potential});
    gained = std::fmax(gained, kinetic + potential - std::exchange(previous, kinetic + potential));
    const ContactBatches touching = contacts_at(x, contacts);
    for (const ContactBatch& batch : touching) {
      for (const DetectedContact& contact : batch.contacts) deepest = std::fmin(deepest, contact.gap);
    }
    if (x.k == 200 || x.k == 500) shown.push_back(x);
  };
  const auto report = simulation.advance_to(T, observe(look, progress));
  if (!report)
    std::cerr << explain_failure(simulation, report) << '\n';
  else if (report.message() != "")
    std::cerr << report.message() << '\n';

  // 4. Does it hold? Free fall until the first impact: g^2 t^2 / 2 = 1.92472 J/kg at 0.2 s. Neither the scheme nor the
  // laws create energy. Nothing sinks deeper than it moves in a step, 2e-3 s sqrt(2 g 1.3 m) = 0.0101 m. While the
  // impacts last, at 0.4 s, e and g decide what is left: 5 % of e move it by 0.011 J/kg, the solver's tolerance by
  // 1e-4.
  const auto at = [&](const char* column, double t) {
    return energy.column(column)[std::size_t(std::lround(t / h)) - 1];
  };
  Bounds bounds;
  bounds.near("kinetic energy at 0.2 s [J/kg]", at("kinetic", 0.2), 1.92472, 1e-5);
  bounds.within("largest gain of energy in a step [J/kg]", gained, 0.0, 1e-9);
  bounds.within("deepest penetration [m]", deepest, -0.0101, 0.0);
  if (count == 10000) bounds.near("energy left at 0.4 s [J/kg]", at("total", 0.4), 3.0479, 0.004);
  bounds.within("kinetic energy at 1 s [J/kg]", at("kinetic", T), 0.0, 0.05);
  return {disks, radii, floor, shown, bounds, bool(report)};
}

// Part of the field, at the times that are shown.
Picture picture(const Run& run, const std::filesystem::path& file) {
  std::vector<Panel> panels;
  for (const State& x : run.shown) panels.push_back(snapshot(x, run.disks, run.radii, run.floor));
  return draw({.title = "Part of the field at t = 0, 0.4 s and 1 s", .panels = panels, .width = 640, .height = 640},
              file);
}

int example(const Arguments& arguments) {
  const Run run = fall(arguments.integer("disks", 10000), static_cast<int>(arguments.integer("threads", 1)));
  std::cout << run.bounds.report();
  if (arguments.pictures()) std::cout << picture(run, *arguments.pictures() / "disk_field").message() << '\n';
  return run.completed && run.bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {"disks", "threads"}, example); }
