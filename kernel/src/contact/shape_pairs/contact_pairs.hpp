// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/shapes.hpp>

namespace nonsmooth::shape_pairs {

/// What ContactSource::pairs() of a source gives, pair by pair.
class ContactPairs {
 public:
  /// @throws InvalidArgument: a law of rolling or elliptic friction.
  ContactPairs(const NonSmoothDynamicalSystem& model, const ContactSource& source);

  /// "ball 2", "the ground" (-1).
  [[nodiscard]] std::string body_name(Index body) const;
  /// "shape 0 with shape 1 of ball 2", the places of two shapes in their lists.
  [[nodiscard]] std::string name_of(Index first, Index second, Index body_of_second) const {
    return "shape " + std::to_string(first) + " with shape " + std::to_string(second) + " of " +
           body_name(body_of_second);
  }
  /// The shapes that the pairs added next are of.
  void begin(const ContactShapes& shapes) { shapes_ = shapes; }
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
