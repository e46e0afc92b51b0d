// SPDX-License-Identifier: Apache-2.0
// What a run leaves in its state for another one, which goes on with the same bits.
#include <bit>
#include <utility>

#include <nonsmooth/kernel/event_history.hpp>

#include "event_loop.hpp"
#include "model/memory.hpp"

namespace nonsmooth::events {
namespace {

/// FNV-1a, word by word, over a state and its history.
std::uint64_t fingerprint(const State& state) {
  std::uint64_t value = hash_of(state);
  const EventHistory& history = state.events;
  for (const auto* numbers :
       {&history.loop, &history.mechanics, &history.first_order, &history.users, &history.integrator}) {
    value = (value ^ numbers->size()) * 1099511628211ull;
    for (const double number : *numbers) value = (value ^ std::bit_cast<std::uint64_t>(number)) * 1099511628211ull;
  }
  return value == 0 ? 1 : value;
}

/// What has to be the same for a history to say how a run goes on; users' functions cannot be compared.
std::vector<double> numbers_of(const EventDrivenOptions& options) {
  const EventThresholds& thresholds = options.thresholds;
  std::vector<double> numbers{options.relative_tolerance,
                              options.absolute_tolerance,
                              options.step,
                              options.largest_step,
                              options.impulse_step,
                              thresholds.position,
                              thresholds.velocity,
                              thresholds.acceleration,
                              thresholds.accumulation,
                              static_cast<double>(thresholds.accumulation_impacts),
                              static_cast<double>(thresholds.chattering_events),
                              static_cast<double>(options.on_ambiguity)};
  for (const UserEvent& event : options.events) {
    numbers.insert(numbers.end(),
                   {event.first, event.period, event.guard ? 1.0 : 0.0, static_cast<double>(event.direction),
                    event.smallest_feature, event.terminal ? 1.0 : 0.0, static_cast<double>(event.instants.size())});
    numbers.insert(numbers.end(), event.instants.begin(), event.instants.end());
  }
  return numbers;
}

/// Which method an integrator is; another one begins anew.
std::vector<double> method_of(const SmoothIntegrator& integrator) {
  std::vector<double> numbers{static_cast<double>(integrator.index())};
  if (const auto* explicit_method = std::get_if<DormandPrince>(&integrator)) numbers.push_back(explicit_method->order);
  if (const auto* cvode = std::get_if<Cvode>(&integrator)) numbers.push_back(static_cast<double>(cvode->method));
  if (const auto* alpha = std::get_if<GeneralisedAlpha>(&integrator)) numbers.push_back(alpha->rho);
  return numbers;
}

/// The arrays that are written row by row have the sizes of another state's.
bool has_sizes_of(const State& state, const State& other) {
  for (const auto array : {&State::forces, &State::percussions, &State::outputs, &State::velocities,
                           &State::multipliers, &State::projections, &State::differences, &State::law_memory}) {
    if ((state.*array).size() != (other.*array).size()) return false;
  }
  return true;
}

}  // namespace

template <class Memory>
void EventLoop::remember(Memory& memory) {
  memory(z_, phase_, start_, crossed_, searched_, last_instant_, last_step_, in_a_row_, paced_, pace_before_, pace_,
         finder_);
}

void EventLoop::save_history() {
  EventHistory& history = state_.events;
  history.of = 0;
  if (phase_ == Phase::Failed || phase_ == Phase::Retry) return;
  memory::Writer loop(history.loop), users(history.users);
  std::vector<double> options = numbers_of(options_), method = method_of(options_.integrator);
  loop(options, method, window_start_, next_instant_);
  remember(loop);
  users(user_);
  mechanics_.save(history.mechanics);
  first_order_.save(history.first_order);
  filippov_.append(history.first_order);
  automata_.append(history.first_order, z_);
  const bool goes_on = start_ == Start::GoesOn;
  const bool whole = goes_on ? stepper_->save(history.integrator) : stepper_->save_to_start(history.integrator);
  if (!whole) history.integrator.clear();
  history.of = fingerprint(state_);
}

bool EventLoop::is_whole(const State& state) {
  const EventHistory& history = state.events;
  return history.of != 0 && !history.integrator.empty() && history.of == fingerprint(state);
}

bool EventLoop::resume(const State& state) {
  const EventHistory& history = state.events;
  if (history.of == 0 || !has_sizes_of(state, state_) || history.of != fingerprint(state)) return false;
  memory::Reader loop(history.loop), users(history.users);
  std::vector<double> options, method;
  double window_start = 0.0, next_instant = 0.0;
  loop(options, method, window_start, next_instant);
  if (options != numbers_of(options_) || next_instant != schedule_.after(window_start)) return false;
  state_ = state;
  before_ = state_;
  before_.events = {};
  t_ = state_.t;
  retry_.clear();
  alternatives_.clear();
  remember(loop);
  users(user_);
  start_z_ = z_;
  const Phase phase = std::exchange(phase_, Phase::Failed);
  failure_ = {};
  failure_.outcome = Outcome::CallableFailed;
  failure_.detail = "the state that was set was not taken";
  open_window(window_start);
  mechanics_.reset();
  mechanics_.model().follow(state_);
  mechanics_.resume(state_.events.mechanics, t_, z_);
  first_order_.reset();
  std::vector<double> numbers = state_.events.first_order;
  automata_.reset();
  automata_.resume(numbers, z_);
  filippov_.reset();
  filippov_.resume(numbers);
  first_order_.resume(numbers);
  stepper_ = make_stepper();
  if (method == method_of(options_.integrator) && !state_.events.integrator.empty()) {
    stepper_->resume(state_.events.integrator);
  } else if (start_ == Start::GoesOn) {
    start_ = Start::Again;
  }
  phase_ = phase;
  return true;
}

}  // namespace nonsmooth::events

namespace nonsmooth {

bool has_whole_history(const State& state) { return events::EventLoop::is_whole(state); }

}  // namespace nonsmooth
