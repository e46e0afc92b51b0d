// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/spring_dashpot.hpp>

#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

Fixed fixed(const SpringDashpotLaw& law, LawUse use) {
  check::positive("SpringDashpotLaw::stiffness", law.stiffness);
  at_least_zero("SpringDashpotLaw::damping", law.damping);
  require_mechanics(use);
  Fixed result;
  result.rows = {kOneSided};
  result.block.parts = {{set_of(SetKind::Orthant), 1}};
  result.shape.level = LawLevel::Position;
  result.shape.unilateral = true;  // the dashpot does not act at a distance
  result.shape.stiffness = law.stiffness;
  result.shape.damping = law.damping;
  return result;
}

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const SpringDashpotLaw& law) {
  return laws::fixed_law(law, laws::fixed, "SpringDashpotLaw");
}

}  // namespace nonsmooth
