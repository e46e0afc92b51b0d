// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/decompositions.hpp>

#include "system_batch.hpp"

namespace nonsmooth {

struct NonlinearFirstOrderSystem {
  Index system = 0;
  const FirstOrderDynamicalSystem* description = nullptr;
  Eigen::MatrixXd mass, jacobian, iteration;
  Eigen::MatrixXd relations;  ///< see input_jacobian()
  LuFactors factor;
  Eigen::VectorXd f_before, f, residual, w;
};

/// M xdot = f(t, x) + r, linearised at each Newton iterate: the linear ones too where a relation's g depends on x.
class FirstOrderBatch final : public ListedBatch<NonlinearFirstOrderSystem> {
 public:
  using ListedBatch::ListedBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  [[nodiscard]] bool is_nonlinear() const override { return true; }
  void evaluate(const StepView& step, const Iterate& iterate) override;
  void linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) override;
  [[nodiscard]] Eigen::MatrixXd* input_jacobian(Index place) override { return &at(place).relations; }
  void apply_inverse(Index place, MatrixRef b) override;
};

}  // namespace nonsmooth
