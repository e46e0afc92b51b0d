// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/stop_on_signal.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <utility>

#include "number.hpp"
#include "sentence.hpp"

namespace nonsmooth {
namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

using SignalAction = struct sigaction;

std::atomic<int> came = 0;
static_assert(std::atomic<int>::is_always_lock_free, "the handler of a signal may touch nothing else");

std::mutex mutex;                                  // of what follows
int guards = 0;                                    // that live
std::array<SignalAction, kSignals.size()> before;  // the handlers that were there
std::array<bool, kSignals.size()> taken = {};      // false: ignored before, and left so

/// The first signal: a run is to stop. Both have the system's own action from then on.
void note_signal(int signal) {
  came.store(signal);
  SignalAction at_once = {};
  at_once.sa_handler = SIG_DFL;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (taken[i]) ::sigaction(kSignals[i], &at_once, nullptr);
  }
}

void set_handlers() {
  came.store(0);
  SignalAction ours = {};
  ours.sa_handler = note_signal;
  ours.sa_flags = SA_RESTART;  // what writes a file goes on
  sigemptyset(&ours.sa_mask);
  for (const int signal : kSignals) sigaddset(&ours.sa_mask, signal);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before[i]);
    taken[i] = (before[i].sa_flags & SA_SIGINFO) != 0 || before[i].sa_handler != SIG_IGN;
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (taken[i]) ::sigaction(kSignals[i], &ours, nullptr);
  }
}

void restore_handlers() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (taken[i]) ::sigaction(kSignals[i], &before[i], nullptr);
  }
}

}  // namespace

StopOnSignal::StopOnSignal() {
  const std::lock_guard lock(mutex);
  if (guards++ == 0) set_handlers();
}

StopOnSignal::~StopOnSignal() {
  const std::lock_guard lock(mutex);
  if (--guards == 0) restore_handlers();
}

bool StopOnSignal::operator()(const State& state) noexcept {
  if (came.load(std::memory_order_relaxed) == 0) return true;
  t_ = state.t;
  stopped_ = true;
  return false;
}

int StopOnSignal::signal() const noexcept { return came.load(); }

std::string StopOnSignal::message() const {
  const int signal = this->signal();
  if (signal == 0) return {};
  std::string text = signal == SIGINT ? "ended by Ctrl-C (SIGINT)" : "ended by SIGTERM";
  if (stopped_) text += " after the step to t = " + number(t_, 9) + " s";
  return text;
}

void StopOnSignal::ended(RunReport& report) const {
  if (!stopped_ || report.outcome != RunReport::Outcome::StoppedByObserver) return;
  const std::string own = message();
  if (report.detail.find(own) == std::string::npos) report.detail = with_sentence(std::move(report.detail), own);
}

}  // namespace nonsmooth
