// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/factors/varying_factor.hpp"
#include "model/equations/sparse_systems.hpp"
#include "nonlinear_batch.hpp"

namespace nonsmooth {

/// With matrices on one pattern, so that sums of them are sums of their values.
struct SparseNonlinearSystem : NonlinearSystem {
  const SparseMechanicalSystem* entries = nullptr;  ///< description, as what it is
  Eigen::SparseMatrix<double> mass, iteration;
  Eigen::VectorXd jacobian;  ///< values
  VaryingFactor factor;

  void evaluate_mass(const std::string& name, ConstVectorRef q);
  void require_positive_diagonal(const std::string& name) const;
  void linearise(const std::string& name, double t, ConstVectorRef q, ConstVectorRef v, double by_v, double by_q);
  void prescribe(Index component, double change);
  void factorise(const std::string& name);
  void factorise_mass(const std::string& name);
  void solve_in_place(MatrixRef b, std::vector<double>& /*buffer*/) const { factor.solve_in_place(b); }
};

/// Mechanical systems that say their matrices in entries of a pattern; at instants with sparse factors of M.
class SparseNonlinearBatch final : public NonlinearBatch<SparseNonlinearSystem> {
 public:
  using NonlinearBatch::NonlinearBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  void add_iteration_matrix(const Layout::System& system, Index place, Index offset,
                            std::vector<Eigen::Triplet<double>>& entries) const override;

  void prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                        const std::vector<Index>& first) override;
  void evaluate_motion(double t, const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                       Eigen::VectorXd& F) override;
  [[nodiscard]] Index accelerations(const Eigen::VectorXd& F, Eigen::VectorXd& a) override;
  void solve_mass(double* x) const override;
  void mass_product(ConstVectorRef x, VectorRef product) const override;
  void masses(MatrixRef M) const override;

 private:
  struct InstantMass {
    const SparseMechanicalSystem* entries = nullptr;
    Eigen::SparseMatrix<double> mass;
    SparseFactorization factor{Structure::SymmetricPositiveDefinite};
    bool stands = false;  ///< constant, and factored
  };
  std::vector<InstantMass> masses_;  ///< as instants_
};

}  // namespace nonsmooth
