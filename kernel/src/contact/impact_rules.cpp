// SPDX-License-Identifier: Apache-2.0
// Coefficients of restitution among contacts by functions of the user.
#include "impact_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <nonsmooth/numerics/error.hpp>

#include "model/guarded.hpp"
#include "model/impact_matrix.hpp"

namespace nonsmooth::stages {
namespace {

SystemHandle handle_of(const Layout& layout, Index system) {
  const std::uint32_t slot = layout.systems[static_cast<std::size_t>(system)].slot;
  return {layout.model, slot, layout.system_generation[slot]};
}

/// A contact found anew as rules are asked about it.
ImpactingContact found_contact(const ActiveBlock& block, const ContactSearch& search, const ImpactRules& rules) {
  const ImpactRules::Source& source = rules.sources[block.source];
  const Layout& layout = *rules.layout;
  const auto name_of = [&layout](Index system) -> std::string_view {
    return layout.systems[static_cast<std::size_t>(system)].name;
  };
  const DetectedContact& detected = *block.contact;
  DetectedContact own = detected;  // bodies as the source numbers them
  own.first = source.body_of_system[static_cast<std::size_t>(detected.first)];
  if (detected.second >= 0) own.second = source.body_of_system[static_cast<std::size_t>(detected.second)];
  ImpactingContact contact;
  contact.source = source.handle;
  contact.feature = detected.feature;
  contact.first = handle_of(layout, detected.first);
  contact.first_name = name_of(detected.first);
  if (detected.second >= 0) {
    contact.second = handle_of(layout, detected.second);
    contact.second_name = name_of(detected.second);
  }
  guarded("a contact source", "shapes_of", [&] {
    contact.shapes.places = source.source->shapes_of(own);
    contact.shapes.materials = source.source->materials_of(own);
  });
  contact.restitution =
      search.sources[block.source].prepared[static_cast<std::size_t>(detected.law)].impact.restitution;
  describe::put_in_order(contact);
  return contact;
}

/// Of the fastest u-: what a contact that rests may seem to approach with.
constexpr double kRoundOffOfApproach = 64.0 * std::numeric_limits<double>::epsilon();

/// The contacts under rules that act. False where none of them approaches: then nothing is asked.
bool list_members(const StepView& step, const ActingRows& acting, ImpactRules& rules) {
  rules.members.clear();
  double fastest = 0.0;
  const std::vector<ActiveBlock>& blocks = acting.active.blocks;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const ActiveBlock& block = blocks[b];
    const Index rule = block.contact ? rules.sources[block.source].rule
                                     : rules.linked[static_cast<std::size_t>(block.model_block)].rule;
    if (rule < 0) continue;
    ImpactRules::Member& member = rules.members.emplace_back();
    member.block = static_cast<Index>(b);
    member.rule = rule;
    const double u = acting.u_before(step.state, block)[0];
    member.approach = std::min(u, 0.0);
    fastest = std::max(fastest, std::abs(u));
  }
  bool approaches = false;
  for (ImpactRules::Member& member : rules.members) {
    if (member.approach >= -kRoundOffOfApproach * fastest) member.approach = 0.0;
    approaches = approaches || member.approach < 0.0;
  }
  return approaches;
}

/// The block hands impulses on: a contact, or a joint that is rigid.
bool hands_on(const ActingRows& acting, const ActiveBlock& block) {
  if (block.law->impacts) return true;
  if (block.model_block < 0 || (block.set->kind != SetKind::Free && !block.law->first_held)) return false;
  return !acting.relations.interaction_of(*block.law).compliant;
}

/// What acts on one another: bodies that contacts and joints connect.
void find_impact_islands(const ActingRows& acting, ImpactRules& rules) {
  const auto moves = [&rules](Index system) { return rules.held[static_cast<std::size_t>(system)] == 0; };
  const auto first_moving = [&](const ActiveBlock& block) {
    for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
      if (moves(jacobian.system)) return jacobian.system;
    }
    return Index{-1};
  };
  rules.systems.reset(static_cast<Index>(rules.held.size()));
  for (const ActiveBlock& block : acting.active.blocks) {
    if (!hands_on(acting, block)) continue;
    const Index first = first_moving(block);
    for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
      if (moves(jacobian.system)) rules.systems.join(first, jacobian.system);
    }
  }
  rules.systems.list(rules.begin, rules.of_systems);
  for (ImpactRules::Member& member : rules.members) {
    const Index first = first_moving(acting.active.blocks[static_cast<std::size_t>(member.block)]);
    member.island = first < 0 ? -1 : rules.systems.number(first);
  }
}

}  // namespace

