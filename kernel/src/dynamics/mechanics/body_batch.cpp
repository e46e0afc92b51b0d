// SPDX-License-Identifier: Apache-2.0
// Bodies in space and in the plane: blocks of fixed sizes, in space the turn of a step by its exponential.
#include "body_batch.hpp"

#include <nonsmooth/kernel/state.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

template <class System>
const System& body_of(const InstantSystem& s) {
  return *static_cast<const System*>(s.description);
}

}  // namespace

template <class System>
void BodyBatch<System>::clear() {
  ListedBatch<Body>::clear();
  coupled_.clear();
  iterates_ = false;
}

template <class System>
bool BodyBatch<System>::takes(const SystemCandidate& candidate) const {
  return dynamic_cast<const System*>(candidate.record.mechanical) != nullptr;
}

template <class System>
void BodyBatch<System>::prepare(const DiscretisedSystem& given) {
  const auto* body = static_cast<const System*>(given.record.mechanical);
  const double theta = given.scheme().theta, weight = given.h() * theta * given.scheme().velocity;
  Body s;
  s.system = given.system;
  s.body = body;
  s.has_prescribed = !body->prescribed().empty();
  s.varies = theta > 0.0 && (body->couples() || body->gyroscopic_varies());
  s.translation = body->body().mass + weight * body->drag().translation;
  s.rotation = body->inertia() + weight * body->drag().rotation * Inertia::Identity();
  s.divisor = s.varies ? body->body().mass : s.translation;
  s.inverse = s.varies || s.rotation == body->inertia() ? body->inverse_inertia() : inverse_of(s.rotation);
  if ((theta > 0.0 && body->couples()) || s.has_prescribed) {
    s.coupled = static_cast<Index>(coupled_.size());
    coupled_.emplace_back();
    if (!s.varies) prepare_constant_matrix(s);
  }
  iterates_ = iterates_ || s.varies;
  list_.push_back(s);
}

template <class System>
void BodyBatch<System>::prepare_constant_matrix(Body& s) {
  CoupledBody<System>& c = coupled(s);
  c.iteration.diagonal().template head<kTranslations>().setConstant(s.translation);
  c.iteration.template bottomRightCorner<kTurns, kTurns>() = s.rotation;
  c.factor.compute(without_prescribed(s));
  s.by_inverse = false;
}

template <class System>
void BodyBatch<System>::predict_positions(const StepView& step, Iterate& iterate) {
  constexpr int kPositions = Position::SizeAtCompileTime;
  const double h = step.h();
  for (const Body& s : list_) {
    const auto& place = step.system(s.system);
    const Scheme& scheme = step.scheme(s.system);
    const Velocity v_k = velocity_in(step.state.unknowns, place.z), v = velocity_in(iterate.z, place.z);
    Velocity w = iterate.first ? v_k : Velocity(scheme.position * v + (1.0 - scheme.position) * v_k);
    w *= h;
    const Position q_k = position_in(step.state.positions, place.q);
    Position q = q_k;
    System::move(q, w);
    iterate.q.template segment<kPositions>(place.q) = q;
    if (scheme.explicit_configuration && !iterate.first) continue;
    if (scheme.configuration_weight != 1.0) {
      q = q_k;
      w *= scheme.configuration_weight;
      System::move(q, w);
    }
    iterate.q_middle.template segment<kPositions>(place.q) = q;
  }
}

template <class System>
void BodyBatch<System>::evaluate_one(const StepView& step, const Iterate& iterate, Body& s) const {
  const Scheme& scheme = step.scheme(s.system);
  const double h = step.h(), theta = scheme.theta;
  const auto& place = step.system(s.system);
  const bool implicit = s.body->gyroscopic_varies();
  const Velocity v_k = velocity_in(step.state.unknowns, place.z), z = velocity_in(iterate.z, place.z);
  const Velocity z_k = step.z_before(s.system);
  const auto force = [&](double t, const Position& at_q, const Velocity& at_v, Velocity& value) {
    guarded(place.name, "force(t, q, v)", [&] { value = s.body->loads(t, at_q, at_v); });
    if (implicit) value.template tail<kTurns>() += s.body->gyroscopic(at_v.template tail<kTurns>());
    require_finite(place.name, "force(t, q, v)", value);
  };
  if (iterate.first) {
    Position q = position_in(step.state.positions, place.q);
    if (scheme.explicit_point > 0.0) System::move(q, scheme.explicit_point * h * v_k);
    force(step.state.t + scheme.explicit_point * h, q, v_k, s.force_before);
  }
  if (theta > 0.0) force(step.t_next, position_in(iterate.q, place.q), velocity_at(step, iterate, s), s.force);

  // Residual of M (z - z_k) = h (theta F + (1-theta) F_k + G_k + feedback) + H^T r, without r; G_k where explicit.
  const Velocity change = z - z_k;
  s.residual.template head<kTranslations>() = s.body->body().mass * change.template head<kTranslations>();
  s.residual.template tail<kTurns>().noalias() = s.body->inertia() * change.template tail<kTurns>();
  s.residual -= h * (theta * s.force + (1.0 - theta) * s.force_before);
  if (!implicit) s.residual.template tail<kTurns>() -= h * s.body->gyroscopic(v_k.template tail<kTurns>());
  if (const auto* value = inputs_.feedback_of(s.system)) s.residual -= h * value->template head<System::kVelocities>();
  for (const ImpulsiveLoad& load : inputs_.impulsive_loads) {
    if (load.system == s.system && load.instant > step.state.t && load.instant <= step.t_next)
      s.residual -= load.impulse->template head<System::kVelocities>();
  }
}

