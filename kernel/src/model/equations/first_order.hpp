// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nonsmooth/kernel/model.hpp>

#include "model/guarded.hpp"

/// First-order systems and relations, asked in one place: users' callables are guarded by the name of what they belong
/// to, and get what they write zeroed. Numbers that are not finite pass.
namespace nonsmooth {

/// value := data(t), zero where there is none; what is constant has its shape. @throws PartFailure
void evaluate(const char* what, const VectorData& data, double t, VectorRef value);
void evaluate(const char* what, const MatrixData& data, double t, MatrixRef value);
/// The same of what `name` is given. @throws CallableFailure
template <class Data, class Value>
void evaluate(std::string_view name, const char* what, const Data& data, double t, Value& value) {
  guarded(name, what, [&] { evaluate(what, data, t, value); });
}

/// M xdot = f(t, x) + r, f = A(t) x + b(t) where it is linear.
struct FirstOrderSystemEvaluator {
  std::string_view name;
  const FirstOrderLinearSystem* linear = nullptr;  ///< of system
  const FirstOrderDynamicalSystem* system = nullptr;

  /// Of a system of another kind both pointers are null.
  [[nodiscard]] static FirstOrderSystemEvaluator of(const NonSmoothDynamicalSystem::System& record) {
    return {record.name, record.linear_first_order(), record.first_order};
  }
  [[nodiscard]] bool empty() const { return system == nullptr; }
  [[nodiscard]] const MatrixData& mass() const { return linear ? linear->mass : system->mass(); }
  [[nodiscard]] const Feedback& feedback() const { return system->feedback(); }
  [[nodiscard]] bool has_constant_matrix() const { return linear != nullptr && linear->A.function() == nullptr; }

  /// Of a linear one.
  void A(double t, Eigen::MatrixXd& value) const { evaluate(name, "A(t)", linear->A, t, value); }
  void b(double t, VectorRef value) const { evaluate(name, "b(t)", linear->b, t, value); }
  void f(double t, ConstVectorRef x, VectorRef value) const {
    value.setZero();
    guarded(name, "f(t, x)", [&] { system->f(t, x, value); });
  }
  /// The same without allocations: A x is added to b, and an A that is no dense constant put into `matrix`, n x n.
  void f(double t, ConstVectorRef x, VectorRef value, Eigen::MatrixXd& matrix) const;
  /// df/dx, n x n. `differences(x, jacobian, f)` makes it where f is given alone; true: it did.
  template <class Differences>
  bool differentiate(double t, ConstVectorRef x, Eigen::MatrixXd& jacobian, Differences&& differences) const {
    if (linear) return A(t, jacobian), false;
    jacobian.setZero();
    bool given = false;
    guarded(name, "f_dx(t, x)", [&] { given = system->f_dx(t, x, jacobian); });
    if (given) return false;
    guarded(name, "f(t, x)",
            [&] { differences(x, jacobian, [&](ConstVectorRef at, VectorRef value) { system->f(t, at, value); }); });
    return true;
  }
};

/// One of the four Jacobians of a first-order relation.
struct FirstOrderDerivative {
  using Relation = FirstOrderInputOutputRelation;
  const char* name;
  bool (Relation::*given)(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const;
  void (Relation::*function)(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef value) const;
  bool of_input, by_lambda;
};
inline constexpr FirstOrderDerivative kOutputByState{"h_dx", &FirstOrderDerivative::Relation::h_dx,
                                                     &FirstOrderDerivative::Relation::h, false, false};
inline constexpr FirstOrderDerivative kOutputByMultipliers{"h_dlambda", &FirstOrderDerivative::Relation::h_dlambda,
                                                           &FirstOrderDerivative::Relation::h, false, true};
inline constexpr FirstOrderDerivative kInputByState{"g_dx", &FirstOrderDerivative::Relation::g_dx,
                                                    &FirstOrderDerivative::Relation::g, true, false};
inline constexpr FirstOrderDerivative kInputByMultipliers{"g_dlambda", &FirstOrderDerivative::Relation::g_dlambda,
                                                          &FirstOrderDerivative::Relation::g, true, true};

/// y = h(t, x, lambda), r = g(t, x, lambda) on the stacked states of the systems, m rows and n states: C(t) x +
/// D(t) lambda + e(t) and B(t) lambda where it is linear, constants dense.
struct FirstOrderRelationEvaluator {
  std::string_view name;
  const FirstOrderLinearRelation* linear = nullptr;         ///< of relation
  const FirstOrderInputOutputRelation* relation = nullptr;  ///< of a linear one not needed for its matrices

  /// Of a relation of mechanics both pointers are null.
  [[nodiscard]] static FirstOrderRelationEvaluator of(const NonSmoothDynamicalSystem::InteractionRecord& record) {
    return {record.name, record.first_order ? record.first_order->linear() : nullptr, record.first_order};
  }
  /// C, D and B of a linear one are constant.
  [[nodiscard]] bool has_constant_matrices() const {
    return linear && !linear->C.function() && !linear->D.function() && !linear->B.function();
  }

  /// Of a linear one.
  void C(double t, Eigen::MatrixXd& value) const { evaluate(name, "C(t)", linear->C, t, value); }
  void D(double t, Eigen::MatrixXd& value) const { evaluate(name, "D(t)", linear->D, t, value); }
  void B(double t, Eigen::MatrixXd& value) const { evaluate(name, "B(t)", linear->B, t, value); }
  void e(double t, VectorRef value) const { evaluate(name, "e(t)", linear->e, t, value); }

  void h(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef value) const {
    value.setZero();
    guarded(name, "h(t, x, lambda)", [&] { relation->h(t, x, lambda, value); });
  }
  void g(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef value) const {
    value.setZero();
    guarded(name, "g(t, x, lambda)", [&] { relation->g(t, x, lambda, value); });
  }
  /// `differences(point, jacobian, function)` makes it where the user did not give it; true: it did.
  template <class Differences>
  bool differentiate(const FirstOrderDerivative& derivative, double t, ConstVectorRef x, ConstVectorRef lambda,
                     Eigen::MatrixXd& jacobian, Differences&& differences) const {
    jacobian.setZero();
    bool given = false;
    guarded(name, derivative.name, [&] {
      given = (relation->*derivative.given)(t, x, lambda, jacobian);
      if (given) return;
      differences(derivative.by_lambda ? lambda : x, jacobian, [&](ConstVectorRef at, VectorRef value) {
        (relation->*derivative.function)(t, derivative.by_lambda ? x : at, derivative.by_lambda ? at : lambda, value);
      });
    });
    return !given;
  }
};

}  // namespace nonsmooth
