// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/event_driven.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "event_loop.hpp"
#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

/// Of an output step: what rounding makes of k output_step.
constexpr double kSameInstant = 1e-9;
/// 200 times as many can still be counted.
constexpr Index kMostChattering = 1'000'000'000'000'000;

/// The problem on which a run failed that ended so; empty where that was none.
const OneStepNSProblem& failed_problem(const EventDriven& simulation, RunReport::Outcome outcome) {
  static const OneStepNSProblem kNone;
  const bool impact = outcome == RunReport::Outcome::ImpactUnsolved;
  if (!impact && outcome != RunReport::Outcome::NoMode) return kNone;
  const std::array<const OneStepNSProblem*, 2> candidates =
      impact ? std::array{&simulation.impact_problem(), &simulation.jump_problem()}
             : std::array{&simulation.problem(), &simulation.mode_problem()};
  for (const OneStepNSProblem* one : candidates)
    if (!one->empty() && !one->result.ok()) return *one;
  for (const OneStepNSProblem* one : candidates)
    if (!one->empty()) return *one;
  return kNone;
}

const events::EventSensitivities& asked(const events::EventLoop& loop, const char* by) {
  if (!loop.sensitivities()) throw InvalidArgument(by, "EventDrivenOptions::sensitivities = false", "true");
  return *loop.sensitivities();
}

}  // namespace

void EventDrivenOptions::validate() const {
  const auto at_least_zero = [](const char* field, double value) {
    check::range(field, value, 0.0, std::numeric_limits<double>::max());
  };
  check::range("EventDrivenOptions::relative_tolerance", relative_tolerance, 1e-14, 1.0);
  check::positive("EventDrivenOptions::absolute_tolerance", absolute_tolerance);
  at_least_zero("EventDrivenOptions::step", step);
  at_least_zero("EventDrivenOptions::largest_step", largest_step);
  at_least_zero("EventDrivenOptions::impulse_step", impulse_step);
  check::positive("EventThresholds::position", thresholds.position);
  check::positive("EventThresholds::velocity", thresholds.velocity);
  check::positive("EventThresholds::acceleration", thresholds.acceleration);
  at_least_zero("EventThresholds::accumulation", thresholds.accumulation);
  check::at_least("EventThresholds::accumulation_impacts", thresholds.accumulation_impacts, 4);
  check::within("EventThresholds::chattering_events", thresholds.chattering_events, 2, kMostChattering);
  if ((on_ambiguity == OnAmbiguity::Choose) != static_cast<bool>(choose)) {
    throw InvalidArgument("EventDrivenOptions::choose", choose ? "a function that nobody asks" : "no function",
                          "one with OnAmbiguity::Choose, none otherwise");
  }
  if (const auto* method = std::get_if<DormandPrince>(&integrator)) {
    if (method->order != 5 && method->order != 8)
      throw InvalidArgument("DormandPrince::order", std::to_string(method->order), "8 or 5");
  } else if (const auto* alpha = std::get_if<GeneralisedAlpha>(&integrator)) {
    check::range("GeneralisedAlpha::rho", alpha->rho, 0.0, 1.0);
    if (!(step > 0.0)) {
      throw InvalidArgument("EventDrivenOptions::step", "0 with GeneralisedAlpha", "a step > 0: the method's is fixed");
    }
  } else if (std::holds_alternative<Cvode>(integrator)) {
    if (!Cvode::available()) {
      throw InvalidArgument("EventDrivenOptions::integrator", "Cvode, which this build does not have",
                            "DormandPrince or RadauIIA, or a build with SUNDIALS");
    }
    if (step > 0.0) throw InvalidArgument("EventDrivenOptions::step", "> 0 with Cvode", "0: CVODE chooses its steps");
  } else if (std::holds_alternative<Ida>(integrator)) {
    if (!Ida::available()) {
      throw InvalidArgument("EventDrivenOptions::integrator", "Ida, which this build does not have",
                            "DormandPrince or RadauIIA, or a build with SUNDIALS");
    }
    if (step > 0.0) throw InvalidArgument("EventDrivenOptions::step", "> 0 with Ida", "0: IDA chooses its steps");
  }
  for (std::size_t k = 0; k < events.size(); ++k) {
    const UserEvent& event = events[k];
    const std::string name = "EventDrivenOptions::events[" + std::to_string(k) + "]";
    at_least_zero((name + ".smallest_feature").c_str(), event.smallest_feature);
    for (const double instant : event.instants) check::finite((name + ".instants").c_str(), instant);
    check::finite((name + ".first").c_str(), event.first);
    at_least_zero((name + ".period").c_str(), event.period);
    if (event.instants.empty() && event.period == 0.0 && !event.guard) {
      throw InvalidArgument(name, "neither instants, a period nor a guard", "one of them: it would never happen");
    }
  }
}

struct EventDriven::Implementation : events::EventLoop {
  using EventLoop::EventLoop;
  double shown = -std::numeric_limits<double>::infinity();  ///< the last t of an output grid that was shown [s]
};

EventDriven::EventDriven(NonSmoothDynamicalSystem model, EventDrivenOptions options, double t0)
    : implementation_(std::make_unique<Implementation>(std::move(model), std::move(options), t0)) {}
EventDriven::~EventDriven() = default;
EventDriven::EventDriven(EventDriven&&) noexcept = default;
EventDriven& EventDriven::operator=(EventDriven&&) noexcept = default;

EventDriven::Implementation& EventDriven::implementation() const {
  if (!implementation_) throw InvalidArgument("EventDriven", "one that was moved from", "a simulation that lives");
  return *implementation_;
}

