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

struct LagrangianLinearSystem;
struct FirstOrderLinearSystem;

/// A system of either order, by what both have: unknowns z of a step, the velocities v of mechanics or the states x of
/// first order. Immutable: models share it. Users derive from MechanicalSystem or FirstOrderDynamicalSystem.
class DynamicalSystem {
 public:
  virtual ~DynamicalSystem() = default;
  DynamicalSystem() = default;
  DynamicalSystem(const DynamicalSystem&) = default;
  DynamicalSystem& operator=(const DynamicalSystem&) = default;

  [[nodiscard]] virtual std::string name() const { return {}; }                  ///< empty: "system <number>"
  [[nodiscard]] virtual Eigen::VectorXd initial_position() const { return {}; }  ///< nq; none of first order
  [[nodiscard]] virtual Eigen::VectorXd initial_unknowns() const = 0;            ///< n, v0 or x0
  [[nodiscard]] virtual const Feedback& feedback() const;                        ///< by default none
};

/// What a user derives from for a new kind of mechanical system: a configuration q (nq numbers on a manifold), a
/// velocity v (nv),
///
///     M(q) dv = (F(t, q, v) + feedback) dt + H^T dp,     q moved by retract along v dt.
class MechanicalSystem : public DynamicalSystem {
 public:
  [[nodiscard]] Eigen::VectorXd initial_position() const override = 0;  ///< nq
  [[nodiscard]] virtual Eigen::VectorXd initial_velocity() const = 0;   ///< nv
  [[nodiscard]] Eigen::VectorXd initial_unknowns() const final { return initial_velocity(); }

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
  /// @throws InvalidArgument of a q that is no configuration, as a quaternion that is no unit. Asked of what users
  /// write into a state, where a simulation takes it; by default every q is one.
  virtual void validate_position(ConstVectorRef /*q*/) const {}
  /// qdot := T(q) v, T(q) w = d/ds retract(q, s w) at s = 0; nq. What event-driven simulation integrates. By default v
  /// without a retract of its own, else six differences along moves of at most 3/128 in each velocity, with an error of
  /// some 128 eps (|q| |v|)_max in every component: one that is small beside others is better given. They need a
  /// retract that is smooth over such moves: an exception that it is not ends the run.
  virtual void position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const;

  /// Lengths [m] of a unit of each velocity, nv, positive, in which Newton's iteration and its end compare velocities
  /// of one system: of bodies 1 of translations and radii of gyration sqrt(J_ii / m) of rotations, so that speeds of
  /// one energy count alike in any unit of length; by default 1, as nothing tells the units.
  [[nodiscard]] virtual Eigen::VectorXd velocity_lengths() const;

  [[nodiscard]] virtual bool has_constant_mass() const { return linear() != nullptr; }  ///< M(q) is, and said to be

  /// Potential energy of all forces that have one [J]; NaN, the default, where it is not known.
  [[nodiscard]] virtual double potential(ConstVectorRef q) const {
    (void)q;
    return std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] virtual const std::vector<PrescribedVelocity>& prescribed() const;  ///< each component of v once
  [[nodiscard]] virtual const std::vector<PrescribedImpulse>& impulses() const;     ///< of nv entries each
  /// The constant matrices and f(t) of a linear system, which faster paths read; nullptr: nonlinear. What else acts is
  /// asked of prescribed(), impulses() and feedback().
  [[nodiscard]] virtual const LagrangianLinearSystem* linear() const { return nullptr; }
};

/// What a user derives from for a new kind of first-order system,
///
///     M xdot = f(t, x) + feedback + r,
///
/// n states, M constant. A singular M is for EulerMoreau with theta > 0.
class FirstOrderDynamicalSystem : public DynamicalSystem {
 public:
  [[nodiscard]] virtual Eigen::VectorXd initial_state() const = 0;  ///< x0, n
  [[nodiscard]] Eigen::VectorXd initial_unknowns() const final { return initial_state(); }

  [[nodiscard]] virtual const MatrixData& mass() const;                   ///< n x n; by default empty: I
  virtual void f(double t, ConstVectorRef x, VectorRef value) const = 0;  ///< n, comes in zeroed
  /// jacobian := df/dx, n x n, comes in zeroed; false, the default: not given, differences of f are taken.
  virtual bool f_dx(double t, ConstVectorRef x, MatrixRef jacobian) const;
  /// A, b and the mass of a linear system, which faster paths read, not its feedback; nullptr: nonlinear.
  [[nodiscard]] virtual const FirstOrderLinearSystem* linear() const { return nullptr; }
};

}  // namespace nonsmooth
