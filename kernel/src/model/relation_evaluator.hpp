// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/relation.hpp>

#include "guarded.hpp"

namespace nonsmooth {

/// y, H, h_t, curvature and D of a mechanical relation, rigid or compliant, at stacked positions q of the linked
/// systems. All that the simulations and the analysis ask of a relation is asked here; what comes out may hold anything
/// before. lambda is read of compliant relations alone.
class RelationEvaluator {
 public:
  /// What the relation throws passes.
  explicit RelationEvaluator(const MechanicalRelation& relation)
      : relation_(relation), compliant_(relation.is_compliant()) {}
  /// What it throws becomes a CallableFailure with the interaction's name, which has to outlive the evaluator; with
  /// `finite` numbers that are not finite do too.
  RelationEvaluator(const MechanicalRelation& relation, const std::string& name, bool finite = false)
      : relation_(relation), compliant_(relation.is_compliant()), name_(&name), finite_(finite) {}

  void h(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef y) const {
    y.setZero();
    if (compliant_) {
      ask("h(q, lambda)", [&] { relation_.compliant_h(t, q, lambda, y); });
    } else {
      ask("h(q)", [&] { relation_.h(t, q, y); });
    }
    check("h(q)", y);
  }
  void H(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, MatrixRef jacobian) const {
    jacobian.setZero();
    ask("H(q)", [&] {
      if (compliant_) {
        relation_.compliant_H(t, q, lambda, jacobian);
      } else {
        relation_.H(t, q, jacobian);
      }
    });
    check("H(q)", jacobian);
  }
  /// Of rigid relations.
  void h(double t, const ConstVectorRef& q, VectorRef y) const { h(t, q, Eigen::VectorXd(), y); }
  void H(double t, const ConstVectorRef& q, MatrixRef jacobian) const { H(t, q, Eigen::VectorXd(), jacobian); }
  void h_t(double t, const ConstVectorRef& q, VectorRef value) const {
    value.setZero();
    if (!relation_.depends_on_time()) return;
    ask("h_t", [&] { relation_.h_t(t, q, value); });
    check("h_t", value);
  }
  /// ydotdot - H vdot.
  void curvature(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef value) const {
    value.setZero();
    ask("curvature", [&] { relation_.curvature(t, q, v, value); });
    check("curvature", value);
  }
  /// dh/dlambda; zero of a rigid relation.
  void compliance(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, MatrixRef D) const {
    D.setZero();
    if (!compliant_) return;
    ask("D(q, lambda)", [&] { relation_.compliance(t, q, lambda, D); });
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
  template <class Values>
  void check(const char* what, const Values& values) const {
    if (finite_) require_finite(*name_, what, values);
  }

  const MechanicalRelation& relation_;
  bool compliant_;
  const std::string* name_ = nullptr;
  bool finite_ = false;
};

}  // namespace nonsmooth
