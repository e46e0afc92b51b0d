// SPDX-License-Identifier: Apache-2.0

// Integration of smooth phases: tolerances met, stiff problems, and what a stepper promises of its steps: the limit to
// the bit, shortening, amending, outcomes.

#include "smooth_steppers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <tuple>

#include <gtest/gtest.h>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::smooth::smooth_steppers_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Restricted three-body problem, moon and earth: a closed orbit of Arenstorf (section II.0) [hairer1993].
void three_bodies(double, const VectorXd& z, VectorXd& zdot) {
  const double moon = 0.012277471, earth = 1.0 - moon;
  const double to_earth = std::pow(std::hypot(z[0] + moon, z[1]), 3),
               to_moon = std::pow(std::hypot(z[0] - earth, z[1]), 3);
  zdot[0] = z[2], zdot[1] = z[3];
  zdot[2] = z[0] + 2.0 * z[3] - earth * (z[0] + moon) / to_earth - moon * (z[0] - earth) / to_moon;
  zdot[3] = z[1] - 2.0 * z[2] - earth * z[1] / to_earth - moon * z[1] / to_moon;
}

TEST(SmoothSteppers, ArenstorfOrbitCloses) {
  const double period = 17.0652165601579625588917206249;
  const VectorXd start{{0.994, 0.0, 0.0, -2.00158510637908252240537862224}};
  Function f(4, three_bodies);
  const auto at_end = [&](const SmoothIntegrator& method, double tolerance, const VectorXd& z, Index* steps) {
    const auto stepper = make(method, {.relative = tolerance, .absolute = tolerance}, f);
    stepper->start(0.0, z);
    while (stepper->t() < period && stepper->advance(period) == Outcome::Taken) *steps += 1;
    EXPECT_EQ(stepper->t(), period);
    return VectorXd(stepper->z());
  };
  // How far the period carries a change of the start, measured: the largest of the four.
  double amplified = 0.0;
  Index steps = 0;
  const VectorXd exact = at_end(DormandPrince{8}, 1e-14, start, &steps);
  for (Index i = 0; i < 4; ++i) {
    VectorXd moved = start;
    moved[i] += 1e-9;
    amplified = std::max(amplified, (at_end(DormandPrince{8}, 1e-14, moved, &steps) - exact).norm() / 1e-9);
  }
  for (const auto& method : kOneStep) {
    for (const double tolerance : {1e-8, 1e-10}) {
      steps = 0;
      // As much as a change of the size of the tolerance at the start, next to the moon, where changes grow the most.
      const double error = (at_end(method, tolerance, start, &steps) - start).norm();
      EXPECT_LT(error, tolerance * amplified) << name(method);
      EXPECT_LT(steps, 5000) << name(method);
    }
  }
}

TEST(SmoothSteppers, RadauOnProtheroAndRobinson) {
  // zdot = -rate (z - cos t) - sin t: z = cos t, whatever the rate. Steps follow cos t, not the rate.
  for (const double rate : {1.0, 1e3, 1e6, 1e9}) {
    Function f(
        1, [&](double t, const VectorXd& z, VectorXd& zdot) { zdot[0] = -rate * (z[0] - std::cos(t)) - std::sin(t); });
    const auto stepper = make(RadauIIA{}, {.relative = 1e-8, .absolute = 1e-8}, f);
    stepper->start(0.0, VectorXd{{1.0}});
    int steps = 0;
    double worst = 0.0;
    while (stepper->t() < 10.0) {
      ASSERT_EQ(stepper->advance(10.0), Outcome::Taken);
      worst = std::max(worst, std::abs(stepper->z()[0] - std::cos(stepper->t())));
      ++steps;
    }
    EXPECT_LT(worst, 1e-8 * 10.0) << rate;
    EXPECT_LT(steps, 300) << rate;
    EXPECT_LT(stepper->rejected(), 20) << rate;
  }
}

