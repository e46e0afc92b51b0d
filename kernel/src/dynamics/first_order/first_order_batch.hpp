// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/decompositions.hpp>

#include "nonlinear_first_order_batch.hpp"

namespace nonsmooth {

/// With dense matrices.
struct DenseFirstOrderSystem : NonlinearFirstOrderSystem {
  Eigen::MatrixXd mass, jacobian, iteration;
  Eigen::MatrixXd inputs;  ///< the sum of dg/dx
  LuFactors factor;

  void evaluate(const std::string& name, double t, ConstVectorRef x, Eigen::VectorXd& value);
  void clear_inputs() { inputs.setZero(); }
  void add_input(const std::string& /*name*/, const std::string& /*relation*/, ConstMatrixRef J) { inputs += J; }
  void begin_iteration(double h) { iteration = mass - h * inputs; }
  void differentiate(const std::string& name, double t, ConstVectorRef x, double weight);
  void factorise(const std::string& /*name*/) { factor.compute(iteration); }
  void solve_in_place(MatrixRef b, std::vector<double>& buffer) const { factor.solve_in_place(b, buffer); }
};

/// First-order systems of any kind: the linear ones too where a relation's g depends on x.
class FirstOrderBatch final : public NonlinearFirstOrderBatch<DenseFirstOrderSystem> {
 public:
  using NonlinearFirstOrderBatch::NonlinearFirstOrderBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
};

}  // namespace nonsmooth
