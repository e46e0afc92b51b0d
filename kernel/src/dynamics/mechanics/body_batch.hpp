// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system_batch.hpp"
#include "model/bodies/planar_body.hpp"
#include "model/bodies/rigid_body.hpp"

namespace nonsmooth {

/// A of a body whose loads hang translation and rotation together, or of whose velocity components are prescribed.
template <class System>
struct CoupledBody {
  typename System::Jacobian iteration = System::Jacobian::Zero();  ///< with its prescribed components
  FixedLu<System::kVelocities> factor;                             ///< without
};

template <class System>
struct BatchedBody {
  Index system = 0;
  const System* body = nullptr;
  typename System::Velocity force_before = System::Velocity::Zero(), force = force_before;
  typename System::Velocity residual = force_before, impulse = force_before;
  double translation = 0.0;  ///< A = diag(translation I, rotation) where nothing couples
  typename System::Inertia rotation = System::Inertia::Zero();
  /// diag(I / divisor, inverse): A^-1 where A is constant, M^-1 elsewhere.
  double divisor = 1.0;
  typename System::Inertia inverse = System::Inertia::Zero();
  FixedLu<System::kTurns> factor;  ///< of a rotation that varies
  Index coupled = -1;              ///< in the batch's list of those; -1: A is of blocks
  bool varies = false;             ///< A does, with the iterate
  bool by_inverse = true;          ///< solutions are by the inverse above
  bool has_prescribed = false;
};

/// Bodies in space, or those in the plane that loads act on, linearised at each Newton iterate as GeneralBatch does it,
/// in fixed sizes: A = diag(a I, J - h theta dG/dOmega + ...) by blocks where nothing couples, whole elsewhere. Without
/// Jacobians of loads but drags', and with a gyroscopic moment that is none (balls, cubes, the plane) or explicit, as
/// with theta = 0, A is constant: its inverse is made once, and no second iterate is needed. An explicit gyroscopic
/// moment G is that of t_k, with weight 1. At instants M^-1 is known.
template <class System>
class BodyBatch final : public ListedBatch<BatchedBody<System>> {
 public:
  using ListedBatch<BatchedBody<System>>::ListedBatch;

  void clear() override;
  [[nodiscard]] bool takes(const SystemCandidate& candidate) const override;
  void prepare(const DiscretisedSystem& given) override;
  [[nodiscard]] bool is_nonlinear() const override { return true; }
  [[nodiscard]] bool iterates() const override { return iterates_; }
  [[nodiscard]] bool factor_varies(Index place) const override { return this->at(place).varies; }
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

  void prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                        const std::vector<Index>& first) override;
  void evaluate_motion(double t, const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                       Eigen::VectorXd& F) override;
  [[nodiscard]] Index accelerations(const Eigen::VectorXd& F, Eigen::VectorXd& a) override;
  void solve_mass(double* x) const override;

 private:
  using Body = BatchedBody<System>;
  using Position = typename System::Position;
  using Velocity = typename System::Velocity;
  using Jacobian = typename System::Jacobian;
  using Turn = typename System::Turn;
  using Inertia = typename System::Inertia;
  static constexpr int kTranslations = System::kTranslations, kTurns = System::kTurns;

  using SystemBatch::inputs_;
  using SystemBatch::instants_;
  using ListedBatch<Body>::list_;

  static Position position_in(const Eigen::VectorXd& positions, Index q) {
    return positions.segment<Position::SizeAtCompileTime>(q);
  }
  static Velocity velocity_in(const Eigen::VectorXd& unknowns, Index z) {
    return unknowns.segment<System::kVelocities>(z);
  }
  [[nodiscard]] CoupledBody<System>& coupled(const Body& s) { return coupled_[static_cast<std::size_t>(s.coupled)]; }
  [[nodiscard]] const CoupledBody<System>& coupled(const Body& s) const {
    return coupled_[static_cast<std::size_t>(s.coupled)];
  }
  void prepare_constant_matrix(Body& s);
  void evaluate_one(const StepView& step, const Iterate& iterate, Body& s) const;
  [[nodiscard]] Velocity velocity_at(const StepView& step, const Iterate& iterate, const Body& s) const;
  /// A at v, and at q where the loads vary with it; factored.
  void make_iteration_matrix(const StepView& step, const Iterate& iterate, Body& s);
  void add_jacobians(const StepView& step, const Iterate& iterate, const Body& s, Jacobian& A) const;
  void prescribe_in_residual(const StepView& step, const Iterate& iterate, Body& s) const;
  [[nodiscard]] Jacobian without_prescribed(const Body& s) const;
  void solve(const Body& s, double* x) const;
  [[nodiscard]] Velocity product(const Body& s, const Velocity& x) const;  ///< A x

  std::vector<CoupledBody<System>> coupled_;
  bool iterates_ = false;
};

using RigidBatch = BodyBatch<RigidBodySystem>;
using PlanarBatch = BodyBatch<PlanarBodySystem>;

}  // namespace nonsmooth
