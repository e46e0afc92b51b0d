// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <nonsmooth/kernel/systems/first_order.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "first_order.hpp"
#include "model/describe.hpp"

namespace nonsmooth {
namespace {

void validate(const FirstOrderLinearSystem& system) {
  const std::string type = "FirstOrderLinearSystem";
  const Index n = system.x0.size();
  describe::check_initial(type, "x0", system.x0, n);
  describe::check_mass_of_first_order(type + "::mass", system.mass, n);
  describe::check_square(type + "::A", system.A, n);
  describe::check_vector(type + "::b", system.b, n);
}

void validate(const FirstOrderSystem& system) {
  const std::string type = "FirstOrderSystem";
  const Index n = system.x0.size();
  describe::check_initial(type, "x0", system.x0, n);
  describe::check_mass_of_first_order(type + "::mass", system.mass, n);
}

/// f = A(t) x + b(t).
class LinearFirstOrderSystem final : public FirstOrderDynamicalSystem {
 public:
  explicit LinearFirstOrderSystem(FirstOrderLinearSystem description) : description_(std::move(description)) {}

  [[nodiscard]] std::string name() const override { return description_.name; }
  [[nodiscard]] Eigen::VectorXd initial_state() const override { return description_.x0.value(); }
  [[nodiscard]] const Feedback& feedback() const override { return description_.feedback; }
  [[nodiscard]] const MatrixData& mass() const override { return description_.mass; }
  void f(double t, ConstVectorRef x, VectorRef value) const override {
    evaluate("b(t)", description_.b, t, value);
    if (description_.A.empty()) return;
    Eigen::MatrixXd A(x.size(), x.size());
    evaluate("A(t)", description_.A, t, A);
    value.noalias() += A * x;
  }
  bool f_dx(double t, ConstVectorRef, MatrixRef jacobian) const override {
    evaluate("A(t)", description_.A, t, jacobian);
    return true;
  }
  [[nodiscard]] const FirstOrderLinearSystem* linear() const override { return &description_; }

 private:
  FirstOrderLinearSystem description_;
};

class CallableFirstOrderSystem final : public FirstOrderDynamicalSystem {
 public:
  explicit CallableFirstOrderSystem(FirstOrderSystem description) : description_(std::move(description)) {}

  [[nodiscard]] std::string name() const override { return description_.name; }
  [[nodiscard]] Eigen::VectorXd initial_state() const override { return description_.x0.value(); }
  [[nodiscard]] const Feedback& feedback() const override { return description_.feedback; }
  [[nodiscard]] const MatrixData& mass() const override { return description_.mass; }
  void f(double t, ConstVectorRef x, VectorRef value) const override {
    if (description_.f) description_.f(t, x, value);
  }
  bool f_dx(double t, ConstVectorRef x, MatrixRef jacobian) const override {
    if (!description_.f_dx) return !description_.f;
    description_.f_dx(t, x, jacobian);
    return true;
  }

 private:
  FirstOrderSystem description_;
};

}  // namespace

std::shared_ptr<const FirstOrderDynamicalSystem> make_system(FirstOrderLinearSystem system) {
  validate(system);
  return std::make_shared<const LinearFirstOrderSystem>(std::move(system));
}

std::shared_ptr<const FirstOrderDynamicalSystem> make_system(FirstOrderSystem system) {
  validate(system);
  return std::make_shared<const CallableFirstOrderSystem>(std::move(system));
}

}  // namespace nonsmooth
