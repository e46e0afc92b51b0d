// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "alpha_batch.hpp"
#include "dynamics/factors/varying_factor.hpp"
#include "model/equations/sparse_systems.hpp"

namespace nonsmooth {

/// With matrices on one pattern. G and B are dense; what they are made of is not:
///
///     G = S^-1 R,   R = F_v + h/2 F_q,     B = S^-1 N,   N = S + h gamma R = M / of_a + h^2 (gamma/2 - beta) F_q,
///
/// without the halves where positions are apart.
struct SparseAlphaSystem : AlphaMotion {
  const SparseMechanicalSystem* entries = nullptr;  ///< description, as what it is; none of a linear system
  SparsePattern pattern;
  Eigen::SparseMatrix<double> mass, by_v, by_q, S, R, N;
  VaryingFactor mass_factor, S_factor, N_factor;
  Eigen::VectorXd product;

  void prepare(const DiscretisedSystem& given, SystemInputs& inputs);
  void evaluate_mass(const std::string& name, ConstVectorRef q);
  void linearise(const std::string& name, double t, ConstVectorRef q);
  void respond(const std::string& name, double h, std::vector<double>& buffer);
  void solve_mass(MatrixRef b, std::vector<double>& /*buffer*/) const { mass_factor.solve_in_place(b); }
  void solve_S(MatrixRef b, std::vector<double>& /*buffer*/) const { S_factor.solve_in_place(b); }
  void solve_B(VectorRef b, std::vector<double>& /*buffer*/) {
    product.noalias() = S * b;
    b = product;
    N_factor.solve_in_place(b);
  }
  void add_G(double sign, ConstVectorRef x, VectorRef sum, std::vector<double>& /*buffer*/) {
    product.noalias() = R * x;
    S_factor.solve_in_place(product);
    sum += sign * product;
  }
  void add_B(ConstVectorRef x, VectorRef sum, std::vector<double>& /*buffer*/) {
    product.noalias() = N * x;
    S_factor.solve_in_place(product);
    sum += product;
  }
};

/// Mechanics under the generalised-alpha method whose matrices stay sparse: of a pattern, and linear.
class SparseAlphaBatch final : public AlphaBatch<SparseAlphaSystem> {
 public:
  using AlphaBatch::AlphaBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
};

}  // namespace nonsmooth
