// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/runge_kutta4.hpp>

#include "described_stages.hpp"

namespace nonsmooth {
namespace {

class RungeKutta4Integrator final : public DescribedStages<RungeKutta4> {
 public:
  using DescribedStages::DescribedStages;
  [[nodiscard]] std::string name() const override { return "RungeKutta4"; }
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override { return {.free = 4, .constrained = 4}; }
  [[nodiscard]] StageTable table(double /*ratio*/) const override {
    return {
        .a = Eigen::Matrix4d{{0.0, 0.0, 0.0, 0.0}, {0.5, 0.0, 0.0, 0.0}, {0.0, 0.5, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}},
        .b = Eigen::Vector4d{1.0, 2.0, 2.0, 1.0} / 6.0,
        .c = Eigen::Vector4d{0.0, 0.5, 0.5, 1.0},
        .u = {}};
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const RungeKutta4& scheme) {
  return std::make_shared<const RungeKutta4Integrator>(scheme);
}

}  // namespace nonsmooth
