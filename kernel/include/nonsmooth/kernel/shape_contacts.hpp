// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/contact_materials.hpp>
#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/drawn_shape.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

template <class Space>
struct ShapeList;  // internal
template <class Space>
class ShapeSearch;  // internal

/// What the sources of contacts between shapes share, BodyContacts in space and PlanarContacts in the plane: bodies,
/// laws by materials, bodies that never touch, and what a feature stands for.
class ShapeContacts : public ContactSource {
 public:
  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  /// A conveyor.
  [[nodiscard]] bool depends_on_time() const override { return has_conveyors_; }
  /// The points of two shapes; on a surface whose names take several numbers, those with one number.
  [[nodiscard]] int patch_bits() const override { return meeting_bits; }
  [[nodiscard]] std::array<ShapePlace, 2> shapes_of(const DetectedContact& contact) const override;
  [[nodiscard]] std::array<Index, 2> materials_of(const DetectedContact& contact) const override;
  /// Shapes are the same where their bodies are and their places in the lists of these (of the ground: in its list).
  /// Contacts of two shapes whose bodies changed their order in bodies() begin anew. Cost: O(n log n) of shapes and
  /// features.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> features_after(
      const ContactSource& before, std::span<const std::uint64_t> features) const override;
  /// All shapes as they were given: those of bodies, then those of the ground.
  [[nodiscard]] std::vector<DrawnShape> drawn_shapes() const override { return drawn_; }
  /// The laws of pairs of materials.
  [[nodiscard]] const ContactMaterials& material_pairs() const { return pairs_; }
  /// Bodies that never touch, by their places in bodies(), the ground as -1; in ascending order.
  [[nodiscard]] const std::vector<std::array<Index, 2>>& excluded_pairs() const { return excluded_; }

 protected:
  /// A shape as its laws are chosen.
  struct ShapeOfMaterial {
    ShapePlace place;
    Index material = 0;
    std::uint32_t groups = 1, mask = 1;
  };

  /// A feature is the numbers of two shapes and what of them meets; a shape with more than 2^22 of such has several
  /// numbers, which follow each other.
  static constexpr int shape_bits = 21, meeting_bits = 22;
  static constexpr Index most_shapes = Index{1} << shape_bits;
  [[nodiscard]] static constexpr std::uint64_t feature_of(Index first, Index second, std::uint64_t meeting) {
    return (((static_cast<std::uint64_t>(first) << shape_bits) | static_cast<std::uint64_t>(second)) << meeting_bits) +
           meeting;
  }

  /// `refused`: what is wrong with a law of so many rows, of rolling friction or not; nullptr: nothing.
  /// @throws InvalidArgument: fewer laws than the pairs name, a law that is refused.
  ShapeContacts(const char* name, std::vector<Law> laws, ContactMaterials pairs,
                const char* (*refused)(Index rows, bool rolling));
  /// Takes bodies(), drawn_shapes() and what features stand for from lists of shapes, in space or in the plane.
  /// @throws InvalidArgument: what a shape is refused for; a material that is not there; too many shapes.
  template <class Space>
  [[nodiscard]] std::shared_ptr<const ShapeList<Space>> take_shapes(
      const std::vector<typename Space::BodyShapes>& bodies, const std::vector<typename Space::Given>& ground);
  /// @throws InvalidArgument: a body that is not of this source, or twice the same.
  void exclude_pair(SystemHandle first, SystemHandle second);
  void exclude_from_ground(SystemHandle body);  ///< @throws likewise
  /// Each pair of bodies that a joint of `model` links. @throws InvalidArgument: a body that `model` does not have.
  void exclude_joined(const NonSmoothDynamicalSystem& model);
  /// By their places in bodies(), -1: the ground.
  [[nodiscard]] bool is_excluded(Index first, Index second) const;
  /// @throws InvalidArgument: `refusal` of a shape, with the place where it was given.
  [[noreturn]] void refuse_shape(const ShapePlace& place, const InvalidArgument& refusal) const;
  /// @throws InvalidArgument, naming them: a shape of a material that pairs_ does not have; two shapes of different
  /// bodies that may touch, of materials for which it has no law. Cost: O(shapes log kinds + kinds^2), kinds of
  /// material, groups and mask.
  void require_laws(const std::vector<ShapeOfMaterial>& shapes) const;
  /// By their bodies, groups and masks.
  template <class Part>
  [[nodiscard]] bool may_touch(const Part& one, const Part& other) const {
    return one.body != other.body && (one.groups & other.mask) != 0 && (other.groups & one.mask) != 0 &&
           !is_excluded(one.body, other.body);
  }
  /// Calls visit(first, second) for all parts of `shapes` that may ever touch; the first is of a body.
  template <class Space, class Visit>
  void for_each_pair(const ShapeList<Space>& shapes, Visit visit) const;
  [[nodiscard]] Index law_rows(Index law) const { return law_rows_[static_cast<std::size_t>(law)]; }

  const char* name_;  ///< of the class, for messages
  std::vector<SystemHandle> bodies_;
  std::vector<Law> laws_;
  ContactMaterials pairs_;
  std::vector<ShapePlace> places_;  ///< by the numbers in features
  std::vector<Index> materials_;    ///< likewise
  std::vector<DrawnShape> drawn_;
  bool has_conveyors_ = false;  ///< some surface moves by itself

 private:
  template <class Space>
  friend class ShapeSearch;

  void exclude_numbers(Index first, Index second);
  /// The place in bodies(). @throws InvalidArgument: a body that is not of this source.
  [[nodiscard]] Index number_of(SystemHandle body) const;
  [[nodiscard]] std::vector<Index> numbers_after(const ShapeContacts& before) const;
  /// The numbers of the shapes of a contact. @throws InvalidArgument: a feature that is none of this source.
  [[nodiscard]] std::array<std::size_t, 2> numbers_of(const DetectedContact& contact) const;

  std::vector<Index> law_rows_;                 ///< by law
  std::vector<std::array<Index, 2>> excluded_;  ///< in ascending order, the ground as -1
};

/// A class `Source` of such sources: what is asked of it as it is made.
template <class Source>
class ShapeContactsOf : public ShapeContacts {
 public:
  /// These two never touch, as where a joint links them. @throws InvalidArgument: a body that the source does not have,
  /// or twice the same.
  Source& exclude(SystemHandle first, SystemHandle second) {
    exclude_pair(first, second);
    return own();
  }
  /// This one never touches the ground, as where it turns in a bearing that stands there. @throws likewise
  Source& exclude_ground(SystemHandle body) {
    exclude_from_ground(body);
    return own();
  }
  /// exclude() of each two bodies that a joint of `model` links at this time: an interaction between them whose
  /// relation has held rows (RowKind::Held), or says nothing of its rows and is a joint (is_joint()). So do all joints
  /// of joints.hpp and frictional_joints.hpp under any law, gears and racks with their carriers, but a DistanceJoint,
  /// whose ends are apart; motors, stops and couplers do not by themselves. What is joined to the ground alone meets
  /// the ground as before: exclude_ground(). Joints of other bodies are passed over.
  /// @throws InvalidArgument: a body of this source that `model` does not have.
  Source& exclude_jointed(const NonSmoothDynamicalSystem& model) {
    exclude_joined(model);
    return own();
  }

 protected:
  ShapeContactsOf(const char* name, std::vector<Law> laws, ContactMaterials pairs,
                  const char* (*refused)(Index rows, bool rolling))
      : ShapeContacts(name, std::move(laws), std::move(pairs), refused) {}

 private:
  Source& own() { return static_cast<Source&>(*this); }
};

}  // namespace nonsmooth
