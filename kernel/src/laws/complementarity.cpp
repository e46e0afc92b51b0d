// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/complementarity.hpp>

#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

Fixed fixed(const ComplementarityLaw& law, LawUse use) {
  check::finite("ComplementarityLaw::y_shift", law.y_shift);
  check::finite("ComplementarityLaw::lambda_shift", law.lambda_shift);
  if (!use.first_order && !use.compliant) {
    throw InvalidArgument("law", "ComplementarityLaw on a mechanical relation",
                          "NewtonImpactLaw (restitution 0 for a plastic contact), or a compliance: positions do not "
                          "jump, velocities do");
  }
  Fixed result;
  result.rows = {kOneSided};
  result.block.parts = {{law.lambda_shift == 0.0 ? set_of(SetKind::Orthant) : box(-law.lambda_shift, unbounded), 1}};
  if (law.y_shift != 0.0) result.block.offset = Eigen::VectorXd::Constant(1, law.y_shift);
  result.shape.level = use.first_order ? LawLevel::Velocity : LawLevel::Position;
  result.shape.in_forces = !use.first_order;
  return result;
}

Fixed fixed(const EqualityLaw&, LawUse use) {
  Fixed result;
  result.rows = {kNoFriction};
  result.block.parts = {{set_of(SetKind::Free), 1}};
  if (use.compliant) result.shape.level = LawLevel::Position;
  return result;
}

Fixed fixed(const MixedComplementarityLaw& law, LawUse) {
  check::within("MixedComplementarityLaw::equalities", law.equalities, 0, check::most_dense_rows);
  check::within("MixedComplementarityLaw::inequalities", law.inequalities, 0, check::most_dense_rows);
  check::at_least("MixedComplementarityLaw: rows", law.equalities + law.inequalities, 1);
  Fixed result;
  result.shape.size = law.equalities + law.inequalities;
  if (law.equalities > 0) result.block.parts.push_back({set_of(SetKind::Free), law.equalities});
  for (Index i = 0; i < law.inequalities; ++i) result.block.parts.push_back({set_of(SetKind::Orthant), 1});
  result.rows.assign(static_cast<std::size_t>(law.equalities), kNoFriction);
  result.rows.insert(result.rows.end(), static_cast<std::size_t>(law.inequalities), kOneSided);
  return result;
}

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const ComplementarityLaw& law) {
  return laws::fixed_law(law, laws::fixed, "ComplementarityLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const EqualityLaw& law) {
  return laws::fixed_law(law, laws::fixed, "EqualityLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const MixedComplementarityLaw& law) {
  return laws::fixed_law(law, laws::fixed, "MixedComplementarityLaw");
}

}  // namespace nonsmooth
