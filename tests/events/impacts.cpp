// SPDX-License-Identifier: Apache-2.0
// Impacts by events against closed forms: instants, velocities, and the order of each integrator through them.
#include <cmath>
#include <functional>
#include <string>

#include "../kernel/fitted_order.hpp"
#include "event_log.hpp"

namespace nonsmooth::impacts_test {
namespace {

using namespace event_log;

/// Composite Gauss rule of three points, order 6: 400 pieces leave round-off of a smooth integrand.
double integral(double end, const std::function<double(double)>& f) {
  const int n = 400;
  const double h = end / n, node = std::sqrt(0.15);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const double middle = (i + 0.5) * h;
    sum += h / 18.0 * (5.0 * f(middle - node * h) + 8.0 * f(middle) + 5.0 * f(middle + node * h));
  }
  return sum;
}

TEST(Impacts, OnAVibratingTableEveryNthPeriod) {
  // Table A sin(w t), impacts every n periods T at the phase phi: v+ = g n T / 2, and Newton's law there asks for
  // A w cos(phi) = (g n T / 2)(1 - e) / (1 + e). Stable where 0 < A w^2 sin(phi) < 2 g (1 + e^2) / (1 + e)^2: half g is
  // taken. The flight is a parabola, integrated without truncation; round-off of an instant, some eps t / e, is carried
  // to the next ones with a factor below e: 1e-13 / (1 - e).
  const double e = 0.8, w = 20.0, T = 2.0 * kPi / w;
  for (const int n : {1, 2, 3}) {
    const double flight = n * T, v = 0.5 * kGravity * flight;
    const double along = v * (1.0 - e) / (1.0 + e), across = 0.5 * kGravity / w;
    const double A = std::hypot(along, across) / w, phi = std::atan2(across, along), start = phi / w;
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {A * std::sin(phi)}, .v0 = {-v}});
    model.link(ball,
               RheonomousRelation{
                   .h = [=](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - A * std::sin(w * t); },
                   .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
                   .h_t = [=](double t, ConstVectorRef, VectorRef value) { value[0] = -A * w * std::cos(w * t); }},
               NewtonImpactLaw{.restitution = e});
    EventDriven simulation(model, {}, start);  // the first impact is there
    std::vector<double> expected;
    for (int k = 0; k <= 20; ++k) expected.push_back(start + k * flight);
    run_to(simulation, start + 20.5 * flight);
    expect_times(times_of(simulation, EventKind::Impact), expected, 1e-12);
    // In the middle between impacts: at rest, at its highest.
    EXPECT_NEAR(simulation.state().v(ball)[0], 0.0, 1e-11);
    EXPECT_NEAR(simulation.state().q(ball)[0], A * std::sin(phi) + 0.125 * kGravity * flight * flight, 1e-12);
  }
}

/// qdd + w^2 q = 0 from q = 0 with v0 = 1, stop q >= 0: impacts at k pi / w with e^k v0 after them.
struct Oscillator {
  static constexpr double w = 1.3, e = 0.9;
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  Oscillator() {
    body = model.add(LagrangianLinearSystem{.stiffness = {{w * w}}, .q0 = {0.0}, .v0 = {1.0}});
    model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  }
};

TEST(Impacts, OscillatorOnAStopEachHalfPeriod) {
  const Oscillator oscillator;
  EventDriven simulation(oscillator.model);
  const double half = kPi / Oscillator::w;
  const int count = 20;
  std::vector<double> expected;
  for (int k = 1; k <= count; ++k) expected.push_back(k * half);
  run_to(simulation, (count + 0.5) * half);
  // Steps of a relative error below 1e-10 each; some ten a half period, most of them far below it.
  expect_times(times_of(simulation, EventKind::Impact), expected, 1e-9);
  const double v = std::pow(Oscillator::e, count);
  EXPECT_NEAR(simulation.state().q(oscillator.body)[0], v / Oscillator::w, 1e-9 * v);
  EXPECT_NEAR(simulation.state().v(oscillator.body)[0], 0.0, 1e-9);
}

