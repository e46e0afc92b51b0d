// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/decompositions.hpp>

#include "system_batch.hpp"

namespace nonsmooth {

/// M xdot = f(t, x) + r, linearised at each Newton iterate: the linear ones too where a relation's g depends on x.
class FirstOrderBatch final : public SystemBatch {
 public:
  using SystemBatch::SystemBatch;

  void clear() override;
  [[nodiscard]] Index accept(const SystemCandidate& candidate) override;
  [[nodiscard]] bool is_nonlinear() const override { return true; }
  void evaluate(const StepView& step, const Iterate& iterate) override;
  void linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) override;
  [[nodiscard]] Eigen::MatrixXd* input_jacobian(Index place) override {
    return &list_[static_cast<std::size_t>(place)].relations;
  }
  void apply_inverse(Index place, MatrixRef b) override;

 private:
  struct One {
    Index system = 0;
    const FirstOrderSystem* nonlinear = nullptr;     ///< or
    const FirstOrderLinearSystem* linear = nullptr;  ///< where an input depends on x
    Eigen::MatrixXd mass, jacobian, iteration;
    Eigen::MatrixXd relations;  ///< see input_jacobian()
    LuFactors factor;
    Eigen::VectorXd f_before, f, residual, w;
  };

  static void rate(const One& s, const std::string& name, double t, ConstVectorRef x, Eigen::VectorXd& f);
  static void differentiate(One& s, const std::string& name, double t, ConstVectorRef x);

  std::vector<One> list_;
};

}  // namespace nonsmooth
