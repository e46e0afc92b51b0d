// SPDX-License-Identifier: Apache-2.0
// Two genes on their switching planes (dimensionless): the network of gene_network by regions.
//
//   x1' = -4.5 x1 + 40 s+(x2, 4) s-(x1, 8),    x2' = -1.5 x2 + 40 s+(x1, 4) s-(x2, 8).
//
// Four planes x1 = 4, 8, x2 = 4, 8 and a field for each pattern of sides. Each step function is a switch of its own, so
// that on planes alpha in [0, 1] is chosen gene by gene (FilippovMeaning::MultiAffine).
#include <algorithm>
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double kDecay1 = 4.5, kDecay2 = 1.5, kRate = 40.0;

FilippovSystem network(double x1, double x2) {
  const auto plane = [](Index k, double level) {
    return SwitchingFunction{.name = (k == 0 ? "x1 = " : "x2 = ") + std::to_string(static_cast<int>(level)),
                             .value = [=](double, ConstVectorRef x) { return x[k] - level; },
                             .gradient = [=](double, ConstVectorRef, VectorRef gradient) { gradient[k] = 1.0; }};
  };
  FilippovSystem system{.x0 = {x1, x2},
                        .switches = {plane(0, 4.0), plane(0, 8.0), plane(1, 4.0), plane(1, 8.0)},
                        .meaning = FilippovMeaning::MultiAffine};
  for (const int a : {-1, 1})
    for (const int b : {-1, 1})
      for (const int c : {-1, 1})
        for (const int d : {-1, 1}) {
          const double made1 = c > 0 && b < 0 ? kRate : 0.0, made2 = a > 0 && d < 0 ? kRate : 0.0;
          system.regions.push_back({.signs = {a, b, c, d}, .f = [=](double, ConstVectorRef x, VectorRef f) {
                                      f << made1 - kDecay1 * x[0], made2 - kDecay2 * x[1];
                                    }});
        }
  return system;
}

// A way by events: x, the switches, how it ended.
struct Run {
  std::vector<double> x1{}, x2{}, switches{};
  Eigen::VectorXd end{}, alpha{};
  RunReport report{};
  std::size_t alternatives = 0;
};

Run run(double x1, double x2, double T) {
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, network(x1, x2));
  EventDriven simulation(model);
  Run result;
  const auto keep = [&](const State& state) {
    result.x1.push_back(state.x(handles.system)[0]);
    result.x2.push_back(state.x(handles.system)[1]);
    return true;
  };
  result.report = simulation.advance_to(T, EventDrivenObserver{.output = keep, .output_step = 2e-3});
  for (const Event& event : simulation.events())
    if (event.kind == EventKind::Switch) result.switches.push_back(event.t);
  result.end = simulation.state().x(handles.system);
  result.alpha = simulation.state().lambda(handles.fields);
  result.alternatives = simulation.alternatives().size();
  return result;
}