template <class System>
void BodyBatch<System>::evaluate(const StepView& step, const Iterate& iterate) {
  for (Body& s : list_) evaluate_one(step, iterate, s);
}

/// What prescribed components miss moves the others by their columns of A, and is their own residual.
template <class System>
void BodyBatch<System>::prescribe_in_residual(const StepView& step, const Iterate& iterate, Body& s) const {
  Jacobian A = coupled(s).iteration;
  for (const PrescribedComponent& d : inputs_.prescribed) {
    if (d.system != s.system) continue;
    const double change = iterate.z[d.z] - prescribed_velocity(step, d);
    s.residual -= change * A.col(d.component);
    cut_out(A, d.component);
    s.residual[d.component] = change;
  }
}

template <class System>
typename System::Jacobian BodyBatch<System>::without_prescribed(const Body& s) const {
  Jacobian A = coupled(s).iteration;
  if (!s.has_prescribed) return A;
  for (const PrescribedComponent& d : inputs_.prescribed) {
    if (d.system == s.system) cut_out(A, d.component);
  }
  return A;
}

/// v_{k+1} of the iterate.
template <class System>
typename System::Velocity BodyBatch<System>::velocity_at(const StepView& step, const Iterate& iterate,
                                                         const Body& s) const {
  const Scheme& scheme = step.scheme(s.system);
  const Velocity z = velocity_in(iterate.z, step.system(s.system).z);
  if (!scheme.keeps_unknown) return z;
  return scheme.velocity * z + (1.0 - scheme.velocity) * step.z_before(s.system);
}

/// A -= h theta velocity dF/dv + h^2 theta position dF/dq.
template <class System>
void BodyBatch<System>::add_jacobians(const StepView& step, const Iterate& iterate, const Body& s, Jacobian& A) const {
  const Scheme& scheme = step.scheme(s.system);
  const double h = step.h(), theta = scheme.theta;
  const auto& place = step.system(s.system);
  const Velocity v = velocity_at(step, iterate, s);
  const Position q = position_in(iterate.q, place.q);
  Jacobian by_velocity, by_position;
  guarded(place.name, "force_dv", [&] { by_velocity = s.body->loads_dv(step.t_next, q, v); });
  if (s.body->gyroscopic_varies())
    by_velocity.template bottomRightCorner<kTurns, kTurns>() += s.body->gyroscopic_dv(v.template tail<kTurns>());
  require_finite(place.name, "force_dv", by_velocity);
  guarded(place.name, "force_dq", [&] { by_position = s.body->loads_dq(step.t_next, q, v); });
  require_finite(place.name, "force_dq", by_position);
  A -= h * theta * scheme.velocity * by_velocity + h * h * theta * scheme.position * by_position;
}

template <class System>
void BodyBatch<System>::make_iteration_matrix(const StepView& step, const Iterate& iterate, Body& s) {
  if (!s.varies) return;
  s.by_inverse = false;
  const Scheme& scheme = step.scheme(s.system);
  const double weight = step.h() * scheme.theta * scheme.velocity;
  if (s.coupled < 0) {
    const Velocity v = velocity_at(step, iterate, s);
    s.rotation = s.body->inertia() + weight * s.body->drag().rotation * Inertia::Identity() -
                 weight * s.body->gyroscopic_dv(v.template tail<kTurns>());
    s.factor.compute(s.rotation);
    return;
  }
  CoupledBody<System>& c = coupled(s);
  c.iteration.setZero();
  c.iteration.diagonal().template head<kTranslations>().setConstant(s.body->body().mass);
  c.iteration.template bottomRightCorner<kTurns, kTurns>() = s.body->inertia();
  add_jacobians(step, iterate, s, c.iteration);
  c.factor.compute(without_prescribed(s));
}

template <class System>
void BodyBatch<System>::linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) {
  for (Body& s : list_) {
    const auto& place = step.system(s.system);
    make_iteration_matrix(step, iterate, s);
    if (s.has_prescribed) prescribe_in_residual(step, iterate, s);
    Velocity move = s.residual;
    solve(s, move.data());
    require_finite(place.name, "the iteration matrix M - h theta dF/dv - h^2 theta position dF/dq (singular?)", move);
    z_free.template segment<System::kVelocities>(place.z) = velocity_in(iterate.z, place.z) - move;
  }
}

