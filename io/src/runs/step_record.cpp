// SPDX-License-Identifier: Apache-2.0
#include "step_record.hpp"

#include <algorithm>
#include <limits>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/model.hpp>

#include "../streamed_copy.hpp"

namespace nonsmooth::runs {
namespace {

/// By number in the layout; -1: none, or one of an earlier revision.
Index number_of(const Layout& layout, InteractionHandle handle) {
  if (handle.model != layout.model || handle.slot >= layout.interaction_of_slot.size() ||
      handle.generation != layout.interaction_generation[handle.slot]) {
    return -1;
  }
  return layout.interaction_of_slot[handle.slot];
}

/// The same of a system.
Index number_of(const NonSmoothDynamicalSystem& model, SystemHandle handle) {
  const Layout& layout = *model.layout();
  if (handle.model != layout.model || handle.slot >= layout.system_of_slot.size() ||
      handle.generation != model.systems()[handle.slot].generation) {
    return -1;
  }
  return layout.system_of_slot[handle.slot];
}

bool same_event(const Event& a, const Event& b) {
  return a.t == b.t && a.kind == b.kind && a.interaction == b.interaction && a.row == b.row && a.value == b.value;
}

void copy_arrays(const State& state, std::array<std::vector<double>, num_run_arrays>& arrays) {
  std::size_t a = 0;
  for (const Eigen::VectorXd* own : {&state.positions, &state.unknowns, &state.outputs, &state.velocities,
                                     &state.multipliers, &state.percussions, &state.forces}) {
    const auto size = static_cast<std::size_t>(own->size());
    arrays[a].resize(size);
    streamed_copy(arrays[a++].data(), own->data(), size);
  }
}

std::span<const double> array_of(const StepRecord& record, RunArray which) {
  return record.arrays[static_cast<std::size_t>(which)];
}

}  // namespace

StepCopier::StepCopier(const Simulation& simulation, const RecorderOptions& options)
    : simulation_(&simulation),
      options_(&options),
      stepping_(dynamic_cast<const TimeStepping*>(&simulation)),
      last_t_(simulation.state().t) {
  if (!stepping_) waiting_events_.reserve(16);
}

void StepCopier::begin_revision(const State& state, std::vector<StepRecord>& ring) {
  energies_later_ = options_->energies && meter_.prepare(simulation_->model());
  for (StepRecord& record : ring) make_room(state, record);
}

void StepCopier::make_room(const State& state, StepRecord& record) const {
  const bool finds = !simulation_->model().sources().empty();
  const std::size_t found = finds ? 3 * state.layout()->systems.size() : 0;
  const std::size_t linked = static_cast<std::size_t>(state.outputs.size());
  copy_arrays(state, record.arrays);
  record.contacts.set_forces(!stepping_);
  if (options_->contacts) record.contacts.reserve(found + linked);
  if (options_->hashes) record.hash.reserve(state, found);
  if (options_->checkpoint_every > 0) {
    record.state = state;
    record.state.contacts.reserve(found);
  }
  if (!stepping_) record.events.reserve(16);
  streamed_copy_end();  // a thread of the pool may be the next to write there
}

void StepCopier::copy(const State& state, const StepReport& step, bool first, StepRecord& record) {
  // Two threads meet in some microseconds, in which one copies as many numbers.
  constexpr Index kMany = 10'000;
  if (stepping_ && stepping_->threads().size() > 1 && state.positions.size() + state.outputs.size() >= kMany) {
    stepping_->threads().for_each_range(2, 1, [&](Index task, Index /*end*/) {
      task == 0 ? copy_state(state, record) : find_contacts(state, record.contacts);
      streamed_copy_end();
    });
  } else {
    copy_state(state, record);
    find_contacts(state, record.contacts);
    streamed_copy_end();
  }
  record.events.clear();
  const OneStepNSProblem& problem = simulation_->problem();
  record.solver = problem.empty() ? std::string_view() : problem.result.solver;
  if (stepping_) {
    record.numbers = step_numbers(state.t, first ? 0.0 : state.last_step, step, energies_);
  } else {
    add_events(record.events);
    StepReport shown = step;  // which says nothing of a state that is recorded by hand
    tell_of_problem(problem, shown);
    record.numbers = step_numbers(state.t, state.t - last_t_, shown, energies_);
  }
  last_t_ = state.t;
}

void StepCopier::copy_state(const State& state, StepRecord& record) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  copy_arrays(state, record.arrays);
  if (options_->hashes) record.hash.keep(state);
  const bool now = options_->energies && !energies_later_;
  energies_ = now ? meter_.of(simulation_->model(), state) : Energies{kNone, kNone};
}

RunStep StepCopier::complete(StepRecord& record) const {
  const auto array = [&record](RunArray which) { return array_of(record, which); };
  if (energies_later_) {
    const auto vector = [&](RunArray which) {
      return Eigen::Map<const Eigen::VectorXd>(array(which).data(), static_cast<Index>(array(which).size()));
    };
    set_energies(record.numbers, meter_.of_arrays(vector(RunArray::Positions), vector(RunArray::Unknowns)));
  }
  RunStep step{
      .values = record.numbers, .arrays = {}, .solver = record.solver, .contacts = {}, .events = record.events};
  std::copy(record.arrays.begin(), record.arrays.end(), step.arrays.begin());
  if (options_->hashes) {
    step.hash = record.hash.value({array(RunArray::Positions), array(RunArray::Unknowns), array(RunArray::Outputs),
                                   array(RunArray::Velocities), array(RunArray::Multipliers)});
  }
  return step;
}

/// An EventDriven shows states that are not its own yet.
void StepCopier::find_contacts(const State& state, PackedContacts& packed) {
  packed.clear();
  if (!options_->contacts) return;
  if (stepping_) {
    contacts_.for_each_part(*stepping_, [&packed](std::span<const ActingContact> part) { packed.add(part); });
  } else {
    contacts_.find(simulation_->model(), state, found_);
    packed.add(found_);
  }
}

void StepCopier::see_events() {
  if (stepping_) return;
  const std::vector<Event>& all = simulation_->events();
  // Where the last one seen is not in its place, somebody took them.
  if (events_seen_ > all.size() || (events_seen_ > 0 && !same_event(all[events_seen_ - 1], *last_event_)))
    events_seen_ = 0;
  waiting_events_.insert(waiting_events_.end(), all.begin() + static_cast<std::ptrdiff_t>(events_seen_), all.end());
  events_seen_ = all.size();
  if (!all.empty()) last_event_ = all.back();
}

void StepCopier::add_events(std::vector<RunEvent>& list) {
  see_events();
  const Layout& layout = *simulation_->model().layout();
  for (const Event& one : waiting_events_) {
    const Index place = one.kind == EventKind::Transition ? number_of(simulation_->model(), one.system)
                                                          : number_of(layout, one.interaction);
    list.push_back({one.t, static_cast<Index>(one.kind), place, one.row, one.value, one.end});
  }
  waiting_events_.clear();
}

}  // namespace nonsmooth::runs
