// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/loads/point_spring.hpp>

#include <limits>

#include <internal/check.hpp>

#include "model/bodies/rotation.hpp"

namespace nonsmooth {
namespace {

using rotation::skew;

/// Of a point of the body: its velocity is H v, a force f in space on it is H^T f.
using PointJacobian = Eigen::Matrix<double, 3, 6>;

PointJacobian point_jacobian(const BodyLoad::Motion& at, const Eigen::Vector3d& point) {
  PointJacobian H;
  H.leftCols<3>().setIdentity();
  H.rightCols<3>().noalias() = -at.R * skew(point);
  return H;
}

/// A spring at an instant.
struct Stretch {
  Stretch(const PointSpring& spring, const BodyLoad::Motion& at)
      : H(point_jacobian(at, spring.point)), line(at.q.head<3>() + at.R * spring.point - spring.anchor) {
    length = line.norm();
    direction = length > 0.0 ? Eigen::Vector3d(line / length) : Eigen::Vector3d::Zero();
    velocity.noalias() = H * at.v;
    tension = spring.stiffness * (length - spring.rest_length) + spring.damping * direction.dot(velocity);
    force = -tension * direction;
  }
  PointJacobian H;
  Eigen::Vector3d line, direction, velocity, force;
  double length, tension;
};

/// d force / d line: the line turns what pulls and, along itself, stretches the spring.
Eigen::Matrix3d force_by_line(const PointSpring& spring, const Stretch& s) {
  const Eigen::Matrix3d along = s.direction * s.direction.transpose();
  if (s.length == 0.0) return -spring.stiffness * Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d across = (Eigen::Matrix3d::Identity() - along) / s.length;
  return -spring.stiffness * along - s.tension * across -
         spring.damping * s.direction * (s.velocity.transpose() * across);
}

class PointSpringLoad final : public BodyLoad {
 public:
  explicit PointSpringLoad(const PointSpring& spring) : spring_(spring) {}

  void validate(const std::string& load) const override {
    check::finite(load + ": PointSpring::point", ConstVectorRef(spring_.point));
    check::finite(load + ": PointSpring::anchor", ConstVectorRef(spring_.anchor));
    check::finite(load + ": PointSpring::stiffness", spring_.stiffness);
    check::range(load + ": PointSpring::damping", spring_.damping, 0.0, std::numeric_limits<double>::max());
    check::range(load + ": PointSpring::rest_length", spring_.rest_length, 0.0, std::numeric_limits<double>::max());
  }
  void add(const Motion& at, Force& F) const override {
    const Stretch s(spring_, at);
    F.noalias() += s.H.transpose() * s.force;
  }
  /// d(R a) = -R [a]x turn, d(R^T a) = [R^T a]x turn.
  void add_dq(const Motion& at, Jacobian& J) const override {
    const Stretch s(spring_, at);
    PointJacobian df = force_by_line(spring_, s) * s.H;
    // The point's velocity turns too: d(R (Omega x point)) = -R [Omega x point]x turn.
    const Eigen::Matrix3d by_velocity = -spring_.damping * s.direction * s.direction.transpose();
    df.rightCols<3>() -= by_velocity * (at.R * skew(rotation::cross(at.v.tail<3>(), spring_.point)));
    J.noalias() += s.H.transpose() * df;
    J.bottomRightCorner<3, 3>().noalias() += skew(spring_.point) * skew(at.R.transpose() * s.force);
  }
  void add_dv(const Motion& at, Jacobian& J) const override {
    if (spring_.damping == 0.0) return;
    const Stretch s(spring_, at);
    const Velocity along = s.H.transpose() * s.direction;
    J.noalias() -= spring_.damping * along * along.transpose();
  }
  [[nodiscard]] double potential(const Position& q) const override {
    const Eigen::Vector3d line = q.head<3>() + rotation::rotate(q.tail<4>(), spring_.point) - spring_.anchor;
    const double stretch = line.norm() - spring_.rest_length;
    return 0.5 * spring_.stiffness * stretch * stretch;
  }

 private:
  PointSpring spring_;
};

}  // namespace

std::shared_ptr<const BodyLoad> make_load(PointSpring load) { return std::make_shared<const PointSpringLoad>(load); }

}  // namespace nonsmooth