TEST(SmoothSteppers, RadauOnVanDerPol) {
  // Relaxation oscillation, epsilon = 1e-6, with its jumps; value at t = 2 of the test set for initial value problems.
  Function f(2, [](double, const VectorXd& z, VectorXd& zdot) {
    zdot[0] = z[1];
    zdot[1] = ((1.0 - z[0] * z[0]) * z[1] - z[0]) / 1e-6;
  });
  const auto stepper = make(RadauIIA{}, {.relative = 1e-9, .absolute = 1e-9}, f);
  stepper->start(0.0, VectorXd{{2.0, 0.0}});
  int steps = 0;
  while (stepper->t() < 2.0) {
    ASSERT_EQ(stepper->advance(2.0), Outcome::Taken);
    ++steps;
  }
  EXPECT_NEAR(stepper->z()[0], 1.706167732170483, 1e-7);
  EXPECT_NEAR(stepper->z()[1], -0.8928097010247975, 1e-7);
  EXPECT_LT(steps, 6000);
}

TEST(SmoothSteppers, EndAtTheLimitToTheBit) {
  for (const auto& method : all_methods()) {
    Function f(3, closed_form_slope);
    const auto stepper = make(method, {.relative = 1e-8, .absolute = 1e-8}, f);
    stepper->start(0.1, closed_form(0.1));
    for (const double limit : {0.1 + 3.0 * kEps, 0.1 + 1e-9, 0.7, std::nextafter(0.7, 1.0), 1.0 / 3.0 + 0.5, 3.0}) {
      Index steps = 0;
      while (stepper->t() < limit) {
        ASSERT_EQ(stepper->advance(limit), Outcome::Taken) << name(method);
        ASSERT_LE(stepper->t(), limit);
        ASSERT_LT(stepper->t_start(), stepper->t());
        ASSERT_LT(++steps, 400) << name(method);
      }
      EXPECT_EQ(stepper->t(), limit);
      // 1e-8 a step, three components, changes carried with factors up to exp(integral of |cos|) = 8
      EXPECT_LT((stepper->z() - closed_form(limit)).norm(), 1e-8 * 8.0 * 100.0) << name(method) << ' ' << limit;
    }
  }
  // A limit just behind a step leaves no sliver: with steps of 0.1, 1.05 takes ten.
  for (const auto& method : kOneStep) {
    Function f(3, closed_form_slope);
    const auto stepper = make(method, {.fixed_step = 0.1}, f);
    stepper->start(0.0, closed_form(0.0));
    Index steps = 0;
    for (; stepper->t() < 1.005; ++steps) ASSERT_EQ(stepper->advance(1.005), Outcome::Taken);
    EXPECT_EQ(steps, 10) << name(method);
  }
}

TEST(SmoothSteppers, DensePolynomialThroughBothEnds) {
  for (const auto& method : all_methods()) {
    Function f(3, closed_form_slope);
    const auto stepper = make(method, {.relative = 1e-10, .absolute = 1e-10}, f);
    stepper->start(0.0, closed_form(0.0));
    EXPECT_EQ(stepper->dense().degree, 0);  // before a step: the state
    VectorXd z, before;
    while (stepper->t() < 2.0) {
      before = stepper->z();
      ASSERT_EQ(stepper->advance(2.0), Outcome::Taken);
      const auto& dense = stepper->dense();
      EXPECT_EQ(dense.t0, stepper->t_start());
      // Sums of up to 13 terms of sizes up to 1e3 h |slope|, h below 1.
      dense.evaluate(stepper->t_start(), z);
      EXPECT_LT((z - before).norm(), 1e-12) << name(method);
      dense.evaluate(stepper->t(), z);
      EXPECT_LT((z - stepper->z()).norm(), 1e-12) << name(method);
      const double inside = stepper->t_start() + 0.37 * dense.h;
      dense.evaluate(inside, z);
      EXPECT_LT((z - closed_form(inside)).norm(), 1e-6) << name(method);
    }
  }
}

