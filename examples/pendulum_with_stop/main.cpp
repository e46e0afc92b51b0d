// SPDX-License-Identifier: Apache-2.0
// A pendulum as a bead on a circle, against a wall on one side, by events (SI units).
//
//   m qdd = m g + q lambda + (1, 0) F,   |q|^2 = l^2,   0 <= x + l sin alpha  ⟂  F >= 0,   v+ = -e v- at impact.
//
// With q = l (sin theta, -cos theta) the speed at the wall, theta = -alpha, is e^k w_1, w_1^2 = 2 g (cos alpha -
// cos theta_0) / l. Between two impacts k^2 = sin^2(alpha / 2) + l w^2 / (4 g) is kept, w the speed of the first, and
// the bead passes theta after F(asin(sin(theta / 2) / k), k) sqrt(l / g) from the bottom, F Legendre's elliptic
// integral of the first kind: to the other side, where sin(theta / 2) = k, and back in
//   2 (K(k) + F(asin(sin(alpha / 2) / k), k)) sqrt(l / g).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, g = 9.81, l = 1.0, e = 0.8, T = 30.0, start = std::numbers::pi / 2.0,
               alpha = std::numbers::pi / 6.0;

  // 1. A particle under gravity, held on the circle, and the wall.
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(
      LagrangianLinearSystem{.mass = {{m, 0.0}, {0.0, m}}, .force = {0.0, -m * g}, .q0 = {l, 0.0}, .v0 = {0.0, 0.0}});
  const auto circle = model.link(
      bead,
      ScleronomousRelation{.h = [&](ConstVectorRef q, VectorRef y) { y[0] = 0.5 * (q.squaredNorm() - l * l); },
                           .H = [](ConstVectorRef q, MatrixRef H) { H = q.transpose(); },
                           .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = v.squaredNorm(); }},
      EqualityLaw{}, "circle");
  const auto wall = model.link(bead, LagrangianLinearRelation{.H = {{1.0, 0.0}}, .b = {l * std::sin(alpha)}},
                               NewtonImpactLaw{.restitution = e}, "wall");

  // 2. By events: what the smooth phases keep, and what the impacts do.
  EventDriven simulation{model};
  Table table{"t", "angle", "energy", "tension"}, impacts{"t", "ratio", "speed before"};
  State at = simulation.state();
  const auto energy = [&](const State& x) { return 0.5 * m * x.v(bead).squaredNorm() + m * g * (l + x.q(bead)[1]); };
  double level = energy(at), drift = 0.0, off_circle = 0.0;
  const double all = level;
  Index samples = 0;
  const auto report = simulation.advance_to(
      T, EventDrivenObserver{
             .segment =
                 [&](const SmoothSegment& step) {
                   for (; static_cast<double>(samples) * 0.01 <= step.end(); ++samples) {
                     step.evaluate(static_cast<double>(samples) * 0.01, at);
                     const auto q = at.q(bead);
                     table.record({at.t, std::atan2(q[0], -q[1]), energy(at), -at.force(circle)[0] * l});
                   }
                   step.evaluate(step.end(), at);
                   drift = std::max(drift, std::abs(energy(at) - level) / all);
                   off_circle = std::max(off_circle, std::abs(at.q(bead).norm() - l));
                   return true;
                 },
             .instant =
                 [&](const Instant& x) {
                   impacts.record({x.after.t, -x.after.u(wall)[0] / x.before.u(wall)[0], x.before.v(bead).norm()});
                   level = energy(x.after);
                   return true;
                 }});
  if (!report) return std::cerr << report.message() << '\n', 1;

  // 3. The closed form, impact by impact.
  const double unit = std::sqrt(l / g), half = std::sin(0.5 * alpha), k_0 = std::sin(0.5 * start);
  double t = unit * (std::comp_ellint_1(k_0) + std::ellint_1(k_0, std::asin(half / k_0))), off_time = 0.0,
         off_speed = 0.0, off_ratio = 0.0, w = std::sqrt(2.0 * g / l * (std::cos(alpha) - std::cos(start)));
  Index expected = 0;
  for (; t < T; ++expected) {
    if (expected < impacts.num_rows()) {
      const auto row = static_cast<std::size_t>(expected);
      off_time = std::max(off_time, std::abs(impacts.column("t")[row] - t));
      off_speed = std::max(off_speed, std::abs(impacts.column("speed before")[row] - l * w));
      off_ratio = std::max(off_ratio, std::abs(impacts.column("ratio")[row] - e));
    }
    w *= e;
    const double k = std::sqrt(half * half + 0.25 * w * w * l / g);
    t += 2.0 * unit * (std::comp_ellint_1(k) + std::ellint_1(k, std::asin(half / k)));
  }

  // 4. Bounds. Steps keep 1e-10 of the state, the ten or so of a swing 1e-9 of the energy. That is 1e-9 g l / v of a
  //    speed v at the wall, which is 0.1 m/s at the last impacts, and 1e-9 s of an instant a swing. Drift from the
  //    circle is projected away after every step, to
  //    8 roundings.
  Bounds bounds;
  bounds.near("impacts", static_cast<double>(impacts.num_rows()), static_cast<double>(expected), 0.0);
  bounds.near("energy drifts between impacts by [of the first]", drift, 0.0, 1e-9);
  bounds.near("distance from the circle [m]", off_circle, 0.0, 2e-15);
  bounds.near("ratio of velocities at impacts is off e by", off_ratio, 0.0, 1e-14);
  bounds.near("speeds before impacts off by [m/s]", off_speed, 0.0, 1e-7);
  bounds.near("impacts off by [s]", off_time, 0.0, 1e-8);
  std::cout << bounds.report();

  // 5. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& time = table.column("t");
    Panel angle = time_series(time, "angle [rad]", {{table.column("angle"), "pendulum"}});
    angle.series.push_back({.x = {0.0, T}, .y = {-alpha, -alpha}, .label = "wall", .style = Series::Style::Guide});
    const Panel levels = time_series(time, "energy [J]", {{table.column("energy")}});
    const Panel force = time_series(time, "central force [N]", {{table.column("tension")}});
    std::cout << draw({.title = "Pendulum with a stop, e = 0.8",
                       .panels = {angle, levels, force},
                       .width = 760,
                       .height = 800},
                      *arguments.pictures() / "pendulum_with_stop")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
