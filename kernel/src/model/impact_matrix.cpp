// SPDX-License-Identifier: Apache-2.0
#include "impact_matrix.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "guarded.hpp"
#include "prepared_law.hpp"

namespace nonsmooth::describe {
namespace {

using Model = NonSmoothDynamicalSystem;

Index place_in(const std::vector<std::uint32_t>& contacts, std::uint32_t slot) {
  const auto found = std::find(contacts.begin(), contacts.end(), slot);
  return found == contacts.end() ? -1 : found - contacts.begin();
}

/// Whose e a coefficient among contacts may stand for.
void check_law(const char* argument, const PreparedLaw& law, bool mechanical, const std::string& name) {
  if (!mechanical || !law.unilateral || law.impact.kind != ImpactRule::Kind::Newton)
    throw InvalidArgument(argument, name + " under " + law.law->name(),
                          "contacts under NewtonImpactLaw, NewtonImpactFrictionLaw or another law of Newton's "
                          "impacts: others have no e u- that a coefficient could stand for");
  if (law.shifts) throw InvalidArgument(argument, name + " under a law that shifts u+ by itself", "one that does not");
}

/// Each once, in one law.
void check_once(const char* argument, const std::string& name, bool there) {
  if (there) throw InvalidArgument(argument, name + " twice", "each contact once, in one such law");
}

/// "the contact of left and the ground", or by the name of the interaction.
std::string name_of(const ImpactingContact& contact) {
  if (!contact.name.empty()) return std::string(contact.name);
  return "the contact of " + std::string(contact.first_name) + " and " +
         (contact.second ? std::string(contact.second_name) : "the ground");
}

}  // namespace

Index KnownCoefficients::rule_of(std::uint32_t slot) const {
  const auto has_it = [&](const Model::CoefficientRule& rule) { return rule.has(slot, interactions[slot]); };
  const auto found = std::find_if(rules.begin(), rules.end(), has_it);
  return found == rules.end() ? -1 : found - rules.begin();
}

Index KnownCoefficients::rule_of_source(std::uint32_t number) const {
  const auto has_it = [number](const Model::CoefficientRule& rule) { return rule.has_source(number); };
  const auto found = std::find_if(rules.begin(), rules.end(), has_it);
  return found == rules.end() ? -1 : found - rules.begin();
}

bool KnownCoefficients::has(std::uint32_t slot) const {
  return rule_of(slot) >= 0 || std::any_of(matrices.begin(), matrices.end(), [slot](const Model::ImpactMatrix& matrix) {
           return place_in(matrix.contacts, slot) >= 0;
         });
}

Model::ImpactMatrix impact_matrix(GeneralisedNewtonImpact impact, const KnownCoefficients& known) {
  const auto count = static_cast<Index>(impact.contacts.size());
  if (count == 0) throw InvalidArgument("GeneralisedNewtonImpact::contacts", "none", "at least one contact");
  const char* const name = "GeneralisedNewtonImpact::restitution";
  check::shape(name, impact.restitution.rows(), impact.restitution.cols(), count, count);
  check::finite(name, ConstMatrixRef(impact.restitution));
  if (impact.restitution.minCoeff() < 0.0)
    throw InvalidArgument(name, check::text(impact.restitution.minCoeff()),
                          "entries >= 0: an approach must not ask for penetration");
  Model::ImpactMatrix result;
  for (const InteractionHandle& contact : impact.contacts) {
    const char* const argument = "GeneralisedNewtonImpact::contacts";
    const Model::InteractionRecord& record = known.interactions[contact.slot];
    check_law(argument, *record.law, record.mechanical, record.name);
    if (record.rows != record.law->size)
      throw InvalidArgument(argument, record.name + " of " + std::to_string(record.rows / record.law->size) + " blocks",
                            "contacts of one block of rows each");
    check_once(argument, record.name, place_in(result.contacts, contact.slot) >= 0 || known.has(contact.slot));
    result.contacts.push_back(contact.slot);
  }
  result.restitution = std::move(impact.restitution);
  return result;
}

Model::CoefficientRule coefficient_rule(GeneralisedNewtonRule rule, const KnownCoefficients& known) {
  if (!rule.restitution) throw InvalidArgument("GeneralisedNewtonRule::restitution", "no function", "a function");
  if (rule.contacts.empty() && rule.sources.empty())
    throw InvalidArgument("GeneralisedNewtonRule::contacts", "none, and no source",
                          "a contact or a source of contacts");
  Model::CoefficientRule result;
  for (const SourceHandle& source : rule.sources) {
    check_once("GeneralisedNewtonRule::sources", "source " + std::to_string(&source - rule.sources.data()),
               result.has_source(source.number) || known.rule_of_source(source.number) >= 0);
    result.sources.push_back(source.number);
  }
  for (const InteractionHandle& contact : rule.contacts) {
    const char* const argument = "GeneralisedNewtonRule::contacts";
    const Model::InteractionRecord& record = known.interactions[contact.slot];
    check_law(argument, *record.law, record.mechanical, record.name);
    check_once(argument, record.name, result.has(contact.slot, record) || known.has(contact.slot));
    result.contacts.push_back(contact.slot);
  }
  // A pair of a source that is linked already may be in a matrix, or under a rule by itself.
  for (std::size_t slot = 0; slot < known.interactions.size(); ++slot) {
    const Model::InteractionRecord& record = known.interactions[slot];
    if (!record.alive || !result.has_source(record.source)) continue;
    check_once("GeneralisedNewtonRule::sources", record.name, known.has(static_cast<std::uint32_t>(slot)));
  }
  result.restitution = std::make_shared<const GeneralisedNewtonRule::Coefficient>(std::move(rule.restitution));
  return result;
}

void check_laws_of_rule(const ContactSource& source) {
  for (std::size_t l = 0; l < source.laws().size(); ++l)
    check_law("GeneralisedNewtonRule::sources", prepare_law(source.laws()[l].pointer(), {}), true,
              "contacts of law " + std::to_string(l) + " of a source");
}

ImpactingContact impacting(const Model& model, const Layout& layout, const Layout::Interaction& place) {
  const Model::InteractionRecord& record = model.interactions()[place.slot];
  const auto handle_of = [&](std::uint32_t slot) {
    return SystemHandle{layout.model, slot, layout.system_generation[slot]};
  };
  const auto name_of_system = [&](std::uint32_t slot) -> std::string_view {
    return layout.systems[static_cast<std::size_t>(layout.system_of_slot[slot])].name;
  };
  ImpactingContact contact;
  contact.name = place.name;
  contact.interaction = InteractionHandle{layout.model, place.slot, layout.interaction_generation[place.slot]};
  contact.shapes = record.shapes;
  contact.restitution = record.law->impact.restitution;
  contact.first = handle_of(record.systems[0]);
  contact.first_name = name_of_system(record.systems[0]);
  if (record.systems.size() > 1) {
    contact.second = handle_of(record.systems[1]);
    contact.second_name = name_of_system(record.systems[1]);
  }
  if (record.source > 0) contact.source = SourceHandle{layout.model, record.source};
  put_in_order(contact);
  return contact;
}

void put_in_order(ImpactingContact& contact) {
  auto& [places, materials] = contact.shapes;
  if (!contact.second || places[0].body <= places[1].body) return;
  std::swap(contact.first, *contact.second);
  std::swap(contact.first_name, contact.second_name);
  std::swap(places[0], places[1]);
  std::swap(materials[0], materials[1]);
}

double coefficient(const GeneralisedNewtonRule::Coefficient& restitution, const ImpactingContact& i,
                   const ImpactingContact& j) {
  double value = 0.0;
  guarded("GeneralisedNewtonRule", "restitution", [&] { value = restitution(i, j); });
  if (value >= 0.0 && std::isfinite(value)) return value;
  throw CallableFailure{"GeneralisedNewtonRule::restitution of " + name_of(i) + " and " + name_of(j) + " returned " +
                        check::text(value) + ", expected a finite number >= 0"};
}

void forget_contact(std::uint32_t slot, std::vector<Model::ImpactMatrix>& matrices) {
  for (auto matrix = matrices.begin(); matrix != matrices.end(); ++matrix) {
    const Index place = place_in(matrix->contacts, slot);
    if (place < 0) continue;
    matrix->contacts.erase(matrix->contacts.begin() + place);
    std::vector<Index> kept;
    for (Index i = 0; i < matrix->restitution.rows(); ++i)
      if (i != place) kept.push_back(i);
    const Eigen::MatrixXd left = matrix->restitution(kept, kept);
    matrix->restitution = left;
    if (kept.empty()) matrices.erase(matrix);
    return;
  }
}

void forget_contact(std::uint32_t slot, std::vector<Model::CoefficientRule>& rules) {
  for (Model::CoefficientRule& rule : rules) std::erase(rule.contacts, slot);
  std::erase_if(rules, [](const auto& rule) { return rule.contacts.empty() && rule.sources.empty(); });
}

void forget_source(std::uint32_t number, std::vector<Model::CoefficientRule>& rules) {
  for (Model::CoefficientRule& rule : rules) std::erase(rule.sources, number);
  std::erase_if(rules, [](const auto& rule) { return rule.contacts.empty() && rule.sources.empty(); });
}

}  // namespace nonsmooth::describe

namespace nonsmooth {

bool NonSmoothDynamicalSystem::CoefficientRule::has_source(std::uint32_t number) const {
  return number > 0 && std::find(sources.begin(), sources.end(), number) != sources.end();
}

bool NonSmoothDynamicalSystem::CoefficientRule::has(std::uint32_t slot, const InteractionRecord& record) const {
  return has_source(record.source) || describe::place_in(contacts, slot) >= 0;
}

}  // namespace nonsmooth
