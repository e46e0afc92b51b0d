// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/kernel/acting_contacts.hpp>
#include <nonsmooth/kernel/energies.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/state_hash.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "packed_contacts.hpp"
#include "step_numbers.hpp"

namespace nonsmooth::runs {

/// One step on its way to the file.
struct StepRecord {
  std::array<std::vector<double>, num_run_arrays> arrays;
  StateHash hash;
  StepNumbers numbers{};
  std::string_view solver;  ///< of a registry: it stays
  PackedContacts contacts;
  std::vector<RunEvent> events;
  std::optional<RunDescription> part;  ///< with this step a part begins
  bool step = true;                    ///< false: a checkpoint alone
  /// head_bytes() of a checkpoint; null: the state is not kept whole.
  std::shared_ptr<const std::string> whole;
  State state;  ///< where it is kept whole
};

/// Copies what is kept of a step, in the simulation's thread and where it has others, and the state is large, in two.
class StepCopier {
 public:
  /// Both have to stay where they are.
  StepCopier(const Simulation& simulation, const RecorderOptions& options);

  /// Begins a revision of the model, while no record is on its way: the ring is filled anew. Steps of this size
  /// allocate nothing then: contacts found anew are at most three a body as a rule.
  void begin_revision(const State& state, std::vector<StepRecord>& ring);
  /// `first`: of the run, which no step has led to.
  void copy(const State& state, const StepReport& step, bool first, StepRecord& record);
  /// In the thread that writes: the step but for its contacts, with what copy() left to it; by reference to the record.
  RunStep complete(StepRecord& record) const;
  /// Sees what happened since the last call, before anybody takes it from the simulation: of each step, kept or not.
  void see_events();

 private:
  void make_room(const State& state, StepRecord& record) const;
  void copy_state(const State& state, StepRecord& record);
  void find_contacts(const State& state, PackedContacts& packed);
  void add_events(std::vector<RunEvent>& list);

  const Simulation* simulation_;
  const RecorderOptions* options_;
  const TimeStepping* stepping_;
  std::size_t events_seen_ = 0;        ///< of those that the simulation has
  std::optional<Event> last_event_;    ///< of these
  std::vector<Event> waiting_events_;  ///< that no step was kept with
  double last_t_;
  Energies energies_{};  ///< of the step that is copied
  ActingContacts contacts_;
  std::vector<ActingContact> found_;  ///< of a state that an EventDriven shows
  EnergyMeter meter_;
  bool energies_later_ = false;  ///< by complete(): they are sums over the copied arrays
};

}  // namespace nonsmooth::runs
