// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/shockley.hpp>

#include <algorithm>
#include <cmath>

#include "batched_law.hpp"
#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

/// As y + slope lambda + offset = 0, about the point of the curve with the y in LawBlock::linearised.
class Shockley final : public BatchedLaw<Shockley> {
 public:
  explicit Shockley(const ShockleyLaw& law) : law_(law) {}
  [[nodiscard]] std::string name() const override { return "ShockleyLaw"; }

  [[nodiscard]] LawShape shape(LawUse use) const override {
    check::positive("ShockleyLaw::saturation", law_.saturation);
    check::positive("ShockleyLaw::thermal", law_.thermal);
    if (!use.first_order) {
      throw InvalidArgument("law", "ShockleyLaw on a mechanical relation",
                            "a first-order relation: it knows no velocity");
    }
    LawShape shape;
    shape.varies = LawVaries::Iterate;
    return shape;
  }

  /// The tangent, but never flatter in current than a hundredth of the saturation current a volt, so that a blocking
  /// diode does not swamp the scale of the problem.
  void block(const LawContext& context, LawBlock& block) const override {
    if (block.parts.empty()) {
      block.parts = {{set_of(SetKind::Free), 1}};
      block.coupling = Eigen::MatrixXd::Zero(1, 1);
      block.offset = block.linearised = Eigen::VectorXd::Zero(1);
    }
    const double lambda = context.iterate[0];
    double& slope = block.coupling(0, 0);
    double& y = block.linearised[0];
    if (lambda > law_.saturation) {
      y = -law_.thermal * std::log1p(lambda / law_.saturation);  // conducting: the point of the same current
    } else if (context.first) {
      y = context.y[0];
    } else {
      // Blocking: the voltage that the line gave; forward not far beyond the knee, where the conductance is 1 S, and
      // out of conduction by half of the voltage at least, as the curve's tangents give way by a thermal voltage at a
      // time.
      const double line = -(slope * lambda + block.offset[0]);
      const double knee = -law_.thermal * std::log(std::max(1.0, law_.thermal / law_.saturation));
      if (line > y + 0.5 * law_.thermal) {
        y = std::max(line, 0.5 * y);
      } else {
        y = std::max(line, std::min(y, knee) - 2.0 * law_.thermal);
      }
    }
    const double conductance =
        std::max(law_.saturation / law_.thermal * std::exp(-y / law_.thermal), 0.01 * law_.saturation);
    const double current = law_.saturation * std::expm1(-y / law_.thermal);
    slope = 1.0 / conductance;
    block.offset[0] = -y - current / conductance;
  }

  /// A blocking diode's current says nothing: its voltage on the line against the point that the line is of.
  [[nodiscard]] double newton_error(double tolerance, const LawContext& context, const LawBlock& block) const override {
    const double offset = block.offset[0];
    const double moved = block.coupling(0, 0) * context.iterate[0] + offset + block.linearised[0];
    return std::abs(moved) / (tolerance * (law_.thermal + std::abs(offset)));
  }

 private:
  ShockleyLaw law_;
};

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const ShockleyLaw& law) {
  return std::make_shared<const laws::Shockley>(law);
}

}  // namespace nonsmooth
