// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/exact_linear.hpp>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class ExactLinearIntegrator final : public DescribedIntegrator<ExactLinear> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "ExactLinear"; }
  void validate() const override { check::range("ExactLinear::forecast", description_.forecast, 0.0, 1.0); }
  [[nodiscard]] std::string refuses(const SchemeUse& system) const override {
    if (!system.constant_matrices) return "MoreauJean: a flow is exact for constant M, C and K, and for no other";
    if (system.has_prescribed_velocity) return "MoreauJean: a flow that is known beforehand prescribes no velocities";
    return {};
  }
  /// Of forces that bend within a step; others are exact.
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override { return {.free = 2}; }
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.forecast = description_.forecast;
    result.exponential = true;
    return result;
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const ExactLinear& scheme) {
  return std::make_shared<const ExactLinearIntegrator>(scheme);
}

}  // namespace nonsmooth
