// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// Schatzman-Paoli time-stepping for mechanics, position level:
///
///     M(q*) (z - z_k) + h (theta g_{k+1} + (1-theta) g_k) = H^T lambda / h,   q_{k+1} = retract(q_k, h z),
///     0 <= y_{k+1} + e y_{k-1} ⟂ lambda >= 0,     v_{k+1} = (z + z_k) / 2,     g = -F(t, q, v),  q* = q_{k+1},
///
/// from z_0 = v_0: where q is moved by h v that is M (q_{k+1} - 2 q_k + q_{k-1}) + h^2 g = H^T lambda, g = C v + K q -
/// f of linear systems, v_{k+1} = (q_{k+1} - q_{k-1}) / (2 h); bodies turn by the exponential of h z, in their axes.
/// The velocity is derived, so that writing State::v after the first step changes nothing. Contacts never penetrate
/// beyond the rounding of a step, of nonlinear systems and gaps Newton's tolerance of h z (e = 0); a resting contact
/// holds its gap at 0, and joints do not drift. y_{k-1} is that at retract(q_k, -h z_k). The state keeps z.
/// State::impulse is lambda / h [N s]. Laws: NewtonImpactLaw, EqualityLaw. No prescribed velocities. Order 1. Source:
/// Paoli & Schatzman 2002, A numerical scheme for impact problems [paoli2002].
struct SchatzmanPaoli {
  double theta = 0.5;  ///< in [0, 1]

  friend bool operator==(const SchatzmanPaoli&, const SchatzmanPaoli&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const SchatzmanPaoli& scheme);

}  // namespace nonsmooth
