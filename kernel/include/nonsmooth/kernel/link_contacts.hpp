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
/// is an interaction; on a half-space or half-plane each end of a capsule is one, and each vertex of a box, a
/// polyhedron or a polygon. In the order of the source's shapes. Cost: as many interactions as pairs of shapes, n^2 / 2
/// of n bodies; of those that are far a step by events asks for the gap once.
/// @throws InvalidArgument: pairs that no such relation knows, by their shapes and bodies: a capsule, a box or a
/// polyhedron on a box or a polyhedron, which have several closest points at once, and these two on a sphere of the
/// ground; a mesh, a height field, a cylinder or a cone; in the plane polygons, and segments on one another, and a
/// HeightLine; a conveyor; a law of rolling or elliptic friction; a source without pairs(), as FilteredContacts; what
/// NonSmoothDynamicalSystem::link() throws. The model is then what it was, but for its revision.
std::vector<LinkedContact> link_contacts(NonSmoothDynamicalSystem& model, const ContactSource& source);

}  // namespace nonsmooth
