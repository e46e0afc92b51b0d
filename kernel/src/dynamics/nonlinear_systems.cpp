// SPDX-License-Identifier: Apache-2.0
// Systems whose iteration matrix changes with the iterate: M(q) dv = F(t, q, v) dt + H^T dp and M xdot = f(t, x) + r,
// linearised at each Newton iterate, z_free being the answer of the linearised step without reactions.
#include <nonsmooth/numerics/error.hpp>

#include "iteration_matrix.hpp"
#include "model/differences.hpp"
#include "model/guarded.hpp"
#include "system_caches.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;

/// Rows and columns of prescribed components become the identity's; their residual is what they miss.
void prescribe_in_residual(const StepView& step, const SystemCaches& systems, const Iterate& iterate,
                           NonlinearSystem& s) {
  for (const PrescribedComponent& d : systems.inputs.prescribed) {
    if (d.system != s.system) continue;
    const double change = iterate.z[d.z] - prescribed_velocity(step, d);
    s.residual -= change * s.iteration.col(d.component);
    s.iteration.row(d.component).setZero();
    s.iteration.col(d.component).setZero();
    s.iteration(d.component, d.component) = 1.0;
    s.residual[d.component] = change;
  }
}

void evaluate(const StepView& step, const SystemCaches& systems, const Iterate& iterate, NonlinearSystem& s) {
  const double h = step.h(), theta = step.scheme(s.system).theta;
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
  if (iterate.first) force(step.state.t, q_k, v_k, s.force_before);
  force(step.t_next, q, v, s.force);

  // Residual of M (v - v_k) = h (theta F + (1-theta) F_k + feedback) + H^T r, without r.
  s.w = v - v_k;
  s.residual.noalias() = s.mass * s.w;
  s.residual -= h * (theta * s.force + (1.0 - theta) * s.force_before);
  if (const auto* value = systems.inputs.feedback_of(s.system)) s.residual -= h * *value;
  for (const ImpulsiveLoad& load : systems.inputs.impulsive_loads) {
    if (load.system == s.system && load.instant > step.state.t && load.instant <= step.t_next)
      s.residual -= *load.impulse;
  }
}

void linearise(const StepView& step, const Iterate& iterate, NonlinearSystem& s, SystemCaches& systems,
               Eigen::VectorXd& z_free) {
  const double h = step.h(), theta = step.scheme(s.system).theta;
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
    s.iteration -= h * h * theta * theta * s.jacobian;
  }
  if (s.has_prescribed) prescribe_in_residual(step, systems, iterate, s);
  s.factor.compute(s.iteration);
  s.w = s.residual;
  s.factor.solve_in_place(s.w, systems.inputs.buffer);
  require_finite(place.name, "the iteration matrix M - h theta dF/dv - h^2 theta^2 dF/dq (singular?)", s.w);
  z_free.segment(place.z, place.n) = v - s.w;
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

void linearise(const StepView& step, const Iterate& iterate, NonlinearFirstOrder& s, SystemCaches& systems,
               Eigen::VectorXd& z_free) {
  const double h = step.h(), theta = step.scheme(s.system).theta;
  const auto& place = step.system(s.system);
  const auto x_k = step.state.unknowns.segment(place.z, place.n);
  const auto x = iterate.z.segment(place.z, place.n);
  if (iterate.first) evaluate(s, place.name, step.state.t, x_k, s.f_before);
  s.iteration = s.mass - h * s.relations;
  s.w = x - x_k;
  s.residual.noalias() = s.mass * s.w;
  s.residual -= h * (1.0 - theta) * s.f_before;
  if (theta > 0.0) {
    evaluate(s, place.name, step.t_next, x, s.f);
    differentiate(s, place.name, step.t_next, x);
    s.iteration -= h * theta * s.jacobian;
    s.residual -= h * theta * s.f;
  }
  if (const auto* value = systems.inputs.feedback_of(s.system)) s.residual -= h * *value;
  s.factor.compute(s.iteration);
  s.w = s.residual;
  s.factor.solve_in_place(s.w, systems.inputs.buffer);
  require_finite(place.name, "the iteration matrix M - h theta df/dx (singular?)", s.w);
  z_free.segment(place.z, place.n) = x - s.w;
}

}  // namespace

