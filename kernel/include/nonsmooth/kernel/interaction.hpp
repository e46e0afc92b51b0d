// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/handles.hpp>
#include <nonsmooth/kernel/laws.hpp>
#include <nonsmooth/kernel/relations.hpp>

namespace nonsmooth {

/// Any law: what make_law() of a description gives, as for all of laws/, or a user's own by shared pointer:
/// models share laws and keep what they said when they were linked, so that one has to stay what it is once it was
/// handed over. Parameters are checked when it is linked.
class Law {
 public:
  Law() : Law(ComplementarityLaw{}) {}
  template <class Description>
  requires requires(const Description& description) {
    { make_law(description) } -> std::same_as<std::shared_ptr<const NonSmoothLaw>>;
  }
  Law(const Description& description) : law_(make_law(description)) {}
  template <class Derived>
  requires std::convertible_to<const Derived*, const NonSmoothLaw*> Law(std::shared_ptr<Derived> law)
      : law_(std::move(law)) {}

  [[nodiscard]] const std::shared_ptr<const NonSmoothLaw>& pointer() const noexcept { return law_; }  ///< may be null

 private:
  std::shared_ptr<const NonSmoothLaw> law_;
};

/// Any relation: what make_relation() of a description gives, as for all of relations/, or a user's own by shared
/// pointer: as laws, models share relations. It is checked when it is linked.
class AnyRelation {
 public:
  AnyRelation() : AnyRelation(LagrangianLinearRelation{}) {}
  template <class Description>
  requires requires(Description description) {
    { make_relation(std::move(description)) } -> std::convertible_to<std::shared_ptr<const Relation>>;
  }
  AnyRelation(Description description) : relation_(make_relation(std::move(description))) {}
  template <class Derived>
  requires std::convertible_to<const Derived*, const Relation*> AnyRelation(std::shared_ptr<Derived> relation)
      : relation_(std::move(relation)) {}

  [[nodiscard]] const std::shared_ptr<const Relation>& pointer() const noexcept { return relation_; }  ///< may be null

 private:
  std::shared_ptr<const Relation> relation_;
};

/// Where a shape was given: of which body of a source of contacts (by position in its list of bodies, -1: the ground),
/// at which place of that body's list of shapes.
struct ShapePlace {
  Index body = -1, place = 0;
  friend bool operator==(const ShapePlace&, const ShapePlace&) = default;
};

/// The shapes that meet in a contact, that of its first body and that of its second or of the ground.
struct ContactShapes {
  std::array<ShapePlace, 2> places{};
  std::array<Index, 2> materials{0, 0};  ///< as ContactMaterials counts them
};

/// Between one or several systems: y (and in mechanics u) of their coordinates by the relation, and the law between
/// these and the multiplier.
///
///     const auto floor = model.add(Interaction{.systems = {ball}, .relation = LagrangianLinearRelation{.H = {{1.0}}},
///                                              .law = NewtonImpactLaw{.restitution = 0.9}, .name = "floor"});
///
/// What it has at a time is a State's, by the handle: y, u, impulse, percussion, force (mechanics), lambda (first
/// order).
struct Interaction {
  std::vector<SystemHandle> systems{};  ///< H (or C, B) acts on their coordinates stacked in this order
  AnyRelation relation{};
  Law law{};
  std::string name{};  ///< for messages; empty takes "interaction <number>"
  /// Of the pairs of a source of contacts (ContactSource::pairs), in the order of `systems`; empty: the only shapes of
  /// these, of material 0.
  std::optional<ContactShapes> shapes{};
};

}  // namespace nonsmooth
