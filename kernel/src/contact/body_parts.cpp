// SPDX-License-Identifier: Apache-2.0
// Shapes as what contacts are found between.
#include "body_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <Eigen/Geometry>

#include <internal/check.hpp>
#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/rotation.hpp"
#include "narrow_phase/frustum.hpp"
#include "narrow_phase/hull.hpp"
#include "narrow_phase/surface.hpp"
#include "shape_checks.hpp"

namespace nonsmooth {

using Eigen::Matrix3d;

Matrix3d turn_of(const double* quaternion, double tolerance, const char* name, Index number) {
  const Eigen::Quaterniond own(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
  if (!(std::abs(own.norm() - 1.0) <= tolerance)) {
    throw InvalidArgument(number < 0 ? name : name + std::to_string(number),
                          "a quaternion of norm " + check::text(own.norm()), "a unit quaternion (w, x, y, z)");
  }
  return own.normalized().toRotationMatrix();
}

/// What a shape adds to its part: hull and radius, a surface, a cylinder or cone, or a plane.
struct BodyContacts::PartMaker {
  Part& part;

  void operator()(const Sphere& sphere) const {
    shape_checks::validate(sphere);
    part.radius = sphere.radius;
    take(narrow_phase::point_hull());
  }
  void operator()(const Box& box) const {
    shape_checks::validate(box);
    take(narrow_phase::box_hull(box.half_extents));
  }
  void operator()(const Capsule& capsule) const {
    shape_checks::validate(capsule);
    part.radius = capsule.radius;
    take(narrow_phase::segment_hull(capsule.half_length));
  }
  void operator()(const ConvexPolyhedron& polyhedron) const { take(polyhedron.hull()); }
  void operator()(const TriangleMesh& mesh) const { take("a triangle mesh", mesh.surface()); }
  void operator()(const HeightField& field) const { take("a height field", field.surface()); }
  void operator()(const Cylinder& cylinder) const { take(narrow_phase::frustum_of(cylinder), 0.0); }
  void operator()(const Cone& cone) const { take(narrow_phase::frustum_of(cone), 0.5 * cone.height); }
  void operator()(const HalfSpace& plane) const {
    check::finite("HalfSpace::normal", ConstVectorRef(plane.normal));
    check::positive("HalfSpace::normal: length", plane.normal.norm());
    check::finite("HalfSpace::offset", plane.offset);
    require_ground("a half-space");
    const Eigen::Vector3d origin = part.position;
    part.position = part.turn * plane.normal.normalized();
    part.offset = plane.offset + part.position.dot(origin);
    part.farthest = std::abs(part.offset);
  }

 private:
  void require_ground(const char* name) const {
    if (part.body >= 0) throw InvalidArgument("BodyShapes::shapes", name, "shapes that bodies can have");
  }
  void enclose(const Eigen::Vector3d& middle, double size) const {
    part.size = size + part.radius;
    part.position += part.turn * middle;
    part.farthest = part.position.norm() + part.size;
  }
  void take(std::shared_ptr<const Hull> hull) const {
    part.hull = std::move(hull);
    enclose(part.hull->middle, part.hull->size);
  }
  /// `middle`: along z from the shape's origin.
  void take(std::shared_ptr<const Frustum> frustum, double middle) const {
    part.frustum = std::move(frustum);
    enclose(middle * Eigen::Vector3d::UnitZ(), part.frustum->size);
  }
  void take(const char* name, std::shared_ptr<const Surface> surface) const {
    require_ground(name);
    part.surface = std::move(surface);
    enclose(part.surface->middle, part.surface->size);
  }
};

BodyContacts::Part BodyContacts::part_of(const ShapeOnBody& shape, Index body, Index place) {
  Part part;
  part.body = body;
  part.place = place;
  part.material = shape.material;
  part.groups = shape.groups;
  part.mask = shape.mask;
  check::finite("ShapeOnBody::position", ConstVectorRef(shape.position));
  part.turn = turn_of(shape.orientation.data(), rotation::kUnitTolerance, "ShapeOnBody::orientation");
  part.position = shape.position;
  check::finite("ShapeOnBody::grain", ConstVectorRef(shape.grain));
  part.grain = part.turn * shape.grain;
  part.surface_velocity = shape.surface_velocity;
  part.surface_spin = shape.surface_spin;
  std::visit(PartMaker{part}, shape.shape);
  return part;
}

double BodyContacts::width_of(const Part& part) {
  if (part.surface) return 0.0;
  if (part.frustum) return narrow_phase::least_width(*part.frustum);
  return narrow_phase::least_width(*part.hull) + 2.0 * part.radius;
}

}  // namespace nonsmooth
