// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/zero_order_hold.hpp>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class ZeroOrderHoldIntegrator final : public DescribedIntegrator<ZeroOrderHold> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "ZeroOrderHold"; }
  [[nodiscard]] std::string refuses(const SchemeUse& system) const override {
    return system.constant_matrices ? "" : "EulerMoreau: a hold is exact for constant A, and for no other";
  }
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.first_order = true;
    result.exponential = true;
    result.theta = description_.sample == ZeroOrderHold::Sample::End ? 1.0 : 0.0;
    return result;
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const ZeroOrderHold& scheme) {
  return std::make_shared<const ZeroOrderHoldIntegrator>(scheme);
}

}  // namespace nonsmooth
