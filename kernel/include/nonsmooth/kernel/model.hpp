// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/generalised_newton_impact.hpp>
#include <nonsmooth/kernel/interaction.hpp>
#include <nonsmooth/kernel/state.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

struct PreparedLaw;    // internal
class ProcessWithLaw;  // internal

/// The systems, the interactions between them and the sources of contacts: everything that stays while time advances.
///
/// A value: copies share the immutable descriptions. Each change makes a new revision; a state belongs to one.
class NonSmoothDynamicalSystem {
 public:
  NonSmoothDynamicalSystem();

  /// @throws InvalidArgument: a null pointer, no coordinate, initial values or a mass of another size or not finite, a
  /// manifold (nq != nv) without retract, a retract that throws, prescribed velocities of components that are not,
  /// without a function or twice, impulses of another size, a class that derives from none of the kinds.
  SystemHandle add(std::shared_ptr<const DynamicalSystem> system);
  /// A description, as for all of systems/. @throws likewise; what make_system() throws, with the system's name, or the
  /// one that it would have got: "RigidBody::inertia of wheel", "PlanarBody::mass of system 3"
  template <class Description>
  requires requires(Description description) {
    { make_system(std::move(description)) } -> std::convertible_to<std::shared_ptr<const DynamicalSystem>>;
  }
  SystemHandle add(Description system) {
    std::string name;
    if constexpr (requires { name = system.name; }) name = system.name;
    std::shared_ptr<const DynamicalSystem> made;
    try {
      made = make_system(std::move(system));
    } catch (const InvalidArgument& refusal) {
      refuse_system(refusal, std::move(name));
    }
    return add(std::move(made));
  }

  /// @throws InvalidArgument: no system, one system twice, a stale handle, systems of both orders in one interaction, a
  /// sweeping process, a matrix whose shape does not fit, a constant H on a retract, rows that are no multiple of the
  /// law's block, a law that asks for what the relation cannot give (an impact law of a first-order or compliant
  /// relation, a law of stresses without positions...), with the reason.
  InteractionHandle add(Interaction interaction);
  /// The same, made of its parts. @throws likewise
  InteractionHandle link(std::vector<SystemHandle> systems, AnyRelation relation, Law law, std::string name = {}) {
    return add(Interaction{std::move(systems), std::move(relation), std::move(law), std::move(name)});
  }
  InteractionHandle link(SystemHandle system, AnyRelation relation, Law law, std::string name = {}) {
    return add(Interaction{{system}, std::move(relation), std::move(law), std::move(name)});
  }

  /// A matrix of coefficients of restitution among contacts that are linked. Removing one of them takes its row and
  /// column away. @throws InvalidArgument: no contact, one twice or in another such law, a stale handle, one that is
  /// not mechanical, of several blocks or under another impact law than Newton's; a matrix of another size, with an
  /// entry that is negative or not finite.
  void add(GeneralisedNewtonImpact impact);
  /// The same by a function, for contacts of sources too: a source that is replaced keeps it, what is removed leaves
  /// it. @throws InvalidArgument: no function; neither source nor contact, one twice or in another such law; a handle
  /// that is stale or of another model; a contact that is not mechanical; another impact law than Newton's, or one that
  /// shifts u+ by itself, by its name.
  void add(GeneralisedNewtonRule rule);

  /// Contacts found anew each step.
  /// @throws InvalidArgument: a null pointer; a body that is not mechanical or of another size than the source asks
  /// for, or that the source lists twice; a law that is no impact law of unilateral contacts, or has memory.
  SourceHandle detect(std::shared_ptr<const ContactSource> source);
  template <std::derived_from<ContactSource> Source>
  SourceHandle detect(Source source) {
    return detect(std::shared_ptr<const ContactSource>(std::make_shared<const Source>(std::move(source))));
  }

