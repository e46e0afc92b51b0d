// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/model.hpp>

#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/kernel/laws/force.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "describe.hpp"
#include "guarded.hpp"
#include "impact_matrix.hpp"
#include "model/equations/manifold_relation.hpp"
#include "model/equations/plain_moves.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "numbers.hpp"
#include "prepared_law.hpp"
#include "row_kinds.hpp"

namespace nonsmooth {
namespace {

/// @throws InvalidArgument for a spring where a row has no way that it could be stretched by.
void require_ways(const NonSmoothLaw& law, const MechanicalRelation& relation, Index rows) {
  const ForceLaw* const force = law.force_law();
  if (!force || !force->has_stiffness()) return;
  for (Index row = 0; row < rows; ++row) {
    if (relation.is_gradient(row)) continue;
    throw InvalidArgument("law",
                          force->name() + " with a stiffness on a velocity alone (row " + std::to_string(row) + ")",
                          "no stiffness, or a relation whose y is a coordinate: of a motor its angle or position");
  }
}

/// The slot that a removed record left last, or a new one.
template <class Record>
std::uint32_t next_slot(const std::vector<Record>& records, const std::vector<std::uint32_t>& free) {
  return free.empty() ? static_cast<std::uint32_t>(records.size()) : free.back();
}

/// Takes it.
template <class Record>
std::uint32_t free_slot(std::vector<Record>& records, std::vector<std::uint32_t>& free) {
  const std::uint32_t slot = next_slot(records, free);
  if (free.empty()) {
    records.emplace_back();
  } else {
    free.pop_back();
  }
  return slot;
}

std::string default_system_name(std::uint32_t slot) { return "system " + std::to_string(slot); }

std::shared_ptr<const PreparedLaw> linked(const Law& law, LawUse use) {
  return std::make_shared<const PreparedLaw>(describe::prepare_law(law.pointer(), use));
}

void check_relation_rows(const PreparedLaw& law, Index rows) {
  if (rows % law.size != 0) {
    throw InvalidArgument("Interaction::relation", std::to_string(rows) + " rows",
                          "a multiple of " + std::to_string(law.size) + ", the rows of a block of its law");
  }
}

/// A retract of its own can be asked at the initial position; the default refuses manifolds.
void check_retract(const MechanicalSystem& system) {
  Eigen::VectorXd q = system.initial_position();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(system.initial_velocity().size());
  try {
    guarded(system.name().empty() ? "a system" : system.name(), "retract(q, w)", [&] { system.retract(q, rest); });
  } catch (const CallableFailure& failure) {
    throw InvalidArgument("MechanicalSystem::retract", failure.detail, "one that can be asked at the initial position");
  }
}

void check_mechanical(const MechanicalSystem& system) {
  const Eigen::VectorXd q = system.initial_position(), v = system.initial_velocity();
  check::at_least("MechanicalSystem::initial_velocity", v.size(), 1);
  check::at_least("MechanicalSystem::initial_position", q.size(), 1);
  check::finite("MechanicalSystem::initial_position", ConstVectorRef(q));
  check::finite("MechanicalSystem::initial_velocity", ConstVectorRef(v));
  const Eigen::VectorXd lengths = system.velocity_lengths();
  check::size("MechanicalSystem::velocity_lengths", lengths.size(), v.size(), "one a velocity");
  for (const double length : lengths) check::positive("MechanicalSystem::velocity_lengths", length);
  describe::check_prescribed("MechanicalSystem", system.prescribed(), v.size());
  describe::check_impulses("MechanicalSystem", system.impulses(), v.size());
  const LagrangianLinearSystem* linear = system.linear();
  if (!linear) return;
  if (q.size() != v.size()) {
    throw InvalidArgument("MechanicalSystem::linear", "matrices of a system on a manifold",
                          "as many positions as velocities");
  }
  for (const auto& [argument, data] : {std::pair{"MechanicalSystem::linear: mass", &linear->mass},
                                       {"MechanicalSystem::linear: damping", &linear->damping},
                                       {"MechanicalSystem::linear: stiffness", &linear->stiffness}}) {
    if (!data->empty()) describe::check_constant(argument, *data, v.size(), v.size());
  }
  describe::check_vector("MechanicalSystem::linear: force", linear->force, v.size());
}

void check_first_order(const FirstOrderDynamicalSystem& system) {
  const Eigen::VectorXd x = system.initial_state();
  check::at_least("FirstOrderDynamicalSystem::initial_state", x.size(), 1);
  check::finite("FirstOrderDynamicalSystem::initial_state", ConstVectorRef(x));
  describe::check_mass_of_first_order("FirstOrderDynamicalSystem::mass", system.mass(), x.size());
  const FirstOrderLinearSystem* linear = system.linear();
  if (!linear) return;
  describe::check_square("FirstOrderDynamicalSystem::linear: A", linear->A, x.size());
  describe::check_vector("FirstOrderDynamicalSystem::linear: b", linear->b, x.size());
}

}  // namespace

NonSmoothDynamicalSystem::NonSmoothDynamicalSystem() : model_(next_number()) { touch(); }

void NonSmoothDynamicalSystem::touch() {
  revision_ = next_number();
  sources_linked_in_ = 0;
  layout_.reset();
}

SystemHandle NonSmoothDynamicalSystem::add_record(System system) {
  const std::uint32_t slot = free_slot(systems_, free_systems_);
  if (system.name.empty()) system.name = default_system_name(slot);
  const std::uint32_t generation = system.generation = next_number();
  systems_[slot] = std::move(system);
  touch();
  return {model_, slot, generation};
}

void NonSmoothDynamicalSystem::refuse_system(const InvalidArgument& refusal, std::string name) const {
  if (name.empty()) name = default_system_name(next_slot(systems_, free_systems_));
  throw InvalidArgument(refusal.argument() + " of " + name, refusal.found(), refusal.expected());
}

SystemHandle NonSmoothDynamicalSystem::add(std::shared_ptr<const DynamicalSystem> system) {
  if (!system) throw InvalidArgument("DynamicalSystem", "a null pointer", "a system");
  System record;
  record.mechanical = dynamic_cast<const MechanicalSystem*>(system.get());
  record.first_order = dynamic_cast<const FirstOrderDynamicalSystem*>(system.get());
  record.with_law = dynamic_cast<const ProcessWithLaw*>(system.get());
  if (record.mechanical) {
    check_mechanical(*record.mechanical);
    record.moves_plainly = record.mechanical->linear() || has_default_retract(*record.mechanical);
    if (!record.moves_plainly) check_retract(*record.mechanical);
  } else if (record.first_order) {
    check_first_order(*record.first_order);
  } else if (!record.with_law) {
    throw InvalidArgument("DynamicalSystem", "a class that derives from it alone",
                          "one that derives from MechanicalSystem or FirstOrderDynamicalSystem");
  }
  record.nq = system->initial_position().size();
  record.n = system->initial_unknowns().size();
  record.name = system->name();
  record.description = std::move(system);
  return add_record(std::move(record));
}

const NonSmoothDynamicalSystem::System& NonSmoothDynamicalSystem::at(SystemHandle handle) const {
  require_alive(handle, systems_);
  return systems_[handle.slot];
}

bool NonSmoothDynamicalSystem::lives(InteractionHandle handle) const {
  return handle.slot < interactions_.size() && interactions_[handle.slot].alive &&
         interactions_[handle.slot].generation == handle.generation;
}

template <class Handle, class Record>
void NonSmoothDynamicalSystem::require_alive(Handle handle, const std::vector<Record>& records) const {
  // The same refusals as Layout::at, without building a layout between two changes.
  if (handle.model != model_ || handle.slot >= records.size() || !records[handle.slot].alive ||
      records[handle.slot].generation != handle.generation) {
    (void)layout()->at(handle);
  }
}

Index NonSmoothDynamicalSystem::stacked_size(const std::vector<SystemHandle>& handles, bool first_order) const {
  if (handles.empty()) throw InvalidArgument("Interaction::systems", "no system", "one or several systems");
  Index size = 0;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const System& system = at(handles[i]);
    const auto end = handles.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(handles.begin(), end, handles[i]) != end) {
      throw InvalidArgument("Interaction::systems", system.name + " twice", "each system once");
    }
    if (system.with_law) {
      throw InvalidArgument("Interaction::systems", system.with_law->kind() + (" " + system.name),
                            std::string("another system: ") + system.with_law->law() + " is its law");
    }
    const bool is_first_order = system.nq == 0;
    if (is_first_order != first_order) {
      throw InvalidArgument(
          "Interaction::systems", (is_first_order ? "first-order " : "mechanical ") + system.name,
          first_order ? "first-order systems, as the relation is" : "mechanical systems, as the relation is");
    }
    size += system.n;
  }
  return size;
}