void prepare_nonlinear(const NonSmoothDynamicalSystem& model, Index index, const Discretisation& discretisation,
                       SystemCaches& systems) {
  const auto& place = discretisation.system(index);
  const auto& description = model.systems()[place.slot].description;
  auto& kind = systems.kind[static_cast<std::size_t>(index)];
  auto& position = systems.place[static_cast<std::size_t>(index)];
  if (const auto* general = std::get_if<std::shared_ptr<const DynamicalSystem>>(&description)) {
    NonlinearSystem s;
    s.system = index;
    s.description = general->get();
    s.mass = s.jacobian = s.iteration = Matrix::Zero(place.n, place.n);
    s.force_before = s.force = s.residual = s.w = s.impulse = Eigen::VectorXd::Zero(place.n);
    s.has_prescribed = !s.description->prescribed().empty();
    kind = SystemKind::Nonlinear;
    position = static_cast<Index>(systems.nonlinear.size());
    systems.nonlinear.push_back(std::move(s));
    return;
  }
  if (const auto* sweeping = std::get_if<std::shared_ptr<const SweepingProcess>>(&description)) {
    kind = SystemKind::Sweeping;
    position = static_cast<Index>(systems.sweeping.size());
    systems.sweeping.push_back({index, sweeping->get(), Eigen::VectorXd::Zero(place.n)});
    return;
  }
  if (discretisation.scheme(index).hold) {
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
  iteration_matrix::check_singular_mass(place.name, s.mass, nullptr, discretisation.scheme(index));
  s.jacobian = s.iteration = s.relations = Matrix::Zero(place.n, place.n);
  s.f_before = s.f = s.residual = s.w = Eigen::VectorXd::Zero(place.n);
  kind = SystemKind::NonlinearFirstOrder;
  position = static_cast<Index>(systems.nonlinear_first_order.size());
  systems.nonlinear_first_order.push_back(std::move(s));
}

void evaluate_systems(const StepView& step, const Iterate& iterate, SystemCaches& systems) {
  for (NonlinearSystem& s : systems.nonlinear) evaluate(step, systems, iterate, s);
}

void keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free, const Eigen::VectorXd& z,
                   SystemCaches& systems) {
  for (NonlinearSystem& s : systems.nonlinear) {
    const auto& place = discretisation.system(s.system);
    s.w = z.segment(place.z, place.n) - z_free.segment(place.z, place.n);
    s.impulse.noalias() = s.iteration * s.w;
  }
}

bool motion_holds(double tolerance, SystemCaches& systems) {
  for (NonlinearSystem& s : systems.nonlinear) {
    s.w = s.residual - s.impulse;
    for (const PrescribedComponent& d : systems.inputs.prescribed) {
      if (d.system == s.system) s.w[d.component] = 0.0;  // has no equation of motion
    }
    if (!(s.w.norm() <= tolerance)) return false;
  }
  return !systems.nonlinear.empty();
}

void linearise_systems(const StepView& step, const Iterate& iterate, SystemCaches& systems, Eigen::VectorXd& z_free) {
  for (NonlinearSystem& s : systems.nonlinear) linearise(step, iterate, s, systems, z_free);
  for (NonlinearFirstOrder& s : systems.nonlinear_first_order) linearise(step, iterate, s, systems, z_free);
}

void predict_positions(const StepView& step, SystemCaches& systems, Iterate& iterate) {
  const double h = step.h();
  for (Index i = 0; i < static_cast<Index>(step.discretisation.layout->systems.size()); ++i) {
    const auto& place = step.system(i);
    if (place.first_order) continue;
    const Scheme& scheme = step.scheme(i);
    const auto v_k = step.state.unknowns.segment(place.z, place.n);
    const auto v = iterate.z.segment(place.z, place.n);
    auto q = iterate.q.segment(place.q, place.nq);
    auto middle = iterate.q_middle.segment(place.q, place.nq);
    q = step.state.positions.segment(place.q, place.nq);
    const double theta = scheme.two_steps ? 1.0 : scheme.theta, weight = scheme.configuration_weight;
    if (systems.kind_of(i) != SystemKind::Nonlinear) {
      if (iterate.first && !scheme.two_steps) {
        q += h * v_k;
      } else {
        q += h * (theta * v + (1.0 - theta) * v_k);
      }
      middle = q;
      if (weight != 1.0) middle += (1.0 - weight) * (step.state.positions.segment(place.q, place.nq) - q);
      continue;
    }
    NonlinearSystem& s = systems.nonlinear[systems.place_of(i)];
    if (iterate.first) {
      s.w = h * v_k;
    } else {
      s.w = h * (theta * v + (1.0 - theta) * v_k);
    }
    guarded(place.name, "retract(q, w)", [&] { s.description->retract(q, s.w); });
    if (weight == 1.0) {
      middle = q;
    } else {
      middle = step.state.positions.segment(place.q, place.nq);
      s.w *= weight;
      guarded(place.name, "retract(q, w)", [&] { s.description->retract(middle, s.w); });
    }
  }
}

}  // namespace nonsmooth::stages
