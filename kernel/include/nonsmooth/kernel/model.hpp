// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/interaction.hpp>
#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

struct PreparedLaw;  // internal

/// The systems, the interactions between them and the sources of contacts: everything that stays while time advances.
///
/// A value: copies share the immutable descriptions. Each change makes a new revision; a state belongs to one.
class NonSmoothDynamicalSystem {
 public:
  NonSmoothDynamicalSystem();

  /// @throws InvalidArgument: no coordinate, shapes that differ, non-finite entries, a constant mass that is not
  /// symmetric positive definite (of mechanics), a prescribed component out of range, a manifold (nq != nv) without
  /// retract.
  SystemHandle add(LagrangianLinearSystem system);
  SystemHandle add(LagrangianSystem system);
  SystemHandle add(FirstOrderLinearSystem system);
  SystemHandle add(FirstOrderSystem system);
  SystemHandle add(SweepingProcess system);
  SystemHandle add(std::shared_ptr<const DynamicalSystem> system);

  /// @throws InvalidArgument: no system, one system twice, a stale handle, systems of both orders in one interaction, a
  /// sweeping process, a matrix whose shape does not fit, rows that are no multiple of the law's block, a law that
  /// asks for what the relation cannot give (an impact law of a first-order or compliant relation, a law of stresses
  /// without positions...), with the reason.
  InteractionHandle add(Interaction interaction);
  /// The same, made of its parts. @throws likewise
  InteractionHandle link(std::vector<SystemHandle> systems, AnyRelation relation, Law law, std::string name = {}) {
    return add(Interaction{std::move(systems), std::move(relation), std::move(law), std::move(name)});
  }
  InteractionHandle link(SystemHandle system, AnyRelation relation, Law law, std::string name = {}) {
    return add(Interaction{{system}, std::move(relation), std::move(law), std::move(name)});
  }

  /// Contacts found anew each step.
  /// @throws InvalidArgument: a null pointer; a body that is not mechanical or of another size than the source asks
  /// for; a law that is no impact law of unilateral contacts, or has memory.
  void detect(std::shared_ptr<const ContactSource> source);
  template <std::derived_from<ContactSource> Source>
  void detect(Source source) {
    detect(std::shared_ptr<const ContactSource>(std::make_shared<const Source>(std::move(source))));
  }

  void remove(InteractionHandle interaction);
  /// @throws InvalidArgument while an interaction or a contact source still refers to it.
  void remove(SystemHandle system);

  [[nodiscard]] Index num_systems() const noexcept;
  [[nodiscard]] Index num_interactions() const noexcept;

  /// The present revision. The reference holds until the model is edited; copy the pointer to keep a revision.
  [[nodiscard]] const std::shared_ptr<const Layout>& layout() const;
  /// Initial conditions of every system at time t0, multipliers zero, outputs evaluated.
  [[nodiscard]] State initial_state(double t0 = 0.0) const;
  /// The state of an older revision carried over: what lives on keeps its values, what is new starts as described.
  [[nodiscard]] State migrate(const State& state) const;

  struct System {
    std::variant<std::shared_ptr<const LagrangianLinearSystem>, std::shared_ptr<const DynamicalSystem>,
                 std::shared_ptr<const FirstOrderLinearSystem>, std::shared_ptr<const FirstOrderSystem>,
                 std::shared_ptr<const SweepingProcess>>
        description;
    Index nq = 0, n = 0;
    std::string name;
    bool alive = true;
    std::uint32_t generation = 0;
    Index uses = 0;  ///< interactions and contact sources that refer to it
  };
  struct InteractionRecord {
    std::vector<std::uint32_t> systems;  ///< slots
    std::variant<std::shared_ptr<const Relation>, std::shared_ptr<const FirstOrderLinearRelation>,
                 std::shared_ptr<const FirstOrderRelation>>
        relation;
    std::shared_ptr<const PreparedLaw> law;
    Index rows = 0;
    std::string name;
    bool alive = true;
    std::uint32_t generation = 0;

    [[nodiscard]] bool first_order() const noexcept { return relation.index() != 0; }
  };
  /// By slot, dead ones included; the layout names the living.
  [[nodiscard]] const std::vector<System>& systems() const noexcept { return systems_; }
  [[nodiscard]] const std::vector<InteractionRecord>& interactions() const noexcept { return interactions_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const ContactSource>>& sources() const noexcept { return sources_; }

 private:
  SystemHandle add_record(System system);
  InteractionHandle add_record(InteractionRecord interaction, const std::vector<SystemHandle>& systems);
  InteractionHandle connect(Interaction& interaction, std::shared_ptr<const Relation> relation);
  InteractionHandle connect(Interaction& interaction, FirstOrderLinearRelation relation);
  InteractionHandle connect(Interaction& interaction, FirstOrderRelation relation);
  /// The affine relation between the systems' coordinates.
  [[nodiscard]] std::shared_ptr<const Relation> between(const std::vector<SystemHandle>& systems,
                                                        const LagrangianLinearRelation& relation) const;
  Index stacked_size(const std::vector<SystemHandle>& systems, bool first_order) const;
  [[nodiscard]] std::shared_ptr<const Relation> on_manifolds(const std::vector<SystemHandle>& systems,
                                                             std::shared_ptr<const Relation> relation) const;

  std::uint32_t model_;
  std::vector<System> systems_;
  std::vector<InteractionRecord> interactions_;
  std::vector<std::shared_ptr<const ContactSource>> sources_;
  std::vector<std::uint32_t> free_systems_, free_interactions_;  // slots of removed ones, taken again by new ones
  [[nodiscard]] const System& at(SystemHandle handle) const;
  template <class Handle, class Record>
  void require_alive(Handle handle, const std::vector<Record>& records) const;
  void begin_memory(const Layout::Interaction& place, State& state) const;
  void touch();

  std::uint64_t revision_ = 0;
  mutable std::shared_ptr<const Layout> layout_;  // built when asked for; ask once before sharing a model among threads
};

/// Outputs y and velocities u of every interaction at a state's q, v, x and lambda, written into the state.
/// @throws InvalidArgument a state of another revision; a function of a relation that throws, naming both.
void update_outputs(const NonSmoothDynamicalSystem& model, State& state);

}  // namespace nonsmooth
