// SPDX-License-Identifier: Apache-2.0
// A mass on a spring lies on a belt that runs at V and holds more than it drags, mu_s > mu_k (SI units).
//
//   m dv = -k x dt + dp_T,   0 = -m g dt + dp_N,   |dp_T| <= mu dp_N, opposed to the slip v - V,
//   mu = mu_s while it sticks, mu_k while it slides.
//
// It sticks until k x = mu_s m g and then slides behind the belt, v < V: m x'' = -k (x - c) with c = mu_k m g / k, an
// arc about (c, 0) in the plane of x and v / w, w^2 = k / m, which begins at x - c = a = (mu_s - mu_k) m g / k, v = V,
// has the radius A = sqrt(a^2 + V^2 / w^2) and meets v = V again at x - c = -a, an angle pi + 2 atan(V / (w a)) later.
// There the belt takes the mass along over 2 a, back to where it broke loose: every motion that ever sticks is on this
//   cycle of period (pi + 2 atan(V / (w a))) / w + 2 a / V.
// A circle about (c, 0) that stays below v = V never sticks and goes on for ever.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, k = 25.0, g = 9.81, mu_s = 0.5, mu_k = 0.3, V = 0.3, h = 1e-3, T = 12.0;
  const double w = std::sqrt(k / m), c = mu_k * m * g / k, a = (mu_s - mu_k) * m * g / k, A = std::hypot(a, V / w);
  const double slip_angle = std::numbers::pi + 2.0 * std::atan(V / (w * a)), small = 0.8 * V / w;

  // 1. Two masses (x, y) on springs along x, one that starts with the belt and one that starts beside its centre; and
  //    the belt, whose velocity is prescribed.
  NonSmoothDynamicalSystem model;
  const auto mass_at = [&](double x, double v) {
    return LagrangianLinearSystem{.mass = {{m, 0}, {0, m}},
                                  .stiffness = {{k, 0}, {0, 0}},
                                  .force = {0.0, -m * g},
                                  .q0 = {x, 0.0},
                                  .v0 = {v, 0.0}};
  };
  const auto mass = model.add(mass_at(0.0, V)), other = model.add(mass_at(c + small, 0.0));
  const auto belt = model.add(
      LagrangianLinearSystem{.q0 = {0.0}, .v0 = {V}, .prescribed = {{.velocity = [&](double) { return V; }}}});

  // 2. Contact with the belt: gap y, slip v_x - v_belt.
  const LagrangianLinearRelation on_belt{.H = {{0, 1, 0}, {1, 0, -1}}};
  const StaticKineticFrictionLaw friction{.static_friction = mu_s, .kinetic_friction = mu_k};
  const auto contact = model.link({mass, belt}, on_belt, friction);
  model.link({other, belt}, on_belt, friction);

  // 3. Time. What is kept: where and when the mass breaks loose and is caught again, and the extremes of its motion.
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
  Table table{"t [s]", "x [m]", "v [m/s]", "x of the other [m]", "v of the other [m/s]", "friction [N]"};
  std::vector<double> loose;  // [s]
  double x_loose = 0.0, x_caught = 0.0, highest = 0.0, slowest = V, stuck_slip = 0.0, other_off = 0.0;
  bool sticks = true;
  const auto report = simulation.advance_to(T, [&](const State& s) {
    const double x = s.q(mass)[0], v = s.v(mass)[0], slip = s.u(contact)[1];
    const bool stuck = std::abs(slip) < friction.stick_velocity;
    if (sticks && !stuck) loose.push_back(s.t - h), x_loose = x;
    if (!sticks && stuck) x_caught = x;
    if (stuck) stuck_slip = std::max(stuck_slip, std::abs(v - V));
    sticks = stuck;
    highest = std::max(highest, x), slowest = std::min(slowest, v);
    other_off = std::max(other_off, std::abs(std::hypot(s.q(other)[0] - c, s.v(other)[0] / w) - small));
    table.record({s.t, x, v, s.q(other)[0], s.v(other)[0], s.impulse(contact)[1] / h});
  });
  if (!report) return std::cerr << report.message() << '\n', 1;

  // 4. Bounds. The mean force of a step decides, so it breaks loose within V h / 2 of the right place, and its first
  //    step still has mu_s, as though it began a step later: a is off by d in [-V h / 2, 3 V h / 2]. It is caught at
  //    the end of a step, up to V h further on. A longer arc takes longer to stick, 2 d / V, and less to slide; with a
  //    step to be caught the period is off by 4 h at most. (The midpoint rule itself is slow by (w h)^2 / 12 = 2e-6.)
  const double d = 1.5 * V * h, cycles = static_cast<double>(loose.size()) - 1.0;
  Bounds bounds;
  bounds.near("breaks loose first at [s]", loose.at(0), (c + a) / V, h);
  bounds.near("period [s]", (loose.back() - loose.front()) / cycles, slip_angle / w + 2.0 * a / V, 4.0 * h);
  bounds.near("breaks loose at [m]", x_loose, c + a, d);
  bounds.near("is caught at [m]", x_caught, c - a, d + V * h);
  bounds.near("highest place [m]", highest, c + A, d);
  bounds.near("fastest backwards [m/s]", slowest, -A * w, d * w);
  bounds.near("slip while it sticks [m/s]", stuck_slip, 0.0, 1e-13);  // round-off of V
  // The midpoint rule keeps x^2 + (v / w)^2 about the centre: a circle but for the round-off of 12000 steps.
  bounds.near("the other mass leaves its circle by [m]", other_off, 0.0, 1e-12);
  std::cout << bounds.report();

  // 5. A picture, where one is wanted.
  if (arguments.pictures()) {
    Orbit exact{.label = "closed form", .style = Series::Style::Dashed};
    const double begin = std::atan2(V / w, a);
    for (int i = 0; i <= 200; ++i) {
      exact.q.push_back(c + A * std::cos(begin - slip_angle * i / 200.0));
      exact.v.push_back(A * w * std::sin(begin - slip_angle * i / 200.0));
    }
    exact.q.push_back(c + a), exact.v.push_back(V);
    const Panel plane = phase_portrait(
        "position [m]", "velocity [m/s]",
        {{table.column("x [m]"), table.column("v [m/s]"), "from rest on the belt"},
         exact,
         {table.column("x of the other [m]"), table.column("v of the other [m/s]"), "a circle that never sticks"}});
    const auto &t = table.column("t [s]"), &drag = table.column("friction [N]");
    Panel force = time_series(t, "friction force [N]", {{drag}});
    Panel lines = spectrum(t, "amplitude [N]", {{drag}});
    force.x.high = 6.0, lines.x.high = 6.0;
    std::cout << draw({.title = "Stick-slip on a belt", .panels = {plane, force, lines}, .width = 720, .height = 860},
                      *arguments.pictures() / "stick_slip_belt")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
