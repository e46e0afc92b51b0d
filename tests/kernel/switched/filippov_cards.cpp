// SPDX-License-Identifier: Apache-2.0
// Four models of the validation as FilippovSystems, by every method, against their closed forms: through crossing,
// sliding on one surface and on two, entry, exit and infinitely many switches.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <nonsmooth/kernel.hpp>
#include <problems/filippov_cards.hpp>

namespace nonsmooth::filippov_cards_test {
namespace {

using problems::FilippovCard;

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// The largest error at the card's instants of a run by a simulation; infinite, and a failure, where it ends too early.
template <class S, class Options>
double error_of(const FilippovCard& card, const Options& options) {
  NonSmoothDynamicalSystem model;
  const FilippovHandles handles = link_filippov(model, card.system);
  S simulation(model, options);
  double error = 0.0;
  for (std::size_t i = 0; i < card.instants.size(); ++i) {
    const RunReport report = simulation.advance_to(card.instants[i]);
    EXPECT_TRUE(report) << card.name << ": " << report.message();
    if (!report) return std::numeric_limits<double>::infinity();
    error = std::fmax(error, (simulation.state().x(handles.system) - card.exact[i]).cwiseAbs().maxCoeff());
  }
  return error;
}

// Tolerances of 1e-10 a step; RelayOscillatorWithSliding goes round some fifteen times, and its plant by itself grows
// like exp(0.7 t): 1e-10 of each step becomes 1e-7 at most at t = 10.
TEST(FilippovCards, ByEvents) {
  for (const FilippovCard& card : problems::filippov_cards())
    EXPECT_LE(error_of<EventDriven>(card, EventDrivenOptions{}),
              card.name == "RelayOscillatorWithSliding" ? 1e-7 : 1e-9)
        << card.name;
}

// w h = 0.6 of RelayOscillatorWithSliding, the most of all: (w h / 2)^8 of four stages, over some hundred steps.
TEST(FilippovCards, ByElements) {
  for (const FilippovCard& card : problems::filippov_cards())
    for (const auto family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre})
      EXPECT_LE(error_of<FiniteElementStepping>(
                    card, FiniteElementOptions{.step = card.instants.front() / 16.0, .family = family, .stages = 4}),
                1e-7)
          << card.name;
}

// The relays without a plant: implicit steps are exact before and behind that of arrival. The others have errors of
// O(h): a switch is seen up to a step late, where x' jumps by 40 (genes) or 26 (ball), five of them in a row.
TEST(FilippovCards, BySteps) {
  const auto implicit = [](const FilippovCard& card, double h) {
    return error_of<TimeStepping>(card, TimeSteppingOptions{.integrator = EulerMoreau{.theta = 1.0}, .step = h});
  };
  const FilippovCard relays = problems::simple_relay_card();
  EXPECT_LE(implicit(relays, relays.instants.front() / 50.0), 64.0 * kEps);
  for (const FilippovCard& card : {problems::unfolded_ball_card(), problems::gene_network_card()}) {
    for (const double between : {100.0, 400.0}) {
      const double h = card.instants.front() / between, error = implicit(card, h);
      EXPECT_LE(error, 200.0 * h) << card.name;
      EXPECT_GE(error, 0.01 * h) << card.name;
    }
  }
}

// The bounces accumulate at (5 + u) / g + u / g, u = sqrt(25 + 2 g): 2 u / g times 1/3 + 1/9 + ... At the apex of one
// that is lower than the threshold, 1e-12 of what |x| was (10 and more), the ball is at the crossing: every field there
// is tangent to x_0 = 0, and no motion but rest stays. What is left out are bounces of 4 sqrt(2 1e-11 / g) = 6e-6 s at
// most. Elements, too: no alpha of the surfaces is determined there, and x' = 0 is.
TEST(FilippovCards, BallComesToRest) {
  constexpr double g = 9.81;
  const double u = std::sqrt(25.0 + 2.0 * g), rest = (5.0 + 2.0 * u) / g;
  for (const auto meaning : {FilippovMeaning::MultiAffine, FilippovMeaning::Hull}) {
    FilippovSystem ball = problems::unfolded_ball_card().system;
    ball.meaning = meaning;
    NonSmoothDynamicalSystem model;
    const FilippovHandles handles = link_filippov(model, ball);
    EventDriven simulation(model);
    const RunReport report = simulation.advance_to(10.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(simulation.state().x(handles.system).cwiseAbs().maxCoeff(), 0.0);
    EXPECT_LE(simulation.events().back().t, rest + 1e-9);
    EXPECT_GE(simulation.events().back().t, rest - 6e-6);
    FiniteElementStepping elements(model, {.step = 0.1});
    const RunReport by_elements = elements.advance_to(10.0);
    ASSERT_TRUE(by_elements) << by_elements.message();
    EXPECT_LE(elements.state().x(handles.system).cwiseAbs().maxCoeff(), 64.0 * kEps);
    // Within EventThresholds::position, 1e-10 of |x|, of the crossing: 4 sqrt(2 1e-9 / g) at most.
    EXPECT_NEAR(elements.events().back().t, rest, 6e-5);
    // A rest is followed without derivatives alone: those of what went before it have no limit there that is known.
    FiniteElementStepping sensitive(model, {.step = 0.1, .sensitivities = true});
    EXPECT_EQ(sensitive.advance_to(10.0).outcome, RunReport::Outcome::NoMode);
  }
}

// What is here for comparison only. Smoothed: off by O(width), as long as steps resolve it.
TEST(FilippovCards, SmoothedIsOffByItsWidth) {
  const FilippovCard card = problems::gene_network_card();
  const auto error = [&](double width) {
    NonSmoothDynamicalSystem model;
    const SystemHandle system = model.add(problems::smoothed(card.system, width));
    EventDriven simulation(model, {.integrator = RadauIIA{}, .relative_tolerance = 1e-8, .absolute_tolerance = 1e-8});
    double worst = 0.0;
    for (std::size_t i = 0; i < card.instants.size(); ++i) {
      EXPECT_TRUE(simulation.advance_to(card.instants[i]));
      worst = std::fmax(worst, (simulation.state().x(system) - card.exact[i]).lpNorm<Eigen::Infinity>());
    }
    return worst;
  };
  // In sliding alpha = 0.9 = (1 + tanh(c / width)) / 2: c = 1.1 width. That is the largest error.
  EXPECT_NEAR(error(1e-2), 1e-2 * std::atanh(0.8), 2e-3);
  EXPECT_NEAR(error(1e-3), 1e-3 * std::atanh(0.8), 2e-4);
}

// The band: errors of O(h), through crossing as in sliding; straight lines up to its middle are exact.
TEST(FilippovCards, SlidingBandHasErrorsOfTheStep) {
  const auto error = [](const FilippovCard& card, Index between) {
    problems::SwitchedModel model(card.system, card.instants.front() / static_cast<double>(between));
    double worst = 0.0;
    for (const Eigen::VectorXd& exact : card.exact)
      worst = std::fmax(worst, (model.advance(between) - exact).cwiseAbs().maxCoeff());
    return worst;
  };
  EXPECT_LE(error(problems::simple_relay_card(), 200), 1e-11);
  for (const FilippovCard& card : {problems::unfolded_ball_card(), problems::gene_network_card()}) {
    for (const Index between : {50, 200}) {
      const double h = card.instants.front() / static_cast<double>(between);
      EXPECT_LE(error(card, between), 100.0 * h) << card.name;
      EXPECT_GE(error(card, between), 0.01 * h) << card.name;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::filippov_cards_test
