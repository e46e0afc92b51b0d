// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// An interaction, and between which bodies of a source: by position in ContactSource::bodies(), -1: the ground.
struct LinkedContact {
  InteractionHandle interaction;
  Index first = 0, second = -1;
};

/// Links all contacts that a source may ever find (ContactSource::pairs), as the relations of relations/shape_pairs.hpp
/// with the laws of the source. EventDriven does so by itself with the sources of its model; here a model keeps the
/// handles, which other laws and relations can refer to. A pair of shapes that may touch (by groups, masks, exclude())
/// is an interaction; on a half-space or half-plane each end of a capsule is one, each vertex of a box, a polyhedron, a
/// polygon or a segment, each rim or tip of a cylinder or cone, and of a ground with valleys each part between them. Of
/// polygons and segments each vertex of one on the other and of the other on it is one, on height lines each vertex on
/// each part, and each ridge on the shape; of a capsule on a box or polyhedron each end and each edge; on a mesh or
/// height field each end on each part, and each ridge, a straight run of edges that are convex or rims; there also of
/// boxes and polyhedra each vertex on each face (triangles of one plane that hang together), each edge on each ridge
/// and each corner where ridges meet; of cylinders and cones each rim or tip on each face, each ridge and each corner.
/// Over a valley the gap of a vertex on a face is the height over its plane, less than its distance, both zero where
/// they touch. Of boxes and polyhedra on one another each vertex of one on the other is one, and each edge on each
/// edge: apart, the least of their gaps is the distance of the shapes. Of a cylinder or cone on a box or polyhedron
/// each rim or tip is one, each vertex and each edge. Behind each rim come, on each face, the four points that its end
/// stands on, along x and y of the shape, 1e-3 radii inside of the rim and 1e-6 radii out of its plane: the end stands
/// so much higher, and so much above the vertices that stand on it, and where it is tilted by more than 1e-3 rad the
/// rim alone touches. 1e-6 radii have to be more than what counts as closed, 1e-10 of the sum of a body's coordinates:
/// ends of radius r stand where these are below 10^4 r. Conveyors, of bodies and of the ground, are taken, and grains
/// under elliptic friction. In the order of the source's shapes. Cost: as many interactions as pairs of shapes, n^2 / 2
/// of n bodies, 160 of two boxes, E_1 E_2 and more of polyhedra of so many edges, as many of a mesh's ridges; of those
/// that are far a step by events asks for the gap once. Taken are all pairs of shapes, in space and in the plane, but
/// those below. Of a segment and its partner one has a rounding. Where neither has and a corner comes to a corner, a
/// ridge or a valley (nearer than 1e-8 of their distances from the bodies' centres), the normal jumps, and H, curvature
/// and h_t are refused: what is to slide over edges has them round. Boxes and polyhedra have none round: of theirs the
/// same is refused of a vertex on an edge, of an end of an edge on an edge and of edges along one another, as of equal
/// boxes that lie flush. H, curvature and on a conveyor h_t of a capsule that lies along a cylinder or cone it touches,
/// or of cylinders and cones that touch one another elsewhere than where their sides cross, are refused; and of these
/// on a box or polyhedron of a rim on a vertex, a tip or a point that an end stands on on an edge, and an end along an
/// edge; on a mesh or height field of the lowest point of a rim on a ridge too.
/// @throws InvalidArgument: by their shapes and bodies a
/// segment without a rounding on another, on a polygon without one or on a height line; a sphere or capsule on a mesh
/// or height field of which a part has a concave edge or a rim that turns inwards (SphereOnSurface); a source without
/// pairs(), as FilteredContacts; what NonSmoothDynamicalSystem::link() throws. The model is
/// then what it was, but for its revision.
std::vector<LinkedContact> link_contacts(NonSmoothDynamicalSystem& model, const ContactSource& source);

}  // namespace nonsmooth
