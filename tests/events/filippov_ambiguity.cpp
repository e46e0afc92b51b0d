// SPDX-License-Identifier: Apache-2.0
// Several motions of a FilippovSystem, or of relays: told, and chosen by the options alone; what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::filippov_ambiguity_test {
namespace {

using namespace filippov_systems;

constexpr double kEps = std::numeric_limits<double>::epsilon();

struct Motion {
  explicit Motion(FilippovSystem system, EventDrivenOptions options = {})
      : handles(link_filippov(model, std::move(system))), simulation(model, std::move(options)) {}
  [[nodiscard]] Eigen::VectorXd x() const { return simulation.state().x(handles.system); }

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  EventDriven simulation;
};

bool lists(const std::vector<OtherMotion>& motions, const Eigen::VectorXd& rate) {
  return std::any_of(motions.begin(), motions.end(),
                     [&](const OtherMotion& motion) { return (motion.rates - rate).norm() <= 1e-12 * rate.norm(); });
}

// Towards the diagonal with 3.5 from 1/2: there at 1/7, at x = 1.5 - 2/7. The hull's point that stays has theta =
// 10/17.
TEST(FilippovAmbiguity, OneSwitchingFunctionHasOneMotion) {
  Motion run(one_relay());
  const auto report = run.simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_TRUE(run.simulation.alternatives().empty());
  EXPECT_NEAR(run.simulation.events().front().t, 1.0 / 7.0, 4.0 * kEps);
  EXPECT_NEAR(run.simulation.rates()[0], -6.0 / 17.0, 8.0 * kEps);
  const double end = 1.5 - 2.0 / 7.0 - 6.0 / 17.0 * 6.0 / 7.0;  // 0.911765
  EXPECT_NEAR(run.x()[0], end, 64.0 * kEps);
  EXPECT_NEAR(run.x()[1], end, 64.0 * kEps);
}

// Two switches on the same surface: x' = y' from -2 to 1.5.
TEST(FilippovAmbiguity, TwoSwitchesOnOneSurfaceStop) {
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    Motion run(two_relays(meaning));
    const auto report = run.simulation.advance_to(1.0);
    EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous);
    EXPECT_NEAR(report.t, 1.0 / 7.0, 4.0 * kEps);
    EXPECT_NE(report.message().find("diagonal = 0"), std::string::npos) << report.message();
    EXPECT_TRUE(lists(run.simulation.alternatives(), Eigen::Vector2d(-2.0, -2.0)));
    EXPECT_TRUE(lists(run.simulation.alternatives(), Eigen::Vector2d(1.5, 1.5)));
    for (const OtherMotion& motion : run.simulation.alternatives()) {
      EXPECT_NEAR(motion.rates[0], motion.rates[1], 1e-12);
      EXPECT_GE(motion.rates[0], -2.0 - 1e-12);
      EXPECT_LE(motion.rates[0], 1.5 + 1e-12);
    }
    EXPECT_FALSE(run.simulation.advance_to(2.0));  // every later call tells the same
  }
}

// The same beside a third surface that x slides along from t = 1/20 on: the ends of the set are on faces of the cube.
TEST(FilippovAmbiguity, TwoOfThreeSurfacesAreOne) {
  std::vector<FilippovRegion> regions;
  for (const int s1 : {1, -1})
    for (const int s2 : {1, -1})
      for (const int s3 : {1, -1})
        regions.push_back(constant({s1, s2, s3}, {-2.0 * s1, s2 > 0 ? 1.5 : -3.0, -1.0 * s3}));
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    Motion run(FilippovSystem{.x0 = {1.5, 1.0, 0.05},
                              .switches = {diagonal(), diagonal(), coordinate(2)},
                              .regions = regions,
                              .meaning = meaning});
    const auto report = run.simulation.advance_to(1.0);
    EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous) << report.message();
    EXPECT_NEAR(report.t, 1.0 / 7.0, 8.0 * kEps);
    EXPECT_TRUE(lists(run.simulation.alternatives(), Eigen::Vector3d(-2.0, -2.0, 0.0)));
    EXPECT_TRUE(lists(run.simulation.alternatives(), Eigen::Vector3d(1.5, 1.5, 0.0)));
  }
}

