// SPDX-License-Identifier: Apache-2.0
// Pairs of shapes for the tests of their relations, as they lie in space.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "contact/shape_pairs/capsule_on_shape.hpp"
#include "contact/shape_pairs/edge_pair.hpp"
#include "contact/shape_pairs/frustum_distance.hpp"
#include "contact/shape_pairs/frustum_on_hull.hpp"
#include "contact/shape_pairs/pair_checks.hpp"
#include "contact/shape_pairs/rim_on_surface.hpp"
#include "contact/shape_pairs/side_pair.hpp"
#include "contact/shape_pairs/surface_features.hpp"
#include "kernel/shapes/shape_pair_case.hpp"

namespace nonsmooth::shape_pair_cases {

/// Of half extents (0.5, 0.3, 0.4).
inline PairCase on_box(const std::string& name, const Vector3d& center, double gap, bool sphere_is_second = false) {
  return sphere_on(name, SphereOnPolyhedron{.polyhedron = Box{{0.5, 0.3, 0.4}}, .sphere_is_second = sphere_is_second},
                   center, gap);
}
/// Of corners (1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1) times 0.4. Faces look along minus these.
inline PairCase on_tetrahedron(const std::string& name, const Vector3d& center, double gap) {
  const double a = 0.4;
  return sphere_on(
      name, SphereOnPolyhedron{.polyhedron = ConvexPolyhedron({{a, a, a}, {a, -a, -a}, {-a, a, -a}, {-a, -a, a}})},
      center, gap);
}
inline PairCase on_frustum(const std::string& name, const std::variant<Cylinder, Cone>& frustum, const Vector3d& center,
                           double gap, bool sphere_is_second = false) {
  return sphere_on(name, SphereOnFrustum{.frustum = frustum, .sphere_is_second = sphere_is_second}, center, gap);
}
/// A roof over the ridge y = 0, z = 0.3, with slopes of 3 : 4 down to z = -0.45 at y = -1 and 1, from x = -1 to 1; it
/// ends in rims.
inline TriangleMesh roof() {
  return {{{-1.0, -1.0, -0.45},
           {1.0, -1.0, -0.45},
           {1.0, 0.0, 0.3},
           {-1.0, 0.0, 0.3},
           {1.0, 1.0, -0.45},
           {-1.0, 1.0, -0.45}},
          {{0, 1, 2}, {0, 2, 3}, {3, 2, 4}, {3, 4, 5}}};
}
/// The same upside down: a valley along x, slopes of 3 : 4 up to z = 0.45 from z = -0.3. Face 0 is that of y < 0.
inline TriangleMesh gutter() {
  return {
      {{-1.0, -1.0, 0.45}, {1.0, -1.0, 0.45}, {1.0, 0.0, -0.3}, {-1.0, 0.0, -0.3}, {1.0, 1.0, 0.45}, {-1.0, 1.0, 0.45}},
      {{0, 1, 2}, {0, 2, 3}, {3, 2, 4}, {3, 4, 5}}};
}
inline PairCase on_roof(const std::string& name, const Vector3d& center, double gap) {
  return {
      name,
      [center](const Pose& first, const Pose&, Index rows) {
        return make_relation(SphereOnSurface{.sphere = first.sphere(center, kRadius), .surface = roof(), .rows = rows});
      },
      gap, false, true};
}
/// What is sharp on one face of a surface, as sources make it: a point, or of a radius above zero a rim about it whose
/// axis is (0.6, 0, 0.8).
inline PairCase on_face(const std::string& name, const TriangleMesh& mesh, std::int32_t face, const Vector3d& place,
                        double radius, double gap) {
  return {name,
          [=](const Pose& first, const Pose&, Index rows) -> RelationPointer {
            using shape_pairs::ContactRelation, shape_pairs::RoundOnShape, shape_pairs::SurfaceFace;
            const auto surface = mesh.surface();
            const SurfaceFace plane{shape_pairs::surface_faces(surface), face, 0.1};
            const Vector3d point = first.point(place);
            const Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
            const Index checked = shape_pairs::rows_of("SurfaceFace", rows, 3);
            if (radius > 0.0) {
              return std::make_shared<const ContactRelation<shape_pairs::RimOnSurface, joints::SpaceBodies>>(
                  shape_pairs::RimOnSurface(RimOnBody{point, first.direction({0.6, 0.0, 0.8}), radius}, {plane},
                                            surface->middle, turn),
                  checked);
            }
            return std::make_shared<const ContactRelation<RoundOnShape<SurfaceFace>, joints::SpaceBodies>>(
                RoundOnShape<SurfaceFace>{point, 0.0, plane, surface->middle, turn, false}, checked);
          },
          gap,
          false,
          true,
          0.2,
          true};
}
/// What is long meets others near the middle of its axis, whose ends are the arm of what steepness() says.
inline constexpr double kSteepOfLong = 0.2;
/// A capsule on a cylinder or cone about the origin of space, whose middle is `high` above it; as sources make them.
inline PairCase capsule_across(const std::string& name, const std::variant<Cylinder, Cone>& frustum, double high,
                               const Vector3d& from, const Vector3d& to, double gap, bool capsule_is_second = false) {
  return {name,
          [=](const Pose& first, const Pose& second, Index rows) -> RelationPointer {
            const Pose &own = capsule_is_second ? second : first, &other = capsule_is_second ? first : second;
            const Vector3d middle = other.point({0.0, 0.0, high}), begin = own.point(from);
            const Eigen::Matrix3d turn = shape_pairs::turn_of_shape("frustum", middle, other.orientation());
            using Geometry = shape_pairs::CapsuleOnShape<shape_pairs::FrustumShape>;
            const auto shape = std::visit([](const auto& one) { return narrow_phase::frustum_of(one); }, frustum);
            return std::make_shared<const shape_pairs::ContactRelation<Geometry, joints::SpaceBodies>>(
                Geometry{{begin, kRadius, {shape}, middle, turn, capsule_is_second}, own.point(to) - begin},
                shape_pairs::rows_of("CapsuleOnFrustum", rows, 3));
          },
          gap,
          false,
          false,
          kSteepOfLong};
}
/// A cylinder or cone whose middle is at `middle`, tilted from z about y, on one about the origin, along z.
inline PairCase crossed_sides(const std::string& name, const std::variant<Cylinder, Cone>& one,
                              const std::variant<Cylinder, Cone>& other, double tilt, double gap,
                              const Vector3d& middle = {0.05, 0.9, 0.1}) {
  return {name,
          [=](const Pose& first, const Pose& second, Index rows) -> RelationPointer {
            const auto placed = [](const std::variant<Cylinder, Cone>& solid, const Pose& pose, const Vector3d& at,
                                   const Eigen::Vector4d& turned) {
              const Vector3d position = pose.point(at);
              return shape_pairs::SidePair::Solid{
                  std::visit([](const auto& own) { return narrow_phase::frustum_of(own); }, solid), position,
                  shape_pairs::turn_of_shape("solid", position, jointed::times(pose.orientation(), turned))};
            };
            const shape_pairs::SidePair geometry{placed(one, first, middle, jointed::exponential({0.0, tilt, 0.0})),
                                                 placed(other, second, Vector3d::Zero(), {1.0, 0.0, 0.0, 0.0})};
            return std::make_shared<const shape_pairs::ContactRelation<shape_pairs::SidePair, joints::SpaceBodies>>(
                geometry, shape_pairs::rows_of("SidePair", rows, 3));
          },
          gap,
          false,
          false,
          kSteepOfLong};
}
/// Of radii 0.2 and 0.3, half lengths 0.6 and 0.5.
inline PairCase crossed_cylinders(const std::string& name, double tilt, double gap,
                                  const Vector3d& middle = {0.05, 0.9, 0.1}) {
  return crossed_sides(name, Cylinder{kRadius, 0.6}, Cylinder{0.3, 0.5}, tilt, gap, middle);
}
/// The highest edge along `up`, 1 or -1, of a box about `at`, turned.
inline shape_pairs::EdgePair::Edge extreme_edge(const Vector3d& half, const Pose& pose, const Vector3d& at,
                                                const Eigen::Vector4d& turned, double up) {
  const Vector3d position = pose.point(at);
  const Eigen::Matrix3d turn = shape_pairs::turn_of_shape("box", position, jointed::times(pose.orientation(), turned));
  const auto hull = narrow_phase::box_hull(half);
  std::size_t highest = 0;
  double most = -1.0;
  for (std::size_t e = 0; e < hull->edges.size(); ++e) {
    const auto end = [&](Index v) { return hull->vertices[static_cast<std::size_t>(v)]; };
    const double height = up * jointed::turned(turned, end(hull->edges[e].from) + end(hull->edges[e].to))[2];
    if (height > most) most = height, highest = e;
  }
  return {hull, position, turn, highest};
}
inline const double kEighth = std::acos(-1.0) / 4.0;
/// Of a box of half extents (0.5, 0.2, 0.2) about `middle`, along (cos a, sin a, 0) and the lowest of it.
inline shape_pairs::EdgePair::Edge lowest_edge(const Pose& pose, const Vector3d& middle, double a = 0.3) {
  return extreme_edge({0.5, 0.2, 0.2}, pose, middle,
                      jointed::times(jointed::exponential({0.0, 0.0, a}), jointed::exponential({kEighth, 0.0, 0.0})),
                      -1.0);
}
/// That edge on the highest edge of one of half extents (0.2, 0.6, 0.2) about the origin, along y.
inline PairCase crossed_edges(const std::string& name, const Vector3d& middle, double gap) {
  return {name,
          [=](const Pose& first, const Pose& second, Index rows) -> RelationPointer {
            const shape_pairs::EdgePair geometry{lowest_edge(first, middle),
                                                 extreme_edge({0.2, 0.6, 0.2}, second, Vector3d::Zero(),
                                                              jointed::exponential({0.0, kEighth, 0.0}), 1.0)};
            return std::make_shared<const shape_pairs::ContactRelation<shape_pairs::EdgePair, joints::SpaceBodies>>(
                geometry, shape_pairs::rows_of("EdgePair", rows, 3));
          },
          gap,
          false,
          false,
          kSteepOfLong,
          true};
}
/// Such an edge, across the ridge of the roof.
inline PairCase across_ridge(const std::string& name, const Vector3d& middle, double gap) {
  return {name,
          [=](const Pose& first, const Pose&, Index rows) -> RelationPointer {
            const auto surface = roof().surface();
            for (const shape_pairs::SurfaceRidge& ridge : shape_pairs::surface_features(*surface).ridges) {
              if (std::abs((ridge.to - ridge.from).x()) < 1.0 || std::abs(ridge.from.y()) > 0.5) continue;
              const shape_pairs::EdgePair geometry{
                  lowest_edge(first, middle, 1.3),
                  {ridge.wedge, surface->middle + ridge.wedge->middle, Eigen::Matrix3d::Identity(), 0}};
              return std::make_shared<const shape_pairs::ContactRelation<shape_pairs::EdgePair, joints::SpaceBodies>>(
                  geometry, shape_pairs::rows_of("EdgePair", rows, 3));
            }
            return {};
          },
          gap,
          false,
          true,
          kSteepOfLong,
          true};
}
/// A cylinder or cone with its middle at `middle` and its axis along u on a box of half extents (0.5, 0.3, 0.4) about
/// the origin, or an edge of this alone; of `cap` >= 0 what has the rim of that end.
inline PairCase frustum_on_box(const std::string& name, const std::variant<Cylinder, Cone>& solid,
                               const Vector3d& middle, const Vector3d& u, double gap, int cap = -1, Index edge = -1,
                               bool box_is_second = true) {
  return {
      name,
      [=](const Pose& first, const Pose& second, Index rows) -> RelationPointer {
        const Pose &own = box_is_second ? first : second, &other = box_is_second ? second : first;
        const Eigen::Quaterniond turned = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), u);
        const auto turn_of = [](const Pose& pose, const Eigen::Vector4d& turn) {
          return shape_pairs::turn_of_shape("solid", Vector3d::Zero(), jointed::times(pose.orientation(), turn));
        };
        const shape_pairs::FrustumOnBody frustum{
            std::visit([](const auto& shape) { return narrow_phase::frustum_of(shape); }, solid), own.point(middle),
            turn_of(own, {turned.w(), turned.x(), turned.y(), turned.z()})};
        const shape_pairs::HullOnBody box{narrow_phase::box_hull({0.5, 0.3, 0.4}), other.point(Vector3d::Zero()),
                                          turn_of(other, {1.0, 0.0, 0.0, 0.0}), edge};
        const shape_pairs::FrustumOnHull geometry{cap < 0 ? frustum : shape_pairs::cap_of(frustum, cap), box,
                                                  box_is_second};
        return std::make_shared<const shape_pairs::ContactRelation<shape_pairs::FrustumOnHull, joints::SpaceBodies>>(
            geometry, shape_pairs::rows_of("FrustumOnHull", rows, 3));
      },
      gap,
      false,
      false,
      kSteepOfLong,
      true};
}
/// The edge of that box along y, at x = 0.5, z = 0.4.
inline Index edge_of_box() {
  const auto hull = narrow_phase::box_hull({0.5, 0.3, 0.4});
  Index found = 0;
  for (std::size_t e = 0; e < hull->edges.size(); ++e) {
    const auto end = [&](Index v) { return hull->vertices[static_cast<std::size_t>(v)]; };
    const Vector3d sum = end(hull->edges[e].from) + end(hull->edges[e].to);
    if (sum.isApprox(Vector3d(1.0, 0.0, 0.8))) found = static_cast<Index>(e);
  }
  return found;
}
/// By every feature of either: what touches first is `gap` along n over its place on the box.
inline std::vector<PairCase> frusta_on_boxes() {
  const Cylinder post{kRadius, 0.6};
  const Cone cup{0.3, 1.2, 0.1};  // k = 0.2 / 1.2166
  const Vector3d on_edge(0.5, 0.1, 0.4), corner(0.5, 0.3, 0.4), over_edge = Vector3d(1.0, 0.0, 1.0).normalized(),
                                                                over_corner = Vector3d(1.0, 1.0, 1.0).normalized(),
                                                                y = Vector3d::UnitY();
  const double gap = 0.4, c = std::cos(0.7), s = std::sin(0.7);
  // The middle of a cylinder whose lower rim is lowest along n, there.
  const auto over = [&](const Vector3d& place, const Vector3d& n, const Vector3d& u) {
    return Vector3d(place + gap * n + post.half_length * u + post.radius * (n - n.dot(u) * u).normalized());
  };
  const Vector3d tilted(s, 0.2, c), leans = (c * over_edge + s * Vector3d(0.3, 1.0, -0.3)).normalized(),
                                    slants = (s * y + c * Vector3d(1.0, 0.0, -1.0).normalized()).normalized(),
                                    beside = Vector3d(1.0, -1.0, 0.2).cross(over_corner).normalized();
  // A line of the cup's side has the normal n where u . n = -k.
  const double k = 0.2 / std::hypot(0.2, 1.2);
  const Vector3d of_cup = (std::sqrt(1.0 - k * k) * slants - k * over_edge).normalized();
  return {
      frustum_on_box("RimOnFace", post, over({0.1, 0.05, 0.4}, Vector3d::UnitZ(), tilted.normalized()), tilted, gap, 0),
      frustum_on_box("FaceUnderRim", post, over({0.1, 0.05, 0.4}, Vector3d::UnitZ(), tilted.normalized()), tilted, gap,
                     0, -1, false),
      frustum_on_box("RimAcrossEdge", post, over(on_edge, over_edge, leans), leans, gap, 0),
      frustum_on_box("CylindersRimAcrossEdgeAlone", post, over(on_edge, over_edge, leans), leans, gap, -1,
                     edge_of_box(), false),
      frustum_on_box("SideAcrossEdge", post, on_edge + (gap + post.radius) * over_edge + 0.1 * slants, slants, gap, -1,
                     edge_of_box()),
      frustum_on_box("EdgeAcrossSide", post, on_edge + (gap + post.radius) * over_edge + 0.1 * slants, slants, gap, -1,
                     edge_of_box(), false),
      frustum_on_box("ConesSideAcrossEdge", cup, on_edge + 0.7 * over_edge, of_cup, std::nan(""), -1, edge_of_box()),
      frustum_on_box("SideOnVertex", post, corner + (gap + post.radius) * over_corner + 0.1 * beside, beside, gap),
      frustum_on_box("EndOnVertex", post, corner + (gap + post.half_length) * over_corner + 0.1 * beside, over_corner,
                     gap),
      frustum_on_box("RimOnVertex", post, over(corner, over_corner, (c * over_corner + s * beside).normalized()),
                     c * over_corner + s * beside, gap, 0),
      frustum_on_box("TipOnEdge", Cone{0.3, 0.8}, on_edge + gap * over_edge - 0.4 * (c * slants - s * over_edge),
                     c * slants - s * over_edge, gap, -1, edge_of_box())};
}
inline PairCase rim(const std::string& name, double radius, double gap) {
  return {name,
          [radius](const Pose& first, const Pose& second, Index rows) {
            const RimOnBody circle{first.point({0.2, 0.1, 1.1}), first.direction({0.0, 0.6, 0.8}), radius};
            return make_relation(RimOnHalfSpace{circle, second.half_space({0.0, 0.0, 2.0}, 0.1), rows});
          },
          gap};
}
inline PairCase on_segment(const std::string& name, const Vector3d& center, double gap) {
  return {name,
          [center](const Pose& first, const Pose& second, Index rows) {
            const PlanarSegment segment{second.flat({-0.5, 0.1}), second.flat({0.5, 0.1}), 0.05};
            return make_relation(DiskOnSegment{first.disk(center, kRadius), segment, rows});
          },
          gap, true};
}
/// A rectangle of half widths (0.5, 0.3), rounded by 0.05.
inline PairCase on_rectangle(const std::string& name, const Vector3d& center, double gap, bool disk_is_second = false) {
  return {name,
          [=](const Pose& first, const Pose& second, Index rows) {
            const Pose &own = disk_is_second ? second : first, &other = disk_is_second ? first : second;
            const ConvexPolygon rectangle{.vertices = {other.flat({-0.5, -0.3}), other.flat({0.5, -0.3}),
                                                       other.flat({0.5, 0.3}), other.flat({-0.5, 0.3})},
                                          .rounding = 0.05};
            return make_relation(DiskOnPolygon{own.disk(center, kRadius), rectangle, rows, disk_is_second});
          },
          gap, true};
}
/// Flat to x = 0, then down by 3 : 4 to (0.8, -0.6), then in a valley and up.
inline PairCase on_line(const std::string& name, const Vector3d& center, Index part, double gap) {
  return {name,
          [=](const Pose& first, const Pose&, Index rows) {
            return make_relation(DiskOnHeightLine{first.disk(center, kRadius),
                                                  {{{-1.0, 0.0}, {0.0, 0.0}, {0.8, -0.6}, {1.0, -0.6}, {1.6, 0.2}}},
                                                  part,
                                                  rows});
          },
          gap, true, true};
}

