// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <nonsmooth/kernel/higher_order.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dynamics/factors/sparse_storage.hpp"
#include "laws/nested_cones.hpp"
#include "model/prepared_law.hpp"
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
  SchemeCoefficients scheme = integrator->coefficients();
  if (!scheme.first_order) scheme = make_integrator(EulerMoreau{})->coefficients();  // of those beside mechanics
  const Index unbounded = degrees.largest_unbounded;
  if (unbounded >= 3) return "relative degree " + std::to_string(unbounded) + ": diverges as h falls";
  if (unbounded == 2 && (scheme.exponential || scheme.theta < 1.0))
    return "relative degree 2: the state is thrown back as steps happen to fall";
  if (degrees.largest >= 1 && (scheme.multiplier_weight < 1.0 || scheme.relation_weight < 1.0))
    return "relative degree " + std::to_string(degrees.largest) + ": multipliers ring";
  return {};
}

template <class Make>
SchemeVerdict verdict_of(std::string scheme, std::variant<Integrator, SmoothIntegrator> integrator, std::string against,
                         Make&& make) {
  SchemeVerdict verdict{.scheme = std::move(scheme), .integrator = std::move(integrator)};
  try {
    make();
    verdict.can = against.empty();
    verdict.reason = std::move(against);
  } catch (const std::exception& refused) {
    verdict.reason = refused.what();
  }
  return verdict;
}

/// Of which mechanical systems a scheme has dense matrices.
enum class DenseFor : unsigned char { None, NotSparse, All };

/// The most unknowns of such a system.
Index largest_dense(const NonSmoothDynamicalSystem& model, const Layout& layout, DenseFor dense) {
  Index largest = 0;
  for (const Layout::System& place : layout.systems) {
    if (place.first_order || dense == DenseFor::None) continue;
    if (dense == DenseFor::NotSparse && has_sparse_mechanics(model.systems()[place.slot])) continue;
    largest = std::max(largest, place.n);
  }
  return largest;
}

double trial_step(const StepAdvice& advice) {
  if (std::isfinite(advice.step)) return advice.step;
  return advice.fastest_rate > 0.0 ? 0.01 / advice.fastest_rate : 1e-3;
}

struct NamedIntegrator {
  const char* name;
  Integrator integrator;
  DenseFor dense = DenseFor::None;
};

constexpr const char* kHalfExplicit = "D1MinusLinear";
constexpr const char* kDamping = "GeneralisedAlpha (rho = 0.8)";
constexpr const char* kFlow = "ExactLinear";

