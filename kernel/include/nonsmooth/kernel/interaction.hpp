// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <nonsmooth/kernel/handles.hpp>
#include <nonsmooth/kernel/nonsmooth_law.hpp>
#include <nonsmooth/kernel/relation.hpp>

namespace nonsmooth {

/// Any law: the built-in aggregates, or a user's own by shared pointer (laws are immutable, models share them).
using Law = std::variant<ComplementarityLaw, NewtonImpactLaw, NewtonImpactFrictionLaw, PoissonImpactLaw,
                         LiuZhaoBrogliatoImpactLaw, StaticKineticFrictionLaw, CohesiveZoneLaw, SpringDashpotLaw,
                         EqualityLaw, RelayLaw, NormalConeLaw, MixedComplementarityLaw, PiecewiseLinearLaw,
                         PlasticityLaw, ShockleyLaw, std::shared_ptr<const NonSmoothLaw>>;

/// Any relation: the built-in aggregates, or a user's own by shared pointer.
using AnyRelation = std::variant<LagrangianLinearRelation, ScleronomousRelation, RheonomousRelation, CompliantRelation,
                                 FirstOrderLinearRelation, FirstOrderRelation, std::shared_ptr<const Relation>>;

/// Between one or several systems: y (and in mechanics u) of their coordinates by the relation, and the law between
/// these and the multiplier.
///
///     const auto floor = model.add(Interaction{.systems = {ball}, .relation = LagrangianLinearRelation{.H = {{1.0}}},
///                                              .law = NewtonImpactLaw{.restitution = 0.9}, .name = "floor"});
///
/// What it has at a time is a State's, by the handle: y, u, impulse, percussion, force (mechanics), lambda (first
/// order).
struct Interaction {
  std::vector<SystemHandle> systems{};  ///< H (or C, B) acts on their coordinates stacked in this order
  AnyRelation relation{};
  Law law{};
  std::string name{};  ///< for messages; empty takes "interaction <number>"
};

}  // namespace nonsmooth
