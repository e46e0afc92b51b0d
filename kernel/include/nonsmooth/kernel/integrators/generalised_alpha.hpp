// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// The generalised-alpha method of structural dynamics, second order with a damping of what h does not resolve that
/// rho chooses, on velocities in vector spaces and on Lie groups,
///
///     (1 - alpha_m) A_{k+1} + alpha_m A_k = (1 - alpha_f) a_{k+1} + alpha_f a_k,
///     alpha_m = (2 rho - 1) / (rho + 1),   alpha_f = rho / (rho + 1),
///     gamma = 1/2 + alpha_f - alpha_m,     beta = (gamma + 1/2)^2 / 4,
///
/// a the acceleration, A what the method advances with in its place. Order 2; on manifolds where retract(q, s w)
/// follows the motion of constant velocity w to second order in s, as exponential maps and Cayley's do. Source: Chung &
/// Hulbert 1993 [chung1993]; Arnold & Brüls 2007 [arnold2007]; on Lie groups Brüls, Cardona & Arnold 2012 [bruls2012].
///
/// As EventDrivenOptions::integrator: smooth phases of mechanics with fixed steps (EventDrivenOptions::step is
/// required), closed contacts held at the level of positions:
///
///     M a_{k+1} = F(t, q, v)_{k+1} + H^T lambda_{k+1},   g(q_{k+1}) = 0 on closed contacts,
///     q_{k+1} = retract(q_k, h v_k + h^2 ((1/2 - beta) A_k + beta A_{k+1})),
///     v_{k+1} = v_k + h ((1 - gamma) A_k + gamma A_{k+1}).
///
/// As TimeSteppingOptions::integrator: the nonsmooth generalised-alpha method. Accelerations are those of forces, the
/// reactions lambda of joints among them, which hold the smooth motion v~; impulses p beside them, at the level of
/// velocities, are those of impacts and contacts, and of joints what these, impulsive loads and velocities that
/// contradict a joint do:
///
///     M a_{k+1} = F(t, q, v)_{k+1} + H^T lambda_{k+1},    M W = H^T p,    M and H at q_{k+1},
///     q_{k+1} = retract(q_k, h v_k + h^2 ((1/2 - beta) A_k + beta A_{k+1}) + h W / 2),
///     v_{k+1} = v_k + h ((1 - gamma) A_k + gamma A_{k+1}) + W,
///     0 = H v~ + h_t of joints,    v~ = v_{k+1} where p = 0, by the linearised equation of motion,
///
/// with the laws of Newton's and their kin on u_{k+1} and u_k, as under MoreauJean. Order 2 in positions, velocities
/// and forces of joints, and 1 with impacts and with contacts that turn; after an impact A = a again, which leaves
/// forces of joints an error of order h for some steps. State::impulse of a joint is h (lambda_k + lambda_{k+1}) / 2
/// + p, so that State::force is of order 2 in the middle of a step. Joints are what EqualityLaw holds, without
/// friction of their own, between systems that all have this scheme: others have impulses alone, of order 1.
///
/// rho damps what forces make ring, and nothing that contact holds: a contact at rest stays, but for h^2 |gamma / 2 -
/// beta| times what its A changes, and what it leaves free moves as by the method alone. Impacts change energy by p^T
/// (u_k + u_{k+1}) / 2 to order h |p|.
///
/// A_k = a(t_k + (alpha_m - alpha_f) h) to second order. The state keeps (A_k - a_k) / h and lambda_k, so that a step
/// of another length, or one after velocities or forces were written, goes on with the A_k that is its own. A run
/// begins with A = a, and lambda of the accelerations that its joints allow.
///
/// Positions drift by O(h^2), as rows are of velocities. A `projection` of kind All closes gaps after the step, where u
/// is then off by O(h^2). One of kind WithinStep, the stabilisation of Gear, Gupta and Leimkuhler, gives the step
/// multipliers mu of positions too, which move q in place of h W / 2 and nothing else,
///
///     q_{k+1} = retract(q_k, h v_k + h^2 ((1/2 - beta) A_k + beta A_{k+1}) + U + D),
///     M U = H^T mu,    y(q_{k+1}) = 0 of joints,    0 <= y(q_{k+1}) ⟂ mu >= 0 of contacts,
///     M D = h/2 H^T p of friction and of other rows that hold no positions,
///
/// with M, H and F at this q_{k+1}: joints are closed and at rest at once, to the tolerances of ProjectionOptions and
/// of the solver, and contacts whose mu presses act on velocities too. Cost: the step is made two or three times, with
/// a problem of gaps between. Where impulses act beside joints, these have a problem more, of lambda.
///
/// M and Jacobians of F are dense, for n of some tens, but of a SparseMechanicalSystem, and of linear systems of 32
/// unknowns or more whose matrices come in sparse or diagonal: three sparse factors that are ordered once, two of them
/// made in each Newton iterate. Laws of velocities and impulses, without compliance, in
/// Form::Reduced; no prescribed velocities, no sleep. Source: Chen, Acary, Virlez & Brüls 2013 [chen2013]; with
/// positions Brüls, Acary & Cardona 2014 [bruls2014].
struct GeneralisedAlpha {
  double rho =
      0.8;  ///< spectral radius at infinite frequency, in [0, 1]: 1 keeps all energy, 0 removes what h cannot resolve

  friend bool operator==(const GeneralisedAlpha&, const GeneralisedAlpha&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const GeneralisedAlpha& scheme);

}  // namespace nonsmooth
