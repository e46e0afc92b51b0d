// SPDX-License-Identifier: Apache-2.0
// Two jaws take a box off a table, lift and turn it, and put it back on its side (SI units).
//
//   m dv = (m g + f) dt + sum dp,   J dOmega + Omega x J Omega dt = sum r x dp,   0 <= u_N+  ⟂  p_N >= 0,
//   |p_T| <= mu p_N, opposed to the slip u_T.    Hand: v, Omega given.    Jaws on rails of the hand, x_1 + x_2 = 0.
//
// One motor drives a jaw by 2 f(t), the other mimics it, so that each presses with f on its face of the box. Nothing
// else holds it: friction at the corners of the patches carries its weight and the moments of the turn. A grasp that
// friction can hold has all relative velocities zero in each step, so that it does not creep, however long it holds. It
// can hold while m |a - g| <= 2 mu f.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include "grasp.hpp"

using namespace nonsmooth;
using Eigen::Vector3d;

// Of a course from 0 to 1 as t goes from `begin` to `end`, at rest at both.
double rate(double t, double begin, double end) {
  const double s = std::clamp((t - begin) / (end - begin), 0.0, 1.0);
  return (1.0 - std::cos(2.0 * std::numbers::pi * s)) / (end - begin);
}

RigidBody cuboid(double mass, const Vector3d& half, const Vector3d& position) {
  return {.mass = mass,
          .inertia = MassProperties::of_mass(Box{half}, mass).inertia,
          .position = position,
          .gravity = {0.0, 0.0, -kGravity}};
}

Run grasp(double press, double T) {
  // 1. A box on the table, and a hand whose body moves as it is told. 0 to 0.2 s: grasp; to 1.2 s: up, with a quarter
  //    turn about x; to 2 s: down to the height of its side; from 2.1 s on: let go.
  NonSmoothDynamicalSystem model;
  Run run;
  run.box = model.add(cuboid(kMass, kHalf, {0.0, 0.0, kHalf[2]}));
  const double down = kLift + kHalf[2] - kHalf[1], quarter = 0.5 * std::numbers::pi;
  const auto up = [=](double t) { return kLift * rate(t, 0.2, 1.2) - down * rate(t, 1.2, 2.0); };
  const auto turn = [=](double t) { return quarter * rate(t, 0.2, 1.2); };
  const auto zero = [](double) { return 0.0; };
  RigidBody told = cuboid(1.0, kPalm, {0.0, 0.0, kHalf[2]});
  told.prescribed = {{0, zero}, {1, zero}, {2, up}, {3, turn}, {4, zero}, {5, zero}};
  run.hand = model.add(told);
  std::vector<BodyShapes> shapes{{run.box, {{.shape = Box{kHalf}}}},
                                 {run.hand, {{.shape = Box{kPalm}, .position = {0.0, 0.0, kReach + kPalm[2]}}}}};

  // 2. A jaw on each side, at an arm that slides along the palm; one is driven, the other mimics it.
  std::array<JointFrames, 2> rails;
  for (const std::size_t i : {0u, 1u}) {
    const double out = i == 0 ? -1.0 : 1.0;
    RigidBody jaw = cuboid(0.2, kJaw, {out * (kHalf[0] + kJaw[0] + 0.01), 0.0, kHalf[2]});
    if (i == 0)
      jaw.loads.emplace_back(GivenLoad{
          .load = [=](double t, ConstVectorRef, ConstVectorRef, VectorRef f) { f[0] = t < 2.1 ? 2.0 * press : -2.0; }});
    run.jaws[i] = model.add(jaw);
    const Vector3d arm(0.5 * kJaw[0], 0.01, 0.5 * (kReach - kJaw[2]));
    shapes.push_back(
        {run.jaws[i],
         {{.shape = Box{kJaw}}, {.shape = Box{arm}, .position = {0.5 * out * kJaw[0], 0.0, kReach - arm[2]}}}});
    const State x = model.initial_state();
    rails[i] = joint_between(x.q(run.jaws[i]), x.q(run.hand), jaw.position, Vector3d::UnitX(), Vector3d::UnitY());
    link_joint(model, {run.jaws[i], run.hand}, SliderJoint{rails[i]}, "rail");
  }
  link_joint(model, {run.jaws[0], run.jaws[1], run.hand},
             Coupler{.first = SliderPosition{rails[0]}, .second = SliderPosition{rails[1]}, .ratio = -1.0}, "mimic");
  BodyContacts contacts(shapes, {{.shape = HalfSpace{}}},
                        NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3});
  model.detect(contacts.exclude_jointed(model));  // arms lie on the palm all the while: that is the joints' business

  // 3. Steps.
  TimeStepping simulation{model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-11}}};
  Vector3d held = Vector3d::Zero();
  const auto report = simulation.advance_to(T, [&](const State& x) {
    const auto q = x.q(run.box), jaw = x.q(run.jaws[0]);
    const Vector3d place =
        Eigen::Quaterniond(jaw[3], jaw[4], jaw[5], jaw[6]).inverse() * Vector3d(q.head<3>() - jaw.head<3>());
    if (x.k == 100) held = place;
    if (x.k >= 100 && x.k <= 1000) run.slip = std::max(run.slip, (place - held).norm());
    run.table.record({x.t, q[2], 2.0 * std::atan2(q[4], q[3]), (place - held).norm()});
    if (x.k == 100 || x.k == 400 || x.k == 600 || x.k == 1100) run.shown.push_back(x);
  });
  if (!report) std::cerr << explain_failure(simulation, report) << '\n';
  run.end = simulation.state();
  run.completed = bool(report);
  return run;
}

int example(const Arguments& arguments) {
  const double least = kMass * kGravity / (2.0 * kFriction);
  const Run firm = grasp(10.0, 2.3), weak = grasp(0.95 * least, 1.2);
  if (!firm.completed || !weak.completed) return 1;

  // 4. Bounds. Each of a thousand steps is solved to 1e-11 of velocities below 1 m/s, for 2e-3 s each.
  Bounds bounds;
  const double error = 1e-11;
  const auto q = firm.end.q(firm.box);
  bounds.near("box slips in the grasp by [m]", firm.slip, 0.0, error);
  const auto& height = firm.table.column("height");
  bounds.near("highest [m]", *std::max_element(height.begin(), height.end()), kLift + kHalf[2], 1e-6);
  bounds.near("put back at [m]", q.head<2>().norm(), 0.0, error);
  bounds.near("height of its centre, on its side [m]", q[2], kHalf[1], error);
  bounds.near("turned by [rad]", 2.0 * std::atan2(q[4], q[3]), 0.5 * std::numbers::pi, 1e-6);
  bounds.near("and about other axes by [-]", std::hypot(q[5], q[6]), 0.0, error);
  bounds.near("at rest, but for [m/s, rad/s]", firm.end.v(firm.box).norm(), 0.0, 1e-9);
  // On the table all the while, though it may be turned about an edge.
  const auto& dragged = weak.table.column("height");
  bounds.within("pressed by 5 % less than its weight takes, highest [m]",
                *std::max_element(dragged.begin(), dragged.end()), 0.0, kHalf.tail<2>().norm());
  std::cout << bounds.report();
  if (arguments.pictures()) std::cout << picture(firm, *arguments.pictures() / "gripper").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
