// SPDX-License-Identifier: Apache-2.0
// Four models with switches and sliding (tests/problems/filippov_cards.hpp) by every method: the largest error at ten
// instants, against calls of right-hand sides (fields and their Jacobians alike) and against time.
//
//     bench_work_precision                          # tables, two minutes
//     bench_work_precision --picture=docs/work_precision
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <benchmarks/picture_argument.hpp>
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
#include <problems/filippov_cards.hpp>
#include <problems/first_order.hpp>
#include <problems/models.hpp>

#include "timing.hpp"

namespace nonsmooth {
namespace {

using problems::FilippovCard;

/// The largest error of a run, and how often it called a field or a Jacobian; nothing where it did not end.
struct Run {
  double error = 0.0;
  Index calls = 0;
};
using Runner = std::function<std::optional<Run>()>;

/// A method at one accuracy: a step or tolerance.
struct Point {
  std::string setting;
  Runner run;
};

struct Method {
  std::string name;
  std::vector<Point> points;
};

/// The system, its fields and Jacobians counted in `calls`.
FilippovSystem counted(FilippovSystem system, Index* calls) {
  for (FilippovRegion& region : system.regions) {
    region.f = [f = region.f, calls](double t, ConstVectorRef x, VectorRef value) {
      ++*calls;
      f(t, x, value);
    };
    region.f_dx = [f_dx = region.f_dx, calls](double t, ConstVectorRef x, MatrixRef value) {
      ++*calls;
      f_dx(t, x, value);
    };
  }
  return system;
}

/// advance(t) and x() at the instants of a card; nothing where a run ends too early.
template <class Advance, class X>
std::optional<double> largest_error(const FilippovCard& card, const Advance& advance, const X& x) {
  double error = 0.0;
  for (std::size_t i = 0; i < card.instants.size(); ++i) {
    if (!advance(card.instants[i])) return std::nullopt;
    error = std::fmax(error, (x() - card.exact[i]).template lpNorm<Eigen::Infinity>());
  }
  return error;
}

template <class S, class Options>
Point point(const FilippovCard& card, std::string setting, Options options) {
  return {std::move(setting), [&card, options]() -> std::optional<Run> {
            Run run;
            NonSmoothDynamicalSystem model;
            const FilippovHandles handles = link_filippov(model, counted(card.system, &run.calls));
            S simulation(model, options);
            const auto error = largest_error(
                card, [&](double t) { return simulation.advance_to(t).ok(); },
                [&]() -> Eigen::VectorXd { return simulation.state().x(handles.system); });
            if (!error) return std::nullopt;
            run.error = *error;
            return run;
          }};
}

double step_of(const FilippovCard& card, Index between) { return card.instants.front() / static_cast<double>(between); }

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.0e", value);
  return buffer;
}

Method elements(const FilippovCard& card, FiniteElementFamily family, Index stages) {
  Method method{(family == FiniteElementFamily::RadauIIA ? "Radau " : "Gauss ") + std::to_string(stages), {}};
  for (const Index between : {1, 2, 4, 8, 16, 32, 64, 128})
    method.points.push_back(point<FiniteElementStepping>(
        card, std::to_string(between),
        FiniteElementOptions{.step = step_of(card, between), .family = family, .stages = stages}));
  return method;
}

Method by_events(const FilippovCard& card, const std::string& name, const SmoothIntegrator& integrator) {
  Method method{name, {}};
  for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12})
    method.points.push_back(point<EventDriven>(
        card, text(tolerance),
        EventDrivenOptions{
            .integrator = integrator, .relative_tolerance = tolerance, .absolute_tolerance = 1e-2 * tolerance}));
  return method;
}

Method by_steps(const FilippovCard& card) {
  Method method{"implicit Euler", {}};
  for (const Index between : {10, 100, 1000, 10000})
    method.points.push_back(point<TimeStepping>(
        card, std::to_string(between),
        TimeSteppingOptions{.integrator = EulerMoreau{.theta = 1.0}, .step = step_of(card, between)}));
  return method;
}

/// The card's own model, a relation with relays, by its own weight theta. A step or one of its iterations counts one.
Method by_relays(const FilippovCard& card, const std::function<problems::Model()>& make) {
  Method method{"relays, the card's theta", {}};
  for (const Index between : {10, 100, 1000, 10000})
    method.points.push_back({std::to_string(between), [&card, make, between]() -> std::optional<Run> {
                               problems::Model m = make();
                               m.options.step = step_of(card, between);
                               TimeStepping simulation(m.system, m.options);
                               Run run;
                               const auto error = largest_error(
                                   card,
                                   [&](double t) {
                                     const RunReport report = simulation.advance_to(t);
                                     run.calls += std::max(report.steps, report.newton_iterations);
                                     return report.ok();
                                   },
                                   [&]() -> Eigen::VectorXd { return simulation.state().x(m.bodies[0]); });
                               if (!error) return std::nullopt;
                               run.error = *error;
                               return run;
                             }});
  return method;
}

