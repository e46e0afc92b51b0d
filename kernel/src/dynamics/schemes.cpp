// SPDX-License-Identifier: Apache-2.0
// Which scheme each system of a model gets, and which it cannot have.
#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "discretisation.hpp"
#include "model/inclusions/process_with_law.hpp"

namespace nonsmooth {
namespace {

/// @throws InvalidArgument for parameters or coefficients out of range.
void validate(const char* argument, const Integrator& integrator) {
  if (!integrator.pointer()) throw InvalidArgument(argument, "no scheme", "one");
  integrator->validate();
  const SchemeCoefficients given = integrator->coefficients();
  const auto refuse = [&](const char* what, const char* expected) {
    throw InvalidArgument(argument, what + (" of " + integrator->name()), expected);
  };
  for (const double weight :
       {given.theta, given.explicit_point, given.position, given.forecast, given.configuration_weight, given.velocity,
        given.multiplier_weight, given.relation_weight}) {
    if (!(weight >= 0.0 && weight <= 1.0)) refuse("a coefficient", "one in [0, 1]");
  }
  if (given.velocity == 0.0 || given.multiplier_weight == 0.0 || given.relation_weight == 0.0)
    refuse("a weight of 0", "a velocity, multiplier_weight and relation_weight > 0");
  if (given.keeps_unknown ? given.position != 1.0 : given.velocity != 1.0)
    refuse("the weights of z", "position = 1 where the scheme keeps its unknown, velocity = 1 where it does not");
  const bool gaps = given.level == SchemeCoefficients::Level::LinearisedGap;
  if ((gaps || given.level == SchemeCoefficients::Level::Position) && given.position != 1.0)
    refuse("the weight of z", "position = 1 at the level of positions or of linearised gaps");
  const bool half_explicit = given.level == SchemeCoefficients::Level::HalfExplicit ||
                             given.level == SchemeCoefficients::Level::HalfExplicitRates;
  if (half_explicit && (given.theta != 0.0 || given.explicit_point != 0.0 || given.position != 0.5 ||
                        given.configuration_weight != 0.0 || given.keeps_unknown))
    refuse("a coefficient of a half-explicit scheme",
           "theta = explicit_point = configuration_weight = 0 and position = 1/2, as forces are those of both ends");
  if (gaps && given.keeps_unknown) refuse("the unknown that is kept", "none at the level of linearised gaps");
  if (gaps && given.forecast != 1.0)
    refuse("the forecast", "forecast = 1 at the level of linearised gaps, as rows look ahead over the whole step");
  if (!(given.recovery >= 0.0 && given.recovery <= 1.0)) refuse("the recovery", "one in [0, 1]");
  if (!(given.reach >= 0.0 && std::isfinite(given.reach))) refuse("the reach", "a finite one >= 0");
  if (given.explicit_point != 0.0 && (given.first_order || given.keeps_unknown))
    refuse("the explicit point", "0 of first order and where the scheme keeps its unknown");
  if (given.first_order) {
    const SchemeCoefficients of_mechanics;
    if (given.position != of_mechanics.position || given.velocity != of_mechanics.velocity ||
        given.forecast != of_mechanics.forecast || given.configuration_weight != of_mechanics.configuration_weight ||
        given.explicit_configuration || given.keeps_unknown || given.level != of_mechanics.level ||
        given.recovery != of_mechanics.recovery || given.reach != of_mechanics.reach || given.generalised_alpha)
      refuse("a coefficient of mechanics in a scheme of first order",
             "theta, multiplier_weight, relation_weight and exponential alone");
    // A hold has its input constant over the step: there is no r_k to weigh.
    if (given.exponential && given.multiplier_weight != 1.0)
      refuse("multiplier_weight below 1", "1 where the scheme is exponential");
  } else if (given.multiplier_weight != 1.0 || given.relation_weight != 1.0) {
    refuse("a coefficient of first order in a scheme of mechanics", "multiplier_weight and relation_weight = 1");
  } else if (given.exponential || given.generalised_alpha) {
    const SchemeCoefficients plain;
    if ((given.exponential && (given.generalised_alpha || given.theta != plain.theta)) ||
        given.position != plain.position || given.explicit_point != 0.0 || given.explicit_configuration ||
        given.keeps_unknown || given.level != plain.level)
      refuse("a coefficient beside a flow or generalised_alpha", "forecast alone, and theta of the latter");
  }
}

Scheme scheme_of(const Integrator& integrator) { return {integrator->coefficients(), integrator.pointer()}; }

/// @throws InvalidArgument where the system cannot have the scheme.
void check_fits(const NonSmoothDynamicalSystem::System& system, const Scheme& scheme) {
  const auto refuse = [&](const std::string& expected) {
    throw InvalidArgument("TimeSteppingOptions::integrator", scheme.integrator->name() + " for " + system.name,
                          expected);
  };
  const bool mechanical = system.nq > 0;
  if (mechanical == scheme.first_order)
    refuse(mechanical ? "MoreauJean or SchatzmanPaoli, as the system is mechanical"
                      : "EulerMoreau or ZeroOrderHold, as the system is of first order");
  const SchemeUse use = stages::use_of(system);
  if (const std::string expected = scheme.integrator->refuses(use); !expected.empty()) refuse(expected);
  if (scheme.exponential && !use.constant_matrices)
    refuse(mechanical ? "MoreauJean, GeneralisedAlpha or D1MinusLinear, as the system's matrices vary"
                      : "EulerMoreau, as the system's matrices vary");
  if (scheme.keeps_unknown && use.has_prescribed_velocity && !use.constant_matrices)
    refuse("a scheme that does not keep its unknown, as velocities are prescribed");
}

/// The scheme of each system. @throws InvalidArgument for one that a system cannot have, with the reason.
void choose_schemes(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const Layout& layout,
                    std::vector<Scheme>& schemes) {
  schemes.assign(layout.systems.size(), {});
  const Scheme chosen = scheme_of(options.integrator);
  const Scheme other = scheme_of(chosen.first_order ? Integrator(MoreauJean{}) : Integrator(EulerMoreau{}));
  bool used = false;
  for (std::size_t i = 0; i < layout.systems.size(); ++i) {
    const Layout::System& place = layout.systems[i];
    const Scheme& scheme = place.first_order == chosen.first_order ? chosen : other;
    used = used || place.first_order == chosen.first_order;
    const auto& record = model.systems()[place.slot];
    const bool single = std::any_of(options.integrators.begin(), options.integrators.end(), [&](const auto& entry) {
      return layout.index(entry.first) == static_cast<Index>(i);
    });
    if (!record.with_law && !single) check_fits(record, scheme);
    schemes[i] = scheme;
  }
  for (const auto& [handle, integrator] : options.integrators) {
    const Index i = layout.index(handle);
    const auto& record = model.systems()[layout.systems[static_cast<std::size_t>(i)].slot];
    if (record.with_law)
      throw InvalidArgument("TimeSteppingOptions::integrators",
                            std::string("a scheme for ") + record.with_law->kind() + " " + record.name,
                            "none: its theta is its own, and by it it catches up with its set or inequality");
    Scheme& scheme = schemes[static_cast<std::size_t>(i)];
    scheme = scheme_of(integrator);
    check_fits(record, scheme);
  }
  // The default stands for schemes of every order.
  if (!used && chosen.integrator->name() != Integrator()->name()) {
    throw InvalidArgument("TimeSteppingOptions::integrator",
                          chosen.integrator->name() + " for a model of " +
                              (chosen.first_order ? "mechanical systems" : "first-order systems"),
                          chosen.first_order ? "MoreauJean" : "EulerMoreau or ZeroOrderHold");
  }
}

/// @throws InvalidArgument for a form in which a scheme has no A.
void check_form(Form form, const std::vector<Scheme>& schemes) {
  if (form != Form::Global) return;
  const auto found =
      std::find_if(schemes.begin(), schemes.end(), [](const Scheme& one) { return one.parts_impulses(); });
  if (found == schemes.end()) return;
  throw InvalidArgument("TimeSteppingOptions::form", "Form::Global under " + found->integrator->name(),
                        "Form::Reduced, as the scheme has no A, but its inverse alone");
}

}  // namespace

void TimeSteppingOptions::validate() const {
  stages::validate_beside_schemes(*this);
  nonsmooth::validate("TimeSteppingOptions::integrator", integrator);
  for (const auto& [handle, scheme] : integrators) nonsmooth::validate("TimeSteppingOptions::integrators", scheme);
}

namespace stages {

SchemeUse use_of(const NonSmoothDynamicalSystem::System& system) {
  SchemeUse use;
  if (system.mechanical) {
    use.constant_matrices = system.linear_mechanical() != nullptr;
    use.has_prescribed_velocity = !system.mechanical->prescribed().empty();
    use.on_manifold = system.nq != system.n;
  } else if (const auto* linear = system.linear_first_order()) {
    use.constant_matrices = !linear->A.function();
  }
  return use;
}

void check_sleep(const SleepOptions& sleep, const Layout& layout, const std::vector<Scheme>& schemes) {
  if (!(sleep.rest > 0.0)) return;
  const Scheme* awake = nullptr;
  for (std::size_t i = 0; i < layout.systems.size(); ++i) {
    if (layout.systems[i].first_order) continue;
    if (schemes[i].lets_sleep()) return;
    awake = &schemes[i];
  }
  if (awake == nullptr) return;
  throw InvalidArgument("SleepOptions::rest", check::text(sleep.rest) + " under " + awake->integrator->name(),
                        "0, or MoreauJean for some systems: only under schemes of velocities bodies fall asleep");
}

void validate_beside_schemes(const TimeSteppingOptions& options) {
  const NewtonOptions& newton = options.newton;
  const ProjectionOptions& projection = options.projection;
  // Asked in each step: a call for what is refused alone.
  const auto positive = [](const char* name, double value) {
    if (!(value > 0.0 && value <= std::numeric_limits<double>::max())) check::positive(name, value);
  };
  const auto between = [](const char* name, Index value, Index least, Index most) {
    if (value < least || value > most) check::within(name, value, least, most);
  };
  const auto at_least = [](const char* name, Index value, Index least) {
    if (value < least) check::at_least(name, value, least);
  };
  positive("TimeSteppingOptions::step", options.step);
  options.solver.validate();
  positive("NewtonOptions::tolerance", newton.tolerance);
  at_least("NewtonOptions::max_iterations", newton.max_iterations, 1);
  at_least("NewtonOptions::max_halvings", newton.max_halvings, 0);
  if (newton.residual_tolerance != 0.0) {
    check::range("NewtonOptions::residual_tolerance", newton.residual_tolerance, 0.0,
                 std::numeric_limits<double>::max());
  }
  between("TimeSteppingOptions::threads", options.threads, 1, check::most_threads);
  at_least("TimeSteppingOptions::max_subdivisions", options.max_subdivisions, 1);
  if (!(options.dependent_rows >= 0.0 && options.dependent_rows <= 0.1))
    check::range("TimeSteppingOptions::dependent_rows", options.dependent_rows, 0.0, 0.1);
  if (options.max_subdivisions > 40)
    check::range("TimeSteppingOptions::max_subdivisions", static_cast<double>(options.max_subdivisions), 1.0, 40.0);
  at_least("TimeSteppingOptions::verify", options.verify, 0);
  const SleepOptions& sleep = options.sleep;
  if (!(sleep.rest >= 0.0 && sleep.rest <= 0.5)) check::range("SleepOptions::rest", sleep.rest, 0.0, 0.5);
  at_least("SleepOptions::steps", sleep.steps, 3);
  positive("SleepOptions::force_change", sleep.force_change);
  if (!(sleep.force_change <= 1.0)) check::range("SleepOptions::force_change", sleep.force_change, 0.0, 1.0);
  if (options.form == Form::Global && !options.solver.takes_global()) {
    throw InvalidArgument("TimeSteppingOptions::solver",
                          "an algorithm that needs the Delassus matrix, with Form::Global",
                          "mixed::Automatic, whose tolerance and limits are taken, or an algorithm of that form");
  }
  if (options.form == Form::Reduced && !options.solver.takes_reduced()) {
    throw InvalidArgument("TimeSteppingOptions::solver", "an algorithm of the global form with Form::Reduced",
                          "Form::Global, or an algorithm of mixed or friction");
  }
  positive("ProjectionOptions::unilateral_tolerance", projection.unilateral_tolerance);
  positive("ProjectionOptions::bilateral_tolerance", projection.bilateral_tolerance);
  at_least("ProjectionOptions::max_iterations", projection.max_iterations, 1);
}

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
  check_form(options.form, discretisation.schemes);
  check_sleep(options.sleep, *layout, discretisation.schemes);
  discretisation.layout = layout;
  discretisation.h = h;
  discretisation.integrator = options.integrator;
  discretisation.integrators = options.integrators;
  discretisation.forecast = discretisation.reach = 0.0;
  discretisation.keeps_unknowns = false;
  discretisation.at_positions = false;
  for (std::size_t i = 0; i < discretisation.schemes.size(); ++i) {
    const Scheme& scheme = discretisation.schemes[i];
    discretisation.keeps_unknowns = discretisation.keeps_unknowns || scheme.keeps_unknown || scheme.generalised_alpha;
    discretisation.at_positions = discretisation.at_positions || scheme.at_positions();
    if (layout->systems[i].first_order) continue;
    discretisation.forecast = std::max(discretisation.forecast, scheme.forecast);
    if (scheme.at_gaps()) discretisation.reach = std::max(discretisation.reach, scheme.reach);
  }
}

}  // namespace stages
}  // namespace nonsmooth
