// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/impact.hpp>

#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

using Kind = ImpactRule::Kind;

/// A unilateral contact with a set and an impact rule. A cohesion is a force: the step makes an impulse of it.
Fixed contact(const BlockSet& set, Index size, const ImpactRule& impact) {
  Fixed result;
  result.shape.in_forces = set.cohesion > 0.0;
  result.block.parts = {{set, size}};
  result.shape.size = size;
  result.shape.unilateral = true;
  result.shape.impact = impact;
  result.rows = contact_rows(size);
  return result;
}

Fixed fixed(const NewtonImpactLaw& law, LawUse) {
  check::range("NewtonImpactLaw::restitution", law.restitution, 0.0, 1.0);
  return contact(set_of(SetKind::Orthant), 1, {.kind = Kind::Newton, .restitution = law.restitution});
}

/// mu_2 of an elliptic cone. @throws InvalidArgument where there is no second tangent, or no ellipse.
double second_friction_of(const NewtonImpactFrictionLaw& law) {
  const char* const argument = "NewtonImpactFrictionLaw::second_friction";
  const double second = *law.second_friction;
  if (law.dimension != 3)
    throw InvalidArgument(argument, check::text(second) + " with dimension = 2", "none: there is one tangent");
  at_least_zero(argument, second);
  if ((second > 0.0) != (law.friction > 0.0)) {
    throw InvalidArgument(argument, check::text(second) + " beside friction = " + check::text(law.friction),
                          "both > 0, or both 0");
  }
  return second;
}

Fixed fixed(const NewtonImpactFrictionLaw& law, LawUse) {
  check::range("NewtonImpactFrictionLaw::restitution", law.restitution, 0.0, 1.0);
  check::range("NewtonImpactFrictionLaw::tangential_restitution", law.tangential_restitution, 0.0, 1.0);
  at_least_zero("NewtonImpactFrictionLaw::cohesion", law.cohesion);
  BlockSet set =
      coulomb("NewtonImpactFrictionLaw::friction", law.friction, law.dimension, "NewtonImpactFrictionLaw::dimension");
  if (law.second_friction) set.mu_2 = second_friction_of(law);
  set.cohesion = law.cohesion;
  return contact(
      set, law.dimension,
      {.kind = Kind::Newton, .restitution = law.restitution, .tangential_restitution = law.tangential_restitution});
}

Fixed fixed(const NewtonImpactRollingFrictionLaw& law, LawUse) {
  check::range("NewtonImpactRollingFrictionLaw::restitution", law.restitution, 0.0, 1.0);
  at_least_zero("NewtonImpactRollingFrictionLaw::friction", law.friction);
  at_least_zero("NewtonImpactRollingFrictionLaw::rolling", law.rolling);
  at_least_zero("NewtonImpactRollingFrictionLaw::spinning", law.spinning);
  at_least_zero("NewtonImpactRollingFrictionLaw::cohesion", law.cohesion);
  check::within("NewtonImpactRollingFrictionLaw::rows", law.rows, 3, 6);
  const auto refuse = [&law](const char* argument, double value, const char* expected) {
    throw InvalidArgument(argument, check::text(value) + " with rows = " + std::to_string(law.rows), expected);
  };
  if (law.rows == 4 && law.rolling != 0.0)
    refuse("NewtonImpactRollingFrictionLaw::rolling", law.rolling, "0, or rows = 3, 5 or 6: there is no row R");
  if ((law.rows == 3 || law.rows == 5) && law.spinning != 0.0)
    refuse("NewtonImpactRollingFrictionLaw::spinning", law.spinning, "0, or rows = 4 or 6: there is no row S");
  BlockSet set = set_of(SetKind::Rolling);
  set.mu = law.friction;
  set.rolling = law.rolling;
  set.spinning = law.spinning;
  set.cohesion = law.cohesion;
  Fixed result = contact(set, law.rows, {.kind = Kind::Newton, .restitution = law.restitution});
  const auto tangents = law.rows == 3 ? 1U : 2U;
  for (std::size_t row = 1 + tangents; row < result.rows.size(); ++row) result.rows[row] = {RowKind::Roll};
  if (law.rows == 4 || law.rows == 6) result.rows.back() = {RowKind::Spin};
  return result;
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
std::shared_ptr<const NonSmoothLaw> make_law(const NewtonImpactRollingFrictionLaw& law) {
  return laws::fixed_law(law, laws::fixed, "NewtonImpactRollingFrictionLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const PoissonImpactLaw& law) {
  return laws::fixed_law(law, laws::fixed, "PoissonImpactLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const LiuZhaoBrogliatoImpactLaw& law) {
  return laws::fixed_law(law, laws::fixed, "LiuZhaoBrogliatoImpactLaw");
}

}  // namespace nonsmooth
