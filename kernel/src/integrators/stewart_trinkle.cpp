// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/stewart_trinkle.hpp>

#include <limits>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class StewartTrinkleIntegrator final : public DescribedIntegrator<StewartTrinkle> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "StewartTrinkle"; }
  void validate() const override {
    check::range("StewartTrinkle::theta", description_.theta, 0.0, 1.0);
    check::range("StewartTrinkle::recovery", description_.recovery, 0.0, 1.0);
    check::range("StewartTrinkle::reach", description_.reach, 0.0, std::numeric_limits<double>::max());
  }
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.theta = description_.theta;
    result.position = 1.0;
    result.forecast = 1.0;
    result.configuration_weight = 0.0;
    result.level = SchemeCoefficients::Level::LinearisedGap;
    result.recovery = description_.recovery;
    result.reach = description_.reach;
    return result;
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const StewartTrinkle& scheme) {
  return std::make_shared<const StewartTrinkleIntegrator>(scheme);
}

}  // namespace nonsmooth
