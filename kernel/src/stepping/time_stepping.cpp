// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/time_stepping.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "analysis/examine_start.hpp"
#include "analysis/run_remarks.hpp"
#include "model/guarded.hpp"
#include "model/outputs.hpp"
#include "model/step_grid.hpp"
#include "stepping/accuracy/possible_steps.hpp"
#include "workspace_implementation.hpp"

namespace nonsmooth {
namespace {

/// A remainder below this part of a step belongs to rounding of k h, not to a step of its own.
constexpr double kGridTolerance = 1e-9;

/// Within what the order of a sum's terms may change, whatever their units.
bool is_close(const Eigen::VectorXd& a, const Eigen::VectorXd& b, const Eigen::VectorXd& terms) {
  return ((a - b).array().abs() <= 1e-12 * terms.array()).all();
}

/// `before`: the layout before an edit, or nullptr. @throws InvalidArgument for a remark that is refused.
Remarks examined(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
                 const Layout* before, Workspace::Implementation& caches) {
  if (options.examination == Examination::Off) return {};
  stages::StartExamination found =
      stages::examine_start(model, options, state, before, caches.discretisation, caches.relations, caches.search);
  caches.doubtful = std::move(found.doubtful);
  for (const Remark& remark : found.remarks) {
    if (remark.refused && options.examination == Examination::Refuse)
      throw InvalidArgument(remark.subject, remark.found, remark.expected);
  }
  return std::move(found.remarks);
}

/// What stands in the first remark of a kind.
const std::string& subject_of(Remark::Kind kind, const Remarks& remarks) {
  static const std::string kNone = "a step";
  const auto first = std::find_if(remarks.begin(), remarks.end(), [kind](const Remark& r) { return r.kind == kind; });
  return first == remarks.end() ? kNone : first->subject;
}

/// Entries of findings() that a run begins with room for: more kinds of them than a step without failures tells of.
constexpr std::size_t kRoomForFindings = 8;

void add_verified(RunReport& report) {
  ++report.verified_steps;
  report.worst_growth = std::max(report.worst_growth, report.last.multiplier_growth);
  if (report.last.subdivision_difference <= report.worst_subdivision_difference) return;
  report.worst_subdivision_difference = report.last.subdivision_difference;
  report.worst_subdivision_t = report.last.t;
}

void add_depth(RunReport& report) {
  report.fastest_approach = std::max(report.fastest_approach, report.last.approach);
  if (report.last.penetration <= report.worst_penetration) return;
  report.worst_penetration = report.last.penetration;
  report.worst_penetration_t = report.last.t;
}

/// Adds what one step was noticed with to what a run was.
void add_all(const RunRemarks& of_step, RunRemarks& of_run) {
  for (const RunRemark& remark : of_step)
    add_remark(remark.kind, remark.subject, remark.first_t, remark.worst, of_run, remark.count);
}

}  // namespace

TimeStepping::TimeStepping(NonSmoothDynamicalSystem model, TimeSteppingOptions options, double t0)
    : model_(std::move(model)), options_(std::move(options)), workspace_((options_.validate(), options_.threads)) {
  if (model_.num_systems() == 0) throw InvalidArgument("TimeStepping: model", "no system", "at least one system");
  state_ = model_.initial_state(t0);
  begin();
}

/// Everything that is refused or told before the first step.
void TimeStepping::begin() {
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  caches.options_stay = true;
  stages::prepare(model_, options_, options_.step, caches);
  stages::require_masses(model_, state_);
  try {
    if (options_.repair_initial_state && !stages::repair_positions(model_, options_, state_, caches)) {
      throw InvalidArgument("initial state", "one that could not be moved out of its obstacles and on its constraints",
                            "constraints that do not contradict each other, or a start closer to them");
    }
    remarks_ = examined(model_, options_, state_, nullptr, caches);
  } catch (const CallableFailure& failure) {
    throw InvalidArgument("initial state", failure.detail, "functions that can be asked there");
  }
  start_watching();
}

void TimeStepping::start_watching() {
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  const bool looks = options_.examination != Examination::Off;
  doubtful_ = looks ? caches.doubtful : std::vector<Index>{};
  caches.watch = looks ? stages::prepare_watch(model_, options_, state_, caches.discretisation, caches.systems,
                                               caches.relations, caches.search)
                       : RunWatch{};
  if (looks) findings_.reserve(findings_.size() + kRoomForFindings);
  const RunWatch& watch = caches.watch;
  const bool of_first_order =
      !watch.islands.empty() || !watch.storages.empty() || !watch.growths.empty() || !watch.switched.empty();
  watches_ =
      watch.mechanics || of_first_order || watch.impacts.looked_at || watch.passages.any() || !watch.turnings.empty();
  watches_free_motion_ =
      of_first_order || (watch.mechanics && !watch.only_falls) || watch.passages.any() || !watch.turnings.empty();
}

void TimeStepping::set_state(const State& state) {
  if (!state.layout() || state.layout()->revision != model_.layout()->revision) {
    throw InvalidArgument("TimeStepping::set_state", "a state of another revision or model",
                          "one of the model's present revision (migrate() carries an old one over)");
  }
  require_sound(state);
  require_configurations(model_, state);
  State evaluated = state;
  update_outputs(model_, evaluated);
  state_ = state;
  // The last bits of outputs depend on who evaluated them: those of a step are kept, for the same bits after it.
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  stages::prepare(model_, options_, options_.step, caches);
  caches.has_reactions = false;
  const stages::OutputTerms terms = stages::output_terms(evaluated, caches.relations);
  if (!is_close(evaluated.outputs, state.outputs, terms.y) ||
      !is_close(evaluated.velocities, state.velocities, terms.u))
    state_ = std::move(evaluated);
  stages::watch_anew(caches.watch);
  if (handed_out_) hand_out();
}

void TimeStepping::hand_out() {
  handed_out_ = true;
  known_positions_ = state_.positions;
  known_unknowns_ = state_.unknowns;
}

const OneStepNSProblem& TimeStepping::problem() const {
  static const OneStepNSProblem kNone;
  const Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  if (stages::is_staged(caches.staged)) return caches.staged.last != nullptr ? *caches.staged.last : kNone;
  return caches.active.blocks.empty() ? kNone : caches.one_step.problem;
}

const OneStepNSProblem& TimeStepping::projection_problem() const {
  return WorkspaceAccess::caches(workspace_).projection.problem;
}

std::shared_ptr<const ProblemWatch> TimeStepping::watch_problems(ProblemWatch watch) const {
  if (!watch) throw InvalidArgument("TimeStepping::watch_problems: watch", "an empty function", "one that is called");
  return WorkspaceAccess::caches(workspace_).watches->add(std::move(watch));
}

StepReport TimeStepping::step() { return step_by(options_.step); }

ThreadPool& TimeStepping::threads() const { return WorkspaceAccess::caches(workspace_).threads; }

/// A step from a sound state, and where else it might have ended.
StepReport TimeStepping::certain_step(double h) {
  const bool verified = options_.verify > 0 && state_.steps % options_.verify == 0;
  if (doubtful_.empty() && !verified) return watched_step(h);
  const State before = state_;
  StepReport report = watched_step(h);
  alternatives_.clear();
  if (!report.taken) return report;
  if (!doubtful_.empty()) find_other_ends(h, before, report);
  if (verified) repeat_subdivided(h, before, report);
  return report;
}

/// A step, and what is noticed in it.
StepReport TimeStepping::watched_step(double h) {
  if (!noticed_.empty()) noticed_.clear();
  StepReport report = nonsmooth::step(model_, options_, h, state_, workspace_);
  if (report.taken) {
    watch_depth(h, report);
    tell_lasting(report, findings_);
  }
  if (!report.taken || !watches_ || (report.rows == 0 && !watches_free_motion_)) return report;
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  stages::watch_step(model_, caches.taken(report, state_), caches.systems, caches.search, caches.watch, noticed_);
  if (!noticed_.empty()) add_all(noticed_, findings_);
  return report;
}

/// How deep contacts were.
void TimeStepping::watch_depth(double h, const StepReport& report) {
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  if (!caches.watch.depth.looked_at) return;
  RunWatch::Depth& depth = caches.watch.depth;
  stages::watch_penetration(caches.taken(report, state_), h, caches.active, caches.relations, caches.one_step.problem,
                            depth);
  if (depth.exceeded && !depth.room_to_tell.empty()) {
    begin_remark(RunRemark::Kind::Penetration, std::move(depth.room_to_tell), report.t, findings_);
    depth.room_to_tell.clear();
  }
}

/// What is told of many steps goes into the remarks of the run: noticed_ would copy its text in each.
void TimeStepping::tell_lasting(const StepReport& report, RunRemarks& remarks) const {
  static const std::string kLoops = "loops of more than 400 rows";
  if (report.unexamined_rows > 0 && options_.examination != Examination::Off)
    add_remark(RunRemark::Kind::RedundancyUnknown, kLoops, report.t, static_cast<double>(report.unexamined_rows),
               remarks);
  const RunWatch::Depth& depth = WorkspaceAccess::caches(workspace_).watch.depth;
  if (depth.exceeded) add_remark(RunRemark::Kind::Penetration, depth.place, report.t, report.penetration, remarks);
}

void TimeStepping::find_other_ends(double h, const State& before, StepReport& report) {
  if (report.subdivisions > 0) return;  // its problem was another one
  try {
    alternatives_ = stages::other_ends(stages::possible_steps(model_, options_, h, before, other_workspace_), before,
                                       state_, doubtful_);
  } catch (const InvalidArgument&) {  // rows that it does not know beside the doubtful ones
    return;
  }
  report.other_ends = static_cast<Index>(alternatives_.size());
  if (report.other_ends == 0) return;
  const RunRemarks several{{RunRemark::Kind::SeveralAnswers, subject_of(Remark::Kind::Ambiguity, remarks_), report.t, 1,
                            static_cast<double>(report.other_ends)}};
  add_all(several, noticed_);
  add_all(several, findings_);
}

void TimeStepping::repeat_subdivided(double h, const State& before, StepReport& report) {
  State middle = before, end;
  try {
    if (!nonsmooth::step(model_, options_, 0.5 * h, middle, subdivision_workspace_).taken) return;
    end = middle;
    if (!nonsmooth::step(model_, options_, 0.5 * h, end, subdivision_workspace_).taken) return;
  } catch (const InvalidArgument&) {  // laws that meet in an impact of these steps alone: nothing to compare
    return;
  }
  const Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  report.verified = true;
  report.subdivision_difference = stages::subdivision_difference(before, state_, end);
  if (report.subdivisions == 0)
    report.multiplier_growth =
        stages::multiplier_growth(before, caches.taken(report, state_), middle, end, caches.watch);
}

/// Of a step that may have been an impulse the run's end would say nothing: only the step after it shows that.
void TimeStepping::tell_last_impulses(RunReport& report) {
  if (!watches_) return;
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  noticed_ = stages::tell_last_impulses(model_, options_, state_, other_workspace_, caches.watch);
  add_all(noticed_, findings_);
  add_all(noticed_, report.findings);
}

/// Of a state that was handed out and may have been written since; false where its outputs cannot be had.
bool TimeStepping::look_at_written(double h, StepReport& failed) {
  if (!state_.layout() || state_.layout()->revision != model_.layout()->revision) {
    throw InvalidArgument("TimeStepping::state", "a state of another revision or model, or one that was moved from",
                          "one of the model's present revision");
  }
  require_sound(state_);
  const bool t_was_written = state_.t != state_.t_origin + static_cast<double>(state_.k) * state_.grid_step;
  if (!t_was_written && state_.positions == known_positions_ && state_.unknowns == known_unknowns_) return true;
  require_configurations(model_, state_);
  failed.outcome = StepReport::Outcome::CallableFailed;
  failed.taken = false;
  failed.t = end_of_step(state_, h);
  try {
    ask_outputs(model_, state_);
  } catch (const CallableFailure& failure) {
    failed.detail = failure.detail;
    return false;
  }
  stages::watch_anew(WorkspaceAccess::caches(workspace_).watch);
  state_.wake();
  return true;
}

StepReport TimeStepping::step_by(double h) {
  if (!handed_out_) return certain_step(h);
  StepReport failed;
  if (!look_at_written(h, failed)) return failed;
  const StepReport report = certain_step(h);
  hand_out();
  return report;
}

/// What belongs to rounding of a grid of steps of length h until T. @throws InvalidArgument for a T before the state's.
double TimeStepping::check_end(double T, double h) const {
  check::finite("advance_to: T", T);
  check::finite("State::t", state_.t);
  // A step longer than all of time so far has no grid whose rounding could be left over.
  const double times = std::max(
      {std::abs(T), std::abs(state_.t), std::abs(state_.t_origin), static_cast<double>(state_.k) * state_.grid_step});
  const double tolerance = kGridTolerance * std::min(h, times);
  if (T < state_.t - tolerance) {
    throw InvalidArgument("advance_to: T", std::to_string(T) + " s",
                          "at least the present time, " + std::to_string(state_.t) + " s");
  }
  return tolerance;
}

/// The step `report.last` into the report of its run; false where the run ends with it.
bool TimeStepping::take_up(RunReport& report, Call call, void* observer) {
  report.newton_iterations += report.last.newton_iterations;
  if (report.last.rows > 0 && report.last.certificate.residual > report.worst_residual) {
    report.worst_residual = report.last.certificate.residual;
  }
  report.t = state_.t;
  if (!report.last.taken) {
    const bool threw = report.last.outcome == StepReport::Outcome::CallableFailed;
    report.outcome = threw ? RunReport::Outcome::CallableFailed : RunReport::Outcome::StepFailed;
    report.detail = report.last.detail;
    report.problem = report.last.problem;
    return false;
  }
  ++report.steps;
  if (report.last.other_ends > 0 && report.ambiguous_steps++ == 0) report.first_ambiguity = report.last.t;
  if (!noticed_.empty()) add_all(noticed_, report.findings);
  tell_lasting(report.last, report.findings);
  add_depth(report);
  if (report.last.verified) add_verified(report);
  report.fell_asleep += report.last.fell_asleep;
  report.woken += report.last.woken;
  report.energy_taken += report.last.energy_taken;
  if (!report.last.ok() && report.steps_accepted++ == 0) report.first_accepted = report.last.t;
  if (!call || call(observer, state_, report.last)) return true;
  report.outcome = RunReport::Outcome::StoppedByObserver;
  return false;
}

RunReport TimeStepping::run(double T, Call call, void* observer) {
  return run_by([this](double h) { return step_by(h); }, T, call, observer);
}

/// Steps of one length until T, the last one shortened.
RunReport TimeStepping::run_by(const std::function<StepReport(double h)>& make_step, double T, Call call,
                               void* observer) {
  const double h = options_.step, tolerance = check_end(T, h);
  RunReport report;
  report.t = state_.t;
  while (state_.t < T - tolerance) {
    const bool shortened = end_of_step(state_, h) > T + tolerance;
    report.last = make_step(shortened ? T - state_.t : h);
    if (shortened && report.last.taken) {
      round_instant(state_, T);  // t + (T - t) may miss T by a rounding; the next grid starts there
      state_.t_origin = T;
      state_.k = 0;
    }
    if (take_up(report, call, observer)) continue;
    if (!report.last.taken) return report;
    break;
  }
  tell_last_impulses(report);
  return report;
}

void TimeStepping::adopt(NonSmoothDynamicalSystem model) {
  if (model.num_systems() == 0) throw InvalidArgument("edit: model", "no system", "at least one system");
  State state = model.migrate(state_);
  require_configurations(model, state);  // what was written before the edit
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace_);
  stages::prepare(model, options_, options_.step, caches);
  caches.has_reactions = false;
  stages::require_masses(model, state);
  Remarks remarks;
  try {
    remarks = examined(model, options_, state, model_.layout().get(), caches);
  } catch (const CallableFailure& failure) {
    throw InvalidArgument("edit: model", failure.detail, "functions that can be asked at the state");
  }
  model_ = std::move(model);
  state_ = std::move(state);
  remarks_ = std::move(remarks);
  other_workspace_ = Workspace();  // they are of the revision before
  subdivision_workspace_ = Workspace();
  start_watching();
  alternatives_.clear();
  if (handed_out_) hand_out();
}

}  // namespace nonsmooth
