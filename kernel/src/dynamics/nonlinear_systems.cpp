// SPDX-License-Identifier: Apache-2.0
// Systems whose iteration matrix changes with the iterate: M(q) dv = F(t, q, v) dt + H^T dp and M xdot = f(t, x) + r,
// linearised at each Newton iterate, z_free being the answer of the linearised step without reactions.
#include <nonsmooth/numerics/error.hpp>

#include "iteration_matrix.hpp"
#include "model/differences.hpp"
#include "stepping/plan.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;

const Scheme& scheme_in(const Plan& plan, Index system) { return plan.schemes[static_cast<std::size_t>(system)]; }

/// Rows and columns of prescribed components become the identity's; their residual is what they miss.
void dictate(double t_next, NonlinearSystem& s, const Plan& plan) {
  const auto& place = plan.system(s.system);
  for (const Dictated& d : plan.dictated) {
    if (d.system != s.system) continue;
    double value = 0.0;
    guarded(place.name, "the prescribed velocity", [&] { value = (*d.velocity)(t_next); });
    if (!std::isfinite(value))
      throw CallableFailure{"the prescribed velocity of " + place.name + " returned a number that is not finite"};
    const double change = plan.z_iterate[d.z] - value;
    s.residual -= change * s.iteration.col(d.component);
    s.iteration.row(d.component).setZero();
    s.iteration.col(d.component).setZero();
    s.iteration(d.component, d.component) = 1.0;
    s.residual[d.component] = change;
  }
}

void evaluate(const State& state, double t_next, bool first, NonlinearSystem& s, Plan& plan) {
  const double h = plan.h, theta = scheme_in(plan, s.system).theta;
  const auto& place = plan.system(s.system);
  const auto v_k = state.unknowns.segment(place.z, place.n);
  const auto q_k = state.positions.segment(place.q, place.nq);
  const auto v = plan.z_iterate.segment(place.z, place.n);
  const auto q = plan.q_iterate.segment(place.q, place.nq);
  s.mass.setZero();
  guarded(place.name, "mass(q)", [&] { s.description->mass(plan.q_middle.segment(place.q, place.nq), s.mass); });
  require_finite(place.name, "mass(q)", s.mass);
  if (!(s.mass.diagonal().minCoeff() > 0.0)) {
    throw CallableFailure{"mass(q) of " + place.name + " returned a diagonal entry that is not positive"};
  }
  const auto force = [&](double t, ConstVectorRef at_q, ConstVectorRef at_v, Eigen::VectorXd& value) {
    value.setZero();
    guarded(place.name, "force(t, q, v)", [&] { s.description->force(t, at_q, at_v, value); });
    require_finite(place.name, "force(t, q, v)", value);
  };
  if (first) force(state.t, q_k, v_k, s.force_before);
  force(t_next, q, v, s.force);

  // Residual of M (v - v_k) = h (theta F + (1-theta) F_k + feedback) + H^T r, without r.
  s.w = v - v_k;
  s.residual.noalias() = s.mass * s.w;
  s.residual -= h * (theta * s.force + (1.0 - theta) * s.force_before);
  if (const auto* value = feedback_of(plan, s.system)) s.residual -= h * *value;
  for (const Kick& kick : plan.kicks) {
    if (kick.system == s.system && kick.instant > state.t && kick.instant <= t_next) s.residual -= *kick.impulse;
  }
}

void linearise(double t_next, NonlinearSystem& s, Plan& plan) {
  const double h = plan.h, theta = scheme_in(plan, s.system).theta;
  const auto& place = plan.system(s.system);
  const auto v = plan.z_iterate.segment(place.z, place.n);
  const auto q = plan.q_iterate.segment(place.q, place.nq);
  s.iteration = s.mass;
  if (theta > 0.0) {
    s.jacobian.setZero();
    guarded(place.name, "force_dv", [&] { s.description->force_dv(t_next, q, v, s.jacobian); });
    require_finite(place.name, "force_dv", s.jacobian);
    s.iteration -= h * theta * s.jacobian;
    s.jacobian.setZero();
    guarded(place.name, "force_dq", [&] { s.description->force_dq(t_next, q, v, s.jacobian); });
    require_finite(place.name, "force_dq", s.jacobian);
    s.iteration -= h * h * theta * theta * s.jacobian;
  }
  if (s.dictated) dictate(t_next, s, plan);
  s.factor.compute(s.iteration);
  s.w = s.residual;
  s.factor.solve_in_place(s.w, plan.buffer);
  require_finite(place.name, "the iteration matrix M - h theta dF/dv - h^2 theta^2 dF/dq (singular?)", s.w);
  plan.z_free.segment(place.z, place.n) = v - s.w;
}

