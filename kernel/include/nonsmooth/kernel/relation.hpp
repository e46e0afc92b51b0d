// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <nonsmooth/kernel/data.hpp>

namespace nonsmooth {

/// y = H q + b,  u = H v,  generalised impulse H^T p. H is m x n, n the sum of the linked systems' coordinates.
struct LagrangianLinearRelation {
  MatrixData H{};      ///< m x n, constant
  ConstantVector b{};  ///< m; empty: zero
};

/// y = h(q),  u = H(q) v  with H = dh/dq (on a manifold: dh/dq T(q)): holonomic, scleronomous.
struct ScleronomousRelation {
  Index rows = 1;                                          ///< m >= 1
  std::function<void(ConstVectorRef q, VectorRef y)> h{};  ///< m, comes in zeroed; required
  std::function<void(ConstVectorRef q, MatrixRef H)> H{};  ///< m x n, comes in zeroed; none: differences of h
  /// (d/dt H) v, m, comes in zeroed; none: a second difference of h along v. Acceleration-level schemes alone use it.
  std::function<void(ConstVectorRef q, ConstVectorRef v, VectorRef c)> curvature{};
};

/// y = C x + D lambda + e(t),  r = B lambda. C is m x n, B n x m, D m x m, n the sum of the linked systems' states.
struct FirstOrderLinearRelation {
  MatrixData C{};  ///< m x n, constant
  MatrixData D{};  ///< m x m, constant; empty: zero
  MatrixData B{};  ///< n x m, constant
  VectorData e{};  ///< m, constant or a function of time; empty: zero
};

/// What a user derives from for a new mechanical relation between the coordinates q of the linked systems (stacked in
/// the order of the link) and m local coordinates y = h(t, q). Every relation answers all four questions, though only
/// acceleration-level schemes ask the last.
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
  /// The constant H of an affine relation without explicit time, or nullptr.
  [[nodiscard]] virtual const Eigen::MatrixXd* constant_jacobian() const { return nullptr; }
};

}  // namespace nonsmooth
