// SPDX-License-Identifier: Apache-2.0
// Every smooth integrator on a free asymmetric body, against Jacobi's functions: its order on turns, and the length of
// the quaternion.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../kernel/fitted_order.hpp"
#include "../kernel/free_bodies.hpp"
#include "event_log.hpp"

namespace nonsmooth::free_body_orders_test {
namespace {

using free_bodies::Asymmetric;

/// Error of the turn and of Omega at T.
double error_at(double T, const EventDrivenOptions& options) {
  const Asymmetric exact;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(exact.body());
  EventDriven simulation(model, options);
  event_log::run_to(simulation, T);
  return free_bodies::error_of(exact, simulation, body);
}

struct FixedStep {
  const char* name;
  SmoothIntegrator integrator;
  double order, first;  ///< of steps first, first / 2, ... [s]
  int halvings;
  double tolerance;
};

// Errors c h^p (1 + O(h)). Steps are such that the last error is above 100 times the rounding of some 10 eps a step,
// and the first one's next term is within the tolerance.
TEST(FreeBodyByEvents, IntegratorsOfFixedStepsHaveTheirOrdersOnTurns) {
  const std::vector<FixedStep> integrators{{"DormandPrince8", DormandPrince{8}, 8.0, 1.0 / 2.0, 2, 0.3},
                                           {"DormandPrince5", DormandPrince{5}, 5.0, 1.0 / 8.0, 4, 0.2},
                                           {"RadauIIA", RadauIIA{}, 5.0, 1.0 / 4.0, 4, 0.2},
                                           {"GeneralisedAlpha", GeneralisedAlpha{}, 2.0, 1.0 / 32.0, 4, 0.1}};
  for (const FixedStep& one : integrators) {
    std::string errors;
    const double order = fitted_order(one.first, one.halvings, [&](double h) {
      const double error = error_at(2.0, {.integrator = one.integrator, .step = h});
      errors += " " + std::to_string(std::log10(error));
      return error;
    });
    RecordProperty(one.name, std::to_string(order));
    EXPECT_NEAR(order, one.order, one.tolerance) << one.name << errors;
  }
}

// An error a step of the tolerance makes errors that follow its power p / (p + 1), p the order, of which SUNDIALS's
// methods choose their own: from 5/6 of p = 5 to nearly 1. Slopes over four decades scatter by less than 0.15 about
// that.
TEST(FreeBodyByEvents, IntegratorsOfVariableOrderFollowTheirToleranceOnTurns) {
  struct Variable {
    const char* name;
    SmoothIntegrator integrator;
    bool available;
  };
  const std::vector<Variable> integrators{{"DormandPrince8", DormandPrince{8}, true},
                                          {"RadauIIA", RadauIIA{}, true},
                                          {"CvodeAdams", Cvode{}, Cvode::available()},
                                          {"CvodeBdf", Cvode{Cvode::Method::Bdf}, Cvode::available()},
                                          {"Ida", Ida{}, Ida::available()}};
  for (const Variable& one : integrators) {
    if (!one.available) continue;
    std::string errors;
    const double slope = fitted_order(1e-6, 13, [&](double tolerance) {
      const double error = error_at(
          10.0,
          {.integrator = one.integrator, .relative_tolerance = tolerance, .absolute_tolerance = 0.01 * tolerance});
      errors += " " + std::to_string(std::log10(error));
      return error;
    });
    RecordProperty(one.name, std::to_string(slope));
    EXPECT_GE(slope, 5.0 / 6.0 - 0.15) << one.name << errors;
    EXPECT_LE(slope, 1.0 + 0.15) << one.name << errors;
  }
}

// A step ends with the length divided out: some 3 eps are left, and norm() has another 3.
TEST(FreeBodyByEvents, TheQuaternionStaysAUnitOverManySteps) {
  const Asymmetric exact;
  const std::vector<EventDrivenOptions> runs{{.integrator = DormandPrince{}, .step = 0.02},
                                             {.integrator = RadauIIA{}, .step = 0.1},
                                             {.integrator = GeneralisedAlpha{}, .step = 0.02}};
  for (const EventDrivenOptions& options : runs) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(exact.body());
    EventDriven simulation(model, options);
    double worst = 0.0;
    Index steps = 0;
    const auto report = simulation.advance_to(2e4 * options.step, {.segment = [&](const SmoothSegment&) {
                                                const double length = simulation.state().q(body).tail<4>().norm();
                                                worst = std::max(worst, std::abs(length - 1.0));
                                                ++steps;
                                                return true;
                                              }});
    ASSERT_TRUE(report) << report.message();
    EXPECT_GE(steps, 19990);
    EXPECT_LE(worst, 8.0 * std::numeric_limits<double>::epsilon());
  }
}

}  // namespace
}  // namespace nonsmooth::free_body_orders_test
