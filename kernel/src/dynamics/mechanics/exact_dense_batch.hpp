// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "constant_mass_batch.hpp"
#include "linear_flow.hpp"

namespace nonsmooth {

/// A linear system under a scheme that is exact for constant matrices.
struct ExactSystem {
  Index system = 0;
  LinearFlow flow;
  Eigen::VectorXd drive_v, drive_q;  ///< what a constant force adds to v and q
  Index time_function = -1;          ///< in SystemInputs::time_functions
  Eigen::VectorXd q_free, z_before;  ///< of the step: q without reactions and loads, and its z
  Eigen::VectorXd at_start, change;  ///< of the step: its other forces
};

/// M, C and K constant under such a scheme: what it makes of a step are dense matrices.
class ExactDenseBatch final : public ListedBatch<ExactSystem, ConstantMassBatch> {
 public:
  using ListedBatch::ListedBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  void free_state(const StepView& step, Eigen::VectorXd& z_free) override;
  void predict_positions(const StepView& step, Iterate& iterate) override;
  void apply_inverse(Index place, MatrixRef b) override;
  void commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) override;

 private:
  void add_inputs(ExactSystem& s) const;
};

}  // namespace nonsmooth
