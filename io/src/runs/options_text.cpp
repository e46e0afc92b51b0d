// SPDX-License-Identifier: Apache-2.0
#include "options_text.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <typeinfo>
#include <variant>

#include <nonsmooth/kernel/adaptive_time_stepping.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/finite_element_stepping.hpp>
#include <nonsmooth/kernel/real_time_stepping.hpp>
#include <nonsmooth/kernel/staged_integrator.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "../known_solver.hpp"
#include "../number.hpp"

namespace nonsmooth::runs {
namespace {

class Lines {
 public:
  Lines& add(std::string_view name, const std::string& value) {
    return add_line(std::string(name).append(" = ").append(value));
  }
  Lines& add(std::string_view name, double value, const char* unit = "") { return add(name, number(value) + unit); }
  Lines& add(std::string_view name, Index value) { return add(name, std::to_string(value)); }
  Lines& add_line(const std::string& line) {
    text_.append(text_.empty() ? "" : "\n").append(line);
    return *this;
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// "head: name = value; name = value", of which differing_lines() tells the fields that differ.
class Fields {
 public:
  explicit Fields(const std::string& head) : text_(head + ":") {}
  Fields& add(std::string_view name, const std::string& value) {
    text_.append(first_ ? " " : "; ").append(name).append(" = ").append(value);
    first_ = false;
    return *this;
  }
  Fields& add(std::string_view name, double value) { return add(name, number(value)); }
  Fields& add(std::string_view name, Index value) { return add(name, std::to_string(value)); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

std::string numbers(const Eigen::Ref<const Eigen::MatrixXd>& values) {
  std::string text;
  for (const double value : values.reshaped<Eigen::RowMajor>()) text += (text.empty() ? "" : " ") + number(value);
  return "[" + text + "]";
}

/// Schemes of one name differ by their tables; that of equal steps stands for all.
void add_stages(const StagedIntegrator& scheme, Fields& fields) {
  const StageTable table = scheme.table(1.0);
  fields.add("stages", table.b.size()).add("locates", Index{scheme.locates()}).add("looks", scheme.looks());
  fields.add("kept", static_cast<Index>(scheme.kept()));
  fields.add("a", numbers(table.a)).add("b", numbers(table.b)).add("c", numbers(table.c));
  fields.add("u", numbers(table.u)).add("v", table.v);
}

std::string fields_of(const std::string& head, const Integrator& integrator) {
  const SchemeCoefficients own = integrator->coefficients();
  Fields fields(head);
  fields.add("scheme", integrator->name()).add("theta", own.theta).add("explicit_point", own.explicit_point);
  fields.add("position", own.position).add("velocity", own.velocity).add("forecast", own.forecast);
  fields.add("configuration_weight", own.configuration_weight).add("multiplier_weight", own.multiplier_weight);
  fields.add("relation_weight", own.relation_weight).add("recovery", own.recovery).add("reach", own.reach);
  fields.add("explicit_configuration", Index{own.explicit_configuration}).add("level", static_cast<Index>(own.level));
  fields.add("keeps_unknown", Index{own.keeps_unknown}).add("exponential", Index{own.exponential});
  fields.add("generalised_alpha", Index{own.generalised_alpha});
  if (own.generalised_alpha) fields.add("keeps", "(A - a) / h");  // earlier runs kept A itself
  if (const auto* staged = dynamic_cast<const StagedIntegrator*>(integrator.pointer().get()))
    add_stages(*staged, fields);
  return fields.take();
}

/// `limited`: by a RealTimeStepping, whose clock writes the time limit anew each step.
std::string fields_of(const AnySolver& solver, bool limited) {
  Fields fields("solver");
  const std::optional<KnownSolver> known = known_solver(solver);
  fields.add("algorithm", known ? known->name : "of the user's own");
  for (const auto& [name, value] : nonsmooth::options_of(solver)) {
    if (!limited || name != "time_limit") fields.add(name, value);
  }
  return fields.take();
}

void add_bound(Lines& lines, std::string_view name, const ErrorBound& bound) {
  lines.add_line(Fields(std::string(name)).add("absolute", bound.absolute).add("relative", bound.relative).take());
}

/// What a simulation that chooses steps, or their problems' time, adds.
void add_control(Lines& lines, const TimeStepping& simulation) {
  if (const auto* timed = dynamic_cast<const RealTimeStepping*>(&simulation))
    lines.add("budget", timed->budget(), " s");
  const auto* adaptive = dynamic_cast<const AdaptiveTimeStepping*>(&simulation);
  if (adaptive == nullptr) return;
  const AdaptiveOptions& own = adaptive->adaptive_options();
  add_bound(lines, "accuracy of positions", own.accuracy.position);
  add_bound(lines, "accuracy of velocities", own.accuracy.velocity);
  add_bound(lines, "accuracy of states", own.accuracy.state);
  lines.add("span", own.accuracy.span, " s").add("events", own.accuracy.events).add("halvings", own.halvings);
  if (own.instants.empty()) return;
  std::string instants;
  for (const double t : own.instants) instants += (instants.empty() ? "" : " ") + number(t);
  lines.add("instants", instants);
}

std::string text_of(const TimeStepping& simulation) {
  const TimeSteppingOptions& options = simulation.options();
  Lines lines;
  lines.add_line(fields_of("integrator", options.integrator)).add("step", options.step, " s");
  lines.add_line(fields_of(options.solver, dynamic_cast<const RealTimeStepping*>(&simulation) != nullptr));
  lines.add_line(Fields("newton")
                     .add("tolerance", options.newton.tolerance)
                     .add("max_iterations", options.newton.max_iterations)
                     .add("max_halvings", options.newton.max_halvings)
                     .add("residual_tolerance", options.newton.residual_tolerance)
                     .take());
  lines.add("on_failure", static_cast<Index>(options.on_failure)).add("max_subdivisions", options.max_subdivisions);
  lines.add("form", static_cast<Index>(options.form)).add("dependent_rows", options.dependent_rows);
  lines.add_line(Fields("projection")
                     .add("kind", static_cast<Index>(options.projection.kind))
                     .add("unilateral_tolerance", options.projection.unilateral_tolerance)
                     .add("bilateral_tolerance", options.projection.bilateral_tolerance)
                     .add("max_iterations", options.projection.max_iterations)
                     .take());
  lines.add_line(Fields("sleep")
                     .add("rest", options.sleep.rest)
                     .add("steps", options.sleep.steps)
                     .add("force_change", options.sleep.force_change)
                     .take());
  if (options.repair_initial_state) lines.add("repair_initial_state", Index{1});  // also of an edit
  for (const auto& [system, integrator] : options.integrators)
    lines.add_line(fields_of("integrator of slot " + std::to_string(system.slot), integrator));
  add_control(lines, simulation);
  return lines.add("threads", static_cast<Index>(options.threads)).take();
}

std::string text_of(const SmoothIntegrator& integrator) {
  constexpr std::array<const char*, 5> names = {"DormandPrince", "RadauIIA", "Cvode", "GeneralisedAlpha", "Ida"};
  std::string text = names[integrator.index()];
  if (const auto* pair = std::get_if<DormandPrince>(&integrator)) text += " " + std::to_string(pair->order);
  if (const auto* cvode = std::get_if<Cvode>(&integrator))
    text += cvode->method == Cvode::Method::Bdf ? " BDF" : " Adams";
  if (const auto* alpha = std::get_if<GeneralisedAlpha>(&integrator)) text += " rho " + number(alpha->rho);
  return text;
}

std::string text_of(const UserEvent& event) {
  std::string text = event.name + ", first " + number(event.first) + ", period " + number(event.period) + ", " +
                     (event.guard ? "a guard" : "no guard") + ", direction " +
                     std::to_string(static_cast<int>(event.direction)) + ", feature " + number(event.smallest_feature) +
                     (event.action ? ", an action" : "") + (event.terminal ? ", terminal" : "") + ", at";
  for (const double instant : event.instants) text += " " + number(instant);
  return text;
}

std::string text_of(OnAmbiguity choice) {
  static constexpr std::array<const char*, 7> kNames = {"Stop",    "First",  "LeastNorm",    "Utkin",
                                                        "Moments", "Choose", "ImplicitLimit"};
  return kNames[static_cast<std::size_t>(choice)];
}

std::string text_of(const FiniteElementOptions& options) {
  Lines lines;
  const bool radau = options.family == FiniteElementFamily::RadauIIA;
  lines.add("family", std::string(radau ? "RadauIIA" : "GaussLegendre")).add("stages", options.stages);
  lines.add("step", options.step, " s").add("elements", options.elements);
  lines.add_line(Fields("thresholds")
                     .add("position", options.thresholds.position)
                     .add("acceleration", options.thresholds.acceleration)
                     .take());
  if (options.on_ambiguity != OnAmbiguity::Stop) lines.add("on_ambiguity", text_of(options.on_ambiguity));
  return lines.take();
}

std::string text_of(const EventDrivenOptions& options) {
  Lines lines;
  lines.add("integrator", text_of(options.integrator));
  lines.add("relative_tolerance", options.relative_tolerance).add("absolute_tolerance", options.absolute_tolerance);
  if (options.step > 0.0) lines.add("step", options.step, " s");
  if (options.largest_step > 0.0) lines.add("largest_step", options.largest_step, " s");
  const EventThresholds& own = options.thresholds;
  lines.add_line(Fields("thresholds")
                     .add("position", own.position)
                     .add("velocity", own.velocity)
                     .add("acceleration", own.acceleration)
                     .add("accumulation", own.accumulation)
                     .add("accumulation_impacts", own.accumulation_impacts)
                     .add("chattering_events", own.chattering_events)
                     .take());
  if (options.repair_initial_state) lines.add("repair_initial_state", Index{1});
  if (options.impulse_step > 0.0) lines.add("impulse_step", options.impulse_step, " N s");
  if (options.on_ambiguity != OnAmbiguity::Stop) lines.add("on_ambiguity", text_of(options.on_ambiguity));
  for (std::size_t k = 0; k < options.events.size(); ++k)
    lines.add("events[" + std::to_string(k) + "]", text_of(options.events[k]));
  return lines.take();
}

}  // namespace

std::string kind_of(const Simulation& simulation) {
  if (dynamic_cast<const AdaptiveTimeStepping*>(&simulation)) return "AdaptiveTimeStepping";
  if (dynamic_cast<const RealTimeStepping*>(&simulation)) return "RealTimeStepping";
  if (dynamic_cast<const TimeStepping*>(&simulation)) return "TimeStepping";
  if (dynamic_cast<const EventDriven*>(&simulation)) return "EventDriven";
  if (dynamic_cast<const FiniteElementStepping*>(&simulation)) return "FiniteElementStepping";
  return typeid(simulation).name();
}

std::string options_of(const Simulation& simulation) {
  if (const auto* stepping = dynamic_cast<const TimeStepping*>(&simulation)) return text_of(*stepping);
  if (const auto* events = dynamic_cast<const EventDriven*>(&simulation)) return text_of(events->options());
  if (const auto* elements = dynamic_cast<const FiniteElementStepping*>(&simulation))
    return text_of(elements->options());
  return {};
}

}  // namespace nonsmooth::runs