std::shared_ptr<const MechanicalRelation> NonSmoothDynamicalSystem::on_manifolds(
    const std::vector<SystemHandle>& handles, std::shared_ptr<const MechanicalRelation> relation) const {
  const auto has_own_retract = [this](const SystemHandle& handle) { return !at(handle).moves_plainly; };
  const auto own = std::find_if(handles.begin(), handles.end(), has_own_retract);
  if (own == handles.end()) return relation;
  if (relation->linear() || relation->constant_jacobian()) {
    throw InvalidArgument("Interaction::relation",
                          "a constant H on " + at(*own).name + ", which has a retract of its own",
                          "a relation y = h(q) with its own H(q) = dh/dq T(q)");
  }
  std::vector<ManifoldRelation::Part> parts;
  Eigen::VectorXd q;
  for (const SystemHandle& handle : handles) {
    const System& system = at(handle);
    parts.push_back({{system.description, system.mechanical}, system.nq, system.n});
    q.conservativeResize(q.size() + system.nq);
    q.tail(system.nq) = system.mechanical->initial_position();
  }
  return std::make_shared<const ManifoldRelation>(std::move(relation), std::move(parts), q);
}

NonSmoothDynamicalSystem::InteractionRecord NonSmoothDynamicalSystem::make_record(Interaction interaction) const {
  const std::shared_ptr<const Relation>& relation = interaction.relation.pointer();
  if (!relation) throw InvalidArgument("Interaction::relation", "a null pointer", "a relation");
  auto mechanical = std::dynamic_pointer_cast<const MechanicalRelation>(relation);
  InteractionRecord record;
  record.first_order = dynamic_cast<const FirstOrderInputOutputRelation*>(relation.get());
  if (!mechanical && !record.first_order) {
    throw InvalidArgument("Interaction::relation", "a class that derives from it alone",
                          "one that derives from MechanicalRelation or FirstOrderInputOutputRelation");
  }
  const Index columns = stacked_size(interaction.systems, !mechanical);
  record.name = std::move(interaction.name);
  if (interaction.shapes) record.shapes = *interaction.shapes;
  try {
    for (const SystemHandle& handle : interaction.systems) {
      const System& system = at(handle);
      if (mechanical) mechanical->validate_system(system.name, system.nq, system.n);
    }
    relation->validate(columns);
  } catch (const InvalidArgument& refusal) {
    if (record.name.empty()) throw;
    throw InvalidArgument(record.name + ": " + refusal.argument(), refusal.found(), refusal.expected());
  }
  record.rows = relation->rows();
  check::within("Relation::rows", record.rows, 1, check::most_dense_rows);
  if (const Eigen::MatrixXd* H = mechanical ? mechanical->constant_jacobian() : nullptr) {
    check::shape("Relation::constant_jacobian" + (record.name.empty() ? "" : " of " + record.name), H->rows(),
                 H->cols(), record.rows, columns);
  }
  record.law =
      linked(interaction.law, {.first_order = !mechanical, .compliant = mechanical && mechanical->is_compliant()});
  check_relation_rows(*record.law, record.rows);
  describe::check_row_kinds(record.name, *relation, *record.law->law, record.law->use);
  if (mechanical) require_ways(*record.law->law, *mechanical, record.rows);
  if (mechanical) mechanical = on_manifolds(interaction.systems, std::move(mechanical));
  record.mechanical = mechanical.get();
  record.relation = mechanical ? std::move(mechanical) : relation;
  for (const SystemHandle& handle : interaction.systems) record.systems.push_back(handle.slot);
  return record;
}