/// Error at T = 3.7 half periods, after three impacts, and that of the third impact's instant.
struct Errors {
  double state = 0.0, instant = 0.0;
};
Errors oscillator_errors(const SmoothIntegrator& integrator, double h) {
  const Oscillator oscillator;
  EventDriven simulation(oscillator.model, {.integrator = integrator, .step = h});
  const double half = kPi / Oscillator::w, T = 3.7 * half, v = -std::pow(Oscillator::e, 3);
  run_to(simulation, T);
  const auto times = times_of(simulation, EventKind::Impact);
  if (times.size() != 3) {
    ADD_FAILURE() << times.size() << " impacts with a step of " << h;
    return {1.0, 1.0};
  }
  const double q = simulation.state().q(oscillator.body)[0], rate = simulation.state().v(oscillator.body)[0];
  return {std::hypot(q - v * std::sin(Oscillator::w * T) / Oscillator::w, rate - v * std::cos(Oscillator::w * T)),
          std::abs(times[2] - 3.0 * half)};
}

TEST(Impacts, EachIntegratorKeepsItsOrder) {
  // Steps that hold an impact are cut there, at another fraction for each h, which moves single errors by the share of
  // a step: the fit of some halvings is within 0.4 of the order, p - 1 of an event found to a lower order is not. On
  // a linear oscillator a method of odd order p errs in the amplitude at h^p and in the phase, which makes the
  // instants, at h^(p+1) only.
  struct Case {
    std::string name;
    SmoothIntegrator integrator;
    double order, instants, first;
    int halvings;
  };
  const Case cases[] = {{"Dormand-Prince 5", DormandPrince{5}, 5.0, 6.0, 0.2, 4},
                        {"Dormand-Prince 8", DormandPrince{8}, 8.0, 8.0, 0.8, 3},
                        {"Radau IIA", RadauIIA{}, 5.0, 6.0, 0.4, 4},
                        {"generalised-alpha", GeneralisedAlpha{}, 2.0, 2.0, 0.02, 4}};
  for (const Case& one : cases) {
    const auto state = [&](double h) { return oscillator_errors(one.integrator, h).state; };
    const auto instant = [&](double h) { return oscillator_errors(one.integrator, h).instant; };
    EXPECT_NEAR(fitted_order(one.first, one.halvings, state), one.order, 0.4) << one.name << ", state";
    EXPECT_NEAR(fitted_order(one.first, one.halvings, instant), one.instants, 0.4) << one.name << ", instant";
  }
}

TEST(Impacts, BilliardInACircleKeepsAngleAndMomentum) {
  // e = 1 in a circle of radius R: chords of 2 R cos(a), a from the normal, L = R v sin(a) kept. Flights are straight;
  // an instant is known to some eps R / (v cos(a)), the direction to as much, and it turns by k of that in k chords:
  // the instants by k^2 / 2.
  const double R = 2.0, speed = 3.0;
  for (const double a : {0.0, 0.3, 1.0, 1.45}) {
    NonSmoothDynamicalSystem model;
    const auto point = model.add(LagrangianLinearSystem{
        .q0 = {R, 0.0}, .v0 = {-speed * std::cos(a), speed * std::sin(a)}});  // from the wall, inwards
    model.link(point,
               ScleronomousRelation{.h = [=](ConstVectorRef q, VectorRef y) { y[0] = R - q.norm(); },
                                    .H = [](ConstVectorRef q, MatrixRef H) { H = -q.transpose() / q.norm(); }},
               NewtonImpactLaw{.restitution = 1.0});
    EventDriven simulation(model);
    const double period = 2.0 * R * std::cos(a) / speed;
    std::vector<double> expected;
    for (int k = 1; k <= 100; ++k) expected.push_back(k * period);
    run_to(simulation, 100.5 * period);
    const double tolerance = 5000.0 * 4.0 * std::numeric_limits<double>::epsilon() * R / std::cos(a);
    expect_times(times_of(simulation, EventKind::Impact), expected, tolerance);
    const Eigen::Vector2d q = simulation.state().q(point), v = simulation.state().v(point);
    EXPECT_NEAR(q[0] * v[1] - q[1] * v[0], R * speed * std::sin(a), speed * tolerance) << a;
    EXPECT_NEAR(v.norm(), speed, speed * tolerance) << a;
    EXPECT_NEAR(q.norm(), R * std::sin(a), tolerance) << a;  // in the middle of a chord: nearest to the centre
  }
}

