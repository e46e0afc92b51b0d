// SPDX-License-Identifier: Apache-2.0
// Bifurcations that smooth planar systems do not have (dimensionless), each of a field above the line y = c and one
// below.
//
//   (a)  Grazing-sliding. Below: r' = r (1 - r^2), angle' = 1, with the limit cycle r = 1; above: (-1/2, -1). At c = 1
//        the cycle touches the line; for c < 1 it slides along it and leaves where y' = x + c (1 - x^2 - c^2) = 0.
//   (b)  Pseudo-equilibria. (x^2 - m, -1) above, (x^2 - m, 1) below: on y = 0 x' = x^2 - m, where no field is zero. A
//        node at -sqrt m and a saddle at sqrt m, which meet at m = 0.
//   (c)  Two folds. (1, b - x) above, (-1, -x) below: parabolas that come back to y = 0. A turn takes x = -a to -(a + 2
//        b). Between the folds x = 0 and x = b the line attracts for b < 0, repels for b > 0; a node at b / 2 becomes
//        one that nothing reaches.
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include "picture.hpp"
using namespace nonsmooth;

FilippovSystem above_and_below(double c, const Field& above, const Field& below, double x, double y) {
  const auto region = [](int sign, const Field& field) {
    return FilippovRegion{.signs = {sign}, .f = [field](double, ConstVectorRef at, VectorRef f) {
                            const auto [dx, dy] = field(at[0], at[1]);
                            f << dx, dy;
                          }};
  };
  return {.x0 = {x, y},
          .switches = {{.name = "line",
                        .value = [c](double, ConstVectorRef at) { return at[1] - c; },
                        .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient << 0.0, 1.0; }}},
          .regions = {region(1, above), region(-1, below)}};
}

// A way by events, its switches, and how it ended.
struct Run {
  Way way;
  RunReport report;
  std::vector<Event> switches;
  std::vector<OtherMotion> alternatives;
};

Run run(const FilippovSystem& description, double T) {
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, description);
  EventDriven simulation(model);
  Run result;
  const auto keep = [&](const State& state) {
    result.way.x.push_back(state.x(handles.system)[0]);
    result.way.y.push_back(state.x(handles.system)[1]);
    return true;
  };
  result.report = simulation.advance_to(T, EventDrivenObserver{.output = keep, .output_step = 0.01});
  for (const Event& event : simulation.events())
    if (event.kind == EventKind::Switch) result.switches.push_back(event);
  result.alternatives = simulation.alternatives();
  return result;
}

int example(const Arguments& arguments) {
  Bounds bounds;

  // (a) Two turns from the cycle's lowest point: it touches no line at 1.2; at 0.8 it enters, slides, leaves.
  const Field round = [](double x, double y) {
    const double growth = 1.0 - x * x - y * y;
    return std::pair{growth * x - y, growth * y + x};
  };
  const Field down = [](double, double) { return std::pair{-0.5, -1.0}; };
  const Run free = run(above_and_below(1.2, down, round, 0.0, -1.0), 12.0);
  const Run cut = run(above_and_below(0.8, down, round, 0.0, -1.0), 12.0);
  bounds.near("(a) c = 1.2: switches", static_cast<double>(free.switches.size()), 0.0, 0.0);
  bounds.near("    r after two turns", std::hypot(free.way.x.back(), free.way.y.back()), 1.0, 1e-9);
  bounds.near("    c = 0.8: switches in two turns", static_cast<double>(cut.switches.size()), 4.0, 0.0);
  // x + c (1 - c^2 - x^2) = 0 from below: the cycle leaves the line there, whatever it did before.
  const double c = 0.8, leaves = (1.0 - std::sqrt(1.0 + 4.0 * c * c * (1.0 - c * c))) / (2.0 * c);
  double last = 0.0;  // the place furthest to the left on the line
  for (std::size_t i = 0; i < cut.way.x.size(); ++i)
    if (std::abs(cut.way.y[i] - c) < 1e-12) last = std::fmin(last, cut.way.x[i]);
  bounds.within("    leaves the line at", last, leaves - 1e-9, leaves + 0.01);  // a way of 0.01 s a point

  // (b) Sliding ways run to the node; one that starts beyond the saddle runs away. x' = x^2 - m in closed form.
  const double m = 0.25, root = std::sqrt(m);
  const Field sink = [m](double x, double) { return std::pair{x * x - m, -1.0}; };
  const Field source = [m](double x, double) { return std::pair{x * x - m, 1.0}; };
  std::vector<Way> slides;
  std::vector<RunReport> reports{free.report, cut.report};
  for (const double x0 : {-1.0, 0.0, 0.45, 0.55})
    for (const double y0 : {-0.6, 0.6}) {
      const double T = x0 > root ? 2.0 : 6.0;
      const Run one = run(above_and_below(0.0, sink, source, x0, y0), T);
      const double ratio = (x0 - root) / (x0 + root) * std::exp(2.0 * root * T);
      bounds.near("(b) x at the end", one.way.x.back(), root * (1.0 + ratio) / (1.0 - ratio), 1e-8);
      bounds.near("    y", one.way.y.back(), 0.0, 1e-14);
      slides.push_back(one.way);
      reports.push_back(one.report);
    }

  // (c) b = -0.2: each turn is 0.4 shorter, until it ends between the folds and slides to b / 2.
  const auto folds = [](double b, double x, double y, double T) {
    return run(above_and_below(
                   0.0,
                   [b](double at, double) {
                     return std::pair{1.0, b - at};
                   },
                   [](double at, double) {
                     return std::pair{-1.0, -at};
                   },
                   x, y),
               T);
  };
  const double b = -0.2;
  const Run inwards = folds(b, 0.0, 0.5, 12.0), outwards = folds(-b, 0.0, 0.1, 6.0);
  reports.insert(reports.end(), {inwards.report, outwards.report});
  bounds.near("(c) b < 0: x at the end", inwards.way.x.back(), 0.5 * b, 1e-8);
  bounds.near("    y", inwards.way.y.back(), 0.0, 1e-14);
  const double first = -b + std::sqrt(b * b + 2.0 * 0.1);  // b > 0: each landing is 0.4 further out, with speed 1
  bounds.near("    b > 0: x at the end", outwards.way.x.back(), 6.0 * first - 4.0 * b - 6.0, 1e-9);
  const Run nowhere = folds(-b, -0.5 * b, 0.0, 1.0);  // on the line that repels: up, down, or to stay
  std::cout << "(c) b > 0, from between the folds: " << nowhere.report.message() << '\n';
  bounds.near("    motions from there", static_cast<double>(nowhere.alternatives.size()), 3.0, 0.0);

  if (arguments.pictures())
    std::cout << picture({free.way, cut.way}, slides, {inwards.way, outwards.way},
                         *arguments.pictures() / "filippov_bifurcations")
                     .message()
              << '\n';
  bool done = true;  // all runs but the one that is to stop
  for (const RunReport& report : reports) {
    if (!report) std::cerr << report.message() << '\n';
    done = done && static_cast<bool>(report);
  }
  std::cout << bounds.report();
  return done && !nowhere.report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
