// SPDX-License-Identifier: Apache-2.0
// Fields that switch on two surfaces, x = 0 and y = 0 (dimensionless): where x slides, where it rests, and where its
// motion is not determined.
//
//   (a)  x' = -s1 + 2 s2, y' = -2 s1 - s2, s1 in Sgn x, s2 in Sgn y: a spiral of straight lines, d(|x| + |y|)/dt = -2,
//        at rest after infinitely many switches.
//   (b)  x' = 1/2 - s1, y' = -1 - 2 s2: each sign slides by itself, along one axis and then at the crossing.
//   (c)  x' = -2 where x > y, 2 where x < y; y' = 1.5 and -3. With one switching function the hull of both fields has
//   one
//        x' on the diagonal, -6/17. With a switch for each equation every x' = y' from -2 to 1.5 stays there.
#include <algorithm>
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include "picture.hpp"
using namespace nonsmooth;

SwitchingFunction axis(Index k) {
  return {.name = k == 0 ? "x" : "y",
          .value = [k](double, ConstVectorRef x) { return x[k]; },
          .gradient = [k](double, ConstVectorRef, VectorRef gradient) { gradient[k] = 1.0; }};
}

SwitchingFunction diagonal() {
  return {.name = "x - y",
          .value = [](double, ConstVectorRef x) { return x[0] - x[1]; },
          .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient << 1.0, -1.0; }};
}

FilippovRegion region(std::vector<int> signs, double x, double y) {
  return {.signs = std::move(signs), .f = [=](double, ConstVectorRef, VectorRef f) { f << x, y; }};
}

FilippovSystem on_axes(const Field& field, double x, double y) {
  FilippovSystem system{.x0 = {x, y}, .switches = {axis(0), axis(1)}};
  for (const int s1 : {1, -1})
    for (const int s2 : {1, -1}) {
      const auto [dx, dy] = field(s1, s2);
      system.regions.push_back(region({s1, s2}, dx, dy));
    }
  return system;
}

FilippovSystem on_the_diagonal(bool one_switch) {
  FilippovSystem system{.x0 = {1.5, 1.0}, .switches = {diagonal()}};
  if (one_switch) {
    system.regions = {region({1}, -2.0, 1.5), region({-1}, 2.0, -3.0)};
  } else {
    system.switches.push_back(diagonal());
    system.regions = {region({1, 1}, -2.0, 1.5), region({1, -1}, -2.0, -3.0), region({-1, 1}, 2.0, 1.5),
                      region({-1, -1}, 2.0, -3.0)};
  }
  return system;
}

// The way of a system by events, and what ended it.
struct Run {
  Way way;
  RunReport report;
  std::vector<double> switches;
  std::vector<OtherMotion> alternatives;
};

Run run(const FilippovSystem& description, double T, EventDrivenOptions options = {}) {
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, description);
  EventDriven simulation(model, std::move(options));
  Run result;
  const auto keep = [&](const State& state) {
    result.way.x.push_back(state.x(handles.system)[0]);
    result.way.y.push_back(state.x(handles.system)[1]);
  };
  keep(simulation.state());
  result.report = simulation.advance_to(T, keep);
  keep(simulation.state());
  for (const Event& event : simulation.events())
    if (event.kind == EventKind::Switch) result.switches.push_back(event.t);
  result.alternatives = simulation.alternatives();
  return result;
}

int example(const Arguments& arguments) {
  const Field spiral = [](double s1, double s2) { return std::pair{-s1 + 2.0 * s2, -2.0 * s1 - s2}; };
  const Field apart = [](double s1, double s2) { return std::pair{0.5 - s1, -1.0 - 2.0 * s2}; };
  Bounds bounds;

  // (a) Followed until |x| is 1e-12 of its largest; there x rests on both axes.
  std::vector<Way> spirals, slides, diagonals;
  for (const auto& [x, y] : {std::pair{0.9, 0.3}, {-0.6, 0.8}}) {
    const Run one = run(on_axes(spiral, x, y), 2.0);
    const double end = 0.5 * (std::abs(x) + std::abs(y));
    bounds.near("(a) rests from", one.switches.empty() ? 0.0 : one.switches.back(), end, 1e-9);
    bounds.near("    at |x| + |y|", std::abs(one.way.x.back()) + std::abs(one.way.y.back()), 0.0, 0.0);
    spirals.push_back(one.way);
  }

  // (b) x falls at 1/2 or rises at 3/2, y falls at 3 or rises at 1, each to its axis.
  for (const auto& [x, y] : {std::pair{0.5, 0.9}, {-0.9, -0.5}, {0.3, -0.9}, {-0.9, 0.9}}) {
    const Run one = run(on_axes(apart, x, y), 2.0);
    const double to_x = x > 0.0 ? 2.0 * x : -x / 1.5, to_y = y > 0.0 ? y / 3.0 : -y;
    bounds.near("(b) rests from", one.switches.empty() ? 0.0 : one.switches.back(), std::max(to_x, to_y), 1e-12);
    slides.push_back(one.way);
  }

  // (c) At the diagonal after 1/7, at 1.5 - 2/7.
  const Run hull = run(on_the_diagonal(true), 1.0), stopped = run(on_the_diagonal(false), 1.0);
  bounds.near("(c) one switch: x at t = 1", hull.way.x.back(), 1.5 - 2.0 / 7.0 - 6.0 / 17.0 * 6.0 / 7.0, 1e-12);
  std::cout << "(c) two switches: " << stopped.report.message() << '\n';
  bounds.near("    two switches: stops at", stopped.report.t, 1.0 / 7.0, 1e-12);
  double least = 0.0, most = 0.0;
  for (const OtherMotion& motion : stopped.alternatives) {
    least = std::min(least, motion.rates[0]);
    most = std::max(most, motion.rates[0]);
  }
  bounds.near("    the least x' that stays", least, -2.0, 1e-12);
  bounds.near("    the largest", most, 1.5, 1e-12);
  diagonals.push_back(hull.way);
  for (const double rate : {-2.0, 1.5}) {
    const auto choose = [rate](const std::vector<OtherMotion>& motions) {
      const auto nearer = [rate](const OtherMotion& a, const OtherMotion& b) {
        return std::abs(a.rates[0] - rate) < std::abs(b.rates[0] - rate);
      };
      return static_cast<Index>(std::min_element(motions.begin(), motions.end(), nearer) - motions.begin());
    };
    const Run one = run(on_the_diagonal(false), 1.0, {.on_ambiguity = OnAmbiguity::Choose, .choose = choose});
    bounds.near("    chosen: x at t = 1", one.way.x.back(), 1.5 - 2.0 / 7.0 + rate * 6.0 / 7.0, 1e-12);
    diagonals.push_back(one.way);
  }

  if (arguments.pictures()) {
    const Field sides = [](double s1, double) { return s1 > 0.0 ? std::pair{-2.0, 1.5} : std::pair{2.0, -3.0}; };
    std::cout
        << picture(spiral, spirals, apart, slides, sides, diagonals, *arguments.pictures() / "two_surfaces").message()
        << '\n';
  }
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
