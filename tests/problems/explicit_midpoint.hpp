// SPDX-License-Identifier: Apache-2.0
// A scheme as a user writes it, through the public interface alone.
#pragma once

#include <string>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::problems {

/// Moreau's explicit midpoint scheme:
///
///     q_m = retract(q_k, h/2 v_k),                                   t_m = t_k + h/2,
///     M(q_m) (v_{k+1} - v_k) = h F(t_m, q_m, v_k) + H(q_m)^T p,
///     q_{k+1} = retract(q_k, h/2 (v_k + v_{k+1})).
///
/// Order 2 where F does not depend on v and M not on q; of conservative linear systems it keeps v^T (M - h^2/4 K) v +
/// q^T K q, and is stable for w h < 2.
class ExplicitMidpoint final : public OneStepIntegrator {
 public:
  [[nodiscard]] std::string name() const override { return "ExplicitMidpoint"; }
  [[nodiscard]] std::string refuses(const SchemeUse& system) const override {
    return system.has_prescribed_velocity ? "MoreauJean: this scheme prescribes no velocities" : "";
  }
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.theta = 0.0;
    result.explicit_point = 0.5;
    result.position = 0.5;
    result.configuration_weight = 0.5;
    result.explicit_configuration = true;
    return result;
  }
};

}  // namespace nonsmooth::problems
