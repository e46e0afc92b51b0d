// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/filippov.hpp>
#include <nonsmooth/kernel/hybrid_automaton.hpp>

namespace nonsmooth {

/// How late a switch on c = 0 is: at c = +-band (hysteresis), or `delay` after it was due.
struct SwitchingLag {
  double band = 0.0;   ///< half the width, >= 0 [unit of c]
  double delay = 0.0;  ///< >= 0 [unit of t]
};

/// What a motion that chatters between two modes tends to as its lag goes to zero.
struct SlidingLimit {
  FilippovSystem sliding{};  ///< one switching function c: the field of one mode where c < 0, of the other where c > 0
  SwitchingLag lag{};
};

/// Recognises the hysteresis of an automaton: a transition from `below` to `above` with the guard c - d_1 and one back
/// with -c - d_2, no resets; c := half the difference of the guards, band := (d_1 + d_2) / 2. The Schmitt trigger of
/// width 2 band, and with band = 0 the one of no width, which has a motion as `sliding` alone.
///
///     const SlidingLimit limit = sliding_limit(thermostat, "heats", "rests");
///     link_filippov(model, limit.sliding);        // in the place of the automaton
///
/// That the guards are c - d_1 and -c - d_2 is looked at in x0 and n places beside it, at t = 0 and 1.
/// @throws InvalidArgument: a name that is no mode's, none or several transitions from one of the modes to the other, a
/// reset, guards whose sum is not constant (1e-6 of their terms), a negative width (both transitions due at once).
[[nodiscard]] SlidingLimit sliding_limit(const HybridAutomaton& automaton, const std::string& below,
                                         const std::string& above);

struct SlidingBound {
  double t = 0.0;         ///< where it holds: T, or where the sliding ended before
  Eigen::VectorXd x{};    ///< of the sliding motion at t
  double distance = 0.0;  ///< of the chattering motion from x, to first order in the lag
  bool slides = false;    ///< up to T: both fields point at the surface; false: from t on not
};

/// How far a motion that chatters about c = 0 is from the one that slides, both from x at t with c(t, x) = 0.
///
/// Of x' = f_- or f_+ by turns, w_i = dc/dt along f_i, w_+ < 0 < w_-:
///
///     G = (f_- - f_+) / (w_- - w_+),   f_s = f_+ - w_+ G  the sliding field,
///     x' = f_s(t, x) + G(t, x) dc/dt                       whatever the instants of switching are.
///
/// So e = x - x_s is G c + eta with eta' = D f_s eta + B c, B = D f_s G - dG/dt along f_s, up to terms of second order,
/// and as eta is tangent to the surface,
///
///     |eta|' <= mu |eta| + |B| d,   mu the largest eigenvalue of the symmetric part of D f_s on the tangent plane,
///     distance = |G| d + |eta|,     d = band + delay max(w_-, -w_+) >= |c|.
///
/// A bound for small lags: what is left out is O(d^2), with constants of second derivatives. As d -> 0 it says in which
/// sense one motion is the limit of the other (Utkin 1992 [utkin1992], Filippov 1988 [filippov1988]).
///
/// By Runge and Kutta's method of fourth order in `steps` equal steps; derivatives are central differences: its own
/// error is (T - t)^5 / steps^4 of the fifth derivatives, and 1e-6 of B and mu. Cost: steps times 4 (4 n + 4) fields.
/// @throws InvalidArgument: a system with several switching functions, numbers of lag that are negative or not finite,
/// x of another size, or off the surface by more than 1e-6 of the terms of c, T before t, steps < 1; what a function
/// throws.
[[nodiscard]] SlidingBound sliding_bound(const FilippovSystem& sliding, const SwitchingLag& lag, double t,
                                         ConstVectorRef x, double T, Index steps = 200);

}  // namespace nonsmooth
