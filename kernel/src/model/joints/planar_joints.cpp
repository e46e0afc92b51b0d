// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/kernel/relations/frictional_joints.hpp>

#include "joint_relation.hpp"
#include "model/bodies/plane_frames.hpp"

namespace nonsmooth {
namespace {

using joints::PlaneBodies;

/// A rod between two points. A position of 6 numbers is two bodies in the plane, of 7 one in space.
class RodRelation final : public MechanicalRelation, public RelationOfRows, public joints::RelationOfBodies {
 public:
  explicit RodRelation(const DistanceJoint& joint)
      : first_(joint.first_point), second_(joint.second_point), length_(joint.length) {}

  [[nodiscard]] Index rows() const override { return 1; }
  [[nodiscard]] RowMeaning row_meaning(Index) const override { return {RowKind::Coordinate}; }
  [[nodiscard]] bool depends_on_time() const override { return false; }
  [[nodiscard]] bool is_joint() const override { return true; }
  [[nodiscard]] bool measures_ground(Index bodies) const override { return bodies < 2; }
  void validate_system(const std::string& name, Index nq, Index nv) const override {
    if ((nq != 7 || nv != 6) && (nq != 3 || nv != 3))
      joints::refuse_system("DistanceJoint's bodies", name, nq, nv, "bodies in space, of 7 and 6, or in the plane");
    if (nq == 7 || (first_[2] == 0.0 && second_[2] == 0.0)) return;
    const std::string point = first_[2] != 0.0 ? "first_point" : "second_point";
    throw InvalidArgument("DistanceJoint::" + point, "a third coordinate between bodies in the plane", "0");
  }
  void validate(Index n) const override {
    if (n != 3 && n != 6 && n != 12) refuse(n, "velocities", "3 or 6 a body, of 1 or 2 bodies");
  }
  void h(double, ConstVectorRef q, VectorRef y) const override { y[0] = distance(q, false, nullptr).value - length_; }
  void H(double, ConstVectorRef q, MatrixRef jacobian) const override {
    jacobian.row(0) = distance(q, true, nullptr).gradient;
  }
  void curvature(double, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override {
    value[0] = distance(q, false, v.data()).known_bias();
  }

 private:
  [[noreturn]] static void refuse(Index numbers, const char* of_what, const char* expected) {
    throw InvalidArgument("DistanceJoint's bodies", std::to_string(numbers) + " " + of_what, expected);
  }
  static bool in_space(Index nq) {
    if (nq == 7 || nq == 14) return true;
    if (nq == 3 || nq == 6) return false;
    refuse(nq, "coordinates", "7 a body in space or 3 in the plane, of 1 or 2 bodies");
  }
  [[nodiscard]] joints::Scalar distance(ConstVectorRef q, bool gradients, const double* v) const {
    if (in_space(q.size())) return between(joints::SpaceBodies(q, gradients, v));
    return between(PlaneBodies(q, gradients, v));
  }
  template <class Bodies>
  [[nodiscard]] joints::Scalar between(const Bodies& bodies) const {
    const joints::Vector offset = bodies.point(0, first_) - bodies.point(1, second_);
    if (offset.value.isZero(0.0)) throw InvalidArgument("DistanceJoint", "its points at one place", "a distance > 0");
    return length(offset);
  }

  Eigen::Vector3d first_, second_;
  double length_;
};

/// What the rows are: of the points, of the points across the axis (and the angle); FreeTurn and FreeWay end with what
/// stays free.
enum class PlaneRows : unsigned char { Point, Across, PointAndAngle, FreeTurn, FreeWay };

struct PlanePairRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a planar joint's bodies";

  PlaneRows kind;
  joints::PlanePair frames;

  [[nodiscard]] Index count() const { return kind == PlaneRows::Point || kind == PlaneRows::Across ? 2 : 3; }
  [[nodiscard]] RowMeaning meaning(Index row) const {
    if (row < 2 || kind == PlaneRows::PointAndAngle) return joints::kHeldRow;
    return joints::rubbing_row(kind == PlaneRows::FreeTurn ? "PlanarHingeFrictionLaw" : "PlanarSliderFrictionLaw");
  }
  template <class Put>
  void operator()(const PlaneBodies& bodies, Put&& put) const {
    const joints::Vector offset = way_between(bodies, 0, 1, frames);
    Index row = 0;
    if (kind == PlaneRows::Across || kind == PlaneRows::FreeWay) {
      put(row++, dot(bodies.direction(1, frames.second.normal), offset));
    } else {
      for (; row < 2; ++row) put(row, component(offset, row));
    }
    if (kind == PlaneRows::Point) return;
    put(row++, turned(bodies, 0, 1, frames));
    if (kind == PlaneRows::FreeWay) put(row, way_along(bodies, 0, 1, frames));
  }
};

std::shared_ptr<const MechanicalRelation> make_planar_joint(PlaneRows kind, const std::string& name,
                                                            const PlanarFrames& frames) {
  return std::make_shared<const joints::JointRelation<PlanePairRows, PlaneBodies>>(
      PlanePairRows{kind, {name + "::frames", frames}});
}

}  // namespace

joints::PlaneFrame::PlaneFrame(const std::string& argument, const PlanarFrame& frame)
    : point(frame.point[0], frame.point[1], 0.0),
      axis(std::cos(frame.angle), std::sin(frame.angle), 0.0),
      normal(-axis[1], axis[0], 0.0),
      angle(frame.angle) {
  check::finite(argument + ".point", ConstVectorRef(frame.point));
  check::finite(argument + ".angle", frame.angle);
}

std::shared_ptr<const MechanicalRelation> make_relation(DistanceJoint joint) {
  check::finite("DistanceJoint::first_point", ConstVectorRef(joint.first_point));
  check::finite("DistanceJoint::second_point", ConstVectorRef(joint.second_point));
  check::positive("DistanceJoint::length", joint.length);
  return std::make_shared<const RodRelation>(joint);
}
std::shared_ptr<const MechanicalRelation> make_relation(PlanarHinge joint) {
  return make_planar_joint(PlaneRows::Point, "PlanarHinge", joint.frames);
}
std::shared_ptr<const MechanicalRelation> make_relation(PlanarSlider joint) {
  return make_planar_joint(PlaneRows::Across, "PlanarSlider", joint.frames);
}
std::shared_ptr<const MechanicalRelation> make_relation(PlanarFixed joint) {
  return make_planar_joint(PlaneRows::PointAndAngle, "PlanarFixed", joint.frames);
}
std::shared_ptr<const MechanicalRelation> make_relation(PlanarFrictionalHinge joint) {
  return make_planar_joint(PlaneRows::FreeTurn, "PlanarFrictionalHinge", joint.frames);
}
std::shared_ptr<const MechanicalRelation> make_relation(PlanarFrictionalSlider joint) {
  return make_planar_joint(PlaneRows::FreeWay, "PlanarFrictionalSlider", joint.frames);
}

}  // namespace nonsmooth
