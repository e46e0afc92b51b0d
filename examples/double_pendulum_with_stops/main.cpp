// SPDX-License-Identifier: Apache-2.0
// A double pendulum whose elbow has two stops, by steps that an accuracy chooses (SI units).
//
//   M(q) qdd + N(q, qd) + G(q) = H^T p,   0 <= alpha -+ (q_2 - q_1)  ⟂  p >= 0,   u+ = -e u- at impact,
//
//   M = m l^2 [2, c; c, 1],   N = m l^2 s (qd_2^2, -qd_1^2),   G = m g l (2 sin q_1, sin q_2),
//
// c and s the cosine and sine of q_1 - q_2, both angles from the vertical. Asked: 1e-4 of the angles, 1e-3 of their
// rates, over T. The same motion by events says what came of it.
#include <algorithm>
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double g = 9.81, e = 0.5, alpha = 0.5, start = 2.2, T = 5.0;

  // 1. Two masses of 1 kg on rods of 1 m, let go stretched out, and the stops of the elbow.
  NonSmoothDynamicalSystem model;
  const auto arm = model.add(LagrangianSystem{
      .mass =
          [](ConstVectorRef q, MatrixRef M) {
            const double c = std::cos(q[0] - q[1]);
            M << 2.0, c, c, 1.0;
          },
      .gyroscopic = [](ConstVectorRef q, ConstVectorRef v,
                       VectorRef N) { N << v[1] * v[1] * std::sin(q[0] - q[1]), -v[0] * v[0] * std::sin(q[0] - q[1]); },
      .internal = [=](double, ConstVectorRef q, ConstVectorRef,
                      VectorRef G) { G << 2.0 * g * std::sin(q[0]), g * std::sin(q[1]); },
      .q0 = {start, start},
      .v0 = {0.0, 0.0}});
  const NewtonImpactLaw stop{.restitution = e};
  model.link(arm, LagrangianLinearRelation{.H = {{1.0, -1.0}}, .b = {alpha}}, stop, "forward stop");
  model.link(arm, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {alpha}}, stop, "backward stop");

  // 2. An accuracy in place of a step: M at the middle of a step makes the scheme one of order 2 between impacts.
  AdaptiveTimeStepping simulation{model,
                                  {.stepping = {.integrator = MoreauJean{.configuration_weight = 0.5}, .step = 0.1},
                                   .accuracy = {.position = {1e-4}, .velocity = {1e-3}, .span = T, .events = 20}}};
  EventDriven reference{model};
  Table table{"t", "q 1", "q 2", "elbow", "step", "error"};
  double t = 0.0, of_angles = 0.0, of_rates = 0.0, inside = 0.0;
  const auto report = simulation.advance_to(T, [&](const State& x) {
    if (!reference.advance_to(x.t)) return false;
    const double error = (x.q(arm) - reference.state().q(arm)).lpNorm<Eigen::Infinity>();
    of_angles += (x.t - t) / T * error;
    of_rates += (x.t - t) / T * (x.v(arm) - reference.state().v(arm)).lpNorm<Eigen::Infinity>();
    inside = std::max(inside, -x.outputs.minCoeff());
    t = x.t;
    table.record({t, x.q(arm)[0], x.q(arm)[1], x.q(arm)[1] - x.q(arm)[0], x.last_step, error});
    return true;
  });
  if (!report) return std::cerr << report.message() << '\n', 1;
  const auto impacts = std::count_if(reference.events().begin(), reference.events().end(),
                                     [](const Event& event) { return event.kind == EventKind::Impact; });
  const AdaptiveSteps& steps = simulation.steps();
  std::cout << impacts << " impacts by events; " << steps.taken << " steps, " << steps.rejected << " made again, from "
            << steps.shortest << " s to " << steps.longest << " s\n";

  // 3. Bounds. A factor of 10 is what an accuracy promises where the motion does not spread errors. A contact is found
  //    late by a part of a step that displaces the elbow by its share of the angles.
  Bounds bounds;
  bounds.within("angles are off in the mean by [rad]", of_angles, 0.0, 10.0 * 1e-4);
  bounds.within("rates are off in the mean by [rad/s]", of_rates, 0.0, 10.0 * 1e-3);
  bounds.within("the elbow goes into its stops by [rad]", inside, 0.0, 1e-4);
  bounds.within("longest step over the shortest", steps.longest / steps.shortest, 100.0, 1e9);
  std::cout << bounds.report();

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& time = table.column("t");
    Panel elbow = time_series(time, "elbow [rad]", {{table.column("elbow")}});
    for (const double side : {-alpha, alpha})
      elbow.series.push_back({.x = {0.0, T}, .y = {side, side}, .style = Series::Style::Guide});
    Panel length = time_series(time, "step [s]", {{table.column("step"), "", Series::Style::Markers}});
    Panel error = time_series(time, "error of angles [rad]", {{table.column("error")}});
    length.y.logarithmic = error.y.logarithmic = true;
    std::cout << draw({.title = "Double pendulum with stops at the elbow, by an accuracy",
                       .panels = {time_series(time, "angles [rad]",
                                              {{table.column("q 1"), "upper"}, {table.column("q 2"), "lower"}}),
                                  elbow, length, error},
                       .width = 760,
                       .height = 1000},
                      *arguments.pictures() / "double_pendulum_with_stops")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