TEST(FilippovAmbiguity, TheOptionsChoose) {
  const double x = 1.5 - 2.0 / 7.0, left = 6.0 / 7.0;
  {
    Motion run(two_relays(), {.on_ambiguity = OnAmbiguity::LeastNorm});  // 0 is among them
    ASSERT_TRUE(run.simulation.advance_to(1.0));
    EXPECT_NEAR(run.x()[0], x, 1e-12);
    EXPECT_FALSE(run.simulation.alternatives().empty());
  }
  for (const double wanted : {-2.0, 1.5}) {
    const auto choose = [wanted](const std::vector<OtherMotion>& motions) {
      Index k = 0;
      while (std::abs(motions[static_cast<std::size_t>(k)].rates[0] - wanted) > 1e-9) ++k;
      return k;
    };
    Motion run(two_relays(), {.on_ambiguity = OnAmbiguity::Choose, .choose = choose});
    const auto report = run.simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(run.x()[0], x + wanted * left, 1e-12);
    EXPECT_NEAR(run.x()[1], x + wanted * left, 1e-12);
  }
  // Of both alpha the shortest step from 1/2 that stays: 0.75 + (-4, -4.5) . delta = 0.
  Motion run(two_relays(), {.on_ambiguity = OnAmbiguity::Utkin});
  ASSERT_TRUE(run.simulation.advance_to(1.0));
  EXPECT_NEAR(run.x()[0], x - 4.0 * (0.75 * 4.0 / (16.0 + 20.25)) * left, 1e-12);
}

// On the line x1 = x2 = 0 in space the hull has x3' in [0, 1]; both fields that interpolate give 1/2 by symmetry.
TEST(FilippovAmbiguity, ALineInSpace) {
  const double start = 0.125 + 0.125 * 0.5;  // x3 at t = 1/4: along x2 = 0 from 1/8 on, with 1/2
  Motion stopped(line_in_space());
  const auto report = stopped.simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous);
  EXPECT_NEAR(report.t, 0.25, 4.0 * kEps);
  EXPECT_TRUE(lists(stopped.simulation.alternatives(), Eigen::Vector3d(0.0, 0.0, 1.0)));
  for (const auto& [choice, rate] : {std::pair{OnAmbiguity::LeastNorm, 0.0}, std::pair{OnAmbiguity::Utkin, 0.5},
                                     std::pair{OnAmbiguity::Moments, 0.5}, std::pair{OnAmbiguity::First, 0.5}}) {
    Motion run(line_in_space(), {.on_ambiguity = choice});
    const auto chosen = run.simulation.advance_to(1.0);
    ASSERT_TRUE(chosen) << chosen.message();
    EXPECT_NEAR(run.x()[2], start + 0.75 * rate, 1e-12);
    EXPECT_EQ(run.x().head(2).norm(), 0.0);
  }
  // What the meaning says is one motion.
  FilippovSystem independent = line_in_space();
  independent.meaning = FilippovMeaning::MultiAffine;
  Motion run(independent);
  const auto one = run.simulation.advance_to(1.0);
  ASSERT_TRUE(one) << one.message();
  EXPECT_NEAR(run.x()[2], start + 0.375, 1e-12);
}

