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
#include <problems/event_driven.hpp>
#include <problems/first_order.hpp>
#include <problems/mechanics.hpp>
#include <problems/models.hpp>
#include <problems/pile_model.hpp>

#include "../validation/cards.hpp"
#include "state_hash.hpp"

namespace nonsmooth::bits {
namespace {

using problems::Model;
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
  const EventDrivenReport report =
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

/// x'' = -9 x from (1, 0), as the contract of the integrators has it.
Model oscillator(bool mechanical) {
  Model m;
  if (mechanical) {
    m.system.add(LagrangianLinearSystem{.mass = {{1.0}}, .stiffness = {{9.0}}, .q0 = {1.0}});
  } else {
    m.system.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-9.0, 0.0}}, .x0 = {1.0, 0.0}});
  }
  m.options.step = 5e-3;
  m.steps = 400;
  return m;
}

/// Four beads between two walls, without forces: the contract's too.
Model beads_between_walls(double restitution) {
  const NewtonImpactLaw law{restitution};
  const double v0[4] = {1.0, -2.0, 0.5, -1.0};
  Model m;
  for (int i = 0; i < 4; ++i) {
    m.bodies.push_back(m.system.add(LagrangianLinearSystem{
        .mass = {{1.0 + 0.3 * i}}, .q0 = {1.0 * i + 0.5}, .v0 = Eigen::VectorXd::Constant(1, v0[i])}));
  }
  m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{1.0}}}, law);
  m.system.link(m.bodies[3], LagrangianLinearRelation{.H = {{-1.0}}, .b = {4.0}}, law);
  for (std::size_t i = 0; i < 3; ++i)
    m.system.link({m.bodies[i], m.bodies[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, law);
  m.options.step = 1e-2;
  m.steps = 1000;
  return m;
}

Model ball_over_floor() {
  Model m;
  m.bodies = {m.system.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-9.81}, .q0 = {1.0}})};
  m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.8});
  m.options.step = 5e-3;
  m.steps = 800;
  return m;
}

/// With all contacts from the start, for runs by events.
Model column_of_linked_beads() {
  Model m = problems::column_of_beads();
  for (std::size_t i = 0; i < m.bodies.size(); ++i)
    m.contacts.push_back(problems::link_bead(m.system, m.bodies, static_cast<Index>(i)));
  return m;
}

/// A few steps: the frames of its contacts stay as they are.
Model pile(const problems::Pile& bodies) {
  Model m;
  m.system = problems::pile_model(bodies);
  m.options.solver = mixed::Automatic{.tolerance = 1e-10};
  m.options.step = problems::pile_step;
  m.steps = 5;
  return m;
}

struct NamedModel {
  const char* name;
  Model (*make)();
  const char* card = nullptr;  ///< whose before_step it needs
};

const std::vector<NamedModel>& mechanical_models() {
  using namespace problems;
  static const std::vector<NamedModel> list{
      {"oscillator", [] { return oscillator(true); }},
      {"beads_between_walls_000", [] { return beads_between_walls(0.0); }},
      {"beads_between_walls_050", [] { return beads_between_walls(0.5); }},
      {"beads_between_walls_100", [] { return beads_between_walls(1.0); }},
      {"ball_over_floor", ball_over_floor},
      {"bouncing_ball", [] { return bouncing_ball(); }},
      {"bouncing_ball_tilted", bouncing_ball_tilted},
      {"column_of_beads", [] { return column_of_beads(); }, "ColumnOfBeadsTS"},
      {"column_of_linked_beads", column_of_linked_beads},
      {"ball_on_moving_plane", ball_on_moving_plane},
      {"bouncing_disk", bouncing_disk},
      {"woodpecker", woodpecker},
      {"cam_follower", cam_follower},
      {"double_pendulum", double_pendulum},
      {"impacting_stick", impacting_stick},
      {"slider_crank", slider_crank},
      {"disks_in_a_box", disks_in_a_box},
      {"ball_on_beam", [] { return ball_on_beam(20); }},
      {"position_level_ball", position_level_ball},
      {"projected_ball", projected_ball},
      {"ball_on_compliant_floor", [] { return ball_on_compliant_floor(1e-2, MoreauJean::CompliantGap::Consistent); }},
      {"ball_on_compliant_floor_siconos",
       [] { return ball_on_compliant_floor(1e-2, MoreauJean::CompliantGap::Siconos44); }},
      {"falling_ball_090", [] { return falling_ball(0.9); }},
      {"falling_ball_000", [] { return falling_ball(0.0); }},
      {"block_on_two_corners", block_on_two_corners},
  };
  return list;
}

