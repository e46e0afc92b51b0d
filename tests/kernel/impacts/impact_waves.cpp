// SPDX-License-Identifier: Apache-2.0
// The law of Liu, Zhao and Brogliato in steps of time-stepping.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::impact_waves_test {
namespace {

using bad_input::expect_refused;
using closed_forms::kEps;
using closed_forms::kGravity;
using closed_forms::mass_point;

/// Unit masses on a line at one place, the first with 1 m/s.
struct Row {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;

  Row(Index n, const LiuZhaoBrogliatoImpactLaw& law) {
    for (Index i = 0; i < n; ++i) {
      balls.push_back(model.add(mass_point(1.0, 0.0, 0.0, i == 0 ? 1.0 : 0.0)));
      const auto k = static_cast<std::size_t>(i);
      if (i > 0) model.link({balls[k - 1], balls[k]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, law);
    }
  }
  [[nodiscard]] Eigen::VectorXd after_a_step() const {
    TimeStepping stepping(model, {.step = 1e-3});
    const StepReport report = stepping.step();
    EXPECT_TRUE(report) << report.message();
    return stepping.state().unknowns;
  }
};

TEST(WavesInSteps, ThreeBallsWithLinearSprings) {
  // k = m = 1, d1 + d2 = sin t, d1 - d2 = sin(sqrt3 t) / sqrt3 until d1 = 0 again; then 2 and 3 alone: d2'' = -2 d2.
  double t = 2.57;
  const double root = std::sqrt(3.0);
  for (int k = 0; k < 10; ++k) t -= (std::sin(t) + std::sin(root * t) / root) / (std::cos(t) + std::cos(root * t));
  const double d2 = 0.5 * (std::sin(t) - std::sin(root * t) / root), rate1 = 0.5 * (std::cos(t) + std::cos(root * t));
  const double rate2 = 0.5 * (std::cos(t) - std::cos(root * t));
  const double v1 = (1.0 + 2.0 * rate1 + rate2) / 3.0, pair = 1.0 - v1;
  const double apart = std::sqrt(rate2 * rate2 + 2.0 * d2 * d2);
  // 1e-12 a step of the impact, some hundred steps, amplified by the flow's condition of about 10.
  EXPECT_LT((Row(3, {.restitution = 1.0, .exponent = 1.0}).after_a_step() -
             Eigen::Vector3d(v1, 0.5 * (pair - apart), 0.5 * (pair + apart)))
                .norm(),
            1e-9);
}

TEST(WavesInSteps, FiveHertzianBallsAsByEvents) {
  for (const double e : {1.0, 0.6}) {
    const Row row(5, {.restitution = e});
    const Eigen::VectorXd v = row.after_a_step();
    const EventDriven events(row.model, {});
    EXPECT_LT((v - events.state().unknowns).norm(), 1e-9) << e;
    if (e < 1.0) continue;
    // m q'' = d^(3/2) of unit masses by the classical Runge-Kutta method until all are apart: steps of 1e-3 and 2e-3
    // agree to 3e-9.
    const Eigen::VectorXd known =
        (Eigen::VectorXd(5) << -0.071085017, -0.030273764, -0.014463629, 0.127044986, 0.988777424).finished();
    EXPECT_LT((v - known).lpNorm<Eigen::Infinity>(), 1e-8);
  }
}

TEST(WavesInSteps, TendToThoseOfEventsAndComeToRest) {
  // Two balls, one on the other, fall from 1 m; see PoissonInSteps for the steps that are taken.
  NonSmoothDynamicalSystem model;
  const std::vector<SystemHandle> balls{model.add(mass_point(1.0, -kGravity, 1.0, 0.0)),
                                        model.add(mass_point(3.0, -3.0 * kGravity, 1.0, 0.0))};
  const auto floor = model.link(balls[0], LagrangianLinearRelation{.H = {{1.0}}},
                                LiuZhaoBrogliatoImpactLaw{.restitution = 0.8, .stiffness = 2.0});
  model.link(balls, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, LiuZhaoBrogliatoImpactLaw{.restitution = 0.5});
  const double t1 = std::sqrt(2.0 / kGravity), T = t1 + 0.02;
  EventDriven reference(model, {.relative_tolerance = 1e-12, .absolute_tolerance = 1e-12});
  ASSERT_TRUE(reference.advance_to(T));
  const double order = fitted_order(4e-3, 5, [&](double h) {
    TimeStepping stepping(model, {.step = t1 / (std::round(t1 / h) + 0.5)});
    EXPECT_TRUE(stepping.advance_to(T));
    return (stepping.state().positions - reference.state().positions).lpNorm<1>() +
           (stepping.state().unknowns - reference.state().unknowns).lpNorm<1>();
  });
  EXPECT_NEAR(order, 1.0, 0.1);
  const double h = 2e-3;
  TimeStepping stepping(model, {.step = h});
  ASSERT_TRUE(stepping.advance_to(6.0));
  EXPECT_LT(stepping.state().unknowns.lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_NEAR(stepping.state().impulse(floor)[0], 4.0 * kGravity * h, 1e-9);
}

TEST(WavesInSteps, ACradleGainsNoEnergyInAThousandImpacts) {
  // e < 1, so that each wave loses some; threads of frequency 1.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  for (int i = 0; i < 3; ++i)
    balls.push_back(model.add(LagrangianLinearSystem{.stiffness = {{1.0}}, .q0 = {i == 0 ? -1.0 : 0.0}}));
  for (std::size_t i = 0; i < 2; ++i)
    model.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}},
               LiuZhaoBrogliatoImpactLaw{.restitution = 0.999});
  TimeStepping stepping(model, {.step = 0.05});
  const auto energy_of = [](const State& state) {
    return 0.5 * (state.unknowns.squaredNorm() + state.positions.squaredNorm());
  };
  const double first = energy_of(stepping.state());
  double highest = first;
  Index impacts = 0;
  ASSERT_TRUE(stepping.advance_to(3500.0, [&](const State& state) {
    highest = std::max(highest, energy_of(state));
    if (state.multipliers.maxCoeff() > 0.0) ++impacts;
  }));
  EXPECT_GE(impacts, 1000);
  EXPECT_LE(highest, first * (1.0 + 1e-9));
}

