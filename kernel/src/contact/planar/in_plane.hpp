// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include <nonsmooth/kernel/planar_contacts.hpp>

#include "contact/shapes/shape_search.hpp"
#include "half_plane_ground.hpp"
#include "height_ground.hpp"
#include "planar_rows.hpp"
#include "rounded_polygon.hpp"

namespace nonsmooth {

/// What of shapes and their contacts is of the plane alone.
struct InPlane {
  static constexpr int dimension = 2, positions = 3, velocities = 3;
  static constexpr const char *name_of_q = "PlanarContacts::detect: q", *name_of_v = "PlanarContacts::detect: v",
                              *words_of_q = "(x, y, angle) of each body",
                              *numbered = ": shapes and pieces of height lines",
                              *list_of_body = "PlanarBodyShapes::shapes", *shapes_of_bodies = "shapes that are bounded";

  using Geometry = std::variant<RoundedPolygon, HalfPlaneGround, HeightGround>;
  using BodyShapes = PlanarBodyShapes;
  using Given = PlanarShapeOnBody;
  struct Skin {
    std::function<Eigen::Vector2d(const Eigen::Vector2d&, double)> velocity{};
    std::function<double(const Eigen::Vector2d&, double)> spin{};

    [[nodiscard]] bool moves() const { return velocity || spin; }
  };
  struct Workspace {
    planar::PlacedPolygon first{}, second{};  ///< about the centre of the first
    bool first_is_placed = false;
    planar::Patch patch{};

    const planar::PlacedPolygon& place_first(const RoundedPolygon& polygon, const ShapeSearch<InPlane>& at);
  };

  /// Where a shape is, before make_part().
  static void place(const PlanarShapeOnBody& shape, ShapePart<InPlane>& part);
  /// Polygons are in the axes of their bodies: there is nothing to share.
  static void share(const std::vector<ShapePart<InPlane>>&) {}

  [[nodiscard]] static Eigen::Matrix2d turn_by(double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return Eigen::Matrix2d{{c, -s}, {s, c}};
  }
  [[nodiscard]] static Eigen::Matrix2d turn_of_body(const double* q, Index) { return turn_by(q[2]); }
  template <class Velocity>
  [[nodiscard]] static double speed(const Velocity& v) {
    return v.template head<2>().norm();
  }
  template <class Velocity>
  [[nodiscard]] static double spin(const Velocity& v) {
    return std::abs(v[2]);
  }

  /// The tangent is the normal turned: nothing chooses it.
  struct Grain {};
  [[nodiscard]] static Grain grain_of(const Skin&, const Eigen::Matrix2d&, const Skin&, const Eigen::Matrix2d&) {
    return {};
  }
  /// The normal.
  [[nodiscard]] static Eigen::Vector2d frame_of(const Eigen::Vector2d& normal, Grain) { return normal; }
  static void write_rows(const Eigen::Vector2d& normal, Index rows, const Eigen::Vector2d& lever,
                         const Eigen::Matrix2d&, double sign, double* H) {
    const planar::Rows all = planar::rows_of(normal.x(), normal.y(), lever.x(), lever.y(), sign);
    std::copy_n(all.begin(), 3 * rows, H);
  }
  static void add_surface_motion(const Skin& skin, const Eigen::Vector2d& place, double t, const Eigen::Matrix2d& turn,
                                 double sign, const Eigen::Vector2d& normal, std::span<double> h_t) {
    const Eigen::Vector2d tangent(normal.y(), -normal.x());
    if (h_t.size() > 1 && skin.velocity) h_t[1] += sign * tangent.dot(turn * skin.velocity(place, t));
    if (h_t.size() > 2 && skin.spin) h_t[2] += sign * skin.spin(place, t);
  }
};

inline const planar::PlacedPolygon& InPlane::Workspace::place_first(const RoundedPolygon& polygon,
                                                                    const ShapeSearch<InPlane>& at) {
  if (!first_is_placed) first.place(polygon.polygon, polygon.radius, at.body_turn(), Eigen::Vector2d::Zero());
  first_is_placed = true;
  return first;
}

}  // namespace nonsmooth
