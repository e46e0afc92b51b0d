// SPDX-License-Identifier: Apache-2.0
// How accurate a motion through switches is for its cost: elements with switch detection, events and implicit steps.
//
//     bench_switch_detection             # the tables of docs/benchmarks.md, a minute
//     bench_switch_detection --picture=docs/orders_through_a_switch   # and orders at the oscillator, 1 to 100 steps
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include <benchmarks/picture_argument.hpp>
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

#include "timing.hpp"

namespace nonsmooth {
namespace {

using namespace filippov_systems;

struct Motion {
  const char* name;
  FilippovSystem system;
  double T;
  Eigen::VectorXd end;  // at T, in closed form
};

std::vector<Motion> motions() {
  const double pi = std::numbers::pi, T = 0.5 * pi, angle = 2.0 * pi * (T - 2.0);
  std::vector<Motion> list;
  list.push_back({"crossing: oscillator to pi/2", oscillator(), T,
                  std::exp(T - 1.0) * Eigen::Vector2d(std::cos(angle), std::sin(angle))});
  list.push_back({"sliding, entry and exit", sliding_and_exit(), 2.0, Eigen::Vector2d(0.5, std::exp(-1.75))});
  const double turned = std::log(1.5) + (2.0 - std::log(1.5)) / 3.0;
  list.push_back({"sliding on a circle", circle(1.5), 2.0, Eigen::Vector2d(std::cos(turned), std::sin(turned))});
  return list;
}

void print_row(const std::string& what, double error, double before, double ratio, double seconds) {
  if (before > 0.0 && error > 0.0) {
    std::printf("| %s | %.1e | %.1f | %.0f |\n", what.c_str(), error, std::log(before / error) / std::log(ratio),
                1e6 * seconds);
  } else {
    std::printf("| %s | %.1e | | %.0f |\n", what.c_str(), error, 1e6 * seconds);
  }
}

/// The motion by a simulation of type S: its error at T and the time that it takes.
template <class S, class Options>
std::pair<double, double> measured(const Motion& motion, const Options& options) {
  NonSmoothDynamicalSystem model;
  const FilippovHandles handles = link_filippov(model, motion.system);
  double error = 0.0;
  const double seconds = benchmarks::time_of([&] {
    S simulation(model, options);
    const RunReport report = simulation.advance_to(motion.T);
    error = report ? (simulation.state().x(handles.system) - motion.end).norm() : std::nan("");
  });
  return {error, seconds};
}

/// The methods' errors over the steps, and over the time; h^(2 s - 1), h^(2 s) behind them.
Figure orders_of(const Motion& motion) {
  std::vector<Panel> panels;
  for (const FiniteElementFamily family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre}) {
    const bool radau = family == FiniteElementFamily::RadauIIA;
    Panel by_step, by_time;
    by_step.x.label = "step h";
    by_time.x.label = "time of a run [us]";
    for (Panel* panel : {&by_step, &by_time}) {
      panel->x.logarithmic = panel->y.logarithmic = true;
      panel->y.label = std::string(radau ? "Radau IIA" : "Gauss-Legendre") + ": |x(T) - exact|";
      panel->y.low = 1e-16;
      panel->y.high = 10.0;
    }
    for (Index s = 1; s <= 4; ++s) {
      const double order = static_cast<double>(radau ? 2 * s - 1 : 2 * s);
      Series errors{.label = (radau ? "Radau " : "Gauss ") + std::to_string(s) + ", order " +
                             std::to_string(radau ? 2 * s - 1 : 2 * s)};
      Series times = errors, slope{.style = Series::Style::Guide};
      for (const int steps : {1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 57, 80, 100}) {
        const double h = motion.T / steps;
        const auto [error, seconds] =
            measured<FiniteElementStepping>(motion, FiniteElementOptions{.step = h, .family = family, .stages = s});
        errors.x.push_back(h);
        errors.y.push_back(error);
        times.x.push_back(1e6 * seconds);
        times.y.push_back(error);
      }
      // Through the error of 20 steps, down to round-off.
      for (std::size_t i = 0; i < errors.x.size(); ++i) {
        const double y = errors.y[8] * std::pow(errors.x[i] / errors.x[8], order);
        if (y < 1e-14 || y > 10.0) continue;
        slope.x.push_back(errors.x[i]);
        slope.y.push_back(y);
      }
      by_step.series.push_back(slope);
      by_step.series.push_back(errors);
      by_time.series.push_back(times);
    }
    panels.push_back(by_step);
    panels.push_back(by_time);
  }
  return {.title = "Through a switch: two elements a step, 1 to 100 steps",
          .panels = panels,
          .width = 1100,
          .height = 1000,
          .columns = 2};
}

void run() {
  const std::vector<Index> steps{1, 2, 5, 10, 20, 50, 100};
  for (const Motion& motion : motions()) {
    std::printf("\n%s\n\n| method, steps | error | order | us |\n| :--- | ---: | ---: | ---: |\n", motion.name);
    for (const FiniteElementFamily family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre}) {
      for (Index s = 1; s <= 4; ++s) {
        double before = 0.0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
          const FiniteElementOptions options{
              .step = motion.T / static_cast<double>(steps[i]), .family = family, .stages = s};
          const auto [error, seconds] = measured<FiniteElementStepping>(motion, options);
          const char* name = family == FiniteElementFamily::RadauIIA ? "Radau IIA" : "Gauss-Legendre";
          const double ratio = i > 0 ? static_cast<double>(steps[i]) / static_cast<double>(steps[i - 1]) : 1.0;
          print_row(std::string(name) + ", " + std::to_string(s) + " stages, " + std::to_string(steps[i]), error,
                    before, ratio, seconds);
          before = error;
        }
      }
    }
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      char name[64];
      std::snprintf(name, sizeof name, "events, DormandPrince, tolerance %.0e", tolerance);
      const auto [error, seconds] = measured<EventDriven>(
          motion, EventDrivenOptions{.relative_tolerance = tolerance, .absolute_tolerance = 1e-2 * tolerance});
      print_row(name, error, 0.0, 1.0, seconds);
    }
    double before = 0.0;
    for (const Index n : {100, 1000, 10000}) {
      TimeSteppingOptions options{.integrator = EulerMoreau{.theta = 1.0}, .step = motion.T / static_cast<double>(n)};
      const auto [error, seconds] = measured<TimeStepping>(motion, options);
      print_row("implicit Euler, " + std::to_string(n), error, before, 10.0, seconds);
      before = error;
    }
  }
}

}  // namespace
}  // namespace nonsmooth

int main(int argc, char** argv) {
  std::vector<std::string> names;
  for (const nonsmooth::Motion& motion : nonsmooth::motions()) names.emplace_back(motion.name);
  const auto [ends, picture] = nonsmooth::benchmarks::picture_argument(argc, argv, names);
  if (ends) return *ends;
  if (!picture.empty()) {
    const nonsmooth::Figure figure = nonsmooth::orders_of(nonsmooth::motions().front());
    std::printf("%s\n", nonsmooth::draw(figure, picture).message().c_str());
  }
  nonsmooth::run();
}
