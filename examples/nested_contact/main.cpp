// SPDX-License-Identifier: Apache-2.0
// A stop on the third integral of what pushes: a contact whose multiplier is a distribution (Acary 2005; units of time
// and length are 1).
//
//   z1' = z2,  z2' = z3,  z3' = -z1 - z2 - z3 - d·xi + lambda,   xi1' = xi2,  xi2' = -xi1 + z1,   z(0) = (1, 0, 0, 0,
//   0) 0 <= z1 ⟂ lambda >= 0   of relative degree 3: z2 jumps where z1 closes, and z3 may. A measure mu_i for each
//   level: mu_1 with z1 >= 0;  mu_2 with z2 >= 0 while z1 <= 0;  mu_3 with z3 >= 0 while z1 <= 0 and z2 <= 0.
//
// d = 0: z1 + z3 = e^-t through all jumps, z1 = (e^-t + cos t + sin t) / 2 until t1, then arcs
// (a/2)(e^-u - cos u + sin u), u = t - t_n, a = e^-t_n, of length S. Steps meet each jump a little too late.
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/analysis.hpp>

#include <cmath>
#include <iostream>
#include <vector>

using namespace nonsmooth;

constexpr double kEnd = 6.0, kFirst = 2.4191656607, kArc = 3.9407331357, kAtom = 0.7502031946;

struct Motion {
  std::vector<double> t, z1, z2, z3;
  double first_contact = kEnd, first_atom = 0.0, lift_off = kEnd;
};

Motion move(double d1, double d2, double h, double end) {
  // 1. The system, its stop, and the stop's three levels.
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0, 0.0, 0.0, 0.0},
                                                             {0.0, 0.0, 1.0, 0.0, 0.0},
                                                             {-1.0, -1.0, -1.0, -d1, -d2},
                                                             {0.0, 0.0, 0.0, 0.0, 1.0},
                                                             {1.0, 0.0, 0.0, -1.0, 0.0}},
                                                       .x0 = {1.0, 0.0, 0.0, 0.0, 0.0}});
  const auto stop = model.link(
      system, FirstOrderLinearRelation{.C = {{1.0, 0.0, 0.0, 0.0, 0.0}}, .B = {{0.0}, {0.0}, {1.0}, {0.0}, {0.0}}},
      ComplementarityLaw{}, "stop");
  const HigherOrderHandles process = link_higher_order(model, stop);

  // 2. The motion, and the measures of each step.
  TimeStepping simulation{model, {.integrator = HigherOrderMoreau{}, .step = h}};
  Motion motion{.t = {0.0}, .z1 = {1.0}, .z2 = {0.0}, .z3 = {0.0}};
  bool touches = false;
  const auto report = simulation.advance_to(end, [&](const State& state) {
    const Eigen::VectorXd mu = atoms(state, process.levels), z = state.y(process.levels);
    const bool now = mu.maxCoeff() > 1e-12;
    if (now && motion.first_contact == kEnd) motion.first_contact = state.t;
    if (mu[1] > 1e-12 && motion.first_atom == 0.0) motion.first_atom = mu[1];
    if (!now && touches && motion.lift_off == kEnd) motion.lift_off = state.t;
    touches = now;
    motion.t.push_back(state.t), motion.z1.push_back(z[0]), motion.z2.push_back(z[1]), motion.z3.push_back(z[2]);
  });
  if (!report || !report.findings.empty()) std::cerr << report.message() << '\n';
  return motion;
}

analysis::FilledGraph graph(const std::vector<double>& t, const std::vector<double>& z) {
  const auto N = static_cast<Index>(t.size());
  return {Eigen::VectorXd::Map(t.data(), N), Eigen::RowVectorXd::Map(z.data(), N)};
}

/// z2 of d = 0, its jumps straight up.
analysis::FilledGraph exact_rate() {
  std::vector<double> times, rates;
  const auto add = [&](double t, double rate) { times.push_back(t), rates.push_back(rate); };
  const auto arc = [&](double from, double to, auto&& rate) {
    constexpr int kPoints = 1500;  // linear in between: 1e-6 off
    for (int k = 0; k <= kPoints; ++k) add(from + (to - from) * k / kPoints, rate((to - from) * k / kPoints));
  };
  arc(0.0, kFirst, [](double u) { return 0.5 * (-std::exp(-u) - std::sin(u) + std::cos(u)); });
  const double a = std::exp(-kFirst);
  arc(kFirst, kEnd, [a](double u) { return 0.5 * a * (-std::exp(-u) + std::sin(u) + std::cos(u)); });
  return graph(times, rates);
}