// Moments differ from the bilinear field where normal velocities do: |w| = 1, 1, 1, c in the regions, x3' = 1 in one.
TEST(FilippovAmbiguity, MomentsAndBilinearDiffer) {
  const double a = 3.0;  // the speed of the last region, towards the line
  FilippovSystem system{.x0 = {0.0, 0.0, 0.0},
                        .switches = {coordinate(0), coordinate(1)},
                        .regions = {constant({1, 1}, {-1.0, -1.0, 0.0}), constant({-1, 1}, {1.0, -1.0, 0.0}),
                                    constant({1, -1}, {-1.0, 1.0, 0.0}), constant({-1, -1}, {a, a, 1.0})}};
  // Stays: t1 = (+,+), t2 = t3 = u, t4: -t1 + a t4 = 0, t1 + 2 u + t4 = 1. Moments: t1 - 2 u + a t4 = 0, so t1 = u:
  // t4 (a + 2 a + 1) = 1. Bilinear: t1 t4 = t2 t3, a t4^2 = u^2: t4 (a + 2 sqrt a + 1) = 1.
  Motion moments(system, {.on_ambiguity = OnAmbiguity::Moments});
  ASSERT_TRUE(moments.simulation.advance_to(1.0));
  EXPECT_NEAR(moments.x()[2], 1.0 / (3.0 * a + 1.0), 1e-12);
  Motion bilinear(system, {.on_ambiguity = OnAmbiguity::Utkin});
  ASSERT_TRUE(bilinear.simulation.advance_to(1.0));
  EXPECT_NEAR(bilinear.x()[2], 1.0 / ((1.0 + std::sqrt(a)) * (1.0 + std::sqrt(a))), 1e-12);
}

// Where implicit steps have several answers they take the one that ImplicitLimit does: repelled upwards, 1.5 of
// [-2, 1.5] by either meaning, x3' = 0 of [0, 1] and of [0, 1/4]. Steps are off by their order, 4 h.
TEST(FilippovAmbiguity, TheImplicitLimitIsWhatStepsTake) {
  constexpr double h = 0.01;
  const FilippovSystem repels{
      .x0 = {0.0}, .switches = {coordinate(0)}, .regions = {constant({1}, {1.0}), constant({-1}, {-3.0})}};
  const FilippovSystem corner{.x0 = {0.0, 0.0, 0.0},
                              .switches = {coordinate(0), coordinate(1)},
                              .regions = {constant({1, 1}, {-1.0, -1.0, 0.0}), constant({-1, 1}, {1.0, -1.0, 0.0}),
                                          constant({1, -1}, {-1.0, 1.0, 0.0}), constant({-1, -1}, {3.0, 3.0, 1.0})}};
  const std::vector<std::pair<FilippovSystem, double>> cases{{repels, 1.0},
                                                             {two_relays(), 2.5},
                                                             {two_relays(FilippovMeaning::MultiAffine), 2.5},
                                                             {line_in_space(), 0.1875},
                                                             {corner, 0.0}};
  for (const auto& [system, end] : cases) {
    Motion run(system, {.on_ambiguity = OnAmbiguity::ImplicitLimit});
    const auto report = run.simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_FALSE(run.simulation.alternatives().empty());
    const Index last = run.x().size() - 1;
    EXPECT_NEAR(run.x()[last], end, 1e-12);
    NonSmoothDynamicalSystem model;
    const FilippovHandles handles = link_filippov(model, system);
    TimeStepping steps(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = h});
    ASSERT_TRUE(steps.advance_to(1.0));
    EXPECT_NEAR(steps.state().x(handles.system)[last], end, 4.0 * h);
  }
}