int example(const Arguments& arguments) {
  const double T = 1.0, top1 = kRate / kDecay1, top2 = kRate / kDecay2;
  Bounds bounds;

  // 1. From (1, 6): past x1 = 4, onto x2 = 8 along it, onto x1 = 8, and both rest at the crossing of their planes.
  const Run rises = run(1.0, 6.0, T);
  const double at_4 = std::log((top1 - 1.0) / (top1 - 4.0)) / kDecay1, then = 6.0 * std::exp(-kDecay2 * at_4);
  const double onto2 = at_4 + std::log((top2 - then) / (top2 - 8.0)) / kDecay2;
  const double onto1 = std::log((top1 - 1.0) / (top1 - 8.0)) / kDecay1;
  bounds.near("from (1, 6): switches", static_cast<double>(rises.switches.size()), 3.0, 0.0);
  const std::vector<double> instants{at_4, onto2, onto1};
  for (std::size_t k = 0; k < std::min(instants.size(), rises.switches.size()); ++k)
    bounds.near("    at", rises.switches[k], instants[k], 1e-11);
  bounds.near("    ends at (8, 8)", (rises.end - Eigen::Vector2d(8.0, 8.0)).norm(), 0.0, 1e-14);
  bounds.near("    alpha of x1 = 8", rises.alpha[1], 1.0 - 8.0 * kDecay1 / kRate, 1e-9);
  bounds.near("    alpha of x2 = 8", rises.alpha[3], 1.0 - 8.0 * kDecay2 / kRate, 1e-9);

  // 2. From above: x1 decays onto 8 and slides there while x2 rises, without x1 being asked.
  const Run falls = run(9.5, 5.0, T);
  bounds.near("from (9.5, 5): onto x1 = 8 at", falls.switches.empty() ? 0.0 : falls.switches.front(),
              std::log(9.5 / 8.0) / kDecay1, 1e-11);
  bounds.near("    ends at (8, 8)", (falls.end - Eigen::Vector2d(8.0, 8.0)).norm(), 0.0, 1e-14);

  // 3. Below both, or one that comes too late: neither is made any more.
  const Run dies = run(1.0, 3.0, T), late = run(5.0, 2.0, T);
  bounds.near("from (1, 3): x1 at the end", dies.end[0], std::exp(-kDecay1 * T), 1e-10);
  bounds.near("    x2", dies.end[1], 3.0 * std::exp(-kDecay2 * T), 1e-10);
  bounds.near("from (5, 2): x1 at the end", late.end[0], 5.0 * std::exp(-kDecay1 * T), 1e-10);
  const Run just = run(6.0, 2.0, T);  // x2 passes 4 before x1 does
  bounds.near("from (6, 2): ends at (8, 8)", (just.end - Eigen::Vector2d(8.0, 8.0)).norm(), 0.0, 1e-14);

  // 4. From the crossing of the lower planes all of that may follow: to rise, to die out, or to stay.
  const Run divides = run(4.0, 4.0, T);
  std::cout << "from (4, 4): " << divides.report.message() << '\n';
  bounds.near("from (4, 4): motions", static_cast<double>(divides.alternatives), 3.0, 0.0);

  // 5. Elements with switch detection have the same.
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, network(1.0, 6.0));
  FiniteElementStepping elements(model, {.step = 0.05, .stages = 4});
  const auto report = elements.advance_to(0.9 * onto1);
  const Eigen::Vector2d there(top1 - (top1 - 1.0) * std::exp(-kDecay1 * 0.9 * onto1), 8.0);
  bounds.near("elements, sliding on x2 = 8", (elements.state().x(handles.system) - there).norm(), 0.0, 1e-8);

  if (arguments.pictures()) {
    Panel plane;
    plane.x = {.label = "x_1", .low = 0.0, .high = 10.0};
    plane.y = {.label = "x_2", .low = 0.0, .high = 10.0};
    for (const double level : {4.0, 8.0}) {
      plane.series.push_back({.x = {level, level}, .y = {0.0, 10.0}, .style = Series::Style::Guide});
      plane.series.push_back({.x = {0.0, 10.0}, .y = {level, level}, .style = Series::Style::Guide});
    }
    const auto add = [&](const Run& way, const std::string& label) {
      plane.series.push_back({.x = way.x1, .y = way.x2, .label = label});
    };
    add(rises, "from (1, 6)");
    add(falls, "from (9.5, 5)");
    add(just, "from (6, 2)");
    add(late, "from (5, 2)");
    add(dies, "from (1, 3)");
    plane.series.push_back(
        {.x = {4.0}, .y = {4.0}, .label = "not determined from here", .style = Series::Style::Markers});
    const Figure figure{.title = "Two genes on their switching planes", .panels = {plane}, .width = 700, .height = 700};
    std::cout << draw(figure, *arguments.pictures() / "gene_planes").message() << '\n';
  }
  std::cout << bounds.report();
  return report && rises.report && falls.report && dies.report && late.report && just.report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
