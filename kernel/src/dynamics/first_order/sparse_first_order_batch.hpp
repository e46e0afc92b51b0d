// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/systems/sparse_first_order.hpp>

#include "dynamics/factors/varying_factor.hpp"
#include "nonlinear_first_order_batch.hpp"

namespace nonsmooth {

/// With matrices on one pattern, so that sums of them are sums of their values.
struct SparseNonlinearFirstOrderSystem : NonlinearFirstOrderSystem {
  const SparseFirstOrderDynamicalSystem* entries = nullptr;  ///< description, as what it is
  Eigen::SparseMatrix<double> mass, iteration;
  Eigen::VectorXd jacobian;  ///< values
  Eigen::VectorXd inputs;    ///< values of the sum of dg/dx
  VaryingFactor factor;

  void evaluate(const std::string& name, double t, ConstVectorRef x, Eigen::VectorXd& value) const;
  void clear_inputs() { inputs.setZero(); }
  void add_input(const std::string& name, const std::string& relation, ConstMatrixRef J);
  void begin_iteration(double h);
  void differentiate(const std::string& name, double t, ConstVectorRef x, double weight);
  void factorise(const std::string& name);
  void solve_in_place(MatrixRef b, std::vector<double>& /*buffer*/) const { factor.solve_in_place(b); }
};

/// First-order systems that say df/dx in entries of a pattern.
class SparseFirstOrderBatch final : public NonlinearFirstOrderBatch<SparseNonlinearFirstOrderSystem> {
 public:
  using NonlinearFirstOrderBatch::NonlinearFirstOrderBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
};

}  // namespace nonsmooth
