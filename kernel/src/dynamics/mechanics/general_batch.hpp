// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/decompositions.hpp>

#include "nonlinear_batch.hpp"

namespace nonsmooth {

/// With dense matrices.
struct GeneralSystem : NonlinearSystem {
  Eigen::MatrixXd mass, jacobian, iteration;
  LuFactors factor;

  void evaluate_mass(const std::string& name, ConstVectorRef q);
  void require_positive_diagonal(const std::string& name) const;
  void linearise(const std::string& name, double t, ConstVectorRef q, ConstVectorRef v, double by_v, double by_q);
  void prescribe(Index component, double change);
  void factorise(const std::string& /*name*/) { factor.compute(iteration); }
  void factorise_mass(const std::string& /*name*/) { factor.compute(mass); }
  void solve_in_place(MatrixRef b, std::vector<double>& buffer) const { factor.solve_in_place(b, buffer); }
};

/// Mechanical systems of any kind, by their mass(q), force(t, q, v), Jacobians and retract(q, w).
class GeneralBatch final : public NonlinearBatch<GeneralSystem> {
 public:
  using NonlinearBatch::NonlinearBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  void add_iteration_matrix(const Layout::System& system, Index place, Index offset,
                            std::vector<Eigen::Triplet<double>>& entries) const override;
};

}  // namespace nonsmooth
