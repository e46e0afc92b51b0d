// SPDX-License-Identifier: Apache-2.0
#include "body_loads.hpp"

#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "differences.hpp"
#include "guarded.hpp"
#include "rotation.hpp"

namespace nonsmooth::body_loads {
namespace {

using rotation::cross;
using rotation::skew;

/// Of a point of the body: its velocity is H v, a force f in space on it is H^T f.
using PointJacobian = Eigen::Matrix<double, 3, 6>;

PointJacobian point_jacobian(const Motion& at, const Eigen::Vector3d& point) {
  PointJacobian H;
  H.leftCols<3>().setIdentity();
  H.rightCols<3>().noalias() = -at.R * skew(point);
  return H;
}

/// A spring at an instant.
struct Stretch {
  Stretch(const PointSpring& spring, const Motion& at)
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

/// The load of a GivenLoad in its own axes.
Velocity given(const GivenLoad& load, double t, const Position& q, const Velocity& v) {
  Velocity value = Velocity::Zero();
  call_part("load(t, q, v)", [&] { load.load(t, q, v, value); });
  return value;
}

/// Its force in space and its moment about the centre of mass, in body axes.
Velocity in_axes(const GivenLoad& load, const Eigen::Matrix3d& R, const Velocity& value) {
  const bool turns = load.force_axes == LoadAxes::Body;
  const Eigen::Vector3d first = value.head<3>(), second = value.tail<3>();
  const Eigen::Vector3d of_body = turns ? first : Eigen::Vector3d(R.transpose() * first);
  Velocity F;
  F.head<3>() = turns ? Eigen::Vector3d(R * first) : first;
  F.tail<3>() = (load.moment_axes == LoadAxes::Body ? second : Eigen::Vector3d(R.transpose() * second)) +
                cross(load.point, of_body);
  return F;
}

/// The same of each column.
void add_in_axes(const GivenLoad& load, const Eigen::Matrix3d& R, const Jacobian& columns, Jacobian& J) {
  for (Index j = 0; j < 6; ++j) J.col(j) += in_axes(load, R, columns.col(j));
}

void given_dq(const GivenLoad& load, const Motion& at, const Velocity& value, Jacobian& columns) {
  if (load.load_dq) {
    call_part("load_dq(t, q, v)", [&] { load.load_dq(at.t, at.q, at.v, columns); });
    return;
  }
  for (Index j = 0; j < 6; ++j) {
    Velocity w = Velocity::Zero();
    w[j] = j < 3 ? differences::step_at(at.q[j]) : differences::kStep;
    Position moved = at.q;
    retract(moved, w);
    columns.col(j) = (given(load, at.t, moved, at.v) - value) / w[j];
  }
}

void given_dv(const GivenLoad& load, const Motion& at, Jacobian& columns) {
  if (load.load_dv) {
    call_part("load_dv(t, q, v)", [&] { load.load_dv(at.t, at.q, at.v, columns); });
    return;
  }
  const Velocity value = given(load, at.t, at.q, at.v);
  for (Index j = 0; j < 6; ++j) {
    Velocity moved = at.v;
    const double step = differences::step_at(at.v[j]);
    moved[j] += step;
    columns.col(j) = (given(load, at.t, at.q, moved) - value) / step;
  }
}

struct Force {
  const Motion& at;
  Velocity& F;

  void operator()(const GivenLoad& load) const { F += in_axes(load, at.R, given(load, at.t, at.q, at.v)); }
  void operator()(const PointSpring& spring) const {
    const Stretch s(spring, at);
    F.noalias() += s.H.transpose() * s.force;
  }
  void operator()(const FollowerForce& load) const {
    F.head<3>().noalias() += at.R * load.force;
    F.tail<3>() += load.moment + cross(load.point, load.force);
  }
  void operator()(const LinearDrag& drag) const {
    F.head<3>() -= drag.translation * at.v.head<3>();
    F.tail<3>() -= drag.rotation * at.v.tail<3>();
  }
};

/// d(R a) = -R [a]x turn, d(R^T a) = [R^T a]x turn for a turn in the body's axes.
struct ForceByPosition {
  const Motion& at;
  Jacobian& J;

