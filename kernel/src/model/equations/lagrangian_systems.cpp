// SPDX-License-Identifier: Apache-2.0
#include "lagrangian_systems.hpp"

#include <algorithm>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "differences.hpp"
#include "model/bodies/body_in_plane.hpp"
#include "model/describe.hpp"

namespace nonsmooth {
namespace {

void validate(const LagrangianLinearSystem& system) {
  const std::string type = "LagrangianLinearSystem";
  const Index n = system.q0.size();
  describe::check_initial(type, "q0", system.q0, n);
  if (system.v0.size() != 0) describe::check_initial(type, "v0", system.v0, n);
  describe::check_mass(type + "::mass", system.mass, n);
  for (const auto& [field, data] : {std::pair{"damping", &system.damping}, std::pair{"stiffness", &system.stiffness}}) {
    if (data->function()) throw InvalidArgument(type + "::" + field, "a function of time", "a constant matrix");
    describe::check_square(type + "::" + field, *data, n);
  }
  describe::check_vector(type + "::force", system.force, n);
  describe::check_prescribed(type, system.prescribed, n);
  describe::check_impulses(type, system.impulses, n);
}

void validate(const LagrangianSystem& system) {
  const std::string type = "LagrangianSystem";
  const Index n = system.q0.size();
  describe::check_initial(type, "q0", system.q0, n);
  if (system.v0.size() != 0) describe::check_initial(type, "v0", system.v0, n);
  describe::check_vector(type + "::external", system.external, n);
  describe::check_prescribed(type, system.prescribed, n);
  describe::check_impulses(type, system.impulses, n);
}

/// M dv + (C v + K q) dt = f(t) dt.
class LinearMechanicalSystem : public MechanicalSystem {
 public:
  explicit LinearMechanicalSystem(LagrangianLinearSystem description) : description_(std::move(description)) {}

  [[nodiscard]] std::string name() const override { return description_.name; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return description_.q0.value(); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return description_.v0.value(); }
  void mass(ConstVectorRef, MatrixRef M) const override { M = description_.mass.to_dense(M.rows(), true); }
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override {
    if (const auto* constant = description_.force.constant()) F = *constant;
    if (const auto* function = description_.force.function()) (*function)(t, F);
    F -= describe::product(description_.damping, v);
    F -= describe::product(description_.stiffness, q);
  }
  void force_dq(double, ConstVectorRef, ConstVectorRef, MatrixRef J) const override {
    J = -description_.stiffness.to_dense(J.rows());
  }
  void force_dv(double, ConstVectorRef, ConstVectorRef, MatrixRef J) const override {
    J = -description_.damping.to_dense(J.rows());
  }
  /// Of the springs and of a constant force.
  [[nodiscard]] double potential(ConstVectorRef q) const override {
    const double springs = 0.5 * q.dot(describe::product(description_.stiffness, q));
    const auto* constant = description_.force.constant();
    return constant ? springs - constant->dot(q) : springs;
  }
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return description_.prescribed; }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return description_.impulses; }
  [[nodiscard]] const Feedback& feedback() const override { return description_.feedback; }
  [[nodiscard]] const LagrangianLinearSystem* linear() const override { return &description_; }

 private:
  LagrangianLinearSystem description_;
};

class LinearPlanarBody final : public LinearMechanicalSystem, public BodyInPlane {
 public:
  using LinearMechanicalSystem::LinearMechanicalSystem;

  [[nodiscard]] Eigen::VectorXd velocity_lengths() const override {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(3, 3);
    mass(initial_position(), M);
    return (M.diagonal() / M(0, 0)).cwiseSqrt();
  }
};

template <class System>
std::shared_ptr<const MechanicalSystem> make_linear_system(LagrangianLinearSystem system) {
  validate(system);
  if (system.v0.size() == 0) system.v0 = Eigen::VectorXd::Zero(system.q0.size());
  return std::make_shared<const System>(std::move(system));
}

/// Memory of this thread for one part of a sum, zeroed; it grows and stays, so that steps do not allocate.
double* zeroed_scratch(Index size) {
  thread_local std::vector<double> memory;
  if (memory.size() < static_cast<std::size_t>(size)) memory.resize(static_cast<std::size_t>(size));
  std::fill_n(memory.begin(), size, 0.0);
  return memory.data();
}

using VectorMap = Eigen::Map<Eigen::VectorXd>;
using MatrixMap = Eigen::Map<Eigen::MatrixXd>;

/// J += sign d value(x) / dx, from `derivative` where it was given, else by differences.
template <class Value, class Derivative, class Call>
void add_jacobian(double sign, const Value& value, const Derivative& derivative, ConstVectorRef x, MatrixRef J,
                  Call&& call) {
  if (!value) return;
  MatrixMap part(zeroed_scratch(J.size()), J.rows(), J.cols());
  if (derivative) {
    call(derivative, x, MatrixRef(part));
  } else {
    differences::jacobian(x, part, [&](ConstVectorRef at, VectorRef F) { call(value, at, F); });
  }
  J += sign * part;
}

}  // namespace

void CallableSystem::force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const {
  const LagrangianSystem& d = description_;
  const auto add = [&F](double sign, auto&& call) {
    VectorMap part(zeroed_scratch(F.size()), F.size());
    call(VectorRef(part));
    F += sign * part;
  };
  if (d.force) d.force(t, q, v, F);
  if (d.internal) add(-1.0, [&](VectorRef part) { d.internal(t, q, v, part); });
  if (d.gyroscopic) add(-1.0, [&](VectorRef part) { d.gyroscopic(q, v, part); });
  if (const auto* constant = d.external.constant()) {
    F += *constant;
  } else if (const auto* function = d.external.function()) {
    add(1.0, [&](VectorRef part) { (*function)(t, part); });
  }
}

void CallableSystem::force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  const LagrangianSystem& d = description_;
  const auto at_q = [&](const auto& f, ConstVectorRef at, auto&& out) { f(t, at, v, out); };
  add_jacobian(1.0, d.force, d.force_dq, q, J, at_q);
  add_jacobian(-1.0, d.internal, d.internal_dq, q, J, at_q);
  add_jacobian(-1.0, d.gyroscopic, d.gyroscopic_dq, q, J,
               [&](const auto& f, ConstVectorRef at, auto&& out) { f(at, v, out); });
}

void CallableSystem::force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  const LagrangianSystem& d = description_;
  const auto at_v = [&](const auto& f, ConstVectorRef at, auto&& out) { f(t, q, at, out); };
  add_jacobian(1.0, d.force, d.force_dv, v, J, at_v);
  add_jacobian(-1.0, d.internal, d.internal_dv, v, J, at_v);
  add_jacobian(-1.0, d.gyroscopic, d.gyroscopic_dv, v, J,
               [&](const auto& f, ConstVectorRef at, auto&& out) { f(q, at, out); });
}

std::shared_ptr<const MechanicalSystem> make_system(LagrangianLinearSystem system) {
  return make_linear_system<LinearMechanicalSystem>(std::move(system));
}

std::shared_ptr<const MechanicalSystem> make_planar_system(LagrangianLinearSystem system) {
  return make_linear_system<LinearPlanarBody>(std::move(system));
}

std::shared_ptr<const MechanicalSystem> make_system(LagrangianSystem system) {
  validate(system);
  if (system.v0.size() == 0) system.v0 = Eigen::VectorXd::Zero(system.q0.size());
  return std::make_shared<const CallableSystem>(std::move(system));
}

}  // namespace nonsmooth
