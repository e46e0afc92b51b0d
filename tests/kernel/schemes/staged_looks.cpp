// SPDX-License-Identifier: Apache-2.0
// Schemes of several stages that locate: modes that come and go between the stages of a step, as a user's source has
// them whose pulses are shorter than a step, are found where they last longer than what is between two looks.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::staged_looks_test {
namespace {

constexpr double kStep = 0.1;

/// x' = -x + lambda, 0 <= lambda ⟂ lambda + x + e(t) >= 0 from 1, e = -3 for `width` from `begin` on, else 0: lambda is
/// 3 - x in the pulse and 0 outside, so that x' = -x there and x' = 3 - 2 x in it.
struct Pulsed {
  double begin, width;

  [[nodiscard]] NonSmoothDynamicalSystem model(Index* calls = nullptr) const {
    NonSmoothDynamicalSystem model;
    const auto circuit = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
    const auto source = [from = begin, to = begin + width, calls](double t, VectorRef e) {
      e[0] = t >= from && t < to ? -3.0 : 0.0;
      if (calls != nullptr) ++*calls;
    };
    model.link(circuit, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{1.0}}, .B = {{1.0}}, .e = source},
               ComplementarityLaw{}, "diode");
    return model;
  }
  [[nodiscard]] double exact(double t) const {
    const double at_begin = std::exp(-begin);
    const double at_end = 1.5 + (at_begin - 1.5) * std::exp(-2.0 * width);
    return at_end * std::exp(-(t - begin - width));
  }
};

/// The error after three steps, and how many instants were located.
double error_of(const Integrator& scheme, const Pulsed& pulsed, Index& instants) {
  TimeStepping simulation(pulsed.model(), {.integrator = scheme, .step = kStep});
  for (int k = 0; k < 3; ++k) {
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    instants += report.subdivisions;
  }
  return std::abs(simulation.state().unknowns[0] - pulsed.exact(3.0 * kStep));
}

TEST(StagedSchemesThatLook, FindEachPulseThatIsLongerThanWhatIsBetweenTwoLooks) {
  // Anywhere within the second of three steps. The parts between three instants have the error of the scheme: of three
  // stages h^6 / 7200 times (2^6 3), of four explicit ones h^5 / 120 times (2^5 3); of two steps h^2 / 2 where they
  // begin anew by implicit Euler, in the first step and behind both instants. A pulse that goes by costs 2 width.
  struct Case {
    Integrator scheme;
    double allowed;
  };
  for (const Index looks : {4, 60}) {
    const double width = 1.05 * kStep / static_cast<double>(looks + 1);
    const std::vector<Case> cases{{ImplicitRadau{.stages = 3, .locate = true, .looks = looks}, 3e-8},
                                  {RungeKutta4{.locate = true, .looks = looks}, 1e-5},
                                  {Bdf2{.locate = true, .looks = looks}, 1.5 * kStep * kStep}};
    for (const Case& one : cases) {
      for (int place = 0; place < 23; ++place) {
        const double begin = kStep * (1.0 + 1e-3) + (0.998 * kStep - width) * place / 22.0;
        Index instants = 0;
        const double error = error_of(one.scheme, {begin, width}, instants);
        EXPECT_LE(error, one.allowed) << one.scheme->name() << ' ' << looks << ' ' << begin;
        EXPECT_EQ(instants, 2) << one.scheme->name() << ' ' << looks << ' ' << begin;
      }
    }
  }
}

