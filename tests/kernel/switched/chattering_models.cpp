// SPDX-License-Identifier: Apache-2.0
// Models on which tools that only locate events chatter without end, by events, by elements and by implicit steps: each
// ends where its closed form does, or is told why it does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::chattering_models_test {
namespace {

using namespace filippov_systems;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;

template <class S>
struct Motion {
  template <class Options>
  Motion(FilippovSystem system, const Options& options)
      : handles(link_filippov(model, std::move(system))), simulation(model, options) {}
  [[nodiscard]] Eigen::VectorXd x() const { return simulation.state().x(handles.system); }
  [[nodiscard]] std::vector<double> switches() const {
    std::vector<double> list;
    for (const Event& event : simulation.events())
      if (event.kind == EventKind::Switch) list.push_back(event.t);
    return list;
  }

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  S simulation;
};
using Events = Motion<EventDriven>;
using Elements = Motion<FiniteElementStepping>;
using Steps = Motion<TimeStepping>;

TimeSteppingOptions implicit(double h) { return {.integrator = EulerMoreau{.theta = 1.0}, .step = h}; }

/// x' = A x + b where the signs are as given.
FilippovRegion linear(std::vector<int> signs, const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return {.signs = std::move(signs),
          .f = [A, b](double, ConstVectorRef x, VectorRef f) { f = A * x + b; },
          .f_dx = [A](double, ConstVectorRef, MatrixRef J) { J = A; }};
}

/// Where all three end, and when the first two switch last.
void expect_end(const FilippovSystem& system, double T, double h, const Eigen::VectorXd& end, double last,
                double of_steps) {
  Events events(system, EventDrivenOptions{});
  const RunReport by_events = events.simulation.advance_to(T);
  ASSERT_TRUE(by_events) << by_events.message();
  EXPECT_LE((events.x() - end).norm(), 1e-9);
  ASSERT_FALSE(events.switches().empty());
  EXPECT_NEAR(events.switches().back(), last, 1e-9 * std::max(1.0, T));
  Elements elements(system, FiniteElementOptions{.step = h, .stages = 4});
  const RunReport by_elements = elements.simulation.advance_to(T);
  ASSERT_TRUE(by_elements) << by_elements.message();
  EXPECT_LE((elements.x() - end).norm(), 1e-9);
  ASSERT_FALSE(elements.switches().empty());
  EXPECT_NEAR(elements.switches().back(), last, 1e-9 * std::max(1.0, T));
  Steps steps(system, implicit(h));
  const RunReport by_steps = steps.simulation.advance_to(T);
  ASSERT_TRUE(by_steps) << by_steps.message();
  EXPECT_LE((steps.x() - end).norm(), of_steps);
}

TEST(ChatteringModels, SlidesAtOneHalf) {
  expect_end({.x0 = {0.0}, .switches = {coordinate(0, 0.5)}, .regions = {constant({-1}, {1.0}), constant({1}, {-1.0})}},
             2.0, 0.013, Eigen::VectorXd::Constant(1, 0.5), 0.5, 256.0 * kEps);
}

// One switching function has one motion; two that know nothing of one another have every x' in [-2, 1.5], told.
TEST(ChatteringModels, TwoRelays) {
  const Eigen::Vector2d end = Eigen::Vector2d::Constant(1.5 - 2.0 / 7.0 - 36.0 / 119.0);
  expect_end(one_relay(), 1.0, 0.01, end, 1.0 / 7.0, 2.5e-2);
  Events events(two_relays(), EventDrivenOptions{});
  EXPECT_EQ(events.simulation.advance_to(1.0).outcome, RunReport::Outcome::Ambiguous);
  EXPECT_NEAR(events.simulation.state().t, 1.0 / 7.0, 1e-12);
  Elements elements(two_relays(), FiniteElementOptions{.step = 0.1});
  EXPECT_EQ(elements.simulation.advance_to(1.0).outcome, RunReport::Outcome::Ambiguous);
  EXPECT_NEAR(elements.simulation.state().t, 1.0 / 7.0, 1e-12);
}

// Steps go on with one of the motions and say that there are others, in the second step on the line; of one motion
// nothing is said.
TEST(ChatteringModels, StepsTellOfSeveralMotions) {
  constexpr double h = 0.01;
  for (const FilippovMeaning meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    Steps steps(two_relays(meaning), implicit(h));
    const RunReport report = steps.simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    for (const RunRemarks* remarks : {&report.findings, &steps.simulation.findings()}) {
      ASSERT_EQ(remarks->size(), 1u);
      EXPECT_EQ(remarks->front().kind, RunRemark::Kind::SeveralAnswers);
      EXPECT_EQ(remarks->front().count, 1);
      EXPECT_NEAR(remarks->front().first_t, 1.0 / 7.0, 3.0 * h);
      EXPECT_GE(remarks->front().worst, 1.0);
    }
    EXPECT_NEAR(steps.x()[0], steps.x()[1], 1e-9);
  }
  for (const FilippovSystem& system : {one_relay(), spiral(0.4, 0.3), circle(2.0), sliding_and_exit()}) {
    Steps steps(system, implicit(h));
    const RunReport report = steps.simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_TRUE(report.findings.empty()) << report.message();
  }
  // The same motion where a part of both fields comes from a relation beside: a relay whose y is 1, so that lambda =
  // -1.
  for (const FilippovMeaning meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    FilippovSystem less = two_relays(meaning);
    const Eigen::Vector2d moved(0.4, -1.1);
    for (FilippovRegion& region : less.regions) {
      region.f = [f = region.f, moved](double t, ConstVectorRef x, VectorRef field) {
        f(t, x, field);
        field -= moved;
      };
    }
    NonSmoothDynamicalSystem model;
    const auto handles = link_filippov(model, std::move(less));
    model.link(handles.system, FirstOrderLinearRelation{.C = {{0.0, 0.0}}, .B = Eigen::MatrixXd(-moved), .e = {1.0}},
               RelayLaw{-1.0, 1.0});
    TimeStepping simulation(model, implicit(h));
    const RunReport report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings.front().kind, RunRemark::Kind::SeveralAnswers);
    EXPECT_NEAR(report.findings.front().first_t, 1.0 / 7.0, 3.0 * h);
  }
  // Two relays of a linear system: the examination says so of the model, and each such step.
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.b = {0.0, -0.75}, .x0 = {1.5, 1.0}});
  for (const Eigen::Vector2d& B : {Eigen::Vector2d(2.0, 0.0), Eigen::Vector2d(0.0, -2.25)})
    model.link(system, FirstOrderLinearRelation{.C = {{1.0, -1.0}}, .B = Eigen::MatrixXd(B)}, RelayLaw{-1.0, 1.0});
  TimeStepping simulation(model, implicit(h));
  const RunReport report = simulation.advance_to(1.0);
  EXPECT_GT(report.ambiguous_steps, 80);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().kind, RunRemark::Kind::SeveralAnswers);
}