void evaluate(const NonlinearFirstOrder& s, const std::string& name, double t, ConstVectorRef x, Eigen::VectorXd& f) {
  f.setZero();
  if (s.nonlinear) {
    if (s.nonlinear->f) guarded(name, "f(t, x)", [&] { s.nonlinear->f(t, x, f); });
  } else {
    if (const auto* b = s.linear->b.constant()) f = *b;
    if (const auto* b = s.linear->b.function()) guarded(name, "b(t)", [&] { (*b)(t, f); });
    if (const auto* A = s.linear->A.function()) {
      Matrix value = Matrix::Zero(x.size(), x.size());
      guarded(name, "A(t)", [&] { (*A)(t, value); });
      f.noalias() += value * x;
    } else if (const auto* dense = s.linear->A.dense()) {
      f.noalias() += *dense * x;
    } else if (!s.linear->A.empty()) {
      f.noalias() += s.linear->A.to_dense(x.size()) * x;
    }
  }
  require_finite(name, "f(t, x)", f);
}

void differentiate(NonlinearFirstOrder& s, const std::string& name, double t, ConstVectorRef x) {
  s.jacobian.setZero();
  if (s.nonlinear) {
    if (s.nonlinear->f_dx) {
      guarded(name, "f_dx(t, x)", [&] { s.nonlinear->f_dx(t, x, s.jacobian); });
    } else if (s.nonlinear->f) {
      guarded(name, "f(t, x)", [&] {
        differences::jacobian(x, s.jacobian, [&](ConstVectorRef at, VectorRef f) { s.nonlinear->f(t, at, f); });
      });
    }
  } else if (const auto* A = s.linear->A.function()) {
    guarded(name, "A(t)", [&] { (*A)(t, s.jacobian); });
  } else if (const auto* dense = s.linear->A.dense()) {
    s.jacobian = *dense;
  } else if (!s.linear->A.empty()) {
    s.jacobian = s.linear->A.to_dense(x.size());
  }
  require_finite(name, "df/dx", s.jacobian);
}

void linearise(const State& state, double t_next, bool first, NonlinearFirstOrder& s, Plan& plan) {
  const double h = plan.h, theta = scheme_in(plan, s.system).theta;
  const auto& place = plan.system(s.system);
  const auto x_k = state.unknowns.segment(place.z, place.n);
  const auto x = plan.z_iterate.segment(place.z, place.n);
  if (first) evaluate(s, place.name, state.t, x_k, s.f_before);
  s.iteration = s.mass - h * s.relations;
  s.w = x - x_k;
  s.residual.noalias() = s.mass * s.w;
  s.residual -= h * (1.0 - theta) * s.f_before;
  if (theta > 0.0) {
    evaluate(s, place.name, t_next, x, s.f);
    differentiate(s, place.name, t_next, x);
    s.iteration -= h * theta * s.jacobian;
    s.residual -= h * theta * s.f;
  }
  if (const auto* value = feedback_of(plan, s.system)) s.residual -= h * *value;
  s.factor.compute(s.iteration);
  s.w = s.residual;
  s.factor.solve_in_place(s.w, plan.buffer);
  require_finite(place.name, "the iteration matrix M - h theta df/dx (singular?)", s.w);
  plan.z_free.segment(place.z, place.n) = x - s.w;
}

}  // namespace

