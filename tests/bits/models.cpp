// SPDX-License-Identifier: Apache-2.0
// bits_models FOLDER: the hash of the state after each step (state_hash.hpp) of every validation card, of the models of
// tests/problems and of the integrators' contract under each scheme, and of the same by events. A line a case: name,
// steps, digest. A case that ends early writes why as the last line of its file (exclamation mark in its line here).
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/named_models.hpp>

#include "../validation/cards.hpp"
#include "state_hash.hpp"

namespace nonsmooth::bits {
namespace {

using problems::Model;
using problems::NamedModel;
using BeforeStep = std::function<void(Model&, TimeStepping&)>;

constexpr Index kStepsOfACard = 20'000, kStepsOfAScheme = 4000, kStatesByEvents = 4000;

class Cases {
 public:
  explicit Cases(std::filesystem::path folder) : folder_(std::move(folder)) {}

  template <class Run>
  void add(const std::string& name, Run&& run) {
    Trace trace(folder_, name);
    try {
      run(trace);
    } catch (const std::exception& failure) {
      trace.note(failure.what());
    }
    written_ = trace.close() && written_;
    std::cout << trace.summary() << std::endl;
    ++cases_;
    states_ += trace.lines();
  }

  [[nodiscard]] bool written() const { return written_; }
  [[nodiscard]] Index cases() const { return cases_; }
  [[nodiscard]] Index states() const { return states_; }

