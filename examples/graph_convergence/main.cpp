// SPDX-License-Identifier: Apache-2.0
// How far a velocity that jumps is from the exact one: three distances, one of which converges nowhere (SI units).
//
//   m dv = -m g dt + dp,    dq = v dt,    0 <= q  ⟂  dp >= 0,    v+ = -e v- at impact.
//
// Dropped from q0, the ball lands at t1 = sqrt(2 q0 / g) with v1 = -g t1; each flight takes e times the one before, and
// it rests from t1 (1 + e) / (1 - e) on. Steps of length h meet an impact up to h too late. Over an instant h, exact
// and computed velocity then differ by the whole jump, |v1| (1 + e), however small h is; their graphs differ by h.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/analysis.hpp>

#include <cmath>
#include <iostream>
#include <vector>

using namespace nonsmooth;

constexpr double kGravity = 9.81, kHeight = 1.0, kRestitution = 0.5, kEnd = 2.0;

analysis::FilledGraph graph(const std::vector<double>& t, const std::vector<double>& v) {
  const auto N = static_cast<Index>(t.size());
  return {Eigen::VectorXd::Map(t.data(), N), Eigen::RowVectorXd::Map(v.data(), N)};
}

/// Before each impact, and after it: straight down within a flight, straight up at its end.
analysis::FilledGraph exact_velocity() {
  double t = std::sqrt(2.0 * kHeight / kGravity), speed = kGravity * t;
  std::vector<double> times{0.0}, velocities{0.0};
  for (; speed > 1e-12; t += 2.0 * speed / kGravity) {
    times.insert(times.end(), {t, t});
    velocities.insert(velocities.end(), {-speed, kRestitution * speed});
    speed *= kRestitution;
  }
  times.insert(times.end(), {t, kEnd});
  velocities.insert(velocities.end(), {0.0, 0.0});
  return graph(times, velocities);
}

/// v_{k+1} on (t_k, t_{k+1}], as the scheme means it.
analysis::FilledGraph computed_velocity(double h) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-kGravity}, .q0 = {kHeight}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = kRestitution});
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
  std::vector<double> times{0.0}, velocities{0.0};
  const auto report = simulation.advance_to(kEnd, [&](const State& x) {
    times.push_back(x.t);
    velocities.push_back(x.v(ball)[0]);
  });
  if (!report) std::cerr << report.message() << '\n';
  const analysis::FilledGraph values = graph(times, velocities);
  return analysis::step_function(values.t, values.x, analysis::Hold::Before);
}

int example(const Arguments& arguments) {
  // 1. Fourteen steps, each 0.7 of the one before: no two have their impacts at like places within a step.
  const analysis::FilledGraph exact = exact_velocity();
  Table table{"h [s]", "largest [m/s]", "L1 [m]", "graphs"};
  for (double h = 1e-2; h > 9e-5; h *= 0.7) {
    const analysis::FilledGraph computed = computed_velocity(h);
    table.record({h, analysis::sup_distance(exact, computed), analysis::l1_distance(exact, computed),
                  analysis::hausdorff_distance(exact, computed)});  // 1 s counts as 1 m/s
  }

  // 2. A picture, where one is wanted.
  const auto& h = table.column("h [s]");
  if (arguments.pictures()) {
    std::cout << draw({.title = "Velocity of a bouncing ball: three distances from the exact one",
                       .panels = {convergence(h, "distance",
                                              {{table.column("largest [m/s]"), "largest difference [m/s]"},
                                               {table.column("L1 [m]"), "L_1 [m]"},
                                               {table.column("graphs"), "Hausdorff, of the filled-in graphs"}},
                                              0.0, "step h [s]")},
                       .width = 720,
                       .height = 520},
                      *arguments.pictures() / "graph_convergence")
                     .message()
              << '\n';
  }

  // 3. Does it hold? Where the first impact is met too late, the largest difference is the whole jump but for the g h
  // that velocities change in a step. An error of the instants is within h at each of them, so that the other two fall
  // in proportion to h on the whole, up and down by where impacts lie within their steps.
  const double jump = (1.0 + kRestitution) * std::sqrt(2.0 * kGravity * kHeight);
  Bounds bounds;
  for (std::size_t k = 0; k < h.size(); ++k) {
    bounds.near("largest difference [m/s]", table.column("largest [m/s]")[k], jump, 2.0 * kGravity * h[k]);
  }
  bounds.near("order of the largest difference", fit_order(h, table.column("largest [m/s]")).order, 0.0, 0.05);
  bounds.near("order in L1", fit_order(h, table.column("L1 [m]")).order, 1.0, 0.15);
  bounds.near("order of the graphs", fit_order(h, table.column("graphs")).order, 1.0, 0.15);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
