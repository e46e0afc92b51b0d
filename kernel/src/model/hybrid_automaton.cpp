// SPDX-License-Identifier: Apache-2.0
#include "hybrid_automaton.hpp"

#include <cmath>
#include <stdexcept>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "describe.hpp"
#include "differences.hpp"
#include "guarded.hpp"
#include "switching_function.hpp"

namespace nonsmooth {

AutomatonFields::AutomatonFields(HybridAutomaton automaton)
    : automaton_(std::move(automaton)), n_(automaton_.x0.size()) {
  describe::check_initial("HybridAutomaton", "x0", automaton_.x0, n_);
  check::at_least("HybridAutomaton::modes: number", num_modes(), 1);
  for (Index m = 0; m < num_modes(); ++m) {
    const std::string& name = mode(m).name;
    if (name.empty())
      throw InvalidArgument("HybridAutomaton::modes: name of mode " + std::to_string(m), "empty", "a name");
    if (find_mode("", name) != m)
      throw InvalidArgument("HybridAutomaton::modes: name", "two modes " + name, "each its own");
  }
  if (!automaton_.start.empty()) start_ = find_mode("HybridAutomaton::start", automaton_.start);
  leaving_.resize(automaton_.modes.size());
  for (Index k = 0; k < static_cast<Index>(automaton_.transitions.size()); ++k) {
    const AutomatonTransition& one = transition(k);
    const std::string who = " of " + transition_name(k);
    leaving_[static_cast<std::size_t>(find_mode("HybridAutomaton::transitions: from" + who, one.from))].push_back(k);
    to_.push_back(find_mode("HybridAutomaton::transitions: to" + who, one.to));
    if (!one.guard.value) throw InvalidArgument("HybridAutomaton::transitions: guard" + who, "no function", "g(t, x)");
  }
  check_start();
}

Index AutomatonFields::find_mode(const std::string& argument, const std::string& name) const {
  std::vector<std::string> names;
  for (Index m = 0; m < num_modes(); ++m) {
    if (mode(m).name == name) return m;
    names.push_back(mode(m).name);
  }
  throw InvalidArgument(argument, name.empty() ? "no name" : name + ", which is no mode", "one of " + list_of(names));
}

/// At t = 0 and x0, of the mode to begin in: others may not be defined there.
void AutomatonFields::check_start() const {
  const Eigen::VectorXd x = automaton_.x0.value();
  const AutomatonMode& own = mode(start_);
  const std::string who = " of " + own.name;
  Eigen::VectorXd value(n_);
  switching::ask("HybridAutomaton::modes: f" + who, [&] { field(start_, 0.0, x, value); });
  check::finite(("HybridAutomaton::modes: f" + who).c_str(), ConstVectorRef(value));
  if (own.f_dx) {
    Eigen::MatrixXd given = Eigen::MatrixXd::Zero(n_, n_), differences = given;
    switching::ask("HybridAutomaton::modes: f_dx" + who, [&] {
      own.f_dx(0.0, x, given);
      nonsmooth::differences::jacobian(x, differences,
                                       [&](ConstVectorRef at, VectorRef out) { field(start_, 0.0, at, out); });
    });
    switching::compare("HybridAutomaton::modes: f_dx" + who, given, differences);
  }
  if (own.invariant.value)
    switching::check_at("HybridAutomaton::modes: invariant.", " of " + own.name, own.invariant, x);
  for (const Index k : leaving(start_)) {
    switching::check_at("HybridAutomaton::transitions: guard.", " of " + transition_name(k), transition(k).guard, x);
  }
}

std::string AutomatonFields::transition_name(Index k) const {
  const std::string& name = transition(k).name;
  return name.empty() ? "transition " + std::to_string(k) : name;
}

Index AutomatonFields::mode_of(double number) const noexcept {
  const double nearest = std::round(number);
  // Differences of an integrator's move it a little; NaN is none.
  const bool known = std::abs(number - nearest) <= 0.25 && nearest >= 0.0 && nearest < static_cast<double>(num_modes());
  return known ? static_cast<Index>(nearest) : -1;
}

void AutomatonFields::field(Index m, double t, ConstVectorRef x, VectorRef value) const {
  value.setZero();
  if (mode(m).f) mode(m).f(t, x, value);
}

Eigen::VectorXd AutomatonProcess::initial_state() const {
  Eigen::VectorXd x(fields_->n() + 1);
  x << fields_->automaton().x0.value(), static_cast<double>(fields_->start());
  return x;
}

Index AutomatonProcess::present(double number) const {
  const Index m = fields_->mode_of(number);
  if (m < 0) throw std::out_of_range("a state whose last number is no mode");
  return m;
}

void AutomatonProcess::f(double t, ConstVectorRef x, VectorRef value) const {
  const Index n = fields_->n();
  const AutomatonMode& own = fields_->mode(present(x[n]));
  if (own.f) own.f(t, x.head(n), value.head(n));
}

bool AutomatonProcess::f_dx(double t, ConstVectorRef x, MatrixRef jacobian) const {
  const Index n = fields_->n();
  const AutomatonMode& own = fields_->mode(present(x[n]));
  if (!own.f_dx) return !own.f;
  own.f_dx(t, x.head(n), jacobian.topLeftCorner(n, n));
  return true;
}

std::shared_ptr<const DynamicalSystem> make_system(HybridAutomaton automaton) {
  return std::make_shared<const AutomatonProcess>(std::make_shared<const AutomatonFields>(std::move(automaton)));
}

Index mode_of(const State& state, SystemHandle automaton) {
  const auto x = state.x(automaton);
  return static_cast<Index>(std::lround(x[x.size() - 1]));
}

}  // namespace nonsmooth
