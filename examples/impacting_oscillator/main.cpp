// SPDX-License-Identifier: Apache-2.0
// A forced oscillator against a stop at its place of rest, by events, over all frequencies (made dimensionless).
//
//   qdd + q = cos(w t) + F,    0 <= q  ⟂  F >= 0,    v+ = -e v- at impact.
//
// A motion with one impact every n periods of the force, T = 2 pi n / w, v its speed after the impact, is
//   q = A cos(w t + phi) + a cos t + b sin t, 0 <= t <= T,   A = 1 / (1 - w^2),  b = v (1 + e) / (2 e), a = b cot(T /
//   2), v = 2 e |A| / sqrt((1 - e)^2 / w^2 + (1 + e)^2 cot^2(T / 2)).
// A disturbance of it grows by the matrix S R a cycle: R the rotation of (dq, dv) by T in flight, S the impact, with
//   det = e^2,   trace = -2 e cos T + (1 + e)^2 (1 - w^2) cos^2(T / 2).
// An eigenvalue passes -1, and the period doubles, where cos^2(T / 2) (w^2 - ((1 - e) / (1 + e))^2) = 1.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

using namespace nonsmooth;

namespace {

constexpr double kPi = std::numbers::pi, kRestitution = 0.6;

/// Impact velocities v- of the periods after the first `transient`; (q, v) is where it starts and where it ends.
std::vector<double> impacts(double w, int transient, int periods, double tolerance, std::array<double, 2>& state) {
  NonSmoothDynamicalSystem model;
  const auto oscillator =
      model.add(LagrangianLinearSystem{.stiffness = {{1.0}},
                                       .force = [w](double t, VectorRef force) { force[0] = std::cos(w * t); },
                                       .q0 = {state[0]},
                                       .v0 = {state[1]}});
  model.link(oscillator, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = kRestitution});
  EventDriven simulation{model, {.relative_tolerance = tolerance, .absolute_tolerance = 1e-2 * tolerance}};
  const double period = 2.0 * kPi / w;
  const auto report = simulation.advance_to((transient + periods) * period);
  if (!report) throw std::runtime_error("w = " + std::to_string(w) + ": " + report.message());
  state = {simulation.state().q(oscillator)[0], simulation.state().v(oscillator)[0]};
  std::vector<double> speeds;
  for (const Event& event : simulation.events()) {
    if (event.kind == EventKind::Impact && event.t > transient * period)
      speeds.push_back(event.value / (1.0 + kRestitution));
  }
  return speeds;
}

double impact_speed(double w, int n) {
  const double e = kRestitution, cot = 1.0 / std::tan(kPi * n / w);
  return 2.0 / std::abs(1.0 - w * w) / std::hypot((1.0 - e) / w, (1.0 + e) * cot);
}

double doubling(double w) {
  const double e = kRestitution, ratio = (1.0 - e) / (1.0 + e), cosine = std::cos(kPi / w);
  return cosine * cosine * (w * w - ratio * ratio) - 1.0;
}

}  // namespace

int example(const Arguments& arguments) {
  // 1. One impact a period at w = 2.3: both eigenvalues have the modulus e, so that 60 periods leave 0.6^60 = 5e-14.
  std::array<double, 2> state{0.5, 0.0};
  const auto regular = impacts(2.3, 60, 20, 1e-11, state);
  const auto [slowest, fastest] = std::minmax_element(regular.begin(), regular.end());

  // 2. Where its period doubles, by bisection of the closed form; and motions below and above.
  double low = 2.0, high = 3.0;
  while (high - low > 1e-14 * low) (doubling(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
  const auto alternation = [&](double w) {
    const auto speeds = impacts(w, 200, 4, 1e-9, state);
    return std::abs(speeds.at(speeds.size() - 1) - speeds.at(speeds.size() - 2));
  };
  const double below = alternation(low - 0.01), near = alternation(low + 0.0025), above = alternation(low + 0.01);

  // 3. Bounds. Steps of a tolerance 1e-11, some 10 of them remembered by a motion that forgets at 0.6 a period: 1e-10.
  //    Below the doubling the eigenvalues' product is e^2 and their sum 0.07 away from -(1 + e^2): the larger one is
  //    -0.87, which leaves 0.87^200 = 1e-12; above, what the impacts differ by grows as the square root of the
  //    distance, times 1 + some of it.
  Bounds bounds;
  bounds.near("impacts in 20 periods", static_cast<double>(regular.size()), 20, 0);
  bounds.near("slowest impact", *slowest, impact_speed(2.3, 1), 1e-10);
  bounds.near("fastest impact", *fastest, impact_speed(2.3, 1), 1e-10);
  bounds.near("successive impacts differ below the doubling by", below, 0.0, 1e-8);
  bounds.within("successive impacts differ above the doubling by", above, 1e-3, 1e-1);
  bounds.near("and this grows, for four times the distance, by", above / near, 2.0, 0.1);
  std::cout << "period doubles at w = " << low << '\n' << bounds.report();

  // 4. All frequencies, each from where the one before ended, and a picture.
  if (arguments.pictures()) {
    const auto panel = [&](double first, double last, double step, double highest) {
      Series diagram{.label = "impacts of 40 periods", .style = Series::Style::Points};
      Series closed_form{.label = "one impact in n periods, closed form", .style = Series::Style::Dashed};
      state = {0.5, 0.0};
      for (double w = first; w <= last; w += step) {
        for (const double speed : impacts(w, 40, 40, 1e-8, state)) diagram.x.push_back(w), diagram.y.push_back(speed);
      }
      for (int n = 1; n <= 3; ++n) {
        for (double w = std::max(first, 2.0 * n - 0.6); w < std::min(last, 2.0 * n + 1.0); w += 0.01)
          closed_form.x.push_back(w), closed_form.y.push_back(impact_speed(w, n));
        closed_form.x.push_back(NAN), closed_form.y.push_back(NAN);
      }
      return Panel{.x = {.label = "frequency of the force w [1]", .low = first, .high = last},
                   .y = {.label = "impact velocity [1]", .low = 0.0, .high = highest},
                   .series = {diagram, closed_form}};
    };
    std::cout << draw({.title = "Oscillator against a stop: every impact, over the frequency of the force",
                       .panels = {panel(1.4, 7.0, 0.02, 3.6), panel(2.6, 3.45, 0.0025, 0.7)},
                       .width = 760,
                       .height = 700},
                      *arguments.pictures() / "impacting_oscillator")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