// A Schmitt trigger whose thresholds are the same: a heater on below 1/2, off above, x' = u - x. There from ln 2 on,
// and u = 1/2 in the mean.
TEST(ChatteringModels, SchmittTriggerOfNoWidth) {
  const Eigen::MatrixXd A = Eigen::MatrixXd::Constant(1, 1, -1.0);
  const FilippovSystem trigger{
      .x0 = {0.0},
      .switches = {coordinate(0, 0.5)},
      .regions = {linear({-1}, A, Eigen::VectorXd::Ones(1)), linear({1}, A, Eigen::VectorXd::Zero(1))}};
  expect_end(trigger, 3.0, 0.07, Eigen::VectorXd::Constant(1, 0.5), std::log(2.0), 256.0 * kEps);
  Events events(trigger, EventDrivenOptions{});
  ASSERT_TRUE(events.simulation.advance_to(3.0));
  EXPECT_NEAR(events.simulation.state().lambda(events.handles.fields)[0], 0.5, 1e-12);  // pattern 0: on
}

/// A mass m = 1 with Coulomb friction F = 1, pulled by a spring k = 1 whose other end moves at V: e' = V - v,
/// v' = k e - d v - F Sgn v, e the spring's length, from rest.
FilippovSystem pulled_mass(double V, double d) {
  const Eigen::Matrix2d A{{0.0, -1.0}, {1.0, -d}};
  return {.x0 = {0.0, 0.0},
          .switches = {coordinate(1)},
          .regions = {linear({1}, A, Eigen::Vector2d(V, -1.0)), linear({-1}, A, Eigen::Vector2d(V, 1.0))}};
}

