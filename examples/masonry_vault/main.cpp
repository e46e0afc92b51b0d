// SPDX-License-Identifier: Apache-2.0
// A barrel vault of dry stones, thick enough to stand or not (SI units): voussoirs as convex polyhedra.
//
//   m dv = m g dt + sum dp,   J dOmega + Omega x J Omega dt = sum r x dp,   0 <= u_N+  ⟂  p_N >= 0,
//   |p_T| <= mu p_N, opposed to the slip u_T, at the corners of each joint.
//
// Joints cannot pull. The vault stands as long as a line of thrust fits between intrados and extrados (Heyman 1969
// [heyman1969]): from the extrados of the crown, level, with a thrust H such that at the joint at b from the crown
//
//   W r_i sin b - M <= H (r_o - r_i cos b),   H (r_o - r_o cos b) <= W r_o sin b - M,   r = R -+ t / 2,
//
// W the weight from the crown to there and M its moment about the crown. For ever more stones that takes t / R = 0.1075
// of a half circle; for 16 of them it is what least_thickness() finds. Thinner, it falls by hinges at the crown, at the
// haunches and at the springings.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numbers>
#include <vector>

#include "picture.hpp"
#include "vault.hpp"

using namespace nonsmooth;

double least_thickness() {
  const auto stands = [](double t) {
    const Stone stone(t);
    const double r_i = kRadius - 0.5 * t, r_o = kRadius + 0.5 * t;
    double least = 0.0, largest = std::numeric_limits<double>::infinity(), W = 0.0, M = 0.0;
    for (int k = 0; 2 * k < kStones; ++k) {
      const double b = (2 * k + 2) * kHalfAngle, c = std::cos(b), s = std::sin(b);
      W += stone.solid.mass * kGravity;
      M += stone.solid.mass * kGravity * stone.centre() * std::sin(b - kHalfAngle);
      least = std::max(least, (W * r_i * s - M) / (r_o - r_i * c));
      largest = std::min(largest, (W * r_o * s - M) / (r_o - r_o * c));
    }
    return least <= largest;
  };
  double falls = 0.05 * kRadius, holds = 0.2 * kRadius;
  while (holds - falls > 1e-9) {
    const double middle = 0.5 * (falls + holds);
    (stands(middle) ? holds : falls) = middle;
  }
  return holds;
}

Run let_go(double thickness, double tolerance, double T) {
  // 1. Stones side by side, the last of each side on the ground.
  Run run{.stone = Stone(thickness)};
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  const Shape shape = run.stone.shape();
  for (int i = 0; i < kStones; ++i) {
    run.stones.push_back(model.add(run.stone.body((2 * i + 1 - kStones) * kHalfAngle)));
    shapes.push_back({run.stones.back(), {{.shape = shape}}});
  }
  model.detect(
      BodyContacts(shapes, {{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3}));

  // 2. Steps. The gyroscopic term is explicit, the rest linear in velocities: one iteration is exact.
  TimeStepping simulation{
      model, {.step = 2e-3, .solver = mixed::Automatic{.tolerance = tolerance}, .newton = {.max_iterations = 1}}};
  run.start = simulation.state();
  const auto report = simulation.advance_to(T, [&](const State& x) {
    run.table.record({x.t, x.q(run.stones[kStones / 2])[2]});
    if (x.k == std::lround(0.7 * T / 2e-3)) run.middle = x;
  });
  if (!report) std::cerr << explain_failure(simulation, report) << '\n';
  run.end = simulation.state();
  run.completed = bool(report);
  return run;
}

int example(const Arguments& arguments) {
  const double t = least_thickness();
  const Run stands = let_go(1.02 * t, 1e-9, 0.3), falls = let_go(0.98 * t, 1e-6, 0.9);
  if (!stands.completed || !falls.completed) return 1;

  // 3. Bounds. A stone at rest is solved to 1e-9 of g h in each step, a falling one to 1e-6. The pivots of the falling
  //    vault are as symmetric as it is: both sides move alike until round-off grows with the fall.
  Bounds bounds;
  const std::size_t crown = kStones / 2, haunch = 12, other = kStones - 1 - haunch;  // of the right, and of the left
  bounds.near("least thickness / radius", t / kRadius, 0.1071, 5e-4);
  bounds.near("the thicker vault moves by [m]", (stands.end.positions - stands.start.positions).cwiseAbs().maxCoeff(),
              0.0, 1e-9);
  bounds.within("crown of the thinner one goes up by [m]", falls.up(crown), -1.5, -0.1);
  bounds.within("and its haunches go out by [m]", std::min(falls.out(haunch), -falls.out(other)), 0.02, 1.0);
  bounds.near("left and right differ by [m]", falls.out(haunch) + falls.out(other), 0.0, 0.02);
  std::cout << bounds.report();
  if (arguments.pictures())
    std::cout << picture(stands, falls, *arguments.pictures() / "masonry_vault").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