void prepare_nonlinear(const NonSmoothDynamicalSystem& model, Index index, Plan& plan) {
  const auto& place = plan.system(index);
  const auto& description = model.systems()[place.slot].description;
  auto& kind = plan.kind[static_cast<std::size_t>(index)];
  auto& position = plan.place[static_cast<std::size_t>(index)];
  if (const auto* general = std::get_if<std::shared_ptr<const DynamicalSystem>>(&description)) {
    NonlinearSystem s;
    s.system = index;
    s.description = general->get();
    s.mass = s.jacobian = s.iteration = Matrix::Zero(place.n, place.n);
    s.force_before = s.force = s.residual = s.w = s.impulse = Eigen::VectorXd::Zero(place.n);
    s.dictated = !s.description->prescribed().empty();
    for (const PrescribedVelocity& prescribed : s.description->prescribed())
      plan.dictated.push_back({place.z + prescribed.component, index, prescribed.component, &prescribed.velocity});
    for (const PrescribedImpulse& kick : s.description->impulses())
      plan.kicks.push_back({index, kick.instant, &kick.impulse.value()});
    kind = SystemKind::Nonlinear;
    position = static_cast<Index>(plan.nonlinear.size());
    plan.nonlinear.push_back(std::move(s));
    return;
  }
  if (const auto* sweeping = std::get_if<std::shared_ptr<const SweepingProcess>>(&description)) {
    kind = SystemKind::Sweeping;
    position = static_cast<Index>(plan.sweeping.size());
    plan.sweeping.push_back({index, sweeping->get(), Eigen::VectorXd::Zero(place.n)});
    return;
  }
  if (plan.schemes[static_cast<std::size_t>(index)].hold) {
    throw InvalidArgument("TimeSteppingOptions::integrator", "ZeroOrderHold for " + place.name,
                          "EulerMoreau: a nonlinear input g(t, x, lambda) acts on the system");
  }
  NonlinearFirstOrder s;
  s.system = index;
  if (const auto* linear = std::get_if<std::shared_ptr<const FirstOrderLinearSystem>>(&description)) {
    s.linear = linear->get();
    s.mass = s.linear->mass.to_dense(place.n, true);
  } else {
    s.nonlinear = std::get<std::shared_ptr<const FirstOrderSystem>>(description).get();
    s.mass = s.nonlinear->mass.to_dense(place.n, true);
  }
  iteration_matrix::check_singular_mass(place.name, s.mass, nullptr, plan.schemes[static_cast<std::size_t>(index)]);
  s.jacobian = s.iteration = s.relations = Matrix::Zero(place.n, place.n);
  s.f_before = s.f = s.residual = s.w = Eigen::VectorXd::Zero(place.n);
  kind = SystemKind::NonlinearFirstOrder;
  position = static_cast<Index>(plan.nonlinear_first_order.size());
  plan.nonlinear_first_order.push_back(std::move(s));
}

void evaluate_systems(const State& state, double t_next, bool first, Plan& plan) {
  for (NonlinearSystem& s : plan.nonlinear) evaluate(state, t_next, first, s, plan);
}

void keep_impulses(Plan& plan) {
  for (NonlinearSystem& s : plan.nonlinear) {
    const auto& place = plan.system(s.system);
    s.w = plan.z.segment(place.z, place.n) - plan.z_free.segment(place.z, place.n);
    s.impulse.noalias() = s.iteration * s.w;
  }
}

bool motion_holds(double tolerance, Plan& plan) {
  for (NonlinearSystem& s : plan.nonlinear) {
    s.w = s.residual - s.impulse;
    for (const Dictated& d : plan.dictated) {
      if (d.system == s.system) s.w[d.component] = 0.0;  // has no equation of motion
    }
    if (!(s.w.norm() <= tolerance)) return false;
  }
  return !plan.nonlinear.empty();
}

void linearise_systems(const State& state, double t_next, bool first, Plan& plan) {
  for (NonlinearSystem& s : plan.nonlinear) linearise(t_next, s, plan);
  for (NonlinearFirstOrder& s : plan.nonlinear_first_order) linearise(state, t_next, first, s, plan);
}

void predict_positions(const State& state, bool first, Plan& plan) {
  const double h = plan.h;
  for (Index i = 0; i < static_cast<Index>(plan.layout->systems.size()); ++i) {
    const auto& place = plan.system(i);
    if (place.first_order) continue;
    const Scheme& scheme = scheme_in(plan, i);
    const auto v_k = state.unknowns.segment(place.z, place.n);
    const auto v = plan.z_iterate.segment(place.z, place.n);
    auto q = plan.q_iterate.segment(place.q, place.nq);
    auto middle = plan.q_middle.segment(place.q, place.nq);
    q = state.positions.segment(place.q, place.nq);
    const double theta = scheme.two_steps ? 1.0 : scheme.theta, weight = scheme.configuration_weight;
    if (plan.kind[static_cast<std::size_t>(i)] != SystemKind::Nonlinear) {
      if (first && !scheme.two_steps) {
        q += h * v_k;
      } else {
        q += h * (theta * v + (1.0 - theta) * v_k);
      }
      middle = q;
      if (weight != 1.0) middle += (1.0 - weight) * (state.positions.segment(place.q, place.nq) - q);
      continue;
    }
    NonlinearSystem& s = plan.nonlinear[static_cast<std::size_t>(plan.place[static_cast<std::size_t>(i)])];
    if (first) {
      s.w = h * v_k;
    } else {
      s.w = h * (theta * v + (1.0 - theta) * v_k);
    }
    guarded(place.name, "retract(q, w)", [&] { s.description->retract(q, s.w); });
    if (weight == 1.0) {
      middle = q;
    } else {
      middle = state.positions.segment(place.q, place.nq);
      s.w *= weight;
      guarded(place.name, "retract(q, w)", [&] { s.description->retract(middle, s.w); });
    }
  }
}

}  // namespace nonsmooth::stages