// V = 1e-2: it sticks for a hundred seconds, then follows. With u = V - v, f = e - 1 - d V: f' = u, u' = -f - d u.
TEST(ChatteringModels, FrictionBehindASlowSpring) {
  const double V = 1e-2, d = 0.2, after = 5.0, T = 1.0 / V + after;
  const double s = 0.5 * d, w = std::sqrt(1.0 - s * s), f0 = -d * V, u0 = V;
  const double decay = std::exp(-s * after), c = std::cos(w * after), i = std::sin(w * after) / w;
  const double f = decay * (f0 * c + (u0 + s * f0) * i), u = decay * (u0 * c - (f0 + s * u0) * i);
  expect_end(pulled_mass(V, d), T, 0.35, Eigen::Vector2d(f + 1.0 + d * V, V - u), 1.0 / V, 4.0 * V);
}

// Without the damper v = V (1 - cos(t - 1/V)) comes down to 0 after each turn, to the very limit of sticking: whether
// it sticks for an instant is decided by round-off, and moves nothing. No event without end comes of it.
TEST(ChatteringModels, FrictionBehindASlowSpringWithoutDamper) {
  const double V = 1e-2, after = 20.0, T = 1.0 / V + after;
  const Eigen::Vector2d end(1.0 + V * std::sin(after), V * (1.0 - std::cos(after)));
  Events events(pulled_mass(V, 0.0), EventDrivenOptions{});
  const RunReport report = events.simulation.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE((events.x() - end).norm(), 1e-3 * V);
  EXPECT_LE(events.switches().size(), 8u);
  Elements elements(pulled_mass(V, 0.0), FiniteElementOptions{.step = 0.35, .stages = 4});
  const RunReport by_elements = elements.simulation.advance_to(T);
  ASSERT_TRUE(by_elements) << by_elements.message();
  EXPECT_LE((elements.x() - end).norm(), 1e-3 * V);
}

/// L i' = u E - v, C v' = i - v / R, u = 1 where v < v_r; where u = 0 the diode lets i fall to 0 and no further.
/// L = C = R = 1, E = 1: behind i = 0 the field leads back, so that i slides there.
FilippovSystem buck(double reference) {
  const Eigen::Matrix2d A{{0.0, -1.0}, {1.0, -1.0}}, back{{0.0, 1.0}, {1.0, -1.0}};
  return {.x0 = {0.0, 0.0},
          .switches = {{.name = "comparator",
                        .value = [reference](double, ConstVectorRef x) { return reference - x[1]; },
                        .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient[1] = -1.0; }},
                       coordinate(0)},
          .regions = {linear({1, 0}, A, Eigen::Vector2d(1.0, 0.0)), linear({-1, 1}, A, Eigen::Vector2d::Zero()),
                      linear({-1, -1}, back, Eigen::Vector2d::Zero())},
          .meaning = FilippovMeaning::MultiAffine};
}