  /// Another source in the place of one: with a body more or less, with other shapes, laws or excluded pairs. States
  /// that migrate() keep the impulses of the contacts that stay, as ContactSource::features_after names them. Under
  /// EventDriven the pairs that only one of them has come and go, the others stay the interactions that they are.
  ///
  ///     simulation.edit([&](NonSmoothDynamicalSystem& model) {  // one ball comes, another goes
  ///       shapes.push_back({model.add(ball), {{.shape = Sphere{0.1}}}});
  ///       shapes.erase(shapes.begin() + i);
  ///       model.replace(source, BodyContacts(shapes, ground, law));
  ///       model.remove(gone);  // behind replace(): no source refers to it any more
  ///     });
  /// @throws InvalidArgument: a handle of another model or of a source that was removed; what detect() throws; where
  /// sources are linked, what link_sources() throws; under a GeneralisedNewtonRule, what adding that throws.
  void replace(SourceHandle handle, std::shared_ptr<const ContactSource> source);
  template <std::derived_from<ContactSource> Source>
  void replace(SourceHandle handle, Source source) {
    replace(handle, std::shared_ptr<const ContactSource>(std::make_shared<const Source>(std::move(source))));
  }
  /// The source that stands there now. The reference holds until the model is edited. @throws InvalidArgument: a handle
  /// of another model or of a source that was removed.
  [[nodiscard]] const std::shared_ptr<const ContactSource>& source(SourceHandle handle) const;

  /// Links what its sources may find (ContactSource::pairs) in the place of the sources: for EventDriven, which does
  /// it. All copies of one revision become one revision by it, whose states and handles are those of each. The model is
  /// as before where something is refused. Cost: as many interactions as pairs of shapes. @throws what pairs() and
  /// add() do
  void link_sources();

  void remove(InteractionHandle interaction);
  /// With all that was linked in its place. @throws InvalidArgument: a handle of another model or of one that was
  /// removed.
  void remove(SourceHandle source);
  /// @throws InvalidArgument while an interaction or a contact source still refers to it: these are removed first, or
  /// the source replaced by one without it. A source knows its bodies by their places in a list that filters and
  /// contacts refer to, so that none drops out by itself.
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
    std::shared_ptr<const DynamicalSystem> description;
    /// The description as the one of three kinds that it is; nullptr: it is another.
    const MechanicalSystem* mechanical = nullptr;
    const FirstOrderDynamicalSystem* first_order = nullptr;
    const ProcessWithLaw* with_law = nullptr;  ///< takes no interactions
    Index nq = 0, n = 0;
    bool moves_plainly = false;  ///< mechanical, q moved by q + w: linear, or without a retract of its own
    std::string name;
    bool alive = true;
    std::uint32_t generation = 0;
    Index uses = 0;  ///< interactions and contact sources that refer to it

