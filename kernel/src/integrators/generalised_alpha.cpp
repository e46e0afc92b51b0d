// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/generalised_alpha.hpp>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class GeneralisedAlphaIntegrator final : public DescribedIntegrator<GeneralisedAlpha> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "GeneralisedAlpha"; }
  void validate() const override { check::range("GeneralisedAlpha::rho", description_.rho, 0.0, 1.0); }
  [[nodiscard]] std::string refuses(const SchemeUse& system) const override {
    return system.has_prescribed_velocity ? "MoreauJean: accelerations of forces alone prescribe no velocities" : "";
  }
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override { return {.free = 2}; }
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.generalised_alpha = true;
    result.theta = description_.rho;
    return result;
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const GeneralisedAlpha& scheme) {
  return std::make_shared<const GeneralisedAlphaIntegrator>(scheme);
}

}  // namespace nonsmooth