// u acts on v'' alone: the comparator switches ever faster, some e^(t/3) times, while x goes to (v_r, v_r / R) and
// never is there. Events and elements follow it switch by switch, and agree; with an accumulation that is carried
// through, events end. Implicit steps are at rest within some h, at the duty ratio v_r / E.
TEST(ChatteringModels, BuckWithAComparatorWithoutHysteresis) {
  const double reference = 0.4;
  const Eigen::Vector2d rest(reference, reference);
  Events events(buck(reference), EventDrivenOptions{});
  const RunReport report = events.simulation.advance_to(14.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_GE(events.switches().size(), 64u);
  EXPECT_LE((events.x() - rest).norm(), 0.01);
  EXPECT_GE((events.x() - rest).norm(), 0.001);
  Elements elements(buck(reference), FiniteElementOptions{.step = 0.25, .stages = 4});
  const RunReport by_elements = elements.simulation.advance_to(14.0);
  ASSERT_TRUE(by_elements) << by_elements.message();
  EXPECT_EQ(elements.switches().size(), events.switches().size());
  EXPECT_LE((elements.x() - events.x()).norm(), 1e-7);

  // Where the pace is hopeless, that is told: after 4 * 200 switches here, and after 200 in one element step.
  Events hopeless(buck(reference), EventDrivenOptions{.thresholds = {.chattering_events = 4}});
  EXPECT_EQ(hopeless.simulation.advance_to(1e6).outcome, RunReport::Outcome::Chattering);
  EXPECT_LE((hopeless.x() - rest).norm(), 1e-2);
  Elements many(buck(reference), FiniteElementOptions{.step = 2.0, .stages = 3});
  EXPECT_EQ(many.simulation.advance_to(1e6).outcome, RunReport::Outcome::Chattering);
  EXPECT_LE((many.x() - rest).norm(), 0.1);

  Steps steps(buck(reference), implicit(0.01));
  const RunReport by_steps = steps.simulation.advance_to(14.0);
  ASSERT_TRUE(by_steps) << by_steps.message();
  EXPECT_LE((steps.x() - rest).norm(), 1e-12);
  EXPECT_NEAR(steps.simulation.state().lambda(steps.handles.fields)[0], reference, 1e-9);
}

constexpr double kC = 1.0 / (4.0 * kPi * kPi), kR = 10.0;

/// The slope of log(error) over halvings of h, from the coarsest to the last above `floor`.
template <class Error>
double measured_order(double floor, const Error& error) {
  const double first = error(10.0);
  double order = std::numeric_limits<double>::infinity();
  for (const double steps : {20.0, 40.0, 80.0}) {
    const double now = error(steps);
    if (now < floor) break;
    order = std::log(first / now) / std::log(steps / 10.0);
  }
  return order;
}

struct Method {
  FiniteElementFamily family;
  Index stages;
  double order;
};
const Method kMethods[] = {{FiniteElementFamily::RadauIIA, 2, 3.0},
                           {FiniteElementFamily::RadauIIA, 3, 5.0},
                           {FiniteElementFamily::GaussLegendre, 2, 4.0},
                           {FiniteElementFamily::GaussLegendre, 3, 6.0}};

void expect_orders(const FilippovSystem& circuit, const Eigen::Vector2d& end, std::size_t switches) {
  for (const Method& method : kMethods) {
    const double order = measured_order(1e-11, [&](double steps) {
      Elements run(circuit,
                   FiniteElementOptions{.step = 1.0 / steps, .family = method.family, .stages = method.stages});
      EXPECT_TRUE(run.simulation.advance_to(1.0));
      EXPECT_EQ(run.switches().size(), switches);
      return (run.x() - end).norm();
    });
    // Elements beside a switch are as short as the grid has it, so that constants vary.
    EXPECT_GT(order, method.order - 0.9) << method.stages << " stages of family " << static_cast<int>(method.family);
  }
}

// x1' = x2 - x1/(RC) - l/R, x2' = -x1/C - l, 0 <= l ⟂ l/R + x1/(RC) - x2 >= 0, L = 1: l = R max(0, c), c = x2 -
// x1/(RC). Free up to the first extremum of x1, frozen there from then on, while x2 falls like exp(-R t).
TEST(SwitchedCircuits, ADiodeThatFreezesTheCharge) {
  const Eigen::Matrix2d free{{-1.0 / (kR * kC), 1.0}, {-1.0 / kC, 0.0}}, held{{0.0, 0.0}, {0.0, -kR}};
  const FilippovSystem circuit{
      .x0 = {1.0, -1.0},
      .switches = {{.name = "diode",
                    .value = [](double, ConstVectorRef x) { return x[1] - x[0] / (kR * kC); },
                    .gradient =
                        [](double, ConstVectorRef, VectorRef gradient) {
                          gradient[0] = -1.0 / (kR * kC);
                          gradient[1] = 1.0;
                        }}},
      .regions = {linear({-1}, free, Eigen::Vector2d::Zero()), linear({1}, held, Eigen::Vector2d::Zero())}};
  const double s = 0.5 / (kR * kC), w = std::sqrt(1.0 / kC - s * s), slope = -1.0 - 2.0 * s;
  const double t = (std::atan2(slope * w, 1.0 / kC + s * slope) + kPi) / w;
  const double x1 = std::exp(-s * t) * (std::cos(w * t) + (slope + s) / w * std::sin(w * t));
  EXPECT_NEAR(t, 0.39555783966, 1e-10);
  expect_orders(circuit, Eigen::Vector2d(x1, x1 / (kR * kC) * std::exp(-kR * (1.0 - t))), 1);
}

// x1' = -x2 + l, x2' = x1/C, l = max(0, -x1/(RC)): half an oscillation, damped where x1 < 0; two switches up to t = 1.
TEST(SwitchedCircuits, ADiodeThatDampsEveryOtherHalf) {
  const Eigen::Matrix2d free{{0.0, -1.0}, {1.0 / kC, 0.0}}, damped{{-1.0 / (kR * kC), -1.0}, {1.0 / kC, 0.0}};
  const FilippovSystem circuit{
      .x0 = {1.0, 1.0},
      .switches = {coordinate(0)},
      .regions = {linear({1}, free, Eigen::Vector2d::Zero()), linear({-1}, damped, Eigen::Vector2d::Zero())}};
  const double s = 0.5 / (kR * kC), w = std::sqrt(1.0 / kC - s * s), w0 = 2.0 * kPi;
  const double t2 = std::atan(w0) / w0 + kPi / w, speed = std::sqrt(1.0 + w0 * w0) * std::exp(-s * kPi / w);
  expect_orders(circuit, Eigen::Vector2d(speed / w0 * std::sin(w0 * (1.0 - t2)), -speed * std::cos(w0 * (1.0 - t2))),
                2);
}

// x1' = x2, x2' = v - R x2 - x1/C, R = 0.1, v = 0 where x2 > 0, V where x2 < 0: half cycles, then at rest with v =
// x1/C. Instants, charges and voltages from the half cycles' recurrence, in ten digits.
TEST(SwitchedCircuits, ZenerDiodeRests) {
  struct Case {
    double V, stick, x1, v;
    std::size_t switches;
  };
  for (const Case& c :
       {Case{5.0, 3.5251992025, 0.0798450293, 3.15215541, 8}, Case{10.0, 1.5251358737, 0.0369017861, 1.45682412, 4},
        Case{20.0, 0.5251042093, 0.0131394321, 0.51872399, 2}, Case{30.0, 0.5251042093, 0.5134910824, 20.27181539, 2},
        Case{40.0, 0.0250883772, 1.0125649685, 39.97446, 1}}) {
    const Eigen::Matrix2d A{{0.0, 1.0}, {-1.0 / kC, -0.1}};
    const FilippovSystem circuit{
        .x0 = {1.0, 1.0},
        .switches = {coordinate(1)},
        .regions = {linear({1}, A, Eigen::Vector2d::Zero()), linear({-1}, A, Eigen::Vector2d(0.0, c.V))}};
    const auto check = [&](auto& run) {
      const RunReport report = run.simulation.advance_to(4.0);
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(run.switches().size(), c.switches) << c.V;
      EXPECT_NEAR(run.switches().back(), c.stick, 1e-9) << c.V;
      EXPECT_NEAR(run.x()[0], c.x1, 1e-9) << c.V;
      EXPECT_NEAR(run.x()[1], 0.0, 64.0 * kEps) << c.V;
      EXPECT_NEAR(c.V * run.simulation.state().lambda(run.handles.fields)[0], c.v, 1e-5) << c.V;
    };
    Events events(circuit, EventDrivenOptions{});
    check(events);
    Elements elements(circuit, FiniteElementOptions{.step = 0.05, .stages = 4});
    check(elements);
  }
}

}  // namespace
}  // namespace nonsmooth::chattering_models_test
