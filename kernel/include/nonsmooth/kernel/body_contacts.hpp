// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel/contact_materials.hpp>
#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/shape_contacts.hpp>
#include <nonsmooth/kernel/shapes.hpp>

namespace nonsmooth {

struct InSpace;  // internal

/// A body in space and what it is made of. Its system has q = (x, y, z, w, qx, qy, qz), the centre of mass and the unit
/// quaternion from body to inertial frame, and v = (xdot, ydot, zdot, Omega_1, Omega_2, Omega_3), Omega in the axes of
/// the body.
struct BodyShapes {
  SystemHandle body;
  std::vector<ShapeOnBody> shapes{};  ///< that never touch each other; none: nothing touches the body
};

/// Contacts between bodies in space by their shapes, and with shapes of the ground.
///
/// Rows by their number, N from the second body to the first: 1 (N), 3 (N, T1, T2), 4 (N, T1, T2, S),
/// 5 (N, T1, T2, R1, R2), 6 (N, T1, T2, R1, R2, S). Those of S and R are relative angular velocities about N, T1 and
/// T2. Tangents follow from the normal, or the first from the grain of a shape. The law is any that contacts found anew
/// can have, of 4 to 6 rows one of rolling friction; laws of different rows may stand side by side. Gaps are distances
/// of shapes, or minus the least way that separates them, to 1e-12 of their sizes; where faces meet, all vertices of
/// the polygon in which they overlap are contacts, with gaps along the normal of the closest features. A feature is the
/// pair of shapes and of what meets there: it lasts as long as the same vertices and edges meet.
///
/// On triangle meshes and height fields nothing is felt but their faces and the convex edges and vertices between them:
/// what slides over edges within a plane moves as on a half-space, its contacts with the names of its own vertices. The
/// normal of an edge or vertex is among those of the faces about it, and concave ones have none of their own. Gaps are
/// distances to triangles, over faces of several to their mean plane (to some `coplanar` of the size), and depths are
/// those of the nearest point of the surface; where sharp edges are past each other, so that no vertex is in the other,
/// the shortest way out. Spheres and capsules are not looked at so, and what is past a rim is not always found. Cost of
/// a body on a surface: O(log triangles + those near the body), or all that are as near where it is deep inside; some
/// names of features are taken by a surface: about one shape's for 2000 triangles.
///
/// Cylinders and cones keep their curved sides: nothing of them is a polyhedron. Gaps hold to 1e-12 of the sizes (of
/// two whose axes are within 1e-11 to 1e-6 rad of parallel, one in a hundred to 1e-9 only), normals too but
/// beside the circle of an end at a distance d: to 1e-15 of the size over d. On a plane or a face they touch in the
/// lowest point of a circle, along a line of the side in its two ends, and with an end in four points that stand on the
/// shape (along x and y) and the lowest one while it is tilted: an end that stands starts to tip over the square of its
/// four points, and goes on over the circle. Two of them touch with their ends in those of these points of each that
/// are on the other and where the circles cross, and side by side in the two ends of what their lines have in common.
/// Where they and another shape are deeper in each other than a tenth of their sizes, the depth told is a way that
/// separates them, not always the least. Cost of two: some 300 distances of points, ten times that where they overlap;
/// on a surface of T triangles near: O(T) a point.
///
/// Every contact that the present velocities can close within the horizon is found, however fast bodies are: balls
/// about the shapes are swept by horizon |v|, and by BodyView::push times the speed of the fastest point of all, which
/// others may hand on. Time-stepping has a horizon of forecast h (MoreauJean): with forecast = 1 and theta = 1 no body
/// passes through another by its own velocity. With theta below 1 it still goes (1 - theta) h |u_N| in the step that
/// stops it, with forecast below 1 it may enter by (1 - forecast) h |u_N| before, and comes out on the side where it
/// came from if that is less than half of what it entered. A spin is looked ahead for by a bound on distances, but gaps
/// are forecast along the tangent of a turn. Cost: O(shapes + pairs).
///
/// Of no bodies, or of bodies without shapes, it is a source as well, which finds nothing of them: a place for those
/// that NonSmoothDynamicalSystem::replace() brings, between steps too.
class BodyContacts final : public ShapeContactsOf<BodyContacts> {
 public:
  /// @throws InvalidArgument: a degenerate shape, an orientation that is no unit quaternion, a half-space, mesh or
  /// height field on a body, a law with parameters out of range or of other rows, more than 2^21 shapes, with
  /// those whose names surfaces take.
  BodyContacts(const std::vector<BodyShapes>& bodies, const std::vector<ShapeOnBody>& ground, const Law& law);
  /// The law of a contact is laws[pairs.law(...)] of the materials that touch.
  /// @throws InvalidArgument likewise; a material or a law that is not there.
  BodyContacts(const std::vector<BodyShapes>& bodies, const std::vector<ShapeOnBody>& ground, std::vector<Law> laws,
               ContactMaterials pairs);

  [[nodiscard]] BodySize body_size() const override { return {7, 6}; }
  /// @throws InvalidArgument: coordinates of other bodies than bodies(), orientations that are no unit quaternions.
  void detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
              ContactBatches& found) const override;
  [[nodiscard]] std::vector<Interaction> pairs(const NonSmoothDynamicalSystem& model) const override;
  [[nodiscard]] double passage_depth(const BodyView& bodies, double horizon) const override;

 private:
  struct PairMaker;  // of pairs()

  std::shared_ptr<const ShapeList<InSpace>> shapes_;
};

}  // namespace nonsmooth
