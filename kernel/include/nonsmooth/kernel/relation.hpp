// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <nonsmooth/kernel/data.hpp>

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

/// y = C x + D lambda + e(t),  r = B lambda. C is m x n, B n x m, D m x m, n the sum of the linked systems' states;
/// each constant or a function of time.
struct FirstOrderLinearRelation {
  MatrixData C{};  ///< m x n; a function of time needs `rows`
  MatrixData D{};  ///< m x m; empty: zero
  MatrixData B{};  ///< n x m
  VectorData e{};  ///< m, constant or a function of time; empty: zero
  Index rows = 0;  ///< m, where C is a function of time; otherwise read off C
  /// > 0: what y or lambda of a row does by e(t), or by b(t) of the linked systems, below zero and back takes no
  /// shorter time: then event-driven simulation loses no switch of it. 0: not known; what lasts a hundredth of a step
  /// is seen all the same.
  double smallest_feature = 0.0;  ///< [s]
};

/// y = h(t, x, lambda),  r = g(t, x, lambda), solved by Newton. Jacobians come in zeroed; those not given are forward
/// differences over 1.5e-8 max(1, |lambda_j|) (or x_j), beside one of four times that; where the two differ by more
/// than 1e-3, or neither moves y and a step of 1e-3 does, a step is looked for between 1e-22 and 1e-2, on both sides: a
/// junction whose currents are 1e-12 runs, and a switch of 1e-9 S beside terms of 1. h and g may throw outside of their
/// domain at these places. Where several systems are linked, dg/dx enters block by block: what the state of one does to
/// the input of another is iterated, which converges where h |dg_i/dx_j| is well below 1.
struct FirstOrderRelation {
  using Function = std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef value)>;
  using Jacobian = std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian)>;

  Index rows = 1;        ///< m, 1 to 2^20
  Function h{};          ///< m; required
  Jacobian h_dx{};       ///< m x n
  Jacobian h_dlambda{};  ///< m x m
  Function g{};          ///< n; required
  Jacobian g_dx{};       ///< n x n
  Jacobian g_dlambda{};  ///< n x m
};

/// What a user derives from for a new mechanical relation between the coordinates q of the linked systems (stacked in
/// the order of the link) and m local coordinates y = h(t, q). Every relation answers all four questions; event-driven
/// simulation asks the last, which is about accelerations. The defaults are differences, along the retract of
/// systems that have one of their own (the model sees to it; called directly they know q + w only, and throw
/// InvalidArgument where q and v are of different numbers).
class Relation {
 public:
  virtual ~Relation() = default;
  Relation() = default;
  Relation(const Relation&) = default;
  Relation& operator=(const Relation&) = default;

  [[nodiscard]] virtual Index rows() const = 0;                          ///< m
  virtual void h(double t, ConstVectorRef q, VectorRef y) const = 0;     ///< y = h(t, q)
  virtual void H(double t, ConstVectorRef q, MatrixRef jacobian) const;  ///< u = H v + h_t
  virtual void h_t(double t, ConstVectorRef q, VectorRef value) const;   ///< by default zero
  virtual void curvature(double t, ConstVectorRef q, ConstVectorRef v,
                         VectorRef value) const;  ///< ydotdot - H vdot; by default a second difference of h
  /// y = h(t, q) + what depends on the force lambda, for a relation with is_compliant(); by default h(t, q).
  virtual void compliant_h(double t, ConstVectorRef q, ConstVectorRef lambda, VectorRef y) const;
  /// dh/dlambda, m x m, comes in zeroed; by default forward differences of compliant_h.
  virtual void compliance(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef D) const;
  /// H at a force lambda; by default H(t, q).
  virtual void compliant_H(double t, ConstVectorRef q, ConstVectorRef lambda, MatrixRef jacobian) const;
  [[nodiscard]] virtual bool is_compliant() const { return false; }  ///< y depends on lambda
  /// The shortest way of q over which h goes below zero and comes back; 0: not known.
  [[nodiscard]] virtual double smallest_feature() const { return 0.0; }
  /// The constant H of an affine relation without explicit time, or nullptr.
  [[nodiscard]] virtual const Eigen::MatrixXd* constant_jacobian() const { return nullptr; }
};

}  // namespace nonsmooth