InteractionHandle NonSmoothDynamicalSystem::add(Interaction interaction) {
  return add_record(make_record(std::move(interaction)));
}

InteractionHandle NonSmoothDynamicalSystem::add_record(InteractionRecord record) {
  for (const std::uint32_t system : record.systems) ++systems_[system].uses;
  const std::uint32_t slot = free_slot(interactions_, free_interactions_);
  if (record.name.empty()) record.name = default_name(slot);
  const std::uint32_t generation = record.generation = next_number();
  interactions_[slot] = std::move(record);
  touch();
  return {model_, slot, generation};
}

void NonSmoothDynamicalSystem::add(GeneralisedNewtonImpact impact) {
  for (const InteractionHandle& contact : impact.contacts) require_alive(contact, interactions_);
  impact_matrices_.push_back(
      describe::impact_matrix(std::move(impact), {interactions_, impact_matrices_, coefficient_rules_}));
  touch();
}

void NonSmoothDynamicalSystem::add(GeneralisedNewtonRule rule) {
  for (const InteractionHandle& contact : rule.contacts) require_alive(contact, interactions_);
  for (const SourceHandle& own : rule.sources) describe::check_laws_of_rule(*source(own));
  coefficient_rules_.push_back(
      describe::coefficient_rule(std::move(rule), {interactions_, impact_matrices_, coefficient_rules_}));
  touch();
}

