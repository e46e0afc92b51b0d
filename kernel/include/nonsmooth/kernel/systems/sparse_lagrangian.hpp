// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/sparse_pattern.hpp>

namespace nonsmooth {

/// M(q) dv + internal(t, q, v) dt = (force(t, q, v) + external(t) + feedback) dt + H^T dp,  dq = v dt, where M and the
/// Jacobians of the forces vary and are sparse: finite elements of nonlinear material, nets of cables, many particles.
/// n = q0.size() coordinates, some 10^2 to 10^6. Any part may be missing, but for the pattern.
///
/// Callables of matrices add to the entries of one pattern, which is declared once and holds every (i, j) at which M,
/// dF/dq or dF/dv has an entry, F = force + external - internal; an entry elsewhere ends the step with the callable's
/// name. Jacobians serve Newton's iteration only: the solution does not depend on them. A part without its Jacobian
/// gets forward differences of step sqrt(eps) max(1, |x_j|), by columns that share no row of the pattern at once
/// [curtis1974]: as many calls of the part as there are colours, some 20 in the plane. Where it does not depend on v
/// (on q) give one that adds nothing. verify_jacobians() compares them with differences.
///
/// Time-stepping makes A = M - h theta dF/dv - h^2 theta dF/dq of it on that pattern, and orders it for its factors
/// once: L L^T where A is symmetric to rounding and positive definite, L U elsewhere. A Newton iteration costs an
/// evaluation, a factorisation (two under GeneralisedAlpha, none under D1MinusLinear, which solves with M), and a solve
/// a row of H; nothing allocates from the second step on, but where pivots of an L U make it fuller than all before.
/// EventDriven solves with the factors of M; its matrices of contacts are dense in n, and its implicit integrators make
/// dense Jacobians of q and v, whose factors cost n^3: explicit ones stay practical up to n of some 10^3, implicit ones
/// up to some hundreds. compare_jacobians() and analysis::examine() are dense too. Of first order:
/// SparseFirstOrderSystem.
///
/// The pattern of a model in elements, and its stiffness:
///
///     .pattern = SparsePattern::of_elements(n, dofs),
///     .internal_dq = [=](double, ConstVectorRef q, ConstVectorRef, SparseEntries& K) {
///       for (const auto& element : dofs) K.add(element, stiffness(q, element));
///     }
struct SparseLagrangianSystem {
  using MassFunction = std::function<void(ConstVectorRef q, SparseEntries& M)>;
  using ForceFunction = std::function<void(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F)>;
  using JacobianFunction = std::function<void(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J)>;

  SparsePattern pattern{};   ///< n x n; required
  MatrixData mass{};         ///< n x n, constant, on the pattern; empty: the identity, or mass_of_q
  MassFunction mass_of_q{};  ///< n x n, comes in zeroed; none: constant
  ForceFunction internal{};  ///< n, comes in zeroed, on the left-hand side
  JacobianFunction internal_dq{}, internal_dv{};  ///< n x n, come in zeroed
  ForceFunction force{};                          ///< n, comes in zeroed, on the right-hand side
  JacobianFunction force_dq{}, force_dv{};        ///< n x n, come in zeroed
  VectorData external{};                          ///< n, constant or a function of time, on the right-hand side
  /// Potential energy V(q) [J] of all forces that have one, for the ledger; none: not known.
  std::function<double(ConstVectorRef q)> potential{};
  ConstantVector q0{}, v0{};  ///< n; v0 empty: at rest
  std::vector<PrescribedVelocity> prescribed{};
  std::vector<PrescribedImpulse> impulses{};
  Feedback feedback{};  ///< n; none: zero
  std::string name{};   ///< for messages; empty takes "system <number>"
};

/// What a user derives from where q is on a manifold (`retract`), as finite rotations of many bodies in one system:
/// a MechanicalSystem that answers for its matrices in entries of a pattern. They come in zeroed.
class SparseMechanicalSystem : public MechanicalSystem {
 public:
  [[nodiscard]] virtual const SparsePattern& pattern() const = 0;           ///< nv x nv, the same at every call
  virtual void mass_entries(ConstVectorRef q, SparseEntries& M) const = 0;  ///< symmetric positive definite
  /// dF/dq · (the tangent directions of retract).
  virtual void force_dq_entries(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J) const = 0;
  virtual void force_dv_entries(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J) const = 0;

  // Dense, from the entries, for who asks for few unknowns.
  void mass(ConstVectorRef q, MatrixRef M) const final;
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const final;
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const final;
};

/// The class that the description stands for. @throws InvalidArgument: no coordinate, no pattern, one of another size,
/// shapes that differ, non-finite entries, both masses, a constant mass that is not symmetric positive definite or has
/// an entry outside of the pattern, a Jacobian of a part that is missing, a prescribed component out of range.
[[nodiscard]] std::shared_ptr<const MechanicalSystem> make_system(SparseLagrangianSystem system);

}  // namespace nonsmooth