inline PairCase capsules(const std::string& name, const Vector3d& from, const Vector3d& to, double gap = std::nan("")) {
  return {name,
          [from, to](const Pose& first, const Pose& second, Index rows) {
            return make_relation(CapsulePair{first.capsule(from, to, kRadius),
                                             second.capsule({0.1, -0.7, 0.0}, {-0.1, 0.6, 0.1}, 0.1), rows});
          },
          gap};
}

inline FloorProfile waves() {
  return {.height = [](double x) { return 0.2 * std::sin(x); },
          .slope = [](double x) { return 0.2 * std::cos(x); },
          .curvature = [](double x) { return -0.2 * std::sin(x); }};
}

inline std::vector<PairCase> pair_cases() {
  const double from_origin = kCenter.norm();
  std::vector<PairCase> cases = frusta_on_boxes();
  const std::vector<PairCase> others{
      {"Spheres",
       [](const Pose& first, const Pose& second, Index rows) {
         return make_relation(SpherePair{first.sphere(kCenter, kRadius), second.sphere(Vector3d::Zero(), 0.3), rows});
       },
       from_origin - 0.5},
      {"SphereInSphere",
       [](const Pose& first, const Pose& second, Index rows) {
         return make_relation(
             SphereInSphere{first.sphere(kCenter, kRadius), second.sphere(Vector3d::Zero(), 2.0), rows});
       },
       1.8 - from_origin},
      {"SphereOnCapsulesSide",
       [](const Pose& first, const Pose& second, Index rows) {
         return make_relation(SphereOnCapsule{first.sphere({0.3, 0.4, 0.7}, kRadius),
                                              second.capsule({-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.1), rows});
       },
       std::hypot(0.4, 0.7) - 0.3},
      {"SphereOnCapsulesEnd",
       [](const Pose& first, const Pose& second, Index rows) {
         return make_relation(SphereOnCapsule{first.sphere({1.3, 0.4, 0.7}, kRadius),
                                              second.capsule({-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.1), rows});
       },
       std::hypot(0.3, 0.4, 0.7) - 0.3},
      capsules("CapsulesCrossed", {-0.5, 0.1, 0.8}, {0.6, -0.2, 0.9}),
      capsules("CapsulesEndOnSide", {-0.5, 0.1, 1.2}, {-0.2, 0.05, 0.6}),
      capsules("CapsulesEndOnEnd", {-0.1, 1.2, 0.9}, {0.9, 1.6, 1.0}, std::hypot(0.6, 0.8) - 0.3),
      {"SphereOnHalfSpace",
       [](const Pose& first, const Pose& second, Index rows) {
         return make_relation(
             SphereOnHalfSpace{first.sphere(kCenter, kRadius), second.half_space({2.0, -1.0, 2.0}, 0.1), rows});
       },
       (2.0 * 0.6 - 0.1 + 2.0 * 0.9) / 3.0 - 0.3},
      {"PointUnderHalfSpace",
       [](const Pose& first, const Pose& second, Index rows) {
         return make_relation(
             SphereOnHalfSpace{first.sphere(-kCenter, 0.0), second.half_space({0.0, 1.0, -4.0}, 0.1), rows});
       },
       (-0.1 + 4.0 * 0.9) / std::sqrt(17.0) - 0.1},
      on_box("SphereOnFace", {0.2, 0.1, 1.1}, 0.7 - kRadius),
      on_box("SphereOnEdge", {0.8, 0.1, 0.8}, 0.5 - kRadius),
      on_box("SphereOnVertex", {0.8, -0.7, 0.8}, std::hypot(0.3, 0.4, 0.4) - kRadius),
      on_box("SphereInBox", {0.4, 0.05, 0.1}, -0.1 - kRadius),
      on_box("BoxOnSphere", {-0.8, 0.7, -0.8}, std::hypot(0.3, 0.4, 0.4) - kRadius, true),
      on_tetrahedron("SphereOnTetrahedronsFace", {-0.5, -0.5, -0.5}, (1.5 - 0.4) / std::sqrt(3.0) - kRadius),
      on_tetrahedron("SphereOnTetrahedronsEdge", {0.1, 0.1, 0.9}, 0.5 - kRadius),
      on_tetrahedron("SphereOnTetrahedronsVertex", {0.7, 0.8, 0.9}, std::hypot(0.3, 0.4, 0.5) - kRadius),
      on_frustum("SphereOnCylindersSide", Cylinder{0.3, 0.5}, {0.6, 0.8, 0.1}, 0.7 - kRadius),
      on_frustum("SphereOnCylindersEnd", Cylinder{0.3, 0.5}, {0.1, -0.1, 1.0}, 0.5 - kRadius),
      on_frustum("SphereOnCylindersCircle", Cylinder{0.3, 0.5}, {0.36, 0.48, 0.9}, 0.5 - kRadius),
      on_frustum("SphereInCylinder", Cylinder{0.9, 0.9}, {0.36, 0.48, 0.1}, -0.3 - kRadius),
      on_frustum("SphereOnConesSide", Cone{0.4, 0.3}, {0.48 * 0.8, 0.64 * 0.8, 0.55},
                 0.6 * 0.24 + 0.8 * 0.55 - kRadius),
      on_frustum("SphereOnTip", Cone{0.4, 0.3}, {0.0, 0.1, 0.8}, std::hypot(0.1, 0.5) - kRadius),
      on_frustum("SphereOnTruncatedConesCircle", Cone{0.4, 0.3, 0.2}, {0.6 * 0.3, 0.8 * 0.3, 0.9},
                 std::hypot(0.1, 0.6) - kRadius),
      on_frustum("CylinderOnSphere", Cylinder{0.3, 0.5}, {0.6, 0.8, 0.1}, 0.7 - kRadius, true),
      capsule_across("CapsuleAcrossCylinder", Cylinder{0.3, 0.5}, 0.0, {-0.5, 0.9, -0.1}, {0.6, 0.9, 0.3}, 0.4),
      capsule_across("CylinderAcrossCapsule", Cylinder{0.3, 0.5}, 0.0, {-0.5, 0.9, -0.1}, {0.6, 0.9, 0.3}, 0.4, true),
      capsule_across("CapsuleAcrossCylindersCircle", Cylinder{0.3, 0.5}, 0.0, {0.1, -0.6, 1.3}, {0.9, 0.5, 0.8},
                     std::nan("")),
      capsule_across("CapsulesEndOnCylindersEnd", Cylinder{0.3, 0.5}, 0.0, {0.1, -0.1, 1.1}, {0.3, 0.2, 1.6},
                     0.6 - kRadius),
      capsule_across("CapsuleAcrossCone", Cone{0.5, 1.2}, 0.6, {-0.5, 0.9, 0.6}, {0.6, 0.9, 0.5}, std::nan("")),
      crossed_edges("EdgesCrossed", {0.1, 0.05, 0.4 + 0.4 * std::sqrt(2.0)}, 0.4),
      crossed_edges("EdgesThatTouch", {0.1, 0.05, 0.4 * std::sqrt(2.0)}, 0.0),
      crossed_edges("EdgesThatOverlap", {0.1, 0.05, 0.4 * std::sqrt(2.0) - 0.05}, -0.05),
      crossed_edges("EdgesEndOnEdge", {0.8, 0.05, 0.4 + 0.4 * std::sqrt(2.0)}, std::nan("")),
      crossed_cylinders("CylindersCrossed", 1.2, 0.4),
      crossed_cylinders("CylindersCrossedAtASmallAngle", -0.3, 0.4),
      crossed_sides("ConeAcrossCylinder", Cone{0.3, 1.2, 0.1}, Cylinder{0.3, 0.5}, 1.2, std::nan("")),
      crossed_sides("CylinderAcrossCone", Cylinder{kRadius, 0.6}, Cone{0.4, 1.0}, -0.7, std::nan(""), {0.35, 0.9, 0.1}),
      crossed_sides("ConesCrossed", Cone{0.3, 1.2}, Cone{0.1, 1.0, 0.4}, 1.2, std::nan("")),
      crossed_sides("ConesThatOverlap", Cone{0.3, 1.2, 0.1}, Cone{0.4, 1.0, 0.2}, 1.2, std::nan(""), {0.05, 0.4, 0.1}),
      on_roof("SphereOnMeshsFace", {0.1, 0.6, 0.7}, 0.8 * 0.4 + 0.6 * 0.6 - kRadius),
      on_roof("SphereOnMeshsEdge", {0.1, 0.1, 0.9}, std::hypot(0.1, 0.6) - kRadius),
      on_roof("SphereOnMeshsVertex", {1.3, 0.1, 0.8}, std::hypot(0.3, 0.1, 0.5) - kRadius),
      on_face("VertexOnMeshsFace", roof(), 1, {0.1, 0.6, 0.7}, 0.0, 0.8 * 0.4 + 0.6 * 0.6),
      on_face("VertexBesideMeshsEdge", roof(), 1, {0.1, -0.1, 0.9}, 0.0, std::hypot(0.1, 0.6)),
      on_face("VertexBesideMeshsVertex", roof(), 1, {1.3, 0.1, 0.8}, 0.0, std::hypot(0.3, 0.1, 0.5)),
      on_face("VertexInMeshsSolid", roof(), 1, {0.1, 0.5, -0.125}, 0.0, -0.04),
      on_face("VertexOverValley", gutter(), 0, {0.1, 0.6, 0.2}, 0.0, 0.8 * 0.5 + 0.6 * 0.6),
      on_face("RimOnMeshsFace", roof(), 1, {0.1, 0.8, 0.7}, 0.3,
              0.8 * 0.4 + 0.6 * 0.8 - 0.3 * std::sqrt(1.0 - 0.64 * 0.64)),
      across_ridge("EdgeAcrossMeshsRidge", {0.1, 0.05, 0.7 + 0.2 * std::sqrt(2.0)}, 0.4),
      across_ridge("EdgeInMeshsRidge", {0.1, 0.05, 0.25 + 0.2 * std::sqrt(2.0)}, -0.05),
      rim("RimOnHalfSpace", 0.3, 1.0 - 0.3 * 0.6),
      rim("TipOnHalfSpace", 0.0, 1.0),
      on_segment("DiskOnSegment", {0.2, 0.8, 0.0}, 0.45),
      on_segment("DiskOnSegmentsEnd", {-0.8, -0.3, 0.0}, 0.25),
      on_rectangle("DiskOnSide", {-0.4, 0.9, 0.0}, 0.35),
      on_rectangle("DiskOnCorner", {0.8, -0.7, 0.0}, 0.25),
      on_rectangle("DiskInPolygon", {0.3, 0.05, 0.0}, -0.45),
      on_rectangle("CornerOnDisk", {0.8, 0.7, 0.0}, 0.25, true),
      on_line("DiskOnPiece", {0.6, 0.3, 0.0}, 0, 0.6 * 0.6 + 0.8 * 0.3 - kRadius),
      on_line("DiskOnRidge", {0.1, 0.5, 0.0}, 0, std::hypot(0.1, 0.5) - kRadius),
      on_line("DiskOnPartBehindValley", {0.2, -0.1, 0.0}, 2, std::hypot(0.8, 0.5) - kRadius),
      {"Disks",
       [](const Pose& first, const Pose& second, Index rows) {
         return make_relation(DiskPair{first.disk({0.8, 0.6, 0.0}, kRadius), second.disk(Vector3d::Zero(), 0.3), rows});
       },
       0.5, true},
      {"DiskInCircle",
       [](const Pose& first, const Pose& second, Index rows) {
         return make_relation(
             DiskInCircle{first.disk({0.8, 0.6, 0.0}, kRadius), second.disk(Vector3d::Zero(), 2.0), rows});
       },
       0.8, true},
      {"DiskOnHalfPlane",
       [](const Pose& first, const Pose& second, Index rows) {
         const HalfSpace at = second.half_space({3.0, 4.0, 0.0}, 0.1);
         return make_relation(
             DiskOnHalfPlane{first.disk({0.8, 0.6, 0.0}, kRadius), {at.normal.head<2>(), at.offset}, rows});
       },
       0.96 - 0.3, true},
      {"DiskOnFloor",
       [](const Pose& first, const Pose&, Index rows) {
         return make_relation(DiskOnFloor{first.disk({0.8, 1.0, 0.0}, kRadius), waves(), rows});
       },
       std::nan(""), true, true}};
  cases.insert(cases.end(), others.begin(), others.end());
  return cases;
}

}  // namespace nonsmooth::shape_pair_cases
