// SPDX-License-Identifier: Apache-2.0
// Stick-slip on a belt by events: when the mass breaks loose and is caught, cycle by cycle (SI units).
//
//   m dv = -k x dt + dp_T,   0 = -m g dt + dp_N,   |dp_T| <= mu dp_N, opposed to the slip v - V,
//   mu = mu_s while it sticks, mu_k while it slides.
//
// It breaks loose at x = c + a and slides behind the belt, m x'' = -k (x - c), until it is as fast as the belt again,
// at x = c - a:  c = mu_k m g / k,  a = (mu_s - mu_k) m g / k,  w^2 = k / m. From x = 0 with the belt's velocity it
//   breaks loose at (c + a) / V + i P,   is caught (pi + 2 atan(V / (w a))) / w later,   P = that + 2 a / V.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, k = 25.0, g = 9.81, mu_s = 0.5, mu_k = 0.3, V = 0.3, h = 1e-3, T = 60.0;
  const double w = std::sqrt(k / m), c = mu_k * m * g / k, a = (mu_s - mu_k) * m * g / k;
  const double slides = (std::numbers::pi + 2.0 * std::atan(V / (w * a))) / w, period = slides + 2.0 * a / V;

  // 1. The mass on its spring, the belt, whose velocity is prescribed, and the contact: gap y, slip v_x - v_belt.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.mass = {{m, 0}, {0, m}},
                                                     .stiffness = {{k, 0}, {0, 0}},
                                                     .force = {0.0, -m * g},
                                                     .q0 = {0.0, 0.0},
                                                     .v0 = {V, 0.0}});
  const auto belt = model.add(
      LagrangianLinearSystem{.q0 = {0.0}, .v0 = {V}, .prescribed = {{.velocity = [&](double) { return V; }}}});
  const StaticKineticFrictionLaw friction{.static_friction = mu_s, .kinetic_friction = mu_k};
  const auto contact = model.link({mass, belt}, LagrangianLinearRelation{.H = {{0, 1, 0}, {1, 0, -1}}}, friction);

  // 2. By events.
  EventDriven by_events{model};
  Table table{"t", "x", "v", "force"};
  State at = by_events.state();
  Index samples = 0;
  double stuck_slip = 0.0, slipping_gap = 0.0;
  const auto done =
      by_events.advance_to(T, EventDrivenObserver{.segment = [&](const SmoothSegment& step) {
                             for (; static_cast<double>(samples) * 5e-3 <= std::min(step.end(), 6.0); ++samples) {
                               step.evaluate(static_cast<double>(samples) * 5e-3, at);
                               table.record({at.t, at.q(mass)[0], at.v(mass)[0], at.force(contact)[1]});
                             }
                             step.evaluate(0.5 * (step.start() + step.end()), at);
                             slipping_gap = std::max(slipping_gap, std::abs(at.q(mass)[1]));
                             if (std::abs(at.force(contact)[1]) != mu_k * at.force(contact)[0])
                               stuck_slip = std::max(stuck_slip, std::abs(at.v(mass)[0] - V));
                             return true;
                           }});
  if (!done) return std::cerr << done.message() << '\n', 1;
  std::vector<double> loose, caught;
  for (const Event& event : by_events.events()) {
    if (event.kind == EventKind::Slip) loose.push_back(event.t);
    if (event.kind == EventKind::Stick && event.t > 0.0) caught.push_back(event.t);
  }

  // 3. The same by time-stepping: a change is seen at the end of the step that it falls into.
  TimeStepping by_steps{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
  std::vector<double> loose_of_steps;
  bool sticks = true;
  const auto report = by_steps.advance_to(T, [&](const State& s) {
    const bool stuck = std::abs(s.u(contact)[1]) < friction.stick_velocity;
    if (sticks && !stuck) loose_of_steps.push_back(s.t);
    sticks = stuck;
  });
  if (!report) return std::cerr << report.message() << '\n', 1;

  // 4. Errors of all instants, and the bounds. By events: the ten steps or so of a slip keep 1e-10 of 0.2 m each, and a
  //    place where the mass is caught that is off by d makes the stick after it off by d / V: 10 * 2e-11 m / V = 7e-10
  //    s a cycle. While it sticks its velocity is V but for round-off of steps and of their polynomials. By steps each
  //    end of a slip is late by two steps at most, one to happen and one to be seen, and so is what follows.
  Table errors{"cycle", "loose", "caught", "loose by steps"};
  const std::size_t cycles = std::min({loose.size(), caught.size(), loose_of_steps.size()});
  for (std::size_t i = 0; i < cycles; ++i) {
    const double number = static_cast<double>(i), exact = (c + a) / V + number * period;
    errors.record({number + 1.0, std::abs(loose[i] - exact), std::abs(caught[i] - exact - slides),
                   std::abs(loose_of_steps[i] - exact)});
  }
  const auto largest = [&](const char* name) {
    return *std::max_element(errors.column(name).begin(), errors.column(name).end());
  };
  Bounds bounds;
  bounds.near("cycles", static_cast<double>(loose.size()), std::floor((T - (c + a) / V) / period) + 1.0, 0.0);
  bounds.near("breaks loose, off by [s]", largest("loose"), 0.0, 7e-10 * static_cast<double>(cycles));
  bounds.near("is caught, off by [s]", largest("caught"), 0.0, 7e-10 * static_cast<double>(cycles));
  bounds.near("slip while it sticks [m/s]", stuck_slip, 0.0, 1e-13);
  bounds.near("leaves the belt by [m]", slipping_gap, 0.0, 1e-15);
  bounds.within("breaks loose by steps, off by [s]", largest("loose by steps"), 0.0,
                4.0 * h * static_cast<double>(cycles));
  std::cout << cycles << " cycles in " << done.steps << " smooth steps; time-stepping took " << T / h << " steps\n"
            << bounds.report();

  // 5. A picture, where one is wanted.
  if (arguments.pictures()) {
    const Panel plane = phase_portrait("place [m]", "velocity [m/s]", {{table.column("x"), table.column("v")}});
    const Panel force = time_series(table.column("t"), "friction force [N]", {{table.column("force")}});
    Panel instants = time_series(errors.column("cycle"), "error [s]",
                                 {{errors.column("loose"), "breaks loose, by events"},
                                  {errors.column("caught"), "is caught, by events"},
                                  {errors.column("loose by steps"), "breaks loose, time-stepping, h = 1 ms"}},
                                 "cycle");
    instants.y.low = 1e-17;
    instants.y.logarithmic = true;
    std::cout << draw({.title = "Stick-slip on a belt, by events",
                       .panels = {plane, force, instants},
                       .width = 760,
                       .height = 900},
                      *arguments.pictures() / "stick_slip_events")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