TEST(StagedSchemesThatLook, EndAStepBeforeAJumpThatIsItsEnd) {
  // Pulses that begin or end where a step does, as where `instants` of an adaptive run are those of its sources: a
  // stage at the end of a step asks for what is behind it. Errors as those of pulses anywhere.
  struct Case {
    Integrator scheme;
    double allowed;
  };
  const std::vector<Case> cases{{ImplicitRadau{.stages = 3, .locate = true}, 3e-8},
                                {RungeKutta4{.locate = true}, 1e-5},
                                {Bdf2{.locate = true}, 1.5 * kStep * kStep}};
  const std::vector<Pulsed> pulses{{kStep, kStep},
                                   {kStep, 0.5 * kStep},
                                   {1.5 * kStep, 0.5 * kStep},
                                   {kStep, 2.0 * kStep},
                                   {2.0 * kStep, 0.3 * kStep}};
  for (const Case& one : cases) {
    for (const Pulsed& pulsed : pulses) {
      Index instants = 0;
      EXPECT_LE(error_of(one.scheme, pulsed, instants), one.allowed)
          << one.scheme->name() << ' ' << pulsed.begin << ' ' << pulsed.width;
      EXPECT_EQ(instants, 2) << one.scheme->name() << ' ' << pulsed.begin << ' ' << pulsed.width;
    }
  }
}

TEST(StagedSchemesThatLook, EndAStepBeforeAJumpWhereARelaySlides) {
  // As below, with a pulse of a step or to the end of one: x falls by its width and is back as long after it. Lines, to
  // rounding, under every scheme.
  for (const Integrator& scheme :
       {Integrator(ImplicitRadau{.stages = 2, .locate = true}), Integrator(ImplicitRadau{.stages = 3, .locate = true}),
        Integrator(Bdf2{.locate = true})}) {
    for (const auto& [begin, width] :
         {std::pair(kStep, kStep), std::pair(kStep, 0.3 * kStep), std::pair(1.75 * kStep, 0.25 * kStep)}) {
      NonSmoothDynamicalSystem model;
      const auto source = [from = begin, to = begin + width](double t, VectorRef e) {
        e[0] = t >= from && t < to ? 0.5 : 0.0;
      };
      model.link(model.add(FirstOrderLinearSystem{.A = {{0.0}}, .x0 = {0.0}}),
                 FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}, .e = source},
                 RelayLaw{.lower = -1.0, .upper = 1.0});
      TimeStepping simulation(model, {.integrator = scheme, .step = kStep});
      for (int k = 1; k <= 4; ++k) {
        ASSERT_TRUE(simulation.step());
        const double since = simulation.state().t - begin;
        const double exact = since < width ? -std::max(since, 0.0) : std::min(0.0, since - 2.0 * width);
        EXPECT_NEAR(simulation.state().unknowns[0], exact, 1e-12) << scheme->name() << ' ' << begin << ' ' << k;
      }
    }
  }
}

TEST(StagedSchemesThatLook, MissWhatFallsBetweenThem) {
  // Between the second and the third stage of three, and no look: what the step is then, it says in no way.
  Index instants = 0;
  const Pulsed pulsed{kStep * 1.3, 0.2 * kStep};
  const double missed = (3.0 - std::exp(-pulsed.begin)) * pulsed.width;
  EXPECT_NEAR(error_of(ImplicitRadau{.stages = 3, .locate = true, .looks = 0}, pulsed, instants), missed, 0.2 * missed);
  EXPECT_EQ(instants, 0);
}

TEST(StagedSchemesThatLook, FindPulsesWhereRelaysSlide) {
  // x' = lambda, y = x + e(t), -y in N_[-1,1](lambda): at rest on 0 until e = 1/2 takes it off for `width`, x falls by
  // as much, and rises again behind the pulse until it is back.
  const double width = 0.3 * kStep, begin = kStep * 1.3;
  NonSmoothDynamicalSystem model;
  const auto source = [=](double t, VectorRef e) { e[0] = t >= begin && t < begin + width ? 0.5 : 0.0; };
  model.link(model.add(FirstOrderLinearSystem{.A = {{0.0}}, .x0 = {0.0}}),
             FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}, .e = source}, RelayLaw{.lower = -1.0, .upper = 1.0});
  for (const Index stages : {2, 3}) {
    TimeStepping simulation(model, {.integrator = ImplicitRadau{.stages = stages, .locate = true}, .step = kStep});
    ASSERT_TRUE(simulation.advance_to(1.75 * kStep));  // half of the way back
    EXPECT_NEAR(simulation.state().unknowns[0], -0.015, 1e-12);
    ASSERT_TRUE(simulation.advance_to(3.0 * kStep));
    EXPECT_NEAR(simulation.state().unknowns[0], 0.0, 1e-12);
    EXPECT_NEAR(simulation.state().multipliers[0], 0.0, 1e-8);
  }
}

