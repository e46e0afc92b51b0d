// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

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

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const SchatzmanPaoli& scheme);

}  // namespace nonsmooth
