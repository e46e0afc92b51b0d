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
/// D = int v^T C v dt of the flow from (q_k, v*), >= 0. Where p > 0 Newton's law has u_{k+1} = -e u_k: a contact that
/// approached loses (1 - e) p |u_k| / 2, with e = 1 none loses any. One that leaves and is turned back within the step
/// by an acceleration a gains at most (1 - e) (a h)^2 / (8 (1 + e)) per H A^-1 H^T, as under MoreauJean. A contact that
/// rests stays where it is, as under MoreauJean with theta = 1/2, which this is for K = C = 0; damped, it creeps by
/// gamma h^3 a / 6 a step (gamma of its modes, a what presses it), which `projection` takes back. A^-1 is positive
/// semidefinite for every h, but of motions that grow: these are refused where they make half a turn in a step. A mode
/// that makes an odd number of half turns in a step, w h = pi, 3 pi, ..., feels equal impulses before and behind as
/// none: it is left out of contact where |cos(w h / 2)| < 3e-8, which errs by no more than that of its share of p.
/// Contacts resolve motions down to about two steps: take w h < pi of the modes that are to feel them.
///
/// Beside the published scheme, which is of two steps and has its law and energy in v_{k+1/2} = (q_{k+1} - q_k) / h:
/// with pi = H^T p, A = 2 e^(-gamma h) cos(w h), d = e^(-2 gamma h), kappa = k / m of a mode, and g = e^(-gamma h)
/// sin(w h) / w,
///
///     q_{k+1} - A q_k + d q_{k-1} = (1 + d - A) (f + pi_k / h) / (m kappa)                        there,
///     q_{k+1} - A q_k + d q_{k-1} = (1 + d - A) f / (m kappa) + g (pi_{k-1} + pi_k) / (2 m)        here.
///
/// Free motion is one and the same. An impulse moves a mode by sin^2(w h / 2) / (w h / 2)^2 / m there, by cos^2(w h /
/// 2) / m here, 1 / m to order h^2 both. The energy identity is the same, with their energy of two instants, and in D a
/// mean of two velocities. Both converge to one motion, with errors that are alike for a forecast of 1.
///
/// M, C and K all diagonal: closed forms of each damped oscillator, some 10 flops a mode and step. Otherwise dense
/// matrices, 10 n^2 numbers and 10 n^2 flops a step, made anew in O(n^3) when h changes: from modes where K is
/// symmetric and C diagonal in them, else from a matrix exponential (to eps times h times the fastest rate). K need not
/// be positive. Laws of velocities and impulses (Newton's, friction, equalities, relays), without compliance, in
/// Form::Reduced; no prescribed velocities, no sleep. Equalities hold u, so that y drifts by O(h^2) as far as rows bend
/// within a step. Sources: Issanchou, Acary, Perignon, Touze & Le Carrou 2018 (modes that are exact, contact at the
/// level of velocities) [issanchou2018]; Bilbao 2009 (exact schemes of oscillators and their energies) [bilbao2009].
struct ExactLinear {
  /// In [0, 1]; as MoreauJean::forecast. An impact acts in the middle of its step. With 1 that is the step in which it
  /// falls, late and early alike; with 1/2 it is half a step late in the mean, and errors are two to three times as
  /// large.
  double forecast = 0.5;

  friend bool operator==(const ExactLinear&, const ExactLinear&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const ExactLinear& scheme);

}  // namespace nonsmooth
