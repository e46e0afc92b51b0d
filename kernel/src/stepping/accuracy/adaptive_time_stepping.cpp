// SPDX-License-Identifier: Apache-2.0
// The control of steps, which stands above them: it chooses lengths, and each step is made as ever.
#include <nonsmooth/kernel/adaptive_time_stepping.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "local_error.hpp"
#include "model/fingerprint/word_hash.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "model/step_grid.hpp"
#include "stepping/sums.hpp"
#include "stepping/workspace_implementation.hpp"

namespace nonsmooth {
namespace {

constexpr Index kFirstRung = 10, kMostGrowth = 3;
constexpr double kAim = 0.8;             ///< of what is allowed: what a longer step is expected to have
constexpr double kSameLength = 1e-9;     ///< of a length: what is left of it belongs to rounding
constexpr std::uint64_t kMark = 0xada9;  ///< parts what an adaptive run left from what one by events did

void check_bound(const char* field, const ErrorBound& bound) {
  for (const double part : {bound.absolute, bound.relative}) {
    if (!(part >= 0.0 && std::isfinite(part))) throw InvalidArgument(field, check::text(part), "a finite part >= 0");
  }
}

/// @throws InvalidArgument where the model has a quantity without a bound.
void require_bound(const char* field, const ErrorBound& bound, const std::string& system) {
  if (bound.absolute > 0.0 || bound.relative > 0.0) return;
  throw InvalidArgument(field, "no bound", "absolute or relative > 0, as the model has " + system);
}

/// At linearised gaps v_{k+1} is along the rows of where the step began: where these turn, u is off by h times
/// curvature and speed squared at the end of each step. Whole and parts differ by as much, of order H as what a step
/// may take is: no length makes a step accurate that another is not. @throws InvalidArgument where rows turn
void refuse_turning_rows(const NonSmoothDynamicalSystem& model, const std::vector<Scheme>& schemes,
                         const RelationCaches& relations) {
  const auto refuse = [](const std::string& scheme, const std::string& rows) {
    throw InvalidArgument("AdaptiveOptions::stepping.integrator", scheme + " for " + rows,
                          "D1MinusLinear or MoreauJean: at linearised gaps velocities are off the surface by the step");
  };
  for (const InteractionPlan& interaction : relations.interactions) {
    if (interaction.scheme.at_gaps() && !interaction.offset)
      refuse(interaction.scheme.integrator->name(), interaction.name + ", whose rows may turn");
  }
  const auto at = std::find_if(schemes.begin(), schemes.end(), [](const Scheme& one) { return one.at_gaps(); });
  if (at != schemes.end() && !model.sources().empty())
    refuse(at->integrator->name(), "contacts that are found, whose rows may turn");
}

}  // namespace

void Accuracy::validate() const {
  check_bound("Accuracy::position", position);
  check_bound("Accuracy::velocity", velocity);
  check_bound("Accuracy::state", state);
  check::positive("Accuracy::span", span);
  check::at_least("Accuracy::events", events, 1);
}

void AdaptiveOptions::validate() const {
  stepping.validate();
  accuracy.validate();
  if (halvings < 1 || halvings > 50)
    throw InvalidArgument("AdaptiveOptions::halvings", std::to_string(halvings), "1 to 50");
  const auto refuse = [](const char* field, const char* found, const char* expected) {
    throw InvalidArgument(field, found, expected);
  };
  if (stepping.sleep.rest > 0.0)
    refuse("AdaptiveOptions::stepping.sleep", "bodies that may sleep",
           "rest = 0: rest is judged by steps of one length");
  if (stepping.verify > 0)
    refuse("AdaptiveOptions::stepping.verify", "steps to be verified", "0: each step is compared anyway");
  if (stepping.on_failure == OnFailure::Subdivide)
    refuse("AdaptiveOptions::stepping.on_failure", "Subdivide", "Stop or Accept: a step that fails is halved anyway");
  for (std::size_t i = 0; i < instants.size(); ++i) {
    check::finite("AdaptiveOptions::instants", instants[i]);
    if (i > 0 && !(instants[i] > instants[i - 1]))
      refuse("AdaptiveOptions::instants", "instants that do not increase", "increasing ones");
  }
}

struct AdaptiveTimeStepping::Control {
  explicit Control(AdaptiveOptions of_run) : options(std::move(of_run)) {}

  AdaptiveOptions options;
  AdaptiveSteps counts;
  std::vector<SchemeOrder> orders;
  stages::Reactions reactions;
  std::vector<bool> impulsive;
  /// By rung of the ladder, then of a step that is cut and of its parts; one of them is TimeStepping's own.
  std::vector<std::unique_ptr<Workspace>> workspaces;
  std::size_t shown = 0;
  State whole, behind;
  stages::Sums parts;
  stages::LocalError error;