TEST(Impacts, PendulumOnAStopAtItsLowest) {
  // Released at theta_0 over a stop theta >= 0, l = 1: the first impact after K(k_0) / w, w = sqrt(g / l),
  // k = sin(theta_0 / 2); energy falls by e^2 at each, so k_n = e^n k_0, the next one after 2 K(k_n) / w.
  // Tolerances 1e-10 a step, some hundred steps with factors of a few (dT/dtheta): 1e-8.
  const double e = 0.8, w = std::sqrt(kGravity), angle = 2.0, k0 = std::sin(0.5 * angle);
  std::vector<double> expected{std::comp_ellint_1(k0) / w};
  for (int n = 1; n < 8; ++n) expected.push_back(expected.back() + 2.0 * std::comp_ellint_1(std::pow(e, n) * k0) / w);
  const double end = expected.back() + 0.1;

  NonSmoothDynamicalSystem minimal;
  const auto arm = minimal.add(LagrangianSystem{
      .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -kGravity * std::sin(q[0]); },
      .q0 = {angle}});
  minimal.link(arm, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  EventDriven first(minimal);
  run_to(first, end);
  expect_times(times_of(first, EventKind::Impact), expected, 1e-8);

  // The same in x and y, on a rod |q| = l, with the stop x >= 0: an impact that the rod answers to.
  NonSmoothDynamicalSystem cartesian;
  const auto bob = cartesian.add(
      LagrangianLinearSystem{.force = {0.0, -kGravity}, .q0 = {std::sin(angle), -std::cos(angle)}, .v0 = {0.0, 0.0}});
  cartesian.link(
      bob,
      ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = 0.5 * (q.squaredNorm() - 1.0); },
                           .H = [](ConstVectorRef q, MatrixRef H) { H = q.transpose(); },
                           .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = v.squaredNorm(); }},
      EqualityLaw{});
  cartesian.link(bob, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{.restitution = e});
  EventDriven second(cartesian);
  run_to(second, end);
  expect_times(times_of(second, EventKind::Impact), expected, 1e-8);
}

/// A block of half height a and half width b on its corners, tilted about the left one; sticks (mu = 2).
struct RockingBlock {
  double a, b, tilt, m = 3.0;
  double R = std::hypot(a, b), alpha = std::atan2(b, a), p = std::sqrt(0.75 * kGravity / R);
  double ratio = 1.0 - 1.5 * std::sin(alpha) * std::sin(alpha);  ///< of rates at an impact (Housner)

  /// theta'^2 = 2 p^2 (cos(alpha - tilt) - cos(alpha - theta)): the rate at the impact from a tilt, and back.
  [[nodiscard]] double rate(double from) const {
    return p * std::sqrt(2.0 * (std::cos(alpha - from) - std::cos(alpha)));
  }
  [[nodiscard]] double highest(double rate) const {
    return alpha - std::acos(std::cos(alpha) + 0.5 * rate * rate / (p * p));
  }
  /// From rest at that tilt to the impact: t = int dphi / sqrt(2 p^2 (cos phi_0 - cos phi)), phi = phi_0 + from s^2.
  [[nodiscard]] double quarter(double from) const {
    const double start = alpha - from;
    return integral(1.0, [&](double s) {
      // cos x - cos y = 2 sin((y - x) / 2) sin((y + x) / 2), free of cancellation
      const double half = 0.5 * from * s * s;
      return 2.0 * from * s / (2.0 * p * std::sqrt(std::sin(half) * std::sin(start + half)));
    });
  }

  [[nodiscard]] NonSmoothDynamicalSystem model() const {
    NonSmoothDynamicalSystem system;
    const double c = std::cos(tilt), s = std::sin(tilt);
    const auto block =
        system.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, m * (a * a + b * b) / 3.0).asDiagonal(),
                                          .force = {0.0, -m * kGravity, 0.0},
                                          .q0 = {c * b - s * a, s * b + c * a, tilt}});
    for (const double side : {-b, b}) {
      ScleronomousRelation corner;
      corner.rows = 2;
      corner.h = [side, a = a](ConstVectorRef q, VectorRef y) {
        y[0] = q[1] + std::sin(q[2]) * side - std::cos(q[2]) * a;
        y[1] = q[0] + std::cos(q[2]) * side + std::sin(q[2]) * a;
      };
      corner.H = [side, a = a](ConstVectorRef q, MatrixRef H) {
        H(0, 1) = H(1, 0) = 1.0;
        H(0, 2) = std::cos(q[2]) * side + std::sin(q[2]) * a;
        H(1, 2) = -std::sin(q[2]) * side + std::cos(q[2]) * a;
      };
      corner.curvature = [side, a = a](ConstVectorRef q, ConstVectorRef v, VectorRef value) {
        value[0] = v[2] * v[2] * (-std::sin(q[2]) * side + std::cos(q[2]) * a);
        value[1] = v[2] * v[2] * (-std::cos(q[2]) * side - std::sin(q[2]) * a);
      };
      system.link(block, corner, NewtonImpactFrictionLaw{.friction = 2.0}, side < 0.0 ? "left" : "right");
    }
    return system;
  }
};

