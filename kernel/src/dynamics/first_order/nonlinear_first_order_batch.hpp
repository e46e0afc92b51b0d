// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/state.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dynamics/system_batch.hpp"
#include "model/equations/first_order.hpp"

namespace nonsmooth {

/// What a first-order system keeps that is linearised at each Newton iterate, but for its matrices.
struct NonlinearFirstOrderSystem {
  Index system = 0;
  const FirstOrderDynamicalSystem* description = nullptr;
  Eigen::VectorXd f_before, f, residual, w;

  /// @throws InvalidArgument for a scheme that is exact for linear systems alone.
  void prepare(const DiscretisedSystem& given) {
    const auto& place = given.place();
    if (given.scheme().exponential) {
      throw InvalidArgument("TimeSteppingOptions::integrator", given.scheme().integrator->name() + " for " + place.name,
                            "EulerMoreau: a nonlinear input g(t, x, lambda) acts on the system");
    }
    system = given.system;
    description = given.record.first_order;
    f_before = f = residual = w = Eigen::VectorXd::Zero(place.n);
  }
  [[nodiscard]] FirstOrderSystemEvaluator evaluator(const std::string& name) const {
    return {name, description->linear(), description};
  }
};

/// M xdot = f(t, x) + r, linearised at each Newton iterate: A = M - h theta df/dx - h dg/dx, dg/dx of the relations
/// that act on it with their multiplier_weight, and z_free answers the linearised step without reactions. A System is a
/// NonlinearFirstOrderSystem with its matrices `mass` and `iteration` (A), dense or sparse, and
///
///     evaluate(name, t, x, value)             value := f, finite
///     clear_inputs()                          the sum of dg/dx := 0
///     add_input(name, relation, J)            to it, J dense
///     begin_iteration(h)                      iteration := mass - h times that sum
///     differentiate(name, t, x, weight)       iteration -= weight df/dx
///     factorise(name)                         of iteration
///     solve_in_place(b, buffer)               with the factors that were made last
template <class System>
class NonlinearFirstOrderBatch : public ListedBatch<System> {
 public:
  using ListedBatch<System>::ListedBatch;

  [[nodiscard]] bool is_nonlinear() const override { return true; }
  void evaluate(const StepView&, const Iterate&) override {
    for (System& s : this->list_) s.clear_inputs();
  }
  void linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) override;
  void add_input_jacobian(const Layout::System& system, Index place, const std::string& relation,
                          ConstMatrixRef jacobian) override {
    this->at(place).add_input(system.name, relation, jacobian);
  }
  void apply_inverse(Index place, MatrixRef b) override { this->at(place).solve_in_place(b, this->inputs_.buffer); }
};

template <class System>
void NonlinearFirstOrderBatch<System>::linearise(const StepView& step, const Iterate& iterate,
                                                 Eigen::VectorXd& z_free) {
  for (System& s : this->list_) {
    const double h = step.h(), theta = step.scheme(s.system).theta;
    const auto& place = step.system(s.system);
    const auto x_k = step.state.unknowns.segment(place.z, place.n);
    const auto x = iterate.z.segment(place.z, place.n);
    if (iterate.first) s.evaluate(place.name, step.state.t, x_k, s.f_before);
    s.begin_iteration(h);
    s.w = x - x_k;
    s.residual.noalias() = s.mass * s.w;
    s.residual -= h * (1.0 - theta) * s.f_before;
    if (theta > 0.0) {
      s.evaluate(place.name, step.t_next, x, s.f);
      s.differentiate(place.name, step.t_next, x, h * theta);
      s.residual -= h * theta * s.f;
    }
    if (const auto* value = this->inputs_.feedback_of(s.system)) s.residual -= h * *value;
    s.factorise(place.name);
    s.w = s.residual;
    s.solve_in_place(s.w, this->inputs_.buffer);
    require_finite(place.name, "the iteration matrix M - h theta df/dx (singular?)", s.w);
    z_free.segment(place.z, place.n) = x - s.w;
  }
}

}  // namespace nonsmooth