// A line that attracts no more: x1' = -s1, x2' = x3 - 1 above, 3 and -1/2 below, x3' = 1. From x3 = 1 on x2 may leave
// upwards, with s1 mixed, or stay, with weights that are correlated: the same x' at that instant, and two motions.
TEST(FilippovAmbiguity, ACrossingThatAttractsNoMore) {
  const auto field = [](double s1, double below) {
    return [=](double, ConstVectorRef x, VectorRef f) {
      f[0] = -s1;
      f[1] = std::isnan(below) ? x[2] - 1.0 : below;
      f[2] = 1.0;
    };
  };
  const double above = std::numeric_limits<double>::quiet_NaN();
  const FilippovSystem system{.x0 = {0.0, 0.0, 0.0},
                              .switches = {coordinate(0), coordinate(1)},
                              .regions = {{.signs = {1, 1}, .f = field(1.0, above)},
                                          {.signs = {-1, 1}, .f = field(-1.0, above)},
                                          {.signs = {1, -1}, .f = field(1.0, 3.0)},
                                          {.signs = {-1, -1}, .f = field(-1.0, -0.5)}}};
  Motion stopped(system);
  const auto report = stopped.simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous) << report.message();
  EXPECT_NEAR(report.t, 1.0, 1e-9);
  EXPECT_EQ(stopped.simulation.alternatives().size(), 2u);
  // By the other rules it leaves, as where it attracted: x2 = (t - 1)^2 / 2; and tells the other.
  for (const auto choice : {OnAmbiguity::Utkin, OnAmbiguity::Moments, OnAmbiguity::LeastNorm}) {
    Motion run(system, {.on_ambiguity = choice});
    const auto chosen = run.simulation.advance_to(2.0);
    ASSERT_TRUE(chosen) << chosen.message();
    EXPECT_NEAR(run.x()[1], 0.5, 1e-8);
    EXPECT_EQ(run.x()[0], 0.0);
    EXPECT_EQ(run.simulation.alternatives().size(), 1u);
  }
}

// Relays that the first-order part knows: multipliers that nothing determines stop the run too.
TEST(FilippovAmbiguity, UndeterminedRelaysStopToo) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.b = {{0.0, -0.75}}, .x0 = {1.5, 1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1.0, -1.0}, {1.0, -1.0}}, .B = {{2.0, 0.0}, {0.0, -2.25}}},
             RelayLaw{}, "relays");
  const double x = 1.5 - 2.0 / 7.0, left = 6.0 / 7.0;
  EventDriven stopped(model);
  const auto report = stopped.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous);
  EXPECT_NEAR(report.t, 1.0 / 7.0, 4.0 * kEps);
  EXPECT_TRUE(lists(stopped.alternatives(), Eigen::Vector2d(-2.0, -2.0)));
  EXPECT_TRUE(lists(stopped.alternatives(), Eigen::Vector2d(1.5, 1.5)));
  EventDriven least(model, {.on_ambiguity = OnAmbiguity::LeastNorm});
  ASSERT_TRUE(least.advance_to(1.0));
  EXPECT_NEAR(least.state().x(system)[0], x, 1e-12);
  EventDriven first(model, {.on_ambiguity = OnAmbiguity::First});
  ASSERT_TRUE(first.advance_to(1.0));
  EXPECT_NEAR(first.state().x(system)[0], x - 0.375 * left, 1e-9);  // multipliers of the implicit step
}

// --- Refusals --------------------------------------------------------------------------------------------------------

template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& refusal) {
    return refusal.what();
  }
  return "nothing was refused";
}

std::string refusal_of_link(FilippovSystem system) {
  return refusal_of([&] {
    NonSmoothDynamicalSystem model;
    (void)link_filippov(model, std::move(system));
  });
}

TEST(FilippovRefusals, Descriptions) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  FilippovSystem system = spiral(0.4, 0.3);
  system.regions.pop_back();
  has(refusal_of_link(system), "fields that do not cover");
  has(refusal_of_link(system), "(-, -) in no region");
  system = spiral(0.4, 0.3);
  system.regions[0].signs = {0, 1};
  system.regions[0].name = "upper";
  has(refusal_of_link(system), "(-, +) in upper and region 2");
  system = sign(1.0);
  system.regions[0].signs = {2};
  has(refusal_of_link(system), "-1, 0 or 1");
  system = sign(1.0);
  system.regions[0].signs = {1, 1};
  has(refusal_of_link(system), "signs of region 0");
  system = sign(1.0);
  system.switches[0].value = {};
  has(refusal_of_link(system), "value of x0");
  system = sign(1.0);
  system.switches.clear();
  has(refusal_of_link(system), "switches");
  system = oscillator();
  system.switches[0].gradient = [](double, ConstVectorRef x, VectorRef gradient) { gradient = x; };  // half of it
  has(refusal_of_link(system), "gradient of circle");
  system = oscillator();
  system.regions[0].f_dx = [](double, ConstVectorRef, MatrixRef J) { J(0, 1) = 1.0; };
  has(refusal_of_link(system), "f_dx of inside");
  system = sign(std::numeric_limits<double>::quiet_NaN());
  has(refusal_of_link(system), "x0");
  system = sign(1.0);
  system.regions[1].f = [](double, ConstVectorRef, VectorRef f) { f[0] = std::numeric_limits<double>::infinity(); };
  has(refusal_of_link(system), "region 1");
}

