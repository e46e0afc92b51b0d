// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/impact.hpp>

#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

using Kind = ImpactRule::Kind;

/// A unilateral contact with a set and an impact rule.
Fixed contact(const BlockSet& set, Index size, const ImpactRule& impact) {
  Fixed result;
  result.block.parts = {{set, size}};
  result.shape.size = size;
  result.shape.unilateral = true;
  result.shape.impact = impact;
  return result;
}

Fixed fixed(const NewtonImpactLaw& law, LawUse) {
  check::range("NewtonImpactLaw::restitution", law.restitution, 0.0, 1.0);
  return contact(set_of(SetKind::Orthant), 1, {.kind = Kind::Newton, .restitution = law.restitution});
}

Fixed fixed(const NewtonImpactFrictionLaw& law, LawUse) {
  check::range("NewtonImpactFrictionLaw::restitution", law.restitution, 0.0, 1.0);
  check::range("NewtonImpactFrictionLaw::tangential_restitution", law.tangential_restitution, 0.0, 1.0);
  return contact(
      coulomb("NewtonImpactFrictionLaw::friction", law.friction, law.dimension, "NewtonImpactFrictionLaw::dimension"),
      law.dimension,
      {.kind = Kind::Newton, .restitution = law.restitution, .tangential_restitution = law.tangential_restitution});
}

Fixed fixed(const PoissonImpactLaw& law, LawUse) {
  check::range("PoissonImpactLaw::restitution", law.restitution, 0.0, 1.0);
  at_least_zero("PoissonImpactLaw::friction", law.friction);
  const BlockSet set = law.dimension == 1 ? set_of(SetKind::Orthant)
                                          : coulomb("PoissonImpactLaw::friction", law.friction, law.dimension,
                                                    "PoissonImpactLaw::dimension");
  return contact(set, law.dimension, {.kind = Kind::Poisson, .restitution = law.restitution});
}

Fixed fixed(const LiuZhaoBrogliatoImpactLaw& law, LawUse) {
  check::range("LiuZhaoBrogliatoImpactLaw::restitution", law.restitution, 0.0, 1.0);
  check::positive("LiuZhaoBrogliatoImpactLaw::stiffness", law.stiffness);
  check::range("LiuZhaoBrogliatoImpactLaw::exponent", law.exponent, 1.0, std::numeric_limits<double>::max());
  return contact(set_of(SetKind::Orthant), 1,
                 {.kind = Kind::LiuZhaoBrogliato,
                  .restitution = law.restitution,
                  .stiffness = law.stiffness,
                  .exponent = law.exponent});
}

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const NewtonImpactLaw& law) {
  return laws::fixed_law(law, laws::fixed, "NewtonImpactLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const NewtonImpactFrictionLaw& law) {
  return laws::fixed_law(law, laws::fixed, "NewtonImpactFrictionLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const PoissonImpactLaw& law) {
  return laws::fixed_law(law, laws::fixed, "PoissonImpactLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const LiuZhaoBrogliatoImpactLaw& law) {
  return laws::fixed_law(law, laws::fixed, "LiuZhaoBrogliatoImpactLaw");
}

}  // namespace nonsmooth
