// SPDX-License-Identifier: Apache-2.0
// A four-bar linkage of bodies in space, its crank turned at constant speed by a motor (SI units).
//
//   m_i xdd_i = m_i g + R_i,   J_i Omegad_i + Omega_i x J_i Omega_i = T_i,   (R, T) = H(q)^T lambda,   h(t, q) = 0.
//
// Four hinges about parallel axes hold three bodies by 20 rows and leave one freedom, so that 3 of these depend on the
// others: which is found before the run. With the geometry in closed form (B, where coupler and rocker meet, is where
// two circles do), E(theta) is known as well, and the motor's moment is dE / dtheta.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>

#include "linkage.hpp"
#include "picture.hpp"

using namespace nonsmooth;

// A slender bar along its first axis.
RigidBody slender_bar(const Point& begin, const Point& end, const Point& velocity, double spin) {
  const Point centre = 0.5 * (begin + end), way = end - begin;
  const double half = 0.5 * std::atan2(way[1], way[0]), length = way.norm(), mass = kDensity * length;
  const Eigen::Vector3d inertia = mass * Eigen::Vector3d(1e-4, length * length / 12.0, length * length / 12.0);
  return {.mass = mass,
          .inertia = inertia.asDiagonal(),
          .position = {centre[0], centre[1], 0.0},
          .orientation = {std::cos(half), 0.0, 0.0, std::sin(half)},
          .velocity = {velocity[0], velocity[1], 0.0},
          .angular_velocity = {0.0, 0.0, spin},
          .gravity = {0.0, -kGravity, 0.0}};
}

int example(const Arguments& arguments) {
  const double T = 4.0 * std::numbers::pi / kSpin, start = 0.5;

  // 1. Three bars, four hinges about z, a motor on the first.
  const Linkage at_start(start);
  const Point A = at_start.A, B = at_start.B, D = at_start.D;
  NonSmoothDynamicalSystem model;
  const auto bar = [&](const Point& begin, const Point& end, std::size_t i) {
    return model.add(slender_bar(begin, end, at_start.velocity[i], at_start.spin[i]));
  };
  const auto crank = bar(Point::Zero(), A, 0), coupler = bar(A, B, 1), rocker = bar(D, B, 2);
  const State initial = model.initial_state();
  const auto in_space = [](const Point& p) { return Eigen::Vector3d(p[0], p[1], 0.0); };
  const auto q = [&](SystemHandle body) { return initial.q(body); };
  const JointFrames shaft = joint_to_ground(q(crank), Eigen::Vector3d::Zero());
  const auto bearing = link_joint(model, {crank}, HingeJoint{shaft}, "bearing of the crank");
  link_joint(model, {crank, coupler}, HingeJoint{joint_between(q(crank), q(coupler), in_space(A))}, "pin A");
  link_joint(model, {coupler, rocker}, HingeJoint{joint_between(q(coupler), q(rocker), in_space(B))}, "pin B");
  const auto support =
      link_joint(model, {rocker}, HingeJoint{joint_to_ground(q(rocker), in_space(D))}, "bearing of the rocker");
  const auto motor = link_joint(model, {crank},
                                HingeMotor{.frames = shaft,
                                           .angle = [](double t) { return kSpin * t; },
                                           .velocity = [](double) { return kSpin; },
                                           .acceleration = [](double) { return 0.0; }},
                                "motor");

  // 2. What the model is, before it runs.
  const auto found = analysis::examine(model);
  const auto& island = found.mechanical.front();
  for (const std::string& row : island.redundant) std::cout << "depends on others: " << row << '\n';

  // 3. By events, of which there are none: accelerations and forces at each instant.
  EventDriven simulation{model};
  Table table{"turns", "moment [N m]", "closed form", "crank's bearing [N]", "rocker's bearing [N]"};
  State at = simulation.state();
  double off_place = 0.0, off_moment = 0.0;
  Index samples = 0;
  const auto report = simulation.advance_to(
      T, EventDrivenObserver{.segment = [&](const SmoothSegment& step) {
        for (; static_cast<double>(samples) * 2e-3 <= step.end(); ++samples) {
          step.evaluate(static_cast<double>(samples) * 2e-3, at);
          const double angle = start + kSpin * at.t, d = 1e-5;
          const Linkage exact(angle);
          const double moment = (Linkage(angle + d).energy() - Linkage(angle - d).energy()) / (2.0 * d);
          off_place = std::max(off_place, (at.q(coupler).head<2>() - exact.centre[1]).norm());
          off_moment = std::max(off_moment, std::abs(at.force(motor)[0] - moment));
          const auto on_ground = [&](InteractionHandle joint, SystemHandle body) {
            return reaction_wrench(model, at, joint, body, Eigen::Vector3d::Zero()).force.norm();
          };
          table.record({(angle - start) / (2.0 * std::numbers::pi), at.force(motor)[0], moment,
                        on_ground(bearing, crank), on_ground(support, rocker)});
        }
        return true;
      }});
  if (!report) return std::cerr << report.message() << '\n', 1;

  // 4. Bounds. Steps keep 1e-10 of the state, a hundred or so of them 1e-8 of places of 0.3 m. Forces between steps are
  //    those of the dense output, of lower order; dE / dtheta is off by eps E / d = 1e-11 and d^2 / 6 of its third
  //    derivative.
  Bounds bounds;
  bounds.near("redundant rows", static_cast<double>(island.hyperstatic_degree), 3.0, 0.0);
  bounds.near("freedoms that the motor leaves", static_cast<double>(island.degrees_of_freedom), 0.0, 0.0);
  bounds.near("coupler off by [m]", off_place, 0.0, 1e-8);
  bounds.near("motor's moment off by [N m]", off_moment, 0.0, 1e-6);
  std::cout << bounds.report();
  if (arguments.pictures()) std::cout << picture(table, *arguments.pictures() / "four_bar").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