void NonSmoothDynamicalSystem::remove(InteractionHandle handle) {
  require_alive(handle, interactions_);
  InteractionRecord& interaction = interactions_[handle.slot];
  for (const std::uint32_t slot : interaction.systems) --systems_[slot].uses;
  describe::forget_contact(handle.slot, impact_matrices_);
  describe::forget_contact(handle.slot, coefficient_rules_);
  interaction = {};
  interaction.alive = false;
  free_interactions_.push_back(handle.slot);
  touch();
}

void NonSmoothDynamicalSystem::remove(SystemHandle handle) {
  require_alive(handle, systems_);
  System& system = systems_[handle.slot];
  if (system.uses > 0) {
    const auto refers = [handle](const ContactSource& source) {
      return std::find(source.bodies().begin(), source.bodies().end(), handle) != source.bodies().end();
    };
    const Index sources =
        std::count_if(sources_.begin(), sources_.end(), [&](const auto& own) { return refers(*own); }) +
        std::count_if(linked_sources_.begin(), linked_sources_.end(),
                      [&](const LinkedSource& linked) { return refers(*linked.source); });
    throw InvalidArgument("remove",
                          system.name + ", linked " + std::to_string(system.uses - sources) + " time(s), in " +
                              std::to_string(sources) + " contact source(s)",
                          "a system that no interaction or contact source refers to: remove(interaction) and "
                          "replace(source, one without it) before");
  }
  system = {};
  system.alive = false;
  free_systems_.push_back(handle.slot);
  touch();
}

Index NonSmoothDynamicalSystem::num_systems() const noexcept {
  return static_cast<Index>(systems_.size() - free_systems_.size());
}
Index NonSmoothDynamicalSystem::num_interactions() const noexcept {
  return static_cast<Index>(interactions_.size() - free_interactions_.size());
}

}  // namespace nonsmooth
