// SPDX-License-Identifier: Apache-2.0
#include "row_roles.hpp"

namespace nonsmooth {

bool is_cone(const PreparedLaw& law) {
  const SetKind kind = law.parts.front().set.kind;
  return kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D || kind == SetKind::Rolling;
}

RowRole role_of(const PreparedLaw& law, Index row_of_block) {
  if (law.unilateral || is_cone(law)) return row_of_block == 0 ? RowRole::Normal : RowRole::Tangential;
  if (law.law->force_law() || law.stiffness > 0.0) return RowRole::Spring;
  if (law.shifts || law.auxiliary > 0) return RowRole::Other;
  Index first = 0;
  for (const LawBlock::Part& part : law.parts) {
    if (row_of_block >= first + part.size) {
      first += part.size;
      continue;
    }
    if (part.set.kind == SetKind::Free) return RowRole::Bilateral;
    if (part.first_held) return row_of_block == first ? RowRole::Bilateral : RowRole::JointFriction;
    return part.set.kind == SetKind::Box && law.parts.size() > 1 ? RowRole::JointFriction : RowRole::Other;
  }
  return RowRole::Other;
}

}  // namespace nonsmooth
