// SPDX-License-Identifier: Apache-2.0
#include "rigid_body.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/systems/lagrangian.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "describe.hpp"

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

void check_loads(const std::string& type, const std::vector<AnyBodyLoad>& loads) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::string argument = type + "::loads[" + std::to_string(i) + "]";
    if (!loads[i].pointer()) throw InvalidArgument(argument, "a null pointer", "a load");
    loads[i].pointer()->validate(argument);
  }
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

/// diag(m, m, J) dv = F(t, q, v) dt with loads, which are those of a body in space that turns about z.
class PlanarBodySystem final : public MechanicalSystem {
 public:
  explicit PlanarBodySystem(PlanarBody body) : body_(std::move(body)) {}

  [[nodiscard]] std::string name() const override { return body_.name; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override {
    return Eigen::Vector3d(body_.position[0], body_.position[1], body_.angle);
  }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override {
    return Eigen::Vector3d(body_.velocity[0], body_.velocity[1], body_.angular_velocity);
  }
  [[nodiscard]] bool has_constant_mass() const override { return true; }
  void mass(ConstVectorRef, MatrixRef M) const override { M.diagonal() << body_.mass, body_.mass, body_.inertia; }
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override {
    BodyLoad::Velocity sum = BodyLoad::Velocity::Zero();
    for (const AnyBodyLoad& load : body_.loads) load.pointer()->add(in_space(t, q, v), sum);
    F.head<2>() += body_.mass * body_.gravity;
    for (Index i = 0; i < 3; ++i) F[i] += sum[kPlane[static_cast<std::size_t>(i)]];
  }
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override {
    BodyLoad::Jacobian sum = BodyLoad::Jacobian::Zero();
    for (const AnyBodyLoad& load : body_.loads) load.pointer()->add_dq(in_space(t, q, v), sum);
    take_plane(sum, J);
  }
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override {
    BodyLoad::Jacobian sum = BodyLoad::Jacobian::Zero();
    for (const AnyBodyLoad& load : body_.loads) load.pointer()->add_dv(in_space(t, q, v), sum);
    take_plane(sum, J);
  }
  [[nodiscard]] double potential(ConstVectorRef q) const override {
    double sum = -body_.mass * body_.gravity.dot(q.head<2>());
    const BodyLoad::Position position = in_space(q);
    for (const AnyBodyLoad& load : body_.loads) sum += load.pointer()->potential(position);
    return sum;
  }
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return body_.prescribed; }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return body_.impulses; }
  [[nodiscard]] const Feedback& feedback() const override { return body_.feedback; }

 private:
  static constexpr std::array<Index, 3> kPlane{0, 1, 5};  ///< x, y and the turn about z

  static BodyLoad::Position in_space(ConstVectorRef q) {
    BodyLoad::Position result;
    result << q[0], q[1], 0.0, std::cos(0.5 * q[2]), 0.0, 0.0, std::sin(0.5 * q[2]);
    return result;
  }
  static BodyLoad::Motion in_space(double t, ConstVectorRef q, ConstVectorRef v) {
    BodyLoad::Velocity velocity;
    velocity << v[0], v[1], 0.0, 0.0, 0.0, v[2];
    return body_motion::at(t, in_space(q), velocity);
  }
  static void take_plane(const BodyLoad::Jacobian& sum, MatrixRef J) {
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j)
        J(i, j) += sum(kPlane[static_cast<std::size_t>(i)], kPlane[static_cast<std::size_t>(j)]);
    }
  }

  PlanarBody body_;
};

}  // namespace

RigidBodySystem::RigidBodySystem(RigidBody body) : body_(std::move(body)) {
  body_.inertia = (0.5 * (body_.inertia + body_.inertia.transpose())).eval();
  body_.orientation /= body_.orientation.norm();
  for (const AnyBodyLoad& load : body_.loads) {
    const LinearDrag* drag = load.pointer()->drag();
    couples_ = couples_ || drag == nullptr;
    if (drag == nullptr) continue;
    drag_.translation += drag->translation;
    drag_.rotation += drag->rotation;
  }
}

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

void RigidBodySystem::mass(ConstVectorRef, MatrixRef M) const {
  M.diagonal().head<3>().setConstant(body_.mass);
  M.bottomRightCorner<3, 3>() = body_.inertia;
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
  body_motion::retract(moved, w);
  q = moved;
}

void RigidBodySystem::position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const {
  qdot.head<3>() = v.head<3>();
  qdot.tail<4>() = rotation::rate(q.tail<4>(), v.tail<3>());
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
  if (!couples_) return J;
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

std::shared_ptr<const MechanicalSystem> make_system(PlanarBody body) {
  validate(body);
  if (!body.loads.empty()) return std::make_shared<const PlanarBodySystem>(std::move(body));
  const Eigen::Vector3d mass(body.mass, body.mass, body.inertia);
  return make_system(LagrangianLinearSystem{
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