  void operator()(const GivenLoad& load) const {
    const Velocity value = given(load, at.t, at.q, at.v);
    Jacobian columns = Jacobian::Zero();
    given_dq(load, at, value, columns);
    add_in_axes(load, at.R, columns, J);
    if (load.force_axes == LoadAxes::Body) {
      J.topRightCorner<3, 3>().noalias() -= at.R * skew(value.head<3>());
    } else {
      J.bottomRightCorner<3, 3>().noalias() += skew(load.point) * skew(at.R.transpose() * value.head<3>());
    }
    if (load.moment_axes == LoadAxes::Inertial) J.bottomRightCorner<3, 3>() += skew(at.R.transpose() * value.tail<3>());
  }
  void operator()(const PointSpring& spring) const {
    const Stretch s(spring, at);
    PointJacobian df = force_by_line(spring, s) * s.H;
    // The point's velocity turns too: d(R (Omega x point)) = -R [Omega x point]x turn.
    const Eigen::Matrix3d by_velocity = -spring.damping * s.direction * s.direction.transpose();
    df.rightCols<3>() -= by_velocity * (at.R * skew(cross(at.v.tail<3>(), spring.point)));
    J.noalias() += s.H.transpose() * df;
    J.bottomRightCorner<3, 3>().noalias() += skew(spring.point) * skew(at.R.transpose() * s.force);
  }
  void operator()(const FollowerForce& load) const { J.topRightCorner<3, 3>().noalias() -= at.R * skew(load.force); }
  void operator()(const LinearDrag&) const {}
};

struct ForceByVelocity {
  const Motion& at;
  Jacobian& J;

  void operator()(const GivenLoad& load) const {
    Jacobian columns = Jacobian::Zero();
    given_dv(load, at, columns);
    add_in_axes(load, at.R, columns, J);
  }
  void operator()(const PointSpring& spring) const {
    if (spring.damping == 0.0) return;
    const Stretch s(spring, at);
    const Velocity along = s.H.transpose() * s.direction;
    J.noalias() -= spring.damping * along * along.transpose();
  }
  void operator()(const FollowerForce&) const {}
  void operator()(const LinearDrag& drag) const {
    J.diagonal().head<3>().array() -= drag.translation;
    J.diagonal().tail<3>().array() -= drag.rotation;
  }
};

struct LoadCheck {
  const std::string& argument;

  void operator()(const GivenLoad& load) const {
    if (!load.load) throw InvalidArgument(argument + ": GivenLoad::load", "no function", "one of (t, q, v)");
    check::finite(argument + ": GivenLoad::point", ConstVectorRef(load.point));
  }
  void operator()(const PointSpring& spring) const {
    check::finite(argument + ": PointSpring::point", ConstVectorRef(spring.point));
    check::finite(argument + ": PointSpring::anchor", ConstVectorRef(spring.anchor));
    check::finite(argument + ": PointSpring::stiffness", spring.stiffness);
    check::finite(argument + ": PointSpring::damping", spring.damping);
    check::range(argument + ": PointSpring::rest_length", spring.rest_length, 0.0, std::numeric_limits<double>::max());
  }
  void operator()(const FollowerForce& load) const {
    check::finite(argument + ": FollowerForce::point", ConstVectorRef(load.point));
    check::finite(argument + ": FollowerForce::force", ConstVectorRef(load.force));
    check::finite(argument + ": FollowerForce::moment", ConstVectorRef(load.moment));
  }
  void operator()(const LinearDrag& drag) const {
    check::finite(argument + ": LinearDrag::translation", drag.translation);
    check::finite(argument + ": LinearDrag::rotation", drag.rotation);
  }
};

}  // namespace

void retract(Position& q, const Velocity& w) {
  q.head<3>() += w.head<3>();
  q.tail<4>() = rotation::turned(q.tail<4>(), w.tail<3>());
}

Motion::Motion(double time, const Position& position, const Velocity& velocity)
    : t(time), q(position), v(velocity), R(rotation::matrix(q.tail<4>())) {}

void validate(const std::string& argument, const BodyLoad& load) { std::visit(LoadCheck{argument}, load); }

bool couples(const BodyLoad& load) { return !std::holds_alternative<LinearDrag>(load); }

void add(const BodyLoad& load, const Motion& at, Velocity& F) { std::visit(Force{at, F}, load); }

void add_dq(const BodyLoad& load, const Motion& at, Jacobian& J) { std::visit(ForceByPosition{at, J}, load); }

void add_dv(const BodyLoad& load, const Motion& at, Jacobian& J) { std::visit(ForceByVelocity{at, J}, load); }

double potential(const BodyLoad& load, const Position& q) {
  if (const auto* given = std::get_if<GivenLoad>(&load)) {
    double value = 0.0;
    if (given->potential) call_part("potential(q)", [&] { value = given->potential(q); });
    return value;
  }
  const auto* spring = std::get_if<PointSpring>(&load);
  if (!spring) return 0.0;
  const Eigen::Vector3d line = q.head<3>() + rotation::rotate(q.tail<4>(), spring->point) - spring->anchor;
  const double stretch = line.norm() - spring->rest_length;
  return 0.5 * spring->stiffness * stretch * stretch;
}

}  // namespace nonsmooth::body_loads
