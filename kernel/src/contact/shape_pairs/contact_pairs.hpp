// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/shapes.hpp>

#include "contact/shapes/shape_list.hpp"
#include "pair_skins.hpp"

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
  void begin(const ContactShapes& shapes) {
    shapes_ = shapes;
    skins_ = {};
  }
  /// The same, of two parts that a source of shapes has, with what their surfaces have; what their contacts are called.
  template <class Space>
  std::string begin(const ShapePart<Space>& first, const ShapePart<Space>& second) {
    begin({{ShapePlace{first.body, first.place}, ShapePlace{second.body, second.place}},
           {first.material, second.material}});
    skins_.velocities = {in_space(first.skin.velocity), in_space(second.skin.velocity)};
    skins_.spins = {in_space(first.skin.spin), in_space(second.skin.spin)};
    if constexpr (requires { first.skin.grain; }) {
      skins_.grain_of = second.skin.grain.isZero(0.0) ? 0 : 1;
      skins_.grain = skins_.grain_of == 0 ? first.skin.grain : second.skin.grain;
    }
    return name_of(first.place, second.place, second.body);
  }
  /// Bodies and law by their numbers in the source; second = -1: the ground. The first may be the one that began as
  /// the second.
  void add(Index first, Index second, AnyRelation relation, Index law, std::string name);
  [[nodiscard]] std::vector<Interaction> take() { return std::move(pairs_); }

 private:
  [[nodiscard]] static const SurfaceField& in_space(const SurfaceField& velocity) { return velocity; }
  /// A field of the plane, as one of space.
  [[nodiscard]] static SurfaceField in_space(
      const std::function<Eigen::Vector2d(const Eigen::Vector2d& point, double t)>& velocity) {
    if (!velocity) return {};
    return [velocity](const Eigen::Vector3d& point, double t) {
      const Eigen::Vector2d own = velocity(point.head<2>(), t);
      return Eigen::Vector3d(own.x(), own.y(), 0.0);
    };
  }

  [[nodiscard]] static SurfaceField in_space(
      const std::function<double(const Eigen::Vector2d& point, double t)>& spin) {
    if (!spin) return {};
    return
        [spin](const Eigen::Vector3d& point, double t) { return Eigen::Vector3d(0.0, 0.0, spin(point.head<2>(), t)); };
  }

  const NonSmoothDynamicalSystem& model_;
  const ContactSource& source_;
  ContactShapes shapes_;
  PairSkins skins_{};
  std::vector<char> elliptic_{};  ///< by law
  std::vector<Interaction> pairs_;
};

}  // namespace nonsmooth::shape_pairs
