// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/higher_order_moreau.hpp>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class HigherOrderMoreauIntegrator final : public DescribedIntegrator<HigherOrderMoreau> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "HigherOrderMoreau"; }
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.first_order = true;
    result.theta = 1.0;
    return result;
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const HigherOrderMoreau& scheme) {
  return std::make_shared<const HigherOrderMoreauIntegrator>(scheme);
}

}  // namespace nonsmooth
