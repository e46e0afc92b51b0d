// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/decompositions.hpp>

#include "system_batch.hpp"

namespace nonsmooth {

struct GeneralSystem {
  Index system = 0;
  const MechanicalSystem* description = nullptr;
  Eigen::MatrixXd mass, jacobian, iteration;
  LuFactors factor;
  Eigen::VectorXd force_before, force, residual, w;
  Eigen::VectorXd q_explicit;  ///< of force_before, where that is not q_k
  Eigen::VectorXd impulse;     ///< H^T r of the last linearised step, where it is asked for
  bool has_prescribed = false;
};

/// M(q) dv = F(t, q, v) dt + H^T dp, linearised at each Newton iterate: A = M - h theta dF/dv - h^2 theta position
/// dF/dq, and z_free answers the linearised step without reactions.
class GeneralBatch final : public ListedBatch<GeneralSystem> {
 public:
  using ListedBatch::ListedBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  [[nodiscard]] bool is_nonlinear() const override { return true; }
  [[nodiscard]] bool commit_calls_users() const override { return true; }
  void predict_positions(const StepView& step, Iterate& iterate) override;
  void evaluate(const StepView& step, const Iterate& iterate) override;
  void linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) override;
  void keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free,
                     const Eigen::VectorXd& z) override;
  [[nodiscard]] bool motion_holds(double tolerance) override;
  void apply_inverse(Index place, MatrixRef b) override;
  void factor_mass(const StepView& step, Index place) override;
  void add_iteration_matrix(const Layout::System& system, Index place, Index offset,
                            std::vector<Eigen::Triplet<double>>& entries) const override;
  void commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) override;
  void retract(const Layout::System& system, Index place, ConstVectorRef w, VectorRef q) override;

 private:
  void evaluate_one(const StepView& step, const Iterate& iterate, GeneralSystem& s) const;
  void prescribe_in_residual(const StepView& step, const Iterate& iterate, GeneralSystem& s) const;
};

}  // namespace nonsmooth