TEST(StagedSchemesThatLook, SeeWhatSwingsBackWithinAStep) {
  // x1 = -cos(w (t - 0.14)), w h = 1, meets the voltage of a diode for 0.02 s before and behind 0.14 s alone, between
  // the first and the second of three stages in the step from 0.1 s on: lambda = max(0, -(x1 + cos 0.2)) drives x3' =
  // lambda
  // - x3, and nothing drives x1. It errs by (w h)^6 / 7200 a step, 3e-4 in two, of a height of (1 - cos 0.2) 2/3 =
  // 0.013: a part of 1/40, and another of 1/100 of the time in which x3 falls.
  const double w = 10.0, b = std::cos(0.2), phase = std::acos(-1.0) - w * 0.14;
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(FirstOrderLinearSystem{.A = {{0.0, -w, 0.0}, {w, 0.0, 0.0}, {0.0, 0.0, -1.0}},
                                                        .x0 = {std::cos(phase), std::sin(phase), 0.0}});
  model.link(circuit,
             FirstOrderLinearRelation{.C = {{1.0, 0.0, 0.0}}, .D = {{1.0}}, .B = {{0.0}, {0.0}, {1.0}}, .e = {b}},
             ComplementarityLaw{});
  const auto run = [&](Index looks, Index& instants) {
    TimeStepping simulation(model,
                            {.integrator = ImplicitRadau{.stages = 3, .locate = true, .looks = looks}, .step = kStep});
    for (int k = 0; k < 2; ++k) {
      const StepReport report = simulation.step();
      EXPECT_TRUE(report);
      instants += report.subdivisions;
    }
    return simulation.state().unknowns[2];
  };
  Index seen = 0, unseen = 0;
  const double charge = 2.0 * (std::sin(0.2) / w - b * 0.02);
  EXPECT_NEAR(run(4, seen), charge * std::exp(-0.06), 0.04 * charge);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(run(0, unseen), 0.0);
  EXPECT_EQ(unseen, 0);
}

TEST(StagedSchemesThatLook, AskTheSourceOnceALook) {
  // Where nothing happens: the calls of a step grow by the looks.
  const auto calls_of = [](Index looks) {
    Index calls = 0;
    const Pulsed never{1e3, 1.0};
    TimeStepping simulation(never.model(&calls),
                            {.integrator = ImplicitRadau{.stages = 3, .locate = true, .looks = looks}, .step = kStep});
    EXPECT_TRUE(simulation.step());
    const Index before = calls;
    for (int k = 0; k < 10; ++k) EXPECT_TRUE(simulation.step());
    return calls - before;
  };
  const Index none = calls_of(0);
  EXPECT_EQ(calls_of(4) - none, 40);
  EXPECT_EQ(calls_of(25) - none, 250);
}

TEST(StagedSchemesThatLook, RefuseLooksOutOfRange) {
  const Pulsed pulsed{1.0, 1.0};
  for (const Index looks : {Index{-1}, Index{1001}}) {
    bad_input::expect_refused(
        [&] { TimeStepping(pulsed.model(), {.integrator = Bdf2{.locate = true, .looks = looks}, .step = kStep}); },
        {"Bdf2::looks", std::to_string(looks)});
  }
}

}  // namespace
}  // namespace nonsmooth::staged_looks_test
