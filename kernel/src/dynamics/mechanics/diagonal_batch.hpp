// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "constant_mass_batch.hpp"

namespace nonsmooth {

/// A run of degrees of freedom whose mass, damping and stiffness are all diagonal and constant: one loop serves them.
struct DiagonalRun {
  Index q = 0, z = 0, count = 0;
  bool free_flight = true;  ///< no damping and no stiffness
  double position = 0.5;    ///< of the scheme
};

/// Adds a system's degrees of freedom, to the last run where they follow on it.
void append(const Layout::System& place, bool free_flight, double position, std::vector<DiagonalRun>& runs);

/// M, C and K constant and diagonal: A^-1 is a vector.
class DiagonalBatch final : public ConstantMassBatch {
 public:
  using ConstantMassBatch::ConstantMassBatch;

  void clear() override;
  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  void free_state(const StepView& step, Eigen::VectorXd& z_free) override;
  void apply_inverse(Index place, MatrixRef b) override;
  [[nodiscard]] const double* diagonal_inverse(Index place) const override {
    return a_inverse_.data() + first_[static_cast<std::size_t>(place)];
  }
  void add_iteration_matrix(const Layout::System& system, Index place, Index offset,
                            std::vector<Eigen::Triplet<double>>& entries) const override;
  void commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) override;

 private:
  void add_inputs(const StepView& step, double* free) const;

  std::vector<DiagonalRun> runs_;
  std::vector<Index> first_;                                 ///< by place: its first unknown
  std::vector<double> a_inverse_, drive_, rate_z_, rate_q_;  ///< by unknown
  std::vector<Index> time_functions_;                        ///< in SystemInputs::time_functions
  std::vector<Index> fed_;                                   ///< systems with a feedback
};

}  // namespace nonsmooth
