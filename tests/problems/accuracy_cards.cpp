// SPDX-License-Identifier: Apache-2.0
#include <problems/accuracy_cards.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <problems/mechanics.hpp>
#include <problems/models.hpp>

namespace nonsmooth::problems {

AdaptiveOptions AccuracyCard::asking(double eps) const {
  return {.stepping = {.integrator = integrator, .step = longest},
          .accuracy = {.position = {.absolute = eps * position},
                       .velocity = {.absolute = eps * velocity},
                       .state = {.absolute = eps * state},
                       .span = T,
                       .events = events},
          .instants = instants};
}

AccuracyCard ball_card() {
  AccuracyCard card{.name = "bouncing ball", .model = {}, .longest = 0.1, .T = 2.0, .events = 5};
  const auto ball = card.model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-9.81}, .q0 = {1.0}});
  card.model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.8}, "floor");
  card.velocity = 4.0;
  return card;
}

AccuracyCard friction_oscillator_card() {
  return {.name = "friction oscillator",
          .model = friction_oscillator().system,
          .integrator = EulerMoreau{.theta = 0.5},
          .longest = 0.5,
          .T = 25.0,
          .events = 10,
          .state = 13.0};
}

AccuracyCard woodpecker_card() {
  return {.name = "woodpecker",
          .model = woodpecker().system,
          .longest = 4e-3,
          .T = 0.28,
          .events = 20,
          .position = 1.0,
          .velocity = 10.0};
}

AccuracyCard buck_card() {
  constexpr double E = 20.0, L = 20e-3, C = 47e-6, R = 22.0, gain = 4.0, reference = 11.3, period = 400e-6;
  AccuracyCard card{.name = "buck converter",
                    .model = {},
                    .integrator = EulerMoreau{.theta = 0.5},
                    .longest = period / 8.0,
                    .T = 10.0 * period,
                    .events = 20,
                    .state = 10.0};
  // x = (Z i, v), both in volts, Z^2 = L / C: a bound on both then says the same.
  const double rate = 1.0 / std::sqrt(L * C), Z = std::sqrt(L / C);
  const auto converter = card.model.add(
      FirstOrderLinearSystem{.A = {{0.0, -rate}, {rate, -1.0 / (R * C)}}, .x0 = {0.5 * Z, 11.5}, .name = "converter"});
  // The end of a period belongs to it; what is asked 16 roundings behind belongs to the next.
  const auto sawtooth = [](double t, VectorRef e) {
    const double begun = std::ceil(t / period * (1.0 - 1.8e-15)) - 1.0;
    e[0] = -gain * reference - (3.8 + 4.4 * (t / period - begun));
  };
  card.model.link(converter, FirstOrderLinearRelation{.C = {{0.0, gain}}, .B = {{E * rate}, {0.0}}, .e = sawtooth},
                  RelayLaw{.lower = 0.0, .upper = 1.0}, "switch");
  for (Index k = 1; k < 10; ++k) card.instants.push_back(static_cast<double>(k) * period);
  return card;
}

AccuracyCard beam_card() {
  constexpr std::array<double, 3> roots{1.8751040687119611, 4.694091132974175, 7.854757438237613};
  AccuracyCard card{.name = "beam against a stop", .model = {}, .longest = 0.02, .T = 2.0, .events = 20};
  Eigen::Matrix3d stiffness = Eigen::Matrix3d::Zero(), damping = Eigen::Matrix3d::Zero();
  Eigen::RowVector3d tip;
  for (Index i = 0; i < 3; ++i) {
    const double ratio = roots[static_cast<std::size_t>(i)] / roots[0], omega = 2.0 * std::numbers::pi * ratio * ratio;
    stiffness(i, i) = omega * omega;
    damping(i, i) = 0.02 * omega;
    tip[i] = i % 2 == 0 ? 2.0 : -2.0;  // modes of unit mass are 2 at a free end
  }
  const auto beam = card.model.add(LagrangianLinearSystem{.mass = Eigen::Matrix3d(Eigen::Matrix3d::Identity()),
                                                          .damping = damping,
                                                          .stiffness = stiffness,
                                                          .q0 = {0.5, 0.0, 0.0},
                                                          .name = "beam"});
  card.model.link(beam, LagrangianLinearRelation{.H = tip, .b = {0.1}}, NewtonImpactLaw{.restitution = 0.5}, "stop");
  card.velocity = 3.0;
  return card;
}

std::vector<AccuracyCard> accuracy_cards() {
  return {ball_card(), woodpecker_card(), friction_oscillator_card(), buck_card(), beam_card()};
}

namespace {

/// Until T, beside the reference.
GlobalError error_of(const AccuracyCard& card, TimeStepping& run) {
  GlobalError error;
  EventDrivenOptions by_events{.relative_tolerance = 1e-12, .absolute_tolerance = 1e-14, .repair_initial_state = true};
  if (!card.instants.empty()) by_events.events = {{.name = "known", .instants = card.instants}};
  EventDriven reference(card.model, by_events);
  run.set_state(reference.state());  // repaired in another metric
  double t = 0.0;
  bool reached = true;
  const RunReport report = run.advance_to(card.T, [&](const State& state) {
    const RunReport other = reference.advance_to(state.t);
    reached = other.ok();
    if (!reached) error.message = other.message();
    if (!reached) return false;
    const double weight = (state.t - t) / card.T;
    t = state.t;
    const auto add = [&](const auto& a, const auto& b, double one, double& sum) {
      if (a.size() > 0) sum += weight * (a - b).template lpNorm<Eigen::Infinity>() / one;
    };
    const State& exact = reference.state();
    add(state.positions, exact.positions, card.position, error.position);
    const bool mechanical = state.positions.size() > 0;
    add(state.unknowns, exact.unknowns, mechanical ? card.velocity : card.state,
        mechanical ? error.velocity : error.state);
    return true;
  });
  error.ok = report.ok() && reached;
  if (!report.ok()) error.message = report.message();
  return error;
}

}  // namespace

GlobalError global_error(const AccuracyCard& card, const AdaptiveOptions& options) {
  AdaptiveOptions repaired = options;
  repaired.stepping.repair_initial_state = true;  // the woodpecker begins 1 um inside of its bar
  AdaptiveTimeStepping run(card.model, repaired);
  GlobalError error = error_of(card, run);
  error.steps = run.steps();
  return error;
}

GlobalError global_error(const AccuracyCard& card, double step) {
  TimeSteppingOptions options = card.asking(1.0).stepping;
  options.step = step;
  options.repair_initial_state = true;
  TimeStepping run(card.model, options);
  return error_of(card, run);
}

}  // namespace nonsmooth::problems
