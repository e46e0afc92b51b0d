// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/implicit_radau.hpp>

#include <cmath>

#include <internal/check.hpp>

#include "described_stages.hpp"

namespace nonsmooth {
namespace {

/// Hairer & Wanner 1996, table IV.5.5 and (5.6) for three stages.
Eigen::MatrixXd weights_of(Index stages) {
  if (stages == 1) return Eigen::MatrixXd::Ones(1, 1);
  if (stages == 2) return Eigen::Matrix2d{{5.0 / 12.0, -1.0 / 12.0}, {0.75, 0.25}};
  const double s = std::sqrt(6.0);
  return Eigen::Matrix3d{{(88.0 - 7.0 * s) / 360.0, (296.0 - 169.0 * s) / 1800.0, (-2.0 + 3.0 * s) / 225.0},
                         {(296.0 + 169.0 * s) / 1800.0, (88.0 + 7.0 * s) / 360.0, (-2.0 - 3.0 * s) / 225.0},
                         {(16.0 - s) / 36.0, (16.0 + s) / 36.0, 1.0 / 9.0}};
}

class ImplicitRadauIntegrator final : public DescribedStages<ImplicitRadau> {
 public:
  using DescribedStages::DescribedStages;
  [[nodiscard]] std::string name() const override { return "ImplicitRadau"; }
  void validate() const override {
    DescribedStages::validate();
    check::within("ImplicitRadau::stages", description_.stages, 1, 3);
  }
  [[nodiscard]] SchemeOrder order(const SchemeUse& /*system*/) const override {
    const Index order = 2 * description_.stages - 1;
    return {.free = order, .constrained = order};
  }
  [[nodiscard]] StageTable table(double /*ratio*/) const override {
    const Eigen::MatrixXd a = weights_of(description_.stages);
    Eigen::VectorXd c = a.rowwise().sum();
    c[c.size() - 1] = 1.0;
    return {.a = a, .b = a.bottomRows(1).transpose(), .c = c, .u = {}};
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const ImplicitRadau& scheme) {
  return std::make_shared<const ImplicitRadauIntegrator>(scheme);
}

}  // namespace nonsmooth
