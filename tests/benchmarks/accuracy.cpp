// SPDX-License-Identifier: Apache-2.0
// What comes of an accuracy: five motions with impacts or switches (tests/problems/accuracy_cards.hpp) by
// AdaptiveTimeStepping over five decades, and by fixed steps, against the same motions by events.
//
// Then each by every scheme that takes it, over the same decades, with a picture PATH_schemes of their own.
//
//     bench_accuracy                              # tables, a minute
//     bench_accuracy --picture=docs/accuracy
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <benchmarks/picture_argument.hpp>
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
#include <problems/accuracy_cards.hpp>

#include "timing.hpp"

namespace nonsmooth {
namespace {

using problems::AccuracyCard;
using problems::GlobalError;

constexpr int kDecades = 5;

/// Of this thread, as what else the machine does is no cost of a run: the median of five [s].
template <class Run>
double cpu_time_of(const Run& run) {
  std::vector<double> times;
  for (int k = 0; k < 5; ++k) {
    const double start = benchmarks::cpu_seconds();
    run();
    times.push_back(benchmarks::cpu_seconds() - start);
  }
  return benchmarks::median(times);
}

/// The table and the two panels of a card: error over what was asked, and over CPU time, beside fixed steps.
void measure(const AccuracyCard& card, Figure& figure) {
  std::printf("\n%s\n\n| asked | error | over asked | steps | made again | at events | shortest | longest | CPU ms |\n",
              card.name.c_str());
  std::printf("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  Series asked{.label = "asked", .style = Series::Style::Guide}, got{.label = "by an accuracy"},
      by_time{.label = "by an accuracy"}, fixed{.label = "fixed steps"};
  for (int k = 1; k <= kDecades; ++k) {
    const double eps = std::pow(10.0, -k);
    const AdaptiveOptions options = card.asking(eps);
    const GlobalError error = problems::global_error(card, options);
    if (!error.ok) {
      std::printf("| %.0e | does not end: %s |\n", eps, error.message.c_str());
      continue;
    }
    const double seconds = cpu_time_of([&] {
      AdaptiveOptions repaired = options;
      repaired.stepping.repair_initial_state = true;
      AdaptiveTimeStepping run(card.model, repaired);
      (void)run.advance_to(card.T);
    });
    const AdaptiveSteps& steps = error.steps;
    std::printf("| %.0e | %.1e | %.2f | %ld | %ld | %ld | %.1e | %.1e | %.2f |\n", eps, error.worst(),
                error.worst() / eps, static_cast<long>(steps.taken), static_cast<long>(steps.rejected),
                static_cast<long>(steps.with_events), steps.shortest, steps.longest, 1e3 * seconds);
    std::fflush(stdout);
    asked.x.push_back(eps), asked.y.push_back(eps);
    got.x.push_back(eps), got.y.push_back(error.worst());
    by_time.x.push_back(1e3 * seconds), by_time.y.push_back(error.worst());
  }
  std::printf("\n| fixed step | error | CPU ms |\n| ---: | ---: | ---: |\n");
  for (int k = 1; k <= 11; k += 2) {
    const double h = std::ldexp(card.longest, -k);
    const GlobalError error = problems::global_error(card, h);
    if (!error.ok) continue;
    TimeSteppingOptions options = card.asking(1.0).stepping;
    options.step = h;
    options.repair_initial_state = true;
    const double seconds = cpu_time_of([&] {
      TimeStepping run(card.model, options);
      (void)run.advance_to(card.T);
    });
    std::printf("| %.1e | %.1e | %.2f |\n", h, error.worst(), 1e3 * seconds);
    std::fflush(stdout);
    fixed.x.push_back(1e3 * seconds), fixed.y.push_back(error.worst());
  }
  Panel over_asked{.x = {.label = card.name + ": asked", .logarithmic = true},
                   .y = {.label = "error", .logarithmic = true},
                   .series = {got, asked}};
  Panel over_time{.x = {.label = "CPU time [ms]", .logarithmic = true},
                  .y = {.label = "error", .logarithmic = true},
                  .series = {by_time, fixed}};
  figure.panels.push_back(over_asked);
  figure.panels.push_back(over_time);
}

struct NamedScheme {
  const char* name;
  Integrator scheme;
};

constexpr double kLong = 2.0;      ///< [s] of CPU time: a run that takes longer is made once
constexpr double kTooLong = 15.0;  ///< [s]: a scheme that took longer is not asked for a decade more

std::vector<NamedScheme> schemes_of_mechanics() {
  return {{"MoreauJean", MoreauJean{}},
          {"D1MinusLinear", D1MinusLinear{}},
          {"GeneralisedAlpha", GeneralisedAlpha{}},
          {"ExactLinear", ExactLinear{}},
          {"StewartTrinkle", StewartTrinkle{}}};
}

std::vector<NamedScheme> schemes_of_first_order() {
  return {{"EulerMoreau", EulerMoreau{.theta = 0.5}},
          {"RungeKutta4", RungeKutta4{}},
          {"Bdf2, located", Bdf2{.locate = true}},
          {"ImplicitRadau 2, located", ImplicitRadau{.stages = 2, .locate = true}},
          {"ImplicitRadau 3, located", ImplicitRadau{.stages = 3, .locate = true}}};
}

/// A row a scheme: error over what was asked, steps and CPU time by decade; and a panel of error over CPU time.
void compare_schemes(const AccuracyCard& card, const std::vector<NamedScheme>& schemes, Figure& figure) {
  std::printf("\n%s by schemes: error / asked; steps; CPU ms\n\n| scheme |", card.name.c_str());
  for (int k = 1; k <= kDecades; ++k) std::printf(" 1e-%d |", k);
  std::printf("\n| :--- |");
  for (int k = 1; k <= kDecades; ++k) std::printf(" ---: |");
  Panel over_time{.x = {.label = card.name + ": CPU time [ms]", .logarithmic = true},
                  .y = {.label = "error", .logarithmic = true}};
  for (const NamedScheme& one : schemes) {
    AccuracyCard by = card;
    by.integrator = one.scheme;
    std::printf("\n| %s |", one.name);
    double took = 0.0;
    Series series{.label = one.name};
    for (int k = 1; k <= kDecades; ++k) {
      if (took > kTooLong) {
        std::printf(" too long |");
        continue;
      }
      const double eps = std::pow(10.0, -k);
      AdaptiveOptions options = by.asking(eps);
      options.stepping.repair_initial_state = true;
      try {
        const double start = benchmarks::cpu_seconds();
        const GlobalError error = problems::global_error(by, options);
        took = benchmarks::cpu_seconds() - start;
        if (took <= kLong) {
          took = cpu_time_of([&] {
            AdaptiveTimeStepping run(by.model, options);
            (void)run.advance_to(by.T);
          });
        }
        if (error.ok) {
          std::printf(" %.2f; %ld; %.1f |", error.worst() / eps, static_cast<long>(error.steps.taken), 1e3 * took);
          series.x.push_back(1e3 * took), series.y.push_back(error.worst());
        } else {
          std::printf(" does not end |");
        }
      } catch (const InvalidArgument&) {
        std::printf(" refused |");
      }
      std::fflush(stdout);
    }
    if (!series.x.empty()) over_time.series.push_back(series);
  }
  std::printf("\n");
  figure.panels.push_back(over_time);
}

}  // namespace
}  // namespace nonsmooth

int main(int argc, char** argv) {
  std::vector<std::string> names;
  for (const auto& card : nonsmooth::problems::accuracy_cards()) names.push_back(card.name);
  const auto [ends, picture] = nonsmooth::benchmarks::picture_argument(argc, argv, names);
  if (ends) return *ends;
  nonsmooth::Figure figure{.title = "Errors by an accuracy: over what was asked, and over CPU time",
                           .width = 1100,
                           .height = 1900,
                           .columns = 2};
  for (const auto& card : nonsmooth::problems::accuracy_cards()) nonsmooth::measure(card, figure);
  nonsmooth::Figure schemes{.title = "Errors over CPU time, by schemes", .width = 1100, .height = 1150, .columns = 2};
  for (const auto& card :
       {nonsmooth::problems::ball_card(), nonsmooth::problems::woodpecker_card(), nonsmooth::problems::beam_card()})
    nonsmooth::compare_schemes(card, nonsmooth::schemes_of_mechanics(), schemes);
  for (const auto& card : {nonsmooth::problems::friction_oscillator_card(), nonsmooth::problems::buck_card()})
    nonsmooth::compare_schemes(card, nonsmooth::schemes_of_first_order(), schemes);
  if (picture.empty()) return 0;
  std::printf("%s\n", nonsmooth::draw(figure, picture).message().c_str());
  std::printf("%s\n", nonsmooth::draw(schemes, picture + "_schemes").message().c_str());
}