TEST(SmoothSteppers, ShortenedStepsGoOnAndMayBeShortenedAgain) {
  for (const auto& method : all_methods()) {
    Function f(3, closed_form_slope);
    const auto stepper = make(method, {.relative = 1e-10, .absolute = 1e-10}, f);
    stepper->start(0.0, closed_form(0.0));
    for (int i = 0; i < 5; ++i) ASSERT_EQ(stepper->advance(9.0), Outcome::Taken);
    const double start = stepper->t_start(), h = stepper->t() - start;
    VectorXd z, first;
    for (const double s : {0.5, 0.2, 0.7, 0.5}) {  // the last is the first again: nothing of the others is left
      const double end = start + s * h;
      ASSERT_EQ(stepper->shorten(end), Outcome::Taken);
      EXPECT_EQ(stepper->t(), end);
      EXPECT_EQ(stepper->t_start(), start);
      EXPECT_LT((stepper->z() - closed_form(end)).norm(), 1e-7) << name(method);
      EXPECT_EQ(stepper->dense().t0, start);
      stepper->dense().evaluate(end, z);
      EXPECT_LT((z - stepper->z()).norm(), 1e-13) << name(method);
      if (first.size() == 0) first = stepper->z();
    }
    EXPECT_LT((stepper->z() - first).norm(), 8.0 * kEps * first.norm()) << name(method);
    run_to(*stepper, 3.0);
    // As at the limits above, for the tolerance here.
    EXPECT_LT((stepper->z() - closed_form(3.0)).norm(), 1e-10 * 8.0 * 200.0) << name(method);
  }
}

TEST(SmoothSteppers, ShorteningFindsAZeroToRoundOff) {
  // The pendulum's angle passes zero at a quarter of the period, 4 K(sin 1): by secants, each with a shortened step.
  const double quarter = std::comp_ellint_1(std::sin(1.0));
  for (const auto& method : all_methods()) {
    Function f(2, [](double, const VectorXd& z, VectorXd& zdot) { zdot[0] = z[1], zdot[1] = -std::sin(z[0]); });
    const auto stepper = make(method, {.relative = 1e-10, .absolute = 1e-12}, f);
    stepper->start(0.0, VectorXd{{2.0, 0.0}});
    while (stepper->z()[0] >= 0.0) ASSERT_EQ(stepper->advance(3.0), Outcome::Taken) << name(method);
    const double first_end = stepper->t();
    for (int i = 0; i < 8; ++i) {
      const double end = stepper->t() - stepper->z()[0] / stepper->z()[1];
      ASSERT_GT(end, stepper->t_start());
      ASSERT_LE(end, first_end);
      ASSERT_EQ(stepper->shorten(end), Outcome::Taken);
    }
    // The velocity is -1.7 there: t is known to eps, and z to a few eps of the sizes of its terms.
    EXPECT_LT(std::abs(stepper->z()[0]), 8.0 * kEps) << name(method);
    const bool multistep = std::holds_alternative<Cvode>(method) || std::holds_alternative<Ida>(method);
    EXPECT_NEAR(stepper->t(), quarter, multistep ? 1e-6 : 1e-8) << name(method);
  }
}

TEST(SmoothSteppers, AmendingKeepsTheMemory) {
  // A pendulum whose energy is put right after every step: the energy stays, and no step more is needed than without.
  for (const auto& method : all_methods()) {
    Function f(2, [](double, const VectorXd& z, VectorXd& zdot) { zdot[0] = z[1], zdot[1] = -std::sin(z[0]); });
    const auto energy = [](const VectorXd& z) { return 0.5 * z[1] * z[1] - std::cos(z[0]); };
    const VectorXd start{{2.0, 0.0}};
    const auto run = [&](bool amend, double& drift) {
      const auto stepper = make(method, {.relative = 1e-8, .absolute = 1e-8}, f);
      stepper->start(0.0, start);
      Index steps = 0;
      VectorXd z, gradient(2);
      for (; stepper->t() < 20.0; ++steps) {
        EXPECT_EQ(stepper->advance(20.0), Outcome::Taken);
        if (!amend) continue;
        z = stepper->z();
        gradient << std::sin(z[0]), z[1];
        z -= gradient * ((energy(z) - energy(start)) / gradient.squaredNorm());
        stepper->amend(z);
        EXPECT_EQ(stepper->z(), z);
        stepper->dense().evaluate(stepper->t(), z);
        EXPECT_LT((z - stepper->z()).norm(), 1e-13) << name(method);
      }
      drift = std::abs(energy(stepper->z()) - energy(start));
      return steps;
    };
    double drift = 0.0, amended_drift = 0.0;
    const Index steps = run(false, drift), amended_steps = run(true, amended_drift);
    EXPECT_LE(amended_steps, steps + steps / 10 + 2) << name(method);
    EXPECT_GT(drift, 1e-10) << name(method);  // there is something to amend
    EXPECT_LT(amended_drift, 1e-12) << name(method);
  }
}

