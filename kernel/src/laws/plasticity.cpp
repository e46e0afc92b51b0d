// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/plasticity.hpp>

#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

Fixed fixed(const PlasticityLaw& law, LawUse use) {
  at_least_zero("PlasticityLaw::yield", law.yield);
  check::within("PlasticityLaw::rows", law.rows, 2, check::most_dense_rows);
  BlockSet set = set_of(SetKind::VonMises);
  if (law.surface == PlasticityLaw::Surface::VonMises) {
    set.radius = law.yield;
  } else {
    check::positive("PlasticityLaw::friction", law.friction);
    check::range("PlasticityLaw::dilation", law.dilation, 0.0, law.friction);
    set.kind = SetKind::DruckerPrager;
    set.mu = law.friction;
    set.lift = law.friction - law.dilation;  // 0: associated flow
    set.cohesion = law.yield / law.friction;
  }
  require_mechanics(use);
  Fixed result;
  result.block.parts = {{set, law.rows}};
  result.shape.size = law.rows;
  result.shape.level = LawLevel::Rate;
  result.shape.in_forces = true;
  return result;
}

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const PlasticityLaw& law) {
  return laws::fixed_law(law, laws::fixed, "PlasticityLaw");
}

}  // namespace nonsmooth
