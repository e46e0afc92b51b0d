// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include <nonsmooth/kernel/relation.hpp>

namespace nonsmooth {

/// y = H q + b + D lambda,  u = H v,  generalised force H^T lambda. H is m x n, n the sum of the linked systems'
/// coordinates. With a compliance D (springs between the bodies and the law) lambda is a force: the law has to be one
/// that knows no impacts (ComplementarityLaw, RelayLaw, PlasticityLaw...).
struct LagrangianLinearRelation {
  MatrixData H{};           ///< m x n, constant
  ConstantVector b{};       ///< m; empty: zero
  MatrixData compliance{};  ///< D, m x m, constant, positive semidefinite [m/N]; empty: zero
};

/// y = h(q),  u = H(q) v  with H = dh/dq (on a manifold: dh/dq T(q)): holonomic, scleronomous. What is not given is
/// taken by differences, on a manifold along the systems' retract.
struct ScleronomousRelation {
  Index rows = 1;                                          ///< m, 1 to 2^20
  std::function<void(ConstVectorRef q, VectorRef y)> h{};  ///< m, comes in zeroed; required
  std::function<void(ConstVectorRef q, MatrixRef H)> H{};  ///< m x n, comes in zeroed; none: differences of h
  /// (d/dt H) v, m, comes in zeroed, for event-driven simulation; none: differences of H along v (of h, without H).
  std::function<void(ConstVectorRef q, ConstVectorRef v, VectorRef c)> curvature{};
  /// > 0: h goes below zero and comes back over no shorter way of q: then event-driven simulation loses no contact, as
  /// it looks at h twice on that way. 0: not known; what takes a hundredth of a step is seen all the same.
  double smallest_feature = 0.0;  ///< [unit of q, 2-norm]
};

/// y = h(t, q),  u = H(t, q) v + h_t(t, q): a body that moves as the user says is on the other side.
struct RheonomousRelation {
  Index rows = 1;                                                          ///< m, 1 to 2^20
  std::function<void(double t, ConstVectorRef q, VectorRef y)> h{};        ///< m, comes in zeroed; required
  std::function<void(double t, ConstVectorRef q, MatrixRef H)> H{};        ///< m x n; none: differences of h
  std::function<void(double t, ConstVectorRef q, VectorRef value)> h_t{};  ///< m; none: differences of h
  double smallest_feature = 0.0;  ///< as in ScleronomousRelation, where h moves no faster than q does [unit of q]
};

/// y = h(q, lambda) with generalised force H^T lambda, H = dh/dq, D = dh/dlambda positive semidefinite: a compliant
/// contact. lambda is a force; for the laws that LagrangianLinearRelation::compliance is for.
struct CompliantRelation {
  Index rows = 1;                                                                 ///< m, 1 to 2^20
  std::function<void(ConstVectorRef q, ConstVectorRef lambda, VectorRef y)> h{};  ///< m; required
  std::function<void(ConstVectorRef q, ConstVectorRef lambda, MatrixRef H)> H{};  ///< m x n; none: differences
  std::function<void(ConstVectorRef q, ConstVectorRef lambda, MatrixRef D)> D{};  ///< m x m; none: differences
};

/// The class that a description stands for; checked when it is linked.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(LagrangianLinearRelation relation);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(ScleronomousRelation relation);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(RheonomousRelation relation);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(CompliantRelation relation);

}  // namespace nonsmooth
