// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/static_kinetic_friction.hpp>

#include "batched_law.hpp"
#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

class StaticKineticFriction final : public BatchedLaw<StaticKineticFriction>, public LawOfRows {
 public:
  explicit StaticKineticFriction(const StaticKineticFrictionLaw& law) : law_(law) {}
  [[nodiscard]] std::string name() const override { return "StaticKineticFrictionLaw"; }
  [[nodiscard]] std::vector<RowKinds> row_kinds(LawUse) const override { return contact_rows(law_.dimension); }

  [[nodiscard]] LawShape shape(LawUse) const override {
    check::range("StaticKineticFrictionLaw::restitution", law_.restitution, 0.0, 1.0);
    check::positive("StaticKineticFrictionLaw::stick_velocity", law_.stick_velocity);
    (void)cone();
    check::range("StaticKineticFrictionLaw::static_friction", law_.static_friction, law_.kinetic_friction,
                 std::numeric_limits<double>::max());
    LawShape shape;
    shape.size = law_.dimension;
    shape.varies = LawVaries::Slip;
    shape.unilateral = true;
    shape.impact = {.kind = ImpactRule::Kind::Newton, .restitution = law_.restitution};
    return shape;
  }

  void block(const LawContext& context, LawBlock& block) const override {
    if (block.parts.empty()) block.parts = {{cone(), law_.dimension}};
    const bool sticks = context.u.tail(law_.dimension - 1).norm() <= law_.stick_velocity;
    block.parts[0].set.mu = sticks ? law_.static_friction : law_.kinetic_friction;
  }

 private:
  [[nodiscard]] BlockSet cone() const {
    return coulomb("StaticKineticFrictionLaw::kinetic_friction", law_.kinetic_friction, law_.dimension,
                   "StaticKineticFrictionLaw::dimension");
  }

  StaticKineticFrictionLaw law_;
};

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const StaticKineticFrictionLaw& law) {
  return std::make_shared<const laws::StaticKineticFriction>(law);
}

}  // namespace nonsmooth
