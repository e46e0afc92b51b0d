// SPDX-License-Identifier: Apache-2.0
// A follower pressed on a rotating cam by a spring (SI units).
//
//   m dv = -k q dt + dp,   y = q - c(w t),   0 <= y  ⟂  dp >= 0,   u = v - w c'(w t),   u+ = -e u- at impact.
//
// While it follows, q = c(w t), the cam has to push with m w^2 c'' + k c. It lifts off where that would be negative:
// where c'' < 0 and the cam is faster than w_c, w_c^2 = min k c / (m |c''|). Then it flies freely,
//   q = c_1 cos W t + (w c'_1 / W) sin W t,  W^2 = k / m,  until q = c(w t) again, and bounces.
//
// The cam is made of arcs, tangent to each other: seen from the axis, an arc of radius R about a centre at the distance
// d in the direction B lies at r = d cos(f) + s, s^2 = R^2 - d^2 sin(f)^2, f = b - B, so that r' = -r d sin(f) / s.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>

using namespace nonsmooth;
constexpr double kPi = std::numbers::pi;
constexpr double kNose = kPi / 2 + 1.050328174371336;  // where flank and nose meet [rad]
constexpr double kTop = 8 * kPi / 9;                   // where the nose's own centre lies, and the top begins

struct Cam {
  double c, slope, curvature;  // [m], by the angle [m/rad, m/rad^2]

  explicit Cam(double angle) {
    const double turned = std::fmod(angle, 2 * kPi), b = std::min(turned, 2 * kPi - turned);  // symmetric
    const auto arc = [&](double d, double B, double R) {
      const double f = b - B, s = std::sqrt(R * R - d * d * std::sin(f) * std::sin(f)), r = d * std::cos(f) + s;
      c = r - 0.30;  // the spring is slack there
      slope = -r * d * std::sin(f) / s;
      curvature = -d / s * (slope * std::sin(f) + r * std::cos(f) * (1 + std::pow(d * std::sin(f) / s, 2)));
    };
    if (b <= kPi / 2)
      arc(0.0, 0.0, 0.40);  // base circle
    else if (b <= kNose)
      arc(0.45, -kPi / 2, 0.85);  // flank
    else if (b <= kTop)
      arc(0.40393320723821, kTop, 0.15);  // nose
    else
      arc(0.0, 0.0, 0.55393320723821);  // top
    if (turned > kPi) slope = -slope;
  }
};

int example(const Arguments& arguments) {
  const double m = 1.221, k = 1430.8, e = 0.8, h = 2e-5, W = std::sqrt(k / m);
  const Cam flank(kNose), nose(kNose + 1e-9), top(kTop);
  const double w_c = std::sqrt(k * nose.c / (m * -nose.curvature));  // of the nose it is the lowest and sharpest place
  Bounds bounds;
  Figure figure{
      .title = "Cam and follower at 0.98, 1.25 and 3.11 times the critical speed", .width = 720, .height = 860};
  for (const double w : {0.98 * w_c, 1.02 * w_c, 1.25 * w_c, 358.0 * kPi / 30}) {
    // 1. What moves: the follower, at rest on the base circle.
    NonSmoothDynamicalSystem model;
    const auto follower = model.add(LagrangianLinearSystem{.mass = {{m}}, .stiffness = {{k}}, .q0 = {Cam(0.0).c}});

    // 2. What it touches moves as we say: y = h(t, q), u = H v + h_t.
    const RheonomousRelation gap{.h = [w](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - Cam(w * t).c; },
                                 .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
                                 .h_t = [w](double t, ConstVectorRef, VectorRef y) { y[0] = -w * Cam(w * t).slope; }};
    const auto contact = model.link(follower, gap, NewtonImpactLaw{.restitution = e});

    // 3. Two turns. What is kept: the first flight, the highest place in it, and how well impacts obey their law.
    TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
    Table table{"turns", "follower [m]", "cam [m]"};
    double lift_off = 0.0, landing = 0.0, widest = 0.0, wrong = 0.0;  // [s], [s], [m], [m/s]
    double last_contact = 0.0, u_before = 0.0;
    int flights = 0;
    const auto report = simulation.advance_to(4 * kPi / w, [&](const State& x) {
      const double u = x.v(follower)[0] - w * Cam(w * x.t).slope;
      if (flights == 0) widest = std::max(widest, x.y(contact)[0]);
      if (x.impulse(contact)[0] > 0.0) {
        wrong = std::max(wrong, std::abs(u + e * u_before));
        if (x.t - last_contact > 2.5 * h && ++flights == 1) lift_off = last_contact, landing = x.t;
        last_contact = x.t;
      }
      u_before = u;
      table.record({w * x.t / (2 * kPi), x.q(follower)[0], Cam(w * x.t).c});
    });
    if (!report) return std::cerr << report.message() << '\n', 1;

    // 4. Bounds. Impacts obey their law to round-off. Under w_c, rounding may open the gap for a step, in which the
    //    spring presses the follower back by `press` h at most; it bounces by e press h, for two steps, which is lower
    //    than (e + e^2 / 2) press h^2 with the step in which that is seen.
    const double press = k / m * top.c + w * w * flank.curvature, noise = (e + e * e / 2) * press * h * h;
    const std::string at = " at " + std::to_string(std::lround(w * 30 / kPi)) + " rpm";
    bounds.near("u+ + e u- in contact [m/s]" + at, wrong, 0.0, 1e-12);
    if (w < w_c) {
      bounds.within("gap [m]" + at, widest, 0.0, noise);
      bounds.near("flights" + at, flights, 0.0, 0.0);
    } else {
      // The exact flight begins where flank and nose meet. There contact may end a step late, with the nose's lack of
      // acceleration added, or with a bounce, in which the flank's excess is turned round: the velocity of the take-off
      // is off by h times the jump of the acceleration; the height of the flight by that over W; its end by that over
      // the speed at which the gap closes, and a step.
      const auto flight = [&](double t) {
        return flank.c * std::cos(W * t) + w * flank.slope / W * std::sin(W * t) - Cam(kNose + w * t).c;
      };
      double t = 2e-4, height = 0.0;
      for (; flight(t) > 0.0; t += 1e-6) height = std::max(height, flight(t));
      const double off = w * w * (flank.curvature - nose.curvature) * h / W,
                   closing = (flight(t - 1e-6) - flight(t)) / 1e-6;
      bounds.near("lifts off at [s]" + at, lift_off, kNose / w, 2.0 * h);
      bounds.within("height of the first flight [m]" + at, widest, std::max(noise, height - off), height + off);
      if (height > off) bounds.near("lands at [s]" + at, landing, kNose / w + t, off / closing + h);
    }

    // 5. A picture, where one is wanted.
    const auto& turns = table.column("turns");
    if (w > w_c && w < 1.1 * w_c) continue;
    figure.panels.push_back({.x = {.label = "turns of the cam"},
                             .y = {.label = "height [m]", .low = 0.0},
                             .series = {{.x = turns, .y = table.column("cam [m]"), .style = Series::Style::Ground},
                                        {.x = turns, .y = table.column("follower [m]")}}});
  }
  if (arguments.pictures()) std::cout << draw(figure, *arguments.pictures() / "cam_follower").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
