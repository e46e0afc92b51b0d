// SPDX-License-Identifier: Apache-2.0
// The simplest walking model, down a slope gamma = 0.009 with nothing to drive it (lengths in legs, masses in hips, g
// = 1): a point mass for a hip on two stiff massless legs with feet of a mass beta -> 0.
//
//   m_i xdd_i = m_i g + legs + ground,   |hip - foot| = 1,   0 <= y ⟂ p_N >= 0, no slip, no rebound, where a foot
//   lands.
//
// With theta the angle of the stance leg from the normal of the slope, phi that between the legs, beta -> 0,
//   thetadd = sin(theta - gamma),   thetadd - phidd + thetad^2 sin(phi) - cos(theta - gamma) sin(phi) = 0,
// and phi = 2 theta where a foot lands. The cycle of period one starts each step from theta* and thetad* below (Garcia,
// Chatterjee, Ruina, Coleman 1998 [garcia1998]); what a walk is off by shrinks by 0.589 a step, turning around zero. A
// landing takes what the step gave, 2 sin(theta*) sin(gamma). Which leg stands follows from the impact law alone. Legs
// do not bend, so that the foot that passes the other would scuff: there it has no contact, which the model is edited
// for.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>

using namespace nonsmooth;
using Point = Eigen::Vector2d;

const double kSlope = 0.009, kBeta = 1e-5, kAngle = 0.200310900544287, kRate = -0.199832473004977;