const State& EventDriven::state() const { return implementation().state(); }
const NonSmoothDynamicalSystem& EventDriven::model() const { return implementation().model(); }
const EventDrivenOptions& EventDriven::options() const { return implementation().options(); }
const std::vector<Event>& EventDriven::events() const { return implementation().events(); }
std::vector<Event> EventDriven::take_events() { return implementation().take_events(); }
const Remarks& EventDriven::examination() const { return implementation().examination(); }
const RunRemarks& EventDriven::findings() const { return implementation().findings(); }
const OneStepNSProblem& EventDriven::problem() const {
  const OneStepNSProblem& accelerations = implementation().mechanics().problem();
  return accelerations.empty() ? mode_problem() : accelerations;
}
const OneStepNSProblem& EventDriven::impact_problem() const { return implementation().mechanics().impact_problem(); }
const OneStepNSProblem& EventDriven::mode_problem() const { return implementation().first_order().mode_problem(); }
const OneStepNSProblem& EventDriven::jump_problem() const { return implementation().first_order().jump_problem(); }
const std::vector<OtherMotion>& EventDriven::alternatives() const { return implementation().alternatives(); }
Eigen::VectorXd EventDriven::rates() const {
  Eigen::VectorXd value;
  try {
    implementation().rates(implementation().state().t, value);
  } catch (const CallableFailure& failure) {
    throw InvalidArgument("EventDriven::rates: model", failure.detail, "functions that can be asked at the state");
  }
  return value;
}
Eigen::VectorXd EventDriven::rates(SystemHandle system) const {
  const Layout::System& place = model().layout()->at(system);
  return rates().segment(place.z, place.n);
}
Sensitivity EventDriven::sensitivity(SystemHandle system) const { return sensitivity(system, system); }
Sensitivity EventDriven::sensitivity(SystemHandle of, SystemHandle by) const {
  return asked(implementation(), "EventDriven::sensitivity").of(of, by);
}
Eigen::VectorXd EventDriven::directional_sensitivity(SystemHandle system, ConstVectorRef direction) const {
  return asked(implementation(), "EventDriven::directional_sensitivity").along(system, direction);
}
Eigen::VectorXd EventDriven::restitution_sensitivity(SystemHandle of, InteractionHandle contact) const {
  return asked(implementation(), "EventDriven::restitution_sensitivity").by_restitution(of, contact);
}
void EventDriven::set_state(const State& state) {
  implementation().set_state(state);
  implementation().shown = -std::numeric_limits<double>::infinity();
}

void EventDriven::adopt(NonSmoothDynamicalSystem model) {
  if (implementation().running())
    throw InvalidArgument("EventDriven::edit", "a call from an observer or an event's action",
                          "one between two calls of advance_to()");
  if (implementation().waits())
    throw InvalidArgument("EventDriven::edit", "an instant at the present time that is not handled yet",
                          "advance_to() the present time before");
  auto changed = std::make_unique<Implementation>(std::move(model), implementation());
  changed->shown = implementation().shown;
  implementation_ = std::move(changed);
}

RunReport EventDriven::run(double T, Call call, void* observer) {
  if (!call) return advance_to(T, EventDrivenObserver{});
  State shown = state();
  shown.events = {};  // of where the last call ended
  StepReport step;
  bool is_told = false;  // what problem() says: another one comes with an instant alone
  const auto show = [&](const State& at) {
    if (!std::exchange(is_told, true)) {
      step = {};
      tell_of_problem(problem(), step);
    }
    step.t = at.t;
    return call(observer, at, step);
  };
  return advance_to(T, EventDrivenObserver{.segment =
                                               [&](const SmoothSegment& segment) {
                                                 segment.evaluate(segment.end(), shown);
                                                 return show(shown);
                                               },
                                           .instant =
                                               [&](const Instant& at) {
                                                 is_told = false;
                                                 return show(at.before) && show(at.after);
                                               }});
}

RunReport EventDriven::advance_to(double T, const EventDrivenObserver& observer) {
  begin_call();
  Implementation& loop = implementation();
  const double step = observer.output_step, present = loop.state().t;
  double next = 0.0;  // of the grid, a count
  if (observer.output) {
    check::positive("EventDrivenObserver::output_step", step);
    check::range("EventDrivenObserver::output_step", step, 4.0 * eps * std::max(std::abs(present), std::abs(T)),
                 std::numeric_limits<double>::max());
    next = std::ceil(present / step - kSameInstant);
    if (next * step <= loop.shown + kSameInstant * step) ++next;  // by the call before
  }
  State shown;
  // The loop knows steppers; the segment that an observer gets knows neither.
  const auto segment = [&](double start, double end) {
    for (; observer.output && next * step <= end + kSameInstant * step; ++next) {
      loop.evaluate(std::clamp(next * step, start, end), shown);
      loop.shown = next * step;
      if (!observer.output(shown)) return false;
    }
    if (!observer.segment) return true;
    const SmoothSegment shown_segment(
        start, end,
        [](void* object, double t, State& state) { static_cast<Implementation*>(object)->evaluate(t, state); },
        [](void* object, double t, Eigen::VectorXd& value) { static_cast<Implementation*>(object)->rates(t, value); },
        &loop);
    return observer.segment(shown_segment);
  };
  RunReport report = loop.advance_to(T, segment, observer);
  const OneStepNSProblem& problem = failed_problem(*this, report.outcome);
  if (!problem.empty()) report.problem = std::make_shared<const OneStepNSProblem>(problem);
  end_call(report);
  return report;
}

}  // namespace nonsmooth