    /// The matrices of a linear system of either order; nullptr: it is another.
    [[nodiscard]] const LagrangianLinearSystem* linear_mechanical() const {
      return mechanical ? mechanical->linear() : nullptr;
    }
    [[nodiscard]] const FirstOrderLinearSystem* linear_first_order() const {
      return first_order ? first_order->linear() : nullptr;
    }
  };
  struct InteractionRecord {
    std::vector<std::uint32_t> systems;  ///< slots
    std::shared_ptr<const Relation> relation;
    const MechanicalRelation* mechanical = nullptr;              ///< the relation, of mechanical systems
    const FirstOrderInputOutputRelation* first_order = nullptr;  ///< or of first-order ones
    std::shared_ptr<const PreparedLaw> law;
    Index rows = 0;
    std::string name;
    std::uint32_t source = 0;  ///< the number of the source whose pair it is; 0: linked by itself
    ContactShapes shapes{};    ///< of a pair of a source, linked by whom ever
    bool alive = true;
    std::uint32_t generation = 0;
  };
  /// E among interactions, by slot; none stands in two.
  struct ImpactMatrix {
    std::vector<std::uint32_t> contacts;
    Eigen::MatrixXd restitution;
  };
  [[nodiscard]] const std::vector<ImpactMatrix>& impact_matrices() const noexcept { return impact_matrices_; }
  /// E by a function, of interactions by slot and of sources by number; none stands in two, nor in a matrix.
  struct CoefficientRule {
    std::shared_ptr<const GeneralisedNewtonRule::Coefficient> restitution;
    std::vector<std::uint32_t> contacts, sources;

    [[nodiscard]] bool has(std::uint32_t slot, const InteractionRecord& record) const;
    [[nodiscard]] bool has_source(std::uint32_t number) const;
  };
  [[nodiscard]] const std::vector<CoefficientRule>& coefficient_rules() const noexcept { return coefficient_rules_; }
  /// By slot, dead ones included; the layout names the living.
  [[nodiscard]] const std::vector<System>& systems() const noexcept { return systems_; }
  [[nodiscard]] const std::vector<InteractionRecord>& interactions() const noexcept { return interactions_; }
  /// In the order of detect(), without those that were removed or linked.
  [[nodiscard]] const std::vector<std::shared_ptr<const ContactSource>>& sources() const noexcept { return sources_; }
  /// Those whose pairs are linked in their place (link_sources()), in the order of detect().
  [[nodiscard]] std::vector<std::shared_ptr<const ContactSource>> linked_sources() const;

 private:
  /// A source that is linked, and the interactions that stand in its place.
  struct LinkedSource {
    std::shared_ptr<const ContactSource> source;
    std::uint32_t number = 0;
    std::vector<InteractionHandle> interactions{};
  };

  /// @throws InvalidArgument: what make_system() refused, with the name that the system has or would get.
  [[noreturn]] void refuse_system(const InvalidArgument& refusal, std::string name) const;
  SystemHandle add_record(System system);
  [[nodiscard]] InteractionRecord make_record(Interaction interaction) const;
  /// Of a pair of the source of that number.
  [[nodiscard]] InteractionRecord make_record(Interaction pair, std::uint32_t source) const;
  InteractionHandle add_record(InteractionRecord interaction);
  void check_source(const ContactSource* source) const;
  void count_uses(const ContactSource& source, Index change);
  /// The interactions of `linked` become the pairs of its source: those that go on keep their handles.
  void relink(LinkedSource& linked);
  void carry_contacts(const State& old, State& state) const;
  Index stacked_size(const std::vector<SystemHandle>& systems, bool first_order) const;
  /// The relation with differences along the systems' retract, where it leaves derivatives to differences.
  [[nodiscard]] std::shared_ptr<const MechanicalRelation> on_manifolds(
      const std::vector<SystemHandle>& systems, std::shared_ptr<const MechanicalRelation> relation) const;

  std::uint32_t model_;
  std::vector<System> systems_;
  std::vector<InteractionRecord> interactions_;
  std::vector<std::shared_ptr<const ContactSource>> sources_;
  std::vector<std::uint32_t> source_numbers_;  ///< of sources_, in SourceHandle
  std::vector<LinkedSource> linked_sources_;
  std::vector<ImpactMatrix> impact_matrices_;
  std::vector<CoefficientRule> coefficient_rules_;
  std::vector<std::uint32_t> free_systems_, free_interactions_;  // slots of removed ones, taken again by new ones
  [[nodiscard]] const System& at(SystemHandle handle) const;
  /// In sources_, or in linked_sources_.
  struct SourcePlace {
    std::size_t number = 0;
    bool linked = false;
  };
  [[nodiscard]] SourcePlace at(SourceHandle handle) const;
  [[nodiscard]] bool lives(InteractionHandle handle) const;
  template <class Handle, class Record>
  void require_alive(Handle handle, const std::vector<Record>& records) const;
  void begin_memory(const Layout::Interaction& place, State& state) const;
  void touch();

  std::uint64_t revision_ = 0, sources_linked_in_ = 0;
  mutable std::shared_ptr<const Layout> layout_;  // built when asked for; ask once before sharing a model among threads
};

/// Outputs y and velocities u of every interaction at a state's q, v, x and lambda, written into the state.
/// @throws InvalidArgument a state of another revision; a function of a relation that throws, naming both.
void update_outputs(const NonSmoothDynamicalSystem& model, State& state);

}  // namespace nonsmooth
