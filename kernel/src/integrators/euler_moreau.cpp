// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/euler_moreau.hpp>

#include <utility>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class EulerMoreauIntegrator final : public DescribedIntegrator<EulerMoreau> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "EulerMoreau"; }
  void validate() const override {
    check::range("EulerMoreau::theta", description_.theta, 0.0, 1.0);
    for (const auto& [argument, weight] : {std::pair{"EulerMoreau::multiplier_weight", description_.multiplier_weight},
                                           std::pair{"EulerMoreau::relation_weight", description_.relation_weight}}) {
      check::positive(argument, weight);
      check::range(argument, weight, 0.0, 1.0);
    }
  }
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.first_order = true;
    result.theta = description_.theta;
    result.multiplier_weight = description_.multiplier_weight;
    result.relation_weight = description_.relation_weight;
    return result;
  }
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override {
    return {.free = description_.theta == 0.5 ? 2 : 1};
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const EulerMoreau& scheme) {
  return std::make_shared<const EulerMoreauIntegrator>(scheme);
}

}  // namespace nonsmooth
