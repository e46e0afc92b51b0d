// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <variant>
#include <vector>

#include <nonsmooth/kernel/body_contacts.hpp>

#include "contact/contact_rows.hpp"
#include "contact/narrow_phase/narrow_phase.hpp"
#include "contact/shapes/shape_search.hpp"
#include "contact/turn_of.hpp"
#include "frustum_solid.hpp"
#include "half_space_ground.hpp"
#include "rounded_hull.hpp"
#include "surface_ground.hpp"

namespace nonsmooth {

/// What of shapes and their contacts is of space alone.
struct InSpace {
  static constexpr int dimension = 3, positions = 7, velocities = 6;
  static constexpr const char *name_of_q = "BodyContacts::detect: q", *name_of_v = "BodyContacts::detect: v",
                              *words_of_q = "(x, y, z, w, qx, qy, qz) of each body", *numbered = ": shapes",
                              *list_of_body = "BodyShapes::shapes", *shapes_of_bodies = "shapes that bodies can have";

  /// The simpler ones first: pairs() has the simpler of two bodies' shapes as the first.
  using Geometry = std::variant<RoundedHull, FrustumSolid, SurfaceGround, HalfSpaceGround>;
  using BodyShapes = nonsmooth::BodyShapes;
  using Given = ShapeOnBody;
  struct Skin {
    Eigen::Vector3d grain = Eigen::Vector3d::Zero();  ///< in the body's axes
    SurfaceField velocity{}, spin{};

    [[nodiscard]] bool moves() const { return velocity || spin; }
  };
  struct Workspace {
    narrow_phase::PlacedHull first{}, second{};  ///< about the centre of the first
    bool first_is_placed = false;
    narrow_phase::Patch patch{};

    const narrow_phase::PlacedHull& place_first(const RoundedHull& hull, const ShapeSearch<InSpace>& at);
  };

  /// Where a shape is, before make_part().
  static void place(const ShapeOnBody& shape, ShapePart<InSpace>& part);
  /// Many boxes of one size share a hull.
  static void share(std::vector<ShapePart<InSpace>>& parts);

  /// How far the norm of a body's orientation may be from 1 in iterates of a step.
  static constexpr double unit_state = 1e-3;
  [[nodiscard]] static Eigen::Matrix3d turn_of_body(const double* q, Index number) {
    return turn_of(q + 3, unit_state, "BodyContacts::detect: q of body ", number);
  }
  template <class Velocity>
  [[nodiscard]] static double speed(const Velocity& v) {
    return v.template head<3>().norm();
  }
  template <class Velocity>
  [[nodiscard]] static double spin(const Velocity& v) {
    return v.template tail<3>().norm();
  }

  /// In space: of two shapes with one that of the second counts.
  using Grain = Eigen::Vector3d;
  [[nodiscard]] static Grain grain_of(const Skin& one, const Eigen::Matrix3d& turn, const Skin& other,
                                      const Eigen::Matrix3d& other_turn) {
    return other.grain.isZero(0.0) ? turn * one.grain : other_turn * other.grain;
  }
  [[nodiscard]] static Eigen::Matrix3d frame_of(const Eigen::Vector3d& normal, const Grain& grain) {
    return contact_rows::frame_of(normal, grain);
  }
  static void write_rows(const Eigen::Matrix3d& frame, Index rows, const Eigen::Vector3d& lever,
                         const Eigen::Matrix3d& turn, double sign, double* H) {
    contact_rows::write_rows(frame, rows, lever, turn, sign, H);
  }
  static void add_surface_motion(const Skin& skin, const Eigen::Vector3d& place, double t, const Eigen::Matrix3d& turn,
                                 double sign, const Eigen::Matrix3d& frame, std::span<double> h_t) {
    const auto at = [&](const SurfaceField& field) {
      return field ? Eigen::Vector3d(turn * field(place, t)) : Eigen::Vector3d(Eigen::Vector3d::Zero());
    };
    contact_rows::add_surface_motion(frame, sign * at(skin.velocity), sign * at(skin.spin), h_t);
  }
};

inline const narrow_phase::PlacedHull& InSpace::Workspace::place_first(const RoundedHull& hull,
                                                                       const ShapeSearch<InSpace>& at) {
  if (!first_is_placed) first.place(*hull.hull, hull.radius, at.turn(), Eigen::Vector3d::Zero());
  first_is_placed = true;
  return first;
}

}  // namespace nonsmooth
