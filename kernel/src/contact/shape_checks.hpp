// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <internal/check.hpp>
#include <nonsmooth/kernel/planar_shapes.hpp>
#include <nonsmooth/kernel/shapes.hpp>

/// What a shape's numbers must be, for all who take one; each throws InvalidArgument naming the field. Those of
/// cylinders and cones: narrow_phase::frustum_of; of polygons and segments: planar::convex_polygon, planar::segment.
namespace nonsmooth::shape_checks {

inline void validate(const Sphere& sphere) { check::positive("Sphere::radius", sphere.radius); }
inline void validate(const Box& box) {
  for (const double extent : box.half_extents) check::positive("Box::half_extents", extent);
}
inline void validate(const Capsule& capsule) {
  check::positive("Capsule::radius", capsule.radius);
  check::positive("Capsule::half_length", capsule.half_length);
}
inline void validate(const Disk& disk) { check::positive("Disk::radius", disk.radius); }
/// `field`: whose it is. Its value.
inline double rounding_of(const char* field, double rounding) {
  check::range(field, rounding, 0.0, std::numeric_limits<double>::max());
  return rounding;
}

}  // namespace nonsmooth::shape_checks
