// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/kernel/data.hpp>

namespace nonsmooth {

class State;

/// A velocity that the user prescribes: component `component` of v is velocity(t) at the end of every step; no impulse
/// acts on it. Its initial value stays v0's: give velocity(t0) there unless a jump in the first step is meant.
struct PrescribedVelocity {
  Index component = 0;                       ///< of v, zero-based
  std::function<double(double)> velocity{};  ///< of t [s]
};

/// An impulsive load, a generalised impulse that acts at an instant: M (v+ - v-) = impulse in the step whose interval
/// (t_k, t_{k+1}] holds the instant, together with what contacts answer in that step. One at the start of a run or
/// before acts in no step: put it into v0.
struct PrescribedImpulse {
  double instant = 0.0;      ///< [s]
  ConstantVector impulse{};  ///< n [N s]
};

/// Sampled feedback: value at t_k, with the whole state there, held until t_{k+1}; added to the force (mechanics) or to
/// b (first order). What a digital controller or an observer does; comes in zeroed. The model has to be set up before
/// the handles that the function reads exist: capture them by reference.
using Feedback = std::function<void(const State& state, VectorRef value)>;

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

/// M xdot = A(t) x + b(t) + feedback + r: constant or time-varying A and b, constant M.
///
/// A singular M makes rows algebraic (a descriptor system, circuits by nodes), where the pencil s M - A is regular:
/// EulerMoreau with theta > 0 takes it, 1 unless nothing jumps; EventDriven does with a constant A and index 1 or 2.
/// The algebraic part of x0 follows from the rest.
struct FirstOrderLinearSystem {
  MatrixData mass{};    ///< n x n, constant; empty: the identity
  MatrixData A{};       ///< n x n; empty: zero
  VectorData b{};       ///< n; empty: zero
  ConstantVector x0{};  ///< n
  Feedback feedback{};
  std::string name{};
};

/// M xdot = f(t, x) + feedback + r, solved by Newton. A singular M is for EulerMoreau with theta > 0.
struct FirstOrderSystem {
  MatrixData mass{};                                                           ///< n x n, constant; empty: I
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};        ///< n, comes in zeroed; none: zero
  std::function<void(double t, ConstVectorRef x, MatrixRef jacobian)> f_dx{};  ///< n x n; none: forward differences
  ConstantVector x0{};                                                         ///< n
  Feedback feedback{};
  std::string name{};
};

/// Moreau's perturbed sweeping process: -xdot in N_C(t)(x) - f(t, x), the point x dragged by a moving convex set C(t),
/// by catching up:
///
///     x_{k+1} = P_{C(t_{k+1})}(x_k + h f(t_k, x_k)).
///
/// Order 1 for sets that move Lipschitz-continuously; a set that jumps is caught up with in that step. Such a system
/// takes no interactions: its set is its law. x0 may lie outside C(t_0): the first step brings it in.
/// Source: Moreau 1977, Evolution problem associated with a moving convex set [moreau1977].
struct SweepingProcess {
  std::function<void(double t, VectorRef x)> project{};                  ///< x := P_{C(t)}(x), required
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};  ///< n, comes in zeroed; none: zero
  ConstantVector x0{};                                                   ///< n
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

  /// Potential energy of all forces that have one [J]; NaN, the default, where it is not known.
  [[nodiscard]] virtual double potential(ConstVectorRef q) const {
    (void)q;
    return std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] virtual const std::vector<PrescribedVelocity>& prescribed() const;
  [[nodiscard]] virtual const std::vector<PrescribedImpulse>& impulses() const;
  /// None, or what feedback() of a LagrangianSystem is.
  [[nodiscard]] virtual const Feedback& feedback() const;
};

}  // namespace nonsmooth
