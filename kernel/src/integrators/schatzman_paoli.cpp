// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/integrators/schatzman_paoli.hpp>

#include "described_integrator.hpp"

namespace nonsmooth {
namespace {

class SchatzmanPaoliIntegrator final : public DescribedIntegrator<SchatzmanPaoli> {
 public:
  using DescribedIntegrator::DescribedIntegrator;
  [[nodiscard]] std::string name() const override { return "SchatzmanPaoli"; }
  void validate() const override { check::range("SchatzmanPaoli::theta", description_.theta, 0.0, 1.0); }
  [[nodiscard]] std::string refuses(const SchemeUse& system) const override {
    if (system.has_prescribed_velocity) return "MoreauJean: the position-level scheme prescribes no velocities";
    return {};
  }
  /// z = (q_{k+1} - q_k) / h.
  [[nodiscard]] SchemeCoefficients coefficients() const override {
    SchemeCoefficients result;
    result.theta = description_.theta;
    result.position = 1.0;
    result.velocity = 0.5;
    result.level = SchemeCoefficients::Level::Position;
    result.keeps_unknown = true;
    return result;
  }
};

}  // namespace

std::shared_ptr<const OneStepIntegrator> make_integrator(const SchatzmanPaoli& scheme) {
  return std::make_shared<const SchatzmanPaoliIntegrator>(scheme);
}

}  // namespace nonsmooth