TEST(FilippovRefusals, ByEvents) {
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, sign(1.0));
  const auto extra =
      model.link(handles.system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, RelayLaw{}, "extra");
  EXPECT_NE(refusal_of([&] { EventDriven simulation(model); }).find("a relation to a FilippovSystem"),
            std::string::npos);
  model.remove(extra);
  model.remove(handles.fields);
  EXPECT_NE(refusal_of([&] { EventDriven simulation(model); }).find("without its fields"), std::string::npos);
  NonSmoothDynamicalSystem other;
  (void)link_filippov(other, sign(1.0));
  EXPECT_NE(refusal_of([&] { EventDriven simulation(other, {.on_ambiguity = OnAmbiguity::Choose}); }).find("choose"),
            std::string::npos);
}

// c = x^2 touches zero: its gradient vanishes there, whatever the fields are.
TEST(FilippovRefusals, AGradientThatVanishes) {
  Motion run({.x0 = {-1.0},
              .switches = {{.name = "parabola",
                            .value = [](double, ConstVectorRef x) { return x[0] * x[0] * x[0]; },
                            .gradient = [](double, ConstVectorRef x,
                                           VectorRef gradient) { gradient[0] = 3.0 * x[0] * x[0]; }}},
              .regions = {constant({1}, {1.0}), constant({-1}, {1.0})}});
  const auto report = run.simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
  EXPECT_NEAR(report.t, 1.0, 1e-4);  // a triple zero, found to the cube root of round-off
  EXPECT_NE(report.message().find("the gradient of parabola vanishes"), std::string::npos) << report.message();
}

TEST(FilippovRefusals, FiveSurfacesAtOnce) {
  FilippovSystem system{.x0 = {0.5, 0.5, 0.5, 0.5, 0.5}};
  for (Index k = 0; k < 5; ++k) system.switches.push_back(coordinate(k));
  for (Index pattern = 0; pattern < 32; ++pattern) {
    std::vector<int> signs;
    std::vector<double> field;
    for (Index k = 0; k < 5; ++k) {
      signs.push_back(pattern >> k & 1 ? 1 : -1);
      field.push_back(-signs.back());
    }
    system.regions.push_back(constant(signs, field));
  }
  Motion run(system);
  const auto report = run.simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
  EXPECT_NEAR(report.t, 0.5, 1e-14);
  EXPECT_NE(report.message().find("more than 4 surfaces"), std::string::npos) << report.message();
  // Four go on.
  system.x0 = {0.5, 0.5, 0.5, 0.5, 3.0};
  Motion four(system);
  const auto slides = four.simulation.advance_to(1.0);
  ASSERT_TRUE(slides) << slides.message();
  EXPECT_EQ(four.x().head(4).norm(), 0.0);
}

TEST(FilippovRefusals, AFieldThatThrows) {
  FilippovSystem system = sign(1.0);
  system.regions[0].f = [](double t, ConstVectorRef, VectorRef f) {
    if (t > 0.5) throw std::runtime_error("no field here");
    f[0] = -1.0;
  };
  system.regions[0].f_dx = {};
  Motion run(system);
  const auto report = run.simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("no field here"), std::string::npos) << report.message();
}

}  // namespace
}  // namespace nonsmooth::filippov_ambiguity_test