TEST(Impacts, RockingBlockHasItsQuarterPeriodsAndRatio) {
  const RockingBlock block{.a = 0.5, .b = 0.1, .tilt = 0.1};
  // The linear one, acosh(1 / (1 - tilt / alpha)) / p, is off by alpha^2.
  const double first = block.quarter(block.tilt), r = block.ratio, rate = block.rate(block.tilt);
  EXPECT_NEAR(first, std::acosh(1.0 / (1.0 - block.tilt / block.alpha)) / block.p, block.alpha * block.alpha * first);
  std::vector<double> expected{first};
  for (int n = 1; n < 6; ++n) {
    expected.push_back(expected.back() + 2.0 * block.quarter(block.highest(rate * std::pow(r, n))));
  }
  EventDriven simulation(block.model());
  std::vector<double> ratios;
  const auto report =
      simulation.advance_to(expected.back() + 0.05, EventDrivenObserver{.instant = [&](const Instant& at) {
                              ratios.push_back(at.after.unknowns[2] / at.before.unknowns[2]);
                              return true;
                            }});
  ASSERT_TRUE(report) << report.message();
  expect_times(times_of(simulation, EventKind::Impact), expected, 1e-8);  // as for the pendulum
  ASSERT_EQ(ratios.size(), expected.size());
  // Both corners are on the floor to round-off: the ratio is the impact problem's.
  for (const double ratio : ratios) EXPECT_NEAR(ratio, r, 1e-12);
  EXPECT_EQ(events_of(simulation, EventKind::Slip).size(), 0u);
}

TEST(Impacts, RockingBlockComesToRest) {
  // Each impact leaves r of the rate: infinitely many in a finite time, at two corners in turn, both with e = 0.
  for (const double b : {0.1, 0.35}) {
    const RockingBlock block{.a = 0.5, .b = b, .tilt = 0.05};
    double end = block.quarter(block.tilt), rate = block.rate(block.tilt) * block.ratio;
    // The rest of the series when it is as good as linear: theta'' = -p^2 sin(alpha), flights of 2 rate / that.
    const double brake = block.p * block.p * std::sin(block.alpha);
    for (; rate > 1e-6; rate *= block.ratio) end += 2.0 * block.quarter(block.highest(rate));
    end += 2.0 * rate / brake / (1.0 - block.ratio);
    EventDriven simulation(block.model());
    const auto report = simulation.advance_to(end + 1.0);
    ASSERT_TRUE(report) << b << ": " << report.message();
    const State& state = simulation.state();
    EXPECT_NEAR(state.positions[2], 0.0, 1e-12) << b;
    EXPECT_NEAR(state.unknowns.norm(), 0.0, 1e-15) << b;
    EXPECT_NEAR(state.positions[1], block.a, 1e-12) << b;
    // Half the weight on each corner: m g b moments.
    EXPECT_NEAR(state.forces[0], 0.5 * block.m * kGravity, 1e-8) << b;
    EXPECT_NEAR(state.forces[2], 0.5 * block.m * kGravity, 1e-8) << b;
    const auto carried = events_of(simulation, EventKind::Accumulation);
    ASSERT_EQ(carried.size(), 1u) << b;
    EXPECT_LE(carried[0].value, 1e-12) << b;
    // Each impact's error is part of the next flight's: 1e-14 of the first is 6e-9 of the 160th of 200, and the sum of
    // what is left out is 1 / (1 - r), 25, times the last flight's.
    EXPECT_NEAR(carried[0].end, end, 1e-7) << b;
  }
}

}  // namespace
}  // namespace nonsmooth::impacts_test
