// SPDX-License-Identifier: Apache-2.0
#include "rigid_body.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/describe.hpp"

namespace nonsmooth {
namespace {

std::string text_of(ConstVectorRef values) {
  std::string text = "(";
  for (Index i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + check::text(values[i]);
  return text + ")";
}

/// Symmetric to rounding, positive principal moments of which none exceeds the sum of the others (a plate has
/// equality).
void check_inertia(const std::string& argument, const Eigen::Matrix3d& J) {
  check::finite(argument, ConstMatrixRef(J));
  if ((J - J.transpose()).norm() > 1e-12 * J.norm())
    throw InvalidArgument(argument, "a matrix that is not symmetric", "J = J^T");
  Eigen::VectorXd moments = symmetric_eigen(J).values;
  std::sort(moments.begin(), moments.end());
  const std::string found = "principal moments " + text_of(moments);
  if (!(moments[0] > 0.0)) throw InvalidArgument(argument, found, "positive ones (an inertia is positive definite)");
  if (moments[2] - moments[0] - moments[1] > 1e-12 * moments[2])
    throw InvalidArgument(argument, found, "none larger than the sum of the others, which no body has");
}

void validate(const RigidBody& body) {
  const std::string type = "RigidBody";
  check::positive(type + "::mass", body.mass);
  check_inertia(type + "::inertia", body.inertia);
  check::finite(type + "::position", ConstVectorRef(body.position));
  check::finite(type + "::orientation", ConstVectorRef(body.orientation));
  if (std::abs(body.orientation.norm() - 1.0) > rotation::kUnitTolerance) {
    throw InvalidArgument(type + "::orientation",
                          text_of(body.orientation) + " of length " + check::text(body.orientation.norm()),
                          "a unit quaternion (w, x, y, z)");
  }
  check::finite(type + "::velocity", ConstVectorRef(body.velocity));
  check::finite(type + "::angular_velocity", ConstVectorRef(body.angular_velocity));
  check::finite(type + "::gravity", ConstVectorRef(body.gravity));
  check_loads(type, body.loads);
  describe::check_prescribed(type, body.prescribed, 6);
  describe::check_impulses(type, body.impulses, 6);
}

RigidBody with_unit_orientation(RigidBody body) {
  body.orientation /= body.orientation.norm();
  return body;
}

}  // namespace

void check_loads(const std::string& type, const std::vector<AnyBodyLoad>& loads) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::string argument = type + "::loads[" + std::to_string(i) + "]";
    if (!loads[i].pointer()) throw InvalidArgument(argument, "a null pointer", "a load");
    loads[i].pointer()->validate(argument);
  }
}

RigidBodySystem::RigidBodySystem(RigidBody body)
    : BodySystem(with_unit_orientation(body), 0.5 * (body.inertia + body.inertia.transpose())),
      even_(inertia() == inertia()(0, 0) * Inertia::Identity()) {}

Eigen::VectorXd RigidBodySystem::initial_position() const {
  Position q;
  q << body_.position, body_.orientation;
  return q;
}

Eigen::VectorXd RigidBodySystem::initial_velocity() const {
  Velocity v;
  v << body_.velocity, body_.angular_velocity;
  return v;
}

void RigidBodySystem::force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const {
  F = loads(t, q, v);
  F.tail<3>() += gyroscopic(v.tail<3>());
}

void RigidBodySystem::force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  J = loads_dq(t, q, v);
}

void RigidBodySystem::force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  J = loads_dv(t, q, v);
  J.bottomRightCorner<3, 3>() += gyroscopic_dv(v.tail<3>());
}

void RigidBodySystem::retract(VectorRef q, ConstVectorRef w) const {
  Position moved = q;
  move(moved, w);
  q = moved;
}

void RigidBodySystem::position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const {
  qdot.head<3>() = v.head<3>();
  qdot.tail<4>() = rotation::rate(q.tail<4>(), v.tail<3>());
}

void RigidBodySystem::validate_position(ConstVectorRef q) const {
  const double length = q.tail<4>().norm();
  if (!(std::abs(length - 1.0) <= rotation::kUnitToleranceOfStates)) {
    throw InvalidArgument("orientation", text_of(q.tail<4>()) + " of length " + check::text(length),
                          "a unit quaternion (w, x, y, z)");
  }
}

double RigidBodySystem::potential(ConstVectorRef q) const {
  double sum = -body_.mass * body_.gravity.dot(q.head<3>());
  for (const AnyBodyLoad& load : body_.loads) sum += load.pointer()->potential(q);
  return sum;
}

RigidBodySystem::Velocity RigidBodySystem::loads(double t, const Position& q, const Velocity& v) const {
  Velocity F;
  F << body_.mass * body_.gravity, Eigen::Vector3d::Zero();
  if (body_.loads.empty()) return F;
  const BodyLoad::Motion at = body_motion::at(t, q, v);
  for (const AnyBodyLoad& load : body_.loads) load.pointer()->add(at, F);
  return F;
}

RigidBodySystem::Jacobian RigidBodySystem::loads_dq(double t, const Position& q, const Velocity& v) const {
  Jacobian J = Jacobian::Zero();
  if (!couples()) return J;
  const BodyLoad::Motion at = body_motion::at(t, q, v);
  for (const AnyBodyLoad& load : body_.loads) load.pointer()->add_dq(at, J);
  return J;
}

RigidBodySystem::Jacobian RigidBodySystem::loads_dv(double t, const Position& q, const Velocity& v) const {
  Jacobian J = Jacobian::Zero();
  if (body_.loads.empty()) return J;
  const BodyLoad::Motion at = body_motion::at(t, q, v);
  for (const AnyBodyLoad& load : body_.loads) load.pointer()->add_dv(at, J);
  return J;
}

std::shared_ptr<const MechanicalSystem> make_system(RigidBody body) {
  validate(body);
  return std::make_shared<const RigidBodySystem>(std::move(body));
}

}  // namespace nonsmooth