template <class System>
void BodyBatch<System>::solve(const Body& s, double* x) const {
  if (!s.by_inverse && s.coupled >= 0) return coupled(s).factor.solve_in_place(x);
  const double divisor = s.by_inverse ? s.divisor : s.translation;
  for (int i = 0; i < kTranslations; ++i) x[i] /= divisor;
  if (!s.by_inverse) return s.factor.solve_in_place(x + kTranslations);
  Eigen::Map<Turn> turn(x + kTranslations);
  turn = s.inverse * turn;
}

template <class System>
typename System::Velocity BodyBatch<System>::product(const Body& s, const Velocity& x) const {
  if (s.coupled >= 0) return coupled(s).iteration * x;
  Velocity result;
  result << s.translation * x.template head<kTranslations>(), s.rotation * x.template tail<kTurns>();
  return result;
}

template <class System>
void BodyBatch<System>::keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free,
                                      const Eigen::VectorXd& z) {
  for (Body& s : list_) {
    const auto& place = discretisation.system(s.system);
    s.impulse = product(s, velocity_in(z, place.z) - velocity_in(z_free, place.z));
  }
}

template <class System>
bool BodyBatch<System>::motion_holds(double tolerance) {
  for (const Body& s : list_) {
    Velocity rest = s.residual - s.impulse;
    if (s.has_prescribed) inputs_.cut(s.system, rest);  // prescribed components have no equation of motion
    if (!(rest.norm() <= tolerance)) return false;
  }
  return true;
}

template <class System>
void BodyBatch<System>::apply_inverse(Index place, MatrixRef b) {
  const Body& s = this->at(place);
  if (s.has_prescribed) inputs_.cut(s.system, b);
  for (Index j = 0; j < b.cols(); ++j) solve(s, b.col(j).data());
}

/// A constant A is known.
template <class System>
void BodyBatch<System>::factor_mass(const StepView&, Index place) {
  Body& s = this->at(place);
  s.by_inverse = s.by_inverse || s.varies;
}

template <class System>
void BodyBatch<System>::add_iteration_matrix(const Layout::System&, Index place, Index offset,
                                             std::vector<Eigen::Triplet<double>>& entries) const {
  const Body& s = this->at(place);
  if (s.coupled >= 0) return add_dense_entries(without_prescribed(s), offset, entries);
  for (int i = 0; i < kTranslations; ++i) {
    const auto row = static_cast<int>(offset) + i;
    entries.emplace_back(row, row, s.translation);
  }
  add_dense_entries(s.rotation, offset + kTranslations, entries);
}

template <class System>
void BodyBatch<System>::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  const double h = discretisation.h;
  for (const Body& s : list_) {
    const auto& place = discretisation.system(s.system);
    const double position = discretisation.scheme(s.system).position;
    const Velocity mean = position * velocity_in(z, place.z) + (1.0 - position) * velocity_in(state.unknowns, place.z);
    Position q = position_in(state.positions, place.q);
    System::move(q, h * mean);
    state.positions.template segment<Position::SizeAtCompileTime>(place.q) = q;
    const Scheme& scheme = discretisation.scheme(s.system);
    if (scheme.keeps_unknown) keep_unknown(place, scheme.velocity, z, state);
  }
}

template <class System>
void BodyBatch<System>::retract(const Layout::System&, Index, ConstVectorRef w, VectorRef q) {
  Position moved = q;
  System::move(moved, w);
  q = moved;
}

template <class System>
void BodyBatch<System>::prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                                         const std::vector<Index>& first) {
  SystemBatch::prepare_instants(model, layout, first);
  for (InstantSystem& s : instants_) s.description->mass(s.description->initial_position(), s.mass);
}

template <class System>
void BodyBatch<System>::evaluate_motion(double t, const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                                        Eigen::VectorXd& F) {
  for (const InstantSystem& s : instants_) {
    const System& body = body_of<System>(s);
    const Velocity velocity = velocity_in(v, s.first);
    Velocity own;
    guarded(s.name, "force(t, q, v)", [&] { own = body.loads(t, position_in(positions, s.q), velocity); });
    own.template tail<kTurns>() += body.gyroscopic(velocity.template tail<kTurns>());
    F.template segment<System::kVelocities>(s.first) = own;
  }
}

template <class System>
Index BodyBatch<System>::accelerations(const Eigen::VectorXd& F, Eigen::VectorXd& a) {
  for (const InstantSystem& s : instants_) {
    a.template segment<System::kVelocities>(s.first) = body_of<System>(s).divided_by_mass(velocity_in(F, s.first));
  }
  return -1;
}

template <class System>
void BodyBatch<System>::solve_mass(double* x) const {
  for (const InstantSystem& s : instants_) {
    Eigen::Map<Velocity> own(x + s.first);
    own = body_of<System>(s).divided_by_mass(own);
  }
}

template class BodyBatch<RigidBodySystem>;
template class BodyBatch<PlanarBodySystem>;

}  // namespace nonsmooth
