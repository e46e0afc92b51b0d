// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include <nonsmooth/kernel/handles.hpp>
#include <nonsmooth/kernel/interaction.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

struct DrawnShape;
class NonSmoothDynamicalSystem;
class State;

/// What a contact is beside its rows of H.
struct DetectedContact {
  std::uint64_t feature = 0;  ///< identity over time (which pair, which corner): warm start goes by it
  Index first = 0;            ///< position of the body in the source's list of bodies
  Index second = -1;          ///< the other body, -1: the ground
  double gap = 0.0;           ///< >= 0 is admissible [m]
  double terms = 0.0;  ///< sum of the absolute terms that the gap is computed from: its rounding is relative to it [m]
  Index law = 0;       ///< in ContactSource::laws()
};

/// Contacts of one shape, in flat arrays: `rows` rows of u = H_first v_first + H_second v_second + h_t, the first along
/// the normal. Contacts stand in ascending order of their features.
struct ContactBatch {
  Index rows = 2;            ///< 1 to 6
  Index columns_first = 3;   ///< velocities of the first body
  Index columns_second = 3;  ///< velocities of the second body; 0: contacts with the ground alone
  std::vector<DetectedContact> contacts{};
  std::vector<double> H{};    ///< stride() a contact: H_first row by row, then H_second (not read on the ground)
  std::vector<double> h_t{};  ///< `rows` a contact, or empty where no surface moves by itself [m/s]

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(contacts.size()); }
  [[nodiscard]] Index stride() const noexcept { return rows * (columns_first + columns_second); }
  [[nodiscard]] const double* H_first(Index contact) const { return H.data() + contact * stride(); }
  [[nodiscard]] const double* H_second(Index contact) const { return H_first(contact) + rows * columns_first; }
  /// The contact's rows of h_t, or nullptr.
  [[nodiscard]] const double* h_t_of(Index contact) const {
    return h_t.empty() ? nullptr : h_t.data() + contact * rows;
  }

  /// Appends a contact and returns its stride() entries of H, zero until they are written; h_t is zero. The pointer is
  /// valid until the next contact.
  double* append(const DetectedContact& contact);
  /// Appends a contact. H_first: rows x columns_first, row by row; H_second likewise, empty on the ground; h_t: `rows`
  /// velocities of the gap while both bodies are at rest, empty: zero.
  /// @throws InvalidArgument: a size that differs.
  void add(const DetectedContact& contact, std::span<const double> first, std::span<const double> second = {},
           std::span<const double> own_velocity = {});
  void clear();
};

/// What a source found: one batch a shape.
class ContactBatches {
 public:
  /// The batch of this shape, made where there is none; the reference stays valid while others are asked for.
  /// @throws InvalidArgument: rows not in 1 to 6, columns_first < 1 or columns_second < 0.
  ContactBatch& of(Index rows, Index columns_first, Index columns_second);
  /// Empties each batch and keeps its memory.
  void clear();
  [[nodiscard]] Index num_contacts() const;

  [[nodiscard]] auto begin() { return batches_.begin(); }
  [[nodiscard]] auto end() { return batches_.end(); }
  [[nodiscard]] auto begin() const { return batches_.begin(); }
  [[nodiscard]] auto end() const { return batches_.end(); }

 private:
  std::deque<ContactBatch> batches_;
};

/// Where the bodies of a source are and how fast, one behind the other in the order of ContactSource::bodies().
struct BodyView {
  double t = 0.0;  ///< [s]
  /// Configurations and velocities of all, those of the state; in a step of StewartTrinkle v is the free velocity, that
  /// at its end without reactions.
  ConstVectorRef q, v;
  std::span<const Index> q_begin{};  ///< q of body i: entries q_begin[i] to q_begin[i + 1] - 1
  std::span<const Index> v_begin{};  ///< v likewise
  std::span<const char> asleep{};    ///< by body: sleeps (SleepOptions), or is prescribed and at rest; empty: nobody
  /// >= 0: part of the speed that contacts may ask of a body which they may give to it beside its own, of a pair of the
  /// larger one of the two (StewartTrinkle::reach). Of a body that speed is at least its own, which the ground may ask,
  /// the approach of a body that it may meet, and what is left of this body's when the gap between them is closed. The
  /// sources of the kernel hand it on from body to body through contacts of their own: what a body gets by those of
  /// another source is not part of it, nor what a step recovers of a depth, nor a rebound.
  double push = 0.0;

  /// Contacts between these are not looked for; second = -1: the ground.
  [[nodiscard]] bool sleep(Index first, Index second) const {
    return !asleep.empty() && asleep[static_cast<std::size_t>(first)] != 0 &&
           (second < 0 || asleep[static_cast<std::size_t>(second)] != 0);
  }
};

/// How many coordinates and velocities a body has; 0: any number.
struct BodySize {
  Index coordinates = 0, velocities = 0;
};

/// Finds contacts between bodies at the configuration of a state, each step anew: they are no model interactions.
/// detect() must depend on its arguments alone.
class ContactSource {
 public:
  virtual ~ContactSource() = default;
  ContactSource() = default;
  ContactSource(const ContactSource&) = default;
  ContactSource& operator=(const ContactSource&) = default;