int example(const Arguments& arguments) {
  // 3. The errors of z2 over steps, each 0.7 of the one before; z1 is wrong by as much as z2's jump is late.
  const analysis::FilledGraph exact = exact_rate();
  Table table{"h", "largest", "L1", "graphs"};
  for (double h = 1e-2; h > 1.3e-3; h *= 0.7) {
    const Motion motion = move(0.0, 0.0, h, kEnd);
    const analysis::FilledGraph values = graph(motion.t, motion.z2);
    const analysis::FilledGraph computed = analysis::step_function(values.t, values.x, analysis::Hold::Before);
    table.record({h, analysis::sup_distance(exact, computed), analysis::l1_distance(exact, computed),
                  analysis::hausdorff_distance(exact, computed, {.accuracy = 1e-3})});
  }
  // 4. With a zero dynamics that acts on z3: it also rests.
  constexpr double kFine = 1e-3;
  const Motion free = move(0.0, 0.0, kFine, kEnd), by_rate = move(0.0, 1.0, kFine, 12.0),
               by_place = move(1.0, 0.0, kFine, 12.0);

  // 5. A picture, where one is wanted.
  const auto& h = table.column("h");
  if (arguments.pictures()) {
    std::cout << draw({.title = "A stop of relative degree 3, and in which sense its steps converge",
                       .panels = {time_series(by_rate.t, "z_1",
                                              {{by_rate.z1, "d = (0, 1)"}, {by_place.z1, "d = (1, 0)"}}, "time"),
                                  time_series(by_rate.t, "z_2",
                                              {{by_rate.z2, "d = (0, 1)"}, {by_place.z2, "d = (1, 0)"}}, "time"),
                                  time_series(by_rate.t, "z_3",
                                              {{by_rate.z3, "d = (0, 1)"}, {by_place.z3, "d = (1, 0)"}}, "time"),
                                  convergence(h, "distance of z_2, d = 0",
                                              {{table.column("largest"), "largest difference"},
                                               {table.column("L1"), "L_1"},
                                               {table.column("graphs"), "Hausdorff, of the filled-in graphs"}},
                                              0.0, "step h")},
                       .width = 960,
                       .height = 1100},
                      *arguments.pictures() / "nested_contact")
                     .message()
              << '\n';
  }

  // 6. Does it hold? A contact is found in the step after z1 <= 0, and z1 is O(h) off: three steps. The largest
  // difference is the jump, within what z2 moves in a step; the others fall with h, up and down by where t1 lies.
  Bounds bounds;
  for (std::size_t k = 0; k < h.size(); ++k)
    bounds.near("largest difference of z2", table.column("largest")[k], kAtom, 2.0 * h[k]);
  bounds.near("order of the largest difference", fit_order(h, table.column("largest")).order, 0.0, 0.05);
  bounds.near("order in L1", fit_order(h, table.column("L1")).order, 1.0, 0.2);
  bounds.near("order of the graphs", fit_order(h, table.column("graphs")).order, 1.0, 0.2);
  bounds.near("first contact, d = 0", free.first_contact, kFirst, 3.0 * kFine);
  bounds.near("atom of z2, d = 0", free.first_atom, kAtom, 2.0 * kFine);
  bounds.near("lift-off, d = 0: at once", free.lift_off, kFirst, 6.0 * kFine);
  bounds.near("first contact, d = (0, 1)", by_rate.first_contact, 1.9875272948, 3.0 * kFine);
  bounds.near("lift-off, d = (0, 1)", by_rate.lift_off, 2.3390010166, 6.0 * kFine);
  bounds.near("first contact, d = (1, 0)", by_place.first_contact, 2.1418667804, 3.0 * kFine);
  bounds.near("lift-off, d = (1, 0)", by_place.lift_off, 3.9691575442, 6.0 * kFine);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
