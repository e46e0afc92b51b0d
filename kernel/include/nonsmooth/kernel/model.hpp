// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/nonsmooth_law.hpp>
#include <nonsmooth/kernel/relation.hpp>
#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

/// What one block of rows of an interaction obeys, as the step sees it.
struct LawBlock {
  BlockSet set;
  Index size = 1;                              ///< rows a block
  bool unilateral = false;                     ///< active where the forecast gap is closed; otherwise always
  bool bounds_are_forces = false;              ///< mechanics: box bounds are multiplied by h
  double restitution = 0.0;                    ///< of the first row of a block
  double tangential_restitution = 0.0;         ///< of the others
  std::shared_ptr<const NonSmoothLaw> custom;  ///< a user's law, or null
};

/// Any law: the built-in aggregates, or a user's own by shared pointer (laws are immutable, models share them).
using Law = std::variant<ComplementarityLaw, NewtonImpactLaw, NewtonImpactFrictionLaw, EqualityLaw, RelayLaw,
                         std::shared_ptr<const NonSmoothLaw>>;

/// The systems, the interactions between them and the sources of contacts: everything that stays while time advances.
///
/// A value: copies share the immutable descriptions. Each change makes a new revision; a state belongs to one.
class NonSmoothDynamicalSystem {
 public:
  NonSmoothDynamicalSystem();

  /// @throws InvalidArgument: no coordinate, shapes that differ, non-finite entries, a mass that is not symmetric
  /// positive (semi-)definite on its diagonal, a prescribed component out of range.
  SystemHandle add(LagrangianLinearSystem system);
  SystemHandle add(LagrangianSystem system);
  SystemHandle add(FirstOrderLinearSystem system);
  SystemHandle add(std::shared_ptr<const DynamicalSystem> system);

  /// Links one or several systems; H (or C, B) acts on their coordinates stacked in this order.
  /// @throws InvalidArgument: no system, one system twice, a stale handle, systems of both orders in one link, a matrix
  /// whose shape does not fit, rows that are no multiple of the law's block, a law that does not fit the relation.
  InteractionHandle link(const std::vector<SystemHandle>& systems, LagrangianLinearRelation relation, Law law);
  InteractionHandle link(const std::vector<SystemHandle>& systems, ScleronomousRelation relation, Law law);
  InteractionHandle link(const std::vector<SystemHandle>& systems, FirstOrderLinearRelation relation, Law law);
  InteractionHandle link(const std::vector<SystemHandle>& systems, std::shared_ptr<const Relation> relation, Law law);
  template <class AnyRelation>
  InteractionHandle link(SystemHandle system, AnyRelation relation, Law law) {
    return link(std::vector<SystemHandle>{system}, std::move(relation), std::move(law));
  }

  /// Contacts found anew each step.
  void detect(std::shared_ptr<const ContactSource> source);

  void remove(InteractionHandle interaction);
  /// @throws InvalidArgument while an interaction or a contact source still refers to it.
  void remove(SystemHandle system);

  [[nodiscard]] Index num_systems() const noexcept;
  [[nodiscard]] Index num_interactions() const noexcept;

  /// The present revision.
  [[nodiscard]] std::shared_ptr<const Layout> layout() const;
  /// Initial conditions of every system at time t0, multipliers zero, outputs evaluated.
  [[nodiscard]] State initial_state(double t0 = 0.0) const;
  /// The state of an older revision carried over: what lives on keeps its values, what is new starts as described.
  [[nodiscard]] State migrate(const State& state) const;

  struct System {
    std::variant<std::shared_ptr<const LagrangianLinearSystem>, std::shared_ptr<const DynamicalSystem>,
                 std::shared_ptr<const FirstOrderLinearSystem>>
        description;
    Index nq = 0, n = 0;
    std::string name;
    bool alive = true;
    std::uint32_t generation = 0;
    Index uses = 0;  ///< interactions and contact sources that refer to it
  };
  struct Interaction {
    std::vector<std::uint32_t> systems;  ///< slots
    std::variant<std::shared_ptr<const Relation>, std::shared_ptr<const FirstOrderLinearRelation>> relation;
    LawBlock law;
    Index rows = 0;
    bool alive = true;
    std::uint32_t generation = 0;
  };
  /// By slot, dead ones included; the layout names the living.
  [[nodiscard]] const std::vector<System>& systems() const noexcept { return systems_; }
  [[nodiscard]] const std::vector<Interaction>& interactions() const noexcept { return interactions_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const ContactSource>>& sources() const noexcept { return sources_; }

 private:
  SystemHandle add_record(System system);
  InteractionHandle add_record(Interaction interaction, const std::vector<SystemHandle>& systems, bool first_order);
  Index stacked_size(const std::vector<SystemHandle>& systems, bool first_order) const;

  std::uint32_t model_;
  std::vector<System> systems_;
  std::vector<Interaction> interactions_;
  std::vector<std::shared_ptr<const ContactSource>> sources_;
  [[nodiscard]] const System& at(SystemHandle handle) const;
  void touch();

  std::uint64_t revision_ = 0;
  mutable std::shared_ptr<const Layout> layout_;  // built when asked for; ask once before sharing a model among threads
};

/// Outputs y and velocities u of every interaction at a state's q, v, x and lambda, written into the state.
void update_outputs(const NonSmoothDynamicalSystem& model, State& state);

}  // namespace nonsmooth
