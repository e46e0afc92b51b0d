// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/shapes.hpp>

#include "contact/shapes/shape_list.hpp"

namespace nonsmooth::shape_pairs {

/// Two parts of a source of shapes, their law and its rows, and what their contacts are called.
template <class Space>
struct PartPair {
  const ShapePart<Space>&first, &second;
  Index law, rows;
  std::string name;
};

/// What ContactSource::pairs() of a source gives, pair by pair.
class ContactPairs {
 public:
  /// @throws InvalidArgument: a law of rolling or elliptic friction.
  ContactPairs(const NonSmoothDynamicalSystem& model, const ContactSource& source);

  /// "ball 2", "the ground" (-1).
  [[nodiscard]] std::string body_name(Index body) const;
  /// "a sphere of ball 2".
  template <class Space>
  [[nodiscard]] std::string name_of(const ShapePart<Space>& part) const {
    return part.kind() + (" of " + body_name(part.body));
  }
  /// "shape 0 with shape 1 of ball 2", the places of two shapes in their lists.
  [[nodiscard]] std::string name_of(Index first, Index second, Index body_of_second) const {
    return "shape " + std::to_string(first) + " with shape " + std::to_string(second) + " of " +
           body_name(body_of_second);
  }
  /// The shapes that the pairs added next are of.
  void begin(const ContactShapes& shapes) { shapes_ = shapes; }
  /// The same, of two parts that a source of shapes has; what their contacts are called.
  /// @throws InvalidArgument: a conveyor on a body.
  template <class Space>
  std::string begin(const ShapePart<Space>& first, const ShapePart<Space>& second) {
    if ((first.body >= 0 && first.skin.moves()) || (second.body >= 0 && second.skin.moves())) {
      throw InvalidArgument("contacts as pairs: " + std::string(Space::name_of_conveyor), "a conveyor on a body",
                            "surfaces that rest on their bodies, or conveyors of the ground");
    }
    begin({{ShapePlace{first.body, first.place}, ShapePlace{second.body, second.place}},
           {first.material, second.material}});
    return name_of(first.place, second.place, second.body);
  }
  /// The velocity of the ground under the pairs that are added from here on; none: it rests.
  void set_conveyor(SurfaceField velocity) { conveyor_ = std::move(velocity); }
  /// Bodies and law by their numbers in the source; second = -1: the ground.
  void add(Index first, Index second, AnyRelation relation, Index law, std::string name);
  [[nodiscard]] std::vector<Interaction> take() { return std::move(pairs_); }

 private:
  const NonSmoothDynamicalSystem& model_;
  const ContactSource& source_;
  ContactShapes shapes_;
  SurfaceField conveyor_{};
  std::vector<Interaction> pairs_;
};

}  // namespace nonsmooth::shape_pairs
