// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/cohesive_zone.hpp>

#include <algorithm>

#include "batched_law.hpp"
#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

/// Its memory is the largest gap so far.
class CohesiveZone final : public BatchedLaw<CohesiveZone>, public LawOfRows {
 public:
  explicit CohesiveZone(const CohesiveZoneLaw& law) : law_(law) {}
  [[nodiscard]] std::string name() const override { return "CohesiveZoneLaw"; }
  [[nodiscard]] std::vector<RowKinds> row_kinds(LawUse) const override { return contact_rows(law_.dimension); }

  [[nodiscard]] LawShape shape(LawUse) const override {
    at_least_zero("CohesiveZoneLaw::strength", law_.strength);
    check::positive("CohesiveZoneLaw::opening", law_.opening);
    (void)cone();
    LawShape shape;
    shape.size = law_.dimension;
    shape.memory = 1;
    shape.varies = LawVaries::Step;
    shape.unilateral = shape.decides = shape.shifts = true;
    shape.impact = {.kind = ImpactRule::Kind::Other};
    return shape;
  }

  void block(const LawContext& context, LawBlock& block) const override {
    if (block.parts.empty()) block.parts = {{cone(), law_.dimension}};
    const double intact = std::max(0.0, 1.0 - context.memory[0] / law_.opening);
    block.parts[0].set.cohesion = context.h * intact * law_.strength;
  }

  [[nodiscard]] Activity activity(const LawContext& context) const override {
    return context.memory[0] < law_.opening ? Activity::Acts : Activity::WhereClosed;
  }

  /// Without theta: a theta rule for y would give velocities back that a landing has to take.
  void shift(const LawContext& context, VectorRef shift) const override {
    shift[0] += std::max(context.y[0], 0.0) / context.h;
  }

  void commit(const LawContext& context, VectorRef memory) const override {
    memory[0] = std::max(memory[0], context.y[0]);
  }

 private:
  [[nodiscard]] BlockSet cone() const {
    return coulomb("CohesiveZoneLaw::friction", law_.friction, law_.dimension, "CohesiveZoneLaw::dimension");
  }

  CohesiveZoneLaw law_;
};

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const CohesiveZoneLaw& law) {
  return std::make_shared<const laws::CohesiveZone>(law);
}

}  // namespace nonsmooth
