// SPDX-License-Identifier: Apache-2.0
// What a run leaves in its state for another one, which goes on with the same bits.
#include <bit>
#include <utility>

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
  std::size_t method = options_.integrator.index();
  Index guards = user_.size();
  loop(method, guards, window_start_, next_instant_);
  remember(loop);
  users(user_);
  mechanics_.save(history.mechanics);
  first_order_.save(history.first_order);
  if (!stepper_->save(history.integrator)) history.integrator.clear();
  history.of = fingerprint(state_);
}

bool EventLoop::resume(const State& state) {
  const EventHistory& history = state.events;
  if (history.of == 0 || history.of != fingerprint(state)) return false;
  memory::Reader loop(history.loop), users(history.users);
  std::size_t method = 0;
  Index guards = 0;
  double window_start = 0.0, next_instant = 0.0;
  loop(method, guards, window_start, next_instant);
  if (guards != user_.size() || next_instant != schedule_.after(window_start)) return false;  // of other events
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
  mechanics_.resume(state_.events.mechanics, t_, z_);
  first_order_.reset();
  first_order_.resume(state_.events.first_order);
  stepper_ = make_stepper();
  if (method == options_.integrator.index() && !state_.events.integrator.empty()) {
    stepper_->resume(state_.events.integrator);
  } else if (start_ == Start::GoesOn) {
    start_ = Start::Again;
  }
  phase_ = phase;
  return true;
}

}  // namespace nonsmooth::events
