// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/explicit_euler.hpp>

#include "described_stages.hpp"

namespace nonsmooth {
namespace {

class ExplicitEulerIntegrator final : public DescribedStages<ExplicitEuler> {
 public:
  using DescribedStages::DescribedStages;
  [[nodiscard]] std::string name() const override { return "ExplicitEuler"; }
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override { return {.free = 1, .constrained = 1}; }
  [[nodiscard]] StageTable table(double /*ratio*/) const override {
    return {.a = Eigen::MatrixXd::Zero(1, 1), .b = Eigen::VectorXd::Ones(1), .c = Eigen::VectorXd::Zero(1), .u = {}};
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const ExplicitEuler& scheme) {
  return std::make_shared<const ExplicitEulerIntegrator>(scheme);
}

}  // namespace nonsmooth