  /// The bodies that contacts refer to by position in this list: mechanical systems of any kind.
  [[nodiscard]] virtual const std::vector<SystemHandle>& bodies() const = 0;
  /// What contacts obey, by number: impact laws of unilateral contacts whose blocks are as long as the contacts' rows,
  /// NewtonImpactLaw, NewtonImpactFrictionLaw, NewtonImpactRollingFrictionLaw, StaticKineticFrictionLaw,
  /// PoissonImpactLaw, LiuZhaoBrogliatoImpactLaw or a user's of one set without memory, which may vary with the step
  /// and shift; y is (gap, 0, ...).
  [[nodiscard]] virtual const std::vector<Law>& laws() const = 0;
  /// Coordinates and velocities that each body must have; by default any number.
  [[nodiscard]] virtual BodySize body_size() const { return {}; }

  /// What detect() finds depends on t beside positions and velocities, or may do; its bodies then never sleep.
  [[nodiscard]] virtual bool depends_on_time() const { return true; }

  /// Contacts whose features are the same but for so many of the lowest bits are points of one patch: one that is new
  /// beside another that pressed in the last step counts as closed up to rounding, as that one does. In [0, 63].
  [[nodiscard]] virtual int patch_bits() const { return 0; }

  /// The shapes of a contact that detect() found, of its first body and of its second. By default the only shapes of
  /// these. @throws InvalidArgument: a contact with a feature that is none of this source.
  [[nodiscard]] virtual std::array<ShapePlace, 2> shapes_of(const DetectedContact& contact) const;
  /// Their materials, by which its law was chosen. By default 0 and 0. @throws InvalidArgument likewise.
  [[nodiscard]] virtual std::array<Index, 2> materials_of(const DetectedContact& contact) const;

  /// What contacts that `before` called `features` are called here, where this source takes the place of `before`
  /// (NonSmoothDynamicalSystem::replace): their impulses go with them. In the order of `features`; nothing: the contact
  /// begins anew. By default the same features where both sources are of one class and have the same bodies, else none.
  [[nodiscard]] virtual std::vector<std::optional<std::uint64_t>> features_after(
      const ContactSource& before, std::span<const std::uint64_t> features) const;

  /// Appends to the batches of `found`, which are empty, every contact whose gap may close within `horizon` seconds, in
  /// each batch in ascending order of features, each feature once. The columns of a batch are the velocities of its
  /// bodies. Contacts between bodies that sleep may be left out; they are dropped. `scratch` is kept between calls.
  /// A bond (cohesion) that residuals of the solver have opened (NewtonImpactFrictionLaw) lasts while it is found: the
  /// sources of the kernel see 1e-7 of a shape's distance from the centre of its body, at any velocity.
  /// What does not look as far as BodyView::push lets bodies go leaves these contacts to the step in which they have
  /// begun.
  virtual void detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
                      ContactBatches& found) const = 0;

  /// All contacts that detect() may ever find, each an interaction between bodies() (or of one, with the ground) by a
  /// relation that has its curvature, under the law of laws() that it has there: what event-driven simulation takes.
  /// `model` has the bodies, and their names.
  /// @throws InvalidArgument naming the shapes of a pair that is no such relation; of a source that does not say.
  [[nodiscard]] virtual std::vector<Interaction> pairs(const NonSmoothDynamicalSystem& model) const;

  /// What its bodies and the ground look like, for what shows a run (drawn_shape.hpp). By default nothing.
  [[nodiscard]] virtual std::vector<DrawnShape> drawn_shapes() const;

  /// Where a body, with these velocities, may within `horizon` seconds go so deep into another that detect() finds them
  /// on the other side: the least depth from which on it does, or less [m]. Infinity: none moves so far, or not known.
  /// Cost: O(bodies).
  [[nodiscard]] virtual double passage_depth(const BodyView& bodies, double horizon) const;
};

/// What a source finds among its bodies at a state. Allocates; a simulation keeps its memory instead.
/// @throws InvalidArgument: a stale handle; what detect() throws; a contact that does not fit, by source and feature.
[[nodiscard]] ContactBatches contacts_at(const State& state, const ContactSource& source, double horizon = 0.0);

/// Two shapes that overlap.
/// Deep in a mesh with rims a body is not found: see TriangleMesh.
struct Interpenetration {
  ShapePlace first, second;
  /// The least way that separates them [m]. Of a cylinder or cone that is deeper than a tenth of the sizes: a way that
  /// does; on a triangle mesh or height field: the depth of the deepest single point. Of another source: minus the
  /// smallest gap that it finds between the two.
  double depth = 0.0;
};

/// The pairs of shapes that overlap by more than `tolerance` at a state, in the order of their first features.
/// @throws InvalidArgument: as contacts_at, and shapes_of().
[[nodiscard]] std::vector<Interpenetration> interpenetrations(const State& state, const ContactSource& source,
                                                              double tolerance = 0.0);

}  // namespace nonsmooth
