// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

namespace nonsmooth {

/// Moreau-Jean time-stepping for mechanics, velocity level.
///
///     A = M + h theta C + h^2 theta^2 K   (M - h theta dF/dv - h^2 theta^2 dF/dq where something is nonlinear)
///     v_{k+1} = v_free + A^-1 H^T p,      q_{k+1} = retract(q_k, h (theta v_{k+1} + (1-theta) v_k))
///
/// Contacts enter the problem where y_k + forecast h u_k <= 0. A compliant relation has y_{k+1} = h(q_{k+1},
/// lambda_{k+1}). Order 1 with impacts and with bilateral constraints whose H turns, 2 in smooth motion without them
/// for theta = 1/2. An impulse's work p (u+ + u-) / 2 is never positive; for theta > 1/2 a force field f adds -(theta -
/// 1/2) h f (v+ - v-) to the energy of a step. M, H and their kin are taken at q* = q_k + configuration_weight (q -
/// q_k), q being the iterate of q_{k+1}, q_k + h v_k at first. A weight of 1/2 makes the rule symmetric: far less
/// energy comes and goes with H(q), but u_{k+1} of a contact that stays closed is then zero to order h only, and it
/// drifts more. Time is t_{k+1} in H and h_t, whatever the weight. Source: Jean & Moreau 1987; Acary & Brogliato 2008,
/// chapter 10 [acarybrogliato2008].
struct MoreauJean {
  double theta = 0.5;  ///< in [0, 1]; 1/2: free flight in a constant field is exact
  /// In [0, 1]: part of the step over which the gap is predicted. Without hysteresis but for rounding: a contact that
  /// pressed in the last step, or that a run starts with, counts as closed up to 16 eps of the absolute terms that its
  /// gap is the sum of, and 1e-8 of the way that the last step would have gone without it.
  double forecast = 0.5;
  /// In [0, 1]; 0: everything at q_k, 1: implicit. Order 2 without impacts where M varies needs 1/2; constant M has it
  /// whatever the weight.
  double configuration_weight = 1.0;

  friend bool operator==(const MoreauJean&, const MoreauJean&) = default;
};

/// Schatzman-Paoli time-stepping for linear mechanics, position level, explicit in nothing but the gap's Jacobian:
///
///     M (q_{k+1} - 2 q_k + q_{k-1}) + h^2 (theta g_{k+1} + (1-theta) g_k) = H^T lambda,   g = C v + K q - f,
///     0 <= y_{k+1} + e y_{k-1} ⟂ lambda >= 0,     v_{k+1} = (q_{k+1} - q_{k-1}) / (2 h),
///
/// from q_{-1} = q_0 - h v_0; the velocity is derived, so that writing State::v after the first step changes nothing.
/// Contacts never penetrate beyond the rounding of a step (e = 0); a resting contact holds its gap at 0. The state
/// keeps q_k - q_{k-1}. State::impulse is lambda / h [N s]. Laws: NewtonImpactLaw, EqualityLaw. Order 1. Source: Paoli
/// & Schatzman 2002, A numerical scheme for impact problems [paoli2002].
struct SchatzmanPaoli {
  double theta = 0.5;  ///< in [0, 1]

  friend bool operator==(const SchatzmanPaoli&, const SchatzmanPaoli&) = default;
};

/// Euler-Moreau time-stepping for first-order systems.
///
///     M (x_{k+1} - x_k) = h (theta f_{k+1} + (1-theta) f_k) + h (w r_{k+1} + (1-w) r_k),  w = multiplier_weight,
///     y = h(t_{k+1}, g x_{k+1} + (1-g) x_k, lambda_{k+1}),                                g = relation_weight.
///
/// Order 1; 2 for theta = 1/2 where no multiplier acts. theta = 1 for stiff systems and states that jump. w = 1: the
/// multiplier is fully implicit, the choice for jumps; w = theta = 1/2: dissipation of the step is that of the averaged
/// multiplier, and free motion keeps its energy, for relations of relative degree 0. Source: Acary & Brogliato 2008,
/// chapter 9 [acarybrogliato2008].
struct EulerMoreau {
  double theta = 0.5;              ///< in [0, 1]
  double multiplier_weight = 1.0;  ///< in (0, 1]
  double relation_weight = 1.0;    ///< in (0, 1]; the output that the state keeps is at t_{k+1} all the same

  friend bool operator==(const EulerMoreau&, const EulerMoreau&) = default;
};

/// Zero-order hold for linear first-order systems with constant A: exact in A, inputs held over the step,
///
///     x_{k+1} = e^{A h} x_k + (integral_0^h e^{A s} ds) M^-1 (b + r_{k+1}),
///
/// b at t_{k+1} or t_k. Exact for constant inputs, whatever h; order 1 otherwise. A stands for M^-1 A where there is M.
struct ZeroOrderHold {
  enum class Sample : unsigned char { End, Start };
  Sample sample = Sample::End;  ///< where in the step b(t) is taken; End as implicit multipliers are

  friend bool operator==(const ZeroOrderHold&, const ZeroOrderHold&) = default;
};

/// Any scheme, as options and models take them.
using Integrator = std::variant<MoreauJean, EulerMoreau, SchatzmanPaoli, ZeroOrderHold>;

}  // namespace nonsmooth