TEST(SmoothSteppers, OutcomeNotFinite) {
  // zdot = -1 / (2 z): z = sqrt(1 - t), no further than t = 1. NaN for z < 0 as a user's square root gives it.
  for (const auto& method : all_methods()) {
    Function f(1,
               [](double, const VectorXd& z, VectorXd& zdot) { zdot[0] = -0.5 / std::sqrt(z[0]) / std::sqrt(z[0]); });
    const auto stepper = make(method, {.relative = 1e-6, .absolute = 1e-6}, f);
    stepper->start(0.0, VectorXd{{1.0}});
    Outcome outcome = Outcome::Taken;
    Index steps = 0;
    while (outcome == Outcome::Taken && stepper->t() < 2.0 && ++steps < 10'000) outcome = stepper->advance(2.0);
    EXPECT_NE(outcome, Outcome::Taken) << name(method);
    EXPECT_LT(std::abs(stepper->t() - 1.0), 1e-3) << name(method);
    EXPECT_TRUE(stepper->z().allFinite());

    // From the first: the value at the start itself.
    Function nowhere(1, [](double, const VectorXd&, VectorXd& zdot) { zdot[0] = std::nan(""); });
    const auto other = make(method, {}, nowhere);
    other->start(1.0, VectorXd{{1.0}});
    EXPECT_EQ(other->advance(2.0), Outcome::NotFinite) << name(method);
    EXPECT_EQ(other->t(), 1.0);
    EXPECT_EQ(other->z()[0], 1.0);

    // Beyond a border in time, which no step crosses however short.
    Function border(1, [](double t, const VectorXd&, VectorXd& zdot) { zdot[0] = t > 1.5 ? std::nan("") : 1.0; });
    const auto third = make(method, {}, border);
    third->start(1.0, VectorXd{{1.0}});
    outcome = Outcome::Taken;
    for (steps = 0; outcome == Outcome::Taken && third->t() < 2.0 && steps < 10'000; ++steps) {
      outcome = third->advance(2.0);
    }
    EXPECT_EQ(outcome, Outcome::NotFinite) << name(method);
    EXPECT_NEAR(third->t(), 1.5, 1e-9) << name(method);
    EXPECT_NEAR(third->z()[0], third->t(), 1e-9) << name(method);
  }
}

TEST(SmoothSteppers, OutcomeStepTooSmall) {
  // A slope that is another number at every call has no solution.
  for (const auto& method : all_methods()) {
    unsigned state = 1;
    Function f(1, [&](double, const VectorXd&, VectorXd& zdot) {
      state = state * 1664525U + 1013904223U;
      zdot[0] = 1e20 * (static_cast<double>(state) / 4294967296.0 - 0.5);
    });
    const auto stepper = make(method, {}, f);
    stepper->start(1.0, VectorXd{{1.0}});
    Outcome outcome = Outcome::Taken;
    for (Index steps = 0; outcome == Outcome::Taken && steps < 1000; ++steps) outcome = stepper->advance(2.0);
    EXPECT_EQ(outcome, Outcome::StepTooSmall) << name(method);
    EXPECT_GT(stepper->rejected(), 0) << name(method);
  }
}

TEST(SmoothSteppers, WhatFThrowsPassesAndTheStateIsAsBefore) {
  for (const auto& method : all_methods()) {
    Index throw_at = -1, calls = 0;
    Function f(3, [&](double t, const VectorXd& z, VectorXd& zdot) {
      if (++calls == throw_at) throw std::runtime_error("a user's callable");
      closed_form_slope(t, z, zdot);
    });
    const auto stepper = make(method, {.relative = 1e-9, .absolute = 1e-9}, f);
    stepper->start(0.0, closed_form(0.0));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(stepper->advance(3.0), Outcome::Taken);
    const double t = stepper->t();
    const VectorXd z = stepper->z();
    for (const Index after : {1, 2, 3}) {
      throw_at = calls + after;
      EXPECT_THROW((void)stepper->advance(3.0), std::runtime_error) << name(method);
      EXPECT_EQ(stepper->t(), t);
      EXPECT_EQ(stepper->z(), z);
    }
    throw_at = -1;
    run_to(*stepper, 3.0);
    EXPECT_LT((stepper->z() - closed_form(3.0)).norm(), 1e-9 * 8.0 * 200.0) << name(method);
  }
}

TEST(SmoothSteppers, EvaluationsAndSteps) {
  // The slope at a step's end is the next one's first: 6 and 12 a step; dense output takes none and 3 more.
  for (const auto& [order, stages, more] : {std::tuple<int, Index, Index>{5, 6, 0}, {8, 12, 3}}) {
    Function f(3, closed_form_slope);
    const auto stepper = make(DormandPrince{order}, {.fixed_step = 0.1}, f);
    stepper->start(0.0, closed_form(0.0));
    run_to(*stepper, 1.0);
    EXPECT_EQ(f.calls, 1 + 10 * stages);
    EXPECT_EQ(stepper->evaluations(), f.calls);
    (void)stepper->dense(), (void)stepper->dense();
    EXPECT_EQ(f.calls, 1 + 10 * stages + more);
  }
  // No step is longer than the largest one allowed (and a tenth, at a limit).
  Function f(1, [](double, const VectorXd& z, VectorXd& zdot) { zdot = -z; });
  for (const auto& method : all_methods()) {
    const auto stepper = make(method, {.relative = 1e-8, .absolute = 1e-8, .largest_step = 0.25}, f);
    stepper->start(0.0, VectorXd{{1.0}});
    while (stepper->t() < 2.0) {
      ASSERT_EQ(stepper->advance(2.0), Outcome::Taken);
      EXPECT_LE(stepper->t() - stepper->t_start(), 1.1 * 0.25 + 1e-15) << name(method);
    }
    EXPECT_NEAR(stepper->z()[0], std::exp(-2.0), 1e-6) << name(method);
  }
  // One below round-off of t: whatever happens to it is an outcome.
  for (const auto& method : all_methods()) {
    const auto stepper = make(method, {.largest_step = 1e-10}, f);
    stepper->start(1e6, VectorXd{{1.0}});
    for (int i = 0; i < 3; ++i) EXPECT_NO_THROW((void)stepper->advance(1e6 + 1.0)) << name(method);
  }
  // The length of the last step is kept over start(), and the first is what was asked for.
  for (const auto& method : kOneStep) {
    const auto stepper = make(method, {.relative = 1e-4, .absolute = 1e-4, .initial_step = 1e-3}, f);
    stepper->start(0.0, VectorXd{{1.0}});
    ASSERT_EQ(stepper->advance(100.0), Outcome::Taken);
    EXPECT_EQ(stepper->t(), 1e-3);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(stepper->advance(100.0), Outcome::Taken);
    const double h = stepper->t() - stepper->t_start();
    EXPECT_GT(h, 0.1);
    stepper->start(0.0, VectorXd{{1.0}});
    ASSERT_EQ(stepper->advance(100.0), Outcome::Taken);
    EXPECT_GT(stepper->t(), 0.2 * h) << name(method);
  }
}

TEST(SmoothSteppers, BadInput) {
  Function f(1, [](double, const VectorXd& z, VectorXd& zdot) { zdot = -z; });
  EXPECT_THROW((void)make(DormandPrince{4}, {}, f), InvalidArgument);
  for (const auto& method : kOneStep) {
    EXPECT_THROW((void)make(method, {.relative = -1.0}, f), InvalidArgument);
    EXPECT_THROW((void)make(method, {.absolute = 0.0}, f), InvalidArgument);
    EXPECT_THROW((void)make(method, {.fixed_step = -0.1}, f), InvalidArgument);
    EXPECT_THROW((void)make(method, {.largest_step = std::nan("")}, f), InvalidArgument);
  }
  if (Cvode::available()) {
    EXPECT_THROW((void)make(Cvode{}, {.fixed_step = 0.1}, f), InvalidArgument);
  } else {
    EXPECT_THROW((void)make(Cvode{}, {}, f), InvalidArgument);
  }
  EXPECT_THROW((void)make(Ida{}, {.fixed_step = Ida::available() ? 0.1 : 0.0}, f), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::smooth::smooth_steppers_test
