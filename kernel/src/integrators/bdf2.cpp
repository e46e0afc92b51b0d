// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/bdf2.hpp>

#include <cmath>

#include "described_stages.hpp"

namespace nonsmooth {
namespace {

class Bdf2Integrator final : public DescribedStages<Bdf2> {
 public:
  using DescribedStages::DescribedStages;
  [[nodiscard]] std::string name() const override { return "Bdf2"; }
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override { return {.free = 2, .constrained = 2}; }
  [[nodiscard]] Kept kept() const override { return Kept::Difference; }
  [[nodiscard]] StageTable table(double ratio) const override {
    static const double kLongest = 1.0 + std::sqrt(2.0);
    const double r = ratio < kLongest ? ratio : 0.0, weight = (1.0 + r) / (1.0 + 2.0 * r);
    const double of_difference = r * r / (1.0 + 2.0 * r);
    return {.a = Eigen::MatrixXd::Constant(1, 1, weight),
            .b = Eigen::VectorXd::Constant(1, weight),
            .c = Eigen::VectorXd::Ones(1),
            .u = Eigen::VectorXd::Constant(1, of_difference),
            .v = of_difference};
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const Bdf2& scheme) {
  return std::make_shared<const Bdf2Integrator>(scheme);
}

}  // namespace nonsmooth
