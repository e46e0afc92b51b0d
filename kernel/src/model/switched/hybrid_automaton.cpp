// SPDX-License-Identifier: Apache-2.0
#include "hybrid_automaton.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/describe.hpp"
#include "model/equations/differences.hpp"
#include "model/guarded.hpp"
#include "switching_function.hpp"

namespace nonsmooth {

namespace {

/// What round-off of f makes of forward differences.
double difference_noise(const Eigen::VectorXd& x, const Eigen::VectorXd& f) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  double noise = 0.0;
  for (const double own : x) noise = std::max(noise, 2.0 * kEps / differences::step_at(own));
  return noise * f.lpNorm<Eigen::Infinity>();
}

}  // namespace

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
    if (mode(m).f_dx && !mode(m).f)
      throw InvalidArgument("HybridAutomaton::modes: f_dx of " + name, "the Jacobian of an f that is missing",
                            "f, or neither");
  }
  if (!automaton_.start.empty()) start_ = find_mode("HybridAutomaton::start", automaton_.start);
  num_own_ = num_modes();
  leaving_.resize(automaton_.modes.size());
  std::vector<AutomatonTransition> transitions;
  transitions.swap(automaton_.transitions);
  for (AutomatonTransition& one : transitions) add_transition(std::move(one));
  check_start();
  check::range("HybridAutomaton::sliding_interval", automaton_.sliding_interval, 0.0,
               std::numeric_limits<double>::max());
  if (automaton_.sliding_interval > 0.0) add_sliding_modes();
}

void AutomatonFields::add_transition(AutomatonTransition one) {
  automaton_.transitions.push_back(std::move(one));
  const Index k = static_cast<Index>(automaton_.transitions.size()) - 1;
  const AutomatonTransition& own = transition(k);
  const std::string who = " of " + transition_name(k);
  leaving_[static_cast<std::size_t>(find_mode("HybridAutomaton::transitions: from" + who, own.from))].push_back(k);
  to_.push_back(find_mode("HybridAutomaton::transitions: to" + who, own.to));
  sliding_at_.push_back(-1);
  if (!own.guard.value) throw InvalidArgument("HybridAutomaton::transitions: guard" + who, "no function", "g(t, x)");
}

void AutomatonFields::add_sliding_modes() {
  HybridAutomaton plain = automaton_;
  plain.sliding_interval = 0.0;
  for (Index below = 0; below < num_own_; ++below) {
    for (Index above = below + 1; above < num_own_; ++above) {
      SlidingLimit limit;
      try {
        limit = sliding_limit(plain, mode(below).name, mode(above).name);
      } catch (const InvalidArgument&) {
        continue;  // no hysteresis: these two go on as they are
      }
      add_sliding_mode({below, above}, std::move(limit));
    }
  }
  for (Index m = num_own_; m < num_modes(); ++m) add_transitions_of(m);
  if (sliding_.empty()) {
    throw InvalidArgument("HybridAutomaton::sliding_interval", "no two modes that switch by a hysteresis",
                          "two that sliding_limit() takes (it says why not), or 0");
  }
}

void AutomatonFields::add_sliding_mode(const Pair& pair, SlidingLimit limit) {
  const auto sliding = std::make_shared<const AutomatonSliding>(std::move(limit), automaton_.sliding_interval);
  const AutomatonMode one = mode(pair.below), other = mode(pair.above);
  AutomatonMode both{.name = "sliding between " + one.name + " and " + other.name,
                     .f = [sliding](double t, ConstVectorRef x, VectorRef value) { sliding->field(t, x, value); }};
  for (const AutomatonMode* own : {&one, &other}) {
    if (!own->invariant.value) continue;
    both.invariant.value = both.invariant.value
                               ? [first = both.invariant.value, second = own->invariant.value](
                                     double t, ConstVectorRef x) { return std::min(first(t, x), second(t, x)); }
                               : own->invariant.value;
  }
  automaton_.modes.push_back(both);
  leaving_.emplace_back();
  sliding_.push_back(sliding);
  pairs_.push_back(pair);
  for (const int side : {-1, 1}) {
    const std::string& end = side < 0 ? one.name : other.name;
    add_transition(
        {.name = both.name + " ends in " + end,
         .from = both.name,
         .to = end,
         .guard = {.value = [sliding, side](double t, ConstVectorRef x) { return sliding->leaves(side, t, x); }}});
  }
}

