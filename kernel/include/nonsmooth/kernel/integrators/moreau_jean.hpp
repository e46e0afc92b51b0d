// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// Moreau-Jean time-stepping for mechanics, velocity level.
///
///     A = M + h theta C + h^2 theta^2 K   (M - h theta dF/dv - h^2 theta^2 dF/dq where something is nonlinear)
///     v_{k+1} = v_free + A^-1 H^T p,      q_{k+1} = retract(q_k, h (theta v_{k+1} + (1-theta) v_k))
///
/// Contacts enter the problem where y_k + forecast h u_k <= 0. A compliant relation has y_{k+1} = h(q_{k+1},
/// lambda_{k+1}). Order 1 with impacts and with bilateral constraints whose H turns, 2 in smooth motion without them
/// for theta = 1/2. An impulse's work p (u+ + u-) / 2 is not positive where its row approaches, u- <= 0. A closed gap
/// that opens slower than gravity g closes it within the step, 0 < u- < g h / (1 + e), gets u+ = -e u- and per mass at
/// most (1 - e) (g h)^2 / (8 (1 + e)); one that lasts while H turns, O(h) of either sign. For theta > 1/2 a force field
/// f adds -(theta - 1/2) h f (v+ - v-) to the energy of a step. M, H and their kin are taken at q* = q_k +
/// configuration_weight (q - q_k), q being the iterate of q_{k+1}, q_k + h v_k at first. A weight of 1/2 makes the rule
/// symmetric: far less energy comes and goes with H(q), but u_{k+1} of a contact that stays closed is then zero to
/// order h only, and it drifts more. Time is t_{k+1} in H and h_t, whatever the weight. Source: Jean & Moreau 1987;
/// Acary & Brogliato 2008, chapter 10 [acarybrogliato2008].
struct MoreauJean {
  double theta = 0.5;  ///< in [0, 1]; 1/2: free flight in a constant field is exact
  /// In [0, 1]: part of the step over which the gap is predicted. Without hysteresis but for rounding: a contact counts
  /// as closed up to 16 eps of the absolute terms that its gap is the sum of, and where it pressed in the last step up
  /// to 1e-5 of the way that that step would have gone without it beside: what residuals of 1e-10 lift in 1e5 steps.
  double forecast = 0.5;
  /// In [0, 1]; 0: everything at q_k, 1: implicit. Order 2 without impacts where M varies needs 1/2; constant M has it
  /// whatever the weight.
  double configuration_weight = 1.0;

  friend bool operator==(const MoreauJean&, const MoreauJean&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const MoreauJean& scheme);

}  // namespace nonsmooth
