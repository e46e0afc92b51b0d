// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nonsmooth/kernel/data.hpp>

namespace nonsmooth {

/// A velocity that the user dictates: component `component` of v is velocity(t) at the end of every step; no impulse
/// acts on it. Its initial value stays v0's: give velocity(t0) there unless a jump in the first step is meant.
struct PrescribedVelocity {
  Index component = 0;                       ///< of v, zero-based
  std::function<double(double)> velocity{};  ///< of t [s]
};

/// M dv + (C v + K q) dt = f(t) dt + H^T dp,  dq = v dt: constant M, C, K, each dense, sparse or diagonal.
/// n = q0.size() coordinates. M symmetric positive definite. Diagonal models cost O(n) a step, the others a solve with
/// factors that are computed once.
struct LagrangianLinearSystem {
  MatrixData mass{};          ///< n x n, constant; empty: the identity
  MatrixData damping{};       ///< n x n, constant; empty: zero
  MatrixData stiffness{};     ///< n x n, constant; empty: zero
  VectorData force{};         ///< n, constant or a function of time; empty: zero
  ConstantVector q0{}, v0{};  ///< n; v0 empty: at rest
  std::vector<PrescribedVelocity> prescribed{};
  std::string name{};  ///< for messages; empty takes "system <number>"
};

/// M(q) dv = F(t, q, v) dt + H^T dp,  dq = v dt. The Jacobians of F serve the Newton iteration only; where none is
/// given, forward differences of step sqrt(eps) max(1, |q_j|) are taken.
struct LagrangianSystem {
  using MassFunction = std::function<void(ConstVectorRef q, MatrixRef M)>;
  using ForceFunction = std::function<void(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F)>;
  using JacobianFunction = std::function<void(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J)>;

  MassFunction mass{};    ///< n x n, comes in zeroed; none: the identity
  ForceFunction force{};  ///< n, comes in zeroed: external minus internal minus gyroscopic; none: zero
  JacobianFunction force_dq{}, force_dv{};  ///< n x n, come in zeroed
  ConstantVector q0{}, v0{};
  std::string name{};
};

/// M xdot = A(t) x + b(t) + r: constant or time-varying A and b, constant M.
struct FirstOrderLinearSystem {
  MatrixData mass{};    ///< n x n, constant, regular; empty: the identity
  MatrixData A{};       ///< n x n; empty: zero
  VectorData b{};       ///< n; empty: zero
  ConstantVector x0{};  ///< n
  std::string name{};
};

/// What a user derives from for a new kind of system: a configuration q (nq numbers on a manifold), a velocity v (nv).
class DynamicalSystem {
 public:
  virtual ~DynamicalSystem() = default;
  DynamicalSystem() = default;
  DynamicalSystem(const DynamicalSystem&) = default;
  DynamicalSystem& operator=(const DynamicalSystem&) = default;

  [[nodiscard]] virtual std::string name() const { return {}; }
  [[nodiscard]] virtual Eigen::VectorXd initial_position() const = 0;  ///< nq
  [[nodiscard]] virtual Eigen::VectorXd initial_velocity() const = 0;  ///< nv

  /// M(q), nv x nv, symmetric positive definite; comes in zeroed.
  virtual void mass(ConstVectorRef q, MatrixRef M) const = 0;
  /// F(t, q, v), nv; comes in zeroed.
  virtual void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const = 0;
  /// dF/dq · (the tangent directions of retract), nv x nv; by default forward differences along retract.
  virtual void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const;
  /// dF/dv, nv x nv; by default forward differences.
  virtual void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const;
  /// q := retract(q, w), the configuration reached from q along w = v h; by default q + w (needs nq = nv).
  virtual void retract(VectorRef q, ConstVectorRef w) const;
};

}  // namespace nonsmooth
