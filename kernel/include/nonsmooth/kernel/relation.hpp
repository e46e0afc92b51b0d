// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include <nonsmooth/kernel/data.hpp>

namespace nonsmooth {

struct LagrangianLinearRelation;
struct FirstOrderLinearRelation;

/// A relation of either order, by what both have: m rows between the coordinates of the linked systems and a law.
/// Immutable: models share it. Users derive from MechanicalRelation or FirstOrderInputOutputRelation.
class Relation {
 public:
  virtual ~Relation() = default;
  Relation() = default;
  Relation(const Relation&) = default;
  Relation& operator=(const Relation&) = default;

  [[nodiscard]] virtual Index rows() const = 0;  ///< m
  /// The shortest way of q (first order: time [s]) over which y goes below zero and comes back; 0: not known.
  [[nodiscard]] virtual double smallest_feature() const { return 0.0; }
  /// @throws InvalidArgument where it cannot be between systems of n velocities or states together. Asked when linked.
  virtual void validate(Index /*n*/) const {}
};

/// What a user derives from for a new mechanical relation between the coordinates q of the linked systems (stacked in
/// the order of the link) and m local coordinates y = h(t, q). Every relation answers all four questions; event-driven
/// simulation asks the last, which is about accelerations. The defaults are differences, along the retract of
/// systems that have one of their own (the model sees to it; called directly they know q + w only, and throw
/// InvalidArgument where q and v are of different numbers).
class MechanicalRelation : public Relation {
 public:
  /// @throws InvalidArgument where it cannot be of a system of nq coordinates and nv velocities. Asked of each system,
  /// by its name, when linked, before validate().
  virtual void validate_system(const std::string& /*name*/, Index /*nq*/, Index /*nv*/) const {}
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
  /// h(q) is one of several values, as an angle is but for turns: y comes in as it was before, NaN where nothing is
  /// known, and h takes what follows it. That is the y of the state that a step, or an instant, starts from, so that
  /// what is followed is part of State. Such a relation gives its H and its curvature. False: y comes in zeroed.
  [[nodiscard]] virtual bool follows_outputs() const { return false; }
  /// Of a relation that follows: how far y[0] may go in a step and be followed, half the distance of two values;
  /// time-stepping tells of steps that go farther (RunRemark::Kind::TurnUnknown). Infinity: any way.
  [[nodiscard]] virtual double follows_within() const { return std::numeric_limits<double>::infinity(); }
  [[nodiscard]] virtual bool depends_on_time() const { return true; }  ///< h does, or may do; false: h_t is 0
  /// > 0: y changes by no more than so much of the way that q of all linked systems, `systems` of them, goes (2-norm):
  /// event-driven simulation leaves out gaps that are too far off to close before another. 0: not known.
  [[nodiscard]] virtual double steepness(Index /*systems*/) const { return 0.0; }
  /// Of a contact, y[0] the distance of two shapes along a normal that the translations of each body make the row of H:
  /// the least depth from which on a body that goes straight into another is found on the other side, or less [m].
  /// Infinity: it is never, or y is no such distance. NaN: not known. Where steepness() is known too, time-stepping
  /// tells of bodies that go deeper in a step (RunRemark::Kind::Passage), or that it does not look (Unwatched).
  [[nodiscard]] virtual double passage_depth() const { return std::numeric_limits<double>::infinity(); }
  /// H of the row is the gradient of y; false: of a velocity alone, as slip in space is, with y = 0.
  [[nodiscard]] virtual bool is_gradient(Index /*row*/) const { return true; }
  /// The constant H of an affine relation without explicit time, or nullptr.
  [[nodiscard]] virtual const Eigen::MatrixXd* constant_jacobian() const { return nullptr; }
  /// An affine relation's H, b and compliance: H dense, b of m entries, compliance dense or empty; nullptr: another.
  [[nodiscard]] virtual const LagrangianLinearRelation* linear() const { return nullptr; }
  /// Of bodies that are joined where they start: rows that a law holds (EqualityLaw, friction in joints) have y = 0
  /// there, and a simulation refuses a start where they have not. False: it tells of such a start.
  [[nodiscard]] virtual bool is_joint() const { return false; }
};

/// What a user derives from for a new relation of first-order systems: the output y = h(t, x, lambda) that a law asks
/// for, and the input r = g(t, x, lambda) that it gives; n states of all linked systems, stacked. Values come in
/// zeroed. Jacobians too: where false is returned, the default, they are not given, and differences are taken as for
/// FirstOrderRelation.
class FirstOrderInputOutputRelation : public Relation {
 public:
  virtual void h(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef y) const = 0;             ///< m
  virtual void g(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef r) const = 0;             ///< n
  virtual bool h_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const;       ///< m x n
  virtual bool h_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const;  ///< m x m
  virtual bool g_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const;       ///< n x n
  virtual bool g_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const;  ///< n x m
  /// The matrices of a linear relation, constant ones dense, D of m x m; nullptr: nonlinear.
  [[nodiscard]] virtual const FirstOrderLinearRelation* linear() const { return nullptr; }
};

}  // namespace nonsmooth