std::vector<NamedIntegrator> integrators_for(bool mechanics, bool first_order) {
  std::vector<NamedIntegrator> list;
  if (mechanics) {
    list.push_back({"MoreauJean (theta = 1/2)", MoreauJean{}});
    list.push_back({"SchatzmanPaoli", SchatzmanPaoli{}});
    list.push_back({"StewartTrinkle", StewartTrinkle{}});
    list.push_back({kHalfExplicit, D1MinusLinear{}});
    list.push_back({kDamping, GeneralisedAlpha{.rho = 0.8}, DenseFor::NotSparse});
    list.push_back({kFlow, ExactLinear{}, DenseFor::All});
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

constexpr const char* kHigherOrder = "HigherOrderMoreau";

bool has_levels(const NonSmoothDynamicalSystem& model) {
  return std::any_of(model.interactions().begin(), model.interactions().end(),
                     [](const auto& record) { return record.alive && nested_cones(*record.law->law) != nullptr; });
}

/// The model with a higher-order process in the place of each constraint of relative degree 2 and more; their names.
/// @throws InvalidArgument where one of that degree can't be made one
std::string raise_degrees(const Degrees& degrees, NonSmoothDynamicalSystem& model) {
  const std::shared_ptr<const Layout> layout = model.layout();
  std::string names, refusal;
  for (const Layout::Interaction& place : layout->interactions) {
    if (!place.first_order || nested_cones(*model.interactions()[place.slot].law->law)) continue;
    NonSmoothDynamicalSystem raised = model;
    try {
      const InteractionHandle handle{layout->model, place.slot, layout->interaction_generation[place.slot]};
      if (link_higher_order(raised, handle).form.degree < 2) continue;
    } catch (const InvalidArgument& refused) {
      refusal = refused.what();
      continue;
    }
    names += (names.empty() ? "" : ", ") + model.interactions()[place.slot].name;
    model = std::move(raised);
  }
  if (names.empty() && degrees.largest_unbounded >= 2)
    throw InvalidArgument("link_higher_order", refusal, "another model");
  return names;
}

/// Of a model that has levels, or would have where link_higher_order() makes them.
SchemeVerdict higher_order_verdict(const NonSmoothDynamicalSystem& model, const Degrees& degrees,
                                   TimeSteppingOptions options, double t) {
  std::string names;
  SchemeVerdict verdict = verdict_of(kHigherOrder, options.integrator, {}, [&] {
    NonSmoothDynamicalSystem raised = model;
    names = raise_degrees(degrees, raised);
    TimeStepping(std::move(raised), std::move(options), t);
  });
  if (verdict.can && !names.empty()) verdict.reason = "with link_higher_order() of " + names;
  return verdict;
}

const SchemeVerdict* find(const std::vector<SchemeVerdict>& schemes, std::string_view name) {
  const auto place = std::find_if(schemes.begin(), schemes.end(), [&](const auto& s) { return s.scheme == name; });
  return place != schemes.end() && place->can ? &*place : nullptr;
}

/// Rates of four decades and more.
bool is_stiff(const StepAdvice& step) {
  return step.slowest_rate > 0.0 && step.fastest_rate > kStiff * step.slowest_rate;
}

/// Motion that another scheme than the plain one follows better: calls take(scheme, reason), the best first.
template <class Take>
void recommend_for_motion(const ModelExamination& found, Take&& take) {
  const auto& islands = found.mechanical;
  const bool constant = std::all_of(islands.begin(), islands.end(), [](const auto& one) { return one.constant; });
  if (is_stiff(found.step)) {
    if (constant)
      take(kFlow, "linear, with rates of four decades and more: each mode keeps its own, whatever the step");
    take(kDamping, "rates of four decades and more: what a step does not resolve is damped, and contacts are not");
  }
  const bool joints = std::any_of(islands.begin(), islands.end(), [](const auto& one) { return one.bilateral > 0; });
  const bool more = std::any_of(islands.begin(), islands.end(), [](const auto& one) {
    return one.unilateral > 0 || one.others > 0 || one.may_meet || !one.why_not.empty();
  });
  // Explicit: what decays without oscillation is in no advice of a step.
  const bool oscillates = found.step.fastest_rate <= 1.01 * found.step.fastest_oscillation;
  if (joints && !more && !constant && oscillates)
    take(kHalfExplicit,
         "joints that turn and no contact: order 2, where a scheme of velocities has 1; explicit: h w < 2");
}

bool has_no_solution(const ModelExamination& found) {
  const auto fails = [](const auto& island) { return island.solutions.existence == Verdict::Fails; };
  return std::any_of(found.first_order.begin(), found.first_order.end(), fails) ||
         std::any_of(found.mechanical.begin(), found.mechanical.end(), fails);
}

void recommend(const Degrees& degrees, bool levels, ModelExamination& found) {
  if (has_no_solution(found)) {
    found.recommended_for = "a part of the model has no solution, from some states at least";
    return;
  }
  const auto take = [&found](std::string_view scheme, std::string_view reason) {
    if (!found.recommended.empty() || find(found.schemes, scheme) == nullptr) return;
    found.recommended = scheme;
    found.recommended_for = reason;
  };
  if (levels) take(kHigherOrder, "levels of a higher-order process, whose measures need its weights");
  if (!found.mechanical.empty()) {
    recommend_for_motion(found, take);
    take("MoreauJean (theta = 1/2)", "any number of contacts, impacts that accumulate are stepped over");
    take("EulerMoreau (theta = 1)", "relative degree 2 of first-order rows; mechanics by MoreauJean beside it");
    take(kHigherOrder, "relative degree 3 and more of first-order rows; mechanics by MoreauJean beside it");
    take("EventDriven (DormandPrince)", "laws that no step knows");
    return;
  }
  if (degrees.known && degrees.any && degrees.direct)
    take("EulerMoreau (theta = multiplier_weight = 1/2)", "D is a P-matrix: order 2");
  if (degrees.largest_unbounded >= 2)
    take(kHigherOrder, "relative degree 2 and more: a measure for each derivative of y, by link_higher_order()");
  if (!degrees.known || degrees.largest_unbounded == 2)
    take("EulerMoreau (theta = 1)", degrees.known ? "relative degree 2: a plastic impact where a row closes"
                                                  : "a relative degree that is not known: what can ring is damped");
  if (is_stiff(found.step))
    take("EulerMoreau (theta = 1)", "rates of four decades and more: the fast ones are to die out");
  if (degrees.known && degrees.largest_unbounded <= 1)
    take("EulerMoreau (theta = 1/2)", "order 1 through jumps and switches, with the smallest errors");
  take("EulerMoreau (theta = 1)", "the scheme that takes the model");
}

}  // namespace

StepAdvice advise_step(const ModelExamination& found, const ExaminationOptions& options) {
  StepAdvice advice;
  double approach = 0.0;
  // Zeros that are multiple (bodies without springs) come out as roots of round-off: `floor` of the largest.
  const auto add = [&advice](const Eigen::VectorXcd& rates, double floor) {
    const double largest = rates.size() > 0 ? rates.cwiseAbs().maxCoeff() : 0.0;
    for (const std::complex<double>& rate : rates) {
      const double size = std::abs(rate);
      if (size <= floor * largest) continue;
      advice.fastest_rate = std::max(advice.fastest_rate, size);
      advice.slowest_rate = advice.slowest_rate > 0.0 ? std::min(advice.slowest_rate, size) : size;
      if (std::abs(rate.imag()) > 1e-8 * size)
        advice.fastest_oscillation = std::max(advice.fastest_oscillation, std::abs(rate.imag()));
      if (rate.real() > 1e-8 * size) advice.growth = std::max(advice.growth, rate.real());
    }
  };
  constexpr double kSimple = 1e-14, kDouble = 1e-8;
  for (const FirstOrderIsland& island : found.first_order) {
    add(island.free_rates, kSimple);
    add(island.held_rates, kSimple);
  }
  for (const MechanicalIsland& island : found.mechanical) {
    add(island.free_rates, kDouble);
    add(island.sprung_rates, kDouble);
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

namespace {

/// The state in which event-driven simulation starts, and what happens there.
void resolve_start(const NonSmoothDynamicalSystem& model, const State& state, const SmoothIntegrator& integrator,
                   InitialJump& jump) {
  // What a simulation would refuse by relative degrees is told by the examination's own.
  EventDriven simulation(
      model, {.integrator = integrator, .repair_initial_state = true, .examination = Examination::Off}, state.t);
  simulation.set_state(state);
  jump.known = true;
  jump.change = simulation.state().unknowns - state.unknowns;
  jump.moved = simulation.state().positions - state.positions;
  for (const Event& event : simulation.events()) {
    const bool moves = event.kind == EventKind::Impact || event.kind == EventKind::Jump ||
                       event.kind == EventKind::Impulse || event.kind == EventKind::Ambiguity ||
                       event.kind == EventKind::Transition;
    if (moves && event.t == state.t) jump.events.push_back(event);
  }
}

void examine_events(const NonSmoothDynamicalSystem& model, const State& state, const ExaminationOptions& options,
                    const std::string& against, ModelExamination& found) {
  const Layout& layout = *state.layout();
  const bool large = layout.num_unknowns > options.most_states || layout.num_rows > options.most_states;
  struct NamedSmoothIntegrator {
    const char* name;
    SmoothIntegrator integrator;
  };
  for (const NamedSmoothIntegrator& named : {NamedSmoothIntegrator{"EventDriven (DormandPrince)", DormandPrince{}},
                                             NamedSmoothIntegrator{"EventDriven (RadauIIA)", RadauIIA{}}}) {
    if (large) {
      found.jump.why_not = "more than most_states";
      found.schemes.push_back(
          {.scheme = named.name, .integrator = named.integrator, .reason = "not tried: more than most_states"});
      continue;
    }
    InitialJump jump;
    found.schemes.push_back(verdict_of(named.name, named.integrator, against,
                                       [&] { resolve_start(model, state, named.integrator, jump); }));
    if (!jump.known) jump.why_not = found.schemes.back().reason;
    found.jump = std::move(jump);
  }
}

}  // namespace

void examine_schemes(const NonSmoothDynamicalSystem& model, const State& state, const ExaminationOptions& options,
                     ModelExamination& found) {
  const Degrees degrees = degrees_of(found);
  const auto stepping = [h = trial_step(found.step)](const Integrator& integrator, Examination examination) {
    return TimeSteppingOptions{.integrator = integrator, .step = h, .examination = examination};
  };
  for (const NamedIntegrator& named : integrators_for(!found.mechanical.empty(), !found.first_order.empty())) {
    if (largest_dense(model, *state.layout(), named.dense) > options.most_states) {
      found.schemes.push_back(
          {.scheme = named.name,
           .integrator = named.integrator,
           .reason = "not tried: a system of more than most_states, of which it has dense matrices"});
      continue;
    }
    found.schemes.push_back(verdict_of(named.name, named.integrator, objection(named.integrator, degrees), [&] {
      TimeStepping(model, stepping(named.integrator, Examination::Refuse), state.t);
    }));
  }
  const bool levels = has_levels(model);
  if (levels || degrees.largest_unbounded >= 2)
    found.schemes.push_back(
        higher_order_verdict(model, degrees, stepping(HigherOrderMoreau{}, Examination::Refuse), state.t));
  examine_events(model, state, options,
                 degrees.largest_unbounded >= 2
                     ? "relative degree " + std::to_string(degrees.largest_unbounded) + ": no mode where the row closes"
                     : std::string(),
                 found);
  recommend(degrees, levels, found);
  const SchemeVerdict* chosen = find(found.schemes, found.recommended);
  const auto* integrator = chosen != nullptr ? std::get_if<Integrator>(&chosen->integrator) : nullptr;
  if (integrator == nullptr) return;
  found.remarks = TimeStepping(model, stepping(*integrator, Examination::Report), state.t).examination();
  // Of the model's own initial state; the island's `inside` is of this one.
  std::erase_if(found.remarks, [](const Remark& remark) { return remark.kind == Remark::Kind::Interpenetration; });
}

}  // namespace nonsmooth::analysis::detail
