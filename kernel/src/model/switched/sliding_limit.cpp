// SPDX-License-Identifier: Apache-2.0
// The hysteresis of an automaton recognised, and what it tends to.
#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/kernel/sliding_bound.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "hybrid_automaton.hpp"
#include "model/equations/differences.hpp"
#include "switching_function.hpp"

namespace nonsmooth {
namespace {

constexpr double kSameGuards = 1e-6;  ///< of their terms: central differences are known to some 1e-10

/// The one transition between two modes.
const AutomatonTransition& only_transition(const AutomatonFields& fields, const std::string& from,
                                           const std::string& to) {
  const std::string what = "sliding_limit: transitions from " + from + " to " + to;
  const AutomatonTransition* found = nullptr;
  for (const AutomatonTransition& one : fields.automaton().transitions) {
    if (one.from != from || one.to != to) continue;
    if (found) throw InvalidArgument(what, "several", "one, whose guard is an end of the band");
    found = &one;
  }
  if (!found) throw InvalidArgument(what, "none", "one, whose guard is an end of the band");
  if (found->reset) throw InvalidArgument(what, "a reset", "none: x goes on where it is in sliding");
  return *found;
}

const AutomatonMode& mode_named(const AutomatonFields& fields, const char* argument, const std::string& name) {
  for (const AutomatonMode& mode : fields.automaton().modes)
    if (mode.name == name) return mode;
  throw InvalidArgument(std::string("sliding_limit: ") + argument, name + ", which is no mode", "a mode's name");
}

/// c = (up - down) / 2.
SwitchingFunction middle_of(const SwitchingFunction& up, const SwitchingFunction& down) {
  SwitchingFunction c;
  c.value = [up = up.value, down = down.value](double t, ConstVectorRef x) { return 0.5 * (up(t, x) - down(t, x)); };
  if (up.gradient && down.gradient) {
    c.gradient = [up = up.gradient, down = down.gradient](double t, ConstVectorRef x, VectorRef gradient) {
      differences::Scratch scratch(x.size());
      auto other = scratch.vector(x.size());
      other.setZero();
      up(t, x, gradient);
      down(t, x, other);
      gradient = 0.5 * (gradient - other);
    };
  }
  if (up.rate && down.rate)
    c.rate = [up = up.rate, down = down.rate](double t, ConstVectorRef x) { return 0.5 * (up(t, x) - down(t, x)); };
  return c;
}

/// -(up + down) / 2, the same in all places that are looked at.
double half_width_of(const SwitchingFunction& up, const SwitchingFunction& down, const Eigen::VectorXd& x0) {
  const char* const argument = "sliding_limit: guards";
  double width = 0.0;
  Eigen::VectorXd x = x0;
  for (Index place = -1; place < x0.size(); ++place) {
    x = x0;
    if (place >= 0) x[place] += std::max(1.0, std::abs(x0[place]));
    for (const double t : {0.0, 1.0}) {
      double one = 0.0, other = 0.0;
      switching::ask(argument, [&] {
        one = up.value(t, x);
        other = down.value(t, x);
      });
      const double here = -0.5 * (one + other);
      if (place < 0 && t == 0.0) width = here;
      const double terms = std::abs(one) + std::abs(other) + std::abs(width);
      if (!(std::abs(here - width) <= kSameGuards * terms)) {
        throw InvalidArgument(
            argument, "a width that is " + check::text(2.0 * width) + " here, and there " + check::text(2.0 * here),
            "c - d_1 and -c - d_2 of one function c");
      }
    }
  }
  if (width < 0.0 && width > -kSameGuards * (std::abs(up.value(0.0, x0)) + std::abs(down.value(0.0, x0)))) width = 0.0;
  if (width < 0.0) {
    throw InvalidArgument(argument, "a width of " + check::text(2.0 * width),
                          "one that is not negative: both transitions are due at once");
  }
  return width;
}

}  // namespace

SlidingLimit sliding_limit(const HybridAutomaton& automaton, const std::string& below, const std::string& above) {
  const AutomatonFields fields(automaton);
  const AutomatonMode& one = mode_named(fields, "below", below);
  const AutomatonMode& other = mode_named(fields, "above", above);
  const SwitchingFunction& up = only_transition(fields, below, above).guard;
  const SwitchingFunction& down = only_transition(fields, above, below).guard;
  SlidingLimit limit;
  limit.lag.band = half_width_of(up, down, automaton.x0.value());
  limit.sliding = {.x0 = automaton.x0,
                   .switches = {middle_of(up, down)},
                   .regions = {{.name = below, .signs = {-1}, .f = one.f, .f_dx = one.f_dx},
                               {.name = above, .signs = {1}, .f = other.f, .f_dx = other.f_dx}},
                   .name = automaton.name};
  return limit;
}

}  // namespace nonsmooth
