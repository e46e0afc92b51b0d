// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fixed_lu.hpp"
#include "model/rigid_body.hpp"
#include "system_batch.hpp"

namespace nonsmooth {

/// A of a body whose loads hang translation and rotation together, or of whose velocity components are prescribed.
struct CoupledBody {
  RigidBodySystem::Jacobian iteration = RigidBodySystem::Jacobian::Zero();
  FixedLu<6> factor;
};

struct RigidSystem {
  Index system = 0;
  const RigidBodySystem* body = nullptr;
  RigidBodySystem::Velocity force_before = RigidBodySystem::Velocity::Zero(), force = force_before;
  RigidBodySystem::Velocity residual = force_before, impulse = force_before;
  double translation = 0.0;  ///< A = diag(translation I, rotation) where nothing couples
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Zero();
  double divisor = 1.0;  ///< of translations, the factor of what is solved with: A or M
  FixedLu<3> factor;
  Index coupled = -1;  ///< in the batch's list of those; -1: A is of blocks
  bool has_prescribed = false;
};

/// Rigid bodies in space, linearised at each Newton iterate as GeneralBatch does it, in fixed sizes: A = diag(a I, J -
/// h theta dG/dOmega + ...) by blocks of 3 x 3 where nothing couples, 6 x 6 elsewhere. An explicit gyroscopic moment G
/// is that of t_k, with weight 1. Bodies whose loads are constant or drags, and whose gyroscopic moment is explicit or
/// none (balls, cubes), need no second iterate, nor do any with theta = 0.
class RigidBatch final : public ListedBatch<RigidSystem> {
 public:
  using ListedBatch::ListedBatch;

  void clear() override;
  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  [[nodiscard]] bool is_nonlinear() const override { return true; }
  [[nodiscard]] bool iterates() const override { return iterates_; }
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
  using Position = RigidBodySystem::Position;
  using Velocity = RigidBodySystem::Velocity;
  using Jacobian = RigidBodySystem::Jacobian;

  [[nodiscard]] CoupledBody& coupled(const RigidSystem& s) { return coupled_[static_cast<std::size_t>(s.coupled)]; }
  [[nodiscard]] const CoupledBody& coupled(const RigidSystem& s) const {
    return coupled_[static_cast<std::size_t>(s.coupled)];
  }
  void evaluate_one(const StepView& step, const Iterate& iterate, RigidSystem& s) const;
  /// A at v, and at q where the loads vary with it; factored.
  void make_iteration_matrix(const StepView& step, const Iterate& iterate, RigidSystem& s);
  void prescribe_in_residual(const StepView& step, const Iterate& iterate, RigidSystem& s, Jacobian& A) const;
  void solve(const RigidSystem& s, double* x) const;
  [[nodiscard]] Velocity product(const RigidSystem& s, const Velocity& x) const;  ///< A x

  std::vector<CoupledBody> coupled_;
  bool iterates_ = false;
};

}  // namespace nonsmooth
