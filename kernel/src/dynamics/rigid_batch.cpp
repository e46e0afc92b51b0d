// SPDX-License-Identifier: Apache-2.0
// Rigid bodies in space: 3 x 3 or 6 x 6 blocks, the turn of a step by its exponential.
#include "rigid_batch.hpp"

#include <nonsmooth/kernel/state.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

using BodyPosition = RigidBodySystem::Position;
using BodyVelocity = RigidBodySystem::Velocity;

BodyPosition position_in(const Eigen::VectorXd& positions, const Layout::System& place) {
  return positions.segment<7>(place.q);
}
BodyVelocity velocity_in(const Eigen::VectorXd& unknowns, const Layout::System& place) {
  return unknowns.segment<6>(place.z);
}

/// The step of this body is linear in its velocities.
bool is_linear(const RigidBodySystem& system, const Scheme& scheme) {
  const RigidBody& body = system.body();
  const bool even = body.inertia == body.inertia(0, 0) * Eigen::Matrix3d::Identity();  // no gyroscopic moment
  const bool turns = body.gyroscopic == GyroscopicTerm::Implicit && !even;
  return scheme.theta == 0.0 || (!system.couples() && !turns);
}

void mass_matrix(const RigidBody& body, RigidBodySystem::Jacobian& M) {
  M.setZero();
  M.diagonal().head<3>().setConstant(body.mass);
  M.bottomRightCorner<3, 3>() = body.inertia;
}

}  // namespace

void RigidBatch::clear() {
  ListedBatch::clear();
  coupled_.clear();
  iterates_ = false;
}

bool RigidBatch::takes(const SystemCandidate& candidate) const {
  return dynamic_cast<const RigidBodySystem*>(candidate.record.mechanical) != nullptr;
}

void RigidBatch::prepare(const DiscretisedSystem& given) {
  const auto* body = static_cast<const RigidBodySystem*>(given.record.mechanical);
  RigidSystem s;
  s.system = given.system;
  s.body = body;
  s.has_prescribed = !body->prescribed().empty();
  iterates_ = iterates_ || !is_linear(*body, given.scheme());
  if (body->couples() || s.has_prescribed) {
    s.coupled = static_cast<Index>(coupled_.size());
    coupled_.emplace_back();
  }
  list_.push_back(s);
}

void RigidBatch::predict_positions(const StepView& step, Iterate& iterate) {
  const double h = step.h();
  for (const RigidSystem& s : list_) {
    const auto& place = step.system(s.system);
    const Scheme& scheme = step.scheme(s.system);
    const BodyVelocity v_k = velocity_in(step.state.unknowns, place), v = velocity_in(iterate.z, place);
    BodyVelocity w = iterate.first ? v_k : BodyVelocity(scheme.position * v + (1.0 - scheme.position) * v_k);
    w *= h;
    const BodyPosition q_k = position_in(step.state.positions, place);
    BodyPosition q = q_k;
    body_motion::retract(q, w);
    iterate.q.segment<7>(place.q) = q;
    if (scheme.explicit_configuration && !iterate.first) continue;
    if (scheme.configuration_weight != 1.0) {
      q = q_k;
      w *= scheme.configuration_weight;
      body_motion::retract(q, w);
    }
    iterate.q_middle.segment<7>(place.q) = q;
  }
}

