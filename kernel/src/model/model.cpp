// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/model.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "adapters.hpp"
#include "describe.hpp"
#include "manifold_relation.hpp"
#include "prepared_law.hpp"

namespace nonsmooth {
namespace {

/// Tells models, their revisions and their records apart, so that a handle or a state of one is refused by another; it
/// reaches no result.
std::uint32_t next_number() {
  static std::atomic<std::uint32_t> counter{0};
  return ++counter;
}

std::string shape(Index rows, Index cols) { return std::to_string(rows) + " x " + std::to_string(cols); }

/// A constant H (or C, B, D) as a dense rows x cols matrix; rows = -1 accepts any number.
Eigen::MatrixXd constant_matrix(const char* argument, const MatrixData& data, Index rows, Index cols) {
  if (data.function()) throw InvalidArgument(argument, "a function", "a constant matrix");
  if (data.empty()) throw InvalidArgument(argument, "nothing", "a constant matrix");
  if ((rows >= 0 && data.rows() != rows) || data.cols() != cols || data.rows() < 1) {
    throw InvalidArgument(argument, "a " + shape(data.rows(), data.cols()) + " matrix",
                          (rows >= 0 ? std::to_string(rows) : std::string("m")) + " x " + std::to_string(cols) +
                              " (columns as the linked systems have coordinates, rows as the relation)");
  }
  if (!data.all_finite()) throw InvalidArgument(argument, "an entry that is not finite", "finite entries");
  return data.to_dense(cols);
}

/// A slot that a removed record left, or a new one.
template <class Record>
std::uint32_t free_slot(std::vector<Record>& records, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    records.emplace_back();
    return static_cast<std::uint32_t>(records.size()) - 1;
  }
  const std::uint32_t slot = free.back();
  free.pop_back();
  return slot;
}

std::shared_ptr<const PreparedLaw> linked(const Law& law, LawUse use) {
  return std::make_shared<const PreparedLaw>(describe::prepare_law(law.pointer(), use));
}

void check_relation_rows(const PreparedLaw& law, Index rows) {
  if (rows % law.size != 0) {
    throw InvalidArgument("relation", std::to_string(rows) + " rows",
                          "a multiple of " + std::to_string(law.size) + ", the rows of a block of its law");
  }
}

/// The record of a description whose state is x.
template <class Description>
NonSmoothDynamicalSystem::System first_order_record(Description system) {
  describe::validate(system);
  NonSmoothDynamicalSystem::System record;
  record.n = system.x0.size();
  record.name = system.name;
  record.description = std::make_shared<const Description>(std::move(system));
  return record;
}

std::shared_ptr<const Relation> checked(ScleronomousRelation relation) {
  check::within("ScleronomousRelation::rows", relation.rows, 1, check::most_dense_rows);
  if (!relation.h) throw InvalidArgument("ScleronomousRelation::h", "no function", "the gap function h(q)");
  check::range("ScleronomousRelation::smallest_feature", relation.smallest_feature, 0.0,
               std::numeric_limits<double>::max());
  return std::make_shared<const CallableScleronomous>(std::move(relation));
}

std::shared_ptr<const Relation> checked(RheonomousRelation relation) {
  check::within("RheonomousRelation::rows", relation.rows, 1, check::most_dense_rows);
  if (!relation.h) throw InvalidArgument("RheonomousRelation::h", "no function", "the gap function h(t, q)");
  check::range("RheonomousRelation::smallest_feature", relation.smallest_feature, 0.0,
               std::numeric_limits<double>::max());
  return std::make_shared<const CallableRheonomous>(std::move(relation));
}

std::shared_ptr<const Relation> checked(CompliantRelation relation) {
  check::within("CompliantRelation::rows", relation.rows, 1, check::most_dense_rows);
  if (!relation.h) throw InvalidArgument("CompliantRelation::h", "no function", "the gap function h(q, lambda)");
  return std::make_shared<const CallableCompliant>(std::move(relation));
}

std::shared_ptr<const Relation> checked(std::shared_ptr<const Relation> relation) {
  if (!relation) throw InvalidArgument("Relation", "a null pointer", "a relation");
  return relation;
}

}  // namespace

NonSmoothDynamicalSystem::NonSmoothDynamicalSystem() : model_(next_number()) { touch(); }

void NonSmoothDynamicalSystem::touch() {
  revision_ = next_number();
  layout_.reset();
}

