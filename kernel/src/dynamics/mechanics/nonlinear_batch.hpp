// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/state.hpp>

#include "dynamics/system_batch.hpp"
#include "model/guarded.hpp"

namespace nonsmooth {

/// What a mechanical system keeps that is linearised at each Newton iterate, but for its matrices.
struct NonlinearSystem {
  Index system = 0;
  const MechanicalSystem* description = nullptr;
  Eigen::VectorXd force_before, force, residual, w;
  Eigen::VectorXd velocity;    ///< v_{k+1} of the iterate, where the scheme keeps z
  Eigen::VectorXd q_explicit;  ///< of force_before, where that is not q_k
  Eigen::VectorXd impulse;     ///< H^T r of the last linearised step, where it is asked for
  bool has_prescribed = false;

  void prepare(const DiscretisedSystem& given) {
    const Index n = given.place().n;
    system = given.system;
    description = given.record.mechanical;
    force_before = force = residual = w = impulse = Eigen::VectorXd::Zero(n);
    if (given.scheme().explicit_point > 0.0) q_explicit = Eigen::VectorXd::Zero(given.place().nq);
    if (given.scheme().keeps_unknown) velocity = Eigen::VectorXd::Zero(n);
    has_prescribed = !description->prescribed().empty();
  }
};

/// M(q) dv = F(t, q, v) dt + H^T dp, linearised at each Newton iterate: A = M - h theta velocity dF/dv - h^2 theta
/// position dF/dq, and z_free answers the linearised step without reactions. A System is a NonlinearSystem with its
/// matrices `mass` and `iteration` (A, rows and columns of prescribed components the identity's), dense or sparse, and
///
///     evaluate_mass(name, q)                  mass := M(q), finite
///     require_positive_diagonal(name)         of mass
///     linearise(name, t, q, v, by_v, by_q)    iteration := mass - by_v dF/dv - by_q dF/dq, Jacobians where by_v > 0
///     prescribe(component, change)            residual -= change A's column, then cuts the component out of A
///     factorise(name), factorise_mass(name)   of iteration, of mass
///     solve_in_place(b, buffer)               with the factors that were made last
template <class System>
class NonlinearBatch : public ListedBatch<System> {
 public:
  using ListedBatch<System>::ListedBatch;

  [[nodiscard]] bool is_nonlinear() const override { return true; }
  [[nodiscard]] bool commit_calls_users() const override { return true; }
  void predict_positions(const StepView& step, Iterate& iterate) override;
  void evaluate(const StepView& step, const Iterate& iterate) override {
    for (System& s : this->list_) evaluate_one(step, iterate, s);
  }
  void linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) override;
  void keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free,
                     const Eigen::VectorXd& z) override;
  [[nodiscard]] bool motion_holds(double tolerance) override;
  void apply_inverse(Index place, MatrixRef b) override;
  void factor_mass(const StepView& step, Index place) override;
  void commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) override;
  void retract(const Layout::System& system, Index place, ConstVectorRef w, VectorRef q) override {
    const System& s = this->at(place);
    guarded(system.name, "retract(q, w)", [&] { s.description->retract(q, w); });
  }

 private:
  void evaluate_one(const StepView& step, const Iterate& iterate, System& s) const;
  /// Rows and columns of prescribed components become the identity's; their residual is what they miss.
  void prescribe_in_residual(const StepView& step, const Iterate& iterate, System& s) const {
    for (const PrescribedComponent& d : this->inputs_.prescribed) {
      if (d.system != s.system) continue;
      const double change = iterate.z[d.z] - prescribed_velocity(step, d);
      s.prescribe(d.component, change);
      s.residual[d.component] = change;
    }
  }
};

template <class System>
void NonlinearBatch<System>::predict_positions(const StepView& step, Iterate& iterate) {
  const double h = step.h();
  for (System& s : this->list_) {
    const auto& place = step.system(s.system);
    const Scheme& scheme = step.scheme(s.system);
    const auto v_k = step.state.unknowns.segment(place.z, place.n);
    const auto v = iterate.z.segment(place.z, place.n);
    auto q = iterate.q.segment(place.q, place.nq);
    auto middle = iterate.q_middle.segment(place.q, place.nq);
    q = step.state.positions.segment(place.q, place.nq);
    if (iterate.first) {
      s.w = h * v_k;
    } else {
      s.w = h * (scheme.position * v + (1.0 - scheme.position) * v_k);
    }
    guarded(place.name, "retract(q, w)", [&] { s.description->retract(q, s.w); });
    if (scheme.explicit_configuration && !iterate.first) continue;
    if (scheme.configuration_weight == 1.0) {
      middle = q;
    } else {
      middle = step.state.positions.segment(place.q, place.nq);
      s.w *= scheme.configuration_weight;
      guarded(place.name, "retract(q, w)", [&] { s.description->retract(middle, s.w); });
    }
  }
}

