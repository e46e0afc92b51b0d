// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// Time-stepping for linear mechanics with constant M, C and K (oscillators, modal bodies, strings, beams) that is
/// exact between contacts, velocity level. S(h) is the flow of M dv/dt + C v + K q = f over a step; one half of its
/// impulse p acts before it and one behind it:
///
///     v* = v_k + M^-1 H^T p / 2,     (q_{k+1}, v**) = S(h) (q_k, v*),     v_{k+1} = v** + M^-1 H^T p / 2,
///
/// so that v_{k+1} = v_free + A^-1 H^T p, A^-1 = (I + dv**/dv*) M^-1 / 2, (1 + cos(w h)) / (2 m) of an undamped mode.
///
/// Without contact the motion is that of the equations up to rounding, whatever h: no mode is too slow, too fast or
/// damped by the scheme. f(t) is taken as linear over a step (exact for constant and linear f, order 2 otherwise), a
/// feedback as constant; an impulsive load takes part as p does. With contact order 1, as instants of impact are those
/// of the steps. With E = (v^T M v + q^T K q) / 2 - f^T q, f constant and K symmetric, a step changes
///
///     E_{k+1} - E_k = p^T (u_{k+1} + u_k) / 2 - D,    u = H v,
///
/// D what C takes on the way. Under Newton's law the first term is -(1 - e) p |u_k| / 2 of a contact that approached:
/// no impact gains energy, with e = 1 none loses any. A contact that rests stays where it is, as under MoreauJean with
/// theta = 1/2, which this is for K = C = 0; damped, it creeps by gamma h^3 a / 6 a step (gamma of its modes, a what
/// presses it), which `projection` takes back. A^-1 is positive semidefinite for every h. A mode that makes an odd
/// number of half turns in a step, w h = pi, 3 pi, ..., feels equal impulses before and behind as none: it is left out
/// of contact where |cos(w h / 2)| < 3e-8, which errs by no more than that of its share of p. Contacts resolve motions
/// down to about two steps: take w h < pi of the modes that are to feel them.
///
/// M, C and K all diagonal: closed forms of each damped oscillator, some 10 flops a mode and step. Otherwise dense
/// matrices, 10 n^2 numbers and 10 n^2 flops a step, made anew in O(n^3) when h changes: from modes where K is
/// symmetric and C diagonal in them, else from a matrix exponential (to eps times h times the fastest rate). K need not
/// be positive. Laws of velocities and impulses (Newton's, friction, equalities, relays), without compliance, in
/// Form::Reduced; no prescribed velocities, no sleep. Equalities hold u, so that y drifts by O(h^2) as far as rows bend
/// within a step. Sources: Issanchou, Acary, Perignon, Touze & Le Carrou 2018 (modes that are exact, contact at the
/// level of velocities) [issanchou2018]; Bilbao 2009 (exact schemes of oscillators and their energies) [bilbao2009].
struct ExactLinear {
  double forecast = 0.5;  ///< in [0, 1]; as MoreauJean::forecast

  friend bool operator==(const ExactLinear&, const ExactLinear&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const ExactLinear& scheme);

}  // namespace nonsmooth