SystemHandle NonSmoothDynamicalSystem::add_record(System system) {
  const std::uint32_t slot = free_slot(systems_, free_systems_);
  if (system.name.empty()) system.name = "system " + std::to_string(slot);
  const std::uint32_t generation = system.generation = next_number();
  systems_[slot] = std::move(system);
  touch();
  return {model_, slot, generation};
}

SystemHandle NonSmoothDynamicalSystem::add(LagrangianLinearSystem system) {
  describe::validate(system);
  if (system.v0.size() == 0) system.v0 = Eigen::VectorXd::Zero(system.q0.size());
  System record;
  record.nq = record.n = system.q0.size();
  record.name = system.name;
  record.description = std::make_shared<const LagrangianLinearSystem>(std::move(system));
  return add_record(std::move(record));
}

SystemHandle NonSmoothDynamicalSystem::add(LagrangianSystem system) {
  describe::validate(system);
  if (system.v0.size() == 0) system.v0 = Eigen::VectorXd::Zero(system.q0.size());
  return add(std::make_shared<const CallableSystem>(std::move(system)));
}

SystemHandle NonSmoothDynamicalSystem::add(FirstOrderLinearSystem system) {
  return add_record(first_order_record(std::move(system)));
}

SystemHandle NonSmoothDynamicalSystem::add(FirstOrderSystem system) {
  return add_record(first_order_record(std::move(system)));
}

SystemHandle NonSmoothDynamicalSystem::add(SweepingProcess system) {
  return add_record(first_order_record(std::move(system)));
}

SystemHandle NonSmoothDynamicalSystem::add(std::shared_ptr<const DynamicalSystem> system) {
  if (!system) throw InvalidArgument("DynamicalSystem", "a null pointer", "a system");
  System record;
  record.nq = system->initial_position().size();
  record.n = system->initial_velocity().size();
  record.name = system->name();
  check::at_least("DynamicalSystem::initial_velocity", record.n, 1);
  check::at_least("DynamicalSystem::initial_position", record.nq, 1);
  check::finite("DynamicalSystem::initial_position", ConstVectorRef(system->initial_position()));
  check::finite("DynamicalSystem::initial_velocity", ConstVectorRef(system->initial_velocity()));
  if (record.nq != record.n) {  // the default of retract refuses
    Eigen::VectorXd q = system->initial_position();
    system->retract(q, Eigen::VectorXd::Zero(record.n));
  }
  record.description = std::move(system);
  return add_record(std::move(record));
}

const NonSmoothDynamicalSystem::System& NonSmoothDynamicalSystem::at(SystemHandle handle) const {
  require_alive(handle, systems_);
  return systems_[handle.slot];
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
  if (handles.empty()) throw InvalidArgument("link", "no system", "one or several systems");
  Index size = 0;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const System& system = at(handles[i]);
    const auto end = handles.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(handles.begin(), end, handles[i]) != end) {
      throw InvalidArgument("link", system.name + " twice", "each system once");
    }
    if (std::holds_alternative<std::shared_ptr<const SweepingProcess>>(system.description)) {
      throw InvalidArgument("link", "sweeping process " + system.name, "another system: its set is its law");
    }
    const bool is_first_order = system.nq == 0;
    if (is_first_order != first_order) {
      throw InvalidArgument(
          "link", (is_first_order ? "first-order " : "mechanical ") + system.name,
          first_order ? "first-order systems, as the relation is" : "mechanical systems, as the relation is");
    }
    size += system.n;
  }
  return size;
}

InteractionHandle NonSmoothDynamicalSystem::add_record(InteractionRecord interaction,
                                                       const std::vector<SystemHandle>& handles) {
  check_relation_rows(*interaction.law, interaction.rows);
  for (const SystemHandle& handle : handles) {
    interaction.systems.push_back(handle.slot);
    ++systems_[handle.slot].uses;
  }
  const std::uint32_t slot = free_slot(interactions_, free_interactions_);
  if (interaction.name.empty()) interaction.name = "interaction " + std::to_string(slot);
  const std::uint32_t generation = interaction.generation = next_number();
  interactions_[slot] = std::move(interaction);
  touch();
  return {model_, slot, generation};
}

