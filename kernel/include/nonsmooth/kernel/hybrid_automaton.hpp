// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel/filippov.hpp>
#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

/// A mode of an automaton: x' = f(t, x) as long as it is the present one. f is asked a little behind its guards too, up
/// to a step's length: it has to be smooth there.
struct AutomatonMode {
  std::string name{};                                                          ///< each its own; required
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};        ///< n, comes in zeroed; none: 0
  std::function<void(double t, ConstVectorRef x, MatrixRef jacobian)> f_dx{};  ///< n x n; none: differences
  /// I(t, x), with an optional gradient: the mode may be the present one where I >= 0. Without value: everywhere.
  SwitchingFunction invariant{};
};

/// A transition between modes, which is taken as soon as it may be.
struct AutomatonTransition {
  std::string name{};                                  ///< for messages; empty: "transition <number>"
  std::string from{}, to{};                            ///< names of modes, which may be the same
  SwitchingFunction guard{};                           ///< g(t, x), with an optional gradient; required
  std::function<void(double t, VectorRef x)> reset{};  ///< x := R(t, x), n; none: x stays
};

/// A hybrid automaton: modes with fields of their own, guards on which it goes from one to another, and resets.
///
///     x' = f_m(t, x)                   in mode m, while I_m(t, x) >= 0,
///     m := to, x := R(t, x)            where g(t, x) of a transition from m rises through zero:
///                                      g > 0, or g = 0 and dg/dt > 0 along f_m, or both 0 and d2g/dt2 > 0.
///
/// What it does depends on (t, x, m) alone. Hysteresis is two modes with two thresholds:
///
///     SystemHandle room = model.add(HybridAutomaton{
///         .x0 = {18.0},
///         .modes = {{.name = "heats", .f = warm}, {.name = "rests", .f = cool}},
///         .transitions = {{.from = "heats", .to = "rests", .guard = {.value = above_21}},
///                         {.from = "rests", .to = "heats", .guard = {.value = below_19}}}});
///
/// One mode with a transition to itself is a system with impulses x := R(t, x) where g(t, x) = 0. The mode is part of
/// the state: State::x of the system is (x; m), n + 1 numbers, m the number of the mode in the list, mode_of(state,
/// system). What is set or stored has it with it, actions of users' events may write it, and first-order relations that
/// link the automaton to other systems see it as one more entry of x. They read it alone: rows of B are zeros for (x;
/// m), and B no function of time (EventDriven refuses others), as guards are judged along f_m; what acts on x is in
/// f_m.
///
/// By events (EventDriven), guards are located to round-off, and each transition is an EventKind::Transition. Told,
/// with t, x and what was tried, and never chosen silently:
///
///     several transitions at once, to other modes or states     OnAmbiguity; Outcome::Ambiguous by default; each that
///                                                               was not taken: EventKind::Ambiguity, with the row and
///                                                               value of its Transition, also as OtherMotion::rows
///     a cycle of transitions at one instant, or transitions     Outcome::Chattering
///     whose instants accumulate (Zeno)
///     an invariant that ends where no transition may be taken   Outcome::NoMode
///
/// Two transitions on one threshold (a Schmitt trigger of zero width) with fields that point at it have such a cycle:
/// no motion of the automaton goes on, one of the FilippovSystem with these fields slides, and with `sliding_interval`
/// takes its place. TimeStepping and FiniteElementStepping refuse automata. Source: Lygeros, Johansson, Simic, Zhang &
/// Sastry 2003 [lygeros2003].
struct HybridAutomaton {
  ConstantVector x0{};  ///< n
  std::vector<AutomatonMode> modes{};
  std::vector<AutomatonTransition> transitions{};
  std::string start{};  ///< the mode to begin in; empty: the first
  std::string name{};
  /// I > 0: x slides in the place of a saw-tooth that switches twice within 2 I or less [unit of t]. Of two modes that
  /// sliding_limit() takes (guards c - d_1 and -c - d_2, d = (d_1 + d_2) / 2, no resets), where one of the two
  /// transitions is due and, w_i = dc/dt along the two fields, w_+ < 0 < w_-, each side of the tooth takes I at most,
  ///
  ///     2 d / w_- <= I,  2 d / -w_+ <= I:    x := x - G c, on c = 0,  x' = f_s,  G and f_s as of sliding_bound(),
  ///     until one of them takes 2 I:         the slower of the two modes goes on from where x is.
  ///
  /// That is one more mode behind `modes` for each such pair, in the order of their first modes, then second ones,
  /// named "sliding between A and B". Behind `transitions` are two for each, by which it ends in A or B, then for each
  /// those that leave A, and those of B of another name; what leads under one name from both to A' and B' that are such
  /// a pair leads from it to what slides between these, where x is on the surface then, else to A' or B' by the sign of
  /// c. The invariant is the lesser of both.
  ///
  /// The slow rest of the motion is what is then computed, to first order in d: findings() have a
  /// RunRemark::Kind::SlidingInstead, with the bound on how far the motion that switches is from it. The default 0
  /// never slides, as the saw-tooth may be what is asked for.
  double sliding_interval = 0.0;
};

/// The class that it stands for. @throws InvalidArgument: no state, no mode, modes without a name or of one name, a
/// start or an end of a transition that is no mode, a transition without guard, f_dx without f; of the mode to begin
/// in, at x0 and t = 0: what f, its invariant or a guard throws or a number that is not finite, a given gradient or
/// Jacobian that differs from differences by more than 1e-4 of its largest entry and theirs, 1e-6 and what round-off
/// makes of differences; a Jacobian of another mode likewise, where its f is defined and smooth there.
[[nodiscard]] std::shared_ptr<const DynamicalSystem> make_system(HybridAutomaton automaton);

/// The number of its present mode in HybridAutomaton::modes, or behind them of a sliding one. @throws InvalidArgument:
/// a stale handle, a system that is not first order, a last number of its x that is not whole and >= 0.
[[nodiscard]] Index mode_of(const State& state, SystemHandle automaton);

}  // namespace nonsmooth
