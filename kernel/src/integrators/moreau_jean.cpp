// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/moreau_jean.hpp>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class MoreauJeanIntegrator final : public DescribedIntegrator<MoreauJean> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "MoreauJean"; }
  void validate() const override {
    check::range("MoreauJean::theta", description_.theta, 0.0, 1.0);
    check::range("MoreauJean::forecast", description_.forecast, 0.0, 1.0);
    check::range("MoreauJean::configuration_weight", description_.configuration_weight, 0.0, 1.0);
  }
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.theta = result.position = description_.theta;
    result.forecast = description_.forecast;
    result.configuration_weight = description_.configuration_weight;
    return result;
  }
  [[nodiscard]] SchemeOrder order(const SchemeUse& system) const override {
    const bool symmetric = system.constant_matrices || description_.configuration_weight == 0.5;
    return {.free = description_.theta == 0.5 && symmetric ? 2 : 1};
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const MoreauJean& scheme) {
  return std::make_shared<const MoreauJeanIntegrator>(scheme);
}

}  // namespace nonsmooth