TEST(WavesInSteps, JointsMakeOneBodyOfTwo) {
  // Balls 2 and 3 of five are tied, once or twice: the row of four, the second of mass 2. By steps and by events, to
  // the 1e-12 a step of the impact, as above.
  const double e = 0.9;
  NonSmoothDynamicalSystem four;
  std::vector<SystemHandle> of_four;
  for (const double m : {1.0, 2.0, 1.0, 1.0}) {
    of_four.push_back(four.add(mass_point(m, 0.0, 0.0, of_four.empty() ? 1.0 : 0.0)));
    if (of_four.size() > 1)
      four.link({of_four[of_four.size() - 2], of_four.back()}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}},
                LiuZhaoBrogliatoImpactLaw{.restitution = e});
  }
  const Eigen::VectorXd expected = EventDriven(four).state().unknowns;
  EXPECT_GT(expected[3], 0.5);
  for (const int ties : {1, 2}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> balls;
    for (int i = 0; i < 5; ++i) {
      balls.push_back(model.add(mass_point(1.0, 0.0, 0.0, i == 0 ? 1.0 : 0.0)));
      if (i == 0) continue;
      const auto k = static_cast<std::size_t>(i);
      const LagrangianLinearRelation between{.H = {{-1.0, 1.0}}};
      if (i != 2) {
        model.link({balls[k - 1], balls[k]}, between, LiuZhaoBrogliatoImpactLaw{.restitution = e});
      } else {
        for (int tie = 0; tie < ties; ++tie) model.link({balls[k - 1], balls[k]}, between, EqualityLaw{});
      }
    }
    TimeStepping stepping(model, {.step = 1e-3});
    ASSERT_TRUE(stepping.step());
    const EventDriven events(model);
    for (const Eigen::VectorXd& v : {stepping.state().unknowns, events.state().unknowns}) {
      EXPECT_NEAR(v[0], expected[0], 1e-9) << ties;
      EXPECT_NEAR(v[1], expected[1], 1e-9) << ties;
      EXPECT_NEAR(v[2], expected[1], 1e-9) << ties;
      EXPECT_NEAR(v[3], expected[2], 1e-9) << ties;
      EXPECT_NEAR(v[4], expected[3], 1e-9) << ties;
    }
  }
}

TEST(WavesInSteps, ContactsFoundAnewAsThoseThatAreLinked) {
  // Five disks of unit mass in a row, of which a source tells: the row of five balls, to its 1e-9. And a sixth that is
  // fixed to the last one: the row of four and one of mass 2.
  for (const bool tied : {false, true}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> disks;
    for (int i = 0; i < (tied ? 6 : 5); ++i)
      disks.push_back(model.add(PlanarBody{.position = {0.2 * i, 0.0}, .velocity = {i == 0 ? 1.0 : 0.0, 0.0}}));
    const std::vector<SystemHandle> found(disks.begin(), disks.begin() + 5);
    model.detect(DiskContacts(found, std::vector<double>(5, 0.1), LiuZhaoBrogliatoImpactLaw{.restitution = 1.0}));
    if (tied)
      model.link({disks[4], disks[5]}, LagrangianLinearRelation{.H = {{-1.0, 0.0, 0.0, 1.0, 0.0, 0.0}}}, EqualityLaw{});
    NonSmoothDynamicalSystem row;
    std::vector<SystemHandle> balls;
    for (int i = 0; i < 5; ++i) {
      balls.push_back(row.add(mass_point(tied && i == 4 ? 2.0 : 1.0, 0.0, 0.0, i == 0 ? 1.0 : 0.0)));
      const auto k = static_cast<std::size_t>(i);
      if (i > 0)
        row.link({balls[k - 1], balls[k]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}},
                 LiuZhaoBrogliatoImpactLaw{.restitution = 1.0});
    }
    const Eigen::VectorXd expected = EventDriven(row).state().unknowns;
    TimeStepping stepping(model, {.step = 1e-3});
    const StepReport report = stepping.step();
    ASSERT_TRUE(report) << report.message();
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(stepping.state().v(disks[i])[0], expected[static_cast<Index>(i)], 1e-9) << i;
    if (tied) {
      EXPECT_NEAR(stepping.state().v(disks[5])[0], expected[4], 1e-9);
    }
  }
}

TEST(WavesInSteps, WhatDoesNotFitIsTold) {
  // A wall of another law beside the ball that hits the row, which it hits too; behind it nothing meets.
  for (const bool hits : {true, false}) {
    Row other(3, {.restitution = 0.5});
    other.model.link(other.balls[0], LagrangianLinearRelation{.H = {{hits ? -1.0 : 1.0}}}, PoissonImpactLaw{}, "wall");
    TimeStepping simulation(other.model, {.step = 1e-3});
    if (hits) {
      expect_refused([&] { (void)simulation.step(); }, {"wall", "one impact law"});
    } else {
      EXPECT_TRUE(simulation.step());
    }
  }
}

}  // namespace
}  // namespace nonsmooth::impact_waves_test
