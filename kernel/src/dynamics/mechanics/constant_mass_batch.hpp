// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system_batch.hpp"

namespace nonsmooth {

/// What batches of linear systems share at instants: M is constant and factored once, F = f(t) - C v - K q.
class ConstantMassBatch : public SystemBatch {
 public:
  using SystemBatch::SystemBatch;

  void prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                        const std::vector<Index>& first) override;
  void evaluate_motion(double t, const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                       Eigen::VectorXd& F) override;
  [[nodiscard]] Index factor_constant_masses() override;
  [[nodiscard]] Index accelerations(const Eigen::VectorXd& F, Eigen::VectorXd& a) override;
  void solve_mass(double* x) const override;

 private:
  struct Matrices {
    const VectorData* force = nullptr;
    Eigen::MatrixXd damping, stiffness;  ///< empty: none
    Eigen::MatrixXd inverse;             ///< of M
  };
  std::vector<Matrices> matrices_;  ///< as instants_
};

}  // namespace nonsmooth