void prepare_impact_rules(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                          RelationCaches& relations, ContactSearch& search, ImpactRules& rules) {
  rules.restitution.clear();
  rules.linked.clear();
  rules.sources.clear();
  rules.layout = discretisation.layout;
  if (model.coefficient_rules().empty()) return;
  const Layout& layout = *discretisation.layout;
  const describe::KnownCoefficients known(model);
  for (const auto& rule : model.coefficient_rules()) rules.restitution.push_back(rule.restitution);
  for (BlockPlan& block : relations.blocks) {
    const Layout::Interaction& place = layout.interactions[static_cast<std::size_t>(block.interaction)];
    ImpactRules::Linked& linked = rules.linked.emplace_back();
    linked.rule = known.rule_of(place.slot);
    if (linked.rule < 0) continue;
    const InteractionPlan& interaction = relations.interaction_of(block);
    if (interaction.scheme.at_positions() || interaction.scheme.at_gaps())
      throw InvalidArgument(interaction.scheme.integrator->name(), "GeneralisedNewtonRule on " + interaction.name,
                            "MoreauJean, whose rows are about velocities before and after an impact");
    linked.contact = describe::impacting(model, layout, place);
    linked.contact.block = block.of_law;
    block.restitution = 0.0;
  }
  for (std::size_t s = 0; s < search.sources.size(); ++s) {
    ImpactRules::Source& source = rules.sources.emplace_back();
    source.rule = known.rule_of_source(layout.sources[s].number);
    if (source.rule < 0) continue;
    SourcePlan& plan = search.sources[s];
    if (search.at_gaps && !plan.bodies.systems.empty())
      throw InvalidArgument(discretisation.scheme(plan.bodies.systems.front()).integrator->name(),
                            "GeneralisedNewtonRule on contacts of " + plan.bodies.name,
                            "MoreauJean, whose rows are about velocities before and after an impact");
    source.source = layout.sources[s].source;
    source.handle = {layout.model, layout.sources[s].number};
    source.body_of_system.assign(layout.systems.size(), -1);
    for (std::size_t body = 0; body < plan.bodies.systems.size(); ++body)
      source.body_of_system[static_cast<std::size_t>(plan.bodies.systems[body])] = static_cast<Index>(body);
    for (BlockPlan& law : plan.laws) law.restitution = 0.0;
  }
  rules.held.clear();
  for (const Layout::System& place : layout.systems) {
    const MechanicalSystem* const own = model.systems()[place.slot].mechanical;
    rules.held.push_back(own && std::ssize(own->prescribed()) == place.n ? 1 : 0);
  }
  rules.systems.reset(static_cast<Index>(rules.held.size()));  // memory for the first impact
  rules.systems.list(rules.begin, rules.of_systems);
}

void shift_by_rules(const StepView& step, const RelationCaches& relations, const ContactSearch& search,
                    const ContactSet& contacts, ImpactRules& rules, ActiveSet& active) {
  const ActingRows acting{relations, contacts, active};
  rules.shifts.assign(static_cast<std::size_t>(active.rows()), 0.0);
  if (!list_members(step, acting, rules)) return;
  find_impact_islands(acting, rules);
  std::vector<ImpactRules::Member>& members = rules.members;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const ActiveBlock& block = active.blocks[static_cast<std::size_t>(members[m].block)];
    members[m].contact = block.contact ? found_contact(block, search, rules)
                                       : rules.linked[static_cast<std::size_t>(block.model_block)].contact;
    members[m].contact.number = static_cast<Index>(m);
  }
  const auto group = [](const ImpactRules::Member& member) { return std::pair(member.rule, member.island); };
  std::sort(members.begin(), members.end(), [&](const auto& one, const auto& other) {
    return std::tuple(group(one), one.block) < std::tuple(group(other), other.block);
  });
  for (auto begin = members.begin(), end = begin; begin != members.end(); begin = end) {
    end = std::find_if(begin, members.end(), [&](const auto& one) { return group(one) != group(*begin); });
    if (begin->island < 0) continue;
    const auto& restitution = *rules.restitution[static_cast<std::size_t>(begin->rule)];
    for (auto i = begin; i != end; ++i) {
      ActiveBlock& block = active.blocks[static_cast<std::size_t>(i->block)];
      double& shift = rules.shifts[static_cast<std::size_t>(block.row)];
      if (block.shift) shift = *block.shift;  // what its bond closes
      for (auto j = begin; j != end; ++j) {
        if (j->approach < 0.0) shift += describe::coefficient(restitution, i->contact, j->contact) * j->approach;
      }
      block.shift = &shift;
    }
  }
}

}  // namespace nonsmooth::stages
