// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <internal/decompositions.hpp>

#include "model/alpha_weights.hpp"
#include "system_batch.hpp"

namespace nonsmooth {

/// A mechanical system under the generalised-alpha method. W = M^-1 pi is what impulses pi = H^T p add to v; for given
/// W the equation of motion gives A, linearised about the iterate
///
///     A = A_base + G W,   G = S^-1 (F_v + h/2 F_q),   S = M / of_a - h gamma F_v - h^2 beta F_q,
///     z = z_base + B W,   B = I + h gamma G,          so that A^-1 of the step is B M^-1.
struct AlphaSystem {
  Index system = 0;
  const MechanicalSystem* description = nullptr;
  AlphaWeights weights{1.0};
  bool linear = false;       ///< mass, by_v = -C, by_q = -K and what is made of them are constant
  Eigen::VectorXd steady;    ///< of a linear system: its constant force
  Index time_function = -1;  ///< or in SystemInputs::time_functions
  Eigen::MatrixXd mass, by_v, by_q, S, G, B;
  LuFactors mass_factor, S_factor, B_factor;
  bool responds = false;                 ///< B is that of the step's iterate; otherwise the identity
  Eigen::VectorXd start_a, start_A;      ///< a_k and A_k
  Eigen::VectorXd A, W;                  ///< of the iterate
  bool positions_apart = false;          ///< q is moved by U in place of h W / 2: G is then S^-1 F_v
  bool responds_apart = false;           ///< G and B are of that
  Eigen::VectorXd U;                     ///< of multipliers of positions
  Eigen::VectorXd A_base, z_base, load;  ///< load: M^-1 of impulsive loads
  Eigen::VectorXd v, force, w, scratch;
};

/// Mechanics of any kind under the generalised-alpha method.
class AlphaBatch final : public ListedBatch<AlphaSystem> {
 public:
  using ListedBatch::ListedBatch;

  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override { return candidate.generalised_alpha; }
  void prepare(const DiscretisedSystem& given) override;
  [[nodiscard]] bool is_nonlinear() const override { return true; }
  [[nodiscard]] bool iterates() const override;
  [[nodiscard]] bool commit_calls_users() const override { return true; }
  void predict_positions(const StepView& step, Iterate& iterate) override;
  void evaluate(const StepView& step, const Iterate& iterate) override;
  void linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) override;
  void apply_inverse(Index place, MatrixRef b) override;
  void factor_mass(const StepView& step, Index place) override;
  void commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) override;
  void retract(const Layout::System& system, Index place, ConstVectorRef w, VectorRef q) override;
  /// Steps that follow have U in place of h W / 2, until they are joined again.
  void part_positions(Index place, ConstVectorRef U) {
    at(place).positions_apart = true;
    at(place).U = U;
  }
  void join_positions(Index place) { at(place).positions_apart = false; }

 private:
  void start(const StepView& step, AlphaSystem& s);
  void respond(double h, AlphaSystem& s);
  void evaluate_mass(const std::string& name, ConstVectorRef q, AlphaSystem& s) const;
  void evaluate_force(const StepView& step, bool at_end, ConstVectorRef q, ConstVectorRef v, AlphaSystem& s) const;
  void move(const std::string& name, double h, const double* v_k, VectorRef q, AlphaSystem& s) const;
};

}  // namespace nonsmooth
