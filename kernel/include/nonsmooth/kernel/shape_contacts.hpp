// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <nonsmooth/kernel/contact_materials.hpp>
#include <nonsmooth/kernel/contact_source.hpp>

namespace nonsmooth {

/// Where a shape was given: of which body (-1: the ground), at which place of its list.
struct ShapePlace {
  Index body = -1, place = 0;
};

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
  /// The two shapes of a contact. @throws InvalidArgument: no feature of this source.
  [[nodiscard]] std::array<ShapePlace, 2> shapes_of(std::uint64_t feature) const;

 protected:
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
  /// @throws InvalidArgument: a body that is not of this source.
  void exclude_pair(SystemHandle first, SystemHandle second);
  /// By their places in bodies().
  [[nodiscard]] bool is_excluded(Index first, Index second) const;
  [[nodiscard]] Index law_rows(Index law) const { return law_rows_[static_cast<std::size_t>(law)]; }

  const char* name_;  ///< of the class, for messages
  std::vector<SystemHandle> bodies_;
  std::vector<Law> laws_;
  ContactMaterials pairs_;
  std::vector<ShapePlace> places_;  ///< by the numbers in features
  bool has_conveyors_ = false;      ///< some surface of the ground moves by itself

 private:
  std::vector<Index> law_rows_;                 ///< by law
  std::vector<std::array<Index, 2>> excluded_;  ///< in ascending order
};

/// Two shapes that overlap.
/// Deep in a mesh with rims a body is not found: see TriangleMesh.
struct Interpenetration {
  ShapePlace first, second;
  /// The least way that separates them [m]. Of a cylinder or cone that is deeper than a tenth of the sizes: a way that
  /// does; on a triangle mesh or height field: the depth of the deepest single point.
  double depth = 0.0;
};

/// The pairs of shapes that overlap by more than `tolerance` at a state, in the order of their features.
/// @throws InvalidArgument: as contacts_at.
[[nodiscard]] std::vector<Interpenetration> interpenetrations(const State& state, const ShapeContacts& source,
                                                              double tolerance = 0.0);

}  // namespace nonsmooth
