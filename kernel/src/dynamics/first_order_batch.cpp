// SPDX-License-Identifier: Apache-2.0
#include "first_order_batch.hpp"

#include <nonsmooth/kernel/state.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "iteration_matrix.hpp"
#include "model/differences.hpp"
#include "model/guarded.hpp"

namespace nonsmooth {

Index FirstOrderBatch::accept(const SystemCandidate& candidate) {
  const auto& place = candidate.place();
  NonlinearFirstOrderSystem s;
  s.system = candidate.system;
  s.linear = candidate.as<FirstOrderLinearSystem>();
  s.nonlinear = candidate.as<FirstOrderSystem>();
  if (!s.linear && !s.nonlinear) return -1;
  if (candidate.scheme().hold) {
    throw InvalidArgument("TimeSteppingOptions::integrator", "ZeroOrderHold for " + place.name,
                          "EulerMoreau: a nonlinear input g(t, x, lambda) acts on the system");
  }
  s.mass = (s.linear ? s.linear->mass : s.nonlinear->mass).to_dense(place.n, true);
  iteration_matrix::check_singular_mass(place.name, s.mass, nullptr, candidate.scheme());
  s.jacobian = s.iteration = s.relations = Eigen::MatrixXd::Zero(place.n, place.n);
  s.f_before = s.f = s.residual = s.w = Eigen::VectorXd::Zero(place.n);
  return join(candidate, std::move(s));
}

void FirstOrderBatch::rate(const NonlinearFirstOrderSystem& s, const std::string& name, double t, ConstVectorRef x,
                           Eigen::VectorXd& f) {
  f.setZero();
  if (s.nonlinear) {
    if (s.nonlinear->f) guarded(name, "f(t, x)", [&] { s.nonlinear->f(t, x, f); });
  } else {
    if (const auto* b = s.linear->b.constant()) f = *b;
    if (const auto* b = s.linear->b.function()) guarded(name, "b(t)", [&] { (*b)(t, f); });
    if (const auto* A = s.linear->A.function()) {
      Eigen::MatrixXd value = Eigen::MatrixXd::Zero(x.size(), x.size());
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

void FirstOrderBatch::differentiate(NonlinearFirstOrderSystem& s, const std::string& name, double t, ConstVectorRef x) {
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

void FirstOrderBatch::evaluate(const StepView&, const Iterate&) {
  for (NonlinearFirstOrderSystem& s : list_) s.relations.setZero();
}

void FirstOrderBatch::linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) {
  for (NonlinearFirstOrderSystem& s : list_) {
    const double h = step.h(), theta = step.scheme(s.system).theta;
    const auto& place = step.system(s.system);
    const auto x_k = step.state.unknowns.segment(place.z, place.n);
    const auto x = iterate.z.segment(place.z, place.n);
    if (iterate.first) rate(s, place.name, step.state.t, x_k, s.f_before);
    s.iteration = s.mass - h * s.relations;
    s.w = x - x_k;
    s.residual.noalias() = s.mass * s.w;
    s.residual -= h * (1.0 - theta) * s.f_before;
    if (theta > 0.0) {
      rate(s, place.name, step.t_next, x, s.f);
      differentiate(s, place.name, step.t_next, x);
      s.iteration -= h * theta * s.jacobian;
      s.residual -= h * theta * s.f;
    }
    if (const auto* value = inputs_.feedback_of(s.system)) s.residual -= h * *value;
    s.factor.compute(s.iteration);
    s.w = s.residual;
    s.factor.solve_in_place(s.w, inputs_.buffer);
    require_finite(place.name, "the iteration matrix M - h theta df/dx (singular?)", s.w);
    z_free.segment(place.z, place.n) = x - s.w;
  }
}

void FirstOrderBatch::apply_inverse(Index place, MatrixRef b) { at(place).factor.solve_in_place(b, inputs_.buffer); }

}  // namespace nonsmooth
