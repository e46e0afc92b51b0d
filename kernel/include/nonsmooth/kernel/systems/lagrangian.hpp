// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel/dynamical_system.hpp>

namespace nonsmooth {

/// M dv + (C v + K q) dt = (f(t) + feedback) dt + H^T dp,  dq = v dt: constant M, C, K, each dense, sparse or diagonal.
/// n = q0.size() coordinates. M symmetric positive definite. Diagonal models cost O(n) a step, the others a solve with
/// factors that are computed once.
struct LagrangianLinearSystem {
  MatrixData mass{};          ///< n x n, constant; empty: the identity
  MatrixData damping{};       ///< n x n, constant; empty: zero
  MatrixData stiffness{};     ///< n x n, constant; empty: zero
  VectorData force{};         ///< n, constant or a function of time; empty: zero
  ConstantVector q0{}, v0{};  ///< n; v0 empty: at rest
  std::vector<PrescribedVelocity> prescribed{};
  std::vector<PrescribedImpulse> impulses{};
  Feedback feedback{};  ///< n; none: zero
  std::string name{};   ///< for messages; empty takes "system <number>"
};

/// M(q) dv + (gyroscopic(q, v) + internal(t, q, v)) dt = (force(t, q, v) + external(t) + feedback) dt + H^T dp,
/// dq = v dt. Any part may be missing. Jacobians serve the Newton iteration only: the solution does not depend on them.
/// A part that depends on q or v and comes without its Jacobian gets forward differences of step
/// sqrt(eps) max(1, |q_j|); verify_jacobians() compares those that are given with differences.
struct LagrangianSystem {
  using MassFunction = std::function<void(ConstVectorRef q, MatrixRef M)>;
  using ForceFunction = std::function<void(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F)>;
  using JacobianFunction = std::function<void(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J)>;
  using GyroscopicFunction = std::function<void(ConstVectorRef q, ConstVectorRef v, VectorRef F)>;
  using GyroscopicJacobian = std::function<void(ConstVectorRef q, ConstVectorRef v, MatrixRef J)>;

  MassFunction mass{};                      ///< n x n, comes in zeroed; none: the identity
  ForceFunction force{};                    ///< n, comes in zeroed, on the right-hand side
  JacobianFunction force_dq{}, force_dv{};  ///< n x n, come in zeroed
  GyroscopicFunction gyroscopic{};          ///< n, on the left-hand side
  GyroscopicJacobian gyroscopic_dq{}, gyroscopic_dv{};
  ForceFunction internal{};  ///< n, on the left-hand side
  JacobianFunction internal_dq{}, internal_dv{};
  VectorData external{};  ///< n, constant or a function of time, on the right-hand side
  /// Potential energy V(q) [J] of all forces that have one, for the ledger; none: not known.
  std::function<double(ConstVectorRef q)> potential{};
  ConstantVector q0{}, v0{};
  std::vector<PrescribedVelocity> prescribed{};
  std::vector<PrescribedImpulse> impulses{};
  Feedback feedback{};
  std::string name{};
};

/// The class that a description stands for. @throws InvalidArgument: no coordinate, shapes that differ, non-finite
/// entries, a constant mass that is not symmetric positive definite, a prescribed component out of range.
[[nodiscard]] std::shared_ptr<const MechanicalSystem> make_system(LagrangianLinearSystem system);
[[nodiscard]] std::shared_ptr<const MechanicalSystem> make_system(LagrangianSystem system);

}  // namespace nonsmooth
