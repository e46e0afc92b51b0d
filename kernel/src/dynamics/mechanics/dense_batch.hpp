// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <internal/decompositions.hpp>

#include "dynamics/first_order/linear_batch.hpp"

namespace nonsmooth {

struct DenseSystem {
  Index system = 0;
  bool first_order = false;
  Eigen::MatrixXd mass, transition_z, transition_q, inverse_h;  ///< inverse_h = h A^-1
  Eigen::MatrixXd transition_v;                                 ///< of v_k where the scheme keeps z; empty: none
  Eigen::MatrixXd iteration;  ///< A before prescribed components were cut out, or of a time-varying A_x
  Eigen::VectorXd base;       ///< z_k of such a scheme
  Eigen::VectorXd drive;      ///< A^-1 h f for constant f
  LuFactors factor;
  mutable Eigen::MatrixXd product;               ///< of the factors, P^-1 L U, once it was asked for
  Index time_function = -1;                      ///< in SystemInputs::time_functions
  const MatrixData::Function* matrix = nullptr;  ///< time-varying A_x
  Eigen::MatrixXd matrix_before, matrix_after;
  double t_matrix_after = std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd scratch;
};

/// M, C, K (or M, A_x) constant and not all diagonal, or a time-varying A_x:
/// z_free = z + transition_z z + transition_q q + A^-1 h f.
class DenseBatch final : public LinearBatch<DenseSystem> {
 public:
  using LinearBatch::LinearBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  [[nodiscard]] bool factor_varies(Index place) const override { return at(place).matrix != nullptr; }
  void free_state(const StepView& step, Eigen::VectorXd& z_free) override;
  /// The integral of e^{A s} M^-1 times b under an exponential scheme.
  void apply_input(const Discretisation& discretisation, Index place, MatrixRef b) override;
  void add_iteration_matrix(const Layout::System& system, Index place, Index offset,
                            std::vector<Eigen::Triplet<double>>& entries) const override;

 private:
  [[nodiscard]] DenseSystem mechanical(const LagrangianLinearSystem& d, const DiscretisedSystem& given);
  [[nodiscard]] DenseSystem first_order(const FirstOrderLinearSystem& d, const DiscretisedSystem& given);
  void step_constant(const StepView& step, DenseSystem& s, Eigen::VectorXd& z_free) const;
  void step_varying(const StepView& step, DenseSystem& s, Eigen::VectorXd& z_free);
};

}  // namespace nonsmooth
