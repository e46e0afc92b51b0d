// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "partition.hpp"

namespace nonsmooth::analysis::detail {
namespace {

constexpr double kUnbound = std::numeric_limits<double>::infinity();
/// Beyond this ratio of rates theta = 1/2 would let the fast ones ring for too long.
constexpr double kStiff = 1e4;

/// Of the model's first-order rows. Only multipliers without bounds can be impulses.
struct Degrees {
  bool any = false, known = true, direct = true;  ///< direct: D is a P-matrix in every island
  Index largest = 0, largest_unbounded = 0;
};

Degrees degrees_of(const ModelExamination& found) {
  Degrees result;
  for (const FirstOrderIsland& island : found.first_order) {
    if (!island.why_not.empty()) {
      result.known = result.known && island.rows.empty();
      continue;
    }
    result.any = true;
    result.direct = result.direct && island.D.p.holds();
    const auto n = static_cast<Index>(island.system.A.rows());
    for (std::size_t i = 0; i < island.rows.size(); ++i) {
      const Index r = island.degree.of_output[i];
      if (r < 0) result.known = false;
      if (r > n) continue;  // never reached
      result.largest = std::max(result.largest, r);
      if (!island.bounded[i]) result.largest_unbounded = std::max(result.largest_unbounded, r);
    }
  }
  return result;
}

/// What is known of first-order schemes beyond what they refuse; empty: nothing against it.
std::string objection(const Integrator& integrator, const Degrees& degrees) {
  if (!degrees.any) return {};
  const auto* euler = std::get_if<EulerMoreau>(&integrator);
  const bool hold = std::holds_alternative<ZeroOrderHold>(integrator);
  if (!euler && !hold) return {};
  const Index unbounded = degrees.largest_unbounded;
  if (unbounded >= 3) return "relative degree " + std::to_string(unbounded) + ": diverges as h falls";
  const double theta = euler ? euler->theta : 0.5;
  if (unbounded == 2 && theta < 1.0) return "relative degree 2: the state is thrown back as steps happen to fall";
  if (euler && degrees.largest >= 1 && (euler->multiplier_weight < 1.0 || euler->relation_weight < 1.0))
    return "relative degree " + std::to_string(degrees.largest) + ": multipliers ring";
  return {};
}

template <class Make>
SchemeVerdict verdict_of(std::string scheme, std::string against, Make&& make) {
  SchemeVerdict verdict{.scheme = std::move(scheme), .can = false, .reason = {}};
  try {
    make();
    verdict.can = against.empty();
    verdict.reason = std::move(against);
  } catch (const InvalidArgument& refused) {
    verdict.reason = refused.what();
  } catch (const std::exception& failure) {
    verdict.reason = failure.what();
  }
  return verdict;
}

double trial_step(const StepAdvice& advice) {
  if (std::isfinite(advice.step)) return advice.step;
  return advice.fastest_rate > 0.0 ? 0.01 / advice.fastest_rate : 1e-3;
}

struct NamedIntegrator {
  const char* name;
  Integrator integrator;
};

std::vector<NamedIntegrator> integrators_for(bool mechanics, bool first_order) {
  std::vector<NamedIntegrator> list;
  if (mechanics) {
    list.push_back({"MoreauJean (theta = 1/2)", MoreauJean{}});
    list.push_back({"SchatzmanPaoli", SchatzmanPaoli{}});
  }
  if (first_order) {
    list.push_back({"EulerMoreau (theta = 1)", EulerMoreau{.theta = 1.0}});
    list.push_back({"EulerMoreau (theta = 1/2)", EulerMoreau{.theta = 0.5}});
    list.push_back(
        {"EulerMoreau (theta = multiplier_weight = 1/2)", EulerMoreau{.theta = 0.5, .multiplier_weight = 0.5}});
    list.push_back({"ZeroOrderHold", ZeroOrderHold{}});
  }
  return list;
}

const SchemeVerdict* find(const std::vector<SchemeVerdict>& schemes, std::string_view name) {
  const auto place = std::find_if(schemes.begin(), schemes.end(), [&](const auto& s) { return s.scheme == name; });
  return place != schemes.end() && place->can ? &*place : nullptr;
}

void recommend(const Degrees& degrees, ModelExamination& found) {
  const auto take = [&found](std::string_view scheme, std::string_view reason) {
    if (!found.recommended.empty() || find(found.schemes, scheme) == nullptr) return;
    found.recommended = scheme;
    found.recommended_for = reason;
  };
  if (!found.mechanical.empty()) {
    take("MoreauJean (theta = 1/2)", "any number of contacts, impacts that accumulate are stepped over");
    take("EventDriven (DormandPrince)", "laws that no step knows");
    return;
  }
  const bool stiff = found.step.slowest_rate > 0.0 && found.step.fastest_rate > kStiff * found.step.slowest_rate;
  if (degrees.known && degrees.any && degrees.direct)
    take("EulerMoreau (theta = multiplier_weight = 1/2)", "D is a P-matrix: order 2");
  if (!degrees.known || degrees.largest_unbounded == 2)
    take("EulerMoreau (theta = 1)", degrees.known ? "relative degree 2: a plastic impact where a row closes"
                                                  : "a relative degree that is not known: what can ring is damped");
  if (stiff) take("EulerMoreau (theta = 1)", "rates of four decades and more: the fast ones are to die out");
  if (degrees.known && degrees.largest_unbounded <= 1)
    take("EulerMoreau (theta = 1/2)", "order 1 through jumps and switches, with the smallest errors");
  take("EulerMoreau (theta = 1)", "the scheme that takes the model");
}

}  // namespace

StepAdvice advise_step(const ModelExamination& found, const ExaminationOptions& options) {
  StepAdvice advice;
  double approach = 0.0;
  const auto add = [&advice](const Eigen::VectorXcd& rates) {
    const double largest = rates.size() > 0 ? rates.cwiseAbs().maxCoeff() : 0.0;
    for (const std::complex<double>& rate : rates) {
      const double size = std::abs(rate);
      if (size <= 1e-8 * largest) continue;  // multiple zeros come out as roots of round-off
      advice.fastest_rate = std::max(advice.fastest_rate, size);
      advice.slowest_rate = advice.slowest_rate > 0.0 ? std::min(advice.slowest_rate, size) : size;
      if (std::abs(rate.imag()) > 1e-8 * size)
        advice.fastest_oscillation = std::max(advice.fastest_oscillation, std::abs(rate.imag()));
      if (rate.real() > 1e-8 * largest) advice.growth = std::max(advice.growth, rate.real());
    }
  };
  for (const FirstOrderIsland& island : found.first_order) {
    add(island.free_rates);
    add(island.held_rates);
  }
  for (const MechanicalIsland& island : found.mechanical) {
    add(island.free_rates);
    approach = std::max(approach, island.approach);
  }
  const double by_period = 2.0 * std::numbers::pi / (options.steps_a_period * advice.fastest_oscillation);
  const double by_growth = 1.0 / (10.0 * advice.growth);
  advice.for_rates =
      std::min(advice.fastest_oscillation > 0.0 ? by_period : kUnbound, advice.growth > 0.0 ? by_growth : kUnbound);
  advice.for_penetration = options.penetration > 0.0 && approach > 0.0 ? options.penetration / approach : kUnbound;
  advice.step = std::min(advice.for_rates, advice.for_penetration);
  return advice;
}

InitialJump examine_jump(const NonSmoothDynamicalSystem& model, const State& state) {
  InitialJump jump;
  try {
    EventDriven simulation(model, {.repair_initial_state = true}, state.t);
    simulation.set_state(state);
    jump.known = true;
    jump.change = simulation.state().unknowns - state.unknowns;
    for (const Event& event : simulation.events()) {
      const bool moves = event.kind == EventKind::Impact || event.kind == EventKind::Jump ||
                         event.kind == EventKind::Impulse || event.kind == EventKind::Ambiguity;
      if (moves && event.t == state.t) jump.events.push_back(event);
    }
  } catch (const std::exception& refused) {
    jump.why_not = refused.what();
  }
  return jump;
}

void examine_schemes(const NonSmoothDynamicalSystem& model, const State& state, ModelExamination& found) {
  const Degrees degrees = degrees_of(found);
  const double h = trial_step(found.step);
  const auto options = [h](const Integrator& integrator, Examination examination) {
    return TimeSteppingOptions{.integrator = integrator, .step = h, .examination = examination};
  };
  for (const auto& [name, integrator] : integrators_for(!found.mechanical.empty(), !found.first_order.empty())) {
    found.schemes.push_back(verdict_of(name, objection(integrator, degrees), [&] {
      TimeStepping(model, options(integrator, Examination::Refuse), state.t);
    }));
  }
  const std::string by_events =
      degrees.largest_unbounded >= 2
          ? "relative degree " + std::to_string(degrees.largest_unbounded) + ": no mode where the row closes"
          : std::string();
  for (const auto& [name, integrator] :
       {std::pair<const char*, SmoothIntegrator>{"EventDriven (DormandPrince)", DormandPrince{}},
        std::pair<const char*, SmoothIntegrator>{"EventDriven (RadauIIA)", RadauIIA{}}}) {
    found.schemes.push_back(verdict_of(name, by_events, [&] {
      EventDriven(model, {.integrator = integrator, .repair_initial_state = true}, state.t).set_state(state);
    }));
  }
  recommend(degrees, found);
  for (const auto& [name, integrator] : integrators_for(!found.mechanical.empty(), !found.first_order.empty())) {
    if (found.recommended != name) continue;
    try {
      found.remarks = TimeStepping(model, options(integrator, Examination::Report), state.t).examination();
    } catch (const std::exception&) {  // it was made a moment ago: a callable that changes its mind
      found.remarks.clear();
    }
  }
}

}  // namespace nonsmooth::analysis::detail
