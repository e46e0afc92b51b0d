// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/d1_minus_linear.hpp>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class D1MinusLinearIntegrator final : public DescribedIntegrator<D1MinusLinear> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "D1MinusLinear"; }
  [[nodiscard]] std::string refuses(const SchemeUse& system) const override {
    return system.has_prescribed_velocity ? "MoreauJean: the half-explicit scheme prescribes no velocities" : "";
  }
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override { return {.free = 2, .constrained = 2}; }
  /// z = v_k + h a_k+, so that h (z + v_k) / 2 is the way.
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.theta = 0.0;
    result.position = 0.5;
    result.forecast = 0.0;
    result.configuration_weight = 0.0;
    result.level = description_.forces == D1MinusLinear::Forces::ByVelocities
                       ? SchemeCoefficients::Level::HalfExplicit
                       : SchemeCoefficients::Level::HalfExplicitRates;
    return result;
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const D1MinusLinear& scheme) {
  return std::make_shared<const D1MinusLinearIntegrator>(scheme);
}

}  // namespace nonsmooth
