// SPDX-License-Identifier: Apache-2.0
// The same problems in other units: thresholds, and every other number that decides about an event, have to be
// relative to the magnitudes of the problem. Units that are powers of two scale all numbers without rounding, so that
// runs with fixed steps have to agree to the bit: nothing absolute may take part, however small. The absolute
// tolerance, which has a unit of its own, is put out of reach there (1e-300).
#include <algorithm>
#include <string>

#include <support/parameter_name.hpp>

#include "scaled_problems.hpp"

namespace nonsmooth::units_test {
namespace {

using namespace scaled_problems;

void expect_same_bits(const Problem& problem, const std::vector<Units>& units, double absolute_tolerance = 1e-300) {
  EventDrivenOptions options{.absolute_tolerance = absolute_tolerance, .step = problem.step};
  const EventDriven reference = run(problem, Units{}, options);
  expect_kinds(problem, reference);
  const Eigen::VectorXd expected = state_of(reference).cwiseQuotient(problem.state(Units{}));
  for (const Units& u : units) {
    const std::string which = problem.name + ", length " + std::to_string(u.length) + ", time " +
                              std::to_string(u.time) + ", mass " + std::to_string(u.mass) + ", voltage " +
                              std::to_string(u.voltage) + ", current " + std::to_string(u.current);
    const EventDriven other = run(problem, u, options);
    ASSERT_EQ(kinds_of(other), kinds_of(reference)) << which;
    for (std::size_t k = 0; k < reference.events().size(); ++k) {
      EXPECT_EQ(other.events()[k].t / u.time, reference.events()[k].t) << which << ", number " << k;
    }
    const Eigen::VectorXd scaled = state_of(other).cwiseQuotient(problem.state(u));
    EXPECT_LE((scaled - expected).lpNorm<Eigen::Infinity>(), problem.rounding) << which;
  }
}

class MechanicsInOtherUnits : public testing::TestWithParam<Problem> {};
class CircuitsInOtherUnits : public testing::TestWithParam<Problem> {};

TEST_P(MechanicsInOtherUnits, AreTheSameToTheBit) {
  const double k = 1024.0;
  expect_same_bits(GetParam(), {{.length = k},
                                {.length = 1.0 / k},
                                {.time = k},
                                {.time = 1.0 / (k * k)},
                                {.mass = k},
                                {.length = k, .time = k, .mass = k}});
}

TEST_P(CircuitsInOtherUnits, AreTheSameToTheBit) {
  const double k = 1024.0;
  expect_same_bits(GetParam(), {{.voltage = k},
                                {.current = k},
                                {.current = 1.0 / k},
                                {.time = k},
                                {.time = 1.0 / (k * k)},
                                {.time = k * k, .current = k}});
}

/// With steps that are chosen: the first one is by a rule of thumb that is not the same in all units, and what follows
/// differs by the tolerances, 1e-10 of the state in each of up to some hundred steps.
void expect_same_run(const Problem& problem, const Units& u, double absolute_tolerance,
                     const SmoothIntegrator& integrator = DormandPrince{}) {
  constexpr double integrated = 1e-8;
  const EventDriven reference = run(problem, Units{}, {.integrator = integrator});
  const EventDriven other = run(problem, u, {.integrator = integrator, .absolute_tolerance = absolute_tolerance});
  expect_kinds(problem, reference);
  ASSERT_EQ(kinds_of(other), kinds_of(reference));
  for (std::size_t k = 0; k < reference.events().size(); ++k) {
    EXPECT_NEAR(other.events()[k].t / u.time, reference.events()[k].t, integrated * problem.end) << "number " << k;
  }
  const Eigen::VectorXd scaled = state_of(other).cwiseQuotient(problem.state(u)),
                        expected = state_of(reference).cwiseQuotient(problem.state(Units{}));
  EXPECT_LE((scaled - expected).lpNorm<Eigen::Infinity>(), integrated * (1.0 + expected.lpNorm<Eigen::Infinity>()));
}

TEST_P(MechanicsInOtherUnits, AreTheSameInMillimetresMillisecondsAndGrams) {
  const Units u{.length = 1e3, .time = 1e3, .mass = 1e3};
  expect_same_run(GetParam(), u, 1e-12 * std::min(u.length, u.speed()));
  expect_same_run(GetParam(), u, 1e-12 * std::min(u.length, u.speed()), RadauIIA{});
}

TEST_P(MechanicsInOtherUnits, AreTheSameInMicrometres) {
  // With the default absolute tolerance, which is then far below the round-off of every coordinate.
  expect_same_run(GetParam(), {.length = 1e6}, EventDrivenOptions{}.absolute_tolerance);
  expect_same_run(GetParam(), {.length = 1e6}, EventDrivenOptions{}.absolute_tolerance, RadauIIA{});
}

TEST_P(CircuitsInOtherUnits, AreTheSameInMilliampereKiloohmAndMicroseconds) {
  const Units u{.time = 1e6, .voltage = 1.0, .current = 1e3};
  expect_same_run(GetParam(), u, 1e-12);
  expect_same_run(GetParam(), u, 1e-12, RadauIIA{});
}

INSTANTIATE_TEST_SUITE_P(Problems, MechanicsInOtherUnits, testing::ValuesIn(mechanics()), test::parameter_name);
INSTANTIATE_TEST_SUITE_P(Problems, CircuitsInOtherUnits, testing::ValuesIn(circuits()), test::parameter_name);

}  // namespace
}  // namespace nonsmooth::units_test