template <class System>
void NonlinearBatch<System>::evaluate_one(const StepView& step, const Iterate& iterate, System& s) const {
  const Scheme& scheme = step.scheme(s.system);
  const double h = step.h(), theta = scheme.theta;
  const auto& place = step.system(s.system);
  const auto v_k = step.state.unknowns.segment(place.z, place.n);
  const auto q_k = step.state.positions.segment(place.q, place.nq);
  const auto z = iterate.z.segment(place.z, place.n);
  const auto q = iterate.q.segment(place.q, place.nq);
  s.evaluate_mass(place.name, iterate.q_middle.segment(place.q, place.nq));
  s.require_positive_diagonal(place.name);
  const auto force = [&](double t, ConstVectorRef at_q, ConstVectorRef at_v, Eigen::VectorXd& value) {
    value.setZero();
    guarded(place.name, "force(t, q, v)", [&] { s.description->force(t, at_q, at_v, value); });
    require_finite(place.name, "force(t, q, v)", value);
  };
  if (iterate.first && scheme.explicit_point == 0.0) {
    force(step.state.t, q_k, v_k, s.force_before);
  } else if (iterate.first) {
    s.q_explicit = q_k;
    s.w = scheme.explicit_point * h * v_k;
    guarded(place.name, "retract(q, w)", [&] { s.description->retract(s.q_explicit, s.w); });
    force(step.state.t + scheme.explicit_point * h, s.q_explicit, v_k, s.force_before);
  }
  const auto z_k = step.z_before(s.system);
  if (scheme.keeps_unknown) s.velocity = scheme.velocity * z + (1.0 - scheme.velocity) * z_k;
  if (theta > 0.0 && scheme.keeps_unknown) {
    force(step.t_next, q, s.velocity, s.force);
  } else if (theta > 0.0) {
    force(step.t_next, q, z, s.force);
  }

  // Residual of M (z - z_k) = h (theta F + (1-theta) F_k + feedback) + H^T r, without r.
  s.w = z - z_k;
  s.residual.noalias() = s.mass * s.w;
  s.residual -= h * (theta * s.force + (1.0 - theta) * s.force_before);
  if (const auto* value = this->inputs_.feedback_of(s.system)) s.residual -= h * *value;
  for (const ImpulsiveLoad& load : this->inputs_.impulsive_loads) {
    if (load.system == s.system && load.instant > step.state.t && load.instant <= step.t_next)
      s.residual -= *load.impulse;
  }
}

template <class System>
void NonlinearBatch<System>::linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) {
  for (System& s : this->list_) {
    const Scheme& scheme = step.scheme(s.system);
    const double h = step.h(), theta = scheme.theta;
    const auto& place = step.system(s.system);
    const auto v = iterate.z.segment(place.z, place.n);
    const auto q = iterate.q.segment(place.q, place.nq);
    const double by_v = h * theta * scheme.velocity, by_q = h * h * theta * scheme.position;
    if (scheme.keeps_unknown) {
      s.linearise(place.name, step.t_next, q, s.velocity, by_v, by_q);
    } else {
      s.linearise(place.name, step.t_next, q, v, by_v, by_q);
    }
    if (s.has_prescribed) prescribe_in_residual(step, iterate, s);
    s.factorise(place.name);
    s.w = s.residual;
    s.solve_in_place(s.w, this->inputs_.buffer);
    require_finite(place.name, "the iteration matrix M - h theta dF/dv - h^2 theta position dF/dq (singular?)", s.w);
    z_free.segment(place.z, place.n) = v - s.w;
  }
}

template <class System>
void NonlinearBatch<System>::keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free,
                                           const Eigen::VectorXd& z) {
  for (System& s : this->list_) {
    const auto& place = discretisation.system(s.system);
    s.w = z.segment(place.z, place.n) - z_free.segment(place.z, place.n);
    s.impulse.noalias() = s.iteration * s.w;
  }
}

template <class System>
bool NonlinearBatch<System>::motion_holds(double tolerance) {
  for (System& s : this->list_) {
    s.w = s.residual - s.impulse;
    this->inputs_.cut(s.system, s.w);  // prescribed components have no equation of motion
    if (!(s.w.norm() <= tolerance)) return false;
  }
  return true;
}

template <class System>
void NonlinearBatch<System>::apply_inverse(Index place, MatrixRef b) {
  const System& s = this->at(place);
  if (s.has_prescribed) this->inputs_.cut(s.system, b);
  s.solve_in_place(b, this->inputs_.buffer);
}

template <class System>
void NonlinearBatch<System>::factor_mass(const StepView& step, Index place) {
  System& s = this->at(place);
  const auto& system = step.system(s.system);
  s.evaluate_mass(system.name, step.state.positions.segment(system.q, system.nq));
  s.factorise_mass(system.name);
}

template <class System>
void NonlinearBatch<System>::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  const double h = discretisation.h;
  for (System& s : this->list_) {
    const auto& place = discretisation.system(s.system);
    const double position = discretisation.scheme(s.system).position;
    s.w = h * (position * z.segment(place.z, place.n) + (1.0 - position) * state.unknowns.segment(place.z, place.n));
    guarded(place.name, "retract(q, w)",
            [&] { s.description->retract(state.positions.segment(place.q, place.nq), s.w); });
    const Scheme& scheme = discretisation.scheme(s.system);
    if (scheme.keeps_unknown) keep_unknown(place, scheme.velocity, z, state);
  }
}

}  // namespace nonsmooth
