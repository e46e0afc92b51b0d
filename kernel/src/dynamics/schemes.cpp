// SPDX-License-Identifier: Apache-2.0
// Which scheme each system of a model gets, and which it cannot have.
#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "discretisation.hpp"

namespace nonsmooth {
namespace {

void validate(const MoreauJean& scheme) {
  check::range("MoreauJean::theta", scheme.theta, 0.0, 1.0);
  check::range("MoreauJean::forecast", scheme.forecast, 0.0, 1.0);
  check::range("MoreauJean::configuration_weight", scheme.configuration_weight, 0.0, 1.0);
}
void validate(const SchatzmanPaoli& scheme) { check::range("SchatzmanPaoli::theta", scheme.theta, 0.0, 1.0); }
void validate(const EulerMoreau& scheme) {
  check::range("EulerMoreau::theta", scheme.theta, 0.0, 1.0);
  for (const auto& [argument, weight] : {std::pair{"EulerMoreau::multiplier_weight", scheme.multiplier_weight},
                                         std::pair{"EulerMoreau::relation_weight", scheme.relation_weight}}) {
    check::positive(argument, weight);
    check::range(argument, weight, 0.0, 1.0);
  }
}
void validate(const ZeroOrderHold&) {}

bool is_mechanical(const Integrator& integrator) {
  return std::holds_alternative<MoreauJean>(integrator) || std::holds_alternative<SchatzmanPaoli>(integrator);
}

Scheme scheme_of(const Integrator& integrator) {
  Scheme scheme;
  if (const auto* moreau = std::get_if<MoreauJean>(&integrator)) {
    scheme.theta = moreau->theta;
    scheme.forecast = moreau->forecast;
    scheme.configuration_weight = moreau->configuration_weight;
  } else if (const auto* euler = std::get_if<EulerMoreau>(&integrator)) {
    scheme.theta = euler->theta;
    scheme.multiplier_weight = euler->multiplier_weight;
    scheme.relation_weight = euler->relation_weight;
  } else if (const auto* paoli = std::get_if<SchatzmanPaoli>(&integrator)) {
    scheme.two_steps = true;
    scheme.theta = paoli->theta;
  } else {
    scheme.hold = true;
    scheme.theta = std::get<ZeroOrderHold>(integrator).sample == ZeroOrderHold::Sample::End ? 1.0 : 0.0;
  }
  return scheme;
}

const char* name_of(const Integrator& integrator) {
  static constexpr const char* kNames[] = {"MoreauJean", "EulerMoreau", "SchatzmanPaoli", "ZeroOrderHold"};
  return kNames[integrator.index()];
}

/// @throws InvalidArgument where the system cannot have the scheme.
void check_fits(const NonSmoothDynamicalSystem::System& system, const Integrator& integrator) {
  const auto refuse = [&](const char* expected) {
    throw InvalidArgument("TimeSteppingOptions::integrator", std::string(name_of(integrator)) + " for " + system.name,
                          expected);
  };
  const bool mechanical = system.nq > 0;
  if (mechanical != is_mechanical(integrator))
    refuse(mechanical ? "MoreauJean or SchatzmanPaoli, as the system is mechanical"
                      : "EulerMoreau or ZeroOrderHold, as the system is of first order");
  if (std::holds_alternative<SchatzmanPaoli>(integrator)) {
    const auto* linear = system.linear_mechanical();
    if (!linear) refuse("MoreauJean: the position-level scheme is for constant mass, damping and stiffness");
    if (!linear->prescribed.empty()) refuse("MoreauJean: the position-level scheme prescribes no velocities");
  }
  if (std::holds_alternative<ZeroOrderHold>(integrator)) {
    const auto* linear = system.linear_first_order();
    if (!linear || linear->A.function()) refuse("EulerMoreau: a hold is exact for constant A, and for no other");
  }
}

/// The scheme of each system. @throws InvalidArgument for one that a system cannot have, with the reason.
void choose_schemes(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const Layout& layout,
                    std::vector<Scheme>& schemes) {
  schemes.assign(layout.systems.size(), {});
  bool used = false;
  const auto fits = [&](const Layout::System& place) {
    return !place.first_order == is_mechanical(options.integrator);
  };
  for (std::size_t i = 0; i < layout.systems.size(); ++i) {
    const Layout::System& place = layout.systems[i];
    const Integrator fallback = place.first_order ? Integrator(EulerMoreau{}) : Integrator(MoreauJean{});
    const Integrator& integrator = fits(place) ? options.integrator : fallback;
    used = used || fits(place);
    const auto& record = model.systems()[place.slot];
    const bool sweeping = record.sweeping != nullptr;
    const bool single = std::any_of(options.integrators.begin(), options.integrators.end(), [&](const auto& entry) {
      return layout.index(entry.first) == static_cast<Index>(i);
    });
    if (!sweeping && !single) check_fits(record, integrator);
    schemes[i] = scheme_of(integrator);
  }
  for (const auto& [handle, integrator] : options.integrators) {
    const Index i = layout.index(handle);
    const auto& record = model.systems()[layout.systems[static_cast<std::size_t>(i)].slot];
    if (record.sweeping)
      throw InvalidArgument("TimeSteppingOptions::integrators", "a scheme for sweeping process " + record.name,
                            "none: it catches up with its set");
    check_fits(record, integrator);
    schemes[static_cast<std::size_t>(i)] = scheme_of(integrator);
  }
  if (!used && std::holds_alternative<SchatzmanPaoli>(options.integrator)) {
    throw InvalidArgument("TimeSteppingOptions::integrator", "SchatzmanPaoli for a model of first-order systems",
                          "EulerMoreau or ZeroOrderHold");
  }
  if (!used && !is_mechanical(options.integrator)) {
    throw InvalidArgument("TimeSteppingOptions::integrator",
                          std::string(name_of(options.integrator)) + " for a model of mechanical systems",
                          "MoreauJean");
  }
}

}  // namespace

void TimeSteppingOptions::validate() const {
  check::positive("TimeSteppingOptions::step", step);
  std::visit([](const auto& scheme) { nonsmooth::validate(scheme); }, integrator);
  for (const auto& [handle, scheme] : integrators)
    std::visit([](const auto& known) { nonsmooth::validate(known); }, scheme);
  solver.validate();
  check::positive("NewtonOptions::tolerance", newton.tolerance);
  check::at_least("NewtonOptions::max_iterations", newton.max_iterations, 1);
  check::at_least("NewtonOptions::max_halvings", newton.max_halvings, 0);
  check::range("NewtonOptions::residual_tolerance", newton.residual_tolerance, 0.0, std::numeric_limits<double>::max());
  check::within("TimeSteppingOptions::threads", threads, 1, check::most_threads);
  check::at_least("TimeSteppingOptions::max_subdivisions", max_subdivisions, 1);
  check::range("TimeSteppingOptions::max_subdivisions", static_cast<double>(max_subdivisions), 1.0, 40.0);
  check::at_least("TimeSteppingOptions::verify", verify, 0);
  if (form == Form::Global && !solver.takes_global()) {
    throw InvalidArgument("TimeSteppingOptions::solver",
                          "an algorithm that needs the Delassus matrix, with Form::Global",
                          "mixed::Automatic, whose tolerance and limits are taken, or an algorithm of that form");
  }
  if (form == Form::Reduced && !solver.takes_reduced()) {
    throw InvalidArgument("TimeSteppingOptions::solver", "an algorithm of the global form with Form::Reduced",
                          "Form::Global, or an algorithm of mixed or friction");
  }
  check::positive("ProjectionOptions::unilateral_tolerance", projection.unilateral_tolerance);
  check::positive("ProjectionOptions::bilateral_tolerance", projection.bilateral_tolerance);
  check::at_least("ProjectionOptions::max_iterations", projection.max_iterations, 1);
}

namespace stages {

bool has_schemes_of(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                    const Discretisation& discretisation) {
  return discretisation.prepared && discretisation.layout->revision == model.layout()->revision &&
         discretisation.integrator == options.integrator && discretisation.integrators == options.integrators;
}

void discretise(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h,
                Discretisation& discretisation) {
  const auto& layout = model.layout();
  discretisation.prepared = false;  // should anything throw, the next step starts over
  choose_schemes(model, options, *layout, discretisation.schemes);
  discretisation.layout = layout;
  discretisation.h = h;
  discretisation.integrator = options.integrator;
  discretisation.integrators = options.integrators;
  discretisation.forecast = 0.0;
  discretisation.two_steps = false;
  for (std::size_t i = 0; i < discretisation.schemes.size(); ++i) {
    const Scheme& scheme = discretisation.schemes[i];
    discretisation.two_steps = discretisation.two_steps || scheme.two_steps;
    if (!layout->systems[i].first_order) discretisation.forecast = std::max(discretisation.forecast, scheme.forecast);
  }
}

}  // namespace stages
}  // namespace nonsmooth
