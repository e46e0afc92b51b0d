// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <internal/decompositions.hpp>

#include "alpha_batch.hpp"

namespace nonsmooth {

/// G and B as they are written in AlphaMotion.
struct DenseAlphaSystem : AlphaMotion {
  Eigen::MatrixXd mass, by_v, by_q, S, G, B;
  LuFactors mass_factor, S_factor, B_factor;

  void prepare(const DiscretisedSystem& given, SystemInputs& inputs);
  void evaluate_mass(const std::string& name, ConstVectorRef q);
  void linearise(const std::string& name, double t, ConstVectorRef q);
  void respond(const std::string& name, double h, std::vector<double>& buffer);
  void solve_mass(MatrixRef b, std::vector<double>& buffer) const { mass_factor.solve_in_place(b, buffer); }
  void solve_S(MatrixRef b, std::vector<double>& buffer) const { S_factor.solve_in_place(b, buffer); }
  void solve_B(MatrixRef b, std::vector<double>& buffer) const { B_factor.solve_in_place(b, buffer); }
  void add_G(double sign, ConstVectorRef x, VectorRef sum, std::vector<double>& /*buffer*/) const {
    sum.noalias() += sign * (G * x);
  }
  void add_B(ConstVectorRef x, VectorRef sum, std::vector<double>& /*buffer*/) const { sum.noalias() += B * x; }
};

/// Mechanics of any kind under the generalised-alpha method.
class DenseAlphaBatch final : public AlphaBatch<DenseAlphaSystem> {
 public:
  using AlphaBatch::AlphaBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override { return candidate.generalised_alpha; }
};

}  // namespace nonsmooth
