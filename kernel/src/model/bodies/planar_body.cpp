// SPDX-License-Identifier: Apache-2.0
#include "planar_body.hpp"

#include <array>
#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/kernel/systems/lagrangian.hpp>

#include "model/describe.hpp"

namespace nonsmooth {
namespace {

void validate(const PlanarBody& body) {
  const std::string type = "PlanarBody";
  check::positive(type + "::mass", body.mass);
  check::positive(type + "::inertia", body.inertia);
  check::finite(type + "::position", ConstVectorRef(body.position));
  check::finite(type + "::angle", body.angle);
  check::finite(type + "::velocity", ConstVectorRef(body.velocity));
  check::finite(type + "::angular_velocity", body.angular_velocity);
  check::finite(type + "::gravity", ConstVectorRef(body.gravity));
  check_loads(type, body.loads);
  describe::check_prescribed(type, body.prescribed, 3);
  describe::check_impulses(type, body.impulses, 3);
}

constexpr std::array<Index, 3> kInSpace{0, 1, 5};  ///< components of v in the plane among those in space

BodyLoad::Position position_in_space(const Eigen::Vector3d& q) {
  BodyLoad::Position result;
  result << q[0], q[1], 0.0, std::cos(0.5 * q[2]), 0.0, 0.0, std::sin(0.5 * q[2]);
  return result;
}

BodyLoad::Motion motion_in_space(double t, const Eigen::Vector3d& q, const Eigen::Vector3d& v) {
  BodyLoad::Velocity velocity;
  velocity << v[0], v[1], 0.0, 0.0, 0.0, v[2];
  return body_motion::at(t, position_in_space(q), velocity);
}

Eigen::Matrix3d in_plane(const BodyLoad::Jacobian& J) {
  Eigen::Matrix3d result;
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 3; ++i)
      result(i, j) = J(kInSpace[static_cast<std::size_t>(i)], kInSpace[static_cast<std::size_t>(j)]);
  }
  return result;
}

}  // namespace

PlanarBodySystem::PlanarBodySystem(PlanarBody body) : BodySystem(std::move(body), Inertia(body.inertia)) {}

Eigen::VectorXd PlanarBodySystem::initial_position() const {
  return Eigen::Vector3d(body_.position[0], body_.position[1], body_.angle);
}

Eigen::VectorXd PlanarBodySystem::initial_velocity() const {
  return Eigen::Vector3d(body_.velocity[0], body_.velocity[1], body_.angular_velocity);
}

void PlanarBodySystem::force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const { F = loads(t, q, v); }

void PlanarBodySystem::force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  J = loads_dq(t, q, v);
}

void PlanarBodySystem::force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  J = loads_dv(t, q, v);
}

double PlanarBodySystem::potential(ConstVectorRef q) const {
  double sum = -body_.mass * body_.gravity.dot(q.head<2>());
  const BodyLoad::Position position = position_in_space(q);
  for (const AnyBodyLoad& load : body_.loads) sum += load.pointer()->potential(position);
  return sum;
}

PlanarBodySystem::Velocity PlanarBodySystem::loads(double t, const Position& q, const Velocity& v) const {
  BodyLoad::Force sum = BodyLoad::Force::Zero();
  const BodyLoad::Motion at = motion_in_space(t, q, v);
  for (const AnyBodyLoad& load : body_.loads) load.pointer()->add(at, sum);
  return {body_.mass * body_.gravity[0] + sum[0], body_.mass * body_.gravity[1] + sum[1], sum[5]};
}

PlanarBodySystem::Jacobian PlanarBodySystem::loads_dq(double t, const Position& q, const Velocity& v) const {
  if (!couples()) return Jacobian::Zero();
  BodyLoad::Jacobian sum = BodyLoad::Jacobian::Zero();
  const BodyLoad::Motion at = motion_in_space(t, q, v);
  for (const AnyBodyLoad& load : body_.loads) load.pointer()->add_dq(at, sum);
  return in_plane(sum);
}

PlanarBodySystem::Jacobian PlanarBodySystem::loads_dv(double t, const Position& q, const Velocity& v) const {
  BodyLoad::Jacobian sum = BodyLoad::Jacobian::Zero();
  const BodyLoad::Motion at = motion_in_space(t, q, v);
  for (const AnyBodyLoad& load : body_.loads) load.pointer()->add_dv(at, sum);
  return in_plane(sum);
}

std::shared_ptr<const MechanicalSystem> make_system(PlanarBody body) {
  validate(body);
  if (!body.loads.empty()) return std::make_shared<const PlanarBodySystem>(std::move(body));
  const Eigen::Vector3d mass(body.mass, body.mass, body.inertia);
  return make_planar_system(LagrangianLinearSystem{
      .mass = mass.asDiagonal(),
      .force = {body.mass * body.gravity[0], body.mass * body.gravity[1], 0.0},
      .q0 = {body.position[0], body.position[1], body.angle},
      .v0 = {body.velocity[0], body.velocity[1], body.angular_velocity},
      .prescribed = std::move(body.prescribed),
      .impulses = std::move(body.impulses),
      .feedback = std::move(body.feedback),
      .name = std::move(body.name),
  });
}

}  // namespace nonsmooth