void RigidBatch::evaluate_one(const StepView& step, const Iterate& iterate, RigidSystem& s) const {
  const Scheme& scheme = step.scheme(s.system);
  const double h = step.h(), theta = scheme.theta;
  const auto& place = step.system(s.system);
  const RigidBody& body = s.body->body();
  const bool implicit = body.gyroscopic == GyroscopicTerm::Implicit;
  const BodyVelocity v_k = velocity_in(step.state.unknowns, place), v = velocity_in(iterate.z, place);
  const auto force = [&](double t, const BodyPosition& at_q, const BodyVelocity& at_v, BodyVelocity& value) {
    guarded(place.name, "force(t, q, v)", [&] { value = s.body->loads(t, at_q, at_v); });
    if (implicit) value.tail<3>() += s.body->gyroscopic(at_v.tail<3>());
    require_finite(place.name, "force(t, q, v)", value);
  };
  if (iterate.first) {
    BodyPosition q = position_in(step.state.positions, place);
    if (scheme.explicit_point > 0.0) body_motion::retract(q, scheme.explicit_point * h * v_k);
    force(step.state.t + scheme.explicit_point * h, q, v_k, s.force_before);
  }
  if (theta > 0.0) force(step.t_next, position_in(iterate.q, place), v, s.force);

  // Residual of M (v - v_k) = h (theta F + (1-theta) F_k + G_k + feedback) + H^T r, without r; G_k where explicit.
  const BodyVelocity change = v - v_k;
  s.residual.head<3>() = body.mass * change.head<3>();
  s.residual.tail<3>().noalias() = body.inertia * change.tail<3>();
  s.residual -= h * (theta * s.force + (1.0 - theta) * s.force_before);
  if (!implicit) s.residual.tail<3>() -= h * s.body->gyroscopic(v_k.tail<3>());
  if (const auto* value = inputs_.feedback_of(s.system)) s.residual -= h * value->head<6>();
  for (const ImpulsiveLoad& load : inputs_.impulsive_loads) {
    if (load.system == s.system && load.instant > step.state.t && load.instant <= step.t_next)
      s.residual -= load.impulse->head<6>();
  }
}

void RigidBatch::evaluate(const StepView& step, const Iterate& iterate) {
  for (RigidSystem& s : list_) evaluate_one(step, iterate, s);
}

/// Rows and columns of prescribed components become the identity's; their residual is what they miss.
void RigidBatch::prescribe_in_residual(const StepView& step, const Iterate& iterate, RigidSystem& s,
                                       Jacobian& A) const {
  for (const PrescribedComponent& d : inputs_.prescribed) {
    if (d.system != s.system) continue;
    const double change = iterate.z[d.z] - prescribed_velocity(step, d);
    s.residual -= change * A.col(d.component);
    A.row(d.component).setZero();
    A.col(d.component).setZero();
    A(d.component, d.component) = 1.0;
    s.residual[d.component] = change;
  }
}

void RigidBatch::make_iteration_matrix(const StepView& step, const Iterate& iterate, RigidSystem& s) {
  const Scheme& scheme = step.scheme(s.system);
  const double h = step.h(), theta = scheme.theta;
  const auto& place = step.system(s.system);
  const RigidBody& body = s.body->body();
  const BodyVelocity v = velocity_in(iterate.z, place);
  const bool turns = theta > 0.0 && body.gyroscopic == GyroscopicTerm::Implicit;
  if (s.coupled < 0) {
    s.divisor = s.translation = body.mass + h * theta * s.body->drag_of_translation();
    s.rotation = body.inertia;
    s.rotation.diagonal().array() += h * theta * s.body->drag_of_rotation();
    if (turns) s.rotation -= h * theta * s.body->gyroscopic_dv(v.tail<3>());
    s.factor.compute(s.rotation);
    return;
  }
  CoupledBody& c = coupled(s);
  mass_matrix(body, c.iteration);
  if (theta > 0.0) {
    const BodyPosition q = position_in(iterate.q, place);
    Jacobian by_velocity, by_position;
    guarded(place.name, "force_dv", [&] { by_velocity = s.body->loads_dv(step.t_next, q, v); });
    if (turns) by_velocity.bottomRightCorner<3, 3>() += s.body->gyroscopic_dv(v.tail<3>());
    require_finite(place.name, "force_dv", by_velocity);
    guarded(place.name, "force_dq", [&] { by_position = s.body->loads_dq(step.t_next, q, v); });
    require_finite(place.name, "force_dq", by_position);
    c.iteration -= h * theta * by_velocity + h * h * theta * scheme.position * by_position;
  }
  if (s.has_prescribed) prescribe_in_residual(step, iterate, s, c.iteration);
  c.factor.compute(c.iteration);
}

