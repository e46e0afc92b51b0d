// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// D1-minus-linear: a half-explicit scheme of time-discontinuous Galerkin's, in which forces and impulses of contacts
/// are apart. With g the gaps and constraints, u = dg/dt = H v + h_t, and du/dt = H a + Hdot v + ... (the relation's
/// curvature term), a step is
///
///     M(q_k) a_k+ = F(t_k, q_k, v_k) + H(q_k)^T l_k+,                   0 <= u_k + h (du/dt)_k+ ⟂ l_k+ >= 0,    (1)
///     q_{k+1} = retract(q_k, h v_k + h^2/2 a_k+),
///     M(q_{k+1}) a_{k+1}- = F(t_{k+1}, q_{k+1}, v_k + h a_k+) + H(q_{k+1})^T l_{k+1}-,
///     v_{k+1}- = v_k + h/2 (a_k+ + a_{k+1}-),                           0 <= u_{k+1}- ⟂ l_{k+1}- >= 0,          (2)
///     M(q_{k+1}) (v_{k+1} - v_{k+1}-) = J + H(q_{k+1})^T P,             0 <= u_{k+1} + e u_{k+1}- ⟂ P >= 0,     (3)
///
/// (1) for contacts that are closed at t_k, (2) for those of them that pressed in (1) or did not part, e = 0 in (3) for
/// these, (3) where one closed in the step, g_{k+1} <= 0; equalities are in all three, J are impulsive loads of the
/// step. A contact is closed where g <= 0, or where it pressed in the step before, which no drift of g opens. As u_k =
/// 0 of what rests, (1) is 0 <= du/dt ⟂ l; u_k itself in it ends bounces that would return within the step, so that an
/// accumulation of impacts ends in rest. Coulomb friction: in (1) a contact in space that no friction of the step can
/// stop slides along its slip at t_k; (1) of others and (2) have friction by the tangential velocity at the end of the
/// step, which stops without reversing.
///
/// Order 2 between impacts and in persistent contact (velocity Verlet's where nothing touches and F is of q alone), 1
/// with impacts, in impulses and where contacts stick or part within a step. u of what stays closed is 0 to the
/// solver's accuracy, g drifts by O(h^2), which TimeSteppingOptions::projection takes away. Forces of contacts are
/// those of two ends, without the oscillation of steps that divide an impulse by h. Explicit in F: stable in free
/// motion for h w < 2, w the fastest frequency; viscous damping c / m needs h c / m < 2. State::impulse is
/// h/2 (l_k+ + l_{k+1}-) + P, State::percussion the P of contacts that closed.
///
/// Of the whole model: no system has another scheme beside it. Systems: mechanical ones of any kind, without prescribed
/// velocities; a feedback is asked at both ends as a force is. Laws: EqualityLaw, NewtonImpactLaw and
/// NewtonImpactFrictionLaw without cohesion, of relations that are linked and rigid. Form::Reduced. All else is refused
/// when a simulation is made, with the scheme that takes it. In a first step, closed contacts that approach have (3) at
/// t_0. Cost: two evaluations of M, F and H a step, up to three problems.
/// Source: Schindler & Acary 2014 [schindler2014], by accelerations; Schindler, Rezaei, Kursawe & Acary 2015
/// [schindler2015], by velocities, as the half-explicit method of Brasey & Hairer 1993 [brasey1993].
struct D1MinusLinear {
  /// What says the forces at the end of a step, (2).
  enum class Forces : unsigned char {
    ByVelocities,  ///< u_{k+1}- of them is 0, so that (3) is of impacts alone
    /// 0 <= du/dt ⟂ l, as at its start; (3) takes what u_{k+1}- then is, O(h^3), in every step, and where contacts
    /// would have to pull for it the force of the next step, by O(h^2).
    ByAccelerations,
  };
  Forces forces = Forces::ByVelocities;

  friend bool operator==(const D1MinusLinear&, const D1MinusLinear&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const D1MinusLinear& scheme);

}  // namespace nonsmooth
