// SPDX-License-Identifier: Apache-2.0
// Which models a half-explicit scheme takes, and the memory of its steps.
#include <algorithm>
#include <string>

#include <nonsmooth/kernel/laws/force.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "half_explicit.hpp"
#include "stepping/workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

/// Forces of the law act on what rests, and its impulses by Newton's rule.
bool is_of_contacts(const PreparedLaw& law) {
  const auto known = [](const LawBlock::Part& part) {
    const SetKind kind = part.set.kind;
    return part.set.cohesion == 0.0 && !part.first_held &&
           (kind == SetKind::Free || kind == SetKind::Orthant || kind == SetKind::Coulomb2D ||
            kind == SetKind::Coulomb3D);
  };
  const bool impacts =
      law.unilateral ? law.impact.kind == ImpactRule::Kind::Newton : law.impact.kind == ImpactRule::Kind::None;
  return impacts && law.varies == LawVaries::Never && law.is_its_block() && law.auxiliary == 0 &&
         law.level == LawLevel::Velocity && law.stiffness == 0.0 && law.coupling.size() == 0 &&
         law.offset.size() == 0 && law.law->force_law() == nullptr &&
         std::all_of(law.parts.begin(), law.parts.end(), known);
}

void check_models(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                  const Workspace::Implementation& caches) {
  const Discretisation& discretisation = caches.discretisation;
  const auto half = [](const Scheme& scheme) { return scheme.half_explicit(); };
  const auto first = std::find_if(discretisation.schemes.begin(), discretisation.schemes.end(), half);
  const std::string scheme = first->integrator->name();
  const auto refuse = [&](const char* argument, const std::string& found, const char* expected) {
    throw InvalidArgument(argument, scheme + " " + found, expected);
  };
  for (std::size_t i = 0; i < discretisation.schemes.size(); ++i) {
    if (discretisation.schemes[i].level == first->level) continue;
    refuse("TimeSteppingOptions::integrator", "beside another scheme of " + discretisation.layout->systems[i].name,
           "one scheme for the whole model, as its steps are of several problems; or MoreauJean");
  }
  if (!model.sources().empty())
    refuse("TimeSteppingOptions::integrator", "with a source of contacts",
           "contacts that are linked (NonSmoothDynamicalSystem::link_sources), whose H has a rate; or MoreauJean");
  for (const InteractionPlan& interaction : caches.relations.interactions) {
    if (interaction.compliant)
      refuse("TimeSteppingOptions::integrator", "for the compliance of " + interaction.name,
             "a rigid relation; or MoreauJean");
    if (!is_of_contacts(*interaction.law))
      refuse("TimeSteppingOptions::integrator", "for " + interaction.law->law->name() + " of " + interaction.name,
             "EqualityLaw, NewtonImpactLaw or NewtonImpactFrictionLaw without cohesion; or MoreauJean");
  }
  if (!model.impact_matrices().empty() || !model.coefficient_rules().empty())
    refuse("TimeSteppingOptions::integrator", "with GeneralisedNewtonImpact", "NewtonImpactLaw alone; or MoreauJean");
  if (options.form == Form::Global) refuse("TimeSteppingOptions::form", "with Form::Global", "Form::Reduced");
}

}  // namespace

void prepare_half_explicit(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                           Workspace::Implementation& caches) {
  const auto& schemes = caches.discretisation.schemes;
  if (std::none_of(schemes.begin(), schemes.end(), [](const Scheme& one) { return one.half_explicit(); })) return;
  check_models(model, options, caches);
  HalfExplicit& own = caches.half_explicit;
  const RelationCaches& relations = caches.relations;
  const auto rows = static_cast<std::size_t>(caches.discretisation.layout->num_rows);
  own.w.assign(rows, 0.0);
  own.directions.assign(rows, 0.0);
  own.forces = relations.blocks;
  own.rows.assign(relations.blocks.size(), HalfExplicit::Row::Open);
  own.stops.assign(relations.blocks.size(), 0);
  own.sliding = {.kind = SetKind::Orthant};
  own.slide_begin.clear();
  Index slides = 0;
  for (BlockPlan& block : own.forces) {
    block.restitution = block.tangential_restitution = 0.0;
    own.slide_begin.push_back(slides);
    if (block.set.kind == SetKind::Coulomb3D) slides += relations.interaction_of(block).columns;
  }
  own.slides.assign(static_cast<std::size_t>(slides), 0.0);
  own.reaction_begin.clear();
  Index reactions = 0;
  for (const JacobianBlock& one : relations.jacobians.list) {
    own.reaction_begin.push_back(reactions);
    reactions += one.n;
  }
  own.reactions.assign(static_cast<std::size_t>(reactions), 0.0);
}

}  // namespace nonsmooth::stages
