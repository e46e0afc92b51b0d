// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <nonsmooth/kernel/relation.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {

/// y, H, h_t, curvature and D of a mechanical relation, rigid or compliant, at stacked positions q of the linked
/// systems. All that the simulations and the analysis ask of a relation is asked here; what comes out may hold anything
/// before, but y of a relation that follows(), which comes in as it was: of a compliant one without what lambda added,
/// as value_before() has it. lambda is read of compliant relations alone.
class RelationEvaluator {
 public:
  /// What the relation throws passes.
  explicit RelationEvaluator(const MechanicalRelation& relation)
      : relation_(&relation),
        compliant_(relation.is_compliant()),
        of_time_(relation.depends_on_time()),
        follows_(relation.follows_outputs()) {}
  /// What it throws becomes a CallableFailure with the interaction's name, which has to outlive the evaluator; with
  /// `finite` numbers that are not finite do too.
  RelationEvaluator(const MechanicalRelation& relation, const std::string& name, bool finite = false)
      : RelationEvaluator(relation) {
    name_ = &name;
    finite_ = finite;
  }

  [[nodiscard]] bool follows() const { return follows_; }
  void h(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef y) const {
    if (!compliant_) return h(t, q, y);
    if (!follows_) y.setZero();
    ask("h(q, lambda)", [&] { relation_->compliant_h(t, q, lambda, y); });
    check("h(q)", y);
  }
  void H(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, MatrixRef jacobian) const {
    if (!compliant_) return H(t, q, jacobian);
    clear(jacobian);
    ask("H(q)", [&] { relation_->compliant_H(t, q, lambda, jacobian); });
    check("H(q)", jacobian);
  }
  /// y = h(q, lambda) of a relation that follows() becomes what h is asked for next with: y - D lambda.
  void value_before(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef y) const {
    if (!compliant_ || lambda.isZero(0.0)) return;
    Eigen::MatrixXd D(y.size(), y.size());
    compliance(t, q, lambda, D);
    y.noalias() -= D * lambda;
  }
  /// Of rigid relations.
  template <class Positions, class Values>
  void h(double t, const Positions& q, Values&& y) const {
    if (!follows_) clear(y.data(), y.size());
    ask("h(q)", [&] { relation_->h(t, q, y); });
    check("h(q)", y);
  }
  template <class Positions, class Jacobian>
  void H(double t, const Positions& q, Jacobian&& jacobian) const {
    clear(jacobian);
    ask("H(q)", [&] { relation_->H(t, q, jacobian); });
    check("H(q)", jacobian);
  }
  template <class Positions, class Values>
  void h_t(double t, const Positions& q, Values&& value) const {
    clear(value.data(), value.size());
    if (!of_time_) return;
    ask("h_t", [&] { relation_->h_t(t, q, value); });
    check("h_t", value);
  }
  /// ydotdot - H vdot.
  template <class Positions, class Velocities, class Values>
  void curvature(double t, const Positions& q, const Velocities& v, Values&& value) const {
    clear(value.data(), value.size());
    ask("curvature", [&] { relation_->curvature(t, q, v, value); });
    check("curvature", value);
  }
  /// dh/dlambda; zero of a rigid relation.
  void compliance(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, MatrixRef D) const {
    D.setZero();
    if (!compliant_) return;
    ask("D(q, lambda)", [&] { relation_->compliance(t, q, lambda, D); });
    check("D(q, lambda)", D);
  }

 private:
  template <class Call>
  void ask(const char* what, Call&& call) const {
    if (name_) {
      guarded(*name_, what, call);
    } else {
      call();
    }
  }
  static void clear(double* values, Index count) {
    for (Index i = 0; i < count; ++i) values[i] = 0.0;
  }
  template <class Jacobian>
  static void clear(Jacobian& matrix) {
    if (matrix.outerStride() == matrix.rows()) {
      clear(matrix.data(), matrix.size());
    } else {
      matrix.setZero();
    }
  }
  template <class Values>
  void check(const char* what, const Values& values) const {
    if (finite_) require_finite(*name_, what, values);
  }

  const MechanicalRelation* relation_;
  bool compliant_, of_time_, follows_;
  const std::string* name_ = nullptr;
  bool finite_ = false;
};

}  // namespace nonsmooth
