// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/adams_bashforth2.hpp>

#include "described_stages.hpp"

namespace nonsmooth {
namespace {

class AdamsBashforth2Integrator final : public DescribedStages<AdamsBashforth2> {
 public:
  using DescribedStages::DescribedStages;
  [[nodiscard]] std::string name() const override { return "AdamsBashforth2"; }
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override { return {.free = 2, .constrained = 2}; }
  [[nodiscard]] Kept kept() const override { return Kept::Slope; }
  [[nodiscard]] StageTable table(double ratio) const override {
    return {.a = Eigen::MatrixXd::Zero(1, 1),
            .b = Eigen::VectorXd::Constant(1, 1.0 + 0.5 * ratio),
            .c = Eigen::VectorXd::Zero(1),
            .u = {},
            .v = -0.5 * ratio * ratio};  // d has the length of the step before
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const AdamsBashforth2& scheme) {
  return std::make_shared<const AdamsBashforth2Integrator>(scheme);
}

}  // namespace nonsmooth