void RigidBatch::linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) {
  for (RigidSystem& s : list_) {
    const auto& place = step.system(s.system);
    make_iteration_matrix(step, iterate, s);
    BodyVelocity move = s.residual;
    solve(s, move.data());
    require_finite(place.name, "the iteration matrix M - h theta dF/dv - h^2 theta^2 dF/dq (singular?)", move);
    z_free.segment<6>(place.z) = velocity_in(iterate.z, place) - move;
  }
}

void RigidBatch::solve(const RigidSystem& s, double* x) const {
  if (s.coupled >= 0) {
    coupled(s).factor.solve_in_place(x);
    return;
  }
  for (int i = 0; i < 3; ++i) x[i] /= s.divisor;
  s.factor.solve_in_place(x + 3);
}

RigidBatch::Velocity RigidBatch::product(const RigidSystem& s, const Velocity& x) const {
  if (s.coupled >= 0) return coupled(s).iteration * x;
  Velocity result;
  result << s.translation * x.head<3>(), s.rotation * x.tail<3>();
  return result;
}

void RigidBatch::keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free,
                               const Eigen::VectorXd& z) {
  for (RigidSystem& s : list_) {
    const auto& place = discretisation.system(s.system);
    s.impulse = product(s, velocity_in(z, place) - velocity_in(z_free, place));
  }
}

bool RigidBatch::motion_holds(double tolerance) {
  for (const RigidSystem& s : list_) {
    BodyVelocity rest = s.residual - s.impulse;
    if (s.has_prescribed) inputs_.cut(s.system, rest);  // prescribed components have no equation of motion
    if (!(rest.norm() <= tolerance)) return false;
  }
  return true;
}

void RigidBatch::apply_inverse(Index place, MatrixRef b) {
  const RigidSystem& s = at(place);
  if (s.has_prescribed) inputs_.cut(s.system, b);
  for (Index j = 0; j < b.cols(); ++j) solve(s, b.col(j).data());
}

void RigidBatch::factor_mass(const StepView&, Index place) {
  RigidSystem& s = at(place);
  const RigidBody& body = s.body->body();
  if (s.coupled >= 0) {
    Jacobian M;
    mass_matrix(body, M);
    coupled(s).factor.compute(M);
    return;
  }
  s.divisor = body.mass;
  s.factor.compute(body.inertia);
}

void RigidBatch::add_iteration_matrix(const Layout::System&, Index place, Index offset,
                                      std::vector<Eigen::Triplet<double>>& entries) const {
  const RigidSystem& s = at(place);
  if (s.coupled >= 0) {
    add_dense_entries(coupled(s).iteration, offset, entries);
    return;
  }
  for (int i = 0; i < 3; ++i) {
    const auto row = static_cast<int>(offset) + i;
    entries.emplace_back(row, row, s.translation);
  }
  add_dense_entries(s.rotation, offset + 3, entries);
}

void RigidBatch::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  const double h = discretisation.h;
  for (const RigidSystem& s : list_) {
    const auto& place = discretisation.system(s.system);
    const double position = discretisation.scheme(s.system).position;
    const BodyVelocity mean = position * velocity_in(z, place) + (1.0 - position) * velocity_in(state.unknowns, place);
    BodyPosition q = position_in(state.positions, place);
    body_motion::retract(q, h * mean);
    state.positions.segment<7>(place.q) = q;
  }
}

void RigidBatch::retract(const Layout::System&, Index, ConstVectorRef w, VectorRef q) {
  BodyPosition moved = q;
  body_motion::retract(moved, w);
  q = moved;
}

}  // namespace nonsmooth