/// Friction in space is a user's law, which only time-stepping knows.
const std::vector<NamedModel>& piles() {
  using namespace problems;
  static const std::vector<NamedModel> list{
      {"pile_settled", [] { return pile(ball_pile(30, 11, Rest::Settled)); }},
      {"pile_flowing", [] { return pile(ball_pile(60, 12, Rest::Flowing)); }},
      {"pile_loaded", [] { return pile(ball_pile(40, 13, Rest::Loaded)); }},
      {"brick_wall", [] { return pile(brick_wall(3, 4, 14, false)); }},
      {"brick_wall_pushed", [] { return pile(brick_wall(3, 4, 15, true)); }},
  };
  return list;
}

/// Impacts as waves, which time-stepping does not know.
const std::vector<NamedModel>& waves() {
  static const std::vector<NamedModel> list{{"column_of_steel_balls", problems::column_of_steel_balls}};
  return list;
}

const std::vector<NamedModel>& first_order_models() {
  using namespace problems;
  static const std::vector<NamedModel> list{
      {"oscillator_of_first_order", [] { return oscillator(false); }},
      {"rlc_diode", rlc_diode},
      {"diode_bridge", diode_bridge},
      {"diode_bridge_filter", diode_bridge_filter},
      {"resonant_converter", resonant_converter},
      {"simple_relay", simple_relay},
      {"relay_oscillator", relay_oscillator},
      {"friction_oscillator", friction_oscillator},
      {"gene_network", gene_network},
      {"unfolded_ball", unfolded_ball},
      {"observed_system", observed_system},
  };
  return list;
}

/// The integrators of tests/contracts/integrator_contract.cpp, its variants of a step, and some more.
struct Scheme {
  const char* name;
  void (*choose)(Model&);
};

const std::vector<Scheme>& mechanical_schemes() {
  // The model's rule for compliant gaps is kept.
  static const auto moreau_jean = [](Model& m, MoreauJean scheme) {
    if (const auto* own = std::get_if<MoreauJean>(&m.options.integrator)) scheme.compliant_gap = own->compliant_gap;
    m.options.integrator = scheme;
  };
  static const std::vector<Scheme> list{
      {"Own", [](Model&) {}},
      {"MoreauJean050", [](Model& m) { moreau_jean(m, {.theta = 0.5}); }},
      {"MoreauJean075", [](Model& m) { moreau_jean(m, {.theta = 0.75}); }},
      {"MoreauJean100", [](Model& m) { moreau_jean(m, {.theta = 1.0}); }},
      {"MoreauJeanAtStart", [](Model& m) { moreau_jean(m, {.configuration_weight = 0.0}); }},
      {"MoreauJeanAtMiddle", [](Model& m) { moreau_jean(m, {.configuration_weight = 0.5}); }},
      {"SchatzmanPaoli050", [](Model& m) { m.options.integrator = SchatzmanPaoli{.theta = 0.5}; }},
      {"SchatzmanPaoli100", [](Model& m) { m.options.integrator = SchatzmanPaoli{.theta = 1.0}; }},
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
      {"HalvedOnFailure", [](Model& m) { m.options.on_failure = OnFailure::Halve; }},
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
      {"HalvedOnFailure", [](Model& m) { m.options.on_failure = OnFailure::Halve; }},
  };
  return list;
}

/// What both orders may do besides.
const std::vector<Scheme>& common_schemes() {
  static const std::vector<Scheme> list{
      {"GaussSeidel", [](Model& m) { m.options.solver = mixed::GaussSeidel{}; }},
      {"HalvedAfterThreeIterations",
       [](Model& m) {
         m.options.on_failure = OnFailure::Halve;
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
void add_events(Cases& cases, const std::vector<NamedModel>& models, bool mechanical) {
  std::vector<std::pair<const char*, SmoothIntegrator>> integrators{{"DormandPrince8", DormandPrince{.order = 8}},
                                                                    {"DormandPrince5", DormandPrince{.order = 5}},
                                                                    {"RadauIIA", RadauIIA{}}};
  if (mechanical) integrators.emplace_back("GeneralisedAlpha", GeneralisedAlpha{});
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
  if (argc != 2) {
    std::cerr << "Usage: bits_models FOLDER\n";
    return 2;
  }
  try {
    Cases cases(argv[1]);
    add_cards(cases);
    for (const auto* models : {&mechanical_models(), &piles()}) {
      add_schemes(cases, *models, mechanical_schemes());
      add_schemes(cases, *models, common_schemes());
    }
    add_schemes(cases, first_order_models(), first_order_schemes());
    add_schemes(cases, first_order_models(), common_schemes());
    for (const auto* models : {&mechanical_models(), &waves()}) add_events(cases, *models, true);
    add_events(cases, first_order_models(), false);
    std::cout << cases.cases() << " cases, " << cases.states() << " states" << std::endl;
    if (cases.written()) return 0;
    std::cerr << "some traces could not be written\n";
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
  }
  return 1;
}