  [[nodiscard]] double length(Index rung) const { return std::ldexp(options.stepping.step, -static_cast<int>(rung)); }
  [[nodiscard]] Index rung_of(double H) const {
    const double rung = std::ceil(std::log2(options.stepping.step / H) - kSameLength);
    return static_cast<Index>(std::clamp(rung, 0.0, static_cast<double>(options.halvings)));
  }
  [[nodiscard]] Index cut_rung() const { return options.halvings + 2; }
  [[nodiscard]] Index part_of(Index rung) const { return rung + 1; }
  [[nodiscard]] Index recall(const State& state);
  void remember(State& state, Index next_rung) const;
  [[nodiscard]] Index growth() const;
  /// The next of the given instants after t, T at most.
  [[nodiscard]] double next_instant(double t, double T) const;

 private:
  [[nodiscard]] static std::uint64_t mark(const State& state);
};

std::uint64_t AdaptiveTimeStepping::Control::mark(const State& state) {
  WordHash hash;
  hash.add(kMark);
  hash.add(hash_of(state));
  hash.add(state.events.integrator.data(), state.events.integrator.size());
  return hash.value();
}

/// The rung that the next step is tried with, and the reactions of the part before it, as the state has them.
Index AdaptiveTimeStepping::Control::recall(const State& state) {
  const std::vector<double>& numbers = state.events.integrator;
  const auto n = static_cast<std::size_t>(reactions.rate.size()), m = orders.size();
  if (numbers.size() == 1 + m + n && state.events.of == mark(state)) {
    for (std::size_t s = 0; s < m; ++s) reactions.known[s] = numbers[1 + s] > 0.0;
    for (std::size_t z = 0; z < n; ++z) reactions.rate[static_cast<Index>(z)] = numbers[1 + m + z];
    return rung_of(numbers[0]);
  }
  reactions.known.assign(m, false);
  return state.last_step > 0.0 ? rung_of(state.last_step) : std::min(kFirstRung, options.halvings);
}

void AdaptiveTimeStepping::Control::remember(State& state, Index next_rung) const {
  EventHistory& history = state.events;
  for (auto* numbers : {&history.loop, &history.mechanics, &history.first_order, &history.users}) numbers->clear();
  const Index m = std::ssize(orders), n = reactions.rate.size();
  history.integrator.resize(static_cast<std::size_t>(1 + m + n));
  double* number = history.integrator.data();
  *number++ = length(next_rung);
  for (Index s = 0; s < m; ++s) *number++ = impulsive[static_cast<std::size_t>(s)] ? 0.0 : 1.0;
  for (Index z = 0; z < n; ++z) *number++ = reactions.second[z] / (0.5 * state.last_step);
  history.of = mark(state);
}

/// By how many rungs the step after one that was accepted at once is longer.
Index AdaptiveTimeStepping::Control::growth() const {
  if (error.event) return 2.0 * error.ratio <= kAim ? 1 : 0;
  if (error.ratio == 0.0) return kMostGrowth;
  const double rungs = std::floor(std::log2(kAim / error.ratio) / static_cast<double>(error.order));
  return static_cast<Index>(std::clamp(rungs, 0.0, static_cast<double>(kMostGrowth)));
}

double AdaptiveTimeStepping::Control::next_instant(double t, double T) const {
  const auto& instants = options.instants;
  const auto next = std::upper_bound(instants.begin(), instants.end(), t);
  return next == instants.end() ? T : std::min(T, *next);
}

AdaptiveTimeStepping::AdaptiveTimeStepping(NonSmoothDynamicalSystem model, AdaptiveOptions options, double t0)
    : TimeStepping(std::move(model), (options.validate(), options.stepping), t0),
      control_(std::make_unique<Control>(std::move(options))) {
  begin_lengths();
}

AdaptiveTimeStepping::~AdaptiveTimeStepping() = default;
AdaptiveTimeStepping::AdaptiveTimeStepping(AdaptiveTimeStepping&&) noexcept = default;
AdaptiveTimeStepping& AdaptiveTimeStepping::operator=(AdaptiveTimeStepping&&) noexcept = default;

const AdaptiveOptions& AdaptiveTimeStepping::adaptive_options() const noexcept { return control_->options; }
const AdaptiveSteps& AdaptiveTimeStepping::steps() const noexcept { return control_->counts; }
double AdaptiveTimeStepping::next_step() const { return control_->length(control_->recall(state_)); }

/// What is of the model's revision. TimeStepping's own workspace is of the longest step, as begin() left it.
void AdaptiveTimeStepping::begin_lengths() {
  Control& control = *control_;
  const Layout& layout = *model_.layout();
  const Discretisation& discretisation = WorkspaceAccess::caches(workspace_).discretisation;
  control.orders.clear();
  for (std::size_t s = 0; s < layout.systems.size(); ++s) {
    const Layout::System& place = layout.systems[s];
    const auto& record = model_.systems()[place.slot];
    if (record.with_law)
      throw InvalidArgument("AdaptiveTimeStepping: system " + record.name, record.with_law->kind(),
                            "TimeStepping, as its reactions are within it and do not show in a step");
    const Accuracy& accuracy = control.options.accuracy;
    if (place.first_order) {
      require_bound("Accuracy::state", accuracy.state, record.name);
    } else {
      require_bound("Accuracy::position", accuracy.position, record.name);
      require_bound("Accuracy::velocity", accuracy.velocity, record.name);
    }
    const Scheme& scheme = discretisation.schemes[s];
    if (scheme.keeps_unknown)
      throw InvalidArgument("AdaptiveOptions::stepping.integrator", scheme.integrator->name() + " for " + record.name,
                            "MoreauJean or StewartTrinkle: a difference over the step before is of its length alone");
    const SchemeOrder order = scheme.integrator->order(stages::use_of(record));
    if (order.free < 1 || order.constrained < 1)
      throw InvalidArgument("TimeSteppingOptions::integrator", "an order below 1 of " + scheme.integrator->name(),
                            "orders >= 1");
    control.orders.push_back(order);
  }
  refuse_turning_rows(model_, discretisation.schemes, WorkspaceAccess::caches(workspace_).relations);
  control.reactions.begin(layout);
  control.impulsive.assign(layout.systems.size(), false);
  control.workspaces.clear();
  control.workspaces.resize(static_cast<std::size_t>(control.options.halvings + 4));
  control.shown = 0;
  watches_ = false;  // what is looked for after a step takes steps of one length
}

/// That of a length, made when it is first met.
Workspace& AdaptiveTimeStepping::workspace_of(Index rung) {
  Control& control = *control_;
  const auto at = static_cast<std::size_t>(rung);
  if (at == control.shown) return workspace_;
  if (!control.workspaces[at]) {
    control.workspaces[at] = std::make_unique<Workspace>(options_.threads);
    WorkspaceAccess::caches(*control.workspaces[at]).options_stay = true;
  }
  WorkspaceAccess::caches(*control.workspaces[at]).watches = WorkspaceAccess::caches(workspace_).watches;
  return *control.workspaces[at];
}

/// Makes it what problem(), reaction() and their like look at.
void AdaptiveTimeStepping::show_workspace_of(Index rung) {
  Control& control = *control_;
  const auto at = static_cast<std::size_t>(rung);
  if (at == control.shown) return;
  (void)workspace_of(rung);
  std::swap(workspace_, *control.workspaces[at]);
  control.workspaces[control.shown].swap(control.workspaces[at]);
  control.shown = at;
}

/// A step of length H, whole and in parts, into control_->whole and parts; control_->error compares them.
StepReport AdaptiveTimeStepping::tried(double H, Index rung) {
  Control& control = *control_;
  Workspace& of_whole = workspace_of(rung);
  control.whole = state_;
  StepReport report = nonsmooth::step(model_, options_, H, control.whole, of_whole);
  if (!report.taken) return report;
  const auto z_free = [](Workspace& workspace) -> const Eigen::VectorXd& {
    return WorkspaceAccess::caches(workspace).solution.z_free;
  };
  control.reactions.whole = control.whole.unknowns - z_free(of_whole);
  Workspace& of_parts = workspace_of(control.part_of(rung));
  control.parts.begin(state_);
  State& end = control.parts.state;
  report = nonsmooth::step(model_, options_, 0.5 * H, end, of_parts);
  if (!report.taken) return report;
  control.parts.add_part();
  control.reactions.first = end.unknowns - z_free(of_parts);
  StepReport second = nonsmooth::step(model_, options_, 0.5 * H, end, of_parts);
  stages::add_report(report, second);
  if (!second.taken) return second;
  control.parts.add_part();
  control.reactions.second = end.unknowns - z_free(of_parts);
  const Workspace::Implementation& caches = WorkspaceAccess::caches(of_parts);
  const double late = find_due_impacts(0.5 * H, caches.relations);
  control.parts.write(H, caches.relations, stages::kept_by(caches.staged));
  const bool bounces = stages::bounces(caches.relations, state_, end);
  control.error =
      stages::compare(control.options.accuracy, options_.step, {H, bounces, late, state_, control.whole, end},
                      control.reactions, control.orders, control.impulsive);
  return second;
}

/// Impacts that a step of the shortest length finds where the parts end, and by how much they are late; 0: none. Of
/// contacts that are found, which no state tells, it is looked each time, and half a part is what they may be late by.
double AdaptiveTimeStepping::find_due_impacts(double h, const RelationCaches& relations) {
  Control& control = *control_;
  const State& end = control.parts.state;
  double late = stages::lateness(relations, end, h);
  if (!model_.sources().empty()) late = std::max(late, 0.5 * h);
  if (!(late > 0.0)) return 0.0;
  Workspace& shortest = workspace_of(control.options.halvings);
  control.behind = end;
  auto watches = std::exchange(WorkspaceAccess::caches(shortest).watches, nullptr);
  const StepReport report =
      nonsmooth::step(model_, options_, control.length(control.options.halvings), control.behind, shortest);
  WorkspaceAccess::caches(shortest).watches = std::move(watches);
  if (!report.taken) return 0.0;
  control.reactions.due = control.behind.unknowns - WorkspaceAccess::caches(shortest).solution.z_free;
  return late;
}

/// Takes the parts, as one step of length H.
void AdaptiveTimeStepping::take(const StepReport& report, double H, bool cut) {
  Control& control = *control_;
  State& end = control.parts.state;
  const bool goes_on = on_grid(state_, H);
  end.grid_step = H;
  end.t_origin = goes_on ? state_.t_origin : state_.t;
  end.k = goes_on ? state_.k + 1 : 1;
  round_instant(end, end_of_step(state_, H));
  end.steps = state_.steps + 1;
  std::swap(state_, end);
  ++control.counts.taken;
  control.counts.estimated += control.error.error;
  if (control.error.event) ++control.counts.with_events;
  if (!cut) {
    AdaptiveSteps& counts = control.counts;
    counts.shortest = counts.shortest > 0.0 ? std::min(counts.shortest, H) : H;
    counts.longest = std::max(counts.longest, H);
  }
  tell_lasting(report, findings_);
}

/// One step that is accepted, until `end` at most, which it hits exactly where it gets there.
StepReport AdaptiveTimeStepping::step_until(double end) {
  Control& control = *control_;
  StepReport report;
  if (handed_out_ && !look_at_written(options_.step, report)) return report;
  const double left = end - state_.t;
  Index rung = control.recall(state_);
  for (bool rejected = false;; rejected = true) {
    const double length = control.length(rung);
    const bool ends = length >= left * (1.0 - kSameLength), cut = ends && length > left * (1.0 + kSameLength);
    const double H = cut ? left : length;
    const Index of = cut ? control.cut_rung() : rung;
    report = tried(H, of);
    if (report.outcome == StepReport::Outcome::CallableFailed) return report;
    if (report.taken && control.error.finite && control.error.ratio <= 1.0) {
      const Index next = rejected || cut ? rung : rung - std::min(rung, control.growth());
      take(report, H, cut);
      if (ends) {
        round_instant(state_, end);
        state_.t_origin = end;
        state_.k = 0;
      }
      control.remember(state_, next);
      report.t = state_.t;
      show_workspace_of(control.part_of(of));
      if (handed_out_) hand_out();
      return report;
    }
    ++control.counts.rejected;
    if (rung == control.options.halvings) break;
    ++rung;
    while (rung < control.options.halvings && control.length(rung) >= left) ++rung;
  }
  return report.taken ? underflow(report) : report;
}

/// The report of a step that no length makes accurate enough.
StepReport AdaptiveTimeStepping::underflow(StepReport report) const {
  const Control& control = *control_;
  report.outcome = StepReport::Outcome::StepUnderflow;
  report.taken = false;
  const auto s = static_cast<std::size_t>(std::max<Index>(control.error.system, 0));
  const stages::ComparedStep compared{0.0, false, 0.0, state_, control.whole, control.parts.state};
  const std::string cause = stages::interaction_that_differs(model_, static_cast<Index>(s), compared);
  std::ostringstream text;
  text.precision(3);
  text << "With " << control.length(control.options.halvings) << " s, " << model_.layout()->systems[s].name
       << " is off by " << control.error.ratio << " times what is allowed"
       << (cause.empty() ? ", and no interaction has a part in it."
                         : "; its reaction that differs is that of " + cause + ".");
  report.detail = text.str();
  return report;
}

StepReport AdaptiveTimeStepping::step() {
  return step_until(control_->next_instant(state_.t, std::numeric_limits<double>::infinity()));
}

RunReport AdaptiveTimeStepping::run(double T, Call call, void* observer) {
  const double tolerance = check_end(T, control_->length(control_->options.halvings));
  RunReport report;
  report.t = state_.t;
  while (state_.t < T - tolerance) {
    report.last = step_until(control_->next_instant(state_.t, T));
    if (!take_up(report, call, observer)) return report;
  }
  return report;
}

void AdaptiveTimeStepping::set_state(const State& state) {
  show_workspace_of(0);
  TimeStepping::set_state(state);
}

void AdaptiveTimeStepping::adopt(NonSmoothDynamicalSystem model) {
  show_workspace_of(0);
  TimeStepping::adopt(std::move(model));
  begin_lengths();
}

}  // namespace nonsmooth
