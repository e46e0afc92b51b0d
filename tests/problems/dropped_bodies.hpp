// SPDX-License-Identifier: Apache-2.0
// Many bodies dropped into an open box: the pile that rigid-body engines are compared on. Or laid into it, one on
// others, so that a pile of any number is near its rest at once.
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/mass_properties.hpp>
#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth::problems {

/// Bodies of 1000 kg/m^3 above a floor z = 0 between four walls, at rest on a cubic lattice of 0.115 m, each coordinate
/// off by at most 6 mm (xorshift of 64 bits, one seed): they fall onto each other at once. mu = 0.5, e = 0, g = 9.81.
struct DroppedBodies {
  enum class Kind : unsigned char {
    Spheres,  ///< of radius 0.05 m
    Boxes,    ///< of half extents 33, 28 and 24 mm, turned at random
  };
  Kind kind = Kind::Spheres;
  Index count = 1000;
  Index columns = 8;  ///< of the lattice, in x and in y; the box is 0.115 columns + 0.08 m wide: 1 m for 8

  bool laid = false;  ///< one on others (laid_bodies.hpp), not on the lattice

  static constexpr double radius = 0.05, density = 1000.0, friction = 0.5, gravity = 9.81;
  static inline const Eigen::Vector3d half_extents{0.033, 0.028, 0.024};

  [[nodiscard]] double half_width() const noexcept { return 0.5 * (0.115 * static_cast<double>(columns) + 0.08); }
  [[nodiscard]] Shape shape() const;           ///< of one body
  [[nodiscard]] MassProperties solid() const;  ///< of it
  [[nodiscard]] double mass() const { return solid().mass; }
  /// Columns for which a box of `count` bodies is 16 layers deep, as that of 1000 is: deep enough to flow, whatever the
  /// count.
  [[nodiscard]] static Index columns_of_sixteen_layers(Index count);

  struct Place {
    Eigen::Vector3d position;
    Eigen::Vector4d orientation;  ///< (w, x, y, z)
  };
  [[nodiscard]] std::vector<Place> places() const;
};

/// Their model, with its source of contacts.
struct DroppedModel {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;
  std::shared_ptr<const BodyContacts> contacts;
};
[[nodiscard]] DroppedModel dropped_model(const DroppedBodies& scene);

/// The largest depth of two shapes in each other, 0 where none overlap [m].
[[nodiscard]] double deepest(const State& state, const ContactSource& contacts);

}  // namespace nonsmooth::problems
