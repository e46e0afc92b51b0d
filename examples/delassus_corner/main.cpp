// SPDX-License-Identifier: Apache-2.0
// Delassus' problem: which contacts open, when all of them would have to pull? (SI units)
//
//   m qdd = f + G^T F,   0 <= G qdd = b + W F  ⟂  F >= 0,   W = G M^-1 G^T,  b = G M^-1 f:
//
// a particle at rest in the corner of a floor, normal (0, 1), and an overhanging wall, normal (sqrt(3)/2, -1/2), under
// the force f = (5/sqrt(3), -1). Kept closed, both contacts pull, F = -W^-1 b = (-2/3, -10/3). To open every contact
// that pulls is the rule that comes to mind, and lets the particle fall through the floor. The complementarity problem
// has one solution, as W is positive definite: F = (1, 0), G qdd = (0, 5/2). It slides along the floor.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

#include <Eigen/LU>

using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, r3 = std::numbers::sqrt3, T = 1.0;
  const Eigen::Matrix2d G{{0.0, 1.0}, {0.5 * r3, -0.5}};
  const Eigen::Vector2d f{5.0 / r3, -1.0};

  // 1. The problem of accelerations by hand: both contacts kept, the rule, and every choice of open and closed.
  const Eigen::Matrix2d W = G * G.transpose() / m;
  const Eigen::Vector2d b = G * f / m, kept = -W.inverse() * b;
  Eigen::Vector2d ruled = b;  // acceleration of the contacts under the rule
  for (int i = 0; i < 2; ++i) {
    if (kept[i] > 0.0) ruled += W.col(i) * kept[i];
  }
  int right_choices = 0;
  for (int closed = 0; closed < 4; ++closed) {
    Eigen::Vector2d F = Eigen::Vector2d::Zero();
    if (closed == 3) F = kept;
    for (int i = 0; i < 2; ++i) {
      if (closed == 1 << i) F[i] = -b[i] / W(i, i);
    }
    const Eigen::Vector2d acceleration = b + W * F;
    if (F.minCoeff() >= 0.0 && acceleration.minCoeff() >= -1e-15) ++right_choices;
  }

  // 2. The model, and the choice that event-driven simulation makes before it moves at all.
  NonSmoothDynamicalSystem model;
  const auto particle = model.add(
      LagrangianLinearSystem{.mass = {{m, 0.0}, {0.0, m}}, .force = {f[0], f[1]}, .q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}});
  const auto floor =
      model.link(particle, LagrangianLinearRelation{.H = {{G(0, 0), G(0, 1)}}}, NewtonImpactLaw{}, "floor");
  const auto wall =
      model.link(particle, LagrangianLinearRelation{.H = {{G(1, 0), G(1, 1)}}}, NewtonImpactLaw{}, "wall");
  EventDriven simulation{model};
  const double force_of_floor = simulation.state().force(floor)[0], force_of_wall = simulation.state().force(wall)[0];

  // 3. It moves.
  Table table{"x", "y", "x by the rule", "y by the rule"};
  State at = simulation.state();
  int samples = 0;
  const auto report = simulation.advance_to(T, EventDrivenObserver{.segment = [&](const SmoothSegment& step) {
                                              for (; samples <= 100 && samples * 0.01 * T <= step.end(); ++samples) {
                                                step.evaluate(samples * 0.01 * T, at);
                                                const auto q = at.q(particle);
                                                const double half = 0.5 * at.t * at.t / m;
                                                table.record({q[0], q[1], half * f[0], half * f[1]});
                                              }
                                              return true;
                                            }});
  if (!report) return std::cerr << report.message() << '\n', 1;

  // 4. Bounds: closed forms, and motions that are parabolas; what is left is round-off.
  const State& x = simulation.state();
  Bounds bounds;
  bounds.near("floor, both contacts kept [N]", kept[0], -2.0 / 3.0, 1e-14);
  bounds.near("wall, both contacts kept [N]", kept[1], -10.0 / 3.0, 1e-14);
  bounds.within("acceleration into the floor by the rule [m/s^2]", ruled[0], -1.0 - 1e-14, -1.0 + 1e-14);
  bounds.near("choices without pull and without penetration", right_choices, 1.0, 0.0);
  bounds.near("force of the floor by events [N]", force_of_floor, 1.0, 1e-14);
  bounds.near("force of the wall by events [N]", force_of_wall, 0.0, 0.0);
  bounds.near("place along the floor after 1 s [m]", x.q(particle)[0], 0.5 * f[0] / m * T * T, 1e-14);
  bounds.near("height above the floor [m]", x.q(particle)[1], 0.0, 1e-15);
  bounds.near("distance from the wall [m]", x.y(wall)[0], 1.25 * T * T, 1e-14);
  std::cout << bounds.report();

  // 5. A picture, where one is wanted.
  if (arguments.pictures()) {
    const Panel corner{
        .x = {.label = "x [m]", .low = -0.4, .high = 1.6},
        .y = {.label = "y [m]", .low = -0.6, .high = 0.6},
        .series = {{.x = {-0.4, 1.6}, .y = {0.0, 0.0}, .label = "floor", .style = Series::Style::Ground},
                   {.x = {0.0, 0.6 / r3}, .y = {0.0, 0.6}, .label = "wall, the particle is on its right"},
                   {.x = table.column("x"), .y = table.column("y"), .label = "complementarity"},
                   {.x = table.column("x by the rule"),
                    .y = table.column("y by the rule"),
                    .label = "both opened, as both would pull",
                    .style = Series::Style::Dashed}},
        .same_units = true};
    std::cout << draw({.title = "Delassus' corner: where the particle goes in a second",
                       .panels = {corner},
                       .width = 760,
                       .height = 480},
                      *arguments.pictures() / "delassus_corner")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
