// SPDX-License-Identifier: Apache-2.0
// Mechanical systems by their mass(q), force(t, q, v) and retract(q, w).
#include "general_batch.hpp"

#include <nonsmooth/kernel/state.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {

bool GeneralBatch::takes(const SystemCandidate& candidate) const { return candidate.record.mechanical != nullptr; }

void GeneralBatch::prepare(const DiscretisedSystem& given) {
  const auto* description = given.record.mechanical;
  const Index n = given.place().n;
  GeneralSystem s;
  s.system = given.system;
  s.description = description;
  s.mass = s.jacobian = s.iteration = Eigen::MatrixXd::Zero(n, n);
  s.force_before = s.force = s.residual = s.w = s.impulse = Eigen::VectorXd::Zero(n);
  if (given.scheme().explicit_point > 0.0) s.q_explicit = Eigen::VectorXd::Zero(given.place().nq);
  s.has_prescribed = !description->prescribed().empty();
  list_.push_back(std::move(s));
}

void GeneralBatch::predict_positions(const StepView& step, Iterate& iterate) {
  const double h = step.h();
  for (GeneralSystem& s : list_) {
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

void GeneralBatch::evaluate_one(const StepView& step, const Iterate& iterate, GeneralSystem& s) const {
  const Scheme& scheme = step.scheme(s.system);
  const double h = step.h(), theta = scheme.theta;
  const auto& place = step.system(s.system);
  const auto v_k = step.state.unknowns.segment(place.z, place.n);
  const auto q_k = step.state.positions.segment(place.q, place.nq);
  const auto v = iterate.z.segment(place.z, place.n);
  const auto q = iterate.q.segment(place.q, place.nq);
  s.mass.setZero();
  guarded(place.name, "mass(q)", [&] { s.description->mass(iterate.q_middle.segment(place.q, place.nq), s.mass); });
  require_finite(place.name, "mass(q)", s.mass);
  if (!(s.mass.diagonal().minCoeff() > 0.0)) {
    throw CallableFailure{"mass(q) of " + place.name + " returned a diagonal entry that is not positive"};
  }
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
  if (theta > 0.0) force(step.t_next, q, v, s.force);

  // Residual of M (v - v_k) = h (theta F + (1-theta) F_k + feedback) + H^T r, without r.
  s.w = v - v_k;
  s.residual.noalias() = s.mass * s.w;
  s.residual -= h * (theta * s.force + (1.0 - theta) * s.force_before);
  if (const auto* value = inputs_.feedback_of(s.system)) s.residual -= h * *value;
  for (const ImpulsiveLoad& load : inputs_.impulsive_loads) {
    if (load.system == s.system && load.instant > step.state.t && load.instant <= step.t_next)
      s.residual -= *load.impulse;
  }
}

void GeneralBatch::evaluate(const StepView& step, const Iterate& iterate) {
  for (GeneralSystem& s : list_) evaluate_one(step, iterate, s);
}

/// Rows and columns of prescribed components become the identity's; their residual is what they miss.
void GeneralBatch::prescribe_in_residual(const StepView& step, const Iterate& iterate, GeneralSystem& s) const {
  for (const PrescribedComponent& d : inputs_.prescribed) {
    if (d.system != s.system) continue;
    const double change = iterate.z[d.z] - prescribed_velocity(step, d);
    s.residual -= change * s.iteration.col(d.component);
    cut_out(s.iteration, d.component);
    s.residual[d.component] = change;
  }
}

void GeneralBatch::linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) {
  for (GeneralSystem& s : list_) {
    const Scheme& scheme = step.scheme(s.system);
    const double h = step.h(), theta = scheme.theta;
    const auto& place = step.system(s.system);
    const auto v = iterate.z.segment(place.z, place.n);
    const auto q = iterate.q.segment(place.q, place.nq);
    s.iteration = s.mass;
    if (theta > 0.0) {
      s.jacobian.setZero();
      guarded(place.name, "force_dv", [&] { s.description->force_dv(step.t_next, q, v, s.jacobian); });
      require_finite(place.name, "force_dv", s.jacobian);
      s.iteration -= h * theta * s.jacobian;
      s.jacobian.setZero();
      guarded(place.name, "force_dq", [&] { s.description->force_dq(step.t_next, q, v, s.jacobian); });
      require_finite(place.name, "force_dq", s.jacobian);
      s.iteration -= h * h * theta * scheme.position * s.jacobian;
    }
    if (s.has_prescribed) prescribe_in_residual(step, iterate, s);
    s.factor.compute(s.iteration);
    s.w = s.residual;
    s.factor.solve_in_place(s.w, inputs_.buffer);
    require_finite(place.name, "the iteration matrix M - h theta dF/dv - h^2 theta position dF/dq (singular?)", s.w);
    z_free.segment(place.z, place.n) = v - s.w;
  }
}

void GeneralBatch::keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free,
                                 const Eigen::VectorXd& z) {
  for (GeneralSystem& s : list_) {
    const auto& place = discretisation.system(s.system);
    s.w = z.segment(place.z, place.n) - z_free.segment(place.z, place.n);
    s.impulse.noalias() = s.iteration * s.w;
  }
}

bool GeneralBatch::motion_holds(double tolerance) {
  for (GeneralSystem& s : list_) {
    s.w = s.residual - s.impulse;
    inputs_.cut(s.system, s.w);  // prescribed components have no equation of motion
    if (!(s.w.norm() <= tolerance)) return false;
  }
  return true;
}

void GeneralBatch::apply_inverse(Index place, MatrixRef b) {
  const GeneralSystem& s = at(place);
  if (s.has_prescribed) inputs_.cut(s.system, b);
  s.factor.solve_in_place(b, inputs_.buffer);
}

void GeneralBatch::factor_mass(const StepView& step, Index place) {
  GeneralSystem& s = at(place);
  const auto& system = step.system(s.system);
  const auto q = step.state.positions.segment(system.q, system.nq);
  s.mass.setZero();
  guarded(system.name, "mass(q)", [&] { s.description->mass(q, s.mass); });
  require_finite(system.name, "mass(q)", s.mass);
  s.factor.compute(s.mass);
}

void GeneralBatch::add_iteration_matrix(const Layout::System&, Index place, Index offset,
                                        std::vector<Eigen::Triplet<double>>& entries) const {
  add_dense_entries(at(place).iteration, offset, entries);
}

void GeneralBatch::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  const double h = discretisation.h;
  for (GeneralSystem& s : list_) {
    const auto& place = discretisation.system(s.system);
    const double position = discretisation.scheme(s.system).position;
    s.w = h * (position * z.segment(place.z, place.n) + (1.0 - position) * state.unknowns.segment(place.z, place.n));
    guarded(place.name, "retract(q, w)",
            [&] { s.description->retract(state.positions.segment(place.q, place.nq), s.w); });
  }
}

void GeneralBatch::retract(const Layout::System& system, Index place, ConstVectorRef w, VectorRef q) {
  const GeneralSystem& s = at(place);
  guarded(system.name, "retract(q, w)", [&] { s.description->retract(q, w); });
}

}  // namespace nonsmooth
