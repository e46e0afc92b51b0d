// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "dynamics/first_order/linear_batch.hpp"

namespace nonsmooth {

struct SparseSystem {
  Index system = 0;
  bool first_order = false;
  Eigen::SparseMatrix<double> rate_z, rate_q;  ///< -(C + h weight_ahead K) and -K, or A_x and nothing
  Eigen::SparseMatrix<double> rate_v;          ///< of v_k where the scheme keeps z
  Eigen::SparseMatrix<double> iteration;       ///< A before prescribed components were cut out
  Eigen::VectorXd drive;                       ///< constant f
  SparseFactorization factor;
  Index time_function = -1;  ///< in SystemInputs::time_functions
  Eigen::VectorXd scratch;
};

/// M, C, K (or M, A_x) constant and kept sparse: factors once, products each step.
class SparseBatch final : public LinearBatch<SparseSystem> {
 public:
  using LinearBatch::LinearBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  void free_state(const StepView& step, Eigen::VectorXd& z_free) override;
  void add_iteration_matrix(const Layout::System& system, Index place, Index offset,
                            std::vector<Eigen::Triplet<double>>& entries) const override;

 private:
  [[nodiscard]] SparseSystem mechanical(const LagrangianLinearSystem& d, const DiscretisedSystem& given);
  [[nodiscard]] SparseSystem first_order(const FirstOrderLinearSystem& d, const DiscretisedSystem& given);

  std::vector<double> positive_up_to_;  ///< by place: A of no longer step has to be looked at again
};

}  // namespace nonsmooth