 private:
  std::filesystem::path folder_;
  bool written_ = true;
  Index cases_ = 0, states_ = 0;
};

/// The initial state and at most `steps` steps.
void time_stepped(Trace& trace, Model model, const BeforeStep& before_step, Index steps, double start = 0.0) {
  TimeStepping simulation(model.system, model.options, start);
  trace.add(simulation.state());
  for (Index k = 0; k < std::min(model.steps, steps); ++k) {
    if (before_step) before_step(model, simulation);
    if (const StepReport report = simulation.step(); !report.taken) return trace.note(report.message());
    trace.add(simulation.state());
  }
}

/// The initial state, the middle and the end of each smooth step, both sides of each instant, at most some `states`.
void by_events(Trace& trace, const Model& model, const EventDrivenOptions& options, Index states, double start = 0.0) {
  EventDriven simulation(model.system, options, start);
  State shown = simulation.state();
  trace.add(shown);
  const RunReport report =
      simulation.advance_to(start + static_cast<double>(model.steps) * model.options.step,
                            {.segment =
                                 [&](const SmoothSegment& segment) {
                                   for (const double t : {0.5 * (segment.start() + segment.end()), segment.end()}) {
                                     segment.evaluate(t, shown);
                                     trace.add(shown);
                                   }
                                   return trace.lines() < states;
                                 },
                             .instant =
                                 [&](const Instant& at) {
                                   trace.add(at.before);
                                   trace.add(at.after);
                                   return trace.lines() < states;
                                 }});
  if (!report) trace.note(report.message());
}

void add_cards(Cases& cases) {
  for (const validation::Card& card : validation::cards()) {
    cases.add("card-" + card.name, [&](Trace& trace) {
      if (card.event_driven) {
        by_events(trace, card.make(), card.event_driven->options, kStepsOfACard, card.start);
      } else {
        time_stepped(trace, card.make(), card.before_step, kStepsOfACard, card.start);
      }
    });
  }
}

/// The integrators of tests/contracts/integrator_contract.cpp, its variants of a step, and some more.
struct Scheme {
  const char* name;
  void (*choose)(Model&);
};

const std::vector<Scheme>& mechanical_schemes() {
  static const std::vector<Scheme> list{
      {"Own", [](Model&) {}},
      {"MoreauJean050", [](Model& m) { m.options.integrator = MoreauJean{.theta = 0.5}; }},
      {"MoreauJean075", [](Model& m) { m.options.integrator = MoreauJean{.theta = 0.75}; }},
      {"MoreauJean100", [](Model& m) { m.options.integrator = MoreauJean{.theta = 1.0}; }},
      {"MoreauJeanAtStart", [](Model& m) { m.options.integrator = MoreauJean{.configuration_weight = 0.0}; }},
      {"MoreauJeanAtMiddle", [](Model& m) { m.options.integrator = MoreauJean{.configuration_weight = 0.5}; }},
      {"SchatzmanPaoli050", [](Model& m) { m.options.integrator = SchatzmanPaoli{.theta = 0.5}; }},
      {"SchatzmanPaoli100", [](Model& m) { m.options.integrator = SchatzmanPaoli{.theta = 1.0}; }},
      {"StewartTrinkle", [](Model& m) { m.options.integrator = StewartTrinkle{}; }},
      {"D1MinusLinear", [](Model& m) { m.options.integrator = D1MinusLinear{}; }},
      {"Global", [](Model& m) { m.options.form = Form::Global; }},
      {"DirectProjection", [](Model& m) { m.options.projection.kind = Projection::Direct; }},
      {"CombinedProjection", [](Model& m) { m.options.projection.kind = Projection::Combined; }},
      {"CatchingUp",
       [](Model& m) {  // a point in a disk of radius 1 whose centre goes round a circle of radius 2
         m.system.add(SweepingProcess{.project =
                                          [](double t, VectorRef x) {
                                            const Eigen::Vector2d centre(2.0 * std::cos(t), 2.0 * std::sin(t));
                                            const double distance = (x - centre).norm();
                                            if (distance > 1.0) x = centre + (x - centre) / distance;
                                          },
                                      .x0 = {2.0, 0.0}});
       }},
      {"HalvedOnFailure", [](Model& m) { m.options.on_failure = OnFailure::Subdivide; }},
  };
  return list;
}

const std::vector<Scheme>& first_order_schemes() {
  static const std::vector<Scheme> list{
      {"Own", [](Model&) {}},
      {"EulerMoreau050", [](Model& m) { m.options.integrator = EulerMoreau{.theta = 0.5}; }},
      {"EulerMoreau100", [](Model& m) { m.options.integrator = EulerMoreau{.theta = 1.0}; }},
      {"EulerMoreauAveraged",
       [](Model& m) { m.options.integrator = EulerMoreau{.theta = 0.5, .multiplier_weight = 0.5}; }},
      {"EulerMoreauRelation",
       [](Model& m) { m.options.integrator = EulerMoreau{.theta = 0.5, .relation_weight = 0.75}; }},
      {"ZeroOrderHold", [](Model& m) { m.options.integrator = ZeroOrderHold{}; }},
      {"ZeroOrderHoldAtStart",
       [](Model& m) { m.options.integrator = ZeroOrderHold{.sample = ZeroOrderHold::Sample::Start}; }},
      {"ImplicitRadau2Located",
       [](Model& m) {
         m.options.integrator = ImplicitRadau{2, true};
       }},
      {"Bdf2", [](Model& m) { m.options.integrator = Bdf2{}; }},
      {"HalvedOnFailure", [](Model& m) { m.options.on_failure = OnFailure::Subdivide; }},
  };
  return list;
}

/// What both orders may do besides.
const std::vector<Scheme>& common_schemes() {
  static const std::vector<Scheme> list{
      {"GaussSeidel", [](Model& m) { m.options.solver = mixed::GaussSeidel{}; }},
      {"HalvedAfterThreeIterations",
       [](Model& m) {
         m.options.on_failure = OnFailure::Subdivide;
         m.options.newton.max_iterations = 3;
       }},
      {"AcceptedAfterTwoIterations",
       [](Model& m) {
         m.options.on_failure = OnFailure::Accept;
         m.options.newton.max_iterations = 2;
       }},
  };
  return list;
}

void add_schemes(Cases& cases, const std::vector<NamedModel>& models, const std::vector<Scheme>& schemes) {
  for (const NamedModel& named : models) {
    for (const Scheme& scheme : schemes) {
      cases.add(std::string(named.name) + '-' + scheme.name, [&](Trace& trace) {
        Model model = named.make();
        scheme.choose(model);
        const BeforeStep before_step = named.card ? validation::card(named.card).before_step : BeforeStep{};
        time_stepped(trace, std::move(model), before_step, kStepsOfAScheme);
      });
    }
  }
}

/// The smooth integrators that the build has; GeneralisedAlpha is for mechanics.
void add_events(Cases& cases, const std::vector<NamedModel>& models, bool mechanics) {
  std::vector<std::pair<const char*, SmoothIntegrator>> integrators{{"DormandPrince8", DormandPrince{.order = 8}},
                                                                    {"DormandPrince5", DormandPrince{.order = 5}},
                                                                    {"RadauIIA", RadauIIA{}}};
  if (mechanics) integrators.emplace_back("GeneralisedAlpha", GeneralisedAlpha{});
  if (Cvode::available()) {
    integrators.emplace_back("CvodeAdams", Cvode{.method = Cvode::Method::Adams});
    integrators.emplace_back("CvodeBdf", Cvode{.method = Cvode::Method::Bdf});
  }
  if (Ida::available()) integrators.emplace_back("Ida", Ida{});
  for (const NamedModel& named : models) {
    for (const auto& integrator : integrators) {
      cases.add(std::string(named.name) + '-' + integrator.first, [&](Trace& trace) {
        const Model model = named.make();
        const bool fixed = std::holds_alternative<GeneralisedAlpha>(integrator.second);
        by_events(
            trace, model,
            {.integrator = integrator.second, .step = fixed ? model.options.step : 0.0, .repair_initial_state = true},
            kStatesByEvents);
      });
    }
  }
}

}  // namespace
}  // namespace nonsmooth::bits

int main(int argc, char** argv) {
  using namespace nonsmooth::bits;
  namespace problems = nonsmooth::problems;
  if (argc != 2) {
    std::cerr << "Usage: bits_models FOLDER\n";
    return 2;
  }
  try {
    Cases cases(argv[1]);
    add_cards(cases);
    for (const auto* models : {&problems::mechanical_models(), &problems::bodies_in_space(), &problems::piles()}) {
      add_schemes(cases, *models, mechanical_schemes());
      add_schemes(cases, *models, common_schemes());
    }
    add_schemes(cases, problems::first_order_models(), first_order_schemes());
    add_schemes(cases, problems::first_order_models(), common_schemes());
    for (const auto* models : {&problems::mechanical_models(), &problems::waves(), &problems::bodies_in_space()})
      add_events(cases, *models, true);
    add_events(cases, problems::first_order_models(), false);
    std::cout << cases.cases() << " cases, " << cases.states() << " states" << std::endl;
    if (cases.written()) return 0;
    std::cerr << "some traces could not be written\n";
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
  }
  return 1;
}