int example(const Arguments& arguments) {
  const Index steps = arguments.integer("steps", 30, 9);

  // 1. A step has just begun: foot 0 has landed and stands, foot 1 is behind and leaves. A little fast.
  const double theta = kAngle + 1e-3, rate = kRate - 1e-3, c = std::cos(theta), s = std::sin(theta);
  const Point hip_velocity = rate * Point(-c, -s), swing = rate * std::cos(2.0 * theta) * Point(c, -s);
  NonSmoothDynamicalSystem model;
  const auto particle = [&](double mass, const Point& position, const Point& velocity) {
    return model.add(PlanarBody{.mass = mass,
                                .inertia = mass,
                                .position = position,
                                .velocity = velocity,
                                .gravity = {std::sin(kSlope), -std::cos(kSlope)}});
  };
  const auto hip = particle(1.0, {-s, c}, hip_velocity);
  const std::array feet{particle(kBeta, {0.0, 0.0}, {0.0, 0.0}),
                        particle(kBeta, {-2.0 * s, 0.0}, hip_velocity + swing)};
  const auto stand = [&](NonSmoothDynamicalSystem& on, std::size_t foot) {
    return on.link(feet[foot], LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}}},
                   NewtonImpactFrictionLaw{.friction = 1.0});
  };
  std::array<InteractionHandle, 2> ground{};
  std::array stands{true, true};
  for (const std::size_t i : {0u, 1u}) {
    link_joint(model, {hip, feet[i]}, DistanceJoint{.length = 1.0});
    ground[i] = stand(model, i);
  }

  // 2. By events, which end each call where the feet are 0.1 apart: there the one behind loses its ground, or the one
  //    before gets it.
  const auto x_of = [&](const State& at, std::size_t foot) { return at.q(feet[foot])[0]; };
  const UserEvent near{.name = "feet pass",
                       .guard = [&](const State& at) { return std::pow(x_of(at, 1) - x_of(at, 0), 2) - 0.01; },
                       .terminal = true};
  EventDriven simulation{model, {.events = {near}}};
  Table landings{"step", "off", "rate off", "lost"};
  std::array<Series, 2> legs{Series{.label = "one leg"}, Series{.label = "the other"}};
  const EventDrivenObserver observer{
      .instant =
          [&](const Instant& now) {
            if (std::none_of(now.events.begin(), now.events.end(),
                             [](const Event& event) { return event.kind == EventKind::Impact; }))
              return true;
            const Point lands(std::max(x_of(now.after, 0), x_of(now.after, 1)), 0.0), v = now.after.v(hip).head<2>();
            const double angle = std::asin(lands[0] - now.after.q(hip)[0]);
            landings.record({static_cast<double>(landings.num_rows() + 1), angle - kAngle,
                             -v.dot(Point(std::cos(angle), std::sin(angle))) - kRate,
                             0.5 * (now.before.v(hip).head<2>().squaredNorm() - v.squaredNorm())});
            return landings.num_rows() < steps;
          },
      .output =
          [&](const State& now) {
            if (now.t > 12.0) return true;
            for (const std::size_t k : {0, 1}) {
              for (const auto body : {feet[k], hip}) {
                legs[k].x.push_back(now.q(body)[0]);
                legs[k].y.push_back(now.q(body)[1]);
              }
              legs[k].x.push_back(std::numeric_limits<double>::quiet_NaN());
              legs[k].y.push_back(std::numeric_limits<double>::quiet_NaN());
            }
            return true;
          },
      .output_step = 0.6};
  while (landings.num_rows() < steps) {
    const auto report = simulation.advance_to(5.0 * static_cast<double>(steps), observer);
    if (report.outcome == RunReport::Outcome::StoppedByObserver) break;
    if (report.outcome != RunReport::Outcome::StoppedByEvent) return std::cerr << report.message() << '\n', 1;
    const State now = simulation.state();
    const std::size_t behind = x_of(now, 0) < x_of(now, 1) ? 0 : 1;
    const bool passing = now.v(feet[behind])[0] > now.v(feet[1 - behind])[0];
    simulation.edit([&](NonSmoothDynamicalSystem& edited) {
      if (passing && stands[behind]) edited.remove(ground[behind]);
      if (!passing && !stands[1 - behind]) ground[1 - behind] = stand(edited, 1 - behind);
    });
    (passing ? stands[behind] : stands[1 - behind]) = !passing;
  }

  // 3. Bounds. The published cycle is that of beta = 0, from which feet take it by a part of beta; of what the
  //    first step was off so much is left. Errors e of an angle obey e_{k+2} = tr e_{k+1} - det e_k of the map of a
  //    step, differences between steps whatever the feet, but for their squares.
  Bounds bounds;
  const auto &off = landings.column("off"), &off_rate = landings.column("rate off");
  const auto change = [&](std::size_t k) { return off[k + 1] - off[k]; };
  const double trace = -0.380421, determinant = 0.346956, step = 2.0 * std::sin(kAngle) * std::sin(kSlope);
  const double left = std::max(kBeta, std::pow(std::sqrt(determinant), static_cast<double>(steps)) * 1e-2);
  bounds.near("angle where a step begins, off the cycle [rad]", off.back(), 0.0, left);
  bounds.near("rate there", off_rate.back(), 0.0, left);
  bounds.near("change of a step, by the two before", change(6), trace * change(5) - determinant * change(4),
              0.02 * std::abs(change(4)));
  bounds.near("energy of the last landing, of the slope's", landings.column("lost").back() / step, 1.0, 10.0 * left);
  std::cout << bounds.report();

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    Series errors{.x = landings.column("step"), .style = Series::Style::Markers};
    for (const double e : off) errors.y.push_back(std::abs(e));
    Series shrinks{.x = landings.column("step"), .label = "0.589 a step", .style = Series::Style::Guide};
    for (const double k : shrinks.x) shrinks.y.push_back(2e-3 * std::pow(std::sqrt(determinant), k));
    std::cout << draw({.title = "The simplest walking model",
                       .panels = {{.x = {.label = "along the slope [legs]"},
                                   .y = {.label = "above it [legs]", .low = 0.0, .high = 1.1},
                                   .series = {legs[0], legs[1]},
                                   .same_units = true},
                                  {.x = {.label = "step"},
                                   .y = {.label = "angle off the cycle [rad]", .logarithmic = true},
                                   .series = {errors, shrinks}}},
                       .width = 760,
                       .height = 640},
                      *arguments.pictures() / "walking_biped")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {"steps"}, example); }