Method by_smoothing(const FilippovCard& card) {
  Method method{"smoothed, RadauIIA", {}};
  for (const double width : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
    method.points.push_back({text(width), [&card, width]() -> std::optional<Run> {
                               Run run;
                               NonSmoothDynamicalSystem model;
                               const SystemHandle system =
                                   model.add(problems::smoothed(counted(card.system, &run.calls), width));
                               EventDriven simulation(model, {.integrator = RadauIIA{},
                                                              .relative_tolerance = 1e-2 * width,
                                                              .absolute_tolerance = 1e-3 * width});
                               const auto error = largest_error(
                                   card, [&](double t) { return simulation.advance_to(t).ok(); },
                                   [&]() -> Eigen::VectorXd { return simulation.state().x(system); });
                               if (!error) return std::nullopt;
                               run.error = *error;
                               return run;
                             }});
  return method;
}

Method by_sliding_band(const FilippovCard& card) {
  Method method{"sliding band, RK4", {}};
  for (const Index between : {10, 100, 1000, 10000})
    method.points.push_back({std::to_string(between), [&card, between]() -> std::optional<Run> {
                               Run run;
                               problems::SwitchedModel model(counted(card.system, &run.calls), step_of(card, between));
                               Eigen::VectorXd x;
                               const auto error = largest_error(
                                   card,
                                   [&](double) {
                                     x = model.advance(between);
                                     return x.allFinite();
                                   },
                                   [&] { return x; });
                               if (!error) return std::nullopt;
                               run.error = *error;
                               return run;
                             }});
  return method;
}

std::vector<Method> methods(const FilippovCard& card, const std::function<problems::Model()>& relays) {
  std::vector<Method> list;
  for (const FiniteElementFamily family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre})
    for (Index s = 1; s <= 4; ++s) list.push_back(elements(card, family, s));
  list.push_back(by_events(card, "events, DormandPrince 8", DormandPrince{}));
  list.push_back(by_events(card, "events, RadauIIA", RadauIIA{}));
  list.push_back(by_steps(card));
  list.push_back(by_relays(card, relays));
  list.push_back(by_smoothing(card));
  list.push_back(by_sliding_band(card));
  return list;
}

/// Errors of round-off are drawn where one sees that they are: at 1e-17.
constexpr double kFloor = 1e-17;

Figure measure() {
  Figure figure{.title = "Largest error of four models, by calls of right-hand sides and by time",
                .width = 1500,
                .height = 2400,
                .columns = 2};
  const std::vector<FilippovCard> cards = problems::filippov_cards();
  const std::vector<std::function<problems::Model()>> relays{problems::simple_relay, problems::relay_oscillator,
                                                             problems::unfolded_ball, problems::gene_network};
  for (std::size_t k = 0; k < cards.size(); ++k) {
    Panel calls, times;
    calls.x.label = "calls of fields and Jacobians";
    times.x.label = "time [us]";
    for (Panel* panel : {&calls, &times}) {
      panel->y.label = cards[k].name + ": error";
      panel->x.logarithmic = panel->y.logarithmic = true;
    }
    std::printf("\n%s\n\n| method | setting | error | calls | us |\n| :--- | ---: | ---: | ---: | ---: |\n",
                cards[k].name.c_str());
    for (const Method& method : methods(cards[k], relays[k])) {
      Series by_calls{.label = method.name}, by_time{.label = method.name};
      for (const Point& one : method.points) {
        const std::optional<Run> run = one.run();
        if (!run) {
          std::printf("| %s | %s | does not end | | |\n", method.name.c_str(), one.setting.c_str());
          continue;
        }
        const double microseconds = 1e6 * benchmarks::time_of([&] { one.run(); });
        std::printf("| %s | %s | %.1e | %ld | %.0f |\n", method.name.c_str(), one.setting.c_str(), run->error,
                    static_cast<long>(run->calls), microseconds);
        std::fflush(stdout);
        by_calls.x.push_back(static_cast<double>(run->calls));
        by_time.x.push_back(microseconds);
        by_calls.y.push_back(std::fmax(run->error, kFloor));
        by_time.y.push_back(by_calls.y.back());
      }
      if (by_calls.x.empty()) continue;
      calls.series.push_back(by_calls);
      times.series.push_back(by_time);
    }
    figure.panels.push_back(calls);
    figure.panels.push_back(times);
  }
  return figure;
}

}  // namespace
}  // namespace nonsmooth

int main(int argc, char** argv) {
  std::vector<std::string> names;
  for (const auto& card : nonsmooth::problems::filippov_cards()) names.push_back(card.name);
  const auto [ends, picture] = nonsmooth::benchmarks::picture_argument(argc, argv, names);
  if (ends) return *ends;
  const nonsmooth::Figure figure = nonsmooth::measure();
  if (!picture.empty()) std::printf("%s\n", nonsmooth::draw(figure, picture).message().c_str());
}