std::shared_ptr<const Relation> NonSmoothDynamicalSystem::on_manifolds(const std::vector<SystemHandle>& handles,
                                                                       std::shared_ptr<const Relation> relation) const {
  std::vector<ManifoldRelation::Part> parts;
  Eigen::VectorXd q;
  bool moves = false;  // a system may move otherwise than by q + w
  for (const SystemHandle& handle : handles) {
    const System& system = at(handle);
    const auto* general = std::get_if<std::shared_ptr<const DynamicalSystem>>(&system.description);
    moves = moves || (general && !dynamic_cast<const CallableSystem*>(general->get()));
    parts.push_back({general ? *general : nullptr, system.nq, system.n});
    q.conservativeResize(q.size() + system.nq);
    q.tail(system.nq) = general
                            ? (*general)->initial_position()
                            : std::get<std::shared_ptr<const LagrangianLinearSystem>>(system.description)->q0.value();
  }
  if (!moves || relation->constant_jacobian()) return relation;
  return std::make_shared<const ManifoldRelation>(std::move(relation), std::move(parts), q);
}

InteractionHandle NonSmoothDynamicalSystem::add(Interaction interaction) {
  return std::visit(
      [&]<class Description>(Description& relation) {
        if constexpr (std::is_same_v<Description, LagrangianLinearRelation>) {
          return connect(interaction, between(interaction.systems, relation));
        } else if constexpr (std::is_same_v<Description, FirstOrderLinearRelation> ||
                             std::is_same_v<Description, FirstOrderRelation>) {
          return connect(interaction, std::move(relation));
        } else {
          return connect(interaction, checked(std::move(relation)));
        }
      },
      interaction.relation);
}

std::shared_ptr<const Relation> NonSmoothDynamicalSystem::between(const std::vector<SystemHandle>& handles,
                                                                  const LagrangianLinearRelation& relation) const {
  const Index n = stacked_size(handles, false);
  Eigen::MatrixXd H = constant_matrix("LagrangianLinearRelation::H", relation.H, -1, n);
  const Index m = H.rows();
  Eigen::VectorXd b = relation.b.size() ? relation.b.value() : Eigen::VectorXd::Zero(m);
  check::size("LagrangianLinearRelation::b", b.size(), m, "one a row of H");
  check::finite("LagrangianLinearRelation::b", ConstVectorRef(b));
  Eigen::MatrixXd D;
  if (!relation.compliance.empty()) {
    D = constant_matrix("LagrangianLinearRelation::compliance", relation.compliance, m, m);
    Eigen::MatrixXd shifted = 0.5 * (D + D.transpose());
    shifted.diagonal().array() += 1e-12 * D.cwiseAbs().maxCoeff() + std::numeric_limits<double>::min();
    if (D.diagonal().minCoeff() < 0.0 || !is_positive_definite(shifted)) {
      throw InvalidArgument("LagrangianLinearRelation::compliance", "a matrix that is not positive semidefinite",
                            "a positive semidefinite matrix: springs give way to forces");
    }
  }
  for (const SystemHandle& handle : handles) {
    const System& system = at(handle);
    if (system.nq != system.n) {
      throw InvalidArgument("link", system.name + ", whose configuration is a manifold",
                            "a relation y = h(q) with its own H(q)");
    }
  }
  return std::make_shared<const LinearRelation>(std::move(H), std::move(b), std::move(D));
}

InteractionHandle NonSmoothDynamicalSystem::connect(Interaction& interaction,
                                                    std::shared_ptr<const Relation> relation) {
  (void)stacked_size(interaction.systems, false);
  InteractionRecord record;
  record.name = std::move(interaction.name);
  record.law = linked(interaction.law, {.first_order = false, .compliant = relation->is_compliant()});
  record.rows = relation->rows();
  check::within("Relation::rows", record.rows, 1, check::most_dense_rows);
  record.relation = on_manifolds(interaction.systems, std::move(relation));
  return add_record(std::move(record), interaction.systems);
}