/// Those of both modes of its pair. Of one name in both, where they lead to the two modes of a pair, the copy leads to
/// what slides between these.
void AutomatonFields::add_transitions_of(Index sliding_mode) {
  const auto [below, above] = pairs_[static_cast<std::size_t>(sliding_mode - num_own_)];
  const std::vector<Index> of_below = leaving(below), of_above = leaving(above);
  const auto is_of_tooth = [&, below = below, above = above](Index from, Index k) {
    return to(k) == (from == below ? above : below);
  };
  const auto of_name = [&](const std::vector<Index>& list, const std::string& name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](Index k) { return transition(k).name == name; });
    return name.empty() || found == list.end() ? Index{-1} : *found;
  };
  for (const Index k : of_below) {
    if (is_of_tooth(below, k)) {
      sliding_at_[static_cast<std::size_t>(k)] = sliding_mode;
      continue;
    }
    AutomatonTransition copy = transition(k);
    copy.from = mode(sliding_mode).name;
    const Index other = of_name(of_above, copy.name);
    for (std::size_t p = 0; other >= 0 && p < pairs_.size(); ++p)
      if (pairs_[p].below == to(k) && pairs_[p].above == to(other))
        copy.to = mode(num_own_ + static_cast<Index>(p)).name;
    add_transition(std::move(copy));
  }
  for (const Index k : of_above) {
    if (is_of_tooth(above, k)) sliding_at_[static_cast<std::size_t>(k)] = sliding_mode;
    if (is_of_tooth(above, k) || of_name(of_below, transition(k).name) >= 0) continue;
    AutomatonTransition copy = transition(k);
    copy.from = mode(sliding_mode).name;
    add_transition(std::move(copy));
  }
}

Index AutomatonFields::beside(Index sliding_mode, double t, ConstVectorRef x) const {
  const Pair& pair = pairs_[static_cast<std::size_t>(sliding_mode - num_own_)];
  return sliding(sliding_mode)->fields()->value(0, t, x) < 0.0 ? pair.below : pair.above;
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
    switching::compare("HybridAutomaton::modes: f_dx" + who, given, differences, difference_noise(x, value));
  }
  for (Index m = 0; m < num_modes(); ++m)
    if (m != start_ && mode(m).f_dx) check_other(m, x);
  if (own.invariant.value)
    switching::check_at("HybridAutomaton::modes: invariant.", " of " + own.name, own.invariant, x);
  for (const Index k : leaving(start_)) {
    switching::check_at("HybridAutomaton::transitions: guard.", " of " + transition_name(k), transition(k).guard, x);
  }
}

/// f_dx of a mode that is not the one to begin in, where its f is defined and smooth at x: differences to both sides
/// are finite and agree.
void AutomatonFields::check_other(Index m, const Eigen::VectorXd& x) const {
  Eigen::VectorXd value(n_);
  Eigen::MatrixXd given = Eigen::MatrixXd::Zero(n_, n_), ahead = given, behind = given;
  try {
    field(m, 0.0, x, value);
    mode(m).f_dx(0.0, x, given);
    differences::jacobian(x, ahead, [&](ConstVectorRef at, VectorRef out) { field(m, 0.0, at, out); });
    differences::jacobian(x, behind, [&](ConstVectorRef at, VectorRef out) { field(m, 0.0, 2.0 * x - at, out); });
  } catch (const std::exception&) {
    return;  // it is not defined here
  }
  if (!value.allFinite() || !ahead.allFinite() || !behind.allFinite() || !given.allFinite()) return;
  const double noise = difference_noise(x, value);
  const double kink = (ahead + behind).lpNorm<Eigen::Infinity>();
  if (kink > switching::kWrong * ahead.lpNorm<Eigen::Infinity>() + switching::kDifferenceError + noise) return;
  switching::compare("HybridAutomaton::modes: f_dx of " + mode(m).name, given, ahead, noise);
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

void AutomatonProcess::f(double t, ConstVectorRef x, VectorRef value) const {
  const Index n = fields_->n();
  const Index m = fields_->mode_of(x[n]);
  if (m >= 0 && fields_->mode(m).f) fields_->mode(m).f(t, x.head(n), value.head(n));
}

bool AutomatonProcess::f_dx(double t, ConstVectorRef x, MatrixRef jacobian) const {
  const Index n = fields_->n();
  const Index m = fields_->mode_of(x[n]);
  if (m < 0) return true;
  const AutomatonMode& own = fields_->mode(m);
  // By x alone: a mode that an integrator's differences moved would be another one, or none.
  if (own.f_dx)
    own.f_dx(t, x.head(n), jacobian.topLeftCorner(n, n));
  else if (own.f)
    differences::jacobian(x.head(n), jacobian.topLeftCorner(n, n),
                          [&](ConstVectorRef at, VectorRef value) { own.f(t, at, value); });
  return true;
}

std::shared_ptr<const DynamicalSystem> make_system(HybridAutomaton automaton) {
  return std::make_shared<const AutomatonProcess>(std::make_shared<const AutomatonFields>(std::move(automaton)));
}

Index mode_of(const State& state, SystemHandle automaton) {
  const auto x = state.x(automaton);
  const double number = x.size() > 0 ? x[x.size() - 1] : -1.0;
  if (!(number >= 0.0 && number < 1e9 && number == std::floor(number)))
    throw InvalidArgument("mode_of: the last number of the state", check::text(number),
                          "a whole number from 0 on, as a HybridAutomaton has");
  return static_cast<Index>(number);
}

}  // namespace nonsmooth
