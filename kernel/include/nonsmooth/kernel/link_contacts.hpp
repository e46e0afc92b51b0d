// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// An interaction, and between which bodies of a source: by position in ContactSource::bodies(), -1: the ground.
struct LinkedContact {
  InteractionHandle interaction;
  Index first = 0, second = -1;
};

/// Links all contacts that a source may ever find, as the relations of relations/shape_pairs.hpp with the laws of the
/// source: for EventDriven, which takes contacts that are linked. A pair of shapes that may touch (by groups, masks,
/// exclude()) is an interaction; on a half-space each end of a capsule is one, and each vertex of a box or a
/// polyhedron. In the order of the source's shapes. Cost: as many interactions as pairs of shapes, n^2 / 2 of n bodies;
/// of those that are far a step by events asks for the gap once.
/// @throws InvalidArgument: pairs that no such relation knows, by the names of their bodies: a capsule, a box or a
/// polyhedron on a box or a polyhedron, which have several closest points at once, and these two on a sphere of the
/// ground; a mesh, a height field, a cylinder or a cone; a conveyor; a law of rolling or elliptic friction; what
/// NonSmoothDynamicalSystem::link() throws. The model is then what it was, but for its revision.
std::vector<LinkedContact> link_contacts(NonSmoothDynamicalSystem& model, const BodyContacts& source);
/// Of disks with one another and with the floor. @throws InvalidArgument likewise
std::vector<LinkedContact> link_contacts(NonSmoothDynamicalSystem& model, const DiskContacts& source);

}  // namespace nonsmooth
