// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// Stewart and Trinkle's time-stepping for mechanics with gaps that are linearised, as Anitescu and Potra have it:
///
///     A = M + h theta C + h^2 theta K   (M - h theta dF/dv - h^2 theta dF/dq where something is nonlinear),
///     v_{k+1} = v_free + A^-1 H^T p,    q_{k+1} = retract(q_k, h v_{k+1}),    M and H at q_k,
///     u = H v_{k+1} + h_t,    0 <= u_N + s ⟂ p_N >= 0,    Coulomb's law and its like on the other rows,
///     s = y_k / h where y_k >= 0,    recovery y_k / h where y_k < 0,
///
///     s = min(that, e u_k)    where e > 0 and the contact closes: u_k < 0 along the normal, y_k + h u_k <= 0,
///
/// on every contact within reach, so that y_k + h u_N >= 0: what nears a contact stops on it and not in it. Joints have
/// u + recovery y_k / h = 0: a step takes the part recovery of what H's turning left of them, so that of a point on a
/// circle h^2 |v|^2 / (2 recovery) stays. A landing takes two steps: one that ends on the gap, and one that takes the
/// speed left. State::percussion has the impulse of the first alone, State::force counts the second.
///
/// Restitution. What approaches when a step begins and would close in it bounces by Newton's law, from where it is, up
/// to h |u_N| above. What a push within the step closes stops on its gap, and what speed is left bounces in the next.
/// Chains of impacts with e > 0 are for MoreauJean.
///
/// What penetrates. Linear relations have y_{k+1} = y_k + h u_N. The gap of balls, and the signed distance of convex
/// bodies that do not turn, is a convex function of the way between them: y_{k+1} >= y_k + h u_N. What is left:
///
/// - h times the solver's residual in u, and what recovery leaves of that of the steps before: h / recovery times it at
///   most in a pile at rest;
/// - h^2 / 2 (|w_1|^2 r_1 + |w_2|^2 r_2) of bodies that turn at w, r their farthest points from the centre, and h^2 |w|
///   |v_T| of a face that turns while something slides along it at v_T;
/// - of gaps that are not convex the second derivative along the way, h^2 / 2 times it;
/// - of gaps of time h^2 / 2 |h_tt|: linked rows have h_t at t_{k+1}, found contacts at t_k;
/// - what no row was about when the step began, corners that turn in from beyond a patch or bodies from beyond reach: h
///   times their speed of approach at most, less the gap. `Projection::All` moves it apart, and the next step has its
///   row; `Projection::Combined` solves the step again with it, from the gap that it had.
///
/// Order 1, with and without contact. While y_k >= 0 and e = 0, u^T p <= 0: without recovery contacts give no energy,
/// whatever H does, and under theta = 1 a step loses |v_{k+1} - v_k|_M^2 / 2 beside, where the potential is convex.
/// Recovery of a depth d lets bodies part at recovery d / h. To one mass m along one normal it gives m (recovery d /
/// h)^2 / 2, a speed that gravity takes in a step where d = g h^2 / recovery; between slanted faces, which drive it out
/// as a wedge, more. A resting contact is held at y = 0.
///
/// Laws of gaps: NewtonImpactLaw, NewtonImpactFrictionLaw and NewtonImpactRollingFrictionLaw without cohesion,
/// StaticKineticFrictionLaw, and a user's that neither decides nor shifts; no GeneralisedNewtonImpact. Others are as
/// under MoreauJean with position weight 1. Cost beside MoreauJean's: contacts that are near have rows in the problem,
/// and linked ones always have; bodies with sources of contacts are linearised twice. Sources: Stewart & Trinkle 1996
/// [stewart1996]; Anitescu & Potra 1997 [anitescu1997]; Anitescu & Hart 2004 [anitescu2004], for s of joints and
/// depths.
struct StewartTrinkle {
  double theta = 1.0;  ///< in [0, 1], of forces at t_{k+1}; from 1/2 on stable for every h
  /// In [0, 1]: of a depth or a drift, what a step takes; of the bodies of a source or a relation that have different
  /// ones the largest. Depths fall by 1 - recovery a step in a pile, where nothing flies off; 1 has least of them, less
  /// is gentler to bodies that overlap from the start.
  double recovery = 0.2;
  /// >= 0. Sources look as far as two bodies near each other in a step without reactions, and this part of the speed
  /// that contacts may ask of one of the two: its own, the approach of what it may meet, or what a neighbour's leaves
  /// when the gap to it is closed; one fast body does not make those look far that it cannot push. Of
  /// what they find those contacts act whose w = u_N + s without reactions is at most reach a, where a is the change of
  /// velocity that contacts may ask of one of the two bodies: the largest -w of its own, or a - w of a neighbour's.
  /// Pushes spread through found contacts, not through joints and linked rows, and where sources look through their own
  /// contacts alone. What recovery of a depth and restitution add to the speed of two bodies is no part of how far
  /// sources look. 1: a push is handed on as it came, which
  /// bodies that are squeezed out between others exceed. With 2 none was missed in flows of 10^2 and 10^3 balls,
  /// for 1.15 times the contacts; 64 in a narrow box had one, 0.1 mm deep.
  double reach = 2.0;

  friend bool operator==(const StewartTrinkle&, const StewartTrinkle&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const StewartTrinkle& scheme);

}  // namespace nonsmooth
