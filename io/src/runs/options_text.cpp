// SPDX-License-Identifier: Apache-2.0
#include "options_text.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <typeinfo>
#include <variant>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/finite_element_stepping.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "../known_solver.hpp"
#include "../number.hpp"

namespace nonsmooth::runs {
namespace {

class Lines {
 public:
  Lines& add(std::string_view name, const std::string& value) {
    text_.append(text_.empty() ? "" : "\n").append(name).append(" = ").append(value);
    return *this;
  }
  Lines& add(std::string_view name, double value, const char* unit = "") { return add(name, number(value) + unit); }
  Lines& add(std::string_view name, Index value) { return add(name, std::to_string(value)); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string text_of(const Integrator& integrator) {
  const SchemeCoefficients own = integrator->coefficients();
  std::string text = integrator->name();
  for (const double x : {own.theta, own.explicit_point, own.position, own.velocity, own.forecast,
                         own.configuration_weight, own.multiplier_weight, own.relation_weight, own.recovery, own.reach})
    text += " " + number(x);
  return text;
}

std::string text_of(const TimeSteppingOptions& options) {
  Lines lines;
  lines.add("integrator", text_of(options.integrator)).add("step", options.step, " s");
  const std::optional<KnownSolver> solver = known_solver(options.solver);
  lines.add("solver", solver ? solver->name + ", tolerance " + number(solver->tolerance) : "of the user's own");
  lines.add("newton", number(options.newton.tolerance) + " " + std::to_string(options.newton.max_iterations) + " " +
                          std::to_string(options.newton.max_halvings) + " " +
                          number(options.newton.residual_tolerance));
  lines.add("on_failure", static_cast<Index>(options.on_failure)).add("max_subdivisions", options.max_subdivisions);
  lines.add("form", static_cast<Index>(options.form)).add("dependent_rows", options.dependent_rows);
  lines.add("projection", std::to_string(static_cast<int>(options.projection.kind)) + " " +
                              number(options.projection.unilateral_tolerance) + " " +
                              number(options.projection.bilateral_tolerance) + " " +
                              std::to_string(options.projection.max_iterations));
  lines.add("sleep", number(options.sleep.rest) + " " + std::to_string(options.sleep.steps) + " " +
                         number(options.sleep.force_change));
  for (const auto& [system, integrator] : options.integrators)
    lines.add("integrator of slot " + std::to_string(system.slot), text_of(integrator));
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
  lines.add("thresholds", number(options.thresholds.position) + " " + number(options.thresholds.acceleration));
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
  lines.add("thresholds", number(own.position) + " " + number(own.velocity) + " " + number(own.acceleration) + " " +
                              number(own.accumulation) + " " + std::to_string(own.accumulation_impacts) + " " +
                              std::to_string(own.chattering_events));
  if (options.impulse_step > 0.0) lines.add("impulse_step", options.impulse_step, " N s");
  if (options.on_ambiguity != OnAmbiguity::Stop) lines.add("on_ambiguity", text_of(options.on_ambiguity));
  for (std::size_t k = 0; k < options.events.size(); ++k)
    lines.add("events[" + std::to_string(k) + "]", text_of(options.events[k]));
  return lines.take();
}

}  // namespace

std::string kind_of(const Simulation& simulation) {
  if (dynamic_cast<const TimeStepping*>(&simulation)) return "TimeStepping";
  if (dynamic_cast<const EventDriven*>(&simulation)) return "EventDriven";
  if (dynamic_cast<const FiniteElementStepping*>(&simulation)) return "FiniteElementStepping";
  return typeid(simulation).name();
}

std::string options_of(const Simulation& simulation) {
  if (const auto* stepping = dynamic_cast<const TimeStepping*>(&simulation)) return text_of(stepping->options());
  if (const auto* events = dynamic_cast<const EventDriven*>(&simulation)) return text_of(events->options());
  if (const auto* elements = dynamic_cast<const FiniteElementStepping*>(&simulation))
    return text_of(elements->options());
  return {};
}

}  // namespace nonsmooth::runs
