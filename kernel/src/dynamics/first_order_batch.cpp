// SPDX-License-Identifier: Apache-2.0
#include "first_order_batch.hpp"

#include <nonsmooth/kernel/state.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "iteration_matrix.hpp"
#include "model/differences.hpp"
#include "model/first_order.hpp"

namespace nonsmooth {

bool FirstOrderBatch::takes(const SystemCandidate& candidate) const { return candidate.record.first_order != nullptr; }

void FirstOrderBatch::prepare(const DiscretisedSystem& given) {
  const auto& place = given.place();
  NonlinearFirstOrderSystem s;
  s.system = given.system;
  s.description = given.record.first_order;
  if (given.scheme().exponential) {
    throw InvalidArgument("TimeSteppingOptions::integrator", given.scheme().integrator->name() + " for " + place.name,
                          "EulerMoreau: a nonlinear input g(t, x, lambda) acts on the system");
  }
  s.mass = s.description->mass().to_dense(place.n, true);
  iteration_matrix::check_singular_mass(place.name, s.mass, nullptr, given.scheme());
  s.jacobian = s.iteration = s.relations = Eigen::MatrixXd::Zero(place.n, place.n);
  s.f_before = s.f = s.residual = s.w = Eigen::VectorXd::Zero(place.n);
  list_.push_back(std::move(s));
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
    const FirstOrderSystemEvaluator description{place.name, s.description->linear(), s.description};
    const auto f = [&](double t, ConstVectorRef at, Eigen::VectorXd& value) {
      description.f(t, at, value, s.jacobian);
      require_finite(place.name, "f(t, x)", value);
    };
    if (iterate.first) f(step.state.t, x_k, s.f_before);
    s.iteration = s.mass - h * s.relations;
    s.w = x - x_k;
    s.residual.noalias() = s.mass * s.w;
    s.residual -= h * (1.0 - theta) * s.f_before;
    if (theta > 0.0) {
      f(step.t_next, x, s.f);
      description.differentiate(step.t_next, x, s.jacobian, [](ConstVectorRef at, MatrixRef jacobian, auto&& rate) {
        differences::jacobian(at, jacobian, rate);
      });
      require_finite(place.name, "df/dx", s.jacobian);
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
