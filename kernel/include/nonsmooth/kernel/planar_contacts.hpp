// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel/contact_materials.hpp>
#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/planar_shapes.hpp>
#include <nonsmooth/kernel/shape_contacts.hpp>

namespace nonsmooth {

struct InPlane;  // internal

/// A body of the plane and what it is made of. Its system has q = (x, y, angle), the centre of mass and the angle from
/// inertial to body frame, and v = (xdot, ydot, angular velocity).
struct PlanarBodyShapes {
  SystemHandle body;
  std::vector<PlanarShapeOnBody> shapes{};  ///< that never touch each other; none: nothing touches the body
};

/// Contacts between bodies of the plane by their shapes, and with shapes of the ground.
///
/// Rows by their number, N from the second body to the first: 1 (N), 2 (N, T), 3 (N, T, R), R the relative angular
/// velocity; T is N turned clockwise. The law is any that contacts found anew can have, of 3 rows one of rolling
/// friction; laws of different rows may stand side by side. Gaps are distances of shapes, or minus the least way that
/// separates them, to 1e-12 of their sizes; where sides meet, both ends of what they share are contacts, with gaps
/// along the normal of the closest points. A feature is the pair of shapes and the vertex that meets the other.
///
/// Every contact that the present velocities can close within the horizon is found, however fast bodies are, but for
/// the tip of a ridge of a HeightLine, which is found where it lies before a shape now; BodyView::push times the speed
/// of the fastest point of all, which others may hand on, is looked ahead for beside. Under MoreauJean with forecast
/// = 1 and theta = 1 no body passes through another by its own velocity; with theta below 1 it moves by (1 - theta) h
/// |u_N| before it is stopped. Disks alone on a smooth floor: DiskContacts. Cost: O(shapes + pairs); on a HeightLine of
/// n points O(log n + pieces below) more for each shape, vertices times as many where one of these is as high as the
/// shape. A vertex touches 4096 pieces at once at most: detect() throws beyond.
///
/// Without bodies, or with bodies without shapes, a source that finds nothing of them, as a BodyContacts.
class PlanarContacts final : public ShapeContactsOf<PlanarContacts> {
 public:
  /// @throws InvalidArgument: a degenerate shape, a half-plane or a height line on a body, a law with
  /// parameters out of range or of other rows, more than 2^21 shapes and pieces of height lines.
  PlanarContacts(const std::vector<PlanarBodyShapes>& bodies, const std::vector<PlanarShapeOnBody>& ground,
                 const Law& law);
  /// The law of a contact is laws[pairs.law(...)] of the materials that touch.
  /// @throws InvalidArgument likewise; a material or a law that is not there.
  PlanarContacts(const std::vector<PlanarBodyShapes>& bodies, const std::vector<PlanarShapeOnBody>& ground,
                 std::vector<Law> laws, ContactMaterials pairs);

  [[nodiscard]] BodySize body_size() const override { return {3, 3}; }
  void detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
              ContactBatches& found) const override;
  [[nodiscard]] std::vector<Interaction> pairs(const NonSmoothDynamicalSystem& model) const override;
  [[nodiscard]] double passage_depth(const BodyView& bodies, double horizon) const override;

 private:
  struct PairMaker;  // of pairs()

  std::shared_ptr<const ShapeList<InPlane>> shapes_;
};

}  // namespace nonsmooth
