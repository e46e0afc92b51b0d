// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "constant_mass_batch.hpp"

namespace nonsmooth {

/// M, C and K constant and diagonal under a scheme that is exact for them: each component is an oscillator, and all of
/// them are one loop.
class ExactDiagonalBatch final : public ConstantMassBatch {
 public:
  using ConstantMassBatch::ConstantMassBatch;

  void clear() override;
  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  void free_state(const StepView& step, Eigen::VectorXd& z_free) override;
  void predict_positions(const StepView& step, Iterate& iterate) override;
  void apply_inverse(Index place, MatrixRef b) override;
  [[nodiscard]] const double* diagonal_inverse(Index place) const override {
    return a_inverse_.data() + first_[static_cast<std::size_t>(place)];
  }
  void commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) override;

 private:
  /// Components that follow each other in the layout, from z and from q on.
  struct Run {
    Index q = 0, z = 0, count = 0;
  };
  /// A force of a system that is no constant.
  struct Input {
    Index system = 0;
    Index time_function = -1;  ///< in SystemInputs::time_functions
    bool fed = false;          ///< by a feedback
  };
  void add_inputs(const StepView& step, double* free);

  std::vector<Run> runs_;
  std::vector<Input> driven_;
  std::vector<Index> first_;  ///< by place: its first unknown
  // By unknown: the entries of a LinearFlow, and what a constant force adds to v and q.
  std::vector<double> q_of_q_, q_of_v_, v_of_q_, v_of_v_, v_of_f_, q_of_f_, q_of_slope_, a_inverse_, way_;
  std::vector<double> drive_v_, drive_q_;
  std::vector<double> q_free_, z_before_;  ///< of the step: q without reactions and loads, and its z
};

}  // namespace nonsmooth
