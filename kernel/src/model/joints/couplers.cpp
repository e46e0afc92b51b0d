// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/couplers.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "counted_relation.hpp"
#include "joint_quantities.hpp"
#include "model/bodies/plane_frames.hpp"

namespace nonsmooth {
namespace {

using joints::PlaneBodies;
using joints::Scalar;
using joints::SpaceBodies;

constexpr double kUncounted = std::numeric_limits<double>::infinity();

/// A coordinate of a coupler in space, of two bodies of its list.
struct SpaceSide {
  static constexpr const char* kCoupler = "Coupler";
  joints::PlacedPair frames;
  std::array<Index, 2> bodies{};
  double offset = 0.0, direction = 1.0;
  bool is_angle = false;
  double reference = 0.0, range = joints::kTurn;
  double period = kUncounted;  ///< of what is known but for multiples of it

  [[nodiscard]] Scalar operator()(const SpaceBodies& all) const {
    Scalar c = is_angle ? turn_near(all, frames, reference, range, bodies[0], bodies[1])
                        : way_of(all, frames, 2, bodies[0], bodies[1]);
    c.value -= offset;
    return direction * c;
  }
};

/// The same in the plane.
struct PlaneSide {
  static constexpr const char* kCoupler = "PlanarCoupler";
  joints::PlanePair frames;
  std::array<Index, 2> bodies{};
  double offset = 0.0, direction = 1.0;
  bool is_angle = false;
  static constexpr double period = kUncounted;

  [[nodiscard]] Scalar operator()(const PlaneBodies& all) const {
    Scalar c = is_angle ? turned(all, bodies[0], bodies[1], frames) : way_along(all, bodies[0], bodies[1], frames);
    c.value -= offset;
    return direction * c;
  }
};

template <class Side, class Bodies>
struct CouplerRows {
  static constexpr Index kLeast = 1, kMost = 3;
  static constexpr const char* kName = "a coupler's bodies";

  Side first, second;
  double ratio, offset;

  [[nodiscard]] static Index count() { return 1; }
  [[nodiscard]] static RowMeaning meaning(Index) { return {RowKind::Coordinate}; }
  [[nodiscard]] Index last_body() const {
    return std::max({first.bodies[0], first.bodies[1], second.bodies[0], second.bodies[1]});
  }
  /// y is known but for multiples of it.
  [[nodiscard]] double period() const { return std::min(first.period, std::abs(ratio) * second.period); }
  template <class Put>
  void operator()(const Bodies& bodies, Put&& put) const {
    Scalar y = first(bodies) - ratio * second(bodies);
    y.value -= offset;
    put(0, y);
  }
};

template <class Side, class Bodies>
class CouplerRelation final : public joints::JointRelation<CouplerRows<Side, Bodies>, Bodies> {
  using Base = joints::JointRelation<CouplerRows<Side, Bodies>, Bodies>;

 public:
  explicit CouplerRelation(CouplerRows<Side, Bodies> rows) : Base(std::move(rows)) {}

  void validate(Index n) const override {
    Base::validate(n);
    const Index count = n / Bodies::kVelocities;
    const auto& one = this->rows_.first.bodies;
    const auto& other = this->rows_.second.bodies;
    for (const auto& [argument, place] : {std::pair{"first_bodies", one[0]}, {"second_bodies", other[0]}}) {
      if (place >= count)
        throw InvalidArgument(std::string(Side::kCoupler) + "::" + argument,
                              "place " + std::to_string(place) + " of " + std::to_string(count) + " bodies",
                              "a body of the list first; the ground may be the second alone");
    }
    for (Index body = 0; body < count; ++body) {
      if (one[0] == body || one[1] == body || other[0] == body || other[1] == body) continue;
      throw InvalidArgument(Base::rows_.kName, "body " + std::to_string(body) + ", of which it has no coordinate",
                            "bodies of its coordinates alone");
    }
  }
  [[nodiscard]] bool follows_outputs() const override { return !std::isinf(this->rows_.period()); }
  /// y of a law that does not hold it, as a stop between two coordinates, may go far in a step.
  [[nodiscard]] double follows_within() const override { return 0.5 * this->rows_.period(); }
  void h(double t, ConstVectorRef q, VectorRef y) const override {
    const double before = y[0];
    Base::h(t, q, y);
    if (follows_outputs() && !std::isnan(before)) y[0] = joints::next_to(before, y[0], this->rows_.period());
  }
};

std::array<Index, 2> places_of(const std::string& argument, const std::array<Index, 2>& bodies) {
  for (const Index place : bodies) check::at_least(argument, place, 0);
  if (bodies[0] == bodies[1])
    throw InvalidArgument(argument, std::to_string(bodies[0]) + " twice", "two bodies, or a body and the ground");
  return bodies;
}

SpaceSide side_of(const std::string& argument, const HingeAngle& angle) {
  SpaceSide side{.frames = joints::placed(argument + ".frames", angle.frames, joints::Normals::Both),
                 .offset = angle.offset,
                 .direction = joints::one_or_minus_one(argument + ".direction", angle.direction),
                 .is_angle = true,
                 .reference = angle.reference};
  const double range = joints::range_of(argument, angle.reference, angle.offset, angle.turns, joints::kMostTurns);
  (range > 0.0 ? side.range : side.period) = range > 0.0 ? range : joints::kTurn;
  return side;
}
SpaceSide side_of(const std::string& argument, const SliderPosition& position) {
  check::finite(argument + ".offset", position.offset);
  return {.frames = joints::placed(argument + ".frames", position.frames, joints::Normals::Any),
          .offset = position.offset,
          .direction = joints::one_or_minus_one(argument + ".direction", position.direction)};
}
template <class Coordinate>
PlaneSide plane_side(const std::string& argument, const Coordinate& coordinate, bool is_angle) {
  check::finite(argument + ".offset", coordinate.offset);
  return {.frames = {argument + ".frames", coordinate.frames},
          .offset = coordinate.offset,
          .direction = joints::one_or_minus_one(argument + ".direction", coordinate.direction),
          .is_angle = is_angle};
}
PlaneSide side_of(const std::string& argument, const PlanarAngle& angle) { return plane_side(argument, angle, true); }
PlaneSide side_of(const std::string& argument, const PlanarPosition& position) {
  return plane_side(argument, position, false);
}

template <class Side, class Bodies, class Description>
std::shared_ptr<const MechanicalRelation> make_coupler(const Description& coupler) {
  const std::string name = Side::kCoupler;
  const auto side = [&name](const char* which, const auto& coordinate, const std::array<Index, 2>& bodies) {
    const std::string argument = name + "::" + which;
    Side made = std::visit([&](const auto& own) { return side_of(argument, own); }, coordinate);
    made.bodies = places_of(argument + "_bodies", bodies);
    return made;
  };
  CouplerRows<Side, Bodies> rows{side("first", coupler.first, coupler.first_bodies),
                                 side("second", coupler.second, coupler.second_bodies),
                                 joints::not_zero(name + "::ratio", coupler.ratio), coupler.offset};
  check::finite(name + "::offset", coupler.offset);
  if (!std::isinf(rows.first.period) && !std::isinf(rows.second.period))
    throw InvalidArgument(name, "two angles that count their turns",
                          "one at most: turns = 1 or 2 of the other, or a GearJoint of two numbers of teeth");
  return std::make_shared<const CouplerRelation<Side, Bodies>>(std::move(rows));
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(Coupler coupler) {
  return make_coupler<SpaceSide, SpaceBodies>(coupler);
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarCoupler coupler) {
  return make_coupler<PlaneSide, PlaneBodies>(coupler);
}

}  // namespace nonsmooth
