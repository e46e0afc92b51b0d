// SPDX-License-Identifier: Apache-2.0
// How accurate a motion through switches is for its cost: elements with switch detection, events and implicit steps.
//
//     bench_switch_detection             # the tables of docs/benchmarks.md, a minute
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

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

/// Median seconds of a run, of at least five and a tenth of a second.
double seconds_of(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  double total = 0.0;
  while (times.size() < 5 || (total < 0.1 && times.size() < 1000)) {
    const auto start = Clock::now();
    run();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total += times.back();
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
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
  const double seconds = seconds_of([&] {
    S simulation(model, options);
    const RunReport report = simulation.advance_to(motion.T);
    error = report ? (simulation.state().x(handles.system) - motion.end).norm() : std::nan("");
  });
  return {error, seconds};
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
  if (argc > 1 && std::strcmp(argv[1], "--benchmark_list_tests") == 0) {
    for (const nonsmooth::Motion& motion : nonsmooth::motions()) std::printf("%s\n", motion.name);
    return 0;
  }
  nonsmooth::run();
}