InteractionHandle NonSmoothDynamicalSystem::connect(Interaction& interaction, FirstOrderLinearRelation relation) {
  const Index n = stacked_size(interaction.systems, true);
  InteractionRecord record;
  record.name = std::move(interaction.name);
  record.law = linked(interaction.law, {.first_order = true});
  if (relation.C.function()) {
    check::within("FirstOrderLinearRelation::rows", relation.rows, 1, check::most_dense_rows);
    record.rows = relation.rows;
  } else {
    relation.C = constant_matrix("FirstOrderLinearRelation::C", relation.C, -1, n);
    record.rows = relation.C.rows();
    if (relation.rows != 0)
      check::size("FirstOrderLinearRelation::rows", relation.rows, record.rows, "as C has rows (or 0: not said)");
  }
  // B is n x m, the transpose of C's shape.
  if (!relation.B.function()) relation.B = constant_matrix("FirstOrderLinearRelation::B", relation.B, n, record.rows);
  if (relation.D.empty()) relation.D = Eigen::MatrixXd::Zero(record.rows, record.rows).eval();
  if (!relation.D.function())
    relation.D = constant_matrix("FirstOrderLinearRelation::D", relation.D, record.rows, record.rows);
  if (const auto* e = relation.e.constant()) {
    check::size("FirstOrderLinearRelation::e", e->size(), record.rows, "one a row of C");
    check::finite("FirstOrderLinearRelation::e", ConstVectorRef(*e));
  }
  check::range("FirstOrderLinearRelation::smallest_feature", relation.smallest_feature, 0.0,
               std::numeric_limits<double>::max());
  record.relation = std::make_shared<const FirstOrderLinearRelation>(std::move(relation));
  return add_record(std::move(record), interaction.systems);
}

InteractionHandle NonSmoothDynamicalSystem::connect(Interaction& interaction, FirstOrderRelation relation) {
  (void)stacked_size(interaction.systems, true);
  check::within("FirstOrderRelation::rows", relation.rows, 1, check::most_dense_rows);
  if (!relation.h) throw InvalidArgument("FirstOrderRelation::h", "no function", "the output h(t, x, lambda)");
  if (!relation.g) throw InvalidArgument("FirstOrderRelation::g", "no function", "the input g(t, x, lambda)");
  InteractionRecord record;
  record.name = std::move(interaction.name);
  record.law = linked(interaction.law, {.first_order = true});
  record.rows = relation.rows;
  record.relation = std::make_shared<const FirstOrderRelation>(std::move(relation));
  return add_record(std::move(record), interaction.systems);
}

void NonSmoothDynamicalSystem::detect(std::shared_ptr<const ContactSource> source) {
  if (!source) throw InvalidArgument("ContactSource", "a null pointer", "a source of contacts");
  const Index size = source->body_size();
  for (const SystemHandle& handle : source->bodies()) {
    const System& system = at(handle);
    if (system.nq == 0 || (size > 0 && (system.nq != size || system.n != size))) {
      throw InvalidArgument("ContactSource::bodies", system.name,
                            "mechanical systems" + (size > 0 ? " of " + std::to_string(size) + " coordinates" : ""));
    }
  }
  for (const Law& law : source->laws()) {
    const PreparedLaw own = describe::prepare_law(law.pointer(), {});
    const bool plain = own.parts.size() == 1 && own.coupling.size() == 0 && own.offset.size() == 0 && own.memory == 0 &&
                       own.stiffness == 0.0 && !own.in_forces && !own.decides && own.level == LawLevel::Velocity &&
                       own.varies != LawVaries::Iterate;
    const bool impacts = own.impact.kind == ImpactRule::Kind::Newton || own.impact.kind == ImpactRule::Kind::Other;
    if (!plain || !own.unilateral || !impacts) {
      throw InvalidArgument("ContactSource::laws", "one that contacts found anew cannot have",
                            "NewtonImpactLaw, NewtonImpactFrictionLaw, StaticKineticFrictionLaw or a unilateral law of "
                            "a user");
    }
  }
  for (const SystemHandle& handle : source->bodies()) ++systems_[handle.slot].uses;
  sources_.push_back(std::move(source));
  touch();
}

void NonSmoothDynamicalSystem::remove(InteractionHandle handle) {
  require_alive(handle, interactions_);
  InteractionRecord& interaction = interactions_[handle.slot];
  for (const std::uint32_t slot : interaction.systems) --systems_[slot].uses;
  interaction = {};
  interaction.alive = false;
  free_interactions_.push_back(handle.slot);
  touch();
}

void NonSmoothDynamicalSystem::remove(SystemHandle handle) {
  require_alive(handle, systems_);
  System& system = systems_[handle.slot];
  if (system.uses > 0) {
    throw InvalidArgument("remove", system.name + ", linked " + std::to_string(system.uses) + " time(s)",
                          "a system that no interaction or contact source refers to");
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
